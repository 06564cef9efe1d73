import { storedClients } from 'oauth-query/clients';
import { type OpenedStore, openStore } from 'oauth-query/stores/open';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { basic } from '../hosts.js';
import { describeEngine } from '../stores/engines/availability.js';
import { isActive } from '../stores/engines/oauth-flows.js';
import { type OAuthProcess, startOAuthProcesses } from '../stores/engines/oauth-processes.js';
import { DIFFERENT, type Place } from '../stores/engines/places.js';

/** What `storedClients` promises unless told otherwise, and a second for the machine. */
const NOTICED_MS = 6_000;

const ROUNDS = Number(process.env['RACES'] ?? 10);

for (const [title, missing, open] of DIFFERENT) {
  describeEngine(`grants.revoke({ client_id }) of a stored client, on ${title}`, missing, () => {
    let place: Place | undefined;
    let store: OpenedStore;
    let processes: OAuthProcess[] = [];
    beforeAll(async () => {
      place = await open();
      store = await openStore(place.address);
      await store.migrate();
      processes = await startOAuthProcesses(3, place.address, { lists: true });
    }, 120_000);
    afterAll(async () => {
      await Promise.all(processes.map((server) => server.kill()));
      await store?.close();
      await place?.remove();
    });

    test("ends the client's own tokens, in every process within five seconds", async () => {
      const clients = storedClients(store);
      const secrets = new Map<string, string>();
      for (const client_id of ['job', 'other']) {
        const { client_secret = '' } = await clients.add({ client_id }, { generateSecret: true });
        secrets.set(client_id, client_secret);
      }
      const own = async (server: OAuthProcess, client_id: string): Promise<string> => {
        const { status, json } = await server.send('/oauth/token', {
          form: { grant_type: 'client_credentials', scope: 'read' },
          headers: basic(client_id, secrets.get(client_id) ?? ''),
        });
        expect(status).toBe(200);
        return String(json['access_token']);
      };
      /** What the guard and introspection of every process say of every token. */
      const alive = async (tokens: readonly string[]): Promise<readonly boolean[]> => {
        const answers = processes.flatMap((server) =>
          tokens.map(async (token) => {
            const { status } = await server.send('/guarded', { headers: { authorization: `Bearer ${token}` } });
            const active = await isActive(server, token);
            return [status === 200, active === true];
          }),
        );
        return (await Promise.all(answers)).flat();
      };
      const all = (what: boolean, count: number): readonly boolean[] => Array(count * processes.length * 2).fill(what);

      const tokens = await Promise.all(processes.map((server) => own(server, 'job')));
      const others = await Promise.all(processes.map((server) => own(server, 'other')));
      // From here on every process has the client in mind as it was.
      expect(await alive([...tokens, ...others])).toEqual(all(true, 6));
      const [first] = processes;
      if (first === undefined) throw new Error('no process');
      const { status, json } = await first.send('/revoke-all?client_id=job');
      expect([status, json], 'no owner had granted anything').toEqual([200, { ended: 0 }]);
      const revoked = Date.now();

      const here = await first.send('/guarded', { headers: { authorization: `Bearer ${tokens[1]}` } });
      expect(here.status, 'in the process that was asked, at once').toBe(401);
      await expect.poll(() => alive(tokens), { timeout: NOTICED_MS, interval: 100 }).toEqual(all(false, 3));
      expect(Date.now() - revoked).toBeLessThan(NOTICED_MS);
      expect(await alive(others), 'of another client').toEqual(all(true, 3));
      expect(await alive([await own(first, 'job')]), 'what it gets afterwards').toEqual(all(true, 1));
      expect(await alive(tokens), 'and the old ones stay dead').toEqual(all(false, 3));
    }, 60_000);

    test('loses no call that several processes make at once', async () => {
      const clients = storedClients(store);
      const { version } = await clients.add({ client_id: 'raced' }, { generateSecret: true });
      for (let round = 1; round <= ROUNDS; round += 1) {
        const calls = await Promise.all(processes.map((server) => server.send('/revoke-all?client_id=raced')));
        expect(calls.map(({ status }) => status)).toEqual([200, 200, 200]);
        expect((await clients.get('raced'))?.version).toBe(version + round * processes.length);
      }
    }, 60_000);
  });
}
