import { text } from 'node:stream/consumers';
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { oauthQuery } from '../../../src/adapters/fetch/index.js';
import { Client, everyHost, hostFor, type RunningHost } from '../../hosts.js';
import { listen } from '../../hosts/listen.js';
import { Browser, formOf, responseOf } from '../../oauth/support/browser.js';
import { USERS } from '../../oauth/support/fixture.js';
import { Flows } from '../../oauth/support/tokens.js';
import { everyRow } from '../../rows.js';
import { openIdFixture } from './support.js';

interface Received {
  readonly path: string;
  readonly type: string | undefined;
  readonly token: string;
}

/** Listens like the applications. */
const received: Received[] = [];
let answer: number | 'silence' = 200;
/** The deadlines of requests under way, and how many of these requests have arrived and stay without an answer. */
const deadlines = new Set<() => void>();
let silent = 0;
let address = '';
let close: () => void;
beforeAll(async () => {
  ({ origin: address, close } = await listen(async (request, response) => {
    const body = new URLSearchParams(await text(request));
    const { url: path = '', headers } = request;
    received.push({ path, type: headers['content-type'], token: body.get('logout_token') ?? '' });
    if (answer === 'silence') silent += 1;
    else response.writeHead(answer).end();
  }));
});
afterAll(() => close());
beforeEach(() => {
  received.length = silent = 0;
  deadlines.clear();
  answer = 200;
});

/** Waits until nothing more can come. */
const settled = () => new Promise((resolve) => void setTimeout(resolve, 100));
const arrivals = (count: number) => expect.poll(() => received).toHaveLength(count);

/** The pause before a repetition is over soon, the deadline of a request when the test lets it pass. */
const timer = (run: () => void, milliseconds: number): (() => void) => {
  if (milliseconds === 5000) {
    deadlines.add(run);
    return () => void deadlines.delete(run);
  }
  const started = setTimeout(run, milliseconds === 2000 ? 1 : milliseconds);
  return () => clearTimeout(started);
};

/** Polls, and lets the deadlines of requests without an answer pass. */
const afterDeadlines = <T>(read: () => T) =>
  expect.poll(() => {
    for (const pass of [...deadlines].slice(0, silent)) {
      deadlines.delete(pass);
      pass();
    }
    silent = 0;
    return read();
  });

const clientsAt = (base: string) => [
  ...['one', 'two'].map((client_id) => ({
    client_id,
    client_secret: `${client_id}-secret`,
    redirect_uris: [`https://${client_id}.example/cb`],
    backchannel_logout_uri: `${base}/${client_id}?x=1`,
    backchannel_logout_session_required: true,
    scope: 'openid content.read',
  })),
  { client_id: 'quiet', client_secret: 'quiet-secret', redirect_uris: ['https://quiet.example/cb'], scope: 'openid' },
];
const requestOf = (client_id: string, scope: string) => ({
  ...{ client_id, response_type: 'code', redirect_uri: `https://${client_id}.example/cb`, scope },
});

describe.each(hostFor(import.meta.url))('telling clients that their user has signed out, on $name', (host) => {
  let running: RunningHost;
  let all: ReturnType<typeof openIdFixture>;
  beforeAll(async () => {
    all = openIdFixture({}, { clients: clientsAt(address), runtime: { timer } });
    running = await host.start({ options: all.options });
  });
  afterAll(async () => {
    await running.close();
    expect(all.errors).toEqual([]);
  });
  beforeEach(() => {
    all.events.length = 0;
    all.advance(60);
  });

  /** Signs in to a client: the claims of the ID token. */
  const signInto = async (browser: Browser, client_id: string, scope = 'openid'): Promise<Record<string, unknown>> => {
    const { code = '' } = responseOf(await browser.authorizeFor(requestOf(client_id, scope)));
    const { json } = await new Flows(running, clientsAt(address)).post('/oauth/token', client_id, {
      ...{ grant_type: 'authorization_code', code, redirect_uri: `https://${client_id}.example/cb` },
    });
    const [, payload = ''] = String(json['id_token']).split('.');
    return payload === '' ? {} : JSON.parse(Buffer.from(payload, 'base64url').toString());
  };
  const signOut = async (browser: Browser): Promise<void> => {
    const page = await browser.open(`${running.base}/oauth/logout`);
    await browser.submit(page);
  };
  const failures = () =>
    all.events.flatMap((event) => (event.type === 'logout.failed' ? [[event.client_id, event.sub, event.reason]] : []));

  test('O84: a browser has one session: a second sign-in of its owner keeps the sid and ends with it, one of another owner ends it', async () => {
    const browser = new Browser(running);
    const { sid } = await signInto(browser, 'one');
    const copyOf = (): Browser => new Browser(running, { cookie: browser.cookie });
    const isSignedIn = async (copy: Browser): Promise<boolean> =>
      responseOf(await copy.authorize({ ...requestOf('quiet', 'openid'), prompt: 'none' }))['error'] !==
      'login_required';
    const signInAgain = async (username: 'alice' | 'bob'): Promise<void> => {
      const user = USERS.find((known) => known.username === username) ?? USERS[0];
      await browser.authorizeFor({ ...requestOf('two', 'openid'), prompt: 'login' }, { user });
    };
    const first = copyOf();
    all.advance(3000);
    await signInAgain('alice');
    const second = copyOf();
    expect(await signInto(browser, 'two')).toMatchObject({ sid });
    expect([await isSignedIn(first), await isSignedIn(second)]).toEqual([true, true]);
    await signOut(first);
    expect([await isSignedIn(first), await isSignedIn(second)]).toEqual([false, false]);
    await arrivals(2);
    for (const { token } of received) expect(decodeJwt(token)).toMatchObject({ sub: 'alice', sid });
    all.advance(700);
    expect(await isSignedIn(second), 'after the first cookie has expired').toBe(false);

    const { sid: next } = await signInto(browser, 'one');
    expect(next).not.toBe(sid);
    const third = copyOf();
    received.length = 0;
    await signInAgain('bob');
    expect([await isSignedIn(third), await isSignedIn(copyOf())]).toEqual([false, true]);
    await arrivals(2);
    for (const { token } of received) expect(decodeJwt(token)).toMatchObject({ sub: 'alice', sid: next });
    await running.grants.revoke({ sub: 'alice' });
    await settled();
  });

  test('O84: each client with openid gets a logout token that a strict verifier accepts, and only those', async () => {
    const browser = new Browser(running);
    const { sid } = await signInto(browser, 'one');
    await signInto(browser, 'two', 'content.read');
    await signInto(browser, 'quiet');
    await signOut(browser);
    await arrivals(1);
    await settled();
    expect(received).toMatchObject([{ path: '/one?x=1', type: 'application/x-www-form-urlencoded' }]);
    const { payload, protectedHeader } = await jwtVerify(
      received[0]?.token ?? '',
      createRemoteJWKSet(new URL(`${running.base}/oauth/jwks`)),
      { issuer: running.base, audience: 'one', typ: 'logout+jwt', currentDate: new Date(all.clock()) },
    );
    const iat = all.clock() / 1000;
    expect(payload).toEqual({
      ...{ iss: running.base, sub: 'alice', sid, aud: 'one', iat, exp: iat + 120, jti: expect.any(String) },
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    });
    expect(protectedHeader).toMatchObject({ alg: 'RS256', kid: expect.any(String) });
    expect(typeof sid).toBe('string');
    expect(failures()).toEqual([]);
    // A logout token is not an ID token.
    const page = await browser.open(`${running.base}/oauth/logout?id_token_hint=${received[0]?.token ?? ''}`);
    expect(page.status).toBe(303);
    const { json } = await new Client(running.base).get('/.well-known/openid-configuration');
    expect(json).toMatchObject({ backchannel_logout_supported: true, backchannel_logout_session_supported: true });
  });

  const claimsOf = ({ token }: Received): Record<string, unknown> =>
    JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

  test('O84: a sid names one session of one browser; ending all of them names none', async () => {
    const [here, there] = [new Browser(running), new Browser(running)];
    const [one, two] = [await signInto(here, 'one'), await signInto(there, 'one')];
    expect(one['sid']).not.toBe(two['sid']);
    expect((await signInto(here, 'two'))['sid']).toBe(one['sid']);
    await signOut(there);
    await arrivals(2);
    expect(received.map(claimsOf).map(({ sid }) => sid)).toEqual([two['sid'], two['sid']]);
    received.length = 0;
    await running.owners.signOut('alice');
    await arrivals(2);
    expect(received.map(claimsOf).map(({ sub, sid }) => [sub, sid])).toEqual([
      ['alice', undefined],
      ['alice', undefined],
    ]);
  });

  test('O84: withdrawing tells one client; erasing tells each of the others once, and later nobody', async () => {
    const browser = new Browser(running);
    for (const client of ['one', 'two']) await signInto(browser, client);
    await running.grants.revoke({ sub: 'alice', client_id: 'one' });
    await arrivals(1);
    expect(received.map(({ path }) => path)).toEqual(['/one?x=1']);
    await running.owners.erase('alice');
    await arrivals(2);
    await running.owners.erase('alice');
    await settled();
    expect(received.map(({ path }) => path)).toEqual(['/one?x=1', '/two?x=1']);
  });

  test('O84: a client that refuses is not asked again, one that fails or is silent once; both are an event', async () => {
    await everyRow(
      [
        [400, 1, 'It answers with status 400 instead of 200.'],
        [302, 1, 'It answers with status 302 instead of 200.'],
        [503, 2, 'It answers with status 503 instead of 200.'],
        ['silence', 2, 'It did not answer within 5000 ms.'],
      ] as const,
      async ([status, times, reason]) => {
        all.events.length = received.length = 0;
        answer = status;
        await signInto(new Browser(running), 'one');
        await running.owners.signOut('alice');
        await afterDeadlines(failures).toEqual([['one', 'alice', reason]]);
        expect(received).toHaveLength(times);
        // Nothing of the sign-out depends on it.
        expect(all.events.some(({ type }) => type === 'owner.signed_out')).toBe(true);
      },
    );
  });

  test('O84: one owner can cause only so many messages, and one client gets only so many at once', async () => {
    await signInto(new Browser(running), 'one');
    for (let n = 0; n < 12; n += 1) await running.owners.signOut('alice');
    await expect.poll(failures).toHaveLength(2);
    expect(failures()[0]?.[2]).toBe('This owner signs out too often.');
    await settled();
    expect(received.length).toBeLessThanOrEqual(10);
    // Another owner and another client, whose messages wait for none of these.
    answer = 'silence';
    const bob = { username: 'bob', password: 'builder' };
    await new Browser(running).authorizeFor(requestOf('two', 'openid'), { user: bob });
    for (let n = 0; n < 9; n += 1) await running.owners.signOut('bob');
    const toTwo = () => received.filter(({ path }) => path.startsWith('/two'));
    // Four are under way. The fifth waits, and stands for all that came after it.
    await expect.poll(toTwo).toHaveLength(4);
    await settled();
    expect(toTwo()).toHaveLength(4);
    await afterDeadlines(() => failures().filter(([, sub]) => sub === 'bob')).toHaveLength(5);
    expect(toTwo()).toHaveLength(10);
  });

  test('O84: a form of the consent page that signs out tells too', async () => {
    const browser = new Browser(running);
    await signInto(browser, 'one');
    const page = await browser.authorize({ ...requestOf('one', 'openid'), prompt: 'consent' });
    expect(formOf(page).fields).toHaveProperty('resume');
    await browser.submit(page, { decision: 'switch' });
    await arrivals(1);
  });
});

describe.each(hostFor(`${import.meta.url}2`))('telling clients, with an own sign-in or abroad, on $name', (host) => {
  test('O84: with an own sign-in, owners.signOut and the page for signing out tell the clients', async () => {
    const { users: _users, ...own } = openIdFixture(
      { logoutUrl: '/sign-out' },
      { clients: clientsAt(address).map((client) => ({ ...client, backchannel_logout_session_required: false })) },
    ).options;
    const running = await host.start({ options: { ...own, owner: () => ({ sub: 'alice' }), loginUrl: '/login' } });
    const browser = new Browser(running);
    await browser.authorizeFor(requestOf('one', 'openid'));
    await running.owners.signOut('alice');
    await arrivals(1);
    await browser.submit(await browser.open(`${running.base}/oauth/logout`));
    await arrivals(2);
    const { json } = await new Client(running.base).get('/.well-known/openid-configuration');
    expect(json).toMatchObject({ backchannel_logout_supported: true, backchannel_logout_session_supported: false });
  });

  test('O84: a server for the world tells no server of its own network; a function may', async () => {
    const refused = [
      'https://127.0.0.1/a',
      'https://10.0.0.1/b',
      'https://[::1]/c',
      'https://169.254.169.254/d',
      `${address}/e`,
    ];
    const clients = refused.map((uri, at) => ({
      ...clientsAt(uri)[0]!,
      client_id: `c${at}`,
      backchannel_logout_uri: uri,
    }));
    const started = async (own: Parameters<typeof openIdFixture>[0]) => {
      const all = openIdFixture(own, { issuer: 'https://op.example', clients, runtime: { timer } });
      const running = await host.start({ options: all.options });
      const browser = new Browser(running);
      for (const { client_id } of clients) await browser.authorizeFor({ ...requestOf('one', 'openid'), client_id });
      await running.owners.signOut('alice');
      return { all, running };
    };
    const { all } = await started({});
    const failed = () => all.events.flatMap((event) => (event.type === 'logout.failed' ? [event.reason] : []));
    await expect.poll(failed).toHaveLength(refused.length);
    expect(failed().every((reason) => reason.includes('which is not a public address'))).toBe(true);
    expect(received).toEqual([]);
    const sent: string[] = [];
    await started({
      sendLogoutToken: (uri, token, { signal }) =>
        void sent.push(`${uri} ${token.split('.').length} ${String(signal.aborted)}`),
    });
    await expect.poll(() => new Set(sent)).toEqual(new Set(refused.map((uri) => `${uri} 3 false`)));
  });

  test('O84: what this server cannot do stops the start', async () => {
    const [client] = clientsAt('https://one.example');
    const { store, ...rest } = openIdFixture({}, { clients: [client!] }).options;
    const { list: _list, ...without } = { ...store!, list: undefined };
    await expect(host.start({ options: { ...rest, store: without as never } })).rejects.toThrow(
      'backchannel_logout_uri needs a store that can list',
    );
  });
});

// One of each framework.
describe.each(everyHost.filter(({ name }) => /^(express5|koa3|fastify5) bare$/.test(name)))(
  'telling clients that one session of an own sign-in has ended, on $name',
  (host) => {
    let owner: Readonly<Record<string, unknown>> & { readonly sub: string };
    let running: RunningHost;
    const failures: unknown[] = [];
    beforeAll(async () => {
      const clients = clientsAt(address);
      const { users: _users, ...own } = openIdFixture(
        { logoutUrl: '/sign-out' },
        { clients, lifetimes: { rememberedConsent: 86_400 } },
      ).options;
      running = await host.start({
        options: { ...own, owner: () => owner, loginUrl: '/login', onError: (error) => failures.push(error) },
      });
    });
    afterAll(() => running.close());
    beforeEach(() => {
      owner = { sub: 'alice', sid: 'session-1' };
      failures.length = 0;
    });

    const redeem = async (client_id: string, { code = '' }: Readonly<Record<string, string>>) =>
      new Flows(running, clientsAt(address)).post('/oauth/token', client_id, {
        ...{ grant_type: 'authorization_code', code, redirect_uri: `https://${client_id}.example/cb` },
      });
    const sidIn = (token: unknown): unknown => decodeJwt(String(token))['sid'];
    const sidAfter = async (client_id: string, more: Readonly<Record<string, string>> = {}): Promise<unknown> => {
      const browser = new Browser(running);
      const answer = responseOf(await browser.authorizeFor({ ...requestOf(client_id, 'openid'), ...more }));
      return sidIn((await redeem(client_id, answer)).json['id_token']);
    };

    test('O84: each named session has a sid of its own, also without a page, and its end tells that sid alone', async () => {
      const first = await sidAfter('one');
      expect(first).toMatch(/^[\w-]{22}$/);
      expect(await sidAfter('two')).toBe(first);
      const silent = responseOf(
        await new Browser(running).authorize({ ...requestOf('one', 'openid'), prompt: 'none' }),
      );
      expect(sidIn((await redeem('one', silent)).json['id_token'])).toBe(first);
      owner = { sub: 'alice', sid: 'session-2' };
      const second = await sidAfter('one');
      owner = { sub: 'bob', sid: 'session-1' };
      const other = await sidAfter('one');
      expect(new Set([first, second, other]).size).toBe(3);
      await running.owners.signOut('alice', { sid: 'session-2' });
      await arrivals(2);
      expect(received.map(({ token }) => sidIn(token))).toEqual([second, second]);
      received.length = 0;
      await running.owners.signOut('alice');
      await arrivals(2);
      expect(received.map(({ token }) => [decodeJwt(token).sub, sidIn(token)])).toEqual([
        ['alice', undefined],
        ['alice', undefined],
      ]);
      // The page that signs out ends the session of its browser.
      received.length = 0;
      owner = { sub: 'alice', sid: 'session-1' };
      const browser = new Browser(running);
      await browser.submit(await browser.open(`${running.base}/oauth/logout`));
      await arrivals(2);
      expect(received.map(({ token }) => sidIn(token))).toEqual([first, first]);
      const { json } = await new Client(running.base).get('/.well-known/openid-configuration');
      expect(json).toMatchObject({ backchannel_logout_session_supported: true });
    });

    test('O84: a client that needs a sid signs nobody in without one, and other clients do', async () => {
      owner = { sub: 'carol' };
      const answer = responseOf(await new Browser(running).authorizeFor(requestOf('one', 'openid')));
      expect((await redeem('one', answer)).status).toBe(500);
      expect(String(failures)).toContain(
        '"one" has backchannel_logout_session_required, so options.owner must return a sid',
      );
      expect(await sidAfter('quiet')).toBeUndefined();
    });

    test('O84: a sid is a short text, and only names sessions of an own sign-in', async () => {
      await everyRow([42, '', 'x'.repeat(257), {}], async (sid) => {
        owner = { sub: 'alice', sid };
        failures.length = 0;
        expect(responseOf(await new Browser(running).authorize(requestOf('quiet', 'openid')))).toMatchObject({
          error: 'server_error',
        });
        expect(String(failures)).toContain('The sid of options.owner must be a string of at most 256 characters');
      });
      await expect(running.owners.signOut('alice', { sid: '' })).rejects.toThrow('sid must be a non-empty string');
      const builtIn = await host.start({ options: openIdFixture().options });
      await expect(builtIn.owners.signOut('alice', { sid: 'session-1' })).rejects.toThrow('sid names a session');
      await builtIn.close();
    });
  },
);

test('O84: a client that is silent gets less time and fewer places, and keeps no message from another', async () => {
  // All time passes when the test says so, and not before every user is signed out.
  const waiting = new Set<() => void>();
  const timer = (run: () => void): (() => void) => {
    waiting.add(run);
    return () => void waiting.delete(run);
  };
  const elapse = (): void => {
    for (const run of [...waiting]) if (waiting.delete(run)) run();
  };
  const clients = ['good', 'silent'].map((client_id) => ({
    ...clientsAt('https://app.example')[0]!,
    client_id,
    backchannel_logout_uri: `https://${client_id}.example/out`,
  }));
  let told = 0;
  const sendLogoutToken = (uri: string): void | Promise<never> => {
    if (uri.includes('silent')) return new Promise(() => undefined);
    told += 1;
    return undefined;
  };
  const runtime = { timer };
  const { options, events } = openIdFixture({ sendLogoutToken }, { issuer: 'https://op.example', clients, runtime });
  const oauth = oauthQuery(options);
  const USERS = 130;
  for (let n = 0; n < USERS; n += 1) {
    for (const { client_id } of clients) await oauth.issue({ sub: `u${n}`, client_id, scope: 'openid' });
  }
  for (let n = 0; n < USERS; n += 1) {
    await oauth.grants.revoke({ sub: `u${n}` });
    if (n % 10 === 0) await new Promise((resolve) => void setTimeout(resolve, 1));
  }
  await expect.poll(() => told).toBe(USERS);
  const failures = () => events.flatMap((event) => (event.type === 'logout.failed' ? [event] : []));
  await expect
    .poll(() => {
      elapse();
      return failures().map(({ reason }) => reason);
    })
    .toContain('It did not answer within 2000 ms.');
  expect(new Set(failures().map(({ client_id }) => client_id))).toEqual(new Set(['silent']));
  const first = failures().map(({ reason }) => reason);
  expect(first.filter((reason) => reason.includes('Too many')).length).toBeGreaterThan(USERS - 120);
  expect(first).toContain('It did not answer within 5000 ms.');
});
