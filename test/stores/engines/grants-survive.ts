import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeEngine } from './availability.js';
import type { Daemon } from './daemon.js';
import { approve } from './oauth-flows.js';
import { type OAuthProcess, type ProcessSettings, startOAuthProcesses } from './oauth-processes.js';
import type { Proxy } from './proxy.js';
import { RefreshingClients } from './refreshing-clients.js';

/** How long an engine is away: longer than the grace window, which is a second here. `OUTAGE_SECONDS=60` takes some minutes. */
export const OUTAGE_SECONDS = Number(process.env['OUTAGE_SECONDS'] ?? 4);

interface Place {
  /** Several: one for each process. */
  readonly address: string | readonly string[];
  remove(): Promise<unknown> | void;
}

/** What happens to the place while clients refresh, by name; it is well again afterwards. */
type Troubles<P> = Readonly<Record<string, (place: P) => Promise<void>>>;

/** Registers a suite, which runs beside its neighbours: clients refresh, and each trouble strikes the store. */
export function grantsSurvive<P extends Place>(
  title: string,
  missing: string | undefined,
  open: () => Promise<P>,
  troubles: Troubles<P>,
  settings: ProcessSettings = {},
): void {
  const suite = (): void => {
    let place: P;
    let processes: OAuthProcess[] = [];
    beforeAll(async () => {
      place = await open();
      processes = await startOAuthProcesses(2, place.address, { refreshGrace: 1, quiet: true, ...settings });
      const [first] = processes;
      if (first) await approve(first);
    });
    afterAll(async () => {
      await Promise.all(processes.map((server) => server.kill()));
      await place?.remove();
    });

    for (const [name, strike] of Object.entries(troubles)) {
      test.sequential(`${name}: every grant has one chain, and a replay still ends it`, async () => {
        const clients = await RefreshingClients.start(processes);
        try {
          await clients.haveRefreshed(2);
          await strike(place);
          await clients.haveRefreshed(3);
          expect(clients.unavailable).toBeGreaterThan(0);
          await clients.expectAlive(`${title}, ${name}`);
          await clients.expectReplaysEndThem();
        } finally {
          await clients.stop();
        }
      }, 240_000);
    }
  };
  describeEngine(title, missing, suite, { concurrent: true });
}

export const pause = async (daemon: Daemon, seconds = OUTAGE_SECONDS): Promise<void> => {
  daemon.pause();
  try {
    await sleep(seconds * 1_000);
  } finally {
    daemon.resume();
  }
};

export const restart = async (daemon: Daemon): Promise<void> => {
  await daemon.kill();
  await sleep(OUTAGE_SECONDS * 1_000);
  await daemon.start();
};

/** Answers are lost, and then the connections break, again and again. */
export const cut = async (proxies: readonly Proxy[]): Promise<void> => {
  for (let round = 0; round < 20; round += 1) {
    proxies[round % proxies.length]?.cutAfter(10);
    await sleep(200);
  }
};
