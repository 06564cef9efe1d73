import { generateKeyPairSync } from 'node:crypto';
import express from 'express';
import { remoteGuard } from 'oauth-query/express';
import { introspectionVerifier, jwtVerifier } from 'oauth-query/guard';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { basic, bearer, Client, eachFramework, type RunningHost } from '../hosts.js';
import { listen } from '../hosts/listen.js';
import { fixture } from '../oauth/support/fixture.js';
import { Flows } from '../oauth/support/tokens.js';
import { tenants } from './tenants.js';

const KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
type Json = Readonly<Record<string, unknown>> | undefined;

const TENANTS: Readonly<Record<string, string>> = { alice: 'red', bob: 'blue' };

describe.each(
  eachFramework.flatMap((host) => ([false, true] as const).map((isJwt) => ({ host, isJwt, name: host.name }))),
)('a feature of a third party adds a claim on $name, signed tokens: $isJwt', ({ host, isJwt }) => {
  let running: RunningHost;
  let flows: Flows;
  let api: Client;
  let asked: string[] = [];
  const closing: (() => unknown)[] = [];
  const all = fixture({
    features: [
      tenants((sub) => {
        asked.push(sub);
        return TENANTS[sub] ?? 'none';
      }),
    ],
    clients: [
      { client_id: 'reader', client_secret: 'reader-secret', grant_types: ['client_credentials'], introspect: true },
      {
        client_id: 'ancient',
        client_secret: 'ancient-secret',
        grant_types: ['password', 'refresh_token'],
        scope: 'profile',
      },
    ],
    grants: ['authorization_code', 'client_credentials', 'refresh_token', 'password', 'device_code'],
    ...(isJwt && { jwt: [{ key: KEY }] }),
  });
  beforeAll(async () => {
    running = await host.start({ options: all.options });
    flows = new Flows(running);
    const { base } = running;
    const credentials = { client_id: 'reader', client_secret: 'reader-secret' };
    const verifier = isJwt
      ? jwtVerifier({ issuer: base, clock: all.clock, features: [tenants(() => '')] })
      : introspectionVerifier({ issuer: base, credentials, cacheSeconds: 0, clock: all.clock });
    const app = express();
    app.get('/mine', remoteGuard(verifier).any(), (req, res) => void res.json(req.auth.claims ?? null));
    const server = await listen(app);
    api = new Client(server.origin);
    closing.push(
      () => server.close(),
      () => running.close(),
    );
  });
  afterAll(async () => {
    for (const close of closing) await close();
    expect(all.errors).toEqual([]);
  });

  const seen = async (token: unknown) => {
    const headers = bearer(String(token));
    const { tenant } = (await flows.introspect(String(token))).json;
    return [
      tenant,
      (await flows.client.get('/oauth/tenant', headers)).json,
      ((await new Client(running.origin).get('/guarded/profile', headers)).json['auth'] as Json)?.['claims'],
      (await api.get('/mine', headers)).json,
    ];
  };
  const everywhere = (tenant: string) => [tenant, { tenant }, { tenant }, { tenant }];

  test('for a code, and for each refresh anew', async () => {
    const first = (await flows.redeem('web', await flows.code('web'))).json;
    expect(first).toMatchObject({ tenant: 'red', token_type: 'Bearer' });
    expect(await seen(first['access_token'])).toEqual(everywhere('red'));
    asked = [];
    const second = (await flows.refresh('web', String(first['refresh_token']))).json;
    expect([second['tenant'], asked]).toEqual(['red', ['alice']]);
    expect(await seen(second['access_token'])).toEqual(everywhere('red'));
  });

  test('for oauth.issue and for a password', async () => {
    const issued = await running.issue({ sub: 'bob', client_id: 'web', scope: 'profile' });
    expect(issued).toMatchObject({ tenant: 'blue' });
    expect(await seen(issued.access_token)).toEqual(everywhere('blue'));
    const form = { grant_type: 'password', username: 'alice', password: 'wonderland' };
    const given = await flows.client.post('/oauth/token', form, basic('ancient', 'ancient-secret'));
    expect(given.json).toMatchObject({ tenant: 'red' });
    expect(await seen(given.json['access_token'])).toEqual(everywhere('red'));
  });

  test('a token of a client itself has none, and says so', async () => {
    const form = { grant_type: 'client_credentials' };
    const own = (await flows.client.post('/oauth/token', form, basic('reader', 'reader-secret'))).json;
    expect(own).not.toHaveProperty('tenant');
    const [introspected, told] = await seen(own['access_token']);
    expect([introspected, told]).toEqual([undefined, {}]);
  });

  test('its path answers other methods and requests without a token like any other', async () => {
    const other = await flows.client.request('/oauth/tenant', { method: 'DELETE' });
    expect([other.status, other.headers['allow']]).toEqual([405, 'GET, HEAD']);
    expect((await flows.client.get('/oauth/tenant')).status).toBe(401);
  });
});
