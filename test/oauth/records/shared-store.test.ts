import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../../src/stores/memory.js';
import { basic, bearer, Client, oneHostEach, useHost } from '../../hosts.js';
import { Browser, responseOf } from '../support/browser.js';
import { fixture } from '../support/fixture.js';

describe.each(oneHostEach)(
  '$name: two servers of different issuers with one store, one secret and the same clients',
  ({ start }) => {
    const { options } = fixture();
    const store = memoryStore({ clock: options.runtime?.clock ?? Date.now });
    const ours = useHost({ start }, { options: { ...options, store } });
    const theirs = useHost({ start }, { options: { ...options, store } });

    test('keys begin with at least 128 bits of their issuer', async () => {
      const seen = new Set<string>();
      const watched: typeof store = {
        ...store,
        add: (key, ...record) => (seen.add(key), store.add(key, ...record)),
      };
      const host = await start({ options: { ...options, store: watched } });
      await new Client(host.base).post(
        '/oauth/token',
        'grant_type=client_credentials',
        basic('service', 'service-secret'),
      );
      expect(seen.size).toBeGreaterThan(0);
      for (const key of seen) expect(key).toMatch(/^[\w-]{22,}:/);
    });

    test('#104 a code or token of one is invalid at the other (RFC 6750 §3.1)', async () => {
      const here = new Client(ours.base);
      const there = new Client(theirs.base);
      const code =
        responseOf(await new Browser(ours).authorizeFor({ response_type: 'code', client_id: 'web' }))['code'] ?? '';
      const credentials = basic('web', 'web-secret');
      const redemption = { grant_type: 'authorization_code', code };
      expect((await there.post('/oauth/token', redemption, credentials)).json).toMatchObject({
        error: 'invalid_grant',
      });
      const { access_token } = (await here.post('/oauth/token', redemption, credentials)).json;
      const token = String(access_token);
      expect((await new Client(ours.origin).get('/guarded/profile', bearer(token))).status).toBe(200);
      expect((await new Client(theirs.origin).get('/guarded/profile', bearer(token))).status).toBe(401);
      const api = basic('api', 'api-secret');
      expect((await here.post('/oauth/introspect', { token }, api)).json).toMatchObject({
        active: true,
        iss: ours.base,
      });
      expect((await there.post('/oauth/introspect', { token }, api)).json).toEqual({ active: false });
    });
  },
);
