import { assertions } from 'oauth-query/assertions';
import { jwtVerifier } from 'oauth-query/guard';
import { stepUp } from 'oauth-query/step-up';
import { featureServer } from 'oauth-query/testing';
import { tokenExchange } from 'oauth-query/token-exchange';
import { afterEach, describe, expect, test } from 'vitest';
import { everyRow } from '../../rows.js';
import { JWT_BEARER, ID_JAG, Signer } from './support.js';

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const SECRET = 'a secret of the tests, with 32 characters';
const ISSUER = 'https://acme.idp.example';
const API = 'https://api.example';
const OTHER = 'https://other.example';
const READ = { scope: 'read', resource: API } as const;

let close: (() => Promise<void>) | undefined;
afterEach(async () => {
  await close?.();
  close = undefined;
});

const APP = { client_id: 'app', client_secret: SECRET, scope: 'read', audience: API } as const;
const basic = { authorization: `Basic ${Buffer.from(`app:${encodeURIComponent(SECRET)}`).toString('base64')}` };

/** A server that trusts one identity provider. Its client `app` presents assertions, and exchanges tokens for the API. */
const site = async (jwt = false) => {
  const idp = await Signer.make(ISSUER);
  const partner = await Signer.make('https://partner.example');
  const events: object[] = [];
  const server = await featureServer({
    ...(jwt && { jwt: true }),
    scopes: { read: 'Read' },
    resources: { [API]: { name: 'The API' }, [OTHER]: { name: 'Another one' } },
    clients: [{ ...APP, grant_types: [JWT_BEARER, EXCHANGE] }],
    onEvent: (event) => void events.push(event),
    features: [
      stepUp(),
      tokenExchange({ from: { app: [OTHER] } }),
      assertions({
        issuers: [
          idp.entry({ kind: 'id-jag', owner: () => ({ sub: 'alice' }) }),
          partner.entry({ clients: { '17': 'app' } }),
        ],
      }),
    ],
  });
  close = () => server.close();
  const send = async (claims: Record<string, unknown>, signer = idp) => {
    const jag = signer === idp ? { client_id: 'app', resource: API } : {};
    const all = { ...signer.claims(server.issuer), ...jag, ...claims };
    const assertion = await signer.sign(all, signer === idp ? { typ: ID_JAG } : {});
    return server.post('/oauth/token', { grant_type: JWT_BEARER, assertion }, basic);
  };
  const tokenOf = async (claims: Record<string, unknown>): Promise<string> =>
    String((await send(claims)).json?.['access_token'] ?? expect.fail('no token'));
  const introspect = async (token: string) => (await server.post('/oauth/introspect', { token }, basic)).json;
  return { server, send, tokenOf, introspect, events, partner };
};

const DEEP = { sub: 'a', act: { sub: 'b', act: { sub: 'c', act: { sub: 'd' } } } };

describe.each([
  ['opaque', false],
  ['signed', true],
])('who acts for the subject of an assertion, in %s tokens', (_name, jwt) => {
  test('is shown, names no client of this server, and gives no access', async () => {
    const { server, tokenOf, introspect, events } = await site(jwt);
    const token = await tokenOf({ act: { sub: 'agent-7', client_id: 'web', act: { sub: 'bot', iss: OTHER } } });
    const act = { sub: 'agent-7', iss: ISSUER, act: { sub: 'bot', iss: OTHER } };
    expect(await introspect(token)).toMatchObject({ active: true, sub: 'alice', client_id: 'app', scope: 'read', act });
    expect((await introspect(token))?.['act']).toEqual(act);
    const { authorization } = await server.oauth.check(token, READ);
    expect(authorization).toMatchObject({ sub: 'alice', client_id: 'app' });
    expect(authorization?.act).toEqual(act);
    expect((await server.oauth.check(token, { ...READ, act: 'refuse' })).refused?.status).toBe(403);
    expect(JSON.stringify(events)).not.toMatch(/agent-7|bot/);
    if (!jwt) return;
    const verifier = jwtVerifier({ issuer: server.issuer, audience: API });
    expect((await verifier.check.any(token)).authorization?.act).toEqual(act);
    verifier.close();
  });

  test('is inside the act of an exchanged token', async () => {
    const { server, tokenOf, events } = await site(jwt);
    const form = { grant_type: EXCHANGE, subject_token_type: 'urn:ietf:params:oauth:token-type:access_token' };
    const subject_token = await tokenOf({ act: DEEP });
    const { json } = await server.post('/oauth/token', { ...form, subject_token }, basic);
    const { authorization } = await server.oauth.check(String(json?.['access_token']), { ...READ, resource: OTHER });
    const inside = { sub: 'a', iss: ISSUER, act: { sub: 'b', act: { sub: 'c', act: { sub: 'd' } } } };
    expect(authorization?.act).toMatchObject({ sub: 'client:app', client_id: 'app', act: inside });
    expect(events.at(-1)).toMatchObject({ type: 'token.issued', grant_type: EXCHANGE, actors: ['app'] });
  });

  test('is absent without the claim', async () => {
    const { tokenOf, introspect } = await site(jwt);
    expect(await introspect(await tokenOf({}))).not.toHaveProperty('act');
  });
});

/** What is no actor. */
const WRONG = [
  'agent',
  null,
  [],
  {},
  { sub: '' },
  { sub: 7 },
  { sub: 'client:web' },
  { sub: 'x'.repeat(256) },
  { sub: 'a', iss: 7 },
  { sub: 'a', iss: 'x'.repeat(513) },
  { sub: 'a', act: 'agent' },
  { sub: 'a', act: null },
  { sub: 'z', act: DEEP },
];

test('an act that is no actor, is too deep, or is about a client refuses the assertion', async () => {
  const { send, events, partner } = await site();
  const refused = { status: 400, json: { error: 'invalid_grant', error_description: expect.stringContaining('act') } };
  await everyRow(WRONG, async (act) => expect(await send({ act })).toMatchObject(refused));
  expect(await send({ act: { sub: 'a' } }, partner)).toMatchObject(refused);
  expect((await send({}, partner)).status).toBe(200);
  expect((await send({ act: DEEP })).status).toBe(200);
  expect(events.filter((event) => 'reason' in event && event.reason === 'claims')).toHaveLength(WRONG.length + 1);
});

test('a guard that asks for a fresh sign-in decides by the auth_time of the assertion, and refuses tokens without one', async () => {
  const { server, tokenOf } = await site();
  const at = Math.floor(Date.now() / 1000);
  const ask = async (token: string) => {
    const { refused } = await server.oauth.check(token, { ...READ, maxAge: 300 });
    return refused === undefined ? 'passes' : `${refused.status} ${refused.error}`;
  };
  const fresh = await tokenOf({ auth_time: at - 200 });
  expect(await ask(fresh)).toBe('passes');
  const old = '401 insufficient_user_authentication';
  expect(await ask(await tokenOf({ auth_time: at - 400 }))).toBe(old);
  expect(await ask(await tokenOf({}))).toBe(old);
  server.advance(150);
  expect(await ask(fresh)).toBe(old);
});
