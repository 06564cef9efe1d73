import { describe, expect, test } from 'vitest';
import { type Answer, Client, oneHostEach } from '../../hosts.js';
import { behindTls } from '../../hosts/behind-tls.js';
import { refusal } from '../../oauth/support/tokens.js';
import { ProofMaker } from '../dpop/keys.js';
import { jwksOf, useFapi } from './site.js';

const OF_ITS_OWN = { scope: 'profile', default_scope: 'profile' } as const;

/** The two clients of the plan, and one with an RSA key. None has a redirect URI. */
const MACHINES = [
  { client_id: 'machine', jwks: jwksOf('bank'), ...OF_ITS_OWN },
  { client_id: 'second', jwks: jwksOf('other'), ...OF_ITS_OWN },
  { client_id: 'rsa-machine', jwks: jwksOf('rsa'), ...OF_ITS_OWN },
] as const;

describe.each([...oneHostEach, behindTls])('FAPI 2.0 Security Profile, client credentials, on $name', (host) => {
  const site = useFapi(host, { others: MACHINES });
  const path = '/oauth/token';

  /** A request for a token of a client itself, with the proof of the usual key. */
  const ask = (
    form: Readonly<Record<string, string>> = {},
    headers: Readonly<Record<string, string>> = site.proof(path),
    name = 'machine',
  ): Promise<Answer> => site.token({ grant_type: 'client_credentials', ...form }, headers, name);
  const issued = async (name = 'machine'): Promise<string> => {
    const { status, json } = await ask({}, undefined, name);
    expect([status, json['token_type']]).toEqual([200, 'DPoP']);
    return String(json['access_token']);
  };

  test('DiscoveryEndpointVerification', async () => {
    const { status, headers, json } = await site.http.get('/.well-known/oauth-authorization-server');
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(json).toMatchObject({
      issuer: site.running.base,
      token_endpoint: site.running.base + path,
      token_endpoint_auth_methods_supported: ['private_key_jwt'],
    });
    expect(json['grant_types_supported']).toContain('client_credentials');
    const allowed = ['PS256', 'ES256', 'EdDSA', 'Ed25519'];
    for (const name of ['token_endpoint_auth_signing_alg_values_supported', 'dpop_signing_alg_values_supported'])
      expect((json[name] as string[]).toSorted()).toEqual(allowed.toSorted());
  });

  test('HappyFlow', async () => {
    const [one, other] = [await issued(), await issued('second')];
    for (const token of [one, other]) expect((await site.ask(token)).status).toBe(200);
    const { json } = await site.http.post('/oauth/introspect', { ...site.credentials('api'), token: one });
    expect(json).toMatchObject({ active: true, sub: 'client:machine', cnf: { jkt: site.key.jkt } });
    // The token of one client with the key of another.
    const foreign = new ProofMaker();
    const url = `${site.running.origin}/guarded/profile`;
    const dpop = foreign.proof({ method: 'GET', url, iat: site.now, token: other });
    const answer = await new Client(site.running.origin).get('/guarded/profile', {
      authorization: `DPoP ${other}`,
      dpop,
    });
    expect(refusal(answer)).toEqual([401, 'invalid_dpop_proof']);
  });

  test('AccessTokenTypeHeaderCaseSensitivity', async () => {
    const token = await issued();
    for (const scheme of ['dpop', 'DPOP', 'dPoP']) expect((await site.ask(token, {}, scheme)).status).toBe(200);
  });

  test('CheckDpopProofNbfExp', async () => {
    for (const payload of [{ nbf: site.now + 8 }, { nbf: site.now - 8, exp: site.now + 60 }])
      expect((await ask({}, site.proof(path, { payload }))).status).toBe(200);
    for (const payload of [{ nbf: site.now + 70 }, { exp: site.now - 70 }])
      expect(refusal(await ask({}, site.proof(path, { payload })))).toEqual([400, 'invalid_dpop_proof']);
  });

  test('EnsureDpopProofWithIat10SecondsBeforeSucceeds, EnsureDpopProofWithIat10SecondsAfterSucceeds', async () => {
    const token = await issued();
    for (const iat of [site.now - 10, site.now + 10]) {
      expect((await ask({}, site.proof(path, { iat }))).status).toBe(200);
      expect((await site.ask(token, { iat })).status).toBe(200);
    }
  });

  test('EnsureClientIdInTokenEndpoint', async () => {
    const client_assertion = site.assertion('machine', { iss: 'second', sub: 'second' });
    expect(refusal(await ask({ client_id: 'second', client_assertion }))).toEqual([401, 'invalid_client']);
  });

  test('EnsureHolderOfKeyRequired', async () => {
    expect(refusal(await ask({}, {}))).toEqual([400, 'invalid_request']);
  });

  test('EnsureSignedClientAssertionWithRS256Fails', async () => {
    expect((await ask({}, undefined, 'rsa-machine')).status).toBe(200);
    const client_assertion = site.assertion('rsa', { iss: 'rsa-machine', sub: 'rsa-machine' }, 'RS256');
    expect(refusal(await ask({ client_assertion }, undefined, 'rsa-machine'))).toEqual([401, 'invalid_client']);
  });

  test('EnsureClientAssertionInTokenEndpoint', async () => {
    const form = { grant_type: 'client_credentials', client_id: 'machine' };
    expect(refusal(await site.http.post(path, form, site.proof(path)))).toEqual([401, 'invalid_client']);
  });

  test('EnsureClientAssertionWithExpIs5MinutesInPastFails, EnsureClientAssertionWithWrongAudFails, EnsureClientAssertionWithNoSubFails', async () => {
    for (const claims of [
      { iat: site.now - 360, exp: site.now - 300 },
      { aud: 'https://wrong.example' },
      { sub: undefined },
    ])
      expect(refusal(await ask(site.credentials('machine', claims)))).toEqual([401, 'invalid_client']);
    expect((await ask(site.credentials('machine'))).status).toBe(200);
  });

  test('DpopNegativeTests', async () => {
    await site.refusesWrongProofs(await issued());
    const rsa = new ProofMaker('RS256');
    expect(refusal(await ask({}, site.proof(path, {}, rsa)))).toEqual([400, 'invalid_dpop_proof']);
  });
});
