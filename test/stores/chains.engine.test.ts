import { oauthQuery } from 'oauth-query/fetch';
import { type OpenedStore, openStore } from 'oauth-query/stores/open';
import pg from 'pg';
import { createClient } from 'redis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { basic } from '../hosts.js';
import { ChainModel } from '../oauth/support/chain-model.js';
import { describeEngine } from './engines/availability.js';
import { type Place, PLACES } from './engines/places.js';

const GRANTS = Number(process.env['GRANTS'] ?? 30);
const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000);

for (const [title, missing, open] of PLACES) {
  describeEngine(`chains of tokens in ${title}`, missing, () => {
    let place: Place;
    const stores: OpenedStore[] = [];
    beforeAll(async () => {
      place = await open();
    });
    afterAll(async () => {
      await Promise.all(stores.map((store) => store.close()));
      await place.remove();
    });

    test('crashes, lost commands and lost answers at three processes lose no honest grant, and no used token works', async () => {
      const model = await ChainModel.start(SEED, async (clock) => {
        const store = await openStore(place.address, { clock, onWarning: () => undefined });
        await store.migrate();
        stores.push(store);
        return store;
      });
      const tally = await model.play(GRANTS);
      console.log(`${title}: ${tally.refreshes} refreshes, ${tally.faults} faults, ${tally.thieves} thieves`);
      expect(tally, `SEED=${SEED}`).toMatchObject({ losses: [], wrongChains: [], oldTokens: [], unpunished: [] });
    }, 300_000);
  });
}

/** The bytes of all records and entries of lists except access tokens. */
const BYTES: Readonly<Record<string, (address: string) => Promise<number>>> = {
  Redis: async (address) => {
    const client = createClient({ url: address });
    await client.connect();
    let bytes = 0;
    for await (const keys of client.scanIterator())
      for (const key of keys) if (!key.includes(':token:')) bytes += (await client.memoryUsage(key)) ?? 0;
    client.destroy();
    return bytes;
  },
  PostgreSQL: async (address) => {
    const client = new pg.Client(address);
    await client.connect();
    const { rows } = await client.query(
      `SELECT (SELECT sum(pg_column_size(r.*)) FROM oauth_records r WHERE key NOT LIKE '%:token:%')
        + (SELECT sum(pg_column_size(g.*)) FROM oauth_records_groups g) AS bytes`,
    );
    await client.end();
    return Number(rows[0].bytes);
  },
};

const LIMITS: Readonly<Record<string, number>> = { Redis: 1600, PostgreSQL: 1150 };

for (const [title, missing, open] of PLACES) {
  const measure = BYTES[title];
  if (measure === undefined) continue;
  describeEngine(`the size of a grant in ${title}`, missing, () => {
    test('is the same after ten refreshes as after a thousand a second apart, and within its limit next to other grants for the client', async () => {
      const place = await open();
      let now = Date.now();
      const clock = (): number => now;
      const store = await openStore(place.address, { clock, onWarning: () => undefined });
      await store.migrate();
      const oauth = oauthQuery({
        issuer: 'https://sizes.example',
        store,
        secret: 'a secret of the test that has 32 characters',
        clients: [{ client_id: 'web', client_secret: 'web-secret', redirect_uris: ['https://web.example/cb'] }],
        scopes: { read: 'Read' },
        owner: () => ({ sub: 'alice' }),
        loginUrl: '/login',
        runtime: { clock },
        onWarning: () => undefined,
      });
      // The first grant also writes the connection of owner and client, which all their grants share.
      await oauth.issue({ sub: 'alice', client_id: 'web' });
      const others = await measure(place.address);
      let { refresh_token = '' } = await oauth.issue({ sub: 'alice', client_id: 'web' });
      const refresh = async (times: number): Promise<void> => {
        for (let n = 0; n < times; n += 1) {
          now += 1000;
          const response = await oauth.handler(
            new Request('https://sizes.example/oauth/token', {
              method: 'POST',
              headers: { 'content-type': 'application/x-www-form-urlencoded', ...basic('web', 'web-secret') },
              body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token }).toString(),
            }),
          );
          const json: unknown = await response.json();
          refresh_token = String(Object(json).refresh_token);
        }
        await new Promise((resolve) => setTimeout(resolve, 50)); // What is written after the last response.
      };
      await refresh(10);
      const ten = (await measure(place.address)) - others;
      await refresh(990);
      const thousand = (await measure(place.address)) - others;
      console.log(
        `${title}: ${ten} bytes after 10 refreshes, ${thousand} after 1,000; ${others} for the first grant with its connection, before any`,
      );
      expect(Math.abs(thousand - ten)).toBeLessThan(20);
      expect(ten).toBeLessThanOrEqual(LIMITS[title] ?? 0);
      await store.close();
      await place.remove();
    }, 300_000);
  });
}
