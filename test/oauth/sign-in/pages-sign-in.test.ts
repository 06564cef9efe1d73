import type { IncomingHttpHeaders } from 'node:http';
import express from 'express';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { oauthQuery } from '../../../src/adapters/express/index.js';
import type { Owner } from '../../../src/core/oauth/records/owner.js';
import { type Answer, Client, hostFor, useHost } from '../../hosts.js';
import { listen } from '../../hosts/listen.js';
import { Browser, formOf, isConsent, isSignIn, locationOf, responseOf, wordsOf } from '../support/browser.js';
import { fixture } from '../support/fixture.js';
import { proxiedHosts } from '../support/proxied.js';

const WEB = { response_type: 'code', client_id: 'web', state: 'st' } as const;
const ALICE = { username: 'alice', password: 'wonderland' } as const;
const BOB = { username: 'bob', password: 'builder' } as const;

const isConsentOf = (page: Answer, username: string): boolean =>
  isConsent(page) && wordsOf(page).includes(`You are signed in as ${username} .`);
const setCookieOf = ({ headers }: Answer): string => {
  const lines = headers['set-cookie'] ?? [];
  expect(lines).toHaveLength(1);
  return lines.join();
};
/** The name and the value of the first cookie that a browser keeps. */
const firstOf = (cookies: Client['cookies']): readonly [name: string, value: string] => {
  const [first] = cookies;
  expect(first).toBeDefined();
  return [first?.[0] ?? '', first?.[1].value ?? ''];
};
/** The page without what is different each time. */
const constant = ({ text }: Answer): string => text.replace(/value="[^"]*"/g, '');

describe.each(hostFor(import.meta.url))('the built-in sign-in: $name', ({ start }) => {
  const { options, errors, events, advance } = fixture();

  const host = useHost({ start }, { options }, errors);
  beforeEach(() => {
    advance(600); // Failed attempts of the last test are forgotten.
    events.length = 0;
  });

  const begin = async (): Promise<readonly [Browser, Answer]> => {
    const browser = new Browser(host);
    return [browser, await browser.authorize(WEB)];
  };

  test('a wrong password and an unknown name get the same page', async () => {
    const [browser, page] = await begin();
    const wrong = await browser.submit(page, { username: 'alice', password: 'wrong' });
    const unknown = await browser.submit(page, { username: 'nobody', password: 'wrong' });
    expect([wrong.status, unknown.status, constant(wrong)]).toEqual([400, 400, constant(unknown)]);
    expect(wordsOf(wrong)).toContain('Incorrect username or password.');
    const empty = await browser.submit(page, { username: '', password: '' });
    expect([empty.status, constant(empty)]).toEqual([400, constant(unknown)]);
    expect(events.map(({ type }) => type)).toEqual(Array.from({ length: 3 }, () => 'owner.sign_in_failed'));
  });

  test('after ten failures of a name → 429 with Retry-After, also for the correct password and an unknown name; other names are not affected', async () => {
    const [browser, page] = await begin();
    const names = ['alice', 'Alice', 'ALICE', ' alice', 'alice '];
    for (let n = 0; n < 10; n += 1) {
      expect((await browser.submit(page, { username: names[n % 5] ?? '', password: 'wrong' })).status).toBe(400);
      expect((await browser.submit(page, { username: 'nobody', password: 'wrong' })).status).toBe(400);
    }
    const blocked = [
      await browser.submit(page, ALICE),
      await browser.submit(page, { username: 'nobody', password: 'wrong' }),
    ];
    for (const answer of blocked) {
      expect([answer.status, answer.headers['content-type']]).toEqual([429, 'text/html; charset=utf-8']);
      expect(answer.headers['set-cookie']).toBeUndefined();
      const wait = Number(answer.headers['retry-after']);
      expect(wait > 0 && wait <= 600).toBe(true);
    }
    expect(isConsentOf(await browser.signIn(page, BOB), 'bob')).toBe(true);
    advance(600);
    const [later, again] = await begin();
    expect(isConsentOf(await later.signIn(again), 'alice')).toBe(true);
  });

  test('signing in starts a new session, so a planted one is worthless (session fixation)', async () => {
    const [victim, page] = await begin();
    const planted = firstOf(victim.cookies).join('=');
    const consent = await victim.signIn(page);
    const mine = firstOf(victim.cookies).join('=');
    expect(mine).not.toBe(planted);
    const attacker = new Browser(host, { cookie: planted });
    expect(isSignIn(await attacker.authorize(WEB))).toBe(true);
    expect((await attacker.submit(consent, { decision: 'approve' })).status).toBe(403);
    // What was shown in the planted session is worth nothing in the new one.
    expect((await victim.submit(page, BOB)).status).toBe(403);
    expect(isConsentOf(await new Browser(host, { cookie: mine }).authorize(WEB), 'alice')).toBe(true);
  });

  test('submitting the form again, as in a double click, continues and signs in no one', async () => {
    const [browser, page] = await begin();
    const first = await browser.submit(page, ALICE);
    const second = await browser.submit(page, ALICE);
    expect([second.status, second.headers.location, second.headers['set-cookie']]).toEqual([
      303,
      first.headers.location,
      undefined,
    ]);
  });

  test('the sign-in form only works in the browser that it was shown to (login CSRF)', async () => {
    const [, attackersPage] = await begin();
    const [victim] = await begin();
    for (const browser of [victim, new Browser(host)]) {
      const answer = await browser.submit(attackersPage, ALICE);
      expect([answer.status, answer.headers['set-cookie']]).toEqual([403, undefined]);
    }
  });

  test('the cookie: host-only, not readable by scripts, not sent with forms of other sites; modified or foreign ones are ignored', async () => {
    const [browser, page] = await begin();
    const shape = /^oauth_query_[\w-]{8}=[\w-]+; Path=\/; HttpOnly; SameSite=Lax$/;
    expect(setCookieOf(page)).toMatch(shape);
    const signedIn = await browser.submit(page, ALICE);
    expect(setCookieOf(signedIn)).toMatch(shape);
    const [name, value] = firstOf(browser.cookies);
    const { resume = '' } = formOf(page).fields;
    for (const wrong of [
      value.slice(0, -2),
      value.slice(1),
      `${value.slice(0, 20)}AAAA${value.slice(24)}`,
      resume,
      'x',
      '',
    ]) {
      expect(isSignIn(await new Browser(host, { cookie: `${name}=${wrong}` }).authorize(WEB))).toBe(true);
    }
    expect(
      isConsentOf(await new Browser(host, { cookie: `other=1; ${name}=${value}; more=2` }).authorize(WEB), 'alice'),
    ).toBe(true);
  });

  test('another user can sign in instead, and takes over nothing', async () => {
    const [browser, page] = await begin();
    const alices = await browser.signIn(page);
    const signIn = await browser.follow(await browser.submit(alices, { decision: 'switch' }));
    expect(isSignIn(signIn)).toBe(true);
    const bobs = await browser.signIn(signIn, BOB);
    expect(isConsentOf(bobs, 'bob')).toBe(true);
    expect((await browser.submit(alices, { decision: 'approve' })).status).toBe(403);
    const answer = await browser.submit(bobs, { decision: 'approve' });
    expect(responseOf(answer)['state']).toBe('st');
    expect(events.find((event) => event.type === 'grant.created')).toMatchObject({ sub: 'bob' });
  });

  test('a sign-in expires after an hour, regardless of page views', async () => {
    const [browser, page] = await begin();
    await browser.signIn(page);
    for (let n = 0; n < 5; n += 1) {
      advance(599 + (n === 0 ? 4 : 0));
      expect(isConsentOf(await browser.authorize(WEB), 'alice')).toBe(true);
    }
    advance(600);
    expect(isConsentOf(await browser.authorize(WEB), 'alice')).toBe(true);
    advance(1);
    expect(isSignIn(await browser.authorize(WEB))).toBe(true);
  });
});

describe.each(hostFor(import.meta.url))('a user directory of the application: $name', ({ start }) => {
  test('is called for each sign-in, and for each page to check that the owner is still active', async () => {
    const asked: string[] = [];
    let active = true;
    const { options, errors } = fixture({
      users: {
        authenticate: async (username, password) => {
          asked.push(username);
          return password === 'open' ? { sub: `id-${username}`, username: 'Her Name' } : null;
        },
        isActive: (sub) => sub !== 'id-eve' || active,
      },
    });
    const browser = new Browser(await start({ options }));
    const consent = await browser.signIn(await browser.authorize(WEB), { username: 'eve', password: 'open' });
    expect(isConsentOf(consent, 'Her Name')).toBe(true);
    active = false;
    expect((await browser.submit(consent, { decision: 'approve' })).status).toBe(403);
    const signIn = await browser.authorize(WEB);
    expect(isSignIn(signIn)).toBe(true);
    expect((await browser.submit(signIn, { username: 'eve', password: 'open' })).status).toBe(400);
    expect(asked).toEqual(['eve', 'eve']);
    expect(errors).toEqual([]);
  });
});

describe.each(proxiedHosts)('an issuer with https: $name', ({ start }) => {
  test('the cookie is Secure and bound to this exact host', async () => {
    const { options } = fixture();
    const { base, close } = await start(options);
    const browser = new Browser({ origin: base, base });
    const shape = /^__Host-oauth_query_[\w-]{8}=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Secure$/;
    const page = await browser.authorize(WEB);
    expect(setCookieOf(page)).toMatch(shape);
    expect(setCookieOf(await browser.submit(page, ALICE))).toMatch(shape);
    close();
  });
});

describe.each(hostFor(import.meta.url))("the application's own sign-in: $name", ({ start }) => {
  let current: Owner | undefined;
  const { options, errors, events } = fixture();
  const { users: _, ...withoutUsers } = options;

  const host = useHost(
    { start },
    { options: { ...withoutUsers, owner: async () => current, loginUrl: '/login?from=oauth' } },
    errors,
  );
  beforeEach(() => {
    current = { sub: 'host-7', username: 'Grace' };
    events.length = 0;
  });

  test('#29 without a signed-in user → loginUrl with return_to; then exactly the validated request continues (RFC 6749 §3.1)', async () => {
    current = undefined;
    const browser = new Browser(host);
    const answer = await browser.authorize(WEB);
    expect(answer.status).toBe(302);
    const login = locationOf(answer);
    expect(login).toMatch(/^\/login\?from=oauth&return_to=/);
    const returnTo = new URL(login, host.origin).searchParams.get('return_to') ?? '';
    expect(returnTo).toMatch(new RegExp(`^${host.base.slice(host.origin.length)}/oauth/authorize\\?resume=[\\w-]+$`));
    current = { sub: 'host-7', username: 'Grace' };
    const consent = await browser.open(returnTo);
    expect(isConsentOf(consent, 'Grace')).toBe(true);
    expect(formOf(consent).buttons).toEqual(['decision=approve', 'decision=deny']);
    expect(responseOf(await browser.submit(consent, { decision: 'approve' }))).toMatchObject({
      state: 'st',
      code: expect.any(String),
    });
    expect(events.find((event) => event.type === 'grant.created')).toMatchObject({ sub: 'host-7' });
  });

  test('#87 the device page also redirects to loginUrl, and back with the code (RFC 8628 §5.1)', async () => {
    const { json } = await new Client(host.base).post('/oauth/device', { client_id: 'tv' });
    const path = `${host.base.slice(host.origin.length)}/oauth/device`;
    current = undefined;
    const browser = new Browser(host);
    const answer = await browser.open(`${path}?user_code=${String(json['user_code'])}`);
    const returnTo = new URL(locationOf(answer), host.origin).searchParams.get('return_to') ?? '';
    expect([answer.status, returnTo]).toEqual([302, `${path}?user_code=${String(json['user_code'])}`]);
    current = { sub: 'host-7', username: 'Grace' };
    const shown = await browser.submit(await browser.open(returnTo));
    const done = await browser.submit(shown, { decision: 'approve' });
    expect(wordsOf(done)).toContain('tv is connected');
  });

  test('#30 a form of one owner is not accepted from another, or without an owner (RFC 6749 §10.12)', async () => {
    const browser = new Browser(host);
    const { json } = await new Client(host.base).post('/oauth/device', { client_id: 'tv' });
    const consent = await browser.authorize(WEB);
    const device = await browser.submit(await browser.device(), { user_code: String(json['user_code']) });
    current = { sub: 'host-8' };
    for (const page of [consent, device])
      expect((await browser.submit(page, { decision: 'approve' })).status).toBe(403);
    current = undefined;
    expect((await browser.submit(consent, { decision: 'approve' })).status).toBe(403);
    expect(events.filter(({ type }) => type === 'grant.created')).toEqual([]);
  });

  test('the built-in sign-in is disabled, and so is switching users', async () => {
    const browser = new Browser(host);
    const consent = await browser.authorize(WEB);
    expect((await browser.submit(consent, ALICE)).status).toBe(403);
    expect((await browser.submit(consent, { decision: 'switch' })).status).toBe(400);
    expect(isConsentOf(await browser.authorize(WEB), 'Grace')).toBe(true);
  });
});

describe.each(hostFor(import.meta.url))("the application's own sign-in: $name", ({ start }) => {
  test("loginUrl may be a function, and owner receives the framework's request", async () => {
    const { options } = fixture();
    const { users: _, ...withoutUsers } = options;
    const owner = (native: unknown): Owner | false => {
      const { headers } = native as { readonly headers: IncomingHttpHeaders }; // Express, Koa and Fastify all have them there.
      const sub = headers['x-user'];
      return typeof sub === 'string' ? { sub } : false;
    };
    const loginUrl = (returnTo: string): string =>
      `https://login.example/?next=${encodeURIComponent(`https://app.example${returnTo}`)}`;
    const host = await start({ options: { ...withoutUsers, owner, loginUrl } });
    const answer = await new Browser(host).authorize(WEB);
    expect(locationOf(answer)).toMatch(
      /^https:\/\/login\.example\/\?next=https%3A%2F%2Fapp\.example(%2Fauth)?%2Foauth%2Fauthorize%3Fresume%3D[\w-]+$/,
    );
    expect(isConsentOf(await new Browser(host, { 'x-user': 'zoe' }).authorize(WEB), 'zoe')).toBe(true);
  });

  test.each([
    ['no sub', () => ({ sub: '' }), /sub of an owner must be a non-empty string/],
    ['the sub of a client', () => ({ sub: 'client:web' }), /must not begin with client:/],
  ] as const)('an owner with %s is invalid: the client receives server_error', async (_what, owner, why) => {
    const { options, errors } = fixture();
    const { users: _, ...withoutUsers } = options;
    const host = await start({ options: { ...withoutUsers, owner, loginUrl: '/login' } });
    expect(responseOf(await new Browser(host).authorize(WEB))).toMatchObject({ error: 'server_error', state: 'st' });
    expect(errors.map(String)).toEqual([expect.stringMatching(why)]);
  });
});

describe('several servers on one host', () => {
  const secret = 'one secret for both of the servers, 32 characters';
  let origin: string;
  let close: () => void;

  beforeAll(async () => {
    const app = express();
    ({ origin, close } = await listen(app));
    for (const name of ['one', 'two']) {
      const { options } = fixture({ secret, users: [{ username: 'alice', password: name, sub: `${name}-alice` }] });
      app.use(`/${name}`, oauthQuery({ ...options, issuer: `${origin}/${name}` }));
    }
  });
  afterAll(() => close());

  /** One browser with one jar for all that is on this host. */
  const browserOf = (client: Client, name: string) => ({
    authorize: () => client.get(`/${name}/oauth/authorize?${new URLSearchParams(WEB).toString()}`),
    signIn: async (page: Answer) =>
      client.get(
        locationOf(
          await client.post(formOf(page).action, { ...formOf(page).fields, username: 'alice', password: name }),
        ),
      ),
  });

  test('do not sign each other out', async () => {
    const client = new Client(origin);
    const [one, two] = [browserOf(client, 'one'), browserOf(client, 'two')];
    expect(isConsentOf(await one.signIn(await one.authorize()), 'alice')).toBe(true);
    expect(isConsentOf(await two.signIn(await two.authorize()), 'alice')).toBe(true);
    expect([isConsentOf(await one.authorize(), 'alice'), isConsentOf(await two.authorize(), 'alice')]).toEqual([
      true,
      true,
    ]);
    expect(client.cookies.size).toBe(2);
  });

  test("do not accept each other's sessions and pending requests, although they use the same secret", async () => {
    const client = new Client(origin);
    const [one, two] = [browserOf(client, 'one'), browserOf(client, 'two')];
    const consent = await one.signIn(await one.authorize());
    const [nameOfOne, value] = firstOf(client.cookies);
    await two.authorize();
    const nameOfTwo = [...client.cookies.keys()].find((name) => name !== nameOfOne) ?? '';
    const forged = await new Client(origin).get(`/two/oauth/authorize?${new URLSearchParams(WEB).toString()}`, {
      cookie: `${nameOfTwo}=${value}`,
    });
    expect(isSignIn(forged)).toBe(true);
    const resumed = await client.get(`/two/oauth/authorize?resume=${formOf(consent).fields['resume'] ?? ''}`);
    expect([resumed.status, resumed.headers.location]).toEqual([400, undefined]);
  });
});
