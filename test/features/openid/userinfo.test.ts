import { decodeJwt } from 'jose';
import { openIdConnect } from 'oauth-query/openid';
import { describe, expect, test } from 'vitest';
import { bearer, Client, hostFor, useHost } from '../../hosts.js';
import { ALICE, ED25519, openIdFixture, P256, RSA, rpsAt, signInto } from './support.js';

const API = 'https://api.example';
const WIDE = 'openid profile email address phone groups';

describe.each(hostFor(import.meta.url))('userinfo on $name', (host) => {
  const active = new Set(['alice']);
  const { options, errors, advance } = openIdFixture(
    {},
    {
      resources: [API],
      users: {
        authenticate: (username) => ({ sub: username, username }),
        isActive: (sub) => active.has(sub),
      },
      cors: ['https://spa.example'],
    },
  );
  const running = useHost(host, { options }, errors);
  const other = useHost(host, { options: () => ({ ...options, issuer: running.base }) });
  const flows = rpsAt(running);
  const read = (headers: Record<string, string>, at = running) => new Client(at.base).get('/oauth/userinfo', headers);

  test('O59, O60: GET and POST with the header, POST with a form; uncached JSON with the sub of the ID token', async () => {
    const { access_token, id_token } = await signInto(flows, 'rp', { scope: WIDE });
    const token = String(access_token);
    const client = new Client(running.base);
    const answers = [
      await read(bearer(token)),
      await client.request('/oauth/userinfo', { method: 'POST', headers: bearer(token) }),
      await client.post('/oauth/userinfo', {}, bearer(token)),
      await client.post('/oauth/userinfo', { access_token: token }),
    ];
    for (const { status, json, headers } of answers) {
      expect({ status, json }).toEqual({ status: 200, json: { ...ALICE, sub: decodeJwt(String(id_token)).sub } });
      expect(headers).toMatchObject({ 'cache-control': 'no-store' });
      expect(headers['content-type']).toMatch(/^application\/json/);
    }
  });

  test('O59, O61: two places, a query, no token, a bad one, no openid, a token of a client', async () => {
    const { access_token } = await signInto(flows, 'rp');
    const token = String(access_token);
    const plain = await signInto(flows, 'rp', { scope: 'content.read' });
    const own = await flows.ownTokens();
    const client = new Client(running.base);
    const answers = [
      [await client.post('/oauth/userinfo', { access_token: token }, bearer(token)), 400, /invalid_request/],
      [await client.get(`/oauth/userinfo?access_token=${token}`), 401, /^Bearer realm="oauth"$/],
      [await client.get('/oauth/userinfo'), 401, /^Bearer realm="oauth"$/],
      [await read(bearer('bad')), 401, /invalid_token/],
      [await read(bearer(String(plain['access_token']))), 403, /insufficient_scope.*scope="openid"/],
      [await read(bearer(own.access_token)), 403, /insufficient_scope/],
    ] as const;
    for (const [{ status, headers }, expected, challenge] of answers) {
      expect(status).toBe(expected);
      expect(headers['www-authenticate']).toMatch(challenge);
    }
    expect((await new Client(running.base).get('/oauth/userinfo/emails')).headers['content-type']).not.toBe(
      'text/html',
    );
  });

  test('O54, O61, O62, O72: an expired token, a revoked grant, a code used twice and a disabled owner are refused in every process', async () => {
    const tokens = [await signInto(flows, 'app'), await signInto(flows, 'app'), await signInto(flows, 'app')];
    const [disabled, revoked, expired] = tokens.map(({ access_token }) => bearer(String(access_token)));
    active.clear();
    for (const at of [running, other]) expect((await read(disabled ?? {}, at)).status).toBe(401);
    active.add('alice');
    expect((await read(disabled ?? {}, other)).status).toBe(200);
    await running.grants.revoke({ sub: 'alice', client_id: 'app' });
    for (const at of [running, other]) expect((await read(revoked ?? {}, at)).status).toBe(401);
    expect((await flows.refresh('app', String(tokens[1]?.['refresh_token']))).status).toBe(400);
    const code = await flows.code('app', { scope: 'openid' });
    const first = (await flows.redeem('app', code)).json;
    await flows.redeem('app', code);
    expect((await read(bearer(String(first['access_token'])))).status).toBe(401);
    const { access_token } = await signInto(flows, 'app');
    advance(3601);
    expect((await read(bearer(String(access_token)))).status).toBe(401);
    expect((await read(expired ?? {})).status).toBe(401);
  });

  test('O63: a token for another resource does not answer, and its ID token has the claims instead', async () => {
    const { access_token, id_token } = await signInto(flows, 'rp', { scope: 'openid email', resource: API });
    const { status, headers } = await read(bearer(String(access_token)));
    expect(status).toBe(401);
    expect(headers['www-authenticate']).toContain(`resource=${running.base}`);
    expect(decodeJwt(String(id_token))).toMatchObject({ email: ALICE.email });
    const both = await signInto(flows, 'rp', { scope: 'openid email', resource: [API, running.base] });
    expect((await read(bearer(String(both['access_token'])))).json).toMatchObject({ email: ALICE.email });
  });

  test('O65: scripts of allowed origins may call it, and read the challenge', async () => {
    const client = new Client(running.base);
    const origin = { origin: 'https://spa.example' };
    const preflight = await client.request('/oauth/userinfo', { method: 'OPTIONS', headers: origin });
    expect(preflight.headers['access-control-allow-headers']).toContain('authorization');
    const refused = await client.get('/oauth/userinfo', origin);
    expect(refused.headers).toMatchObject({
      ...{ 'access-control-allow-origin': 'https://spa.example', 'access-control-expose-headers': 'www-authenticate' },
    });
  });

  test('O57: grants without a sign-in here never lead to an ID token', async () => {
    for (const scope of ['openid', 'profile', 'email'])
      expect((await flows.token('service', { grant_type: 'client_credentials', scope })).json).toMatchObject({
        error: 'invalid_scope',
      });
  });
});

test('O62, O67: an owner without a claims function is known by the user name', async () => {
  const [host] = hostFor(import.meta.url);
  const openid = openIdConnect({
    scopes: { address: true, phone: true },
    keys: [{ key: RSA }, { key: P256 }, { key: ED25519 }],
  });
  const { options } = openIdFixture();
  const running = await host.start({ options: { ...options, features: [openid] } });
  const { access_token } = await signInto(rpsAt(running), 'rp', { scope: 'openid profile email' });
  const { json } = await new Client(running.base).get('/oauth/userinfo', bearer(String(access_token)));
  expect(json).toEqual({ sub: 'alice', preferred_username: 'alice' });
});
