import { beforeAll, describe, expect, test } from 'vitest';
import { storedClients } from '../../../src/clients/index.js';
import { adminPages } from '../../../src/features/admin/index.js';
import { english, german } from '../../../src/languages/index.js';
import { type Answer, basic, Client, hostFor, useHost } from '../../hosts.js';
import { unescapeHtml } from '../../hosts/form.js';
import { Browser, locationOf, wordsOf } from '../../oauth/support/browser.js';
import { fixture, USERS } from '../../oauth/support/fixture.js';
import { everyRow } from '../../rows.js';

const [ALICE, BOB] = USERS;
const SECRET = /<p class="code"[^>]*>([^<]*)</;

/** The hidden fields of the form with this button or hidden act, what is typed in its visible fields, and its checked boxes. */
const formWith = ({ text }: Answer, act: string): Readonly<Record<string, string>> => {
  const form = [...text.matchAll(/<form method="post"[\s\S]*?<\/form>/g)]
    .map(([found]) => found)
    .find((found) => found.includes(`value="${act}"`));
  if (form === undefined) throw new Error(`No form for ${act}: ${wordsOf({ text })}`);
  const inputs = [
    ...form.matchAll(
      /<input (?!type="radio"|type="checkbox"[^>]*value="1">)[^>]*?name="([^"]*)"[^>]*?value="([^"]*)"/g,
    ),
  ];
  const areas = [...form.matchAll(/<textarea [^>]*name="([^"]*)"[^>]*>([^<]*)</g)];
  return Object.fromEntries([...inputs, ...areas].map(([, name = '', value = '']) => [name, unescapeHtml(value)]));
};

/** The fields of checkboxes with these names of grants or scopes. */
const boxes = (
  { text }: Answer,
  kind: 'grant' | 'scope',
  names: readonly string[],
): Readonly<Record<string, string>> => {
  const found = [...text.matchAll(/name="((?:grant|scope)_\w+)" value="1"[^\n]*<code>([^<]*)<\/code>/g)];
  return Object.fromEntries(
    names.map((name) => [found.find(([, field, label]) => label === name && field?.startsWith(kind))?.[1] ?? '', '1']),
  );
};

interface Chosen {
  readonly grants: readonly string[];
  /** Absent for all. */
  readonly scopes?: readonly string[];
}

/** What a new client has at first, and all scopes. */
const BROWSER: Chosen = { grants: ['authorization_code', 'refresh_token'] };
const ITSELF: Chosen = { grants: ['client_credentials'], scopes: ['profile'] };

describe.each(hostFor(import.meta.url))('the page for administrators on $name', ({ start }) => {
  const { options, store, events, errors, clock, advance } = fixture({
    languages: [english, german],
    lifetimes: { session: 86_400 },
    grants: ['authorization_code', 'client_credentials', 'refresh_token', 'password'],
  });
  const clients = storedClients(store, { clock, cacheSeconds: 0 });
  let alice: Browser;
  let path = '';

  let isAlice = true;
  const admin = adminPages({ clients, isAdmin: ({ sub }) => isAlice && sub === 'alice' });
  const host = useHost(
    { start },
    { options: { ...options, clients: [...(options.clients as []), clients], features: [admin] } },
    errors,
  );
  beforeAll(async () => {
    path = `${host.base}/oauth/admin`;
    alice = new Browser(host);
    await alice.signIn(await alice.open(path), ALICE);
  });

  const post = (fields: Readonly<Record<string, string>>, in_ = alice): Promise<Answer> =>
    in_.submit({ text: `<form method="post" action="${new URL(path).pathname}"></form>` }, fields);
  const press = async (
    page: Answer,
    act: string,
    typed: Readonly<Record<string, string>> = {},
    chosen?: Chosen,
  ): Promise<Answer> => {
    const fields = { ...formWith(page, act), act, ...typed };
    if (chosen === undefined) return post(fields);
    const { grants, scopes } = chosen;
    const others = Object.entries(fields).filter(([name]) => !/^(?:grant|scope)_/.test(name));
    const all = scopes === undefined ? { all_scopes: '1' } : boxes(page, 'scope', scopes);
    return post({ ...Object.fromEntries(others), ...boxes(page, 'grant', grants), ...all });
  };
  const shown = (client: string): Promise<Answer> => alice.open(`${path}?client=${client}`);
  const add = async (typed: Readonly<Record<string, string>>, chosen: Chosen = BROWSER): Promise<Answer> =>
    press(await alice.open(`${path}?new=1`), 'add', typed, chosen);
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

  test('refuses the form of an administrator who is none any more', async () => {
    const page = await alice.open(`${path}?new=1`);
    isAlice = false;
    const refused = await press(page, 'add', { client_id: 'late', kind: 'confidential' }, ITSELF);
    isAlice = true;
    expect([refused.status, wordsOf(refused)]).toEqual([403, expect.stringContaining('for administrators')]);
    expect(await clients.get('late')).toBeUndefined();
  });

  test('speaks the languages of the other pages', async () => {
    const page = await alice.open(`${path}?new=1&ui_locales=de`);
    expect(page.text).toContain('<html lang="de">');
    expect(wordsOf(page)).toContain('Art des Clients');
    expect((await alice.open(`${path}?new=1&ui_locales=fr`)).text).toContain('<html lang="en">');
    // Links, forms, errors and what follows them stay in it.
    const typed = { client_id: 'german', kind: 'public' };
    const wrong = await press(page, 'add', { ...typed, redirect_uris: 'javascript:1' }, BROWSER);
    expect([wrong.status, wordsOf(wrong)]).toEqual([
      400,
      expect.stringContaining('javascript:1 kann keine Weiterleitungs-URI sein.'),
    ]);
    const right = await press(page, 'add', { ...typed, redirect_uris: 'https://a.example/cb' }, BROWSER);
    const added = await alice.follow(right);
    expect(wordsOf(added)).toContain('Der Client wurde');
    const question = await press(added, 'remove');
    for (const { text } of [page, added, question, await alice.open(`${path}?search=german&ui_locales=de`)]) {
      const links = text.split('<main>')[1]?.match(/<a [^>]*href="[^"]*"/g) ?? [];
      expect([
        links.length > 0,
        links.filter((link) => !link.includes('ui_locales=de') && link !== '<a href="/"'),
      ]).toEqual([true, []]);
    }
    const removed = await post({ ...formWith(question, 'remove') });
    expect(locationOf(removed)).toContain('ui_locales=de');
    const newcomer = new Browser(host);
    const signIn = await newcomer.open(`${path}?ui_locales=de`);
    expect((await newcomer.follow(await newcomer.signIn(signIn, ALICE))).text).toContain('<html lang="de">');
  });

  test('adds a confidential client, shows its secret once, and rotates it with both valid for a while', async () => {
    const added = await add({ client_id: 'batch', client_name: 'Nightly batch', kind: 'confidential' }, ITSELF);
    expect(wordsOf(added)).toContain('Name Nightly batch Identifier batch Secret');
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
    const added = await add({ client_id: 'busy', kind: 'confidential' }, ITSELF);
    expect(SECRET.exec(added.text)?.[1]).toBeDefined();
    const page = await shown('busy');
    const answers = await Promise.all(Array.from({ length: 5 }, () => press(page, 'rotate', { overlap: '0' })));
    const secrets = answers.flatMap(({ text }) => SECRET.exec(text)?.[1] ?? []);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409]);
    expect(secrets).toHaveLength(1);
    expect((await credentials('busy', secrets[0] ?? '')).status).toBe(200);
  });

  test('shows a client with a jwks_uri as confidential, and keeps it when other fields change', async () => {
    const jwks_uri = 'https://bank.example/keys';
    await clients.add({ client_id: 'bank', jwks_uri, redirect_uris: ['https://bank.example/cb'] });
    const page = await shown('bank');
    expect(wordsOf(page)).toMatch(/confidential/i);
    const saved = await press(page, 'change', { client_name: 'The bank' });
    expect(wordsOf(await alice.follow(saved))).toContain('Your changes were saved.');
    expect((await clients.get('bank'))?.registration).toMatchObject({ jwks_uri, client_name: 'The bank' });
    await clients.remove('bank');
  });

  test('adds a client with the address of its keys and without a secret, and refuses to make a client of another kind', async () => {
    const jwks_uri = 'https://signer.example/keys';
    const right = { client_id: 'signer', kind: 'confidential', redirect_uris: 'https://signer.example/cb' };
    const added = await add({ ...right, jwks_uri });
    expect(added.text).not.toMatch(SECRET);
    expect(wordsOf(await alice.follow(added))).toContain('The client was added.');
    const registration = async (client_id: string) => (await clients.get(client_id))?.registration;
    expect(await registration('signer')).toMatchObject({ jwks_uri });
    expect(await registration('signer')).not.toHaveProperty('client_secret');
    // Without the address, it would be public; with it, a public one would not, and a secret would be of no use.
    await clients.add({ client_id: 'open', redirect_uris: ['https://open.example/cb'] });
    await clients.add({ client_id: 'secretive', redirect_uris: ['https://s.example/cb'] }, { generateSecret: true });
    await everyRow(
      [
        ['signer', ''],
        ['open', jwks_uri],
        ['secretive', jwks_uri],
      ] as const,
      async ([client_id, to]) => {
        const before = await registration(client_id);
        const refused = await press(await shown(client_id), 'change', { jwks_uri: to });
        expect([refused.status, wordsOf(refused)]).toEqual([
          400,
          expect.stringContaining('A client has a secret, or the address of its keys, or is public.'),
        ]);
        expect(refused.text).toContain('id="jwks_uri-problem"');
        expect(await registration(client_id)).toEqual(before);
      },
    );
    const moved = await press(await shown('signer'), 'change', { jwks_uri: `${jwks_uri}/2` });
    expect(wordsOf(await alice.follow(moved))).toContain('Your changes were saved.');
    expect(await registration('signer')).toMatchObject({ jwks_uri: `${jwks_uri}/2` });
    for (const client_id of ['signer', 'open', 'secretive']) await clients.remove(client_id);
  });

  test('changes the resources of a client, and keeps them when other fields change', async () => {
    const exchange_resources = ['https://search.example', 'https://mail.example/?a=1&b=2'];
    const redirect_uris = ['https://notes.example/cb'];
    await clients.add(
      { client_id: 'notes', redirect_uris, exchange_resources, audience: [] },
      { generateSecret: true },
    );
    const page = await shown('notes');
    expect(page.text).not.toContain('a=1&b=2');
    const saved = await press(page, 'change', { client_name: 'Notes' });
    expect(wordsOf(await alice.follow(saved))).toContain('Your changes were saved.');
    const registration = async () => (await clients.get('notes'))?.registration;
    // An empty list is not the same as none: without an audience, the client would see all tokens.
    expect(await registration()).toMatchObject({ exchange_resources, audience: [], client_name: 'Notes' });
    const typed = { audience: ' https://a.example \r\n\r\nhttps://b.example', exchange_resources: '' };
    await press(await shown('notes'), 'change', { ...typed, introspect: '1' });
    const audience = ['https://a.example', 'https://b.example'];
    expect(await registration()).toMatchObject({ audience, introspect: true });
    expect(await registration()).not.toHaveProperty('exchange_resources');
    expect((await shown('notes')).text).toContain('name="introspect" value="1" checked');
    const { introspect: _, ...unchecked } = formWith(await shown('notes'), 'change');
    await post({ ...unchecked, audience: '' });
    for (const name of ['audience', 'introspect']) expect(await registration()).not.toHaveProperty(name);
    await clients.remove('notes');
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
    const taken = await add({ client_id: 'app', kind: 'public', redirect_uris: 'https://a.example/cb' });
    expect([taken.status, wordsOf(taken)]).toEqual([
      400,
      expect.stringContaining('Another client has this identifier.'),
    ]);
  });

  /** What is wrong in the form, the field that is marked, and what the page says about it. */
  const MISTAKES: readonly (readonly [
    field: string,
    typed: Readonly<Record<string, string>>,
    said: RegExp,
    Chosen?,
  ])[] = [
    ['redirect_uris', { redirect_uris: 'not a url' }, /not a url cannot be a redirect URI\./],
    ['redirect_uris', { redirect_uris: '' }, /Enter at least one redirect URI/],
    ['client_id', { client_id: 'é' }, /Use letters without accents/],
    ['client_name', { client_name: 'x'.repeat(101) }, /at most 100 characters/],
    ['client_uri', { client_uri: 'a.example' }, /begins with https/],
    ['logo_uri', { logo_uri: 'logo' }, /begins with https/],
    ['policy_uri', { policy_uri: 'x' }, /begins with https/],
    ['tos_uri', { tos_uri: 'x' }, /begins with https/],
    ['grants', {}, /Select at least one grant type/, { grants: [] }],
    ['grants', { kind: 'public', redirect_uris: '' }, /has no secret/, ITSELF],
    ['jwks_uri', { jwks_uri: 'http://keys.example/k' }, /begins with https/, BROWSER],
    ['jwks_uri', { jwks_uri: 'https://keys.example/k', kind: 'public' }, /or the address of its keys/, BROWSER],
    ['introspect', { kind: 'public', introspect: '1' }, /Only a client with a secret or keys/, BROWSER],
    ['scopes', {}, /Select at least one scope/, { ...BROWSER, scopes: [] }],
    ['scopes tos_uri', { tos_uri: 'x' }, /Select at least one scope/, { ...BROWSER, scopes: [] }],
  ];
  test('marks the field of a mistake, says what to do, keeps what was typed, and adds nothing', () =>
    everyRow(MISTAKES, async ([field, typed, said, chosen]) => {
      const right = { client_id: 'mistaken', kind: 'confidential', redirect_uris: 'https://a.example/cb' };
      const page = await add({ ...right, ...typed }, chosen);
      const marked = [...page.text.matchAll(/aria-describedby="[^"]*?(\w+)-problem" aria-invalid="true"/g)];
      expect([page.status, marked.map(([, name]) => name)]).toEqual([400, field.split(' ')]);
      expect(wordsOf(page)).toMatch(said);
      expect(wordsOf(page)).toContain('Check the marked fields.');
      expect(formWith(page, 'add')).toMatchObject(
        Object.fromEntries(Object.entries(typed).filter(([name]) => name !== 'kind')),
      );
      expect(await clients.get('mistaken')).toBeUndefined();
    }));

  test('offers the scopes and grants of the server, and saves no scope that it does not have', async () => {
    const page = await alice.open(`${path}?new=1`);
    expect(wordsOf(page)).toContain('Read your content content.read');
    expect(wordsOf(page)).toContain('client_credentials');
    expect(wordsOf(page)).not.toContain('implicit');
    await clients.add({ client_id: 'older', redirect_uris: ['https://a.example/cb'], scope: 'profile photos.raed' });
    const older = await shown('older');
    expect(wordsOf(older)).toContain('This server has no scope photos.raed. Save the client without it.');
    await press(older, 'change');
    expect((await clients.get('older'))?.registration.scope).toBe('profile');
    expect(wordsOf(await shown('older'))).not.toContain('photos.raed');
  });

  test('shows the administrator, a way back, a sign-out, and the clients of the configuration', async () => {
    const page = await alice.open(path);
    expect(wordsOf(page)).toContain('You are signed in as alice . Sign out');
    expect(wordsOf(page)).toMatch(/In the configuration .* web /);
    expect(page.text).toMatch(/<a href="\/">Back to /);
    const other = new Browser(host);
    const list = await other.follow(await other.signIn(await other.open(path), ALICE));
    const [, form_token = ''] =
      /id="out" hidden><input type="hidden" name="form_token" value="([^"]*)"/.exec(list.text) ?? [];
    await post({ form_token, decision: 'sign_out' }, other);
    expect((await other.open(path)).text).toContain('name="password"');
  });

  test('disables, enables and removes a client, ends its grants, and asks before', async () => {
    const { client_secret = '' } = await clients.add(
      { client_id: 'gone', client_name: 'Old <b>', grant_types: ['client_credentials', 'password'], scope: 'profile' },
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
      expect([question.status, question.text]).toEqual([200, expect.stringContaining('Old &lt;b&gt; (gone)')]);
      expect(await count(), 'asked').toBe(expected + 1);
      expect(wordsOf(await alice.follow(await press(question, act)))).toMatch(/revoked/);
      expect(await count()).toBe(expected);
    }
    for (const act of ['disable', 'enable', 'remove'] as const) {
      const answer = await press(await shown('gone'), act);
      if (act !== 'enable') {
        expect(wordsOf(answer)).toContain('Old <b> (gone)?');
        await press(answer, act);
      }
      expect([act, (await clients.get('gone'))?.registration.disabled]).toEqual([
        act,
        act === 'disable' ? true : undefined,
      ]);
    }
    expect(await clients.get('gone')).toBeUndefined();
    expect(locationOf(await press(page, 'remove')), 'removed meanwhile').toMatch(/\/oauth\/admin$/);
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
    expect(names(first).length + names(second).length, 'these, batch, busy, app and older').toBe(64);
    for (const after of ['x', '%00', 'x'.repeat(201)])
      expect(names(await alice.open(`${path}?after=${after}`)), 'no position').toEqual(names(first));
    expect(first.text).not.toContain('<b>');
    expect(names(await alice.open(`${path}?search=client+59`))).toEqual(['Client 59 &lt;b&gt;']);
    expect(names(await alice.open(`${path}?search=C7`))).toEqual(['Client 7 &lt;b&gt;']);
    expect(wordsOf(await alice.open(`${path}?search=nothing`))).toContain('No clients found.');
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
