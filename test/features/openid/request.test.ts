import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { ownSecrets, Seal } from '../../../src/core/base/seal.js';
import { type Answer, Client, hostFor, useHost } from '../../hosts.js';
import { Browser, formOf, locationOf, responseOf, wordsOf } from '../../oauth/support/browser.js';
import { USERS } from '../../oauth/support/fixture.js';
import { everyRow } from '../../rows.js';
import { openIdFixture, rpsAt, signInto, verified } from './support.js';

const REQUEST = {
  client_id: 'rp',
  response_type: 'code',
  redirect_uri: 'https://rp.example/cb',
  scope: 'openid',
  state: 'the state',
} as const;

const FIRST_PARTY = {
  client_id: 'first',
  client_secret: 'first-secret',
  redirect_uris: ['https://first.example/cb'],
  scope: 'openid email',
  consent: 'skip',
} as const;

const isLogin = (page: Answer): boolean => page.status === 200 && 'password' in formOf(page).fields;

describe.each(hostFor(import.meta.url))('what a request says about the sign-in, on $name', (host) => {
  const { options, errors, events, store, advance, clock } = openIdFixture(
    {},
    { clients: [FIRST_PARTY], lifetimes: { rememberedConsent: 86_400, session: 86_400 } },
  );
  const running = useHost(host, { options }, errors);
  const flows = rpsAt(running);
  /** A code without PKCE. */
  const claimsOf = async (answer: Answer) => {
    const { code = '' } = responseOf(answer);
    const { json } = await flows.post('/oauth/token', 'rp', {
      ...{ grant_type: 'authorization_code', code, redirect_uri: REQUEST.redirect_uri },
    });
    return (await verified(json['id_token'], { issuer: running.base, audience: 'rp', now: clock() })).claims;
  };

  test('O35, O36, O71, O88: prompt=none shows nothing: login_required, consent_required, or a code', async () => {
    const browser = new Browser(running);
    const size = store.size;
    const nobody = await browser.authorize({ ...REQUEST, prompt: 'none' });
    expect(responseOf(nobody)).toEqual({
      ...{ error: 'login_required', error_description: expect.any(String) },
      ...{ state: 'the state', iss: running.base },
    });
    expect(nobody).toMatchObject({ status: 302, text: '' });
    expect(nobody.headers).not.toHaveProperty('set-cookie');
    expect(store.size).toBe(size);
    expect(events.at(-1)).toMatchObject({ type: 'authorization.refused', reason: 'login_required' });
    await browser.signIn(await browser.authorize(REQUEST));
    const [before, kept] = [JSON.stringify([...store.entries()]), JSON.stringify([...browser.cookies])];
    const unasked = await browser.authorize({ ...REQUEST, prompt: 'none' });
    expect(responseOf(unasked)).toMatchObject({ error: 'consent_required', state: 'the state', iss: running.base });
    expect(unasked).toMatchObject({ status: 302, text: '' });
    expect([JSON.stringify([...store.entries()]), JSON.stringify([...browser.cookies])]).toEqual([before, kept]);
    const allowed = await claimsOf(await browser.authorizeFor(REQUEST));
    const again = await claimsOf(await browser.authorize({ ...REQUEST, prompt: 'none' }));
    expect(again.sub).toBe(allowed.sub);
    // What is remembered covers the scopes it was given for.
    expect(responseOf(await browser.authorize({ ...REQUEST, scope: 'openid email', prompt: 'none' }))).toMatchObject({
      error: 'consent_required',
    });
  });

  test('O37: too many silent approvals lead to interaction_required, never to a page', async () => {
    const browser = new Browser(running);
    await browser.authorizeFor(REQUEST, { user: USERS[1] });
    const answers = [];
    for (let n = 0; n < 31; n += 1) answers.push(responseOf(await browser.authorize({ ...REQUEST, prompt: 'none' })));
    expect(answers.slice(0, 30).every(({ code }) => code !== undefined)).toBe(true);
    expect(answers[30]).toMatchObject({ error: 'interaction_required' });
    advance(61);
  });

  test('O38, O40: prompt=login asks for the password again, once, and auth_time is newer', async () => {
    const browser = new Browser(running);
    const before = await claimsOf(await browser.authorizeFor(REQUEST));
    // A sign-in in the same second, but before the request, is no new one.
    expect(isLogin(await browser.authorize({ ...REQUEST, prompt: 'login' }))).toBe(true);
    advance(10);
    const page = await browser.authorize({ ...REQUEST, prompt: 'login' });
    expect(isLogin(page)).toBe(true);
    // The same page again, without a new sign-in, is no way around it.
    expect(isLogin(await browser.open(formOf(page).action + '?resume=' + formOf(page).fields['resume']))).toBe(true);
    const after = await claimsOf(await browser.signIn(page));
    expect(after.auth_time).toBe(Number(before.auth_time) + 10);
  });

  test('O34: a session of an earlier version signs in, without a time, and is too old for every max_age', async () => {
    const secrets = ownSecrets(['a secret of the test that has 32 characters'], running.base);
    const seal = new Seal(secrets, 'session', clock, (size) => new Uint8Array(size).fill(7));
    const browser = new Browser(running);
    await browser.authorize(REQUEST);
    const [[name] = []] = [...browser.cookies];
    const expiresAt = clock() + 3_600_000;
    const sealed = seal.seal({ id: 'old', owner: { sub: 'alice' }, lastSignOut: null, expiresAt }, expiresAt);
    const cookie = `${name}=${sealed}`;
    expect((await new Client(running.origin).get('/signed-in', { cookie })).json).toEqual({ owner: { sub: 'alice' } });
    const { pathname } = new URL(`${running.base}/oauth/authorize`);
    const asked = (more: object) =>
      new Client(running.origin).get(`${pathname}?${new URLSearchParams({ ...REQUEST, ...more }).toString()}`, {
        cookie,
      });
    expect(isLogin(await asked({}))).toBe(false);
    expect(isLogin(await asked({ max_age: '86400' }))).toBe(true);
    expect(responseOf(await asked({ max_age: '86400', prompt: 'none' }))).toMatchObject({ error: 'login_required' });
  });

  test('O39, O23: max_age in seconds, 0 always, with prompt=none login_required', async () => {
    const browser = new Browser(running);
    await browser.authorizeFor(REQUEST);
    advance(5);
    const asked = async (max_age: string) => browser.authorize({ ...REQUEST, max_age });
    expect(isLogin(await asked('4'))).toBe(true);
    expect((await claimsOf(await asked('5'))).auth_time).toBe(Math.floor(clock() / 1000) - 5);
    expect((await asked('9'.repeat(99))).headers.location).toContain('code=');
    expect(isLogin(await asked('0'))).toBe(true);
    for (const wrong of ['-1', '1.5', '1e3', 'x', '0x10'])
      expect(responseOf(await asked(wrong))).toMatchObject({ error: 'invalid_request' });
    expect(responseOf(await browser.authorize({ ...REQUEST, max_age: '1', prompt: 'none' }))).toMatchObject({
      error: 'login_required',
    });
    const page = await asked('0');
    advance(30); // The sign-in takes a while, and the consent as well.
    const done = await browser.signIn(page);
    advance(30);
    expect((await claimsOf(done)).auth_time).toBe(Math.floor(clock() / 1000) - 30);
  });

  test('O41: prompt=consent asks again, also for a first-party client', async () => {
    const browser = new Browser(running);
    await browser.authorizeFor(REQUEST);
    expect((await browser.authorize(REQUEST)).headers.location).toContain('code=');
    const first = { ...REQUEST, client_id: 'first', redirect_uri: 'https://first.example/cb' };
    expect((await browser.authorize(first)).headers.location).toContain('code=');
    for (const request of [REQUEST, first]) {
      const page = await browser.authorize({ ...request, prompt: 'consent' });
      expect(Object.keys(formOf(page).fields)).toContain('form_token');
      expect(wordsOf(page)).toContain('Know who you are on this site');
      expect(responseOf(await browser.submit(page, { decision: 'approve' }))).toHaveProperty('code');
    }
  });

  test('O42: prompt=select_account offers to continue, and to use another account', async () => {
    const browser = new Browser(running);
    await browser.authorizeFor(REQUEST);
    const page = await browser.authorize({ ...REQUEST, prompt: 'select_account' });
    expect(wordsOf(page)).toContain('Continue as alice');
    const [form = ''] = /<form[\s\S]*?<\/form>/.exec(page.text) ?? [];
    const went = await browser.submit({ text: form }, { decision: 'continue' });
    expect(responseOf(went)).toHaveProperty('code');
    const other = page.text.slice(page.text.indexOf('</form>') + 7);
    const signedIn = await browser.follow(await browser.submit({ text: other }, USERS[1]));
    // What he allowed before is remembered.
    expect((await claimsOf(signedIn)).sub).toBe('bob');
  });

  test('O43: none with others and unknown values are refused; order and repetition do not matter', async () => {
    const browser = new Browser(running);
    for (const prompt of ['none login', 'consent none', 'create', 'Login', 'login,consent'])
      expect(responseOf(await browser.authorize({ ...REQUEST, prompt }))).toMatchObject({ error: 'invalid_request' });
    for (const prompt of ['consent login', 'login consent consent', ' login'])
      expect(isLogin(await browser.authorize({ ...REQUEST, prompt }))).toBe(true);
  });

  test('O45, O55: hints never fail a request; login_hint fills in the form', async () => {
    const browser = new Browser(running);
    const hints = {
      login_hint: '"><script>alert(1)</script>',
      display: 'popup',
      acr_values: 'urn:a urn:b',
      ui_locales: 'xx de',
      claims_locales: 'xx',
    };
    const page = await browser.authorize({ ...REQUEST, ...hints });
    expect(formOf(page).fields['username']).toBe(hints.login_hint);
    expect(page.text).not.toContain('<script>alert');
    for (const long of [
      { login_hint: 'x'.repeat(513) },
      { acr_values: Array.from({ length: 21 }, () => 'a').join(' ') },
      { acr_values: 'a'.repeat(257) },
    ])
      expect(isLogin(await browser.authorize({ ...REQUEST, ...long }))).toBe(true);
  });

  test('O21, O55: nonce of 512 characters, and not one more; a request that fits no URL is refused', async () => {
    const browser = new Browser(running);
    const nonce = 'n'.repeat(512);
    expect((await claimsOf(await browser.authorizeFor({ ...REQUEST, nonce })))['nonce']).toBe(nonce);
    for (const long of [{ nonce: `${nonce}n` }, { id_token_hint: 'x'.repeat(8193) }, { state: 's'.repeat(5000) }])
      expect(locationOf(await browser.authorize({ ...REQUEST, ...long }))).toContain('error=invalid_request');
  });

  test('O47: id_token_hint of somebody else: never a code for the other person', async () => {
    const browser = new Browser(running);
    const hint = String((await signInto(flows, 'rp'))['id_token']);
    await browser.authorizeFor(REQUEST, { user: USERS[1] });
    advance(7200); // Its exp does not matter.
    expect(responseOf(await browser.authorize({ ...REQUEST, id_token_hint: hint, prompt: 'none' }))).toMatchObject({
      error: 'login_required',
    });
    const page = await browser.authorize({ ...REQUEST, id_token_hint: hint });
    expect(isLogin(page)).toBe(true);
    const again = await browser.signIn(page, USERS[1]);
    expect(isLogin(again)).toBe(true);
    expect((await claimsOf(await browser.signIn(again, USERS[0]))).sub).toBe('alice');
    const other = await browser.authorize({
      ...{ client_id: 'es', redirect_uri: 'https://es.example/cb', response_type: 'code', scope: 'openid' },
      id_token_hint: hint,
    });
    expect(responseOf(other)).toMatchObject({ error: 'invalid_request' });
  });

  test('O48: without redirect_uri there is a page and no redirect', async () => {
    const { redirect_uri: _missing, ...request } = REQUEST;
    const page = await new Browser(running).authorize(request);
    expect(page).toMatchObject({ status: 400 });
    expect(page.headers).not.toHaveProperty('location');
    expect((await new Browser(running).authorize({ ...request, scope: 'content.read' })).status).toBe(200);
  });

  test('O49: a form of another site is not judged before it has come back with the cookie', async () => {
    const browser = new Browser(running);
    await browser.authorizeFor(REQUEST);
    const path = new URL(`${running.base}/oauth/authorize`).pathname;
    const posted = await new Client(running.origin).post(path, { ...REQUEST, prompt: 'none' });
    expect(posted.status).toBe(303);
    expect(responseOf(await browser.open(locationOf(posted)))).toHaveProperty('code');
  });

  test('O50, O87: request, request_uri and registration are refused with their own errors', () =>
    everyRow(
      [
        [{ request: 'e30.e30.' }, 'request_not_supported'],
        [{ request_uri: 'https://rp.example/request' }, 'request_uri_not_supported'],
        [{ registration: '{}' }, 'registration_not_supported'],
      ] as const,
      async ([more, error]) => {
        const returned = { error, state: REQUEST.state, iss: running.base };
        expect(responseOf(await new Browser(running).authorize({ ...REQUEST, ...more }))).toMatchObject(returned);
        // Without openid too: what is ignored could ask for less.
        const plain = { ...REQUEST, scope: 'content.read', ...more };
        expect(responseOf(await new Browser(running).authorize(plain))).toMatchObject(returned);
      },
    ));

  test('O50: nothing is fetched for a request_uri', async () => {
    let requests = 0;
    const server = createServer((_request, response) => {
      requests += 1;
      response.end('{}');
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo; // It listens.
    const request_uri = `http://127.0.0.1:${port}/request`;
    for (const scope of ['openid', 'content.read']) {
      const answer = await new Browser(running).authorize({ ...REQUEST, scope, request_uri });
      expect(responseOf(answer)).toMatchObject({ error: 'request_uri_not_supported' });
    }
    expect(requests).toBe(0);
    await new Promise((resolve) => void server.close(resolve));
  });

  test('O51: with form_post, the code and refusals without a page are posted to the client', async () => {
    const browser = new Browser(running);
    const answered = async (more: Record<string, string>, isAsked = false) => {
      const parameters = { ...REQUEST, response_mode: 'form_post', ...more };
      const { status, text } = await (isAsked ? browser.authorizeFor(parameters) : browser.authorize(parameters));
      const { action, method, fields } = formOf({ text });
      expect([status, action, method]).toEqual([200, REQUEST.redirect_uri, 'post']);
      expect(fields).toMatchObject({ state: REQUEST.state, iss: running.base });
      return fields;
    };
    expect(await answered({ prompt: 'none' })).toMatchObject({ error: 'login_required' });
    const { code = '' } = await answered({ nonce: 'n', prompt: 'consent' }, true);
    const { json } = await flows.post('/oauth/token', 'rp', {
      ...{ grant_type: 'authorization_code', code, redirect_uri: REQUEST.redirect_uri },
    });
    expect((await verified(json['id_token'], { issuer: running.base, audience: 'rp', now: clock() })).claims).toEqual(
      expect.objectContaining({ sub: 'alice', nonce: 'n' }),
    );
    expect(await answered({ prompt: 'none' })).toHaveProperty('code');
    expect(await answered({ request: 'x.y.z' })).toMatchObject({ error: 'request_not_supported' });
    expect(await answered({ scope: 'openid highvolume' })).toMatchObject({ error: 'invalid_scope' });
  });

  test('O51: response_mode fragment and query are honoured, also for errors; others are refused', async () => {
    const browser = new Browser(running);
    const done = locationOf(await browser.authorizeFor({ ...REQUEST, response_mode: 'fragment' }));
    expect(done).toMatch(/^https:\/\/rp\.example\/cb#.*code=/);
    const wrong = await browser.authorize({ ...REQUEST, response_mode: 'fragment', prompt: 'none login' });
    expect(locationOf(wrong)).toMatch(/#.*error=invalid_request/);
    expect(locationOf(await browser.authorize({ ...REQUEST, response_mode: 'web_message' }))).toMatch(
      /\?.*error=invalid_request/,
    );
    expect(locationOf(await browser.authorizeFor({ ...REQUEST, response_mode: 'query' }))).toMatch(/\?.*code=/);
  });

  test('O7, O52, O58: unknown scopes and parameters are ignored with openid, known ones that are not allowed are refused', async () => {
    const browser = new Browser(running);
    const { json } = await flows.redeem('rp', await flows.code('rp', { scope: 'nonsense openid offline_access' }));
    expect(json['scope']).toBe('openid');
    expect(responseOf(await browser.authorize({ ...REQUEST, scope: 'openid highvolume' }))).toMatchObject({
      error: 'invalid_scope',
    });
    expect(responseOf(await browser.authorize({ ...REQUEST, scope: 'content.read nonsense' }))).toMatchObject({
      error: 'invalid_scope',
    });
    expect(isLogin(await browser.authorize({ ...REQUEST, extra: 'foobar' }))).toBe(true);
    expect(responseOf(await browser.authorize({ ...REQUEST, response_type: 'id_token' }))).toMatchObject({
      error: 'unsupported_response_type',
    });
  });

  test('O5: openid and its scopes are never granted by default', async () => {
    const { json } = await flows.redeem('rp', await flows.code('rp', { scope: [] }));
    expect(json['scope']).toBe('groups content.read content.write');
  });
});

describe.each(hostFor(`${import.meta.url}2`))('the sign-in of the application on $name', (host) => {
  let owner: { sub: string; auth_time?: number } | undefined;
  const warnings: string[] = [];
  const returns: unknown[][] = [];
  const { options, errors, advance, clock } = openIdFixture({ canRegister: true });
  const { users: _users, ...rest } = options;
  const own = { ...rest, owner: () => owner, onWarning: (text: string) => warnings.push(text) };
  const running = useHost(host, { options: { ...own, loginUrl: '/login?theme=dark' } }, errors);
  const loginUrl = (...given: unknown[]) => (returns.push(given), '/sign-in');
  const other = useHost(host, { options: { ...own, loginUrl } });
  const now = () => Math.floor(clock() / 1000);

  test('O46, O44: the wishes of the request follow return_to, and only those that were sent', async () => {
    owner = undefined;
    const sent = {
      prompt: 'create',
      max_age: '5',
      login_hint: 'a&b',
      acr_values: 'x y',
      display: 'page',
      ui_locales: 'de',
    };
    const location = locationOf(await new Browser(running).authorize({ ...REQUEST, ...sent }));
    const { searchParams } = new URL(location, running.origin);
    expect(Object.fromEntries(searchParams)).toEqual({
      ...{ theme: 'dark', return_to: expect.stringContaining('resume='), client_id: 'rp' },
      ...sent,
    });
    await new Browser(other).authorize({ ...REQUEST, login_hint: 'alice' });
    await new Browser(other).authorize({ ...REQUEST, scope: 'content.read', login_hint: 'alice' });
    expect(returns).toEqual([[expect.any(String), { client_id: 'rp', login_hint: 'alice' }], [expect.any(String)]]);
  });

  test('O40: a page that does not sign in again, or tells no time, leads to login_required once, with a warning', async () => {
    const browser = new Browser(running);
    for (const [given, problem] of [
      [{ sub: 'alice' }, /returns no auth_time/],
      [{ sub: 'alice', auth_time: now() - 1 }, /auth_time of an earlier one/],
    ] as const) {
      owner = given;
      warnings.length = 0;
      const went = locationOf(await browser.authorize({ ...REQUEST, prompt: 'login' }));
      const back = new URL(went, running.origin).searchParams.get('return_to') ?? '';
      expect(responseOf(await browser.open(back))).toMatchObject({ error: 'login_required', state: 'the state' });
      // Each kind of warning is told once in a process.
      if (warnings.length > 0) expect(warnings.join()).toMatch(problem);
    }
  });

  test('O38, O39, O40: a new sign-in satisfies prompt=login and every max_age, however long it takes', async () => {
    const browser = new Browser(running);
    owner = { sub: 'alice', auth_time: now() - 1000 };
    const went = locationOf(await browser.authorize({ ...REQUEST, prompt: 'login', max_age: '0' }));
    advance(60);
    owner = { sub: 'alice', auth_time: now() };
    advance(60);
    const page = await browser.open(new URL(went, running.origin).searchParams.get('return_to') ?? '');
    expect(page.status).toBe(200);
    expect(responseOf(await browser.submit(page, { decision: 'approve' }))).toHaveProperty('code');
  });

  test('O20: an owner whose sub the standard does not allow gets server_error with openid, and nothing changes without', async () => {
    const browser = new Browser(running);
    for (const sub of ['ü', 'x'.repeat(256)]) {
      owner = { sub };
      expect(responseOf(await browser.authorize(REQUEST))).toMatchObject({ error: 'server_error' });
      expect(String(errors.splice(0))).toMatch(/255 ASCII/);
      expect((await browser.authorize({ ...REQUEST, scope: 'content.read' })).status).toBe(200);
    }
  });
});
