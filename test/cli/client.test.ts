import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { oauthQuery } from '../../src/adapters/express/index.js';
import { SCOPES } from '../oauth/support/fixture.js';
import { everyRow } from '../rows.js';
import { oauthQueryInProcess } from './program.js';

interface Checked {
  readonly client_id: string;
  readonly problems: readonly string[];
}

const folder = mkdtempSync(join(tmpdir(), 'oauth-query-client-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fileOf = (name: string, text: string): string => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};

const checked = async (registrations: unknown, ...args: readonly string[]): Promise<readonly Checked[]> => {
  const input = JSON.stringify(registrations);
  const { stdout, stderr } = await oauthQueryInProcess(['client', '--json', ...args, '-'], { input });
  expect(stderr).toBe('');
  return (JSON.parse(stdout) as { clients: readonly Checked[] }).clients;
};

const HASH = { sha256: 'h87U8kFgws5InOWV3hHeUWYbmTDQRXdxpUgw0e7IyNc' };
const NAMED = { client_name: 'An application', scope: 'profile', default_scope: 'profile' };
const WEB = { ...NAMED, client_secret: HASH, redirect_uris: ['https://app.example/cb'], require_pkce: true };

describe('a registration that a server rejects', () => {
  const BROKEN: readonly object[] = [
    { client_id: 'a', redirect_uri: 'https://app.example/cb' },
    { client_id: 'b', redirect_uris: ['http://app.example/cb'] },
    { client_id: 'c', client_secret: '' },
    { client_id: 'd' },
    { client_id: 'e', grant_types: ['client_credentials'] },
    { client_id: 'f', ...WEB, scope: 'profile admin' },
    { client_id: '' },
    { ...WEB },
  ];

  test('is reported with the same sentence as at construction', async () => {
    const answers = await checked(BROKEN, '--scopes', 'profile content.read');
    for (const [index, registration] of BROKEN.entries()) {
      const clients = [JSON.parse(JSON.stringify(registration))];
      const construct = (): unknown => oauthQuery({ clients, scopes: SCOPES, onWarning: () => undefined });
      expect(construct).toThrow(answers[index]?.problems[0]);
    }
  });

  test('is reported with all of its problems', async () => {
    const [answer] = await checked({
      client_id: 'x',
      client_secret: ['', { sha256: 'short' }],
      scope: 'a  b',
      redirect_uris: ['http://app.example/cb', 'https://app.example/#x', 'https://app.example/cb'],
      refresh: 'sometimes',
    });
    expect(answer?.problems).toEqual([
      `Client "x": refresh must be 'rotating' or 'reusable'.`,
      'Client "x": scope must be scopes separated by single spaces.',
      'Client "x": client_secret is empty; is the environment variable set?',
      'Client "x": client_secret has a sha256 that is not 43 characters of base64url.',
      'Client "x": the redirect URI "http://app.example/cb" must begin with https://; http:// is only for loopback addresses.',
      'Client "x": the redirect URI "https://app.example/#x" has a fragment.',
    ]);
  });

  test('null, which only rows of a table may have', async () => {
    const [answer] = await checked({ client_id: 'web', ...WEB, default_scope: null });
    expect(answer?.problems).toEqual(['Client "web": default_scope is null. Leave it out.']);
  });

  test('two clients with one id', async () => {
    const [one, two] = await checked([
      { client_id: 'web', ...WEB },
      { client_id: 'web', ...WEB },
    ]);
    expect([one?.problems, two?.problems]).toEqual([[], ['Client "web" is registered twice. Remove one.']]);
  });
});

describe('output for people', () => {
  test('is the total if there is nothing to say', async () => {
    const file = fileOf('clients.json', JSON.stringify({ client_id: 'web', ...WEB }));
    const { code, stdout, stderr } = await oauthQueryInProcess(['client', file]);
    expect([code, stdout, stderr]).toEqual([0, 'web\n1 client: 0 errors.\n', '']);
  });

  test('exits with 1 after an error', async () => {
    const { code, stdout } = await oauthQueryInProcess(['client', '-'], { input: '[{ "client_id": "x" }]' });
    expect([code, stdout]).toEqual([
      1,
      `x
  error
    Client "x": add redirect_uris, or name grant_types; without both and without a secret the
    client can request nothing.
1 client: 1 error.
`,
    ]);
  });
});

describe('unreadable input', () => {
  test('wrong arguments end with one sentence and the exit code', () =>
    everyRow(
      [
        [1, ['nowhere.json'], '', 'nowhere.json cannot be read: the file does not exist.'],
        [1, [folder], '', `${folder} cannot be read: it is a directory.`],
        [1, ['-'], "{ client_id: 'web' }", 'The standard input is not valid JSON: '],
        [1, ['-'], '', 'The standard input is not valid JSON: '],
        [1, ['-'], '[]', 'The standard input is an empty list. Add at least one registration.'],
        [
          1,
          ['-'],
          '"web"',
          'The standard input must contain a registration, such as { "client_id": "web" }, or a list',
        ],
        [
          1,
          ['-'],
          '[{"client_id":"a"},[]]',
          'The standard input must contain a registration, such as { "client_id": "web" }',
        ],
        [
          2,
          [],
          '',
          'Specify a file with registrations, - for standard input, or a command such as list. See: oauth-query client --help',
        ],
        [2, ['--scopes', 'a "b"', '-'], '[{}]', '--scopes: "\\"b\\"" is not a scope'],
      ],
      async ([code, args, input, sentence]) => {
        const run = await oauthQueryInProcess(['client', ...args], { input });
        expect([run.code, run.stdout]).toEqual([code, '']);
        expect(run.stderr.startsWith(sentence)).toBe(true);
        expect(run.stderr.trimEnd().split('\n')).toHaveLength(1);
      },
    ));
});
