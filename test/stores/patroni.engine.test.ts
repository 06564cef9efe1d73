import { setTimeout as sleep } from 'node:timers/promises';
import { type OpenedStore, openStore } from 'oauth-query/stores/open';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeEngine } from './engines/availability.js';
import { expectRecovery, freshKey } from './engines/fault-cases.js';
import { grantsSurvive } from './engines/grants-survive.js';
import { noPatroni, type PatroniCluster, startPatroni } from './engines/patroni.js';
import { until } from './engines/redis.js';

const LATER = () => Date.now() + 3_600_000;
const WRITERS = 8;

grantsSurvive('PostgreSQL with a synchronous standby', noPatroni, startPatroni, {
  'the primary crashes': ({ crash }) => crash(),
  'the primary crashes, and its standby has received nothing for a second': async ({ ready, holdBack, crash }) => {
    await ready();
    holdBack();
    await sleep(1_000);
    await crash();
  },
  'the nodes change places': async ({ ready, switchOver }) => {
    await ready();
    await switchOver();
  },
});

function losses(): void {
  let cluster: PatroniCluster;
  let stores: readonly [OpenedStore, OpenedStore];
  beforeAll(async () => {
    cluster = await startPatroni();
    const open = (): Promise<OpenedStore> => openStore(cluster.address, { onError: () => undefined });
    stores = [await open(), await open()];
    await stores[0].migrate();
  });
  afterAll(async () => {
    for (const store of stores ?? []) await store.close();
    await cluster?.remove();
  });

  /** Adds records until it is over, each by two callers at once. What was confirmed before can be added again only if it was lost. */
  async function lostBy(strike: () => Promise<void>): Promise<{ confirmed: number; lost: number; twice: number }> {
    const confirmed: string[] = [];
    let twice = 0;
    let isOver = false;
    const write = async (): Promise<void> => {
      while (!isOver) {
        const key = freshKey();
        const wins = await Promise.all(stores.map((store) => store.add(key, {}, LATER()).catch(() => false)));
        const count = wins.filter(Boolean).length;
        if (count > 0) confirmed.push(key);
        if (count > 1) twice += 1;
      }
    };
    const writing = Array.from({ length: WRITERS }, write);
    await until(async () => confirmed.length > 200, 'nothing is confirmed');
    await strike();
    isOver = true;
    await Promise.all(writing);
    await expectRecovery(stores[0]);
    let lost = 0;
    for (const key of confirmed) if (await stores[0].add(key, {}, LATER())) lost += 1;
    return { confirmed: confirmed.length, lost, twice };
  }

  const STRIKES: readonly (readonly [standby: 'synchronous' | 'asynchronous', what: string, holdFor: number])[] = [
    ['synchronous', 'the primary crashes', 0],
    ['asynchronous', 'the primary crashes', 0],
    ['asynchronous', 'the primary crashes, and its standby has received nothing for a second', 1_000],
  ];
  test.sequential.each(STRIKES)(
    '%s: %s',
    async (standby, what, holdFor) => {
      await cluster.setSynchronous(standby === 'synchronous');
      const { confirmed, lost, twice } = await lostBy(async () => {
        if (holdFor > 0) cluster.holdBack();
        await sleep(holdFor);
        await cluster.crash();
      });
      console.log(`${standby}, ${what}: ${confirmed} confirmed, ${lost} lost, ${twice} twice`);
      expect(twice).toBe(0);
      if (standby === 'synchronous') expect(lost).toBe(0);
      // Otherwise these tests would see no loss at all.
      else if (holdFor > 0) expect(lost).toBeGreaterThan(0);
    },
    180_000,
  );
}

describeEngine('what PostgreSQL loses when a standby is promoted under load', noPatroni, losses, { concurrent: true });
