import { describe, expect, test } from 'vitest';
import type { Store } from '../../src/core/base/ports.js';
import { Client, eachFramework, useHost } from '../hosts.js';
import { Browser } from '../oauth/support/browser.js';
import { fixture } from '../oauth/support/fixture.js';
import { FAULTS } from '../oauth/support/stores.js';

const CAROL = { username: 'carol', password: 'singer' };

const cookieOf = (browser: Browser): string =>
  [...browser.cookies].map(([name, { value }]) => `${name}=${value}`).join('; ');

describe.each(eachFramework)('the signed-in owner, for a route of the application on $name', (host) => {
  let isActive: (sub: string) => boolean | Promise<boolean> = () => true;
  let fault: (() => Promise<unknown>) | undefined;
  const { options, store, advance } = fixture();
  /** The store of the fixture, until it has a fault. */
  const breakable: Store = {
    add: (...record) => store.add(...record),
    swap: (...record) => store.swap(...record),
    get: (key) => store.get(key),
    delete: (key) => store.delete(key),
    // A fault answers anything.
    getMany: (keys) => (fault === undefined ? store.getMany(keys) : (fault() as ReturnType<typeof store.getMany>)),
    list: (group, page) => store.list(group, page),
  };
  const users = {
    authenticate: (username: string, password: string) =>
      password === CAROL.password && { sub: `user of ${username}`, username },
    isActive: (sub: string) => isActive(sub),
  };
  const running = useHost(host, { options: { ...options, users, store: breakable } });
  const client = new Client(() => running.origin);

  const signIn = async (): Promise<Browser> => {
    const browser = new Browser(running);
    await browser.signIn(await browser.open(`${running.base}/oauth/grants`), CAROL);
    return browser;
  };
  const ownerWith = async (cookie: string): Promise<unknown> => {
    const { status, text } = await client.get('/signed-in', { cookie });
    return status === 200 ? (JSON.parse(text) as { owner: unknown }).owner : status;
  };
  const OWNER = { sub: 'user of carol', username: 'carol' };

  test('is the owner of the session in the cookie, among other cookies', async () => {
    const cookie = cookieOf(await signIn());
    expect(await ownerWith(cookie)).toEqual(OWNER);
    expect(await ownerWith(`a=1; ${cookie}; b=2`)).toEqual(OWNER);
  });

  test('is undefined without a session, before the sign-in, and with a modified cookie', async () => {
    expect(await ownerWith('a=1')).toBe(null);
    const before = new Browser(running);
    await before.open(`${running.base}/oauth/grants`);
    expect(cookieOf(before)).not.toBe('');
    expect(await ownerWith(cookieOf(before))).toBe(null);
    const cookie = cookieOf(await signIn());
    const [name = ''] = cookie.split('=', 1);
    const middle = name.length + 60;
    const changed = cookie.slice(0, middle) + (cookie[middle] === 'A' ? 'B' : 'A') + cookie.slice(middle + 1);
    for (const bad of [changed, `${name}=`, `${name}`, `${name}=%00`, `${name}={}`, `${name}=${'A'.repeat(4000)}`])
      expect(await ownerWith(bad), bad).toBe(null);
    expect(running.errors).toEqual([]);
  });

  test('is undefined after the owner signed out, was signed out, erased or disabled, and after the session has expired', async () => {
    const browser = await signIn();
    const cookie = cookieOf(browser);
    await browser.submit(await browser.open(`${running.base}/oauth/grants`), { decision: 'sign_out' });
    expect(await ownerWith(cookie), 'signed out').toBe(null);
    for (const end of ['signOut', 'erase'] as const) {
      const other = cookieOf(await signIn());
      expect(await ownerWith(other)).toEqual(OWNER);
      await running.owners[end](OWNER.sub);
      expect(await ownerWith(other), end).toBe(null);
    }
    const last = cookieOf(await signIn());
    isActive = (sub) => sub !== OWNER.sub;
    expect(await ownerWith(last), 'disabled').toBe(null);
    isActive = () => true;
    expect(await ownerWith(last)).toEqual(OWNER);
    advance(31 * 86_400);
    expect(await ownerWith(last), 'expired').toBe(null);
  });

  test('is an error, and never an owner, while the store or `users.isActive` fails', async () => {
    const cookie = cookieOf(await signIn());
    for (const name of ['rejects', 'answers nonsense'] as const) {
      fault = FAULTS[name];
      expect(await ownerWith(cookie), name).toBe(500);
      fault = undefined;
    }
    isActive = () => Promise.reject(new Error('the directory is down'));
    expect(await ownerWith(cookie), 'isActive').toBe(500);
    isActive = () => true;
    expect(await ownerWith(cookie)).toEqual(OWNER);
    expect(running.errors.map((error) => (error as Error).name)).toEqual([
      'UnavailableError',
      'UnavailableError',
      expect.any(String),
    ]);
  });

  test('is an error if the application has its own sign-in', async () => {
    const { users: _users, ...others } = options;
    const own = await host.start({ options: { ...others, owner: () => ({ sub: 'alice' }), loginUrl: '/login' } });
    expect((await new Client(own.origin).get('/signed-in')).status).toBe(500);
    expect(own.errors).toEqual([expect.objectContaining({ message: expect.stringContaining('options.owner') })]);
  });
});
