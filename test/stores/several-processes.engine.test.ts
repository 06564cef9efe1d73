import { afterAll, afterEach, beforeAll, test } from 'vitest';
import { describeEngine } from './engines/availability.js';
import { type OAuthProcess, startOAuthProcess, startOAuthProcesses } from './engines/oauth-processes.js';
import { type Place, PLACES } from './engines/places.js';
import { RefreshingClients } from './engines/refreshing-clients.js';

/** How often a process is killed; `KILLS=20` takes minutes. */
const KILLS = Number(process.env['KILLS'] ?? 2);
const MINUTE = 60_000;

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
  });
}
