import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Store } from '../../../src/core/base/ports.js';
import type { ClientRegistration } from '../../../src/core/oauth/clients/client.js';
import { type Answer, Client, hostFor, useHost } from '../../hosts.js';
import { Browser, formOf, isConsent, wordsOf } from '../support/browser.js';
import { DEVICE_CODE, fixture } from '../support/fixture.js';
import { limitsOfTest } from '../support/limits.js';
import { turns } from '../support/nodes.js';
import { proxiedHosts } from '../support/proxied.js';
import { userCodes } from '../support/spellings.js';
import { withoutGetMany } from '../support/stores.js';

const BOB = { username: 'bob', password: 'builder' } as const;
const CLIENTS = [
  { client_id: 'radio', client_name: 'Kitchen Radio', grant_types: ['device_code'], scope: 'profile content.write' },
] as const;

const asksForCode = (page: Answer): boolean =>
  formOf(page).fields['user_code'] !== undefined && formOf(page).buttons.join() === 'decision=sign_out';

describe.each(hostFor(import.meta.url))('$name', ({ start }) => {
  /** Clients of a registry, which may forget them. */
  const passing = new Map<string, ClientRegistration>();
  const clients = [...CLIENTS, { find: (client_id: string) => passing.get(client_id) }];
  const { options, errors, events, advance } = fixture({ clients });
  let path: string;

  const host = useHost({ start }, { options }, errors);
  beforeAll(async () => {
    path = `${host.base.slice(host.origin.length)}/oauth/device`;
  });
  beforeEach(() => {
    advance(600); // Wrong codes of the last test are forgotten.
    events.length = 0;
  });

  const device = async (client_id = 'radio') => {
    const { json } = await new Client(host.base).post('/oauth/device', { client_id });
    const text = (name: string): string => String(json[name]);
    return {
      device_code: text('device_code'),
      user_code: text('user_code'),
      complete: text('verification_uri_complete'),
    };
  };
  const poll = async (device_code: string, client_id = 'radio'): Promise<unknown> => {
    const answer = await new Client(host.base).post('/oauth/token', {
      grant_type: DEVICE_CODE,
      client_id,
      device_code,
    });
    return answer.status === 200 ? 'token' : answer.json['error'];
  };
  /** A browser that looks at the page with the field, signed in. */
  const codePage = async (user?: typeof BOB): Promise<readonly [Browser, Answer]> => {
    const browser = new Browser(host);
    const page = await browser.device(user);
    expect(asksForCode(page)).toBe(true);
    return [browser, page];
  };
  const decisions = (): number => events.filter(({ type }) => type === 'device.decided').length;

  test('#81 wdjb mjht = WDJB-MJHT = wdjbmjht: case, width, dashes, quotation marks and invisible characters do not matter (RFC 8628 §6.1)', async () => {
    const [browser, page] = await codePage();
    const { user_code } = await device();
    const [one = '', two = ''] = user_code.split('-');
    for (const spelling of userCodes(one, two)) {
      const shown = await browser.submit(page, { user_code: spelling });
      expect([spelling, isConsent(shown), wordsOf(shown).includes(user_code)]).toEqual([spelling, true, true]);
    }
  });

  test('#87 entering a code requires a signed-in user (RFC 8628 §5.1)', async () => {
    const stranger = new Browser(host);
    const { user_code, complete, device_code } = await device();
    for (const page of [await stranger.open(path), await stranger.open(complete)]) {
      expect('password' in formOf(page).fields).toBe(true);
      expect(wordsOf(page)).not.toContain('Kitchen Radio');
    }
    const posted = await new Client(host.base).post('/oauth/device/verify', { user_code, decision: 'approve' });
    expect([posted.status, posted.headers.location]).toEqual([303, `${path}?user_code=${user_code}`]);
    expect(await poll(device_code)).toBe('authorization_pending');
    // After sign-in the code that was typed, or came with the link, is still there.
    const page = await stranger.signIn(await stranger.open(complete));
    expect([asksForCode(page), formOf(page).fields['user_code']]).toEqual([true, user_code]);
    expect(wordsOf(await stranger.submit(page))).toContain('Kitchen Radio');
  });

  test('#87 after five wrong codes → 429, also for a correct code; it works again ten minutes later (RFC 8628 §5.1)', async () => {
    const [browser, page] = await codePage();
    const { user_code } = await device();
    for (const wrong of ['BBBB-BBBB', 'x', 'BCDFGHJKL', '0000-0000', 'CCCC-CCCC']) {
      const answer = await browser.submit(page, { user_code: wrong });
      expect([
        answer.status,
        asksForCode(answer),
        wordsOf(answer).includes('This code is wrong or has expired.'),
      ]).toEqual([400, true, true]);
    }
    const { status, headers, text } = await browser.submit(page, { user_code });
    expect([status, headers['content-type'], headers['retry-after']]).toEqual([429, 'text/html; charset=utf-8', '600']);
    expect(text).not.toContain('Kitchen Radio');
    advance(600);
    const later = new Browser(host);
    expect(isConsent(await later.submit(await later.device(), { user_code: (await device()).user_code }))).toBe(true);
  });

  test('#87 a link only fills in the code: it counts nothing and claims nothing (RFC 8628 §5.1)', async () => {
    const { complete, user_code } = await device();
    const [alice] = await codePage();
    for (let n = 0; n < 9; n += 1) {
      const page = await alice.open(`${path}?user_code=BBBB-BBBB`);
      expect([page.status, asksForCode(page), formOf(page).fields['user_code']]).toEqual([200, true, 'BBBB-BBBB']);
    }
    expect(asksForCode(await alice.open(complete))).toBe(true);
    const [bob, bobsPage] = await codePage(BOB);
    expect(isConsent(await bob.submit(bobsPage, { user_code }))).toBe(true);
  });

  test('#88 opening the complete URI decides nothing: its form leads to code, client, scopes, fingerprint and a warning (RFC 8628 §3.3.1, §5.4)', async () => {
    const [browser] = await codePage();
    const { complete, user_code, device_code } = await device();
    for (const address of [complete, `${complete}&decision=approve`]) {
      const page = await browser.submit(await browser.open(address));
      expect(isConsent(page)).toBe(true);
      const fingerprint = createHash('sha256').update(device_code).digest('hex').slice(0, 8);
      const parts = [
        user_code,
        'Kitchen Radio',
        'See your name',
        'Change your content',
        'alice',
        fingerprint,
        'If someone sent you this code, deny the request',
      ];
      for (const part of parts) expect(wordsOf(page)).toContain(part);
      expect(page.text).not.toContain(device_code);
    }
    expect(decisions()).toBe(0);
    expect(await poll(device_code)).toBe('authorization_pending');
    const done = await browser.submit(await browser.submit(await browser.open(complete)), { decision: 'approve' });
    expect([done.status, wordsOf(done).includes('Kitchen Radio is connected')]).toEqual([200, true]);
    expect(await poll(device_code)).toBe('token');
  });

  test('#88 the decision needs the form token of this session, owner and code (RFC 8628 §3.3.1)', async () => {
    const [browser, page] = await codePage();
    const [one, two] = [await device(), await device()];
    const shown = await browser.submit(page, { user_code: one.user_code });
    const { form_token: other = '' } = formOf(await browser.submit(page, { user_code: two.user_code })).fields;
    const { form_token: forCodes = '' } = formOf(page).fields;
    const attempts = [
      browser.submit(shown, { decision: 'approve', form_token: '' }),
      browser.submit(shown, { decision: 'approve', form_token: other }),
      browser.submit(shown, { decision: 'approve', form_token: forCodes }),
      browser.submit(shown, { decision: 'approve', user_code: two.user_code }),
      browser.submit(page, { decision: 'approve', user_code: one.user_code }),
      browser.submit(page, { user_code: one.user_code, form_token: 'x' }),
    ];
    for (const attempt of attempts) expect((await attempt).status).toBe(403);
    expect(decisions()).toBe(0);
    expect((await browser.submit(shown, { decision: 'maybe' })).status).toBe(400);
    await browser.submit(shown, { decision: 'deny' });
    expect(await poll(one.device_code)).toBe('access_denied');
  });

  test('#89 the first user to enter a code owns it: another user can neither approve nor deny', async () => {
    const { user_code, device_code } = await device();
    const [alice, alicesPage] = await codePage();
    const [bob, bobsPage] = await codePage(BOB);
    const shown = await alice.submit(alicesPage, { user_code });
    const refused = await bob.submit(bobsPage, { user_code });
    expect([refused.status, asksForCode(refused), refused.text.includes('Kitchen Radio')]).toEqual([400, true, false]);
    for (const decision of ['approve', 'deny'] as const)
      expect((await bob.submit(shown, { decision })).status).toBe(403);
    expect(await poll(device_code)).toBe('authorization_pending');
    await alice.submit(shown, { decision: 'approve' });
    expect(await poll(device_code)).toBe('token');
  });

  test('#89 the decision is final; deciding again, or entering the code again, shows it and is no wrong code', async () => {
    const { user_code, device_code } = await device();
    const [browser, page] = await codePage();
    const shown = await browser.submit(page, { user_code });
    const answers = await Promise.all(
      Array.from({ length: 4 }, (_, n) => browser.submit(shown, { decision: n % 2 === 0 ? 'deny' : 'approve' })),
    );
    expect(new Set(answers.map((answer) => `${answer.status} ${wordsOf(answer)}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
    expect(decisions()).toBe(1);
    const created = events.filter(({ type }) => type === 'grant.created').length;
    const revoked = events.filter(({ type }) => type === 'grant.revoked').length;
    const approved = events.some((event) => event.type === 'device.decided' && event.decision === 'approve');
    expect(created - revoked).toBe(approved ? 1 : 0);
    for (let n = 0; n < 9; n += 1) {
      expect((await browser.submit(shown, { decision: 'deny' })).text).toBe(answers[0]?.text);
      expect((await browser.submit(page, { user_code })).text).toBe(answers[0]?.text);
    }
    const [bob, bobsPage] = await codePage(BOB);
    expect((await bob.submit(bobsPage, { user_code })).status).toBe(400);
    advance(600);
    expect((await browser.submit(shown, { decision: 'approve' })).status).toBe(400);
    expect(decisions()).toBe(1);
    expect(await poll(device_code)).toBe(approved ? 'expired_token' : 'access_denied');
  });

  test('#86 an expired code, or one of a removed client, is like any wrong code', async () => {
    const [browser, page] = await codePage();
    passing.set('guest', { client_id: 'guest', grant_types: ['device_code'] });
    const [ended, orphaned] = [await device(), await device('guest')];
    expect(isConsent(await browser.submit(page, { user_code: orphaned.user_code }))).toBe(true);
    passing.delete('guest');
    const answers = [await browser.submit(page, { user_code: orphaned.user_code })];
    advance(600);
    answers.push(await browser.submit(page, { user_code: ended.user_code }));
    for (const answer of answers)
      expect([answer.status, wordsOf(answer).includes('This code is wrong or has expired.')]).toEqual([400, true]);
  });
});

/** A store that waits at a gate before it answers for one kind of record. */
const gatedStore = (store: Store, kind: string, gate: () => Promise<unknown>): Store => ({
  ...withoutGetMany(store),
  get: async (key) => {
    if (key.includes(kind)) await gate();
    return store.get(key);
  },
});

describe.each(hostFor(import.meta.url))('$name with a slow store', ({ start }) => {
  const late = () => turns(50);

  test('#87 many simultaneous wrong codes do not exceed the limit (RFC 8628 §5.1)', async () => {
    const { options, store } = fixture();
    const host = await start({ options: { ...options, store: gatedStore(store, ':user-code:', late) } });
    const browser = new Browser(host);
    const page = await browser.device();
    const answers = await Promise.all(
      Array.from({ length: 25 }, () => browser.submit(page, { user_code: 'BBBB-BBBB' })),
    );
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(20);
  });

  test('#87 simultaneous correct codes of several owners all count as correct, even if the limit is one failure (RFC 8628 §5.1)', async () => {
    limitsOfTest({ userCodeFailures: 1 });
    const { options, store } = fixture();
    const host = await start({ options: { ...options, store: gatedStore(store, ':user-code:', late) } });
    const users = ['alice wonderland', 'bob builder', 'carol singer', 'dave diver'];
    const ready = await Promise.all(
      users.map(async (user) => {
        const [username = '', password = ''] = user.split(' ');
        const { json } = await new Client(host.base).post('/oauth/device', { client_id: 'tv' });
        const browser = new Browser(host);
        const page = await browser.device({ username, password });
        return () => browser.submit(page, { user_code: String(json['user_code']) });
      }),
    );
    const answers = await Promise.all(ready.map((typeCode) => typeCode()));
    expect(answers.map(isConsent)).toEqual([true, true, true, true]);
  });

  /** Once it is closed, no request gets past the read of a device before that many requests have arrived there. */
  class Meeting {
    isOpen = true;
    readonly #size: number;
    readonly #waiting: (() => void)[] = [];

    constructor(size: number) {
      this.#size = size;
    }

    readonly arrive = (): Promise<void> =>
      new Promise((resolve) => {
        if (this.isOpen) return resolve();
        this.isOpen = this.#waiting.push(resolve) === this.#size;
        if (this.isOpen) for (const goOn of this.#waiting) goOn();
      });
  }

  test('#89 of simultaneous owners, one gets the code', async () => {
    const { options, store } = fixture();
    const meeting = new Meeting(2);
    const host = await start({ options: { ...options, store: gatedStore(store, ':device:', meeting.arrive) } });
    const { json } = await new Client(host.base).post('/oauth/device', { client_id: 'tv' });
    const [alice, bob] = [new Browser(host), new Browser(host)];
    const pages = [await alice.device(), await bob.device(BOB)] as const;
    meeting.isOpen = false;
    const enter = (browser: Browser, page: Answer) => browser.submit(page, { user_code: String(json['user_code']) });
    const shown = await Promise.all([enter(alice, pages[0]), enter(bob, pages[1])]);
    expect(shown.filter(isConsent)).toHaveLength(1);
  });

  test('#89 of simultaneous decisions, one counts, and only its grant is valid', async () => {
    const { options, store, events } = fixture();
    const meeting = new Meeting(4);
    const host = await start({ options: { ...options, store: gatedStore(store, ':device:', meeting.arrive) } });
    const browser = new Browser(host);
    const { json } = await new Client(host.base).post('/oauth/device', { client_id: 'tv' });
    const shown = await browser.submit(await browser.device(), { user_code: String(json['user_code']) });
    meeting.isOpen = false;
    const decide = (decision: string) => browser.submit(shown, { decision });
    const answers = await Promise.all([decide('approve'), decide('deny'), decide('approve'), decide('deny')]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 200, 200]);
    const count = (type: string) => events.filter((event) => event.type === type).length;
    const approved = events.some((event) => event.type === 'device.decided' && event.decision === 'approve');
    expect([count('device.decided'), count('grant.created') - count('grant.revoked')]).toEqual([1, approved ? 1 : 0]);
  });
});

describe.each(proxiedHosts.slice(0, 1))('$name behind a proxy', ({ start }) => {
  const { options, errors, advance } = fixture({ clients: CLIENTS });
  let base: string;
  let close: () => void;

  beforeAll(async () => {
    ({ base, close } = await start(options));
  });
  beforeEach(() => {
    advance(600);
  });
  afterAll(() => {
    expect(errors).toEqual([]);
    close();
  });

  const from = (ip: string): Browser => new Browser({ origin: base, base }, { 'x-forwarded-for': ip });
  const spend = async (browser: Browser, page: Answer): Promise<void> => {
    for (let n = 0; n < 5; n += 1) expect((await browser.submit(page, { user_code: 'BBBB-BBBB' })).status).toBe(400);
  };
  const tryCode = async (browser: Browser, user?: typeof BOB): Promise<number> =>
    (await browser.submit(await browser.device(user), { user_code: 'CCCC-CCCC' })).status;

  test('#87 the limit applies to the user, also from other sessions and addresses (RFC 8628 §5.1)', async () => {
    const browser = from('192.0.2.1');
    await spend(browser, await browser.device(BOB));
    expect(await tryCode(from('192.0.2.2'), BOB)).toBe(429);
    expect(await tryCode(from('192.0.2.3'))).toBe(400);
  });

  test('#87 the limit applies to the address, also with other users (RFC 8628 §5.1)', async () => {
    const browser = from('192.0.2.4');
    await spend(browser, await browser.device(BOB));
    expect(await tryCode(from('192.0.2.4'))).toBe(429);
    expect(await tryCode(from('192.0.2.5'))).toBe(400);
  });
});
