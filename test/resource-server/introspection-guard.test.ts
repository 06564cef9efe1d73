import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { IntrospectionCredentials } from '../../src/resource-server/introspection-options.js';
import { oneHostEach, type RunningHost } from '../hosts.js';
import { fixture } from '../oauth/support/fixture.js';
import { Flows, refusal } from '../oauth/support/tokens.js';
import { everyRow } from '../rows.js';
import { guardHosts, PHOTOS, type ResourceServer } from './support/guard-hosts.js';

const METHODS = ['client_secret_basic', 'client_secret_post', 'bearer'] as const;

const NO_TOKEN = 'Bearer realm="oauth"';

/** Each framework in front of an authorization server on another one, which is mounted at the root or below a path. */
const PAIRS = guardHosts.flatMap((site, index) => {
  const authorizationServer = oneHostEach[(index + 1) % oneHostEach.length];
  return authorizationServer === undefined
    ? []
    : [{ name: site.name, other: authorizationServer.name, site, authorizationServer }];
});

describe.each(PAIRS)('introspectionVerifier on $name with our server on $other', ({ site, authorizationServer }) => {
  const odd = {
    client_id: 'a:b c%',
    client_secret: 'p+s:w %d',
    scope: 'introspect',
    introspect: true,
    grant_types: ['client_credentials'],
  } as const;
  const { options, errors, advance, clock } = fixture({ resources: [PHOTOS], clients: [odd] });
  const failures: unknown[] = [];
  const sites = new Map<string, ResourceServer>();
  let running: RunningHost;
  let flows: Flows;

  beforeAll(async () => {
    running = await authorizationServer.start({ options });
    flows = new Flows(running);
    const start = async (
      name: string,
      credentials: IntrospectionCredentials,
      more: object = { issuer: running.base },
    ) => {
      sites.set(
        name,
        await site.start({ introspection: { credentials, clock, onError: (error) => failures.push(error), ...more } }),
      );
    };
    for (const method of METHODS) await start(method, { client_id: 'api', client_secret: 'api-secret', method });
    for (const method of METHODS)
      await start(`odd ${method}`, { client_id: odd.client_id, client_secret: odd.client_secret, method });
    const endpoints = { endpoint: `${running.base}/oauth/introspect`, tokenEndpoint: `${running.base}/oauth/token` };
    await start('endpoints', { client_id: 'api', client_secret: 'api-secret', method: 'bearer' }, endpoints);
    await start(
      'photos',
      { client_id: 'api', client_secret: 'api-secret' },
      { issuer: running.base, audience: ['https://more.example', PHOTOS] },
    );
    await start(
      'every time',
      { client_id: 'api', client_secret: 'api-secret' },
      { issuer: running.base, cacheSeconds: 0 },
    );
    await start('stranger', { client_id: 'service', client_secret: 'service-secret' });
    await start('unprivileged', { client_id: 'service', client_secret: 'service-secret', method: 'bearer' });
    await start('wrong secret', { client_id: 'web', client_secret: 'wrong' });
  });
  afterAll(async () => {
    for (const server of sites.values()) server.close();
    await running.close();
    expect(errors).toEqual([]);
    expect(failures).toEqual([]);
  });

  const at = (name: string): ResourceServer => sites.get(name) ?? expect.fail(`There is no site ${name}.`);

  test('#109 with every authentication method, it returns the authorization of a live token, and rejects others (RFC 7662 §2)', () =>
    everyRow([...METHODS, 'endpoints', ...METHODS.map((method) => `odd ${method}`)], async (name) => {
      const { access_token, refresh_token } = await flows.tokens('web', { scope: 'profile' }, 'carol');
      const { active: _, ...authorization } = (await flows.introspect(access_token)).json;
      expect((await at(name).get('profile', access_token)).json).toEqual({ auth: authorization });
      expect(refusal(await at(name).get('write', access_token))).toEqual([403, 'insufficient_scope']);
      for (const token of [refresh_token, 'unknown', `${access_token.slice(0, -1)}~`]) {
        expect(refusal(await at(name).get('open', token))).toEqual([401, 'invalid_token']);
      }
      const without = await at(name).getWith('Basic xyz');
      expect([without.status, without.headers['www-authenticate']]).toEqual([401, NO_TOKEN]);
    }));

  test('#104 a token is only accepted for its audience: the issuer, the resource of the route, or those of the guard (RFC 9068 §4)', async () => {
    const { access_token: forIssuer } = await flows.tokens('web', { scope: 'profile content.read' });
    const { access_token: forPhotos } = await flows.tokens('web', { scope: 'profile content.read', resource: PHOTOS });
    const statuses = async (name: string, token: string) =>
      Promise.all((['open', 'photos'] as const).map(async (route) => (await at(name).get(route, token)).status));
    expect(await statuses('client_secret_basic', forIssuer)).toEqual([200, 401]);
    expect(await statuses('client_secret_basic', forPhotos)).toEqual([401, 200]);
    expect(await statuses('endpoints', forIssuer)).toEqual([200, 401]);
    expect(await statuses('endpoints', forPhotos)).toEqual([401, 200]);
    expect(await statuses('photos', forIssuer)).toEqual([401, 401]);
    expect(await statuses('photos', forPhotos)).toEqual([200, 200]);
  });

  test('#109 a revoked token is rejected after at most ten seconds, and immediately without a cache', async () => {
    const { access_token } = await flows.tokens('web');
    const statuses = () =>
      Promise.all(['bearer', 'every time'].map(async (name) => (await at(name).get('open', access_token)).status));
    expect(await statuses()).toEqual([200, 200]);
    await flows.revoke('web', access_token);
    expect(await statuses()).toEqual([200, 401]);
    advance(9);
    expect(await statuses()).toEqual([200, 401]);
    advance(1);
    expect(await statuses()).toEqual([401, 401]);
  });

  test('#109 an expired token is rejected at its exact second, even if it is cached', async () => {
    const { access_token } = await flows.tokens('web');
    advance(3595);
    expect((await at('client_secret_basic').get('open', access_token)).status).toBe(200);
    advance(4);
    expect((await at('client_secret_basic').get('open', access_token)).status).toBe(200);
    advance(1);
    expect(refusal(await at('client_secret_basic').get('open', access_token))).toEqual([401, 'invalid_token']);
  });

  test('#91 a resource server that may only see its own tokens accepts no others', async () => {
    const { access_token } = await flows.tokens('web');
    const own = await flows.ownTokens();
    expect(refusal(await at('stranger').get('open', access_token))).toEqual([401, 'invalid_token']);
    expect((await at('stranger').get('open', own.access_token)).status).toBe(200);
  });

  test('#109 without a token with the scope, or with a wrong secret: 503, and onError receives the reason', async () => {
    const { access_token } = await flows.tokens('web');
    for (const [name, reason] of [
      ['unprivileged', 'UnavailableError: The token endpoint answered 400 invalid_scope.'],
      [
        'wrong secret',
        'UnavailableError: The introspection endpoint answered 401 invalid_client. Check options.credentials.',
      ],
    ] as const) {
      const answer = await at(name).get('open', access_token);
      expect([answer.status, answer.headers['retry-after'], answer.json['error']]).toEqual([
        503,
        '5',
        'temporarily_unavailable',
      ]);
      expect(failures.splice(0).map(String)).toEqual([reason]);
    }
  });
});
