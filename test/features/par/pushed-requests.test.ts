import { generateKeyPair, exportJWK, SignJWT } from 'jose';
import { pushedRequests } from 'oauth-query/par';
import { selfRegistration } from 'oauth-query/self-registration';
import { describe, expect, test } from 'vitest';
import { oauthQuery } from '../../../src/adapters/node/index.js';
import { dpop } from '../../../src/features/dpop/index.js';
import { memoryStore } from '../../../src/stores/memory.js';
import { APP, CALLBACK, DocumentServers, Publisher } from '../../clients/support/publisher.js';
import { basic, eachFramework, hostFor, useHost } from '../../hosts.js';
import { formOf, locationOf, PKCE, responseOf, wordsOf } from '../../oauth/support/browser.js';
import { Deadlines, START } from '../../oauth/support/fixture.js';
import { Gate } from '../../oauth/support/gate.js';
import { turns } from '../../oauth/support/nodes.js';
import { refusal } from '../../oauth/support/tokens.js';
import { ProofMaker } from '../dpop/keys.js';
import { openIdFixture } from '../openid/support.js';
import { PREFIX, PushSite, SECRET, SPA, startPush, usePush, WEB } from './site.js';

const HOST = hostFor(import.meta.url)[0];
const DAY = 86_400;

test('PA1 without the option there is no endpoint and no member, and a request_uri is ignored', async () => {
  const site = await startPush(HOST, 'off');
  expect((await site.push(WEB)).status).toBe(404);
  const metadata = await site.http.get('/.well-known/oauth-authorization-server');
  expect(metadata.text).not.toContain('push');
  const answer = await site.browser().authorizeFor({ ...WEB, request_uri: `${PREFIX}x` });
  expect(responseOf(answer)).toHaveProperty('code');
});

describe.each(eachFramework)('PA2 on $name', (host) => {
  test('#112 a client hands its request over, and sends the browser with a reference (RFC 9126 §2, §4)', async () => {
    const site = await startPush(host, {}, { cors: ['https://spa.example'] });
    const pushed = await site.push(WEB);
    expect([pushed.status, pushed.headers['cache-control']]).toEqual([201, 'no-store']);
    expect(pushed.json).toEqual({ request_uri: expect.stringContaining(PREFIX), expires_in: 90 });
    const request_uri = String(pushed.json['request_uri']);
    const { code, state, iss } = responseOf(await site.browser().authorizeFor({ client_id: 'web', request_uri }));
    expect([state, iss]).toEqual(['xyz', site.running.base]);
    expect((await site.redeem(code, WEB)).json['scope']).toBe('profile');
    expect((await site.push(SPA)).status).toBe(201);

    for (const form of [{ ...WEB, client_id: 'nobody' }, { response_type: 'code' }])
      expect(refusal(await site.push(form))).toEqual([401, 'invalid_client']);
    const wrong = await site.http.post('/oauth/par', WEB, basic('web', 'wrong'));
    expect([wrong.status, wrong.headers['www-authenticate']]).toEqual([401, 'Basic realm="oauth"']);
    const read = await site.http.get('/oauth/par');
    expect([read.status, read.headers.allow]).toEqual([405, 'POST']);
    expect((await site.push({ ...WEB, state: 'x'.repeat(30_000) })).status).toBe(413);
    const json = { 'content-type': 'application/json' };
    expect((await site.http.request('/oauth/par', { method: 'POST', headers: json, body: '{}' })).status).toBe(400);

    const origin = { origin: 'https://spa.example' };
    const before = await site.http.request('/oauth/par', {
      method: 'OPTIONS',
      headers: { ...origin, 'access-control-request-method': 'POST' },
    });
    expect(before.headers['access-control-allow-origin']).toBe(origin.origin);
    expect((await site.push(SPA, origin)).headers['access-control-allow-origin']).toBe(origin.origin);
    expect(site.all.errors).toEqual([]);
  });
});

test('PA2 a client with a document that no process knows yet may push', async () => {
  const servers = new DocumentServers(new Publisher(), {}, { secret: SECRET, features: [pushedRequests()] });
  const { http, browser } = await servers.open();
  const form = { ...SPA, client_id: APP, redirect_uri: CALLBACK };
  const { json } = await http.post('/oauth/par', form);
  const answer = await browser.authorizeFor({ client_id: APP, request_uri: String(json['request_uri']) });
  expect(responseOf(answer)).toHaveProperty('code');
  await servers.close();
});

describe('one server', () => {
  const site = usePush(HOST, { lifetime: 60 }, { grants: ['authorization_code', 'implicit', 'refresh_token'] });

  const { redirect_uri: _, ...withoutRedirect } = WEB;
  const { code_challenge: __, ...publicWithoutChallenge } = SPA;

  test.each([
    ['an unknown redirect URI', { ...WEB, redirect_uri: 'https://evil.example/cb' }, 'invalid_request'],
    ['one that is repeated', { ...WEB, redirect_uri: [WEB.redirect_uri, WEB.redirect_uri] }, 'invalid_request'],
    ['an unknown response_type', { ...WEB, response_type: 'id_token' }, 'unsupported_response_type'],
    ['one that the client may not use', { ...WEB, response_type: 'token' }, 'unauthorized_client'],
    ['no challenge of a public client', { ...publicWithoutChallenge, code_challenge_method: '' }, 'invalid_request'],
    ['a scope of others', { ...WEB, scope: 'introspect' }, 'invalid_scope'],
    ['an unknown resource', { ...WEB, resource: 'https://other.example' }, 'invalid_target'],
    ['another request', { ...WEB, request_uri: `${PREFIX}x` }, 'invalid_request'],
    ['another client', { ...WEB, client_id: 'spa' }, 'invalid_request', basic('web', 'web-secret')],
  ])(
    'PA3 %s is an error for the client, as JSON',
    async (_name, form, error, headers: Readonly<Record<string, string>> = {}) => {
      const answer = await site.push(form, headers);
      expect(refusal(answer)).toEqual([400, error]);
      expect(answer.headers['content-type']).toContain('application/json');
      expect(answer.json['error_description']).not.toContain('app.example');
    },
  );

  test('PA2 the response_mode that was pushed is that of the code and of errors; one beside the reference is ignored', async () => {
    const push = async (more: object) => ({
      client_id: 'web',
      request_uri: String((await site.push({ ...WEB, ...more })).json['request_uri']),
    });
    const page = await site.browser().authorizeFor(await push({ response_mode: 'form_post' }));
    const { action, method, fields } = formOf(page);
    expect([page.status, action, method]).toEqual([200, WEB.redirect_uri, 'post']);
    expect(fields).toEqual({ code: expect.any(String), state: WEB.state, iss: site.running.base });
    expect((await site.redeem(fields['code'], WEB)).status).toBe(200);

    const denied = await site.browser().authorizeFor(await push({ response_mode: 'form_post' }), { decision: 'deny' });
    expect(formOf(denied)).toMatchObject({
      action: WEB.redirect_uri,
      fields: { error: 'access_denied', state: WEB.state, iss: site.running.base },
    });
    const beside = { ...(await push({})), response_mode: 'form_post' };
    expect(responseOf(await site.browser().authorizeFor(beside))).toHaveProperty('code');
  });

  test('PA3, PA11 a missing redirect URI is refused where the client has several; the operator learns of what was refused', async () => {
    expect((await site.push(withoutRedirect)).status).toBe(201);
    site.all.events.length = 0;
    await site.push({ ...WEB, redirect_uri: 'https://evil.example/cb' });
    expect(site.all.events).toMatchObject([
      {
        type: 'authorization.refused',
        reason: 'unregistered_redirect_uri',
        client_id: 'web',
        error: 'invalid_request',
      },
    ]);
  });

  test('PA4 strangers push all day and leave nothing', async () => {
    const before = site.all.store.size;
    for (let count = 0; count < 200; count += 100)
      await Promise.all(Array.from({ length: 100 }, () => site.reference(SPA)));
    expect(site.all.store.size).toBe(before);
  });

  test('PA5 a reference ends, and the request that came with it in time lives on for its usual ten minutes', async () => {
    const request_uri = await site.reference(WEB);
    const browser = site.browser();
    site.all.advance(59);
    const page = await browser.authorize({ client_id: 'web', request_uri });
    expect(page.status).toBe(200);
    site.all.advance(1);
    const late = await site.browser().authorize({ client_id: 'web', request_uri });
    expect([late.status, late.headers.location]).toEqual([400, undefined]);
    site.all.advance(590);
    const consent = await browser.signIn(page);
    expect(responseOf(await browser.submit(consent, { decision: 'approve' }))).toHaveProperty('code');
  });

  test('PA6 a reference of another client, one that was changed and a repeated one end on a page', async () => {
    const request_uri = await site.reference(WEB);
    const last = request_uri.endsWith('A') ? 'B' : 'A';
    for (const parameters of [
      { client_id: 'spa', request_uri },
      { request_uri },
      { client_id: 'web', request_uri: request_uri.slice(0, -1) + last },
      { client_id: 'web', request_uri: PREFIX },
      { client_id: 'web', request_uri: [request_uri, request_uri] },
      { client_id: ['web', 'spa'], request_uri },
    ]) {
      const answer = await site.browser().authorize(parameters);
      expect([answer.status, answer.headers.location]).toEqual([400, undefined]);
      expect(answer.headers['content-type']).toContain('text/html');
    }
    const answer = await site.browser().authorizeFor({
      client_id: 'web',
      request_uri,
      ...{ scope: 'introspect', state: ['a', 'b'], redirect_uri: 'https://evil.example/cb', response_type: 'token' },
    });
    expect(locationOf(answer)).toMatch(/^https:\/\/app\.example\/cb\?code=.*&state=xyz/);
  });

  test('PA6 what travels through the browser is no reference, and a reference is not what travels', async () => {
    const browser = site.browser();
    const { resume = '' } = formOf(await browser.authorize(WEB)).fields;
    expect((await browser.authorize({ client_id: 'web', request_uri: PREFIX + resume })).status).toBe(400);
    const request_uri = await site.reference(WEB);
    expect((await browser.authorize({ resume: request_uri.slice(PREFIX.length) })).status).toBe(400);
  });

  test('PA6 a browser may also come with a form', async () => {
    const request_uri = await site.reference({ ...WEB, ui_locales: 'en' });
    const answer = await site.http.post('/oauth/authorize', { client_id: 'web', request_uri });
    expect([answer.status, answer.headers.location]).toMatchObject([303, expect.stringContaining('resume=')]);
  });

  test('PA7 two tabs lead to one code; reloading before is fine', async () => {
    const request = { client_id: 'web', request_uri: await site.reference(WEB) };
    const browser = site.browser();
    const one = await browser.signIn(await browser.authorize(request));
    const two = await browser.authorize(request);
    expect(formOf(two).fields).toHaveProperty('form_token');
    const { code } = responseOf(await browser.submit(one, { decision: 'approve' }));
    // The same press again gets the same code, and nobody gets a second one.
    expect(responseOf(await browser.submit(two, { decision: 'approve' })).code).toBe(code);
    expect((await site.redeem(code, WEB)).status).toBe(200);
    for (const seconds of [0, 20, 570]) {
      site.all.advance(seconds);
      expect((await browser.submit(two, { decision: 'approve' })).status).toBe(400);
    }
  });

  test('PA7 a tab that was opened late cannot allow again what was allowed early', async () => {
    const request = { client_id: 'web', request_uri: await site.reference(WEB) };
    const browser = site.browser();
    const early = await browser.signIn(await browser.authorize(request));
    expect(responseOf(await browser.submit(early, { decision: 'approve' }))).toHaveProperty('code');
    site.all.advance(59);
    const late = await browser.authorize(request);
    expect(formOf(late).fields).toHaveProperty('form_token');
    site.all.advance(595);
    expect((await browser.submit(late, { decision: 'approve' })).status).toBe(400);
  });

  test('PA8 a request has a length that fits into an address', async () => {
    const sizes: number[] = [];
    for (const length of [3000, 3500, 3900, 4096]) {
      const answer = await site.push({ ...WEB, state: 'x'.repeat(length) });
      if (answer.status === 201) {
        const request_uri = String(answer.json['request_uri']);
        const page = await site.browser().authorize({ client_id: 'web', request_uri });
        expect([page.status, request_uri.length < 7000]).toEqual([200, true]);
      }
      sizes.push(answer.status);
    }
    expect(sizes).toEqual([201, 201, 413, 413]);
  });

  test('PA9 the metadata name the endpoint', async () => {
    const { json } = await site.http.get('/.well-known/oauth-authorization-server');
    expect(json['pushed_authorization_request_endpoint']).toBe(`${site.running.base}/oauth/par`);
    expect(json).not.toHaveProperty('require_pushed_authorization_requests');
  });
});

test('PA7 an approval without a question is also given once', async () => {
  const site = await startPush(HOST, {}, { lifetimes: { rememberedConsent: DAY } });
  const browser = site.browser();
  await browser.authorizeFor(WEB);
  const request = { client_id: 'web', request_uri: await site.reference(WEB) };
  const { code } = responseOf(await browser.authorize(request));
  expect((await site.redeem(code, WEB)).status).toBe(200);
  for (const seconds of [0, 30, 59]) {
    site.all.advance(seconds);
    const again = await browser.authorize(request);
    expect([again.status, again.headers.location]).toEqual([400, undefined]);
  }
  const tabs = { client_id: 'web', request_uri: await site.reference(WEB) };
  const answers = await Promise.all(Array.from({ length: 5 }, () => browser.authorize(tabs)));
  expect(answers.filter(({ headers }) => headers.location !== undefined)).toHaveLength(1);
  expect(site.all.errors).toEqual([]);
});

test('PA7 an approval without a question that nobody waits for any more does not count', async () => {
  const deadlines = new Deadlines();
  const gate = new Gate(memoryStore({ clock: () => START }));
  const more = { lifetimes: { rememberedConsent: DAY }, runtime: { timer: deadlines.timer }, store: gate.store };
  const site = await startPush(HOST, {}, more);
  const browser = site.browser();
  await browser.authorizeFor(WEB);
  const request = { client_id: 'web', request_uri: await site.reference(WEB) };
  const { arrived, letGo } = gate.hold('getMany', '');
  const late = browser.authorize(request);
  await arrived;
  deadlines.pass();
  expect((await late).status).toBe(503);
  letGo();
  await turns(50);
  expect(responseOf(await browser.authorize(request))).toHaveProperty('code');
});

test('PA9 a server, or a client, may take no other requests', async () => {
  const required = await startPush(HOST, { required: true, path: '/push' });
  const { json } = await required.http.get('/.well-known/oauth-authorization-server');
  expect(json).toMatchObject({
    require_pushed_authorization_requests: true,
    pushed_authorization_request_endpoint: `${required.running.base}/push`,
  });
  const refused = responseOf(await required.browser().authorize(WEB));
  expect(refused).toMatchObject({ error: 'invalid_request', state: 'xyz' });
  const { request_uri } = (await required.http.post('/push', SPA)).json as { request_uri: string };
  expect(responseOf(await required.browser().authorizeFor({ client_id: 'spa', request_uri }))).toHaveProperty('code');

  const careful = { ...SPA, client_id: 'careful' };
  const clients = [
    {
      client_id: 'careful',
      redirect_uris: [SPA.redirect_uri],
      require_pushed_authorization_requests: true,
      scope: 'profile',
    },
  ] as const;
  const site = await startPush(HOST, {}, { clients });
  expect(responseOf(await site.browser().authorize(careful))['error']).toBe('invalid_request');
  expect(responseOf(await site.browser().authorizeFor(SPA))).toHaveProperty('code');
  const pushed = await site.reference(careful);
  expect(responseOf(await site.browser().authorizeFor({ client_id: 'careful', request_uri: pushed }))).toHaveProperty(
    'code',
  );
  expect(() =>
    oauthQuery({ ...{ issuer: site.running.base, clients }, scopes: { profile: '…' }, onWarning: () => undefined }),
  ).toThrow(/needs pushedRequests\(\)/);
});

test('PA9 a client that registered itself so takes no other requests', async () => {
  const site = await startPush(HOST, {}, { features: [selfRegistration()] });
  const { redirect_uri } = SPA;
  const registered = await site.http.request('/oauth/register', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [redirect_uri], require_pushed_authorization_requests: true }),
  });
  expect(registered.json['require_pushed_authorization_requests']).toBe(true);
  const request = { ...SPA, client_id: String(registered.json['client_id']) };
  expect(responseOf(await site.browser().authorize(request))['error']).toBe('invalid_request');
  const reference = { client_id: request.client_id, request_uri: await site.reference(request) };
  expect(responseOf(await site.browser().authorizeFor(reference))).toHaveProperty('code');
});

describe('PA10 with proofs', () => {
  const key = new ProofMaker();
  const thief = new ProofMaker();
  const clients = [
    { client_id: 'bound', redirect_uris: [SPA.redirect_uri], dpop_bound_access_tokens: true, scope: 'profile' },
  ] as const;
  const site = usePush(HOST, {}, { features: [dpop({ nonce: 'required' })], clients });

  const iat = (): number => Math.floor(site.all.clock() / 1000);
  const proof = (path: string, by: ProofMaker, nonce?: string) => ({
    dpop: by.proof({ method: 'POST', url: site.running.base + path, iat: iat(), nonce }),
  });

  test('a proof binds the code as dpop_jkt does, and a nonce is asked for', async () => {
    const challenged = await site.push(SPA, proof('/oauth/par', key));
    expect(refusal(challenged)).toEqual([400, 'use_dpop_nonce']);
    const nonce = String(challenged.headers['dpop-nonce']);
    const request_uri = await site.reference(SPA, proof('/oauth/par', key, nonce));
    const { code } = responseOf(await site.browser().authorizeFor({ client_id: 'spa', request_uri }));
    for (const headers of [{}, proof('/oauth/token', thief, nonce)])
      expect(refusal(await site.redeem(code, SPA, headers))).toEqual([400, 'invalid_grant']);
    expect((await site.redeem(code, SPA, proof('/oauth/token', key, nonce))).json['token_type']).toBe('DPoP');
  });

  test('a proof and another dpop_jkt, a proof for another address, and none, which only the token request of a bound client needs', async () => {
    const nonce = String((await site.push(SPA, proof('/oauth/par', key))).headers['dpop-nonce']);
    const headers = proof('/oauth/par', key, nonce);
    const refused = [400, 'invalid_dpop_proof'];
    expect(refusal(await site.push({ ...SPA, dpop_jkt: thief.jkt }, headers))).toEqual(refused);
    expect((await site.push({ ...SPA, dpop_jkt: key.jkt }, headers)).status).toBe(201);
    expect(refusal(await site.push(SPA, proof('/oauth/token', key, nonce)))).toEqual(refused);
    const bound = { ...SPA, client_id: 'bound' };
    expect((await site.push(bound)).status, 'RFC 9449 §10.1').toBe(201);
    expect((await site.push({ ...bound, dpop_jkt: key.jkt })).status).toBe(201);
    expect((await site.push(bound, headers)).status).toBe(201);
    site.all.advance(31);
    const stale = await site.push({ ...SPA, scope: 'introspect' }, headers);
    expect([stale.json['error'], stale.headers['dpop-nonce']]).toEqual(['invalid_scope', expect.any(String)]);
  });
});

test('PA12 an assertion names the issuer, and works once', async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const clients = [
    {
      client_id: 'signer',
      jwks: { keys: [await exportJWK(publicKey)] },
      redirect_uris: [SPA.redirect_uri],
      scope: 'profile',
    },
  ] as never;
  const site = await startPush(HOST, {}, { clients });
  const now = Math.floor(site.all.clock() / 1000);
  const assertion = (aud: string, jti: string): Promise<string> =>
    new SignJWT({ jti })
      .setProtectedHeader({ alg: 'ES256' })
      .setIssuer('signer')
      .setSubject('signer')
      .setAudience(aud)
      .setIssuedAt(now)
      .setExpirationTime(now + 60)
      .sign(privateKey);
  const push = (client_assertion: string) =>
    site.push({
      ...{ ...SPA, client_id: 'signer', client_assertion },
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    });
  const first = await assertion(site.running.base, 'one');
  expect((await push(first)).status).toBe(201);
  for (const wrong of [first, await assertion('https://other.example', 'two'), 'x.y.z'])
    expect(refusal(await push(wrong))).toEqual([401, 'invalid_client']);
  expect((await site.push({ ...SPA, client_id: 'signer' })).status).toBe(401);
});

describe('PA13 with OpenID Connect', () => {
  const all = openIdFixture({}, { features: [pushedRequests()], resources: ['https://api.example/'] });
  const site = new PushSite(useHost(HOST, { options: all.options }), all);

  test('its parameters and resources are part of what was pushed', async () => {
    const request = {
      ...{ ...WEB, client_id: 'rp', scope: 'openid profile', nonce: 'n-1', resource: 'https://api.example/' },
      ...{ redirect_uri: 'https://rp.example/cb', login_hint: 'alice', max_age: '300' },
    };
    const headers = basic('rp', 'rp-secret');
    const silent = await site.reference({ ...request, prompt: 'none' }, headers);
    const browser = site.browser();
    const login = responseOf(await browser.authorize({ client_id: 'rp', request_uri: silent }));
    expect(login['error']).toBe('login_required');
    const request_uri = await site.reference(request, headers);
    const { code = '' } = responseOf(await browser.authorizeFor({ client_id: 'rp', request_uri }));
    const form = { grant_type: 'authorization_code', code, redirect_uri: request.redirect_uri };
    const { json } = await site.http.post('/oauth/token', { ...form, code_verifier: PKCE.verifier }, headers);
    const payload = String(json['id_token']).split('.')[1] ?? '';
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({ nonce: 'n-1', sub: 'alice' });
    expect(refusal(await site.push({ ...request, request: 'x.y.z' }, headers))).toEqual([400, 'request_not_supported']);
    const other = await browser.authorize({ ...request, request_uri: 'https://app.example/request' });
    expect(responseOf(other)['error']).toBe('request_uri_not_supported');
  });
});

test('the languages of a pushed request are those of the pages', async () => {
  const { german, english } = await import('oauth-query/languages');
  const site = await startPush(HOST, {}, { languages: [english, german] });
  const words = async (ui_locales: string): Promise<string> => {
    const request_uri = await site.reference({ ...WEB, ui_locales });
    const browser = site.browser();
    const page = await browser.authorize({ client_id: 'web', request_uri });
    return wordsOf(page) + wordsOf(await browser.signIn(page));
  };
  expect(await words('de')).toMatch(/Anmelden.*Erlauben/);
  expect(await words('en')).toMatch(/Sign in.*Allow/);
});

test('options that do not fit are named', () => {
  expect(() => pushedRequests({ lifetime: 601 })).toThrow(/lifetime/);
  expect(() => pushedRequests({ path: 'par' })).toThrow(/path/);
  const base = { issuer: 'http://127.0.0.1:3000', secret: SECRET, onWarning: () => undefined };
  expect(() => oauthQuery({ ...base, features: [pushedRequests()], grants: ['client_credentials'] })).toThrow(
    /pushedRequests\(\) needs/,
  );
  expect(() => oauthQuery({ ...base, features: [pushedRequests as never] })).toThrow(/features\[0\] is a function/);
  expect(() => oauthQuery({ ...base, features: [pushedRequests({ path: '/oauth/token' })] })).toThrow(/\/oauth\/token/);
});
