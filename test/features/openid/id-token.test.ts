import { createHash } from 'node:crypto';
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, type JSONWebKeySet, jwtVerify, SignJWT } from 'jose';
import { openIdConnect } from 'oauth-query/openid';
import { beforeAll, describe, expect, test } from 'vitest';
import { bearer, Client, hostFor, useHost } from '../../hosts.js';
import { DEVICE_CODE, fixture } from '../../oauth/support/fixture.js';
import { Flows } from '../../oauth/support/tokens.js';
import { everyRow } from '../../rows.js';
import { rsaPair } from '../../rsa.js';
import { ALICE, openIdFixture, P256, RSA, rpsAt, signInto, verified } from './support.js';

describe.each(hostFor(import.meta.url))('ID tokens on $name', (host) => {
  let fails = false;
  const { options, errors, store, events, advance, clock } = openIdFixture({
    claims: (_sub, names) => {
      if (fails) throw new Error('the directory is away');
      return Object.fromEntries(Object.entries(ALICE).filter(([name]) => names.includes(name)));
    },
  });
  const warnings: string[] = [];
  const running = useHost(host, { options: { ...options, onWarning: (text) => warnings.push(text) } }, errors);
  const flows = rpsAt(running);
  const check = (given: unknown, audience = 'rp') => verified(given, { issuer: running.base, audience, now: clock() });

  test('O4, O18: the token answer has one with openid, and none without', async () => {
    expect(await signInto(flows, 'rp', { scope: 'content.read' })).not.toHaveProperty('id_token');
    const { id_token, scope } = await signInto(flows, 'rp', { scope: 'openid content.read' });
    expect(scope).toBe('openid content.read');
    await check(id_token);
  });

  test('O19, O21, O22, O25, O26, O27: its header and claims are those of the standard', async () => {
    const began = Math.floor(clock() / 1000);
    const { id_token, access_token } = await signInto(flows, 'rp', { nonce: 'n-0S6_WzA2Mj"é'.replace('é', '~') });
    const { claims, header } = await check(id_token);
    expect(header).toEqual({ alg: 'RS256', typ: 'JWT', kid: expect.any(String) });
    const half = createHash('sha256').update(String(access_token)).digest().subarray(0, 16).toString('base64url');
    expect(claims).toEqual({
      iss: running.base,
      sub: 'alice',
      aud: 'rp',
      iat: began,
      exp: began + 3600,
      auth_time: began,
      amr: ['pwd'],
      nonce: 'n-0S6_WzA2Mj"~',
      at_hash: half,
    });
    expect((await check((await signInto(flows, 'rp')).id_token)).claims).not.toHaveProperty('nonce');
  });

  test('O14, O22, O27: a client gets the algorithm of its registration', () =>
    everyRow(
      [
        ['es', 'ES256', 'sha256'],
        ['ed', 'EdDSA', 'sha512'],
      ] as const,
      async ([client_id, alg, digest]) => {
        const { id_token, access_token } = await signInto(flows, client_id);
        const { claims, header } = await check(id_token, client_id);
        expect(header['alg']).toBe(alg);
        const hash = createHash(digest).update(String(access_token)).digest();
        expect(claims['at_hash']).toBe(hash.subarray(0, hash.length / 2).toString('base64url'));
      },
    ));

  test('O24: auth_time is that of the sign-in, for two applications and at any later time', async () => {
    const first = (await check((await signInto(flows, 'rp')).id_token)).claims.auth_time;
    advance(100);
    const again = (await check((await signInto(flows, 'rp')).id_token)).claims.auth_time;
    const other = (await check((await signInto(flows, 'app')).id_token, 'app')).claims.auth_time;
    expect([again, other]).toEqual([first, first]);
  });

  test('O30, O66: the claims of the granted scopes are in it, each scope alone', () =>
    everyRow(
      [
        ['openid', []],
        ['openid profile', ['name', 'preferred_username', 'updated_at']],
        ['openid email', ['email', 'email_verified']],
        ['openid address', ['address']],
        ['openid phone', ['phone_number', 'phone_number_verified']],
        ['openid groups', ['groups']],
      ] as const,
      async ([scope, names]) => {
        const { claims } = await check((await signInto(flows, 'rp', { scope })).id_token);
        const own = Object.keys(claims).filter((name) => name in ALICE);
        expect(new Set(own)).toEqual(new Set<string>(names));
      },
    ));

  test('O31: a refresh brings a new one without nonce; narrowed to other scopes, it brings none', async () => {
    const first = await signInto(flows, 'app', { scope: 'openid email content.read', nonce: 'once' });
    advance(50);
    const second = await flows.refreshed('app', String(first['refresh_token']));
    const [one, two] = [await check(first['id_token'], 'app'), await check(Reflect.get(second, 'id_token'), 'app')];
    expect(two.claims).toEqual({
      ...Object.fromEntries(Object.entries(one.claims).filter(([name]) => name !== 'nonce')),
      ...{ iat: (one.claims.iat ?? 0) + 50, exp: (one.claims.exp ?? 0) + 50, at_hash: two.claims['at_hash'] },
    });
    expect(two.claims).not.toHaveProperty('azp');
    const narrow = await flows.refreshed('app', second.refresh_token, { scope: 'content.read' });
    expect(narrow).not.toHaveProperty('id_token');
  });

  test('O32: a refresh repeated in the grace window gets the same claims', async () => {
    const { refresh_token } = await signInto(flows, 'app');
    const first = await flows.refreshed('app', String(refresh_token));
    advance(5);
    const again = await flows.refreshed('app', String(refresh_token));
    expect(decodeJwt(String(Reflect.get(again, 'id_token')))).toEqual(
      decodeJwt(String(Reflect.get(first, 'id_token'))),
    );
  });

  test('O68: the claims function fails → 503, and the same code and refresh token work afterwards', async () => {
    const code = await flows.code('app', { scope: 'openid email' });
    fails = true;
    expect((await flows.redeem('app', code)).status).toBe(503);
    fails = false;
    const { json, status } = await flows.redeem('app', code);
    expect(status).toBe(200);
    fails = true;
    expect((await flows.refresh('app', String(json['refresh_token']))).status).toBe(503);
    fails = false;
    expect((await flows.refresh('app', String(json['refresh_token']))).status).toBe(200);
    expect(errors.splice(0).map(String)).toEqual(
      Array.from({ length: 2 }, () => 'UnavailableError: openIdConnect: options.claims failed.'),
    );
  });

  test('O28: it is no access token, at a guard, at userinfo, at introspection or as an assertion', async () => {
    const { id_token } = await signInto(flows, 'rp', { scope: 'openid profile' });
    const token = String(id_token);
    const client = new Client(running.base);
    expect((await new Client(running.origin).get('/guarded/profile', bearer(token))).status).toBeGreaterThanOrEqual(
      401,
    );
    expect((await client.get('/oauth/userinfo', bearer(token))).status).toBe(401);
    expect((await flows.introspect(token)).json).toEqual({ active: false });
    const assertion = {
      grant_type: 'client_credentials',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: token,
    };
    expect((await client.post('/oauth/token', assertion)).status).toBe(401);
  });

  test('O56: a device gets one without nonce, about the sign-in of the owner who allowed it', async () => {
    const { json } = await flows.post('/oauth/device', 'tele', { scope: 'openid email' });
    await flows.browser().decideDevice(String(json['user_code']));
    const answer = await flows.token('tele', { grant_type: DEVICE_CODE, device_code: String(json['device_code']) });
    const { claims } = await check(answer.json['id_token'], 'tele');
    expect(claims).toMatchObject({ sub: 'alice', email: ALICE.email, auth_time: expect.any(Number) });
    expect(claims).not.toHaveProperty('nonce');
  });

  test('O53: a confidential client without PKCE, one with its secret in the body, and a public one with PKCE', async () => {
    const browser = flows.browser();
    const plain = { response_type: 'code', scope: 'openid', nonce: 'x', state: 's' };
    const at = 'https://post.example/cb';
    const { location = '' } = (await browser.authorizeFor({ ...plain, client_id: 'post', redirect_uri: at })).headers;
    const code = new URL(location).searchParams.get('code') ?? '';
    const body = { grant_type: 'authorization_code', code, redirect_uri: at };
    const secret = { client_id: 'post', client_secret: 'post-secret' };
    const { json } = await new Client(running.base).post('/oauth/token', { ...body, ...secret });
    expect((await check(json['id_token'], 'post')).claims['nonce']).toBe('x');
    const refused = await browser.authorize({ ...plain, client_id: 'app', redirect_uri: 'http://127.0.0.1:4711/cb' });
    expect(refused.headers.location).toContain('error=invalid_request');
  });

  test('O73: no claim is stored or told in an event, and erasing an owner leaves no fact', async () => {
    await signInto(flows, 'rp', { scope: 'openid profile email address phone groups', nonce: 'nonce-of-the-code' });
    const kept = JSON.stringify([...store.entries()]);
    expect(kept).toContain('auth_time');
    for (const secret of [ALICE.name, ALICE.email, ALICE.phone_number, 'England', 'readers'])
      expect([kept.includes(secret), JSON.stringify(events).includes(secret)]).toEqual([false, false]);
    await running.owners.erase('alice');
    expect(JSON.stringify([...store.entries()])).not.toMatch(/auth_time|"amr"/);
  });

  test('O74: introspection shows auth_time and acr, and never a claim', async () => {
    const { access_token } = await signInto(flows, 'rp', { scope: 'openid email' });
    const { json } = await flows.introspect(String(access_token));
    expect(json).toMatchObject({ active: true, auth_time: expect.any(Number) });
    expect(json).not.toHaveProperty('email');
  });
});

describe.each(hostFor(`${import.meta.url}2`))('claims of the application on $name', (host) => {
  let answer: () => unknown = () => ({});
  const asked: unknown[] = [];
  const { options, errors } = openIdFixture({
    idTokenClaims: 'minimal',
    claims: (sub, names, request) => {
      asked.push([sub, names, request]);
      return answer() as Record<string, unknown>;
    },
  });
  const warnings: string[] = [];
  let token = '';
  const running = useHost(host, { options: { ...options, onWarning: (text) => warnings.push(text) } }, errors);
  const flows = rpsAt(running);
  beforeAll(async () => {
    token = String((await signInto(flows, 'rp', { scope: 'openid email' }))['access_token']);
  });
  const userinfo = () => new Client(running.base).get('/oauth/userinfo', bearer(token));

  test('O30, O67: minimal ID tokens ask for nothing; userinfo asks for the granted names only', async () => {
    expect(asked).toEqual([]);
    answer = () => ({ email: 'a@example.org' });
    expect((await userinfo()).json).toEqual({ email: 'a@example.org', sub: 'alice' });
    const request = { client_id: 'rp', scope: 'openid email', username: 'alice', use: 'userinfo' };
    expect(asked).toEqual([['alice', ['email', 'email_verified'], request]]);
  });

  test('O60, O67: absent and empty values are left out, names not asked for are dropped with one warning', async () => {
    answer = () => ({ email: '', email_verified: null, name: 'Alice', sub: 'alice', groups: undefined });
    warnings.length = 0;
    expect((await userinfo()).json).toEqual({ sub: 'alice' });
    expect((await userinfo()).json).toEqual({ sub: 'alice' });
    expect(warnings).toEqual([expect.stringContaining('"name"')]);
  });

  test('O61, O67: a wrong answer is a 503 without its details', () =>
    everyRow(
      [
        [undefined, /must return an object/],
        [{ sub: 'bob' }, /different owner/],
        [{ email: 7 }, /email must be a string/],
        [{ email_verified: 'true' }, /email_verified must be true or false/],
        [{ email: 'x'.repeat(4097) }, /more than 4096/],
      ] as const,
      async ([wrong, problem]) => {
        answer = () => wrong;
        const { status, text } = await userinfo();
        expect(status).toBe(503);
        expect(text).not.toMatch(problem);
        expect(String((errors.splice(0)[0] as Error).cause)).toMatch(problem);
      },
    ));
});

test('O13: ID tokens and access tokens are verified with the published keys, whether or not they share one; each is listed once', () =>
  everyRow(
    [
      [RSA, 3],
      [rsaPair('another').privateKey, 4],
    ] as const,
    async ([key, count]) => {
      const [host] = hostFor(import.meta.url);
      const { options, clock } = openIdFixture({}, { jwt: [{ key }] });
      const running = await host.start({ options });
      const set = (await new Client(running.base).get('/oauth/jwks')).json as unknown as JSONWebKeySet;
      expect([set.keys.length, new Set(set.keys.map(({ kid }) => kid)).size]).toEqual([count, count]);
      for (const client_id of ['rp', 'es']) {
        const { access_token, id_token } = await signInto(rpsAt(running), client_id);
        for (const token of [access_token, id_token]) {
          const verification = jwtVerify(String(token), createLocalJWKSet(set), { currentDate: new Date(clock()) });
          expect((await verification).payload).toMatchObject({ sub: 'alice' });
        }
      }
    },
  ));

test('O12: of keys that a function returns, those for RS256 sign and are published', async () => {
  const [host] = hostFor(import.meta.url);
  const keys = [
    { key: RSA, kid: 'one' },
    { key: P256, kid: 'one' },
  ];
  const rp = { client_id: 'rp', client_secret: 'rp-secret', redirect_uris: ['https://rp.example/cb'], scope: 'openid' };
  const running = await host.start(fixture({ clients: [rp], features: [openIdConnect({ keys: () => keys })] }));
  const { id_token } = await signInto(new Flows(running, [rp]), 'rp');
  const { header } = await verified(id_token, { issuer: running.base, audience: 'rp' });
  expect(header).toMatchObject({ alg: 'RS256', kid: 'one' });
  const published = (await new Client(running.base).get('/oauth/jwks')).json as unknown as JSONWebKeySet;
  expect(published.keys).toEqual([expect.objectContaining({ kty: 'RSA', kid: 'one' })]);
});

test('O28: a signed access token is no id_token_hint, and no private part of a key is published', async () => {
  const [host] = hostFor(import.meta.url);
  const running = await host.start(openIdFixture({}, { jwt: [{ key: RSA }] }));
  const flows = rpsAt(running);
  const { access_token, id_token } = await signInto(flows, 'rp');
  const { keys } = (await new Client(running.base).get('/oauth/jwks')).json as { keys: Record<string, unknown>[] };
  expect(new Set(keys.map(({ kty }) => kty))).toEqual(new Set(['EC', 'OKP', 'RSA']));
  expect(keys.some((key) => 'd' in key || 'p' in key)).toBe(false);
  expect(decodeJwt(String(access_token))).toMatchObject({ auth_time: expect.any(Number) });
  const foreign = await new SignJWT({ ...decodeJwt(String(id_token)) })
    .setProtectedHeader({ ...decodeProtectedHeader(String(id_token)), alg: 'RS256' })
    .sign(rsaPair('another').privateKey);
  const ask = (id_token_hint: string) =>
    flows.browser().authorize({
      ...{ client_id: 'rp', response_type: 'code', scope: 'openid', redirect_uri: 'https://rp.example/cb' },
      id_token_hint,
    });
  const [, payload, signature] = String(id_token).split('.');
  // Node 22 and later fail on a key of another kind instead of saying that the signature is wrong.
  const otherKinds = keys.flatMap(({ kid }) =>
    ['ES256', 'EdDSA', 'RS256'].map((alg) =>
      [btoa(JSON.stringify({ typ: 'JWT', alg, kid })), payload, signature].join('.'),
    ),
  );
  for (const wrong of [
    ...[String(access_token), foreign, 'x.y.z', `${String(id_token).slice(0, -8)}AAAAAAAA`],
    ...otherKinds.map((token) => token.replaceAll('=', '')),
  ])
    expect((await ask(wrong)).headers.location).toContain('error=invalid_request');
  expect((await ask(String(id_token))).status).toBe(200);
});

test('O3, O8, O14, O16, O29: mistakes stop the start, with the option and the remedy', async () => {
  const [host] = hostFor(import.meta.url);
  const start = (
    own: object,
    openid: () => ReturnType<typeof openIdConnect> = () => openIdConnect({ keys: [{ key: RSA }] }),
  ) => {
    const { options } = fixture();
    return host?.start({ options: { ...options, ...own, features: [openid()] } });
  };
  const away = { issuer: 'https://op.example' };
  await everyRow(
    [
      [{ issuer: undefined }, undefined, /options.issuer/],
      [{ secret: undefined }, undefined, /options.secret/],
      [{ users: undefined }, undefined, /options.users/],
      [away, () => openIdConnect(), /openIdConnect: options.keys is missing.*oauth-query key/],
      [{}, () => openIdConnect({ keys: [] }), /openIdConnect: options\.keys must contain at least one key/],
      [{}, () => openIdConnect({ keys: [{ key: undefined as never }] }), /keys\[0\].*environment variable/],
      [
        {},
        () =>
          openIdConnect({
            keys: [
              { key: RSA, kid: 'a' },
              { key: P256, kid: 'a' },
            ],
          }),
        /the same kid twice/,
      ],
      [{}, () => openIdConnect({ scopes: { groups: ['groups'] } }), /options.scopes does not describe/],
      [{}, () => openIdConnect({ scopes: { groups: true } }), /name its claims/],
      [{}, () => openIdConnect({ claim: () => ({}) } as never), /Did you mean/],
      [{ metadata: { userinfo_endpoint: 'https://x' } }, undefined, /options.metadata.userinfo_endpoint/],
      [
        {
          clients: [{ client_id: 'x', redirect_uris: ['https://x.example/cb'], id_token_signed_response_alg: 'ES256' }],
        },
        undefined,
        /no key/,
      ],
      [
        {
          clients: [{ client_id: 'x', redirect_uris: ['https://x.example/cb'], id_token_signed_response_alg: 'none' }],
        },
        undefined,
        /id_token_signed_response_alg/,
      ],
    ] as const,
    async ([own, openid, problem]) => {
      await expect((async () => start(own, openid))()).rejects.toThrow(problem);
    },
  );
});
