import { createPublicKey } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { fapi2 } from 'oauth-query/fapi';
import { introspectionVerifier, type IntrospectionVerifierOptions } from 'oauth-query/guard';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { es256, mint, newKey, rs256 } from '../oauth/support/jwt.js';
import { everyRow } from '../rows.js';
import { rsaPair } from '../rsa.js';
import { ScriptedServer, sendJson } from './support/scripted-server.js';

const NOW = Date.UTC(2026, 0, 1) / 1000;
const TYPE = 'token-introspection+jwt';
const key = newKey();
const rsa = rsaPair().privateKey;
const later = newKey();
const jwkOf = (one: typeof key, kid: string) => ({ ...createPublicKey(one).export({ format: 'jwk' }), kid });

const credentials = { client_id: 'api', client_secret: 'api-secret' };
let published: object[] = [jwkOf(key, 'one'), jwkOf(rsa, 'rsa')];
let now = NOW;
let answer: (response: ServerResponse) => unknown = () => undefined;
const server = new ScriptedServer(({ path }, response) => {
  if (path === '/jwks') return { keys: published };
  if (path === '/introspect') return void answer(response);
  const { origin } = server;
  return { issuer: origin, introspection_endpoint: `${origin}/introspect`, jwks_uri: `${origin}/jwks` };
});
beforeAll(() => server.start());
afterAll(() => server.stop());

const verifierWith = (more: Partial<IntrospectionVerifierOptions> = {}, reports: unknown[] = []) =>
  introspectionVerifier({
    ...{ issuer: server.origin, credentials, signed: true, cacheSeconds: 0, clock: () => now * 1000 },
    onError: (error) => reports.push(error),
    ...more,
  });

const active = () => ({
  ...{ active: true, sub: 'alice', client_id: 'web', scope: 'profile', token_type: 'Bearer' },
  ...{ iss: server.origin, aud: server.origin, iat: NOW, exp: NOW + 600 },
});
const claims = () => ({ iss: server.origin, aud: 'api', iat: NOW, token_introspection: active() });
const header = { alg: 'ES256', typ: TYPE, kid: 'one' };
const asJwt =
  (jwt: string, type = `application/${TYPE}`, status = 200) =>
  (response: ServerResponse) =>
    response.writeHead(status, { 'content-type': type }).end(jwt);
const signed = (more: object = {}, head: object = {}, by = es256(key)) =>
  mint({ ...header, ...head }, { ...claims(), ...more }, by);

/** What is wrong, the answer, and the reason that the application reads. */
const WRONG = (): readonly (readonly [string, (response: ServerResponse) => unknown, RegExp])[] => [
  ['plain JSON', (response) => sendJson(response, 200, active()), /without a signature/],
  ['another media type', asJwt(signed(), 'application/jwt'), /without JSON/],
  ['an error', (response) => sendJson(response, 401, { error: 'invalid_client' }), /401 invalid_client/],
  ['no JWT', asJwt('text'), /not signed as it must be/],
  ['no signature', asJwt(`${mint({ ...header, alg: 'none' }, claims(), () => Buffer.from(''))}`), /not signed/],
  ['another key', asJwt(signed({}, {}, es256(later))), /signature verification failed/],
  ['an unknown kid', asJwt(signed({}, { kid: 'two' }, es256(later))), /no applicable key/],
  ['the type of an access token', asJwt(signed({}, { typ: 'at+jwt' })), /"typ"/],
  ['no type', asJwt(signed({}, { typ: undefined })), /"typ"/],
  ['another issuer', asJwt(signed({ iss: 'https://other.example' })), /"iss"/],
  ['another audience', asJwt(signed({ aud: 'other' })), /"aud"/],
  ['several audiences', asJwt(signed({ aud: ['api', 'other'] })), /several audiences/],
  ['no iat', asJwt(signed({ iat: undefined })), /"iat"/],
  ['an iat of two minutes ago', asJwt(signed({ iat: NOW - 120 })), /"iat"/],
  ['an iat that is ahead', asJwt(signed({ iat: NOW + 60 })), /"iat"/],
  ['no members', asJwt(signed({ token_introspection: undefined })), /no token_introspection/],
  ['members that are a list', asJwt(signed({ token_introspection: [active()] })), /no token_introspection/],
  ['members without active', asJwt(signed({ token_introspection: { sub: 'alice' } })), /no valid member active/],
];

test('an answer that is not signed as it must be is 503, and the application reads why', () =>
  everyRow(WRONG(), async ([, script, reason]) => {
    const reports: unknown[] = [];
    const verifier = verifierWith({}, reports);
    answer = script;
    const found = await verifier.check.any('token');
    expect(found).toMatchObject({ refused: { status: 503 } });
    expect(String(reports[0])).toMatch(reason);
    verifier.close();
  }));

test('a signed answer decides, and the members beside it do not', async () => {
  const reports: unknown[] = [];
  const verifier = verifierWith({}, reports);
  answer = asJwt(signed({ active: false, sub: 'mallory', scope: 'everything' }));
  expect(await verifier.check.any('token')).toMatchObject({ authorization: { sub: 'alice', scope: 'profile' } });
  answer = asJwt(signed({ active: true, token_introspection: { active: false } }));
  expect(await verifier.check.any('token')).toMatchObject({ refused: { status: 401 } });
  expect(reports).toEqual([]);
  verifier.close();
});

test('keys rotate without a restart, and an unknown kid is looked up once in ten seconds', async () => {
  const reports: unknown[] = [];
  const verifier = verifierWith({}, reports);
  const before = server.asked('/jwks');
  answer = asJwt(signed());
  expect(await verifier.check.any('token')).toHaveProperty('authorization');
  published = [...published, jwkOf(later, 'two')];
  now += 11;
  const rotated = () => asJwt(signed({ iat: now }, { kid: 'two' }, es256(later)));
  answer = rotated();
  expect(await verifier.check.any('token')).toHaveProperty('authorization');
  answer = asJwt(signed({ iat: now }, { kid: 'three' }, es256(later)));
  for (let count = 0; count < 5; count += 1) await verifier.check.any('token');
  expect(server.asked('/jwks') - before).toBe(2);
  expect(reports).toHaveLength(5);
  now = NOW;
  verifier.close();
});

test('a profile limits the algorithms', async () => {
  const profile = fapi2({ secret: 'a secret of the tests, with 32 characters', origins: [server.origin] });
  const reports: unknown[] = [];
  const verifier = verifierWith({ features: [profile] }, reports);
  answer = asJwt(signed({}, { alg: 'RS256', kid: 'rsa' }, rs256(rsa)));
  expect(await verifier.check.any('token')).toMatchObject({ refused: { status: 503 } });
  expect(String(reports[0])).toMatch(/"alg"/);
  verifier.close();
});

test('without an issuer, or with a bearer token, signed answers are an error at the start', () =>
  everyRow(
    [
      [{ issuer: undefined, endpoint: 'https://as.example/introspect' }],
      [{ credentials: { ...credentials, method: 'bearer' } }],
    ] as const,
    ([more]) => {
      expect(() => verifierWith(more as object)).toThrow(/options\.signed needs options\.issuer/);
    },
  ));
