import { sessions } from 'oauth-query/sessions';
import { stepUp } from 'oauth-query/step-up';
import { describe, expect, test } from 'vitest';
import type { Host } from '../../hosts.js';
import { oneHostEach } from '../../hosts.js';
import { Browser, wordsOf } from '../../oauth/support/browser.js';
import { fixture, USERS } from '../../oauth/support/fixture.js';
import { Gate } from '../../oauth/support/gate.js';
import { AGENTS, namesOn, recordsIn, SessionsPage } from './support.js';

const [ALICE, BOB] = USERS;
const DAY = 86_400;

/** Two processes on one store, and one without the feature. */
const start = async (framework: Host) => {
  const all = fixture({ features: [sessions(), stepUp()], lifetimes: { session: 7 * DAY } });
  const gate = new Gate(all.store);
  const first = await framework.start({ options: { ...all.options, store: gate.store } });
  const second = await framework.start({ options: { ...all.options, issuer: first.base } });
  const without = await framework.start({ options: { ...all.options, issuer: first.base, features: [] } });
  return {
    ...all,
    gate,
    first,
    second,
    without,
    signIn: async (agent: string, host = first, user: { username: string; password: string } = ALICE) => {
      const page = new SessionsPage(host, agent);
      await page.signIn(user);
      all.advance(60);
      return page;
    },
    /** In both processes, with the cookie of this browser. */
    isSignedIn: ({ browser: { cookie } }: SessionsPage): Promise<readonly boolean[]> =>
      Promise.all([first, second].map((host) => new SessionsPage(host, AGENTS.edge, cookie).isSignedIn())),
    records: () => recordsIn(all.store),
  };
};

describe.each(oneHostEach)('the page of sessions on $name', (framework) => {
  test('shows when and in which browser an owner is signed in, and ends one session for every process', async () => {
    const { first, second, signIn, isSignedIn, records, events, errors } = await start(framework);
    const desk = await signIn(AGENTS.firefox);
    const phone = await signIn(AGENTS.phone, second);
    const other = await signIn(AGENTS.edge, first, BOB);
    expect(await desk.names()).toEqual(['Firefox on Linux', 'Safari on iPhone']);
    expect(await phone.names()).toEqual(['Safari on iPhone', 'Firefox on Linux']);
    expect(await other.names()).toEqual(['Edge on Windows']);
    expect(wordsOf(await desk.open())).toMatch(
      /Firefox on Linux This browser · Signed in on January 1, 2026 at 12:00\sAM UTC \. Ends on January 8, 2026 \. Safari on iPhone Signed in on January 1, 2026 at 12:01\sAM UTC \./,
    );

    expect(wordsOf(await desk.press('Safari on iPhone'))).toContain('Sign out Safari on iPhone?');
    expect(await isSignedIn(phone)).toEqual([true, true]);
    events.length = 0;
    const done = await desk.end('Safari on iPhone');
    expect(wordsOf(done)).toContain('Safari on iPhone is signed out.');
    expect(namesOn(done)).toEqual(['Firefox on Linux']);
    expect(events).toMatchObject([{ type: 'owner.signed_out', sub: 'alice', by: 'alice' }]);
    expect(await isSignedIn(phone)).toEqual([false, false]);
    expect([await isSignedIn(desk), await isSignedIn(other)]).toEqual([
      [true, true],
      [true, true],
    ]);
    await expect.poll(() => new Set(records().map(({ browser }) => browser))).toEqual(new Set(['Firefox', 'Edge']));
    expect(errors).toEqual([]);
  });

  test('ends all other sessions, also one that no record names; this one goes on until it ends itself', async () => {
    const { first, second, without, signIn, isSignedIn, records } = await start(framework);
    const unknown = new Browser(without);
    await unknown.signIn(await unknown.open(`${without.base}/oauth/grants`));
    expect(records()).toEqual([]);
    const nameless = new SessionsPage(first, AGENTS.edge, unknown.cookie);
    expect(await nameless.names()).toEqual(['Edge on Windows']);
    expect(wordsOf(await nameless.open())).not.toContain('Signed in on');
    const desk = await signIn(AGENTS.firefox);
    const phone = await signIn(AGENTS.phone, second);
    expect(await desk.names()).toEqual(['Firefox on Linux', 'Safari on iPhone']);
    const before = new SessionsPage(second, AGENTS.edge, desk.browser.cookie);
    expect(await before.isSignedIn()).toBe(true);

    const done = await desk.end('others');
    expect(wordsOf(done)).toContain('All other browsers are signed out.');
    expect(namesOn(done)).toEqual(['Firefox on Linux']);
    // No other browser is left, so the page does not offer to sign it out; the next visit may find an unlisted one.
    expect(done.text).not.toContain('value="others"');
    expect((await desk.open()).text).toContain('value="others"');
    expect(await isSignedIn(desk)).toEqual([true, true]);
    expect([await isSignedIn(phone), await nameless.isSignedIn(), await before.isSignedIn()]).toEqual([
      [false, false],
      false,
      false,
    ]);
    await expect.poll(records).toMatchObject([{ sub: 'alice', browser: 'Firefox', system: 'Linux' }]);

    const again = await signIn(AGENTS.phone);
    await again.end('Firefox on Linux');
    expect(await isSignedIn(desk)).toEqual([false, false]);
    await first.owners.signOut('alice');
    expect(await isSignedIn(again)).toEqual([false, false]);
    await expect.poll(records).toEqual([]);
  });

  test.each(['all', 'one'] as const)(
    'a session that ends with %s while it ends the others does not go on',
    async (end) => {
      const { second, gate, signIn, isSignedIn, records } = await start(framework);
      const desk = await signIn(AGENTS.firefox);
      const phone = await signIn(AGENTS.phone, second);
      const page = await desk.press('others');
      const held = gate.hold('get', ':signed-out:');
      const ending = desk.confirm(page);
      await held.arrived;
      if (end === 'all') await second.owners.signOut('alice');
      else await phone.end('Firefox on Linux');
      held.letGo();
      expect(wordsOf(await ending)).toContain('Username');
      expect([await isSignedIn(desk), await isSignedIn(phone)]).toEqual([
        [false, false],
        [false, false],
      ]);
      await expect.poll(records).toEqual([]);
    },
  );

  test('one browser has one record, which ends when its owner signs out, when another signs in there, and with the session', async () => {
    const { first, signIn, isSignedIn, records, advance } = await start(framework);
    const desk = await signIn(AGENTS.firefox);
    const [{ at = 0, exp = 0 } = {}] = records();
    const again = (user?: typeof BOB) =>
      desk.browser
        .open(`${first.base}/oauth/authorize?response_type=code&client_id=web&max_age=0`)
        .then((login) => desk.browser.signIn(login, user));
    await again();
    expect(records()).toMatchObject([{ at: Number(at) + 60, exp: Number(exp) + 60 }]);
    expect(await desk.names()).toEqual(['Firefox on Linux']);
    await again(BOB);
    await expect.poll(records).toMatchObject([{ sub: 'bob' }]);
    await desk.signOut();
    await expect.poll(records).toEqual([]);
    expect(await isSignedIn(desk)).toEqual([false, false]);
    await signIn(AGENTS.firefox);
    expect(records()).toHaveLength(1);
    advance(7 * DAY);
    expect(records()).toEqual([]);
  });
});
