import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Client, hostFor, useHost } from '../../hosts.js';
import { Browser, formOf, locationOf, PKCE, wordsOf } from '../support/browser.js';
import { fixture, USERS } from '../support/fixture.js';
import { Flows } from '../support/tokens.js';

const EVIL = {
  client_id: 'evil',
  client_name: '<b>Evil</b>',
  client_secret: 'evil-secret',
  redirect_uris: ['https://evil.example/cb'],
} as const;
const [ALICE, BOB] = USERS;

describe.each(hostFor(import.meta.url))('the page of connected applications on $name', (host) => {
  const { options, errors, events } = fixture({ clients: [EVIL], lifetimes: { rememberedConsent: 3600 } });
  let flows: Flows;
  let browser: Browser;
  let path = '';

  const running = useHost(host, { options }, errors);
  beforeAll(async () => {
    path = `${running.base}/oauth/grants`;
  });
  beforeEach(async () => {
    flows = new Flows(running, [EVIL]);
    browser = flows.browser('alice');
    for (const sub of ['alice', 'bob']) await running.grants.revoke({ sub });
    events.length = 0;
  });

  const signedIn = async (user: (typeof USERS)[number] = ALICE, in_ = browser) => {
    const page = await in_.open(path);
    return 'password' in formOf(page).fields ? in_.signIn(page, user) : page;
  };

  test('requires a sign-in, and lists applications with access', async () => {
    expect(wordsOf(await signedIn())).toContain('No application has access to your account.');
    await flows.tokens('web');
    await flows.tokens('evil', { scope: '' }).catch(() => undefined);
    await flows.code('native');
    const page = await signedIn();
    expect(page.status).toBe(200);
    expect(wordsOf(page)).toContain('You are signed in as alice ');
    expect(wordsOf(page)).toContain(
      'web See your name Read your content Connected on January 1, 2026 . Last used on January 1, 2026 . Disconnect',
    );
    expect(page.text).not.toContain('<b>Evil');
    expect(wordsOf(page), 'a code that nobody redeemed').not.toContain('native');
    expect(page.headers['content-security-policy']).toContain("form-action 'self'");
  });

  test('disconnects one application, and forgets its approval', async () => {
    const web = await flows.tokens('web');
    const native = await flows.tokens('native');
    const page = await signedIn();
    expect(formOf(page).buttons).toEqual([
      'disconnect=native',
      'disconnect=web',
      'decision=disconnect_all',
      'decision=sign_out',
    ]);
    const question = await browser.submit(page, { disconnect: 'web' });
    expect([question.status, wordsOf(question)]).toEqual([200, expect.stringContaining('Disconnect web?')]);
    expect(await flows.isActive(web.access_token), 'before the answer').toBe(true);
    const answer = await browser.submit(question);
    expect([answer.status, locationOf(answer)]).toEqual([
      303,
      expect.stringMatching(/\/oauth\/grants\?ended=disconnect&/),
    ]);
    expect(wordsOf(await browser.follow(answer))).toContain('web no longer has access to your account.');
    expect(await flows.areActive(web.access_token, web.refresh_token, native.access_token)).toEqual([
      false,
      false,
      true,
    ]);
    expect(formOf(await browser.follow(answer)).buttons).toEqual(['disconnect=native', 'decision=sign_out']);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'grant.revoked', client_id: 'web', sub: 'alice', reason: 'owner', by: 'alice' }),
    );
    const asked = await browser.authorize({
      response_type: 'code',
      client_id: 'web',
      redirect_uri: 'https://app.example/cb',
      ...PKCE.request,
    });
    expect(wordsOf(asked)).toContain('would like to');
    expect(
      new URL(/<a href="([^"]*)">Connected/.exec(asked.text)?.[1] ?? '', path).href,
      'the way from the consent page',
    ).toBe(path);
  });

  test('disconnects all applications of this owner, and none of another', async () => {
    const mine = [await flows.tokens('web'), await flows.tokens('native')];
    const other = await flows.tokens('web', {}, 'bob');
    const question = await browser.submit(await signedIn(), { decision: 'disconnect_all' });
    expect(wordsOf(question)).toContain('Disconnect all 2 applications?');
    const done = await browser.follow(await browser.submit(question));
    expect(wordsOf(done)).toContain('2 applications no longer have access to your account.');
    expect(await flows.areActive(...mine.map(({ access_token }) => access_token))).toEqual([false, false]);
    expect(await flows.isActive(other.access_token)).toBe(true);
  });

  test('ignores a form that this owner was not shown in this browser', async () => {
    const { access_token } = await flows.tokens('web');
    const page = await signedIn();
    const bob = flows.browser('bob');
    const shownToBob = await signedIn(BOB, bob);
    const { fields } = formOf(shownToBob);
    for (const form_token of ['', 'x', fields['form_token'] ?? '']) {
      const answer = await browser.submit(page, { form_token, disconnect: 'web' });
      expect(answer.status).toBe(403);
    }
    const stranger = await new Client(running.base).post('/oauth/grants', {
      ...formOf(page).fields,
      disconnect: 'web',
    });
    expect(stranger.status, 'without a cookie').toBe(303);
    expect((await browser.submit(page)).status, 'without a button').toBe(400);
    expect(await flows.isActive(access_token)).toBe(true);
  });

  test('says what was disconnected only to the browser that did it', async () => {
    await flows.tokens('web');
    const question = await browser.submit(await signedIn(), { disconnect: 'web' });
    const address = new URL(locationOf(await browser.submit(question)), path);
    const told = async (url: URL, in_ = browser) => wordsOf(await in_.open(url.href)).includes('no longer has access');
    expect(await told(address)).toBe(true);
    const bob = flows.browser('bob');
    await signedIn(BOB, bob);
    expect(await told(address, bob)).toBe(false);
    for (const [name, value] of [
      ['of', 'Your bank'],
      ['ended', 'revoke'],
      ['proof', ''],
    ] as const) {
      const forged = new URL(address);
      forged.searchParams.set(name, value);
      expect(await told(forged)).toBe(false);
    }
  });

  test('signs out: a copy of the cookie is rejected too', async () => {
    const page = await signedIn();
    const cookie = browser.cookie;
    const answer = await browser.submit(page, { decision: 'sign_out' });
    expect(formOf(await browser.follow(answer)).fields).toHaveProperty('password');
    expect(formOf(await new Client(running.base).get('/oauth/grants', { cookie })).fields).toHaveProperty('password');
  });

  test('only accepts GET and POST, also if the application signs owners in', async () => {
    const { users: _users, ...withoutUsers } = options;
    const own = await host.start({
      options: { ...withoutUsers, owner: () => ({ sub: 'alice', username: 'Alice' }), loginUrl: '/login' },
    });
    const page = await new Browser(own).open(`${own.base}/oauth/grants`);
    expect(wordsOf(page)).toContain('You are signed in as Alice ');
    expect(page.text).not.toContain('sign_out');
    const head = await fetch(path, { method: 'HEAD' });
    expect([head.status, head.headers.get('allow')]).toEqual([405, 'GET, POST']);
  });
});
