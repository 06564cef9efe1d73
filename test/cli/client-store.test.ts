import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storedClients } from 'oauth-query/clients';
import { type OpenedStore, openStore } from 'oauth-query/stores/open';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { basic, Client, oneHostEach, type RunningHost } from '../hosts.js';
import { everyRow } from '../rows.js';
import { describeEngine } from '../stores/engines/availability.js';
import { freePort } from '../stores/engines/daemon.js';
import { noSqlite } from '../stores/engines/sqlite.js';
import { oauthQueryInProcess, type Run } from './program.js';

const folder = mkdtempSync(join(tmpdir(), 'oauth-query-clients-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const REDIRECT = 'https://photos.example/cb';

describeEngine('client commands over a SQLite file', noSqlite, () => {
  const file = join(folder, 'oauth.db');
  const address = `sqlite:${file}`;
  let store: OpenedStore;
  let host: RunningHost;
  let http: Client;

  beforeAll(async () => {
    store = await openStore(address);
    await store.migrate();
    const [first] = oneHostEach;
    const clients = storedClients(store, { cacheSeconds: 0 });
    host = await first.start({ options: { store, clients, scopes: { read: 'Read', write: 'Write' } } });
    http = new Client(host.base);
    await run(['add', 'there', '--public', '--redirect-uri', REDIRECT, '--create']);
  });
  afterAll(async () => {
    await host?.close();
    await store?.close();
  });

  const run = (
    args: readonly string[],
    input = '',
    env: Readonly<Record<string, string>> = { STORE_URL: address },
  ): Promise<Run> => oauthQueryInProcess(['client', ...args], { input, env });

  const json = async (args: readonly string[], input = ''): Promise<Record<string, unknown>> => {
    const { code, stdout, stderr } = await run(args, input);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    return JSON.parse(stdout);
  };

  const own = async (id: string, secret: unknown): Promise<number> =>
    (await http.post('/oauth/token', 'grant_type=client_credentials', basic(id, String(secret)))).status;

  test('add prints the client_id and the secret once, and the server accepts both', async () => {
    const { client_id, client_secret } = await json(['add', '--grant', 'client_credentials', '--scope', 'read']);
    expect(await own(String(client_id), client_secret)).toBe(200);
    expect((await run(['show', String(client_id)])).stdout).not.toMatch(/[\w-]{43}/);
  });

  test('every field has an option or is read as JSON, and options take precedence', async () => {
    const { registration, client_secret, secrets } = await json(
      ['add', 'web', '--name', 'Photos', '--redirect-uri', REDIRECT, '--redirect-uri', `${REDIRECT}2`, '--from', '-'],
      '{ "client_name": "Other", "scope": "read write", "default_scope": "read", "require_pkce": true, "client_uri": "https://photos.example/" }',
    );
    expect(registration).toEqual({
      client_name: 'Photos',
      redirect_uris: [REDIRECT, `${REDIRECT}2`],
      scope: 'read write',
      default_scope: 'read',
      require_pkce: true,
      client_uri: 'https://photos.example/',
    });
    expect([client_secret, secrets]).toEqual([expect.stringMatching(/^[\w-]{43}$/), [{ hash: 'sha256' }]]);
  });

  test('--public creates no secret; a given secret or given keys are used', async () => {
    const spa = await json(['add', 'spa', '--public', '--redirect-uri', REDIRECT]);
    expect([spa['secrets'], 'client_secret' in spa]).toEqual([[], false]);
    const chosen = 'correct horse battery staple';
    const typed = await json(['add', 'typed', '--from', '-'], JSON.stringify({ client_secret: chosen }));
    expect([typed['secrets'], 'client_secret' in typed]).toEqual([[{ hash: 'scrypt' }], false]);
    expect([await own('typed', chosen), await own('typed', 'another')]).toEqual([200, 401]);
    const none = await json(
      ['add', 'none', '--from', '-'],
      JSON.stringify({ token_endpoint_auth_method: 'none', redirect_uris: [REDIRECT] }),
    );
    expect(none['secrets']).toEqual([]);
    const remote = await json(
      ['add', 'remote', '--redirect-uri', REDIRECT, '--from', '-'],
      JSON.stringify({ jwks_uri: 'https://bank.example/keys' }),
    );
    expect([remote['secrets'], 'client_secret' in remote]).toEqual([[], false]);
  });

  test('change replaces given fields, null removes them, and a different version is a conflict', async () => {
    await json(['add', 'changing', '--public', '--redirect-uri', REDIRECT, '--scope', 'read', '--name', 'Old']);
    const changed = await json(['change', 'changing', '--name', 'New', '--from', '-'], '{ "scope": null }');
    expect([changed['version'], changed['registration']]).toEqual([
      2,
      { client_name: 'New', redirect_uris: [REDIRECT] },
    ]);
    const { code, stdout, stderr } = await run(['change', 'changing', '--name', 'Newer', '--if-version', '1']);
    expect([code, stdout, stderr]).toEqual([
      1,
      '',
      'Client "changing" was changed in the meantime. Reload it before you change it again.\n',
    ]);
    expect((await json(['show', 'changing']))['version']).toBe(2);
    expect((await json(['change', 'changing', '--name', 'Newer', '--if-version', '2']))['version']).toBe(3);
  });

  test('rotate prints a new secret once, and until when the old one works; 0 ends it immediately', async () => {
    const { client_secret: first } = await json(['add', 'rotating']);
    const { secrets, client_secret: second } = await json(['rotate', 'rotating', '--overlap', '3600']);
    const until = (secrets as readonly { readonly expires_at?: number }[])[1]?.expires_at ?? 0;
    expect(Math.abs(until - Date.now() - 3_600_000)).toBeLessThan(60_000);
    expect([await own('rotating', first), await own('rotating', second)]).toEqual([200, 200]);
    const third = await json(['rotate', 'rotating', '--overlap', '0']);
    expect(third['secrets']).toEqual([{ hash: 'sha256' }]);
    expect([await own('rotating', second), await own('rotating', third['client_secret'])]).toEqual([401, 200]);
  });

  test('disable, enable, end-tokens and remove take effect at the server', async () => {
    const { client_secret } = await json(['add', 'job']);
    const token = (
      await http.post('/oauth/token', 'grant_type=client_credentials', basic('job', String(client_secret)))
    ).json['access_token'];
    const isActive = async (): Promise<unknown> =>
      (await http.post('/oauth/introspect', { token: String(token) }, basic('job', String(client_secret)))).json[
        'active'
      ];
    await json(['disable', 'job']);
    expect(await own('job', client_secret)).toBe(401);
    await json(['enable', 'job']);
    expect([await own('job', client_secret), await isActive()]).toEqual([200, true]);
    await json(['end-tokens', 'job']);
    expect([await own('job', client_secret), await isActive()]).toEqual([200, false]);
    const removed = await run(['remove', 'job', '--yes']);
    expect(removed).toEqual({ code: 0, stdout: '{"client_id":"job","removed":true}\n', stderr: '' });
    expect(await own('job', client_secret)).toBe(401);
    const again = await run(['remove', 'job', '--yes']);
    expect(again).toEqual({ code: 1, stdout: '', stderr: 'There is no client "job".\n' });
  });

  test('list prints a line for each client, over several pages', async () => {
    const clients = storedClients(store, { issuer: 'https://many.example' });
    const names = Array.from({ length: 130 }, (_, n) => `client-${n}`);
    for (const client_id of names) await clients.add({ client_id, redirect_uris: [REDIRECT] });
    await clients.disable('client-7');
    const { stdout } = await run(['list', '--issuer', 'https://many.example']);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line): { client_id: string } => JSON.parse(line));
    expect(lines.map(({ client_id }) => client_id).sort()).toEqual(names.toSorted());
    const none = await run(['list', '--issuer', 'https://none.example']);
    expect(none).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('exchange_resources are kept by other changes, shown, replaced, removed, and must be an array of strings', async () => {
    const of = ({ registration }: Record<string, unknown>) =>
      (registration as Readonly<Record<string, unknown>>)['exchange_resources'];
    const first = ['https://search.example'];
    const second = ['https://mail.example', 'https://files.example'];
    const added = await json(['add', 'notes', '--from', '-'], JSON.stringify({ exchange_resources: first }));
    expect(of(added)).toEqual(first);
    expect(of(await json(['change', 'notes', '--name', 'Notes']))).toEqual(first);
    const change = (exchange_resources: unknown) =>
      run(['change', 'notes', '--from', '-'], JSON.stringify({ exchange_resources }));
    for (const wrong of ['https://search.example', [7], {}]) {
      const { code, stdout, stderr } = await change(wrong);
      expect([code, stdout, stderr]).toEqual([
        1,
        '',
        expect.stringMatching(/: exchange_resources(?:\[0\])? must be an? (?:array|string)/),
      ]);
    }
    expect(of(await json(['show', 'notes']))).toEqual(first);
    expect((await change(second)).code).toBe(0);
    expect(of(await json(['show', 'notes']))).toEqual(second);
    expect((await change(null)).code).toBe(0);
    expect(of(await json(['show', 'notes']))).toBeUndefined();
  });

  test('saves nothing and prints all problems if a server would reject the client', async () => {
    const { code, stdout, stderr } = await run([
      'add',
      'wrong',
      '--redirect-uri',
      'http://photos.example/cb',
      '--scope',
      'read  admin',
    ]);
    expect([code, stdout, stderr]).toEqual([
      1,
      '',
      `Client "wrong": scope must be scopes separated by single spaces.
Client "wrong": the redirect URI "http://photos.example/cb" must begin with https://; http:// is only for loopback addresses.
`,
    ]);
    expect((await run(['show', 'wrong'])).code).toBe(1);
  });

  test('never puts a secret on the command line or in a file, and stores no usable secret', async () => {
    const chosen = 'a secret chosen by a person';
    await run(['add', 'in-json', '--from', '-'], JSON.stringify({ client_secret: chosen }));
    // By another process: closing the file in this one would release the locks that its own connection holds.
    const written = execFileSync('cat', [file, `${file}-wal`], { encoding: 'latin1', maxBuffer: 64 * 2 ** 20 });
    expect(written).toContain('in-json');
    expect(written).not.toContain(chosen);
    expect((await run(['add', 'x', '--secret', chosen])).code).toBe(2);
  });

  test('escapes control characters in names for terminals', async () => {
    const store = await openStore(address);
    const name = 'Evil\u001b[2J\u009b31m\u202e';
    await storedClients(store).add({ client_id: 'evil', client_name: name, redirect_uris: [REDIRECT] });
    await store.close();
    for (const args of [['show', 'evil'], ['list']]) {
      const { stdout } = await run(args);
      expect(stdout).toContain('Evil\\u001b[2J\\u009b31m\\u202e');
      expect(stdout).not.toMatch(/[\u001b\u009b\u202e]/);
    }
  });

  test('an invalid registration ends with one sentence and the exit code', () =>
    everyRow(
      [
        [
          'add',
          [],
          '{ "client_id": "a" }',
          ['b'],
          2,
          'The client_id of the command line and of the JSON are different.',
        ],
        ['add', ['--public'], '{ "client_secret": "x" }', ['b'], 2, '--public is for clients without a secret or keys'],
        ['add', [], '["a"]', ['b'], 1, 'The standard input must contain one object with fields of a registration'],
        ['add', [], '{ client_id }', ['b'], 1, 'The standard input is not valid JSON: '],
        ['add', [], '{ "colour": "red" }', ['b'], 1, 'Client "b": colour is unknown'],
        [
          'add',
          [],
          '{ "client_id": 7 }',
          [],
          1,
          'Client 7: client_id must be printable ASCII, at most 512 characters.',
        ],
        ['change', [], '{ "client_id": "b" }', ['there'], 1, 'client_id cannot be changed. Add another client.'],
        ['change', [], '{}', ['there'], 2, 'There is nothing to change.'],
        ['change', ['--if-version', 'x'], '{}', ['there'], 2, '--if-version must be a whole number from 1'],
      ],
      async ([word, options, input, names, code, sentence]) => {
        const ran = await run([word, ...names, ...options, '--from', '-'], input);
        expect([ran.code, ran.stdout]).toEqual([code, '']);
        expect(ran.stderr.startsWith(sentence)).toBe(true);
        expect(ran.stderr.trimEnd().split('\n')).toHaveLength(1);
      },
    ));

  test('wrong arguments end with one sentence and the exit code', () =>
    everyRow(
      [
        [['show'], 2, 'Specify the client_id. See: oauth-query client --help'],
        [['show', 'a', 'b'], 2, 'Unexpected argument "b".'],
        [['show', 'nobody'], 1, 'There is no client "nobody".'],
        [['disable', 'nobody'], 1, 'There is no client "nobody".'],
        [
          ['disable', 'there', '--issuer', 'https://a.example'],
          1,
          'There is no client "there". The issuer is https://a.example.',
        ],
        [['add', 'there', '--public', '--redirect-uri', REDIRECT], 1, 'The client "there" already exists.'],
        [['rotate', 'there'], 1, 'Client "there" has no client_secret.'],
        [['rotate', 'there', '--overlap', '1.5'], 2, '--overlap must be a whole number from 0 to 31536000, not "1.5".'],
        [['list', '--issuer', ''], 2, '--issuer is empty.'],
        [['list', '--yes', '--json'], 2, "Unknown option '--yes'."],
        [['lsit'], 2, '"lsit" is neither a command nor a file. Commands: add, list, show,'],
        [['remove', 'there'], 2, 'All tokens and grants of the client become invalid. Add --yes to remove it.'],
      ],
      async ([args, code, sentence]) => {
        const ran = await run(args);
        expect([ran.code, ran.stdout]).toEqual([code, '']);
        expect(ran.stderr.startsWith(sentence)).toBe(true);
        expect(ran.stderr.trimEnd().split('\n')).toHaveLength(1);
      },
    ));

  describe('the store', () => {
    const missing = join(folder, 'missing.db');

    test('in a file that does not exist is not created by mistake', async () => {
      for (const args of [['list'], ['add', 'x', '--public', '--redirect-uri', REDIRECT]]) {
        const { code, stderr } = await run([...args, '--store', `sqlite:${missing}`]);
        expect([code, stderr]).toEqual([
          1,
          `The file ${missing} does not exist. Start the server once, or create the file with client add --create.\n`,
        ]);
      }
      expect(existsSync(missing)).toBe(false);
    });

    test('with a password on the command line is used, with a warning', async () => {
      const address = `user:hunter2@127.0.0.1:${await freePort()}`;
      const shown = await run(['list', '--store', `redis://${address}`], '', {});
      const hidden = await run(['list'], '', { STORE_URL: `postgres://${address}/x` });
      expect([shown.code, hidden.code]).toEqual([1, 1]);
      expect(shown.stderr).toMatch(
        /^Other users of this machine can see the password in --store\. .+ STORE_URL instead\.\nThe store cannot be used: /,
      );
      expect(hidden.stderr).toMatch(/^The store cannot be used: .+\n$/);
      expect(shown.stderr + hidden.stderr).not.toContain('hunter2');
    });

    test('that cannot be opened ends with one sentence', () =>
      everyRow(
        [
          [
            '',
            2,
            "Specify the server's store with --store, such as sqlite:oauth.db, or with the environment variable STORE_URL.",
          ],
          ['memory:', 2, 'The store memory: is not shared with a server.'],
          ['sqlite::memory:', 2, 'The store memory: is not shared with a server.'],
          ['oracle://127.0.0.1/x', 1, 'The store cannot be opened: the URL must be memory:, sqlite:<file>, redis://'],
          ['sqlite:', 1, 'The store cannot be opened: sqlite: needs a file'],
          [`sqlite:${join(folder, 'text.txt')}`, 1, 'The store cannot be opened: '],
        ],
        async ([url, code, sentence]) => {
          writeFileSync(
            join(folder, 'text.txt'),
            'no database, but a text that is long enough to be looked at'.repeat(50),
            {
              mode: 0o600,
            },
          );
          const ran = await run(['list'], '', { STORE_URL: url });
          expect([ran.code, ran.stdout]).toEqual([code, '']);
          expect(ran.stderr.startsWith(sentence)).toBe(true);
        },
      ));
  });
});
