import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { describeEngine } from './engines/availability.js';
import {
  approve,
  isActive,
  newCode,
  newDeviceCode,
  redeemCode,
  redeemDeviceCode,
  refresh,
} from './engines/oauth-flows.js';
import {
  type OAuthProcess,
  type ProcessSettings,
  startOAuthProcess,
  startOAuthProcesses,
} from './engines/oauth-processes.js';
import { type Place, PLACES } from './engines/places.js';
import { until } from './engines/redis.js';
import { RefreshingClients } from './engines/refreshing-clients.js';

/** How often a process is killed; `KILLS=20` takes minutes. */
const KILLS = Number(process.env['KILLS'] ?? 2);
const MINUTE = 60_000;
/** The difference that is promised, in milliseconds. */
const DIFFERENCE = 30_000;

for (const [title, missing, open] of PLACES.filter(([name]) => ['Redis', 'PostgreSQL', 'MariaDB'].includes(name))) {
  describeEngine(`two processes on ${title}`, missing, () => {
    let place: Place;
    let processes: OAuthProcess[] = [];
    beforeAll(async () => {
      place = await open();
    });
    afterEach(() => Promise.all(processes.map((server) => server.kill())));
    afterAll(() => place.remove());
    const on = (index: number): OAuthProcess => {
      const chosen = processes[index % 2];
      if (!chosen) throw new Error('no process');
      return chosen;
    };

    test(`one is killed ${KILLS} times during refreshes, which clients repeat at the other: no grant is lost`, async () => {
      const settings = { refreshGrace: 1, quiet: true };
      processes = await startOAuthProcesses(2, place.address, settings);
      const clients = await RefreshingClients.start(processes);
      try {
        for (let kill = 0; kill < KILLS; kill += 1) {
          await clients.haveRefreshed(2);
          await on(kill).kill();
          await clients.haveRefreshed(1);
          processes[kill % 2] = await startOAuthProcess(place.address, settings);
        }
        await clients.expectAlive(`${title}, one process killed ${KILLS} times`);
        await clients.expectReplaysEndThem();
      } finally {
        await clients.stop();
      }
    }, 600_000);

    // Each call of the store, repeated a minute later, is in failing-calls.engine.test.ts, for every engine.
    test.runIf(title === 'Redis')(
      'both are killed, and clients repeat a minute later: no grant is lost',
      async () => {
        const start = (ahead: number): Promise<OAuthProcess[]> =>
          startOAuthProcesses(2, place.address, { refreshGrace: 1, quiet: true, ahead });
        processes = await start(0);
        const clients = await RefreshingClients.start(processes);
        try {
          for (let minutes = 1; minutes <= 2; minutes += 1) {
            await clients.haveRefreshed(2);
            await Promise.all(processes.map((server) => server.kill()));
            processes.splice(0, 2, ...(await start(minutes * MINUTE)));
          }
          await clients.haveRefreshed(3);
          await clients.expectAlive(`${title}, both processes killed twice, for a minute`);
          await clients.expectReplaysEndThem();
        } finally {
          await clients.stop();
        }
      },
      180_000,
    );

    test('their clocks are 30 s apart: repeated refreshes, codes and device codes work in both directions', async () => {
      const settings: ProcessSettings = { refreshGrace: 10, authorizationCode: 60 };
      processes = await Promise.all([
        startOAuthProcess(place.address, settings),
        startOAuthProcess(place.address, { ...settings, ahead: DIFFERENCE }),
      ]);
      await approve(on(0), on(1));
      const finished = async (): Promise<number> => (await place.dump()).split('"done":"').length;
      for (const from of [0, 1]) {
        const there = on(from);
        const here = on(from + 1);
        const { status, json } = await redeemCode(here, await newCode(there));
        expect(status).toBe(200);
        const token = String(json['refresh_token']);
        const before = await finished();
        const first = await refresh(there, token);
        await until(async () => (await finished()) > before, 'the rotation was not finished');
        const second = await refresh(here, token);
        expect(second).toMatchObject({ status: 200, json: { refresh_token: first.json['refresh_token'] } });
        expect(second.json['access_token']).toBe(first.json['access_token']);
        expect(await isActive(here, String(first.json['refresh_token']), 'web')).toBe(true);

        const device = await redeemDeviceCode(here, await newDeviceCode(on, from));
        expect(device.status).toBe(200);
        expect(await isActive(there, String(device.json['access_token']))).toBe(true);
      }
    }, 60_000);
  });
}
