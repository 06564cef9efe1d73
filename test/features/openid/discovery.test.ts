import { jwtVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { openIdConnect } from 'oauth-query/openid';
import { describe, expect, test } from 'vitest';
import { Client, hostFor, useHost } from '../../hosts.js';
import { fixture } from '../../oauth/support/fixture.js';
import { rsaPair } from '../../rsa.js';
import { openIdFixture, P256, RSA, rpsAt, signInto } from './support.js';

const PATHS = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'] as const;

describe.each(hostFor(import.meta.url))('discovery on $name', (host) => {
  const { options, errors } = openIdFixture({}, { metadata: { acr_values_supported: ['urn:example:two'] } });
  const running = useHost(host, { options }, errors);

  test('O9, O10: it has the required members, and says what is not supported', async () => {
    const { json } = await new Client(running.base).get(PATHS[0]);
    const { base } = running;
    expect(json).toMatchObject({
      issuer: base,
      authorization_endpoint: `${base}/oauth/authorize`,
      token_endpoint: `${base}/oauth/token`,
      jwks_uri: `${base}/oauth/jwks`,
      userinfo_endpoint: `${base}/oauth/userinfo`,
      response_types_supported: ['code'],
      response_modes_supported: ['query', 'fragment', 'form_post'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256', 'ES256', 'EdDSA'],
      prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
      acr_values_supported: ['urn:example:two'],
      claims_parameter_supported: true,
      request_parameter_supported: false,
      request_uri_parameter_supported: false,
    });
    expect(json['scopes_supported']).toEqual(
      expect.arrayContaining(['openid', 'profile', 'email', 'address', 'phone']),
    );
    expect(json['claims_supported']).toEqual(expect.arrayContaining(['sub', 'auth_time', 'email', 'groups']));
  });

  test('O11: both documents have the same members', async () => {
    const [one, two] = await Promise.all(PATHS.map((path) => new Client(running.base).get(path)));
    expect(two?.json).toEqual(one?.json);
  });

  test('O17: the documents and the keys are readable from any origin, and cached', async () => {
    for (const path of [...PATHS, '/oauth/jwks']) {
      const headers = { origin: 'https://anywhere.example' };
      const answer = await new Client(running.base).get(path, headers);
      expect(answer.headers).toMatchObject({
        'access-control-allow-origin': '*',
        'cache-control': 'public, max-age=300',
      });
      const etag = String(answer.headers.etag);
      expect(etag).toMatch(/^(W\/)?"/);
      expect(await new Client(running.base).get(path, { 'if-none-match': etag })).toMatchObject({
        status: 304,
        text: '',
      });
      const preflight = await new Client(running.base).request(path, { method: 'OPTIONS', headers });
      expect(preflight.headers['access-control-allow-origin']).toBe('*');
    }
  });
});

test('O12, O15, O16: a generated key on loopback signs with a warning; keys rotate, and stay while they may be needed', async () => {
  const [host] = hostFor(import.meta.url);
  const warnings: string[] = [];
  const plain = fixture({ onWarning: (text) => warnings.push(text), features: [openIdConnect()] });
  const alone = (await host.start({ options: plain.options })) ?? expect.fail();
  const { keys } = (await new Client(alone.base).get('/oauth/jwks')).json as unknown as JSONWebKeySet;
  expect(keys).toEqual([expect.objectContaining({ kty: 'RSA', alg: 'RS256', use: 'sig', kid: expect.any(String) })]);
  expect(Buffer.from(String(keys[0]?.n), 'base64url')).toHaveLength(256);
  expect(warnings.join()).toContain('openid.keys');

  const next = rsaPair('another').privateKey;
  const { options, advance, clock } = openIdFixture();
  const signFrom = clock() + 1000_000;
  // A key of another algorithm has no successor here, and is none.
  const openid = openIdConnect({
    keys: [{ key: RSA }, { key: P256, signFrom: signFrom - 1 }, { key: next, signFrom }],
  });
  const running = await host
    ?.start({ options: { ...options, features: [openid], clients: options.clients ?? [] } })
    .catch(() => undefined);
  // Clients with other algorithms would stop this start, so they are left out.
  expect(running).toBeUndefined();
  const only = {
    ...options,
    features: [openid],
    clients: [{ client_id: 'rp', client_secret: 'rp-secret', redirect_uris: ['https://rp.example/cb'] }],
  };
  const rotating = (await host.start({ options: only })) ?? expect.fail();
  const flows = rpsAt(rotating);
  const jwks = async () => (await new Client(rotating.base).get('/oauth/jwks')).json as unknown as JSONWebKeySet;
  const verify = async (token: unknown) =>
    jwtVerify(String(token), createLocalJWKSet(await jwks()), { currentDate: new Date(clock()) });
  const before = (await signInto(flows, 'rp'))['id_token'];
  advance(1001);
  const after = (await signInto(flows, 'rp'))['id_token'];
  const [one, two] = [await verify(before), await verify(after)];
  expect(one.protectedHeader.kid).not.toBe(two.protectedHeader.kid);
  advance(3600);
  expect((await jwks()).keys.map(({ kty }) => kty)).toEqual(['EC', 'RSA']);
});
