import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Store } from '../../../src/core/base/ports.js';
import { ownSecrets, Seal } from '../../../src/core/base/seal.js';
import type { Session } from '../../../src/core/oauth/sign-in/sessions.js';
import type { RunningHost } from '../../hosts.js';
import { Client, hostFor, useHost } from '../../hosts.js';
import { Browser, formOf, locationOf, PKCE, wordsOf } from '../support/browser.js';
import { DEVICE_CODE, fixture, USERS } from '../support/fixture.js';
import { Gate } from '../support/gate.js';
import { ISSUER, liveIn, type Node, Nodes, turns } from '../support/nodes.js';
import { FAULTS } from '../support/stores.js';

const DAY = 86_400;
const [ALICE, BOB] = USERS;
const APP = { client_id: 'ours', client_secret: 'ours-secret', redirect_uris: ['https://ours.example/cb'] } as const;
const OURS = { ...APP, consent: 'skip' } as const;

/** The cookie of a new sign-in. */
const signIn = async (host: RunningHost, user: (typeof USERS)[number] = ALICE): Promise<string> => {
  const browser = new Browser(host);
  await browser.signIn(await browser.open(`${host.base}/oauth/grants`), user);
  return browser.cookie;
};

const isSignedIn = async (host: RunningHost, cookie: string): Promise<boolean> => {
  const page = await new Client(host.base).get('/oauth/grants', { cookie });
  expect(page.status).toBe(200);
  return !('password' in formOf(page).fields);
};

const areSignedIn = (hosts: readonly RunningHost[], ...cookies: readonly string[]): Promise<readonly boolean[]> =>
  Promise.all(cookies.flatMap((cookie) => hosts.map((host) => isSignedIn(host, cookie))));

describe.each(hostFor(import.meta.url))('an owner signed out by the application on $name', (host) => {
  const { options, errors, events, store, advance } = fixture();
  const first = useHost(host, { options }, errors);
  const second = useHost(host, { options: () => ({ ...options, issuer: first.base }) });
  const hosts = [first, second];

  test('all existing sessions end in every process, and no other owner is signed out', async () => {
    const cookies = [await signIn(first), await signIn(second), await signIn(first)];
    const bob = await signIn(first, BOB);
    expect(await areSignedIn(hosts, ...cookies, bob)).toEqual(Array.from({ length: 8 }, () => true));
    events.length = 0;
    await first.owners.signOut('alice', { by: 'hr' });
    expect(events).toEqual([
      { type: 'owner.signed_out', sub: 'alice', by: 'hr', outcome: 'success', time: expect.any(Number) },
    ]);
    expect(await areSignedIn(hosts, ...cookies)).toEqual(Array.from({ length: 6 }, () => false));
    expect(await areSignedIn(hosts, bob)).toEqual([true, true]);
  });

  test('the next sign-in works, and ends with the next call, any number of times', async () => {
    const ended: string[] = [];
    for (let n = 0; n < 9; n += 1) {
      const cookie = await signIn(n % 2 === 0 ? first : second);
      expect(await areSignedIn(hosts, cookie), `sign-in ${n}`).toEqual([true, true]);
      // Two at once are one.
      await Promise.all(hosts.map((running) => running.owners.signOut('alice')));
      ended.push(cookie);
      expect(await areSignedIn(hosts, ...ended)).toEqual(Array.from({ length: 2 * ended.length }, () => false));
    }
  });

  test('leaves one record without a name, until the last session would have expired', async () => {
    for (let n = 0; n < 3; n += 1) await first.owners.signOut('alice');
    const left = () => [...store.entries()].filter(([key]) => key.includes(':signed-out:'));
    expect(left()).toHaveLength(1);
    expect(JSON.stringify(left())).not.toContain('alice');
    advance(30 * DAY);
    expect(left()).toHaveLength(1);
    advance(900);
    expect(left()).toEqual([]);
  });

  test('rejects invalid arguments', async () => {
    const { signOut } = first.owners as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>; // As JavaScript sees it.
    for (const sub of [undefined, '', 5, { sub: 'alice' }])
      await expect(signOut?.(sub)).rejects.toThrow('owners.signOut: sub must be a non-empty string.');
    await expect(signOut?.('client:web')).rejects.toThrow('must not begin with client:');
    await expect(signOut?.('alice', { by: '' })).rejects.toThrow('owners.signOut: by must be a non-empty string.');
    const { users: _users, ...withoutUsers } = options;
    const own = await host.start({
      options: { ...withoutUsers, owner: () => ({ sub: 'alice' }), loginUrl: '/login' },
    });
    await expect(own.owners.signOut('alice')).rejects.toThrow(/^owners.signOut: .*options.owner/);
  });

  test('works in a process without pages', async () => {
    const { users: _users, ...withoutUsers } = options;
    const admin = await host.start({ options: { ...withoutUsers, issuer: first.base } });
    const cookie = await signIn(second);
    await admin.owners.signOut('alice');
    expect(await areSignedIn(hosts, cookie)).toEqual([false, false]);
  });
});

describe('signing an owner out during other operations', () => {
  let nodes: Nodes;
  /** What the directory is asked, in front of its answer. */
  let asked: () => Promise<void>;
  let password = '';
  beforeEach(() => {
    asked = async () => undefined;
    password = 'wonderland';
    nodes = new Nodes({
      clients: [OURS],
      lifetimes: { rememberedConsent: DAY, session: 30 * DAY },
      users: {
        authenticate: async (username, given) => {
          const isRight = username === 'alice' && given === password;
          await asked();
          return isRight && { sub: 'alice', username };
        },
      },
    });
    return () => nodes.close();
  });

  const gated = async (): Promise<readonly [Node, Gate]> => {
    let gate: Gate | undefined;
    const node = await nodes.start({ between: (store) => (gate = new Gate(store)).store });
    if (gate === undefined) throw new Error('There is no gate.');
    return [node, gate];
  };
  const login = async (host: RunningHost, typed: string): Promise<string> => {
    const browser = new Browser(host);
    const page = await browser.open(`${host.base}/oauth/grants`);
    await browser.submit(page, { username: 'alice', password: typed });
    return browser.cookie;
  };

  test('a sign-in whose password was already compared compares it again, and is rejected if it is wrong by then', async () => {
    const node = await nodes.start();
    const other = await nodes.start();
    for (const changed of ['changed', 'wonderland']) {
      password = 'wonderland';
      let letGo = (): void => undefined;
      const held = new Promise<void>((resolve) => (letGo = resolve));
      const arrived = new Promise<void>((resolve) => {
        asked = () => (resolve(), held);
      });
      const cookie = login(node.host, 'wonderland');
      await arrived;
      asked = async () => undefined;
      password = changed;
      await other.host.owners.signOut('alice');
      letGo();
      expect(await isSignedIn(node.host, await cookie), changed).toBe(changed === 'wonderland');
    }
  });

  test('a sign-in that has read the last sign-out has ended before its cookie arrives', async () => {
    const [node, gate] = await gated();
    const other = await nodes.start();
    const { arrived, letGo } = gate.hold('get', ':signed-out:');
    const early = login(node.host, 'wonderland');
    await arrived;
    letGo();
    const before = await early;
    await other.host.owners.signOut('alice');
    expect(await isSignedIn(node.host, before)).toBe(false);
  });

  test.each(['add', 'swap'] as const)('two calls at once, one of which is delayed before its %s', async (verb) => {
    const [node, gate] = await gated();
    const other = await nodes.start();
    if (verb === 'swap') await other.host.owners.signOut('alice');
    const first = await login(other.host, 'wonderland');
    const { arrived, letGo } = gate.hold(verb, ':signed-out:');
    const late = node.host.owners.signOut('alice');
    await arrived;
    await other.host.owners.signOut('alice');
    expect(await isSignedIn(node.host, first)).toBe(false);
    const second = await login(other.host, 'wonderland');
    letGo();
    await late;
    expect(await isSignedIn(node.host, first), 'nothing comes back').toBe(false);
    expect(await isSignedIn(node.host, second), 'which began after the other call').toBe(true);
    await node.host.owners.signOut('alice');
    expect(await areSignedIn([node.host, other.host], first, second)).toEqual([false, false, false, false]);
  });

  test('a call during which the record of the last one expires', async () => {
    const [node, gate] = await gated();
    await node.host.owners.signOut('alice');
    nodes.shared.advance(30 * DAY + 899);
    const cookie = await login(node.host, 'wonderland');
    const { arrived, letGo } = gate.hold('swap', ':signed-out:');
    const late = node.host.owners.signOut('alice');
    await arrived;
    nodes.shared.advance(1);
    expect(await isSignedIn(node.host, cookie)).toBe(true);
    letGo();
    await late;
    expect(await isSignedIn(node.host, cookie)).toBe(false);
  });

  test('a cookie of a version before 0.3 signs no one in', async () => {
    const node = await nodes.start();
    const [name = '', sealed = ''] = (await login(node.host, 'wonderland')).split('=');
    const { clock, options } = nodes.shared;
    const seal = new Seal(ownSecrets([String(options.secret)], ISSUER), 'session', clock, randomBytes);
    const { lastSignOut, ...session } = seal.open(sealed) as Session;
    expect(lastSignOut).toBeNull();
    const cookieWith = (more: object): string => `${name}=${seal.seal({ ...session, ...more }, session.expiresAt)}`;
    expect(await isSignedIn(node.host, cookieWith({ lastSignOut }))).toBe(true);
    expect(await isSignedIn(node.host, cookieWith({ generation: '686:0' }))).toBe(false);
  });

  test('a session of thirty days ends on both processes, one with short sessions, with clocks apart', async () => {
    const long = await nodes.start({ ahead: 25_000 });
    const short = await nodes.start({ options: { lifetimes: { session: 60 } } });
    const cookies: string[] = [];
    for (let day = 0; day < 62; day += 1) {
      const cookie = await login(long.host, 'wonderland');
      cookies.push(cookie);
      nodes.shared.advance(DAY * 0.499);
      if (day % 10 === 9) {
        expect(await isSignedIn(long.host, cookie)).toBe(true);
        await short.host.owners.signOut('alice');
        const alive = await areSignedIn([long.host], ...cookies);
        expect(alive.filter(Boolean), `day ${day}`).toEqual([]);
        expect(await isSignedIn(long.host, await login(long.host, 'wonderland'))).toBe(true);
      }
      nodes.shared.advance(DAY * 0.501);
    }
  });

  const nothingIsGranted = () =>
    expect(liveIn(nodes.shared.store).filter(([key]) => key.includes(':grant:'))).toEqual([]);
  const end = async (node: Node): Promise<void> => {
    await node.host.owners.signOut('alice');
    await node.host.grants.revoke({ sub: 'alice' });
  };
  const request = (client_id: string, redirect_uri: string) =>
    ({ response_type: 'code', client_id, redirect_uri, ...PKCE.request }) as const;
  const WEB = request('web', 'https://app.example/cb');
  const browserOf = async (node: Node): Promise<Browser> => {
    const browser = new Browser(node.host);
    await browser.signIn(await browser.open(`${node.host.base}/oauth/grants`));
    return browser;
  };

  test.each([
    ['granted', ':grant:', 403],
    // Their codes are of grants that were found and ended.
    ['written down what was decided', ':consent-decision:', 303],
    ['remembered the approval', ':remembered-consent:', 303],
  ])('an approval that has not yet %s leaves nothing if everything has ended meanwhile', async (_, part, status) => {
    const [node, gate] = await gated();
    const other = await nodes.start();
    const browser = await browserOf(node);
    const page = await browser.authorize(WEB);
    const { arrived, letGo } = gate.hold('add', part);
    const answer = browser.submit(page, { decision: 'approve' });
    await arrived;
    await turns(20);
    await end(other);
    letGo();
    expect((await answer).status).toBe(status);
    nothingIsGranted();
    expect(formOf(await (await browserOf(node)).authorize(WEB)).fields, 'the owner is asked').toHaveProperty('resume');
  });

  test('nor does one without a consent page for a first-party application', async () => {
    const [node, gate] = await gated();
    const other = await nodes.start();
    const browser = await browserOf(node);
    const { arrived, letGo } = gate.hold('add', ':grant:');
    const answer = browser.authorize(request('ours', 'https://ours.example/cb'));
    await arrived;
    await end(other);
    letGo();
    expect(formOf(await answer).fields).toHaveProperty('password');
    nothingIsGranted();
  });

  test('nor does the approval of a device', async () => {
    const [node, gate] = await gated();
    const other = await nodes.start();
    const codes = await node.flows.device('tv');
    const browser = await browserOf(node);
    const page = await browser.submit(await browser.open(`${node.host.base}/oauth/device`), {
      user_code: codes.user_code,
    });
    const { arrived, letGo } = gate.hold('add', ':grant:');
    const answer = browser.submit(page, { decision: 'approve' });
    await arrived;
    await end(other);
    letGo();
    expect((await answer).status).toBe(403);
    nothingIsGranted();
    const poll = await other.flows.token('tv', { grant_type: DEVICE_CODE, device_code: codes.device_code });
    expect(poll.json).toMatchObject({ error: 'authorization_pending' });
  });

  test('a store that fails signs in no one, and the call rejects', async () => {
    let isBroken = false;
    const between = (store: Store): Store => ({
      ...store,
      get: (key) => (isBroken ? FAULTS.rejects() : store.get(key)),
      getMany: (keys) => (isBroken ? FAULTS.rejects() : Promise.all(keys.map((key) => store.get(key)))),
    });
    const node = await nodes.start({ between });
    const cookie = await login(node.host, 'wonderland');
    isBroken = true;
    const thief = new Client(node.host.base);
    for (const path of ['/oauth/grants', '/oauth/device']) {
      const page = await thief.get(path, { cookie });
      expect([path, page.status, page.headers['retry-after'] !== undefined]).toEqual([path, 503, true]);
    }
    const answer = await thief.get(`/oauth/authorize?${new URLSearchParams(WEB).toString()}`, { cookie });
    expect(locationOf(answer)).toContain('error=temporarily_unavailable');
    await expect(node.host.owners.signOut('alice')).rejects.toThrow('The store could not get a record.');
    isBroken = false;
    expect(await isSignedIn(node.host, cookie)).toBe(true);
    expect(node.errors.splice(0).length).toBeGreaterThan(0);
  });

  test('the form token of an earlier page is rejected', async () => {
    const node = await nodes.start();
    const browser = await browserOf(node);
    const page = await browser.authorize(WEB);
    await node.host.owners.signOut('alice');
    expect((await browser.submit(page, { decision: 'approve' })).status).toBe(403);
    expect(wordsOf(await browser.authorize(WEB))).toContain('Sign in');
    const grants = await browser.submit(page, { decision: 'switch' });
    expect(grants.status).toBe(403);
    expect(locationOf(await new Client(node.host.base).post('/oauth/grants', {}, { cookie: browser.cookie }))).toBe(
      '/oauth/grants',
    );
  });
});
