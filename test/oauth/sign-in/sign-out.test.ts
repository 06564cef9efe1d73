import { beforeAll, describe, expect, test } from 'vitest';
import { Client, hostFor, useHost } from '../../hosts.js';
import { Browser, formOf, isSignIn, locationOf, PKCE, wordsOf } from '../support/browser.js';
import { fixture, USERS } from '../support/fixture.js';
import { Flows } from '../support/tokens.js';

const [ALICE, BOB] = USERS;
const WEB = { response_type: 'code', client_id: 'web', redirect_uri: 'https://app.example/cb', ...PKCE.request };
const SIGN_OUT = { decision: 'sign_out' };

describe.each(hostFor(import.meta.url))('signing out on the built-in pages on $name', (host) => {
  const { options, errors, events, store } = fixture();
  let path = '';
  const running = useHost(host, { options }, errors);
  const flows = new Flows(running);
  beforeAll(async () => {
    path = new URL(`${running.base}/oauth/device`).pathname;
  });

  /** A browser with the page that has the field for the code, and with the question about a device. */
  const withCode = async (user: (typeof USERS)[number] = ALICE) => {
    const { user_code, device_code } = await flows.device('tv');
    const browser = new Browser(running);
    const code = await browser.device(user);
    return { browser, code, user_code, device_code };
  };
  const withQuestion = async () => {
    const started = await withCode();
    const question = await started.browser.submit(started.code, { user_code: started.user_code });
    return { ...started, question };
  };

  test('each page for an owner has a button for it, without required fields', async () => {
    const { browser, code, question } = await withQuestion();
    const done = await browser.submit(question, { decision: 'deny' });
    const connected = await browser.open(`${running.base}/oauth/grants`);
    for (const page of [code, question, done, connected]) {
      expect(formOf(page).buttons).toContain('decision=sign_out');
      // In a form of its own where there is a field, so that Enter in it does not press the button.
      expect(page.text).toMatch(
        /<button form="\w+" name="decision" value="sign_out" class="link">Sign out(?: and use another account)?<\/button>/,
      );
    }
    const consent = await browser.authorize(WEB);
    expect(consent.text).toContain('<button form="decision" name="decision" value="switch"');
    expect(wordsOf(consent)).toContain('Sign out and use another account');
  });

  test('no page has one if the application signs users in, and the form has no effect', async () => {
    const { users: _users, ...withoutUsers } = options;
    const own = await host.start({ options: { ...withoutUsers, owner: () => ({ sub: 'alice' }), loginUrl: '/login' } });
    const { user_code } = await new Flows(own).device('tv');
    const browser = new Browser(own);
    const code = await browser.open(`${own.base}/oauth/device`);
    expect((await browser.submit(code, SIGN_OUT)).status).toBe(403);
    const question = await browser.submit(code, { user_code });
    expect((await browser.submit(question, SIGN_OUT)).status).toBe(400);
    const done = await browser.submit(question, { decision: 'approve' });
    for (const page of [code, question, done]) expect(page.text).not.toContain('sign_out');
    expect(done.text).not.toContain('<form');
  });

  test('leads from the code page back to it, with the typed code, without a signed-in user', async () => {
    const { browser, code, user_code } = await withCode();
    const cookie = browser.cookie;
    const size = store.size;
    events.length = 0;
    const answer = await browser.submit(code, { user_code, ...SIGN_OUT });
    expect([answer.status, locationOf(answer)]).toEqual([303, `${path}?user_code=${user_code}`]);
    expect(store.size, 'the mark of the session, and no guess').toBe(size + 1);
    expect(events).toEqual([expect.objectContaining({ type: 'owner.signed_out', sub: 'alice', by: 'alice' })]);
    expect(isSignIn(await browser.follow(answer))).toBe(true);
    expect(isSignIn(await new Client(running.base).get('/oauth/device', { cookie })), 'a copy of the cookie').toBe(
      true,
    );
    const next = await browser.signIn(await browser.follow(answer), BOB);
    expect(wordsOf(next)).toContain('You are signed in as bob ');
    expect(formOf(next).fields['user_code']).toBe(user_code);
    expect(locationOf(await browser.submit(next, { user_code: '', ...SIGN_OUT }))).toBe(path);
  });

  test.each([
    ['the question about it', 'question'],
    ['the page for the code, which is a step back', 'code'],
  ] as const)('on %s, leaves an undecided device to the next owner', async (_title, from) => {
    const { browser, device_code, user_code, ...pages } = await withQuestion();
    const page = await browser.follow(await browser.submit(pages[from], { user_code, ...SIGN_OUT }));
    const asked = await browser.submit(await browser.signIn(page, BOB));
    expect(wordsOf(asked)).toContain('You are signed in as bob . Sign out and use another account tv would like to');
    await browser.submit(asked, { decision: 'approve' });
    const { json } = await flows.poll('tv', device_code);
    expect((await flows.introspect(String(json['access_token']))).json).toMatchObject({ sub: 'bob' });
  });

  test('makes a decided device unavailable to other owners', async () => {
    const { browser, question, user_code } = await withQuestion();
    const done = await browser.submit(question, { decision: 'deny' });
    expect(wordsOf(done)).toContain('was not connected');
    expect(locationOf(await browser.submit(question, SIGN_OUT))).toContain('user_code=');
    const bob = new Browser(running);
    expect((await bob.submit(await bob.device(BOB), { user_code })).status).toBe(400);
  });

  test('leads from the last page to the first one', async () => {
    const { browser, question } = await withQuestion();
    const done = await browser.submit(question, { decision: 'approve' });
    const answer = await browser.submit(done, SIGN_OUT);
    expect([answer.status, locationOf(answer)]).toEqual([303, path]);
    expect(isSignIn(await browser.follow(answer))).toBe(true);
  });

  test("needs a form of this browser, and does not release another owner's device", async () => {
    const { browser, code, question, user_code } = await withQuestion();
    const bob = new Browser(running);
    const { fields } = formOf(await bob.device(BOB));
    for (const page of [code, question]) {
      for (const form_token of ['', 'x', fields['form_token'] ?? ''])
        expect((await browser.submit(page, { form_token, ...SIGN_OUT })).status).toBe(403);
    }
    const stranger = await new Client(running.base).post('/oauth/device/verify', {
      ...formOf(question).fields,
      ...SIGN_OUT,
    });
    expect(stranger.status, 'without a cookie').toBe(303);
    expect(wordsOf(await browser.open(`${running.base}/oauth/device`))).toContain('You are signed in as alice ');
    // Whoever types a code before they sign out gives up their own device only.
    await bob.submit(await bob.device(BOB), { user_code, ...SIGN_OUT });
    const carol = new Browser(running);
    expect((await carol.submit(await carol.device(USERS[2]), { user_code })).status).toBe(400);
    expect((await browser.submit(question, { decision: 'approve' })).status).toBe(200);
  });
});
