import { describe, expect, test } from 'vitest';
import { basic, bearer, oneHostEach } from '../../../hosts.js';
import { behindTls } from '../../../hosts/behind-tls.js';
import { isSignIn, PKCE } from '../../../oauth/support/browser.js';
import { share } from '../../../rows.js';
import { ALICE } from '../support.js';
import { CALLBACK, type Mode, type Suite, useSuite } from './site.js';

/** The names of claims of a scope. */
const SCOPES = {
  profile: ['name', 'preferred_username', 'updated_at'],
  email: ['email', 'email_verified'],
  address: ['address'],
  phone: ['phone_number', 'phone_number_verified'],
} as const;

const ALL = 'openid profile email address phone';

const HOSTS = [...oneHostEach, behindTls];
const MODES: readonly Mode[] = ['query', 'form_post'];
const RUNS = HOSTS.flatMap((host) => MODES.map((mode) => ({ name: host.name, mode, host })));

const given = (names: readonly string[]) =>
  Object.fromEntries(Object.entries(ALICE).filter(([name]) => names.includes(name)));

/** Succeeds with this parameter, whatever it changes. */
const succeedsWith = async (suite: Suite, more: Readonly<Record<string, string>>): Promise<void> => {
  expect((await suite.idToken(more)).nonce).toBe('a nonce');
};

describe.each(share(RUNS))('the modules of Basic OP, response mode $mode, on $name', ({ host, mode }) => {
  const suite = useSuite(host, mode);

  test('oidcc-server', async () => {
    const tokens = await suite.tokens();
    expect(tokens['token_type']).toBe('Bearer');
    expect(Number(tokens['expires_in'])).toBeGreaterThan(0);
    const { claims } = await suite.verified(tokens['id_token']);
    expect(claims).toMatchObject({ nonce: 'a nonce', sub: expect.any(String) });
    const userinfo = await suite.userinfo(tokens['access_token']);
    expect([userinfo.status, userinfo.json]).toEqual([200, { sub: claims.sub }]);
  });

  test('oidcc-response-type-missing', async () => {
    const { response } = await suite.authorize({ response_type: '' });
    expect(response).toMatchObject({ error: 'invalid_request', state: 'a state' });
  });

  test('oidcc-idtoken-signature', async () => {
    const { header } = await suite.verified((await suite.tokens())['id_token']);
    expect(header).toEqual({ alg: 'RS256', typ: 'JWT', kid: expect.any(String) });
  });

  test('oidcc-userinfo-get, oidcc-userinfo-post-header, oidcc-userinfo-post-body', async () => {
    const { access_token = '', id_token } = await suite.tokens();
    const { sub } = (await suite.verified(id_token)).claims;
    const answers = [
      await suite.userinfo(access_token),
      await suite.http.post('/oauth/userinfo', '', bearer(access_token)),
      await suite.http.post('/oauth/userinfo', { access_token }),
    ];
    for (const answer of answers) expect([answer.status, answer.json]).toEqual([200, { sub }]);
  });

  test('oidcc-ensure-request-without-nonce-succeeds-for-code-flow', async () => {
    expect(await suite.idToken({ nonce: '' })).not.toHaveProperty('nonce');
  });

  test('oidcc-scope-profile, oidcc-scope-email, oidcc-scope-address, oidcc-scope-phone, oidcc-scope-all', async () => {
    for (const [scope, names] of Object.entries(SCOPES)) {
      const { access_token, scope: granted, id_token } = await suite.tokens({ scope: `openid ${scope}` });
      expect(String(granted).split(' ').toSorted()).toEqual(['openid', scope].toSorted());
      const { sub } = (await suite.verified(id_token)).claims;
      expect((await suite.userinfo(access_token)).json).toEqual({ sub, ...given(names) });
    }
    const { access_token } = await suite.tokens({ scope: ALL });
    expect((await suite.userinfo(access_token)).json).toMatchObject(given(Object.values(SCOPES).flat()));
  });

  test('oidcc-ensure-other-scope-order-succeeds', async () => {
    const { access_token } = await suite.tokens({ scope: 'email openid' });
    expect((await suite.userinfo(access_token)).json).toMatchObject(given(SCOPES.email));
  });

  test('oidcc-display-page, oidcc-display-popup', async () => {
    for (const display of ['page', 'popup']) await succeedsWith(suite, { display });
  });

  test('oidcc-prompt-login', async () => {
    const browser = suite.browser();
    const first = await suite.idToken({}, browser);
    suite.fixture.advance(2);
    const { response, signIns } = await suite.authorize({ prompt: 'login' }, browser);
    expect(signIns).toBe(1);
    const { json } = await suite.redeem(response?.['code'] ?? '');
    const { claims } = await suite.verified(json['id_token']);
    expect(claims.sub).toBe(first.sub);
    expect(Number(claims['auth_time'])).toBeGreaterThan(Number(first['auth_time']));
  });

  test('oidcc-prompt-none-not-logged-in', async () => {
    const { response, signIns } = await suite.authorize({ prompt: 'none' });
    expect([response?.['error'], response?.['state'], signIns]).toEqual(['login_required', 'a state', 0]);
    expect(response).not.toHaveProperty('code');
  });

  test('oidcc-prompt-none-logged-in', async () => {
    const browser = suite.browser();
    const first = await suite.idToken({}, browser);
    suite.fixture.advance(2);
    const { response, signIns } = await suite.authorize({ prompt: 'none' }, browser);
    expect(signIns).toBe(0);
    const { json } = await suite.redeem(response?.['code'] ?? '');
    const { claims } = await suite.verified(json['id_token']);
    expect([claims.sub, claims['auth_time']]).toEqual([first.sub, first['auth_time']]);
  });

  test('oidcc-max-age-1', async () => {
    const browser = suite.browser();
    const first = await suite.idToken({}, browser);
    suite.fixture.advance(2);
    const { response, signIns } = await suite.authorize({ max_age: '1' }, browser);
    expect(signIns).toBe(1);
    const { claims } = await suite.verified((await suite.redeem(response?.['code'] ?? '')).json['id_token']);
    expect(Number(claims['auth_time'])).toBeGreaterThan(Number(first['auth_time']));
  });

  test('oidcc-max-age-10000', async () => {
    const browser = suite.browser();
    const first = await suite.idToken({ max_age: '10000' }, browser);
    suite.fixture.advance(2);
    const { response, signIns } = await suite.authorize({ max_age: '10000' }, browser);
    expect(signIns).toBe(0);
    const { claims } = await suite.verified((await suite.redeem(response?.['code'] ?? '')).json['id_token']);
    expect(claims['auth_time']).toBe(first['auth_time']);
  });

  test('oidcc-ensure-request-with-unknown-parameter-succeeds, oidcc-login-hint, oidcc-ui-locales, oidcc-claims-locales, oidcc-ensure-request-with-acr-values-succeeds', async () => {
    await succeedsWith(suite, { extra: 'foobar' });
    await succeedsWith(suite, { login_hint: 'alice@suite.example' });
    await succeedsWith(suite, { ui_locales: 'se' });
    await succeedsWith(suite, { claims_locales: 'se' });
    await succeedsWith(suite, { acr_values: '1 2' });
  });

  test('oidcc-id-token-hint', async () => {
    const browser = suite.browser();
    const { id_token = '' } = await suite.tokens({}, browser);
    const { response, signIns } = await suite.authorize({ prompt: 'none', id_token_hint: id_token }, browser);
    expect([typeof response?.['code'], signIns]).toEqual(['string', 0]);
  });

  test('oidcc-codereuse, oidcc-codereuse-30seconds', async () => {
    const { code } = await suite.succeed();
    const { access_token } = (await suite.redeem(code)).json;
    const again = await suite.redeem(code);
    expect([again.status, again.json['error']]).toEqual([400, 'invalid_grant']);
    expect((await suite.userinfo(access_token)).status).toBe(401);
    const other = await suite.succeed();
    const late = (await suite.redeem(other.code)).json;
    suite.fixture.advance(30);
    expect((await suite.redeem(other.code)).json['error']).toBe('invalid_grant');
    expect((await suite.userinfo(late['access_token'])).status).toBe(401);
  });

  test('oidcc-ensure-registered-redirect-uri: a person looks at the page', async () => {
    const { response, page } = await suite.authorize({ redirect_uri: `${CALLBACK}/other` });
    expect([response, page.status, page.headers.location]).toEqual([undefined, 400, undefined]);
    expect(page.headers['content-type']).toMatch(/^text\/html/);
  });

  test('oidcc-ensure-post-request-succeeds', async () => {
    const browser = suite.browser();
    const { pathname } = new URL(`${suite.running.base}/oauth/authorize`);
    const fields = Object.entries(suite.request())
      .map(([name, value]) => `<input name="${name}" value="${value}">`)
      .join('');
    const page = { text: `<form method="post" action="${pathname}">${fields}</form>` };
    const { response } = await suite.visit(await browser.follow(await browser.submit(page)), browser);
    expect((await suite.redeem(response?.['code'] ?? '')).status).toBe(200);
  });

  test('oidcc-server-client-secret-post', async () => {
    const { code } = await suite.succeed();
    const credentials = { client_id: 'first', client_secret: 'first-secret' };
    expect((await suite.redeem(code, credentials, {})).status).toBe(200);
  });

  test('oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported', async () => {
    const { response } = await suite.authorize({ request_uri: 'https://suite.example/request.jwt' });
    expect(response).toMatchObject({ error: 'request_uri_not_supported', state: 'a state' });
  });

  test('oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported, oidcc-ensure-request-object-with-redirect-uri', async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const request = `${part({ alg: 'none' })}.${part({ ...suite.request(), redirect_uri: `${CALLBACK}/inside` })}.`;
    const { response } = await suite.authorize({ request });
    expect(response).toMatchObject({ error: 'request_not_supported', state: 'a state' });
  });

  test('oidcc-claims-essential', async () => {
    const claims = JSON.stringify({ userinfo: { name: { essential: true } } });
    const { access_token } = await suite.tokens({ claims });
    expect((await suite.userinfo(access_token)).json['name']).toBe(ALICE.name);
  });

  test('oidcc-refresh-token', async () => {
    const { refresh_token = '', id_token } = await suite.tokens();
    const first = (await suite.verified(id_token)).claims;
    suite.fixture.advance(2);
    const form = { grant_type: 'refresh_token', refresh_token };
    const other = await suite.http.post('/oauth/token', form, basic('second', 'second-secret'));
    expect([other.status, other.json['error']]).toEqual([400, 'invalid_grant']);
    const answer = await suite.http.post('/oauth/token', form, basic('first', 'first-secret'));
    const { claims } = await suite.verified(answer.json['id_token']);
    expect(claims).toMatchObject({ iss: first.iss, sub: first.sub, aud: first.aud, auth_time: first['auth_time'] });
    expect(Number(claims.iat)).toBeGreaterThan(Number(first.iat));
    expect((await suite.userinfo(answer.json['access_token'])).status).toBe(200);
  });

  test('oidcc-ensure-request-with-valid-pkce-succeeds', async () => {
    const { code } = await suite.succeed(PKCE.request);
    expect((await suite.redeem(code, { code_verifier: PKCE.verifier })).status).toBe(200);
  });
});

describe.each(HOSTS)('the module of Config OP on $name', (host) => {
  const suite = useSuite(host);

  test('oidcc-discovery-endpoint-verification', async () => {
    const { status, json, headers } = await suite.http.get('/.well-known/openid-configuration');
    const { base } = suite.running;
    expect([status, json['issuer']]).toEqual([200, base]);
    expect(headers['content-type']).toMatch(/^application\/json/);
    for (const name of ['authorization', 'token', 'userinfo', 'end_session', 'introspection', 'revocation'])
      expect(String(json[`${name}_endpoint`])).toMatch(new RegExp(`^${base}/`));
    expect(json).toMatchObject({
      jwks_uri: `${base}/oauth/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: expect.arrayContaining(['RS256']),
      scopes_supported: expect.arrayContaining(ALL.split(' ')),
      claims_supported: expect.arrayContaining(['sub', ...Object.values(SCOPES).flat()]),
      grant_types_supported: expect.arrayContaining(['authorization_code']),
      response_modes_supported: expect.arrayContaining([...MODES]),
      token_endpoint_auth_methods_supported: expect.arrayContaining(['client_secret_basic', 'client_secret_post']),
      claims_parameter_supported: true,
      request_parameter_supported: false,
      request_uri_parameter_supported: false,
    });
    const keys = (await suite.http.get('/oauth/jwks')).json['keys'] as readonly Record<string, unknown>[];
    expect(new Set(keys.map(({ kid }) => kid)).size).toBe(keys.length);
    for (const key of keys) {
      expect(key).toMatchObject({ use: 'sig', alg: expect.any(String), kid: expect.any(String) });
      for (const secret of ['d', 'p', 'q', 'k']) expect(key).not.toHaveProperty(secret);
    }
  });

  test('a sign-in page is what a person sees first', async () => {
    expect(isSignIn(await suite.browser().authorize(suite.request()))).toBe(true);
  });
});
