import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../../src/stores/memory.js';
import { type Answer, Client, hostFor, useHost } from '../../hosts.js';
import { Browser, formOf, locationOf, responseOf, wordsOf } from '../../oauth/support/browser.js';
import { START } from '../../oauth/support/fixture.js';
import { Gate } from '../../oauth/support/gate.js';
import { Flows } from '../../oauth/support/tokens.js';
import { everyRow } from '../../rows.js';
import { openIdFixture, rpsAt, signInto } from './support.js';

const OUT = 'https://leaving.example/bye?x=1';
const LEAVING = {
  client_id: 'leaving',
  client_secret: 'leaving-secret',
  redirect_uris: ['https://leaving.example/cb'],
  post_logout_redirect_uris: [OUT, 'http://127.0.0.1/bye'],
  scope: 'openid groups',
} as const;
const REQUEST = {
  client_id: 'leaving',
  response_type: 'code',
  redirect_uri: 'https://leaving.example/cb',
  scope: 'openid',
};

describe.each(hostFor(import.meta.url))('signing out at the request of a client, on $name', (host) => {
  const { options, errors, events, advance } = openIdFixture(
    { claims: (_sub, names) => (names.includes('groups') ? { groups: Array<string>(120).fill('g'.repeat(30)) } : {}) },
    { clients: [LEAVING] },
  );
  const running = useHost(host, { options }, errors);
  const path = (): string => new URL(`${running.base}/oauth/logout`).pathname;
  const hintOf = async (browser: Browser, scope = 'openid'): Promise<string> => {
    const { code = '' } = responseOf(await browser.authorizeFor({ ...REQUEST, scope }));
    const { json } = await new Flows(running, [LEAVING]).post('/oauth/token', 'leaving', {
      ...{ grant_type: 'authorization_code', code, redirect_uri: REQUEST.redirect_uri },
    });
    return String(json['id_token']);
  };
  const leave = (browser: Browser, parameters: Record<string, string>): Promise<Answer> =>
    browser.open(`${path()}?${new URLSearchParams(parameters).toString()}`);
  const isSignedIn = async (browser: Browser): Promise<boolean> =>
    !('password' in formOf(await browser.authorize({ ...REQUEST, prompt: 'consent' })).fields);

  test('O76, O78, O81, O82: the hint of who is signed in signs out at once, also when expired, and state comes back', async () => {
    const browser = new Browser(running);
    const id_token_hint = await hintOf(browser);
    const cookie = [...browser.cookies].map(([name, { value }]) => `${name}=${value}`).join('; ');
    advance(3000);
    expect(await isSignedIn(browser)).toBe(true);
    const went = await leave(browser, { id_token_hint, post_logout_redirect_uri: OUT, state: 'a b' });
    expect(locationOf(went)).toBe(`${OUT}&state=a+b`);
    expect(events.at(-1)).toMatchObject({ type: 'owner.signed_out', sub: 'alice' });
    expect(await isSignedIn(browser)).toBe(false);
    // The session has ended, not only its cookie.
    const { pathname, search } = new URL(`${running.base}/oauth/authorize?${new URLSearchParams(REQUEST).toString()}`);
    const old = await new Client(running.origin).get(pathname + search, { cookie });
    expect('password' in formOf(old).fields).toBe(true);
    advance(7200);
    // Nobody is signed in: straight to the address.
    const again = await leave(new Browser(running), { id_token_hint, post_logout_redirect_uri: OUT });
    expect(locationOf(again)).toBe(OUT);
    const { json } = await new Client(running.base).get('/.well-known/openid-configuration');
    expect(json['end_session_endpoint']).toBe(`${running.base}/oauth/logout`);
  });

  test('O80: without a hint, or with one of somebody else, the owner is asked; a link alone signs nobody out', async () => {
    const [alice, bob] = [new Browser(running), new Browser(running)];
    const hint = await hintOf(alice);
    await bob.authorizeFor(REQUEST, { user: { username: 'bob', password: 'builder' } });
    for (const more of [{}, { id_token_hint: hint }, { id_token_hint: 'x.y.z' }]) {
      const page = await leave(bob, { client_id: 'leaving', post_logout_redirect_uri: OUT, ...more });
      expect(wordsOf(page)).toContain('Sign out bob?');
      expect(await isSignedIn(bob)).toBe(true);
    }
    const page = await leave(bob, { client_id: 'leaving', post_logout_redirect_uri: OUT });
    const { fields } = formOf(page);
    const forged = await new Client(running.origin).post(path(), { ...fields });
    expect([forged.status, forged.headers.location]).toEqual([303, OUT]); // Without the cookie, nobody is signed in.
    expect(await isSignedIn(bob)).toBe(true);
    expect(
      (await bob.submit({ text: page.text.replace(/name="form_token" value="[^"]*"/, 'name="form_token" value="x"') }))
        .status,
    ).toBe(403);
    expect(locationOf(await bob.submit(page))).toBe(OUT);
    expect(await isSignedIn(bob)).toBe(false);
    expect(await isSignedIn(alice)).toBe(true);
  });

  test('O76: a form of another site comes back with the cookie', async () => {
    const browser = new Browser(running);
    const id_token_hint = await hintOf(browser);
    const posted = await new Client(running.origin).post(path(), {
      id_token_hint,
      post_logout_redirect_uri: OUT,
      state: 's',
    });
    expect(posted.status).toBe(303);
    expect(locationOf(await browser.open(locationOf(posted)))).toBe(`${OUT}&state=s`);
  });

  test('O76: a form may have an ID token that is too long for a URL', async () => {
    const browser = new Browser(running);
    const id_token_hint = await hintOf(browser, 'openid groups');
    expect(id_token_hint.length).toBeGreaterThan(5000);
    const form = { id_token_hint, post_logout_redirect_uri: OUT, state: 's' };
    const posted = await new Client(running.origin).post(path(), form);
    expect(posted.status).toBe(303);
    expect(locationOf(posted).length).toBeLessThan(1000);
    expect(locationOf(await browser.open(locationOf(posted)))).toBe(`${OUT}&state=s`);
    expect(await isSignedIn(browser)).toBe(false);
    const forged = await new Client(running.origin).post(path(), { ...form, id_token_hint: `${id_token_hint}x` });
    expect(wordsOf(await browser.open(locationOf(forged)))).not.toContain('Sign out');
    expect((await leave(browser, form)).status).toBe(400);
  });

  test('a request that is too long for a URL is rejected, however it comes', async () => {
    const browser = new Browser(running);
    for (const [length, status] of [
      [4900, 303],
      [5000, 400],
    ] as const)
      expect(
        await browser.submit({ text: `<form method="post" action="${path()}"></form>` }, { state: 's'.repeat(length) }),
      ).toMatchObject({ status });
    expect(await leave(browser, { client_id: 'leaving', state: "'".repeat(1700) })).toMatchObject({ status: 400 });
  });

  test('O77: with an address that is not registered, the owner is asked, whatever the hint says', async () => {
    const browser = new Browser(running);
    const id_token_hint = await hintOf(browser);
    const page = await leave(browser, { id_token_hint, post_logout_redirect_uri: `${OUT}2`, state: 's' });
    expect(page.status).toBe(200);
    expect(page.text).not.toContain('leaving.example');
    expect(await isSignedIn(browser)).toBe(true);
    expect(locationOf(await browser.submit(page))).toBe('/');
    expect(await isSignedIn(browser)).toBe(false);
  });

  test('O77, O79: only a registered address of the named client is followed', async () => {
    const id_token_hint = await hintOf(new Browser(running));
    await everyRow(
      [
        [{ post_logout_redirect_uri: OUT }, '/'],
        [{ client_id: 'rp', post_logout_redirect_uri: OUT }, '/'],
        [{ client_id: 'leaving', post_logout_redirect_uri: `${OUT}2` }, '/'],
        [{ client_id: 'leaving', post_logout_redirect_uri: 'https://leaving.example/cb' }, '/'],
        [{ client_id: 'leaving', post_logout_redirect_uri: 'http://leaving.example/bye?x=1' }, '/'],
        [{ client_id: 'leaving', post_logout_redirect_uri: 'https://leaving.example:8443/bye?x=1' }, '/'],
        [{ client_id: 'leaving', post_logout_redirect_uri: 'https://leaving.example.evil.example/bye?x=1' }, '/'],
        [{ client_id: 'leaving', post_logout_redirect_uri: 'https://leaving.example@evil.example/bye?x=1' }, '/'],
        [{ client_id: 'leaving', post_logout_redirect_uri: 'http://127.0.0.1:4711/other' }, '/'],
        [{ client_id: 'leaving', post_logout_redirect_uri: 'javascript:alert(1)' }, '/'],
        [{ client_id: 'leaving', post_logout_redirect_uri: 'http://127.0.0.1:4711/bye' }, 'http://127.0.0.1:4711/bye'],
        [{ id_token_hint, post_logout_redirect_uri: OUT }, OUT],
        [{}, '/'],
      ] as const,
      async ([parameters, location]) => {
        expect(locationOf(await leave(new Browser(running), parameters))).toBe(location);
      },
    );
    for (const wrong of [{ id_token_hint, client_id: 'rp' }, { client_id: 'unknown' }])
      expect(await leave(new Browser(running), wrong)).toMatchObject({ status: 400 });
  });

  test('O83: grants live on', async () => {
    const flows = rpsAt(running);
    const { refresh_token, id_token } = await signInto(flows, 'app');
    const went = await flows.browser().open(`${path()}?id_token_hint=${String(id_token)}`);
    expect(locationOf(went)).toBe('/');
    expect((await flows.refresh('app', String(refresh_token))).status).toBe(200);
  });
});

describe.each(hostFor(`${import.meta.url}2`))('signing out of the application on $name', (host) => {
  const { users: _users, ...own } = openIdFixture(
    { logoutUrl: '/sign-out?now', revokeAtLogout: true },
    { clients: [LEAVING] },
  ).options;
  test('O82, O83: its page gets return_to, which goes on to the client; an option revokes what the client has', async () => {
    let owner: { sub: string } | undefined = { sub: 'alice' };
    const running = await host.start({ options: { ...own, owner: () => owner, loginUrl: '/login' } });
    const browser = new Browser(running);
    const flows = rpsAt(running);
    const { id_token, refresh_token } = await signInto(flows, 'app');
    const path = new URL(`${running.base}/oauth/logout`).pathname;
    const went = await browser.open(`${path}?${new URLSearchParams({ id_token_hint: String(id_token) }).toString()}`);
    const back = new URL(locationOf(went), running.origin).searchParams.get('return_to') ?? '';
    expect(locationOf(went)).toMatch(/^\/sign-out\?now&return_to=/);
    owner = undefined;
    expect(locationOf(await browser.open(back))).toBe('/');
    expect((await flows.refresh('app', String(refresh_token))).status).toBe(400);
    const without = openIdFixture({}, {}).options;
    const { users: _none, ...rest } = without;
    const plain = await host.start({ options: { ...rest, owner: () => owner, loginUrl: '/login' } });
    const { json } = await new Client(plain.base).get('/.well-known/openid-configuration');
    expect(json).not.toHaveProperty('end_session_endpoint');
    expect((await new Client(plain.base).get('/oauth/logout')).status).toBe(404);
  });
});

test('O83: with the option, what is allowed in another tab while the session ends has ended, too', async () => {
  const gate = new Gate(memoryStore({ clock: () => START }));
  const { options } = openIdFixture({ revokeAtLogout: true }, { store: gate.store });
  const [host] = hostFor(import.meta.url);
  const running = await host.start({ options });
  const flows = rpsAt(running);
  const { id_token } = await signInto(flows, 'app');
  const { arrived, letGo } = gate.hold('add', ':ended-session:');
  const path = new URL(`${running.base}/oauth/logout`).pathname;
  const left = flows.browser().open(`${path}?id_token_hint=${String(id_token)}`);
  await arrived;
  const code = await flows.code('app', { scope: 'openid' });
  letGo();
  expect(locationOf(await left)).toBe('/');
  expect((await flows.redeem('app', code)).status).toBe(400);
});
