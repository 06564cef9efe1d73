import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storedClients } from 'oauth-query/clients';
import { openStore } from 'oauth-query/stores/open';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { everyRow } from '../rows.js';
import { describeEngine } from '../stores/engines/availability.js';
import { freePort } from '../stores/engines/daemon.js';
import { noSqlite } from '../stores/engines/sqlite.js';
import { clientStoreCases } from './client-store-cases.js';
import { oauthQueryInProcess } from './program.js';

const folder = mkdtempSync(join(tmpdir(), 'oauth-query-clients-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const REDIRECT = 'https://photos.example/cb';

describeEngine('client commands over a SQLite file', noSqlite, () => {
  const file = join(folder, 'oauth.db');
  const address = `sqlite:${file}`;
  clientStoreCases(() => address);

  const run = (args: readonly string[], input = '', env: Readonly<Record<string, string>> = { STORE_URL: address }) =>
    oauthQueryInProcess(['client', ...args], { input, env });

  beforeAll(async () => {
    await run(['add', 'there', '--public', '--redirect-uri', REDIRECT, '--create']);
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
