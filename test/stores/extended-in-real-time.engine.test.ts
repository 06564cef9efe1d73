import { setTimeout } from 'node:timers/promises';
import { oauthQuery } from 'oauth-query/fetch';
import { openStore } from 'oauth-query/stores/open';
import { expect, test } from 'vitest';
import { describeEngine } from './engines/availability.js';
import { PLACES } from './engines/places.js';

/** Seconds: of a token and of its grant. A connection lasts for two of these, until it is extended. */
const LIFETIME = 6;

// The clock of this engine decides when an entry of a list ends, so no clock of a test can move it.
for (const [title, missing, start] of PLACES.filter(([name]) => name.startsWith('Redis'))) {
  describeEngine(`an owner who came back, in real time, in ${title}`, missing, () => {
    test('after the first expiry of the connection, revoke ends what it has', async () => {
      const place = await start();
      const store = await openStore(place.address);
      await store.migrate();
      const { issue, check, grants } = oauthQuery({
        store,
        issuer: 'https://real-time.example',
        secret: 'the secret of a test, which is long enough',
        clients: ['one', 'two', 'three'].map((client_id) => ({
          client_id,
          client_secret: 's'.repeat(32),
          redirect_uris: ['https://app.example/cb'],
          grant_types: ['authorization_code', 'refresh_token'],
        })),
        lifetimes: { accessToken: LIFETIME, refreshTokenIdle: LIFETIME, refreshTokenAbsolute: LIFETIME },
        scopes: { read: 'Read' },
        owner: () => undefined,
        loginUrl: '/login',
        onWarning: () => undefined,
      });
      const sub = `owner-${process.pid}-${Date.now()}`;
      const issued = async (client_id: string) => (await issue({ sub, client_id, scope: 'read' })).access_token;
      const all = async () => [await issued('one'), await issued('two'), await issued('three')] as const;
      await all();
      await setTimeout(1.5 * LIFETIME * 1000);
      const tokens = await all();
      await setTimeout(0.6 * LIFETIME * 1000);
      const owners = () => Promise.all(tokens.map(async (token) => (await check.any(token)).authorization?.sub));
      expect(await owners()).toEqual([sub, sub, sub]);
      expect(await grants.revoke({ sub, client_id: 'one' })).toBe(1);
      expect(await owners()).toEqual([undefined, sub, sub]);
      expect(await grants.revoke({ sub })).toBe(2);
      expect(await owners()).toEqual([undefined, undefined, undefined]);
      await store.close();
      await place.remove();
    }, 60_000);
  });
}
