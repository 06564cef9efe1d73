import { assertions } from 'oauth-query/assertions';
import { dpop } from 'oauth-query/dpop';
import { featureServer } from 'oauth-query/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { endOfNextRequest } from '../../hosts/accepted.js';
import { ProofMaker } from '../dpop/keys.js';
import { ID_JAG, JWT_BEARER, Signer } from './support.js';

type Entry = Parameters<Signer['entry']>[0];

const SECRET = 'a secret of the tests, with 32 characters';
const API = 'https://api.example';
const OTHER = 'https://other-api.example';
const APP = {
  client_id: 'app',
  client_secret: SECRET,
  grant_types: [JWT_BEARER],
  scope: 'read write',
  default_scope: 'read',
} as const;
const PUBLIC = {
  client_id: 'page',
  grant_types: [JWT_BEARER],
  redirect_uris: ['https://page.example/'],
  scope: 'read',
} as const;
const basic = { authorization: `Basic ${Buffer.from(`app:${encodeURIComponent(SECRET)}`).toString('base64')}` };

let close: (() => Promise<void>) | undefined;
afterEach(async () => {
  await close?.();
  close = undefined;
});

/** A server that trusts one issuer, and requests of the client `app`. */
const site = async (entry: Partial<Entry> = {}, isActive = true) => {
  const signer = await Signer.make('https://partner.example');
  const server = await featureServer({
    scopes: { read: 'Read', write: 'Write' },
    resources: { [API]: { name: 'The API' }, [OTHER]: { name: 'Another one' } },
    clients: [APP, PUBLIC],
    validateGrant: () => isActive,
    features: [dpop(), assertions({ issuers: [signer.entry({ owner: () => ({ sub: 'alice' }), ...entry })] })],
  });
  close = () => server.close();
  const send = (assertion: string, more: Record<string, string> = {}, headers: Record<string, string> = {}) =>
    server.post('/oauth/token', { grant_type: JWT_BEARER, assertion, ...more }, { ...basic, ...headers });
  const made = (claims: Record<string, unknown> = {}, header: Record<string, unknown> = {}) =>
    signer.sign({ ...signer.claims(server.issuer), ...claims }, header);
  const proofs = new ProofMaker();
  const proof = () => ({
    dpop: proofs.proof({ method: 'POST', url: `${server.issuer}/oauth/token`, iat: Math.floor(Date.now() / 1000) }),
  });
  return { server, send, made, proof, jkt: proofs.jkt };
};

describe('an assertion is used once', () => {
  test('by twenty simultaneous requests: one gets a token', async () => {
    const { send, made } = await site();
    const assertion = await made();
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(assertion)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200,
      ...Array.from({ length: 19 }, () => 400),
    ]);
  });

  test('by jti and issuer: another text with the same jti is a repetition', async () => {
    const { send, made } = await site();
    expect((await send(await made({ jti: 'one' }))).status).toBe(200);
    expect(await send(await made({ jti: 'one', extra: 'x' }))).toMatchObject({
      status: 400,
      json: {
        error: 'invalid_grant',
        error_description: 'The assertion was used before. Get a new one from its issuer.',
      },
    });
  });

  test('until it expires, with use: "untilExpiry"', async () => {
    const { send, made, server } = await site({ use: 'untilExpiry' });
    const assertion = await made();
    expect([(await send(assertion)).status, (await send(assertion)).status]).toEqual([200, 200]);
    server.advance(331);
    expect((await send(assertion)).status).toBe(400);
  });

  test('and a failing function of the application uses nothing up', async () => {
    let fails = true;
    const { send, made } = await site({
      owner: () => {
        if (fails) throw new Error('The database of people is away.');
        return { sub: 'alice' };
      },
    });
    const assertion = await made();
    expect(await send(assertion)).toMatchObject({ status: 503, json: { error: 'temporarily_unavailable' } });
    fails = false;
    expect((await send(assertion)).status).toBe(200);
  });
});

test('a client that hangs up while its request is decided uses nothing up, and may send it again', async () => {
  let isAsked = false;
  let answer: (() => void) | undefined;
  const { send, made, server } = await site({
    owner: async () => {
      if (!isAsked) {
        isAsked = true;
        await new Promise<void>((resolve) => void (answer = resolve));
      }
      return { sub: 'alice' };
    },
  });
  const assertion = await made();
  const hangUp = new AbortController();
  const body = new URLSearchParams({ grant_type: JWT_BEARER, assertion });
  const url = `${server.issuer}/oauth/token`;
  const ended = endOfNextRequest();
  const sent = fetch(url, { method: 'POST', headers: basic, body, signal: hangUp.signal });
  await expect.poll(() => isAsked).toBe(true);
  hangUp.abort();
  await expect(sent).rejects.toThrow();
  await ended;
  answer?.();
  await expect.poll(() => server.errors.length).toBe(1);
  expect(String(server.errors[0])).toContain('A request was abandoned');
  expect((await send(assertion)).status).toBe(200);
});

describe('an end of access', () => {
  test.each([
    ['by the issuer', { issuer: 'https://partner.example' }],
    ['by the owner', { sub: 'alice' }],
    ['by the client', { client_id: 'app' }],
    ['by both', { sub: 'alice', client_id: 'app' }],
  ])('%s refuses assertions that were made before, and accepts newer ones', async (_name, target) => {
    const { send, made, server } = await site();
    const before = await made();
    expect((await send(await made())).status).toBe(200);
    await server.oauth.grants.revoke(target);
    expect(await send(before)).toMatchObject({
      status: 400,
      json: { error_description: 'Access was ended after the assertion was made. Get a new one from its issuer.' },
    });
    server.advance(2);
    const now = Math.floor(Date.now() / 1000) + 2;
    const answer = await send(await made({ iat: now, exp: now + 60 }));
    expect(answer.status).toBe(200);
    const { authorization } = await server.oauth.check(String(answer.json?.['access_token']), { scope: 'read' });
    expect(authorization?.sub).toBe('alice');
  });

  test('of other owners, clients and issuers concerns nobody here', async () => {
    const { send, made, server } = await site();
    const before = await made();
    for (const target of [{ sub: 'bob' }, { client_id: 'web' }, { issuer: 'https://other.example' }])
      await server.oauth.grants.revoke(target);
    expect((await send(before)).status).toBe(200);
  });
});

describe('a key', () => {
  test('binds the token of a request with a proof', async () => {
    const { send, made, proof, server } = await site();
    const { status, json } = await send(await made(), {}, proof());
    expect([status, json?.['token_type']]).toEqual([200, 'DPoP']);
    const { authorization, refused } = await server.oauth.check(String(json?.['access_token']), { scope: 'read' });
    expect([authorization, refused === undefined]).toEqual([undefined, false]);
  });

  test('in the cnf of the assertion must be that of the proof', async () => {
    const { send, made, proof, jkt } = await site();
    const wrong = { status: 400, json: { error: 'invalid_grant' } };
    expect(await send(await made({ cnf: { jkt } }))).toMatchObject(wrong);
    expect(await send(await made({ cnf: { jkt: 'x'.repeat(43) } }), {}, proof())).toMatchObject(wrong);
    expect((await send(await made({ cnf: { jkt } }), {}, proof())).status).toBe(200);
  });
});

describe('what a token may do', () => {
  test.each([
    ['the default of the client', {}, {}, 'read'],
    ['the scope of the assertion', { scope: 'write' }, {}, 'write'],
    ['what is requested of it', { scope: 'read write' }, { scope: 'write' }, 'write'],
    ['nothing that the assertion lacks', { scope: 'read' }, { scope: 'read write' }, 'read'],
  ])('is %s', async (_name, claims, form, scope) => {
    const { send, made } = await site();
    expect(await send(await made(claims), form)).toMatchObject({ status: 200, json: { scope } });
  });

  test('is never beyond the scopes of the issuer', async () => {
    const { send, made } = await site({ scopes: 'read' });
    expect(await send(await made(), { scope: 'read write' })).toMatchObject({ status: 200, json: { scope: 'read' } });
    expect(await send(await made(), { scope: 'write' })).toMatchObject({
      status: 400,
      json: { error: 'invalid_scope' },
    });
  });

  test('is for the resources of an ID-JAG, and for no others', async () => {
    const { send, made, server } = await site({ kind: 'id-jag' });
    const header = { typ: ID_JAG };
    const claims = { client_id: 'app', resource: API };
    const { json } = await send(await made(claims, header));
    expect((await server.oauth.check(String(json?.['access_token']), { scope: 'read' })).authorization).toBeUndefined();
    const atApi = await server.oauth.check(String(json?.['access_token']), { scope: 'read', resource: API });
    expect(atApi.authorization?.sub).toBe('alice');
    expect(await send(await made({ ...claims, resource: 'https://other.example' }, header))).toMatchObject({
      status: 400,
      json: { error: 'invalid_target' },
    });
    expect(await send(await made(claims, header), { resource: OTHER })).toMatchObject({
      status: 400,
      json: { error: 'invalid_target' },
    });
    expect((await send(await made({ ...claims, client_id: 'web' }, header))).status).toBe(400);
  });
});

test('a public client, and an owner whom the application does not allow, get nothing', async () => {
  const { server, made } = await site();
  const form = { grant_type: JWT_BEARER, assertion: await made(), client_id: 'page' };
  expect((await server.post('/oauth/token', form, {})).status).toBe(400);
  await close?.();
  const disabled = await site({}, false);
  expect(await disabled.send(await disabled.made())).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
});
