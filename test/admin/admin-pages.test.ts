import { beforeAll, describe, expect, test } from 'vitest';
import { adminPages } from '../../src/admin/index.js';
import { storedClients } from '../../src/clients/index.js';
import { english, german } from '../../src/languages/index.js';
import { type Answer, basic, Client, hostFor, useHost } from '../hosts.js';
import { unescapeHtml } from '../hosts/form.js';
import { Browser, locationOf, wordsOf } from '../oauth/support/browser.js';
import { fixture, USERS } from '../oauth/support/fixture.js';

const [ALICE, BOB] = USERS;
const SECRET = /<p class="code"[^>]*>([^<]*)</;

/** The hidden fields of the form with this button or hidden act, and what is typed in its visible fields. */
const formWith = ({ text }: Answer, act: string): Readonly<Record<string, string>> => {
  const form = [...text.matchAll(/<form method="post"[\s\S]*?<\/form>/g)]
    .map(([found]) => found)
    .find((found) => found.includes(`value="${act}"`));
  if (form === undefined) throw new Error(`No form for ${act}: ${wordsOf({ text })}`);
  const inputs = [...form.matchAll(/<input (?!type="radio")[^>]*?name="([^"]*)"[^>]*?value="([^"]*)"/g)];
  const areas = [...form.matchAll(/<textarea [^>]*name="([^"]*)"[^>]*>([^<]*)</g)];
  return Object.fromEntries([...inputs, ...areas].map(([, name = '', value = '']) => [name, unescapeHtml(value)]));
};

describe.each(hostFor(import.meta.url))('the page for administrators on $name', ({ start }) => {
  const { options, store, events, errors, clock, advance } = fixture({
    languages: [english, german],
    lifetimes: { session: 86_400 },
    grants: ['authorization_code', 'client_credentials', 'refresh_token', 'password'],
  });
  const clients = storedClients(store, { clock, cacheSeconds: 0 });
  let alice: Browser;
  let path = '';

  const admin = adminPages({ clients, isAdmin: ({ sub }) => sub === 'alice' });
  const host = useHost(
    { start },
    { options: { ...options, clients: [...(options.clients as []), clients], admin } },
    errors,
  );
  beforeAll(async () => {
    path = `${host.base}/oauth/admin`;
    alice = new Browser(host);
    await alice.signIn(await alice.open(path), ALICE);
  });

  const post = (fields: Readonly<Record<string, string>>, in_ = alice): Promise<Answer> =>
    in_.submit({ text: `<form method="post" action="${new URL(path).pathname}"></form>` }, fields);
  const press = async (page: Answer, act: string, typed: Readonly<Record<string, string>> = {}): Promise<Answer> =>
    post({ ...formWith(page, act), act, ...typed });
  const shown = (client: string): Promise<Answer> => alice.open(`${path}?client=${client}`);
  const add = async (typed: Readonly<Record<string, string>>): Promise<Answer> =>
    press(await alice.open(`${path}?new=1`), 'add', typed);
  const credentials = (client_id: string, secret: string) =>
    new Client(host.base).post('/oauth/token', { grant_type: 'client_credentials' }, basic(client_id, secret));

  test('is only for administrators, and not without a sign-in', async () => {
    expect((await new Browser(host).open(path)).text).toContain('name="password"');
    const bob = new Browser(host);
    const refused = await bob.signIn(await bob.open(path), BOB);
    expect([refused.status, wordsOf(refused)]).toEqual([403, expect.stringContaining('for administrators')]);
    const fields = formWith(await alice.open(`${path}?new=1`), 'add');
    expect((await post({ ...fields, client_id: 'x' }, bob)).status, 'with the form of another').toBe(403);
    for (const form_token of ['', 'x'])
      expect((await post({ ...fields, client_id: 'x', form_token })).status, 'forged').toBe(403);
    expect(await clients.get('x')).toBeUndefined();
  });

  test('speaks the languages of the other pages', async () => {
    const page = await alice.open(`${path}?new=1&ui_locales=de`);
    expect(page.text).toContain('<html lang="de">');
    expect(wordsOf(page)).toContain('Kann er ein Geheimnis bewahren?');
    expect((await alice.open(`${path}?new=1&ui_locales=fr`)).text).toContain('<html lang="en">');
    // Links, forms and what follows them stay in it; sentences about the client itself are English and say so.
    const wrong = await press(page, 'add', { client_id: 'german', kind: 'public', redirect_uris: 'javascript:1' });
    expect([wrong.status, wrong.text]).toEqual([
      400,
      expect.stringMatching(/<html lang="de">[^]*<bdi lang="en" dir="ltr">/),
    ]);
    const right = await press(page, 'add', {
      client_id: 'german',
      kind: 'public',
      redirect_uris: 'https://a.example/cb',
    });
    const added = await alice.follow(right);
    expect(wordsOf(added)).toContain('Der Client wurde');
    const question = await press(added, 'remove');
    for (const { text } of [page, added, question, await alice.open(`${path}?search=german&ui_locales=de`)]) {
      const links = text.split('<main>')[1]?.match(/<a [^>]*href="[^"]*"/g) ?? [];
      expect([links.length > 0, links.filter((link) => !link.includes('ui_locales=de'))]).toEqual([true, []]);
    }
    const removed = await post({ ...formWith(question, 'remove') });
    expect(locationOf(removed)).toContain('ui_locales=de');
    const newcomer = new Browser(host);
    const signIn = await newcomer.open(`${path}?ui_locales=de`);
    expect((await newcomer.follow(await newcomer.signIn(signIn, ALICE))).text).toContain('<html lang="de">');
  });

  test('adds a confidential client, shows its secret once, and rotates it with both valid for a while', async () => {
    const added = await add({
      client_id: 'batch',
      kind: 'confidential',
      grant_types: 'client_credentials',
      scope: 'profile',
    });
    const first = SECRET.exec(added.text)?.[1] ?? '';
    expect((await credentials('batch', first)).status).toBe(200);
    expect(events.findLast(({ type }) => type === 'client.changed')).toMatchObject({
      change: 'added',
      client_id: 'batch',
      by: 'alice',
    });
    const page = await shown('batch');
    expect(page.text).not.toContain(first);
    const rotated = await press(page, 'rotate', { overlap: '3600' });
    const second = SECRET.exec(rotated.text)?.[1] ?? '';
    expect([(await credentials('batch', first)).status, (await credentials('batch', second)).status]).toEqual([
      200, 200,
    ]);
    advance(3600);
    expect([(await credentials('batch', first)).status, (await credentials('batch', second)).status]).toEqual([
      401, 200,
    ]);
    expect(JSON.stringify(events)).not.toMatch(new RegExp(`${first}|${second}`));
  });

  test('of five administrators who rotate a secret at once, one sees a new one', async () => {
    const added = await add({ client_id: 'busy', kind: 'confidential', grant_types: 'client_credentials' });
    expect(SECRET.exec(added.text)?.[1]).toBeDefined();
    const page = await shown('busy');
    const answers = await Promise.all(Array.from({ length: 5 }, () => press(page, 'rotate', { overlap: '0' })));
    const secrets = answers.flatMap(({ text }) => SECRET.exec(text)?.[1] ?? []);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409]);
    expect(secrets).toHaveLength(1);
    expect((await credentials('busy', secrets[0] ?? '')).status).toBe(200);
  });

  test('adds a public client that gets refresh tokens, and changes it unless it was changed meanwhile', async () => {
    const added = await add({
      client_id: 'app',
      kind: 'public',
      client_name: 'My App',
      redirect_uris: 'https://a.example/cb\r\nhttps://b.example/cb',
    });
    expect(wordsOf(await alice.follow(added))).toContain('The client was added.');
    expect((await clients.get('app'))?.registration).toMatchObject({
      redirect_uris: ['https://a.example/cb', 'https://b.example/cb'],
      refresh: 'rotating',
    });
    expect((await clients.get('app'))?.registration).not.toHaveProperty('client_secret');
    const page = await shown('app');
    expect(page.text).not.toContain('Create a new secret');
    const saved = await press(page, 'change', { client_name: 'Their App', redirect_uris: 'https://a.example/cb' });
    expect(wordsOf(await alice.follow(saved))).toContain('Your changes were saved.');
    const late = await press(page, 'change', { client_name: 'Lost' });
    expect([late.status, wordsOf(late)]).toEqual([409, expect.stringContaining('was changed in the meantime')]);
    const wrong = await press(await shown('app'), 'change', { redirect_uris: 'javascript:alert(1)' });
    expect([wrong.status, wrong.text.includes('javascript:alert(1)')]).toEqual([400, true]);
    expect((await clients.get('app'))?.registration).toMatchObject({
      client_name: 'Their App',
      redirect_uris: ['https://a.example/cb'],
    });
    expect((await add({ client_id: 'app', kind: 'public', redirect_uris: 'https://a.example/cb' })).status).toBe(400);
  });

  test('disables, enables and removes a client, ends its grants, and asks before', async () => {
    const { client_secret = '' } = await clients.add(
      { client_id: 'gone', grant_types: ['client_credentials', 'password'], scope: 'profile' },
      { generateSecret: true },
    );
    const { grants } = host;
    for (const { username, password } of [ALICE, BOB])
      await new Client(host.base).post(
        '/oauth/token',
        { grant_type: 'password', username, password },
        basic('gone', client_secret),
      );
    const count = async () => (await grants.list({ client_id: 'gone' })).grants.length;
    const page = await shown('gone');
    expect(wordsOf(page)).toMatch(/alice|bob/);
    for (const [act, expected] of [
      ['end', 1],
      ['end_all', 0],
    ] as const) {
      const question = await press(page, act);
      expect(question.status).toBe(200);
      expect(await count(), 'asked').toBe(expected + 1);
      expect(wordsOf(await alice.follow(await press(question, act)))).toMatch(/ended/);
      expect(await count()).toBe(expected);
    }
    for (const act of ['disable', 'enable', 'remove'] as const) {
      const answer = await press(await shown('gone'), act);
      if (act !== 'enable') await press(answer, act);
      expect([act, (await clients.get('gone'))?.registration.disabled]).toEqual([
        act,
        act === 'disable' ? true : undefined,
      ]);
    }
    expect(await clients.get('gone')).toBeUndefined();
    expect(events.filter(({ type }) => type === 'client.changed').slice(-3)).toMatchObject(
      ['disabled', 'enabled', 'removed'].map((change) => ({ change, client_id: 'gone', by: 'alice' })),
    );
  });

  test('lists clients page by page, and finds them by name and identifier', async () => {
    for (let n = 0; n < 60; n += 1)
      await clients.add({
        client_id: `c${n}`,
        client_name: `Client ${n} <b>`,
        redirect_uris: ['https://a.example/cb'],
      });
    const first = await alice.open(path);
    const next = unescapeHtml(/<a href="([^"]*)">Next page/.exec(first.text)?.[1] ?? '');
    const second = await alice.open(next);
    const names = (page: Answer) =>
      [...page.text.matchAll(/<h2><a href="[^"]*"><bdi>([^<]*)/g)].map(([, name]) => name);
    expect(new Set([...names(first), ...names(second)]).size).toBe(names(first).length + names(second).length);
    expect(names(first).length + names(second).length, 'these, batch, busy and app').toBe(63);
    for (const after of ['x', '%00', 'x'.repeat(201)])
      expect(names(await alice.open(`${path}?after=${after}`)), 'no position').toEqual(names(first));
    expect(first.text).not.toContain('<b>');
    expect(names(await alice.open(`${path}?search=client+59`))).toEqual(['Client 59 &lt;b&gt;']);
    expect(names(await alice.open(`${path}?search=C7`))).toEqual(['Client 7 &lt;b&gt;']);
    expect(wordsOf(await alice.open(`${path}?search=nothing`))).toContain('No client was found.');
    expect(locationOf(await alice.open(`${path}?client=nobody`))).toMatch(/\/oauth\/admin$/);
  });
});

test('wrong options name themselves', () => {
  const make = (options: unknown) => () => adminPages(options as Parameters<typeof adminPages>[0]);
  const clients = storedClients(fixture().store);
  expect(make(undefined)).toThrow('adminPages');
  expect(make({ clients })).toThrow('adminPages.isAdmin');
  expect(make({ clients: [], isAdmin: () => true })).toThrow('adminPages.clients');
  expect(make({ clients, isAdmin: () => true, path: 'admin' })).toThrow('adminPages.path');
});
