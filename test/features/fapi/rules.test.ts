import { createPublicKey, randomUUID } from 'node:crypto';
import { customGrant } from 'oauth-query';
import { assertions } from 'oauth-query/assertions';
import { fapi2 } from 'oauth-query/fapi';
import { jwtVerifier } from 'oauth-query/guard';
import { tokenExchange } from 'oauth-query/token-exchange';
import { describe, expect, test } from 'vitest';
import { APP, CALLBACK as APP_CALLBACK, DOCUMENT, Publisher } from '../../clients/support/publisher.js';
import { type Answer, hostFor } from '../../hosts.js';
import { PKCE, responseOf } from '../../oauth/support/browser.js';
import { DEVICE_CODE } from '../../oauth/support/fixture.js';
import { es256, mint, newKey } from '../../oauth/support/jwt.js';
import { refusal } from '../../oauth/support/tokens.js';
import { everyRow } from '../../rows.js';
import { rsaPair } from '../../rsa.js';
import { P256 } from '../openid/support.js';
import { CALLBACK, jwksOf, REQUEST, startFapi, useFapi } from './site.js';

const TICKET = 'https://bank.example/grants/ticket';
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const ACCOUNTS = 'https://accounts.example';
const FRIEND = 'https://friend.example';

const partnerKey = newKey();
const partner = {
  issuer: 'https://partner.example',
  jwks: { keys: [{ ...createPublicKey(partnerKey).export({ format: 'jwk' }) }] },
};

/** A client with every grant. */
const EVERYTHING = {
  client_id: 'everything',
  jwks: jwksOf('bank'),
  redirect_uris: [CALLBACK],
  grant_types: [
    'authorization_code',
    'refresh_token',
    'client_credentials',
    'device_code',
    TICKET,
    EXCHANGE,
    JWT_BEARER,
  ],
  scope: 'profile content.read',
  default_scope: 'content.read',
} as const;

const USUAL = { jwks: jwksOf('bank'), redirect_uris: [CALLBACK], scope: 'profile', default_scope: 'profile' } as const;
const { jwks: _, ...WITHOUT_KEYS } = USUAL;

/** Rows of a table: what contradicts the profile, and the reason that the application reads. */
const ROWS: Readonly<Record<string, readonly [row: object, reason: string]>> = {
  'row-public': [WITHOUT_KEYS, 'it is a public client'],
  'row-secret': [{ ...WITHOUT_KEYS, client_secret: 's'.repeat(40) }, 'client_secret_basic or client_secret_post'],
  'row-rotating': [{ ...USUAL, refresh: 'rotating' }, "refresh is 'rotating'"],
  'row-plain': [{ ...USUAL, code_challenge_methods: ['S256', 'plain'] }, 'code_challenge_methods has plain'],
  'row-id-token': [{ ...USUAL, id_token_signed_response_alg: 'RS256' }, 'id_token_signed_response_alg is RS256'],
  'row-assertion': [{ ...USUAL, token_endpoint_auth_signing_alg: 'RS256' }, 'token_endpoint_auth_signing_alg is RS256'],
};
const registry = {
  find: (client_id: string) => {
    if (client_id === 'row') return { client_id, ...USUAL };
    const [row] = ROWS[client_id] ?? [];
    return row && { client_id, ...row };
  },
};

const document = (more: object) => ({ ...DOCUMENT, ...more });
const publisher = new Publisher(document({ token_endpoint_auth_method: 'private_key_jwt', jwks: jwksOf('bank') }));
const OPEN_APP = 'https://open.example.org/client.json';
publisher.published.set(OPEN_APP, document({ client_id: OPEN_APP, redirect_uris: ['https://open.example.org/cb'] }));

describe.each(hostFor(import.meta.url))('rules of FAPI 2.0 on $name', (host) => {
  const site = useFapi(host, {
    cors: [FRIEND],
    resources: [ACCOUNTS],
    others: [EVERYTHING, registry, publisher.registry()],
    features: [
      customGrant(TICKET, { handle: () => ({ sub: 'alice' }) }),
      tokenExchange({ from: { everything: { resources: [ACCOUNTS], own: true } } }),
      assertions({ issuers: [{ ...partner, kind: 'bearer', owner: () => ({ sub: 'alice' }) }] }),
    ],
  });

  test('F36: a row that contradicts the profile is no client, and the application learns why', () =>
    everyRow(Object.entries(ROWS), async ([client_id, [, reason]]) => {
      expect(refusal(await site.push({}, {}, client_id))).toEqual([401, 'invalid_client']);
      expect(site.all.errors.splice(0).map(String).join(' ')).toContain(reason);
      expect((await site.push({}, {}, 'row')).status).toBe(201);
    }));

  test('F5, F10: a document needs private_key_jwt, and its refresh tokens are reusable', async () => {
    const open = await site
      .browser()
      .authorize({ ...REQUEST, client_id: OPEN_APP, redirect_uri: 'https://open.example.org/cb' });
    expect([open.status, open.headers.location]).toEqual([400, undefined]);
    expect(site.all.errors.splice(0).map(String)).toEqual([
      expect.stringMatching(/^TypeError: Client "[^"]+": it is a public client, but/),
    ]);
    const redirect_uri = APP_CALLBACK;
    const code = await site.code({ redirect_uri }, {}, APP);
    const { json } = await site.redeem(code, { redirect_uri }, undefined, APP);
    const refresh_token = String(json['refresh_token']);
    for (const seconds of [0, 40, 40]) {
      site.all.advance(seconds);
      const form = { grant_type: 'refresh_token', refresh_token };
      expect((await site.token(form, undefined, APP)).json).toMatchObject({ token_type: 'DPoP' });
    }
  });

  test('F6, F35: every grant binds its token to a key; without a proof it is invalid_request', async () => {
    const own = 'everything';
    const device = async (): Promise<string> => {
      const { json } = await site.http.post('/oauth/device', site.credentials(own));
      await site.browser().decideDevice(String(json['user_code']));
      return String(json['device_code']);
    };
    const { json: first } = await site.redeem(await site.code({}, {}, own), {}, undefined, own);
    const now = () => site.now;
    const said = () => {
      const { issuer: iss } = partner;
      return mint(
        { alg: 'ES256' },
        { iss, sub: '1', aud: site.running.base, iat: now(), exp: now() + 60, jti: randomUUID() },
        es256(partnerKey),
      );
    };
    const requests: Readonly<Record<string, () => Promise<Readonly<Record<string, string>>>>> = {
      code: async () => {
        const code = await site.code({}, {}, own);
        return { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: PKCE.verifier };
      },
      refresh: async () => ({ grant_type: 'refresh_token', refresh_token: String(first['refresh_token']) }),
      'client credentials': async () => ({ grant_type: 'client_credentials' }),
      device: async () => ({ grant_type: DEVICE_CODE, device_code: await device() }),
      custom: async () => ({ grant_type: TICKET }),
      assertion: async () => ({ grant_type: JWT_BEARER, assertion: said() }),
      exchange: async () => ({
        grant_type: EXCHANGE,
        resource: ACCOUNTS,
        subject_token: String(first['access_token']),
        subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      }),
    };
    await everyRow(Object.entries(requests), async ([, request]) => {
      const form = await request();
      expect(refusal(await site.token(form, {}, own))).toEqual([400, 'invalid_request']);
      const bound = await site.token(form, undefined, own);
      expect([bound.status, bound.json['token_type']]).toEqual([200, 'DPoP']);
    });
  });

  test('F6: a token introspects only with a proof of its key', async () => {
    const { json } = await site.redeem(await site.code());
    const token = String(json['access_token']);
    const introspect = (authorization: string, headers: object = {}): Promise<Answer> =>
      site.http.post('/oauth/introspect', { token }, { authorization, ...headers });
    expect((await introspect(`Bearer ${token}`)).status).toBe(401);
    expect((await introspect(`DPoP ${token}`)).status).toBe(401);
    const answer = await introspect(`DPoP ${token}`, site.proof('/oauth/introspect', { token }));
    expect([answer.status, answer.json['active']]).toEqual([200, true]);
  });

  test('F2: no script of another origin reads the authorization endpoint, also not of one in cors', async () => {
    const preflight = await site.http.request('/oauth/authorize', {
      method: 'OPTIONS',
      headers: { origin: FRIEND, 'access-control-request-method': 'GET' },
    });
    const asked = await site.http.get('/oauth/authorize?client_id=bank', { origin: FRIEND });
    for (const { headers } of [preflight, asked]) expect(headers).not.toHaveProperty('access-control-allow-origin');
    const token = await site.http.post('/oauth/token', {}, { origin: FRIEND });
    expect(token.headers['access-control-allow-origin']).toBe(FRIEND);
  });

  test('F17: nothing is pushed without authentication of the client', async () => {
    const pushed = await site.http.post('/oauth/par', { ...REQUEST, client_id: 'bank' });
    expect(refusal(pushed)).toEqual([401, 'invalid_client']);
  });

  test('F20, F23: redirects to clients have status 303 and the issuer, errors too', async () => {
    const { base } = site.running;
    const unpushed = await site.browser().authorize({ ...REQUEST, client_id: 'bank' });
    expect([unpushed.status, responseOf(unpushed)['iss']]).toEqual([303, base]);
    const denied = await site.arrive(await site.reference(), 'bank', 'deny');
    expect([denied.status, responseOf(denied)['iss']]).toEqual([303, base]);
  });

  test('F28: a token in the query is refused', async () => {
    const { json } = await site.redeem(await site.code());
    const url = `${site.running.origin}/guarded/profile`;
    const token = String(json['access_token']);
    const dpop = site.key.proof({ method: 'GET', url, iat: site.now, token });
    expect((await site.http.get(`${url}?access_token=${token}`, { dpop })).status).toBe(401);
  });

  test('C7: request and registration are refused in a pushed request', () =>
    everyRow(
      [
        [{ request: 'e30.e30.' }, 'request_not_supported'],
        [{ registration: '{}' }, 'registration_not_supported'],
      ] as const,
      async ([more, error]) => {
        expect(refusal(await site.push(more))).toEqual([400, error]);
      },
    ));

  test('C7: a foreign request_uri is refused without being fetched', async () => {
    const request_uri = 'https://bank.example/request';
    const answer = await site.browser().authorize({ ...REQUEST, client_id: 'bank', request_uri });
    expect(responseOf(answer)).toMatchObject({ error: 'request_uri_not_supported', state: 'xyz' });
  });

  test('C3: every response_mode but query is refused', async () => {
    for (const response_mode of ['form_post', 'fragment', 'jwt', 'query.jwt'])
      expect(refusal(await site.push({ response_mode }))).toEqual([400, 'invalid_request']);
    expect((await site.push({ response_mode: 'query' })).status).toBe(201);
    const { json } = await site.http.get('/.well-known/oauth-authorization-server');
    expect(json['response_modes_supported']).toEqual(['query']);
  });
});

test('F34: of two keys with one kid, the one that fits the algorithm verifies', async () => {
  const [host] = hostFor(import.meta.url);
  const [ec, rsa] = [jwksOf('bank').keys[0], { ...rsaPair('another').publicKey.export({ format: 'jwk' }) }];
  const kid = 'same';
  const forEncryption = { ...jwksOf('other').keys[0], kid, use: 'enc' };
  const keys = [{ ...rsa, kid }, forEncryption, { ...ec, kid }];
  const site = await startFapi(host ?? expect.fail('There is no host.'), {
    others: [{ ...USUAL, client_id: 'twice', jwks: { keys } }],
  });
  const client_assertion = site.assertion('twice', {}, 'ES256', { kid });
  expect((await site.push({ client_assertion }, {}, 'twice')).status).toBe(201);
  await site.close();
});

test('F30: a verifier of another process refuses a token that is not bound to a key', async () => {
  const [host] = hostFor(import.meta.url);
  const site = await startFapi(host ?? expect.fail('There is no host.'), { jwt: [{ key: P256 }] });
  const issuer = site.running.base;
  const { keys } = (await site.http.get('/oauth/jwks')).json as { keys: { kid: string }[] };
  const claims = { iss: issuer, aud: issuer, sub: 'alice', client_id: 'bank', scope: 'profile', jti: 'one' };
  const unbound = mint(
    { alg: 'ES256', typ: 'at+jwt', kid: keys[0]?.kid },
    { ...claims, iat: site.now, exp: site.now + 60 },
    es256(P256),
  );
  const passes = async (features: readonly ReturnType<typeof fapi2>[]): Promise<boolean> => {
    const verifier = jwtVerifier({ issuer, clock: site.all.clock, features });
    const found = await verifier.check.any(unbound);
    verifier.close();
    return 'authorization' in found;
  };
  expect(await passes([])).toBe(true);
  expect(await passes([fapi2({ origins: [ACCOUNTS] })])).toBe(false);
  await site.close();
});
