import { afterEach, describe, expect, test } from 'vitest';
import { type Answer, basic, Client, hostFor, useHost } from '../../hosts.js';
import { Browser, formOf, isConsent, isSignIn, locationOf, PKCE, responseOf, wordsOf } from '../support/browser.js';
import { fixture } from '../support/fixture.js';
import { Flows } from '../support/tokens.js';

const WEB = { response_type: 'code', client_id: 'web', state: 'st' } as const;
const BOB = { username: 'bob', password: 'builder' } as const;
const CODE = /^[A-Za-z0-9_-]{43,}$/;

const CLIENTS = [
  {
    client_id: 'desktop',
    client_name: 'Desktop',
    redirect_uris: ['http://127.0.0.1/cb', 'com.example.desktop:/cb', 'https://desktop.example/cb'],
  },
] as const;

describe.each(hostFor(import.meta.url))('$name', ({ start }) => {
  const { options, store, events, errors, advance } = fixture();

  const host = useHost({ start }, { options });
  afterEach(() => {
    expect(errors).toEqual([]);
    events.length = 0;
  });

  const eventsOf = (type: string): number => events.filter((event) => event.type === type).length;
  /** A browser whose owner is signed in and looks at the consent page. */
  const consentPage = async (user?: typeof BOB): Promise<readonly [Browser, Answer]> => {
    const browser = new Browser(host);
    const page = await browser.signIn(await browser.authorize(WEB), user);
    expect(isConsent(page)).toBe(true);
    return [browser, page];
  };
  const redeem = (code: string | undefined): Promise<Answer> =>
    new Client(host.base).post(
      '/oauth/token',
      { grant_type: 'authorization_code', code: code ?? '' },
      basic('web', 'web-secret'),
    );
  /** Refused by a page, and nothing came of it. */
  const expectNothing = (answer: Answer, status: number): void => {
    expect([answer.status, answer.headers.location]).toEqual([status, undefined]);
    expect([eventsOf('grant.created'), eventsOf('consent.decided')]).toEqual([0, 0]);
  };

  describe('signing in', () => {
    test('#29 without a signed-in user → sign-in, no code; afterwards exactly the validated request continues (RFC 6749 §3.1)', async () => {
      const browser = new Browser(host);
      const page = await browser.authorize({ ...WEB, scope: 'profile content.write' });
      expect(isSignIn(page)).toBe(true);
      expect(eventsOf('grant.created')).toBe(0);
      const consent = await browser.signIn(page);
      expect(isConsent(consent)).toBe(true);
      for (const text of ['alice', 'See your name', 'Change your content', 'app.example'])
        expect(wordsOf(consent)).toContain(text);
      expect(wordsOf(consent)).not.toContain('Read your content');
      const { code, ...rest } = responseOf(await browser.submit(consent, { decision: 'approve' }));
      expect(code).toMatch(CODE);
      expect(rest).toEqual({ state: 'st', iss: host.base });
      const tokens = await redeem(code);
      expect(tokens.json).toMatchObject({ scope: 'profile content.write' });
    });

    test('#29 a modified URL on the way back changes nothing (RFC 6749 §3.1)', async () => {
      const browser = new Browser(host);
      const resume = locationOf(
        await browser.submit(await browser.authorize(WEB), { username: 'alice', password: 'wonderland' }),
      );
      const edits =
        '&client_id=spa&redirect_uri=https%3A%2F%2Fspa.example%2Fcb&scope=content.write&state=other&response_type=token';
      const consent = await browser.open(resume + edits);
      expect(wordsOf(consent)).toContain('app.example');
      expect(wordsOf(consent)).not.toContain('Change your content');
      const answer = await browser.submit(consent, {
        decision: 'approve',
        client_id: 'spa',
        redirect_uri: 'https://spa.example/cb',
        scope: 'content.write',
        state: 'other',
      });
      expect(locationOf(answer)).toMatch(/^https:\/\/app\.example\/cb\?code=[^&]+&state=st&iss=/);
      expect((await redeem(responseOf(answer)['code'])).json).toMatchObject({ scope: 'profile content.read' });
    });

    test('#29 a damaged, foreign, repeated or old URL → 400 page, no code (RFC 6749 §3.1)', async () => {
      const [browser] = await consentPage();
      const { resume = '' } = formOf(await browser.authorize(WEB)).fields;
      const path = locationOf(await new Client(host.base).post('/oauth/authorize', WEB)).split('?')[0] ?? '';
      expect(isConsent(await browser.open(`${path}?resume=${resume}`))).toBe(true);
      const session = [...browser.cookies.values()][0]?.value ?? '';
      const damaged = resume.slice(0, -3) + (resume.endsWith('AAA') ? 'BBB' : 'AAA');
      for (const wrong of [damaged, resume.slice(1), session, 'x', `${resume}&resume=${resume}`]) {
        expectNothing(await browser.open(`${path}?resume=${wrong}`), 400);
      }
      advance(600);
      expectNothing(await browser.open(`${path}?resume=${resume}`), 400);
    });
  });

  describe('the decision', () => {
    test('#30 without the form token, or with one of another session, request or user → 403, no code (RFC 6749 §10.12; RFC 9700 §4.7)', async () => {
      const [browser, page] = await consentPage();
      const [bob, bobsPage] = await consentPage(BOB);
      const { form_token: other = '' } = formOf(await browser.authorize(WEB)).fields;
      const { form_token: bobs = '' } = formOf(bobsPage).fields;
      const attempts = [
        browser.submit(page, { decision: 'approve', form_token: '' }),
        browser.submit(page, { decision: 'approve', form_token: 'x'.repeat(43) }),
        browser.submit(page, { decision: 'approve', form_token: other }),
        browser.submit(page, { decision: 'approve', form_token: bobs }),
        bob.submit(page, { decision: 'approve' }),
        bob.submit(page, { decision: 'deny' }),
        new Browser(host).submit(page, { decision: 'approve' }),
      ];
      for (const attempt of attempts) expectNothing(await attempt, 403);
      expect(locationOf(await browser.submit(page, { decision: 'approve' }))).toContain('code=');
    });

    test('#30 the sign-in form has its own form token, which a decision does not accept (RFC 6749 §10.12)', async () => {
      const browser = new Browser(host);
      const signIn = await browser.authorize(WEB);
      expectNothing(await browser.submit(signIn, { decision: 'approve' }), 403);
      const without = await browser.submit(signIn, { username: 'alice', password: 'wonderland', form_token: '' });
      expectNothing(without, 403);
      expect(without.headers['set-cookie']).toBeUndefined();
    });

    test('#31 posted eight times in parallel, and once more → one code, the same for each', async () => {
      const [browser, page] = await consentPage();
      const press = (): Promise<Answer> => browser.submit(page, { decision: 'approve' });
      const answers = await Promise.all(Array.from({ length: 8 }, press));
      answers.push(await press());
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 303));
      const [code, ...others] = new Set(answers.map((answer) => responseOf(answer)['code']));
      expect([code, others]).toEqual([expect.stringMatching(CODE), []]);
      const grants = eventsOf('grant.created') - eventsOf('grant.revoked');
      expect([grants, eventsOf('consent.decided')]).toEqual([1, 1]);
      const other = await browser.submit(page, { decision: 'deny' });
      expect([other.status, other.headers.location]).toEqual([400, undefined]);
      const { access_token } = (await redeem(code)).json;
      // Given once more, the used code would come back as a replay and end the grant.
      const late = await press();
      expect([late.status, late.headers.location]).toEqual([400, undefined]);
      const seen = await new Client(host.base).post(
        '/oauth/introspect',
        { token: String(access_token) },
        basic('api', 'api-secret'),
      );
      expect(seen.json).toMatchObject({ active: true, sub: 'alice' });
    });

    test('#31 a second press has no effect, and after ten seconds it no longer counts as a double click', async () => {
      const [browser, page] = await consentPage();
      const first = await browser.submit(page, { decision: 'approve' });
      const size = store.size;
      advance(9.9);
      const second = await browser.submit(page, { decision: 'approve' });
      expect([responseOf(second), store.size]).toEqual([responseOf(first), size]);
      advance(0.1);
      const late = await browser.submit(page, { decision: 'approve' });
      expect([late.status, late.headers.location]).toEqual([400, undefined]);
      expect((await redeem(responseOf(first)['code'])).status).toBe(200);
    });

    test('#31 the same request decided in two browsers of one owner → the second gets an error page', async () => {
      const [one, page] = await consentPage();
      const other = new Browser(host);
      const resume = `${formOf(page).action}?resume=${formOf(page).fields['resume'] ?? ''}`;
      const otherPage = await other.signIn(await other.open(resume));
      expect(isConsent(otherPage)).toBe(true);
      expect(locationOf(await one.submit(page, { decision: 'approve' }))).toContain('code=');
      const answer = await other.submit(otherPage, { decision: 'approve' });
      expect([answer.status, answer.headers.location]).toEqual([400, undefined]);
    });

    test('#32 denial → redirect access_denied with state and iss, no code stored (RFC 6749 §4.1.2.1)', async () => {
      const [browser, page] = await consentPage();
      const answer = await browser.submit(page, { decision: 'deny' });
      const again = await browser.submit(page, { decision: 'deny' });
      expect([again.status, responseOf(again)]).toEqual([303, responseOf(answer)]);
      const { error_description: _, ...rest } = responseOf(answer);
      expect(rest).toEqual({ error: 'access_denied', state: 'st', iss: host.base });
      expect(eventsOf('grant.created')).toBe(0);
      const after = await browser.submit(page, { decision: 'approve' });
      expect([after.status, after.headers.location]).toEqual([400, undefined]);
    });

    test('#32 neither allow nor deny → 400 page, and the owner can still decide', async () => {
      const [browser, page] = await consentPage();
      for (const decision of ['maybe', 'APPROVE', 'constructor'])
        expectNothing(await browser.submit(page, { decision }), 400);
      expect(locationOf(await browser.submit(page, { decision: 'approve' }))).toContain('code=');
    });

    test('#33 every redirect after a form is a 303, not cached and without a referrer (RFC 9700 §4.2.4, §4.12)', async () => {
      const browser = new Browser(host);
      const signedIn = await browser.submit(await browser.authorize(WEB), {
        username: 'alice',
        password: 'wonderland',
      });
      const page = await browser.follow(signedIn);
      const switched = await browser.submit(page, { decision: 'switch' });
      const decided = async (decision: string): Promise<Answer> => {
        const [other, form] = await consentPage();
        return other.submit(form, { decision });
      };
      const answers = [
        signedIn,
        switched,
        await decided('approve'),
        await decided('deny'),
        await new Client(host.base).post('/oauth/authorize', { ...WEB, scope: 'nonsense' }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([303, 303, 303, 303, 303]);
      for (const { headers } of answers)
        expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    });
  });

  test('#35 a code has 256 random bits and is unique (RFC 6749 §10.10)', async () => {
    const browser = new Browser(host);
    const secrets = new Set<string>();
    for (let n = 0; n < 8; n += 1) {
      const { code = '' } = responseOf(await browser.authorizeFor(WEB));
      expect(code).toMatch(CODE);
      secrets.add(code.slice(-43));
    }
    expect(secrets.size).toBe(8);
  });

  test('#37 no redirect to an unregistered URI, whatever parameter contains it (RFC 9700 §4.11.2)', async () => {
    const evil = 'https://evil.example/';
    const names = [
      'redirect_uri',
      'return_to',
      'returnTo',
      'next',
      'url',
      'continue',
      'resume',
      'target',
      'state',
      'iss',
      'user_code',
      'post_logout_redirect_uri',
    ];
    const [signedIn, page] = await consentPage();
    const paths = [
      '/oauth/authorize',
      '/oauth/device',
      '/oauth/device/verify',
      '/oauth/token',
      '/.well-known/oauth-authorization-server',
    ];
    const prefix = host.base.slice(host.origin.length);
    for (const name of names) {
      const query = `${name}=${encodeURIComponent(evil)}`;
      const answers = [
        ...(await Promise.all(paths.map((path) => signedIn.open(`${prefix + path}?${query}`)))),
        ...(await Promise.all(
          paths.map((path) => new Browser(host).open(`${prefix + path}?response_type=code&client_id=nobody&${query}`)),
        )),
        await signedIn.submit(page, { decision: 'maybe', [name]: evil }),
      ];
      const addresses = answers.map(({ headers }) => headers.location ?? '');
      expect(addresses.filter((address) => !address.startsWith(`${prefix}/oauth/`)).join('')).toBe('');
    }
  });
});

describe.each(hostFor(import.meta.url))('$name with remembered approvals', ({ start }) => {
  const { options, store, events, errors, advance } = fixture({
    clients: CLIENTS,
    lifetimes: { rememberedConsent: 3600 },
  });

  const host = useHost({ start }, { options }, errors);

  const desktop = (redirect_uri: string) => ({
    response_type: 'code',
    client_id: 'desktop',
    redirect_uri,
    ...PKCE.request,
  });

  test('a client that authenticates, by a secret or an https redirect URI, needs approval only once', async () => {
    for (const request of [WEB, desktop('https://desktop.example/cb')]) {
      const browser = new Browser(host);
      await browser.authorizeFor(request);
      const again = await browser.authorize(request);
      expect([again.status, responseOf(again)['code']]).toEqual([302, expect.stringMatching(CODE)]);
    }
  });

  test('HEAD approves nothing: it is rejected where GET is a page (RFC 9110 §9.2.1)', async () => {
    const browser = new Browser(host);
    await browser.authorizeFor(WEB);
    const cookie = browser.cookie;
    const before = [store.size, events.length];
    const query = new URLSearchParams(WEB).toString();
    for (const path of [`/oauth/authorize?${query}`, '/oauth/device?user_code=BCDF-GHJK']) {
      const answer = await new Client(host.base).request(path, { method: 'HEAD', headers: { cookie } });
      expect([path, answer.status, answer.headers['allow'], answer.headers.location]).toEqual([
        path,
        405,
        'GET, POST',
        undefined,
      ]);
    }
    expect([store.size, events.length]).toEqual(before);
  });

  test('#36 a public client on a loopback or private-scheme URI needs approval every time (RFC 8252 §8.6)', async () => {
    for (const redirect_uri of ['http://127.0.0.1:51004/cb', 'com.example.desktop:/cb']) {
      const browser = new Browser(host);
      expect(locationOf(await browser.authorizeFor(desktop(redirect_uri)))).toContain('code=');
      expect(isConsent(await browser.authorize(desktop(redirect_uri)))).toBe(true);
    }
  });

  test('a narrower scope needs no approval, and forgotten approvals are not remembered', async () => {
    const browser = new Browser(host);
    await browser.authorizeFor({ ...WEB, scope: 'profile content.read' });
    expect((await browser.authorize({ ...WEB, scope: 'content.read' })).status).toBe(302);
    await host.grants.forgetConsent({ sub: 'alice', client_id: 'web' });
    expect(isConsent(await browser.authorize({ ...WEB, scope: 'content.read' }))).toBe(true);
  });

  test('another owner, another scope or a denial needs a new approval, and an expired one too', async () => {
    const browser = new Browser(host);
    await browser.authorizeFor({ ...WEB, scope: 'profile' }, { user: BOB });
    expect(isConsent(await browser.authorize({ ...WEB, scope: 'profile content.write' }))).toBe(true);
    await browser.authorizeFor({ ...WEB, scope: 'content.write' }, { decision: 'deny' });
    expect(isConsent(await browser.authorize({ ...WEB, scope: 'content.write' }))).toBe(true);
    const carol = new Browser(host);
    expect(
      isConsent(
        await carol.signIn(await carol.authorize({ ...WEB, scope: 'profile' }), {
          username: 'carol',
          password: 'singer',
        }),
      ),
    ).toBe(true);
    expect((await browser.authorize({ ...WEB, scope: 'profile' })).status).toBe(302);
    advance(3600);
    const later = new Browser(host);
    expect(isConsent(await later.signIn(await later.authorize({ ...WEB, scope: 'profile' }), BOB))).toBe(true);
  });
});

describe.each(hostFor(import.meta.url))('$name with a longer code lifetime', ({ start }) => {
  test('#35 a code is valid as long as the options say (RFC 6749 §4.1.2)', async () => {
    const { options, advance } = fixture({ lifetimes: { authorizationCode: 600 } });
    const flows = new Flows(await start({ options }));
    const [young, old] = [await flows.code('web'), await flows.code('web')];
    advance(599);
    expect((await flows.redeem('web', young)).status).toBe(200);
    advance(1);
    expect((await flows.redeem('web', old)).status).toBe(400);
  });
});
