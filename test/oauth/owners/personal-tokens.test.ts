import { oauthQuery } from 'oauth-query/fetch';
import { personalTokens } from 'oauth-query/personal-tokens';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { groups } from '../../../src/core/oauth/records/stored-records.js';
import { memoryStore } from '../../../src/stores/memory.js';
import { bearer, Client, hostFor, useHost } from '../../hosts.js';
import { type Answer } from '../../hosts.js';
import { Browser, formOf, locationOf, wordsOf } from '../support/browser.js';
import { Deadlines, fixture, START, USERS } from '../support/fixture.js';
import { Gate } from '../support/gate.js';
import { limitsOfTest } from '../support/limits.js';
import { grantPart, turns } from '../support/nodes.js';
import { Flows } from '../support/tokens.js';

const [ALICE, BOB] = USERS;
const DAY = 86_400;

/** The form for another token is the last one of the page. */
const creation = ({ text }: Answer) => ({
  text: text.slice(text.lastIndexOf('<form')).replaceAll(/<input type="checkbox" [^>]*value="1">/g, ''),
});
/** The one above has the buttons of the tokens. */
const list = ({ text }: Answer) => ({ text: /<form [^>]*id="list">[^]*?<\/form>/.exec(text)?.[0] ?? text });
/** The checkbox of a scope. */
const field = (page: Answer, scope: string): string =>
  new RegExp(`name="(scope_[^"]*)"[^>]*> <bdi>${scope}<`).exec(page.text)?.[1] ?? 'none';
const tokenIn = ({ text }: Answer): string => /<p class="code"[^>]*>([^<]*)</.exec(text)?.[1] ?? '';

describe.each(hostFor(import.meta.url))('the page of personal tokens on $name', ({ start }) => {
  const { options, events, errors, advance, store, clock } = fixture({
    features: [personalTokens({ scopes: ['profile', 'content.read'], maxDays: 90 })],
    lifetimes: { session: 30 * DAY },
  });
  let browser: Browser;
  let flows: Flows;
  let path = '';

  const host = useHost({ start }, { options, guarded: { profile: { scope: 'profile' } } }, errors);
  beforeAll(async () => {
    path = `${host.base}/oauth/tokens`;
  });
  beforeEach(async () => {
    flows = new Flows(host);
    browser = flows.browser('alice');
    for (const sub of ['alice', 'bob']) await host.grants.revoke({ sub });
    events.length = 0;
  });

  const signedIn = async (user: (typeof USERS)[number] = ALICE, in_ = browser): Promise<Answer> => {
    const page = await in_.open(path);
    return page.text.includes('name="password"') ? in_.signIn(page, user) : page;
  };
  const create = async (name: string, more: Record<string, string> = {}): Promise<Answer> => {
    const page = await signedIn();
    const chosen = { name, [field(page, 'See your name')]: '1', days: '7', decision: 'create', ...more };
    return browser.submit(creation(page), chosen);
  };
  const authorizationOf = async (token: string) => (await flows.introspect(token)).json;

  test('an owner who has revoked more than 500 tokens sees all that live, and has at most 20', async () => {
    browser = flows.browser('carol');
    await signedIn(USERS[2]);
    await create('old one');
    const id = (await host.grants.list({ sub: 'user-3' })).grants[0]?.grant_id ?? expect.fail();
    await host.grants.revoke({ grant_id: id });
    // As 600 of them leave it: what took their place, and the entries of a list.
    const [key, ended] =
      [...store.entries()].find(([name]) => name.endsWith(`:grant:${grantPart(id)}`)) ?? expect.fail();
    const group = `${key.slice(0, key.indexOf(':'))}:${groups.tokensOfOwner('user-3')}`;
    for (let n = 100; n < 700; n += 1)
      await store.add(`${key.slice(0, -3)}${n}`, { ...ended }, clock() + 30 * DAY * 1000, [group]);
    expect((await store.list(group, { limit: 1000 })).keys.length).toBeGreaterThan(600);
    for (let n = 0; n < 20; n += 1) expect(tokenIn(await create(`live ${n}.`))).not.toBe('');
    expect(tokenIn(await create('one too many'))).toBe('');
    const words = wordsOf(await signedIn());
    for (let n = 0; n < 20; n += 1) expect(words).toContain(`live ${n}.`);
    expect(words).not.toContain('old one');
  });

  test('creates a token with the chosen name, scopes and days, and shows it once', async () => {
    const page = await create('Backup script');
    const token = tokenIn(page);
    expect(wordsOf(page)).toContain('Copy the token now. It will not be shown again.');
    const later = await signedIn();
    expect(later.text).not.toContain(token);
    expect(wordsOf(later)).toContain(
      'Backup script See your name Created on January 1, 2026 . Never used. Expires on January 8, 2026 .',
    );
    const { iat, exp, ...rest } = await authorizationOf(token);
    expect(rest).toMatchObject({ active: true, sub: 'alice', client_id: 'personal-tokens', scope: 'profile' });
    expect(Number(exp) - Number(iat)).toBe(7 * DAY);
    expect(events.map(({ type }) => type)).toEqual(['owner.signed_in', 'grant.created', 'token.issued']);
    expect(events.at(-1)).toMatchObject({ grant_type: 'personal_token', client_id: 'personal-tokens', sub: 'alice' });
    expect(JSON.stringify(events)).not.toContain(token);
    const { grants } = await host.grants.list({ sub: 'alice' });
    expect(grants).toEqual([expect.objectContaining({ grant_type: 'personal_token', name: 'Backup script' })]);
  });

  test('is accepted by guards, which record the last use to the hour', async () => {
    const token = tokenIn(await create('Bot'));
    advance(DAY);
    const answer = await new Client(host.base).get('/guarded/profile', bearer(token));
    expect(answer.status).toBe(200);
    await expect.poll(async () => wordsOf(await signedIn())).toContain('Last used on January 2, 2026 .');
  });

  test('expires', async () => {
    const token = tokenIn(await create('Short'));
    advance(7 * DAY - 1);
    expect(await authorizationOf(token)).toMatchObject({ active: true });
    advance(1);
    expect(await authorizationOf(token)).toMatchObject({ active: false });
    expect(wordsOf(await signedIn())).toContain('You have no tokens.');
  });

  test('revokes one token after a question, or all', async () => {
    const tokens: string[] = [];
    for (const name of ['One', 'Two', 'Three']) tokens.push(tokenIn(await create(name)));
    const page = await signedIn();
    const id = /<bdi>Two<[^]*?name="revoke" value="([^"]*)"/.exec(page.text)?.[1] ?? '';
    const question = await browser.submit(list(page), { revoke: id });
    expect(wordsOf(question)).toContain('Revoke Two?');
    const activity = async () => Promise.all(tokens.map(async (token) => (await authorizationOf(token))['active']));
    expect(await activity()).toEqual([true, true, true]);
    expect(wordsOf(await browser.follow(await browser.submit(question)))).toContain('Two no longer works.');
    expect(await activity()).toEqual([true, false, true]);
    expect(events.at(-1)).toMatchObject({ type: 'grant.revoked', reason: 'owner', by: 'alice' });
    const all = await browser.submit(list(await signedIn()), { decision: 'revoke_all' });
    expect(wordsOf(await browser.follow(await browser.submit(all)))).toContain('2 tokens no longer work.');
    expect(await activity()).toEqual([false, false, false]);
  });

  test('connected applications do not include tokens, and disconnecting all of them keeps these', async () => {
    const token = tokenIn(await create('Kept'));
    await flows.tokens('web');
    await flows.tokens('native');
    const apps = await browser.open(`${host.base}/oauth/grants`);
    expect(wordsOf(apps)).not.toContain('Disconnect Personal tokens');
    await browser.submit(await browser.submit(apps, { decision: 'disconnect_all' }));
    expect(await authorizationOf(token)).toMatchObject({ active: true });
  });

  test('a second press of the same button creates no second token', async () => {
    const page = await signedIn();
    const chosen = { name: 'Twice', [field(page, 'See your name')]: '1', days: '7', decision: 'create' };
    expect(tokenIn(await browser.submit(creation(page), chosen))).not.toBe('');
    const second = await browser.submit(creation(page), chosen);
    expect([second.status, tokenIn(second), wordsOf(second)]).toEqual([
      400,
      '',
      expect.stringContaining('This token has been created already.'),
    ]);
    expect((await host.grants.list({ sub: 'alice' })).grants.length).toBe(1);
  });

  test('rejects what is missing, too much or not offered, and keeps what was typed', async () => {
    const nameless = await create(' \u200b ');
    expect([nameless.status, wordsOf(nameless)]).toEqual([400, expect.stringContaining('Enter a name')]);
    const page = await signedIn();
    const unscoped = await browser.submit(creation(page), { name: 'Bot', days: '90', decision: 'create' });
    expect([unscoped.status, wordsOf(unscoped)]).toEqual([400, expect.stringContaining('Select at least one')]);
    expect(formOf(creation(unscoped)).fields).toMatchObject({ name: 'Bot' });
    expect(field(page, 'Change your content'), 'a scope that is not offered').toBe('none');
    expect(page.text).not.toContain('value="365"');
    const longest = await authorizationOf(tokenIn(await create('Long', { days: '365' })));
    expect(Number(longest['exp']) - Number(longest['iat']), 'days that are not offered').toBe(30 * DAY);
    limitsOfTest({ personalTokens: 3 });
    for (const name of ['b', 'c']) await create(name);
    expect(wordsOf(await create('d'))).toContain('You have reached the maximum number of tokens.');
  });

  test('keeps to the number of tokens when forms are sent at the same time', async () => {
    limitsOfTest({ personalTokens: 3 });
    await signedIn();
    const pages = await Promise.all(Array.from({ length: 8 }, () => signedIn()));
    const answers = await Promise.all(
      pages.map((page, n) =>
        browser.submit(creation(page), {
          ...{ name: `n${n}`, [field(page, 'See your name')]: '1', days: '7', decision: 'create' },
        }),
      ),
    );
    const shown = answers.map(tokenIn).filter((token) => token !== '');
    expect((await host.grants.list({ sub: 'alice' })).grants).toHaveLength(shown.length);
    expect(shown.length).toBeLessThanOrEqual(3);
  });

  test('ignores a form that this owner was not shown in this browser', async () => {
    const token = tokenIn(await create('Mine'));
    const page = await signedIn();
    const id = /name="revoke" value="([^"]*)"/.exec(page.text)?.[1] ?? '';
    const bob = flows.browser('bob');
    const shownToBob = await signedIn(BOB, bob);
    const { form = '', form_token = '' } = formOf(creation(shownToBob)).fields;
    for (const forged of [{ form_token: '' }, { form_token: 'x' }, { form, form_token }, { form: 'x' }]) {
      for (const what of [
        { revoke: id, confirmed: 'yes' },
        { decision: 'create', name: 'x' },
      ])
        expect((await browser.submit(list(page), { ...forged, ...what })).status).toBe(403);
    }
    const others = await bob.submit(creation(shownToBob), { revoke: id, confirmed: 'yes' });
    expect([others.status, locationOf(others)], "another owner's token").toEqual([
      303,
      expect.stringMatching(/tokens$/),
    ]);
    expect(await authorizationOf(token)).toMatchObject({ active: true });
    expect((await browser.submit(list(page), { decision: 'x' })).status).toBe(400);
  });

  test('the client of the tokens can request nothing itself', async () => {
    for (const grant_type of ['client_credentials', 'refresh_token', 'authorization_code'])
      expect(
        (await new Client(host.base).post('/oauth/token', { client_id: 'personal-tokens', grant_type })).status,
      ).toBe(400);
  });
});

test('a request for a token that nobody waits for any more creates none: the same form does', async () => {
  const deadlines = new Deadlines();
  const gate = new Gate(memoryStore({ clock: () => START }));
  const runtime = { timer: deadlines.timer };
  const { options } = fixture({
    features: [personalTokens({ scopes: ['profile'], maxDays: 90 })],
    store: gate.store,
    runtime,
  });
  const [{ start }] = hostFor(import.meta.url);
  const host = await start({ options });
  const browser = new Browser(host);
  const page = await browser.signIn(await browser.open(`${host.base}/oauth/tokens`));
  const chosen = { name: 'x', [field(page, 'See your name')]: '1', days: '7', decision: 'create' };
  const { arrived, letGo } = gate.hold('getMany', '');
  const late = browser.submit(creation(page), chosen);
  await arrived;
  deadlines.pass();
  expect((await late).status).toBe(503);
  letGo();
  await turns(50);
  expect(tokenIn(await browser.submit(creation(page), chosen))).not.toBe('');
});

test.each([
  [
    'a scope that the server lacks, by the name of the feature',
    { scopes: ['profil'] },
    {},
    'features: personal-tokens.scopes names "profil", which options.scopes does not have. Did you mean "profile"?',
  ],
  [
    'signed tokens',
    {},
    { jwt: true, issuer: 'http://127.0.0.1' },
    'features: personal-tokens needs opaque access tokens: a long-lived JWT stays valid after it is revoked.',
  ],
  [
    'signed tokens that live as long',
    { maxDays: 1 },
    { jwt: true, issuer: 'http://127.0.0.1', lifetimes: { accessToken: DAY } },
    'personalTokens() needs opaque access tokens',
  ],
  ['a store that cannot list', {}, { store: { ...memoryStore(), list: undefined } }, 'needs a store that can list'],
  ['no sign-in', {}, { users: undefined }, 'personalTokens() needs options.users'],
])('%s is an error at startup', (_name, given, more, sentence) => {
  const { options } = fixture({ features: [personalTokens(given)] });
  expect(() => oauthQuery({ ...options, ...more } as Parameters<typeof oauthQuery>[0])).toThrow(sentence);
});

describe.each(hostFor(import.meta.url))('without the feature on $name', ({ start }) => {
  test('there is no page, and no link to it', async () => {
    const host = await start(fixture());
    const browser = new Browser(host);
    expect((await browser.open(`${host.base}/oauth/tokens`)).status).toBe(404);
    const page = await browser.signIn(await browser.open(`${host.base}/oauth/grants`));
    expect(wordsOf(page)).not.toContain('Personal tokens');
  });
});
