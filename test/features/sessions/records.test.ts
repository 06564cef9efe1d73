import { sessions } from 'oauth-query/sessions';
import { featureServer, weakStore } from 'oauth-query/testing';
import { expect, test } from 'vitest';
import { oauthQuery } from '../../../src/adapters/node/index.js';
import { hostFor } from '../../hosts.js';
import { wordsOf } from '../../oauth/support/browser.js';
import { fixture, USERS } from '../../oauth/support/fixture.js';
import { everyRow } from '../../rows.js';
import { AGENTS, keyOf, recordsIn, SessionsPage } from './support.js';

const [ALICE, BOB] = USERS;
const [{ start }] = hostFor(import.meta.url);

const started = async (more: Parameters<typeof fixture>[0] = {}) => {
  const all = fixture({ features: [sessions()], ...more });
  const host = await start({ options: all.options });
  const signIn = async (agent: string, user: { username: string; password: string } = ALICE) => {
    const page = new SessionsPage(host, agent);
    const answer = await page.signIn(user);
    all.advance(1);
    return { page, answer };
  };
  return { ...all, host, signIn, records: () => recordsIn(all.store) };
};

const CHROME = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36';

const NAMES = [
  [AGENTS.firefox, 'Firefox on Linux'],
  [AGENTS.phone, 'Safari on iPhone'],
  [AGENTS.edge, 'Edge on Windows'],
  [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${CHROME}`, 'Chrome on macOS'],
  [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${CHROME} OPR/122.0.0.0`, 'Opera on macOS'],
  [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${CHROME}`, 'Chrome on ChromeOS'],
  [`Mozilla/5.0 (Linux; Android 10; K) ${CHROME}`, 'Chrome on Android'],
  ['Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0', 'Firefox on Android'],
  [
    'Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/138.0 Safari/604.1',
    'Chrome on iPad',
  ],
  ['curl/8.14.1', 'Unknown browser'],
  ['Firefox/1', 'Firefox'],
  ['Macintosh', 'macOS'],
  ['<img src=x onerror=alert(1)>', 'Unknown browser'],
  // Only what browsers send is read.
  [`${'x'.repeat(6000)} Firefox/140.0`, 'Unknown browser'],
] as const;

test('the browser has a short name of a fixed list; nothing else of its User-Agent, and no address, is stored or shown', async () => {
  const { signIn, records, host } = await started();
  await everyRow(NAMES, async ([agent, name]) => {
    const { page } = await signIn(agent);
    const [shown] = await page.names();
    await host.owners.signOut('alice');
    await expect.poll(records).toEqual([]);
    expect(shown).toBe(name);
  });
  await signIn(AGENTS.edge);
  const [record = {}] = records();
  expect(Object.keys(record).toSorted()).toEqual(['at', 'browser', 'exp', 'id', 'lastSignOut', 'rev', 'sub', 'system']);
});

test('an owner has 50 records at most: another sign-in ends the oldest session, and simultaneous ones all succeed', async () => {
  const { signIn, records, events } = await started();
  const { page: oldest } = await signIn(AGENTS.firefox);
  const all = await Promise.all(Array.from({ length: 48 }, () => signIn(AGENTS.phone)));
  expect(all.map(({ answer }) => answer.status)).toEqual(Array.from({ length: 48 }, () => 200));
  const { page: last } = await signIn(AGENTS.edge);
  expect(records()).toHaveLength(50);
  expect(await last.names()).toHaveLength(50);
  expect(await oldest.isSignedIn()).toBe(true);
  events.length = 0;
  const { page: another } = await signIn(AGENTS.edge);
  expect(events.map(({ type }) => type)).toContain('owner.signed_out');
  expect([await oldest.isSignedIn(), await another.isSignedIn(), await last.isSignedIn()]).toEqual([false, true, true]);
  expect(records()).toHaveLength(50);
  // Those that have ended make room.
  await last.end('others');
  const { page: later } = await signIn(AGENTS.firefox);
  expect(await later.names()).toEqual(['Firefox on Linux', 'Edge on Windows']);
  const { answer } = await signIn(AGENTS.firefox, BOB);
  expect(wordsOf(answer)).toContain('signed in as bob');
});

test('no form ends the session of another owner, and no link says that one has ended', async () => {
  const { signIn, host } = await started();
  const { page: alice } = await signIn(AGENTS.firefox);
  const { page: phone } = await signIn(AGENTS.phone);
  const { page: bob } = await signIn(AGENTS.edge, BOB);
  const path = new URL(`${host.base}/oauth/sessions`).pathname;
  const name = keyOf(await alice.open(), 'Safari on iPhone');
  const form = await bob.fieldsOf();
  for (const end of [name, 'nonsense', '{}:0']) {
    const refused = await bob.send(path, { ...form, end, confirmed: 'yes' });
    expect([refused.status, refused.headers.location]).toEqual([303, path]);
  }
  expect((await bob.send(path, form)).status).toBe(400);
  expect((await bob.send(path, { end: 'others', confirmed: 'yes' })).status).toBe(403);
  expect((await phone.send(path, { ...(await alice.fieldsOf()), end: 'others', confirmed: 'yes' })).status).toBe(403);
  expect([await phone.isSignedIn(), await bob.isSignedIn(), await alice.isSignedIn()]).toEqual([true, true, true]);
  const forged = await alice.browser.open(`${host.base}/oauth/sessions?ended=others&proof=x`);
  expect(wordsOf(forged)).not.toContain('are signed out');
});

test('export names browsers and times, and erasing an owner deletes the records', async () => {
  const { signIn, host, records } = await started();
  await signIn(AGENTS.firefox);
  await signIn('unknown');
  await signIn(AGENTS.edge, BOB);
  const exported: unknown[] = [];
  for await (const record of host.owners.export('alice')) exported.push(record);
  const times = { created: expect.any(Number), expires: expect.any(Number) };
  const row = (data: object) => ({ type: 'feature', feature: 'sessions', data });
  const all = [row({ browser: 'Firefox', system: 'Linux', ...times }), row(times)];
  expect(exported).toHaveLength(all.length);
  expect(exported).toEqual(expect.arrayContaining(all));
  await host.owners.erase('alice');
  expect(records()).toMatchObject([{ sub: 'bob' }]);
});

test('nobody signs in without a record, and lost or repeated replies of the store leave one', async () => {
  let isBroken = false;
  const base = fixture({ features: [sessions()] });
  const events = ['reply lost', 'twice', undefined] as const;
  let event: (typeof events)[number];
  const store = weakStore({
    clock: base.clock,
    event: ({ method, keys }) =>
      keys.some((key) => key.includes(':own:sessions:')) && method !== 'getMany' ? event : undefined,
  });
  const fail = (key: string): void => {
    if (isBroken && key.includes(':own:sessions:')) throw new Error('down');
  };
  // The place of a session is drawn: one that was emptied is swapped, any other added.
  const broken: typeof store = {
    ...store,
    add: async (...given) => (fail(given[0]), store.add(...given)),
    swap: async (...given) => (fail(given[0]), store.swap(...given)),
  };
  const host = await start({ options: { ...base.options, store: broken } });
  for (event of events) {
    const page = new SessionsPage(host, AGENTS.firefox);
    const { status } = await page.signIn();
    await store.carryOut();
    // A lost reply is an error, and whoever tries again signs in.
    if (status !== 200) expect([event, status, await page.isSignedIn()]).toEqual(['reply lost', 503, false]);
    else expect(await page.names()).toEqual(expect.arrayContaining(['Firefox on Linux']));
    await host.owners.signOut('alice');
    await expect.poll(() => recordsIn(store)).toEqual([]);
  }
  isBroken = true;
  const page = new SessionsPage(host, AGENTS.firefox);
  expect((await page.signIn()).status).toBe(503);
  expect(await page.isSignedIn()).toBe(false);
});

test('who ends all others stays signed in, although the store says that it has written nothing because it did so twice', async () => {
  const { options, store } = fixture({ features: [sessions()] });
  const resent: typeof store = {
    ...store,
    add: async (...given) => (
      await store.add(...given),
      given[0].includes(':signed-out:') ? store.add(...given) : true
    ),
    swap: async (...given) => (await store.swap(...given), given[0].includes(':signed-out:') ? false : true),
  };
  const host = await start({ options: { ...options, store: resent } });
  const page = new SessionsPage(host, AGENTS.firefox);
  await page.signIn();
  for (let count = 0; count < 3; count += 1) {
    const other = new SessionsPage(host, AGENTS.edge);
    await other.signIn();
    expect(await page.names()).toEqual(['Firefox on Linux', 'Edge on Windows']);
    expect(wordsOf(await page.end('others'))).toContain('All other browsers are signed out.');
    expect([await page.isSignedIn(), await other.isSignedIn()]).toEqual([true, false]);
  }
});

test('without the feature, a sign-in reads and writes what it did before', async () => {
  const { host, store } = await started({ features: [] });
  const login = new SessionsPage(host, AGENTS.firefox);
  await login.browser.signIn(await login.browser.open(`${host.base}/oauth/grants`));
  expect([...store.entries()]).toEqual([]);
  expect((await login.open()).status).toBe(404);
});

test('needs the built-in sign-in, and takes a path', async () => {
  const issuer = 'http://127.0.0.1:3000';
  const common = { issuer, onWarning: () => undefined };
  const owner = () => ({ sub: 'alice' });
  expect(() => oauthQuery({ ...common, owner, loginUrl: '/login', features: [sessions()] })).toThrow(
    'sessions() needs the built-in sign-in. With options.owner, your application has the sessions.',
  );
  // @ts-expect-error An option that does not exist.
  expect(() => sessions({ paths: '/x' })).toThrow('sessions: options.paths');
  const server = await featureServer({ users: [...USERS], features: [sessions({ path: '/me/browsers' })] });
  expect((await server.get('/me/browsers')).status).toBe(200);
  await server.close();
});
