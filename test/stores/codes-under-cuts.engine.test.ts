import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { describeEngine } from './engines/availability.js';
import { approve, isActive, newCode, redeemCode } from './engines/oauth-flows.js';
import {
  type Answer,
  type OAuthProcess,
  type ProcessSettings,
  startOAuthProcesses,
} from './engines/oauth-processes.js';
import type { Proxy } from './engines/proxy.js';
import { noRedis, startRedisCluster } from './engines/redis.js';
import { chosen, MARIADB, POSTGRES, proxied } from './engines/servers.js';

/** How many codes: enough to see a leak; `CODES=1500` takes minutes. */
const CODES = Number(process.env['CODES'] ?? 120);
const TOGETHER = 25;
/** Not so many milliseconds: a busy machine would do nothing but connect. */
const ANSWERS_PER_CUT = 4;

/** What a client heard that redeems one code, and repeats its request when `Retry-After` says so. */
interface Redemption {
  readonly first: Answer;
  readonly last: Answer;
}

/** Runs so many at a time. */
async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const worker = async (): Promise<void> => {
    for (let item = queue.pop(); item !== undefined; item = queue.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: TOGETHER }, worker));
}

async function repeated(server: OAuthProcess, code: string, first: Answer): Promise<Redemption> {
  let last = first;
  while (last.status === 503) {
    await sleep(Number(last.headers['retry-after']) * 1_000);
    last = await redeemCode(server, code);
  }
  return { first, last };
}

interface Place {
  readonly address: string;
  readonly proxies: readonly Proxy[];
  remove(): Promise<unknown>;
}

/** @param resends - Whether the client sends again what was not answered. */
function suite(
  title: string,
  missing: string | undefined,
  open: () => Promise<Place>,
  settings: ProcessSettings,
  resends = false,
): void {
  describeEngine(`${title}, whose connections are cut`, missing, () => {
    test(`${CODES} codes over HTTP: no client is told that an unused code was used`, async () => {
      const place = await open();
      const servers: OAuthProcess[] = [];
      const on = (index: number): OAuthProcess => {
        const server = servers[index % servers.length];
        if (!server) throw new Error('no process');
        return server;
      };
      try {
        servers.push(...(await startOAuthProcesses(2, place.address, { ...settings, quiet: true })));
        await approve(on(0));
        const codes: string[] = [];
        await each(
          Array.from({ length: CODES }, (_, index) => index),
          async (index) => void codes.push(await newCode(on(index))),
        );
        let answered = 0;
        const running: Promise<Redemption>[] = [];
        await each([...codes.entries()], async ([index, code]) => {
          const first = await redeemCode(on(index), code);
          answered += 1;
          const { proxies } = place;
          if (answered % ANSWERS_PER_CUT === 0) proxies[(answered / ANSWERS_PER_CUT) % proxies.length]?.cutAfter(5);
          running.push(repeated(on(index + 1), code, first));
        });
        const redemptions = await Promise.all(running);

        const tokens = redemptions.flatMap(({ last }) =>
          last.status === 200 ? [String(last.json['access_token'])] : [],
        );
        const falseReplays = redemptions.filter(({ first }) => ![200, 503].includes(first.status));
        const interrupted = redemptions.filter(({ first }) => first.status === 503);
        const usedUp = interrupted.filter(({ last }) => last.status !== 200);
        console.log(
          `${title}: ${CODES} codes, ${tokens.length} redeemed, ${interrupted.length} answered 503 first, ` +
            `${usedUp.length} of these used up, ${falseReplays.length} false replays`,
        );
        expect(falseReplays.map(({ first }) => first.json)).toEqual([]);
        // So no redemption is interrupted.
        if (resends) expect(tokens.length).toBe(CODES);
        else expect(interrupted.length, 'cuts that nobody noticed prove nothing').toBeGreaterThan(0);
        expect(tokens.length).toBeGreaterThan(CODES / 4);
        expect(new Set(tokens).size).toBe(tokens.length);
        for (const { last } of usedUp) expect(last.json).toMatchObject({ error: 'invalid_grant' });
        await each([...tokens.entries()], async ([index, token]) => {
          expect(await isActive(on(index), token), 'no grant was revoked').toBe(true);
        });
      } finally {
        await Promise.all(servers.map((server) => server.kill()));
        await place.remove();
      }
    }, 600_000);
  });
}

// As the libraries come: the store has to bear a client that sends a command again.
for (const driver of ['ioredis', 'redis'] as const) {
  const open = (): Promise<Place> => startRedisCluster({ proxied: true });
  suite(`a Redis Cluster, ${driver}`, noRedis, open, { driver, ownClient: true }, driver === 'ioredis');
}
for (const { title, missing, start, drivers } of [POSTGRES, MARIADB]) {
  for (const driver of drivers) suite(`${title}, ${driver}`, missing, () => proxied(start()), chosen(driver));
}
