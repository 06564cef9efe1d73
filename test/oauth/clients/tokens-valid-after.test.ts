import { checkClient, type ClientRegistration, type OAuthEvent } from 'oauth-query';
import { storedClients } from 'oauth-query/clients';
import type { Store } from 'oauth-query/store';
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../../src/core/base/secrets.js';
import { bearer, Client, type HostOptions, oneHostEach } from '../../hosts.js';
import { CLIENTS, DEVICE_CODE, fixture } from '../support/fixture.js';
import { Flows, refusal } from '../support/tokens.js';

const both = [
  ['opaque', {}],
  ['jwt', { jwt: true }],
] as const;
/** A client of every kind of grant. */
const APP = {
  ...CLIENTS[0],
  client_id: 'app',
  client_secret: 'app-secret',
  grant_types: ['authorization_code', 'client_credentials', 'device_code', 'refresh_token'],
} as const satisfies ClientRegistration;

describe.each(both)('tokens_valid_after, with %s access tokens', (_format, more) => {
  const serve = async (
    registry?: NonNullable<HostOptions['clients']>,
    wrap: (store: Store) => Store = (store) => store,
  ) => {
    const set = fixture({ issuer: 'http://127.0.0.1', ...more });
    let tokens_valid_after = 0;
    const find = (id: string) => (id === 'app' ? { ...APP, tokens_valid_after } : null);
    const [first] = oneHostEach;
    const clients = registry ?? [...CLIENTS, { find }];
    const host = await first.start({ options: { ...set.options, clients, store: wrap(set.store) } });
    const flows = new Flows(host, [APP]);
    return {
      ...set,
      host,
      flows,
      now: () => Math.floor(set.clock() / 1000),
      endBefore: (seconds: number) => void (tokens_valid_after = seconds),
      works: async (token: string): Promise<boolean> => {
        const guarded = await new Client(host.origin).get('/guarded/profile', bearer(token));
        const asked = await flows.post('/oauth/introspect', 'api', { token });
        expect(asked.json['active']).toBe(guarded.status !== 401);
        return guarded.status !== 401;
      },
      isRefreshable: async (token: string): Promise<unknown> =>
        (await flows.post('/oauth/introspect', 'app', { token })).json['active'],
      own: async (): Promise<string> =>
        String((await flows.post('/oauth/token', 'app', { grant_type: 'client_credentials' })).json['access_token']),
    };
  };

  test('everything issued before is invalid: tokens of owners, its own tokens, refresh tokens, codes and device codes', async () => {
    const server = await serve();
    const { flows, advance } = server;
    const tokens = await flows.tokens('app');
    const own = await server.own();
    const code = await flows.code('app');
    const device = await flows.device('app');
    await flows.decide(device, 'approve');
    const others = await flows.tokens('web');
    server.endBefore(server.now());
    expect([await server.works(tokens.access_token), await server.works(own)], 'in the same second').toEqual([
      true,
      true,
    ]);
    advance(1);
    server.endBefore(server.now());
    expect([await server.works(tokens.access_token), await server.works(own)]).toEqual([false, false]);
    expect(await server.isRefreshable(tokens.refresh_token)).toBe(false);
    expect(refusal(await flows.refresh('app', tokens.refresh_token))).toEqual([400, 'invalid_grant']);
    expect(refusal(await flows.redeem('app', code))).toEqual([400, 'invalid_grant']);
    const poll = { grant_type: DEVICE_CODE, device_code: device.device_code };
    expect(refusal(await flows.post('/oauth/token', 'app', poll))).toEqual([400, 'invalid_grant']);
    expect(await server.works(others.access_token), 'of another client').toBe(true);
    const next = await flows.tokens('app');
    expect([await server.works(next.access_token), await server.works(await server.own())]).toEqual([true, true]);
    expect((await flows.refresh('app', next.refresh_token)).status).toBe(200);
    server.endBefore(0);
    expect((await flows.refresh('app', tokens.refresh_token)).status, 'nothing was used up').toBe(200);
  });

  test('the time of the grant counts, not that of its last refresh', async () => {
    const server = await serve();
    const { refresh_token } = await server.flows.tokens('app');
    server.advance(60);
    const refreshed = (await server.flows.refresh('app', refresh_token)).json;
    server.endBefore(server.now() - 30);
    expect(await server.works(String(refreshed['access_token']))).toBe(false);
    expect(refusal(await server.flows.refresh('app', String(refreshed['refresh_token'])))).toEqual([
      400,
      'invalid_grant',
    ]);
  });

  test('a grant of an earlier version has no time, so it is older', async () => {
    const server = await serve(undefined, (store) => ({
      get: (key) => store.get(key),
      swap: (...record) => store.swap(...record),
      delete: (key) => store.delete(key),
      add: (key, value, ...rest) => {
        const { iat: _, ...old } = value as Readonly<Record<string, unknown>>; // What records are.
        return store.add(key, key.includes(':grant:') ? old : value, ...rest);
      },
    }));
    const { access_token, refresh_token } = await server.flows.tokens('app');
    expect(await server.works(access_token)).toBe(true);
    server.endBefore(1);
    expect(await server.works(access_token)).toBe(false);
    expect(refusal(await server.flows.refresh('app', refresh_token))).toEqual([400, 'invalid_grant']);
  });

  test('grants.revoke({ client_id }) sets it if the registry can, and ends the client’s own tokens', async () => {
    const { store, clock } = fixture();
    const clients = storedClients(store, { clock, cacheSeconds: 0 });
    // A secret that is no password, so that no request waits for a slow hash.
    await clients.add({ ...APP, client_secret: { sha256: sha256(APP.client_secret) } });
    const server = await serve([...CLIENTS, clients]);
    const own = await server.own();
    const { access_token } = await server.flows.tokens('app');
    expect(await server.host.grants.revoke({ client_id: 'app' }, { by: 'admin' })).toBe(1);
    const ends = ({ type }: OAuthEvent): boolean => type === 'client.tokens_ended';
    expect(server.events.filter(ends)).toMatchObject([{ client_id: 'app', by: 'admin', outcome: 'success' }]);
    await server.host.grants.revoke({ client_id: 'web' });
    await server.host.grants.revoke({ client_id: 'app', sub: 'alice' });
    expect(server.events.filter(ends), 'tokens of a listed client, or of one owner').toHaveLength(1);
    expect([await server.works(own), await server.works(access_token)]).toEqual([false, false]);
    expect((await clients.get('app'))?.registration.tokens_valid_after).toBe(server.now() + 1);
    server.advance(1);
    expect(await server.works(await server.own())).toBe(true);
  });
});

describe('tokens_valid_after', () => {
  test('in milliseconds is rejected', () => {
    expect(checkClient({ ...APP, tokens_valid_after: Date.now() })).toEqual([
      'Client "app": tokens_valid_after must be a whole number of seconds since the epoch, not milliseconds.',
    ]);
  });
});
