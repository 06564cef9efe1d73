import { createLocalJWKSet, jwtVerify } from 'jose';
import { openIdConnect } from 'oauth-query/openid';
import { describe, expect, test } from 'vitest';
import { type Answer, oneHostEach } from '../../hosts.js';
import { behindTls } from '../../hosts/behind-tls.js';
import { isConsent, PKCE, responseOf } from '../../oauth/support/browser.js';
import { refusal } from '../../oauth/support/tokens.js';
import { share } from '../../rows.js';
import { ProofMaker } from '../dpop/keys.js';
import { P256 } from '../openid/support.js';
import { CALLBACK, PREFIX, REQUEST, useFapi } from './site.js';

const HOSTS = share([...oneHostEach, behindTls]);

const { redirect_uri: _, ...WITHOUT_REDIRECT } = REQUEST;
const { code_challenge: __, ...WITHOUT_CHALLENGE } = REQUEST;

/** The error that a browser brings to the client; of a page, its status. */
const errorOf = (answer: Answer): string | number =>
  answer.headers.location === undefined ? answer.status : String(responseOf(answer)['error']);

describe.each(HOSTS)('FAPI 2.0 Security Profile, private_key_jwt and DPoP, on $name', (host) => {
  const site = useFapi(host);
  const foreign = new ProofMaker();
  const path = { par: '/oauth/par', token: '/oauth/token' } as const;

  test('DiscoveryEndpointVerification', async () => {
    const { json } = await site.http.get('/.well-known/oauth-authorization-server');
    const algorithms = ['ES256', 'EdDSA', 'Ed25519', 'PS256'];
    expect(json).toMatchObject({
      token_endpoint_auth_methods_supported: ['private_key_jwt'],
      introspection_endpoint_auth_methods_supported: ['private_key_jwt'],
      revocation_endpoint_auth_methods_supported: ['private_key_jwt'],
      token_endpoint_auth_signing_alg_values_supported: algorithms,
      dpop_signing_alg_values_supported: algorithms,
      require_pushed_authorization_requests: true,
      code_challenge_methods_supported: ['S256'],
      response_types_supported: ['code'],
      authorization_response_iss_parameter_supported: true,
    });
    expect(json['grant_types_supported']).not.toContain('password');
  });

  test('HappyFlow', async () => {
    const answer = await site.arrive(await site.reference());
    expect(answer.status).toBe(303);
    const { code, state, iss } = responseOf(answer);
    expect([state, iss]).toEqual(['xyz', site.running.base]);
    const { status, json } = await site.redeem(code ?? '');
    expect([status, json['token_type'], json['scope']]).toEqual([200, 'DPoP', 'profile']);
    expect((await site.ask(String(json['access_token']))).status).toBe(200);
    expect((await site.ask(String(json['access_token']), {}, 'Bearer')).status).toBe(401);
  });

  test('a PS256 client passes HappyFlow, and its assertions with RS256 fail (EnsureSignedClientAssertionWithRS256Fails)', async () => {
    const { status } = await site.redeem(await site.code({}, {}, 'rsa'), {}, undefined, 'rsa');
    expect(status).toBe(200);
    const refused = await site.push({ client_assertion: site.assertion('rsa', {}, 'RS256') }, {}, 'rsa');
    expect(refusal(refused)).toEqual([401, 'invalid_client']);
  });

  test('UserRejectsAuthentication', async () => {
    expect(errorOf(await site.arrive(await site.reference(), 'bank', 'deny'))).toBe('access_denied');
  });

  test('EnsureAuthorizationRequestWithoutStateSuccess, EnsureAuthorizationRequestWithLongState', async () => {
    const { code, ...rest } = responseOf(await site.arrive(await site.reference({ state: '' })));
    expect([typeof code, rest['state']]).toEqual(['string', undefined]);
    const long = 's'.repeat(1000);
    expect(responseOf(await site.arrive(await site.reference({ state: long })))['state']).toBe(long);
  });

  test('EnsureOtherScopeOrderSucceeds', async () => {
    const { json } = await site.redeem(await site.code({ scope: 'content.read profile' }));
    expect(String(json['scope']).split(' ').toSorted()).toEqual(['content.read', 'profile']);
  });

  test('AccessTokenTypeHeaderCaseSensitivity', async () => {
    const { json } = await site.redeem(await site.code());
    for (const scheme of ['dpop', 'DPOP', 'DPoP'])
      expect((await site.ask(String(json['access_token']), {}, scheme)).status).toBe(200);
  });

  test('CheckDpopProofNbfExp', async () => {
    for (const payload of [{ nbf: site.now + 8 }, { exp: site.now + 60, nbf: site.now }])
      expect((await site.redeem(await site.code(), {}, site.proof(path.token, { payload }))).status).toBe(200);
    for (const payload of [{ nbf: site.now + 70 }, { exp: site.now - 70 }]) {
      const refused = await site.redeem(await site.code(), {}, site.proof(path.token, { payload }));
      expect(refusal(refused)).toEqual([400, 'invalid_dpop_proof']);
    }
  });

  test('EnsureDpopProofWithIat10SecondsBeforeSucceeds, EnsureDpopProofWithIat10SecondsAfterSucceeds, and one of a minute fails, also with a nonce', async () => {
    for (const iat of [site.now - 10, site.now + 10])
      expect((await site.redeem(await site.code(), {}, site.proof(path.token, { iat }))).status).toBe(200);
    const first = await site.redeem(await site.code());
    const nonce = first.headers['dpop-nonce'];
    expect(typeof nonce).toBe('string');
    const headers = site.proof(path.token, { iat: site.now + 61, nonce: String(nonce) });
    expect(refusal(await site.redeem(await site.code(), {}, headers))).toEqual([400, 'invalid_dpop_proof']);
  });

  test('EnsureMismatchedDpopJktFails', async () => {
    const refused = await site.push({ dpop_jkt: foreign.jkt }, site.proof(path.par));
    expect(refusal(refused)).toEqual([400, 'invalid_dpop_proof']);
  });

  test('EnsureTokenEndpointFailsWithMismatchedDpopProofJkt, EnsureDpopProofAtParEndpointBindingSuccess', async () => {
    const code = await site.code({}, site.proof(path.par));
    expect(refusal(await site.redeem(code, {}, site.proof(path.token, {}, foreign)))).toEqual([400, 'invalid_grant']);
    expect((await site.redeem(code)).status).toBe(200);
  });

  test('EnsureTokenEndpointFailsWithMismatchedDpopJkt, EnsureDpopAuthCodeBindingSuccess', async () => {
    const code = await site.code({ dpop_jkt: site.key.jkt });
    expect(refusal(await site.redeem(code, {}, site.proof(path.token, {}, foreign)))).toEqual([400, 'invalid_grant']);
    expect((await site.redeem(code)).status).toBe(200);
  });

  test('StateOnlyOutsideRequestObjectNotUsed, EnsureDifferentStateInsideAndOutsideRequestObject', async () => {
    for (const [inside, expected] of [
      ['', undefined],
      ['inside', 'inside'],
    ] as const) {
      const request_uri = await site.reference({ state: inside });
      const outside = { client_id: 'bank', request_uri, state: 'outside' };
      expect(responseOf(await site.browser().authorizeFor(outside))['state']).toBe(expected);
    }
  });

  test('EnsureRequestObjectWithoutRedirectUriFails', async () => {
    const form = { ...WITHOUT_REDIRECT, ...site.credentials() };
    expect(refusal(await site.http.post('/oauth/par', form))).toEqual([400, 'invalid_request']);
  });

  test('TolerateUnregisteredRedirectUri, EnsureRedirectUriInAuthorizationRequest', async () => {
    const refused = await site.push({ redirect_uri: `${CALLBACK}/other` });
    expect(refusal(refused)).toEqual([400, 'invalid_request']);
    const request_uri = await site.reference();
    const answer = await site
      .browser()
      .authorizeFor({ client_id: 'bank', request_uri, redirect_uri: 'https://evil.example' });
    expect(answer.headers.location).toMatch(new RegExp(`^${CALLBACK}\\?`));
  });

  test('EnsureUnsignedAuthorizationRequestWithoutUsingParFails', async () => {
    expect(errorOf(await site.browser().authorize({ ...REQUEST, client_id: 'bank' }))).toBe('invalid_request');
  });

  test('EnsureResponseTypeCodeIdTokenFails, EnsureResponseTypeTokenFails', async () => {
    for (const response_type of ['code id_token', 'token'])
      expect(refusal(await site.push({ response_type }))).toEqual([400, 'unsupported_response_type']);
  });

  test('EnsureClientIdInTokenEndpoint', async () => {
    const code = await site.code();
    expect((await site.redeem(code, { client_id: 'other' })).status).toBe(400);
    // The assertion of the second client, with the key of the first one.
    const foreignAssertion = site.assertion('bank', { iss: 'other', sub: 'other' });
    const asOther = { client_id: 'other', client_assertion: foreignAssertion };
    expect(refusal(await site.redeem(code, asOther))).toEqual([401, 'invalid_client']);
    expect((await site.redeem(code, { client_id: 'bank' })).status).toBe(200);
  });

  test('EnsureHolderOfKeyRequired', async () => {
    expect(refusal(await site.redeem(await site.code(), {}, {}))).toEqual([400, 'invalid_request']);
    const own = await site.token({ grant_type: 'client_credentials' }, {}, 'api');
    expect(refusal(own)).toEqual([400, 'invalid_request']);
    await expect(site.running.issue({ sub: 'alice', client_id: 'bank' })).rejects.toThrow('bound to a key');
  });

  test('EnsureAuthorizationCodeIsBoundToClient', async () => {
    expect(refusal(await site.redeem(await site.code(), {}, undefined, 'other'))).toEqual([400, 'invalid_grant']);
  });

  test('AttemptReuseAuthorizationCodeAfterOneSecond', async () => {
    const code = await site.code();
    const { json } = await site.redeem(code);
    site.all.advance(1);
    expect(refusal(await site.redeem(code))).toEqual([400, 'invalid_grant']);
    expect((await site.ask(String(json['access_token']))).status).toBe(401);
  });

  test('AttemptToUseExpiredAuthCode', async () => {
    const code = await site.code();
    site.all.advance(61);
    expect(refusal(await site.redeem(code))).toEqual([400, 'invalid_grant']);
  });

  test('EnsureClientAssertionInTokenEndpoint', async () => {
    const form = { grant_type: 'authorization_code', code: await site.code(), redirect_uri: CALLBACK };
    const whole = { ...form, code_verifier: PKCE.verifier, client_id: 'bank' };
    expect(refusal(await site.http.post(path.token, whole, site.proof(path.token)))).toEqual([401, 'invalid_client']);
  });

  test('EnsureClientAssertionWithExpIs5MinutesInPastFails, EnsureClientAssertionWithWrongAudFails, EnsureClientAssertionWithNoSubFails', async () => {
    const code = await site.code();
    for (const claims of [{ exp: site.now - 300 }, { aud: 'https://wrong.example' }, { sub: undefined }])
      expect(refusal(await site.redeem(code, site.credentials('bank', claims)))).toEqual([401, 'invalid_client']);
    expect((await site.redeem(code)).status).toBe(200);
  });

  test('DpopNegativeTests', async () => {
    const { json } = await site.redeem(await site.code());
    await site.refusesWrongProofs(String(json['access_token']));
    const rsa = new ProofMaker('RS256');
    expect(refusal(await site.redeem(await site.code(), {}, site.proof(path.token, {}, rsa)))).toEqual([
      400,
      'invalid_dpop_proof',
    ]);
  });

  test('RefreshToken', async () => {
    const { json } = await site.redeem(await site.code());
    const token = String(json['refresh_token']);
    const again = await site.refresh(token);
    expect([again.status, again.json['refresh_token'] ?? token]).toEqual([200, token]);
    site.all.advance(40);
    expect((await site.refresh(token)).status).toBe(200);
    expect(refusal(await site.refresh(token, {}))).toEqual([400, 'invalid_request']);
    // The second client can use neither.
    const form = { grant_type: 'refresh_token', refresh_token: token };
    expect(refusal(await site.token(form, undefined, 'other'))).toEqual([400, 'invalid_grant']);
    const url = `${site.running.origin}/guarded/profile`;
    const access = String(json['access_token']);
    const dpop = foreign.proof({ method: 'GET', url, iat: site.now, token: access });
    const asked = await site.http.get(url, { authorization: `DPoP ${access}`, dpop });
    expect(refusal(asked)).toEqual([401, 'invalid_dpop_proof']);
  });

  test('EnsureServerAcceptsReusedRequestUriBeforeAuthenticationCompletion, AttemptReuseRequestUri', async () => {
    const request_uri = await site.reference();
    const browser = site.browser();
    const page = await browser.signIn(await browser.authorize({ client_id: 'bank', request_uri }));
    expect(isConsent(page)).toBe(true);
    const again = await browser.authorize({ client_id: 'bank', request_uri });
    expect(isConsent(again)).toBe(true);
    expect(responseOf(await browser.submit(again, { decision: 'approve' }))).toHaveProperty('code');
    expect((await browser.authorize({ client_id: 'bank', request_uri })).headers.location ?? '').not.toContain('code=');
  });

  test('AttemptToUseExpiredRequestUri', async () => {
    const request_uri = await site.reference();
    site.all.advance(91);
    expect(errorOf(await site.browser().authorize({ client_id: 'bank', request_uri }))).toBe(400);
  });

  test('EnsureJWTClientAssertionWithIatNbf8SecondsInTheFutureIsAccepted, EnsureJWTClientAssertionWithIatNbfOver60SecondsInTheFutureFails', async () => {
    const ahead = (seconds: number) => ({ iat: site.now + seconds, nbf: site.now + seconds, exp: site.now + 300 });
    expect((await site.push(site.credentials('bank', ahead(8)))).status).toBe(201);
    expect((await site.push(site.credentials('bank', ahead(10)))).status).toBe(201);
    for (const claims of [ahead(61), { ...ahead(0), iat: site.now + 61 }, { ...ahead(0), nbf: site.now + 61 }])
      expect(refusal(await site.push(site.credentials('bank', claims)))).toEqual([401, 'invalid_client']);
    const expired = { exp: site.now - 11 };
    expect(refusal(await site.push(site.credentials('bank', expired)))).toEqual([401, 'invalid_client']);
  });

  test('EnsureRequestUriIsBoundToClient', async () => {
    const request_uri = await site.reference();
    expect(errorOf(await site.browser().authorize({ client_id: 'other', request_uri }))).toBe(400);
  });

  test('RejectRequestUriInParAuthorizationFormParams, RejectInvalidHttpVerb', async () => {
    expect(refusal(await site.push({ request_uri: `${PREFIX}x` }))).toEqual([400, 'invalid_request']);
    expect((await site.http.get(path.par)).status).toBe(405);
    expect((await site.http.request(path.par, { method: 'PUT' })).status).toBe(405);
  });

  test('EnsurePKCERequired, EnsurePlainPKCERejected', async () => {
    const { code_challenge_method: ___, ...without } = WITHOUT_CHALLENGE;
    const missing = await site.http.post('/oauth/par', { ...without, ...site.credentials() });
    expect(refusal(missing)).toEqual([400, 'invalid_request']);
    const plain = { code_challenge: PKCE.verifier, code_challenge_method: 'plain' };
    expect(refusal(await site.push(plain))).toEqual([400, 'invalid_request']);
  });

  test('EnsurePKCECodeVerifierRequired, IncorrectPKCECodeVerifierRejected', async () => {
    const code = await site.code();
    expect(refusal(await site.redeem(code, { code_verifier: '' }))).toEqual([400, 'invalid_grant']);
    expect(refusal(await site.redeem(code, { code_verifier: 'x'.repeat(43) }))).toEqual([400, 'invalid_grant']);
  });

  test('ParWithoutDuplicateParameters', async () => {
    const request_uri = await site.reference();
    expect(responseOf(await site.browser().authorizeFor({ client_id: 'bank', request_uri }))).toHaveProperty('code');
  });

  test('EndpointAsArrayAudienceFails, EndpointAsAudienceFails, TokenEndpointAsAudienceFails', async () => {
    const { base } = site.running;
    for (const aud of [[base], [base, base + path.par], base + path.par, base + path.token, [base + path.token]])
      expect(refusal(await site.push(site.credentials('bank', { aud })))).toEqual([401, 'invalid_client']);
  });
});

describe.each(HOSTS)('the same with OpenID Connect, on $name', (host) => {
  const site = useFapi(host, {
    features: [
      openIdConnect({ keys: [{ key: P256 }], claims: () => ({ name: 'Alice Liddell' }), idTokenClaims: 'minimal' }),
    ],
  });

  /** The claims of the ID token of a request. */
  const idToken = async (form: Readonly<Record<string, string>>, outside: Readonly<Record<string, string>> = {}) => {
    const request_uri = await site.reference({ scope: 'openid', ...form });
    const answer = await site.browser().authorizeFor({ client_id: 'bank', request_uri, ...outside });
    const { json } = await site.redeem(responseOf(answer)['code'] ?? '');
    const { json: keys } = await site.http.get('/oauth/jwks');
    const { payload } = await jwtVerify(String(json['id_token']), createLocalJWKSet(keys as never), {
      issuer: site.running.base,
      audience: 'bank',
      algorithms: ['ES256'],
      currentDate: new Date(site.all.clock()),
    });
    return payload;
  };

  test('EnsureAuthorizationRequestWithoutNonceSuccess, EnsureAuthorizationRequestWith64CharNonceSuccess, EnsureAuthorizationRequestWithLongNonce', async () => {
    expect(await idToken({})).not.toHaveProperty('nonce');
    for (const nonce of ['n'.repeat(64), 'n'.repeat(512)]) expect((await idToken({ nonce })).nonce).toBe(nonce);
    const { json } = await site.http.get('/.well-known/openid-configuration');
    expect(json['id_token_signing_alg_values_supported']).toEqual(['ES256']);
    expect(json['response_modes_supported']).toEqual(['query']);
  });

  test('TestClaimsParameterIdentityClaims', async () => {
    const claims = JSON.stringify({ id_token: { name: { essential: true }, website: null } });
    expect(await idToken({ claims })).toMatchObject({ name: 'Alice Liddell' });
    expect(await idToken({})).not.toHaveProperty('name');
  });

  test('EnsureDifferentNonceInsideAndOutsideRequestObject', async () => {
    expect((await idToken({ nonce: 'inside' }, { nonce: 'outside' })).nonce).toBe('inside');
  });
});
