import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { oauthQuery } from '../../src/adapters/express/index.js';
import { ADVICE_RULES } from '../../src/cli/client/advice.js';
import { SCOPES } from '../oauth/support/fixture.js';
import { everyRow } from '../rows.js';
import { oauthQueryInProcess } from './program.js';

interface Checked {
  readonly client_id: string;
  readonly problems: readonly string[];
  readonly advice: readonly { readonly rule: string; readonly problem: string; readonly remedy: string }[];
  readonly means?: string;
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
const APP = { ...NAMED, redirect_uris: ['http://127.0.0.1/cb'], grant_types: ['authorization_code'] };
const SERVICE = { client_secret: HASH, scope: 'profile', default_scope: 'profile' };

/** Nothing can be said against these. */
const SOUND = {
  web: WEB,
  app: APP,
  reverse: { ...APP, redirect_uris: ['com.example.app:/cb', 'http://[::1]:8080/cb'] },
  service: SERVICE,
  tv: { ...NAMED, grant_types: ['device_code'], refresh: 'rotating' },
  box: { ...NAMED, client_secret: HASH, grant_types: ['device_code', 'refresh_token'] },
  rotation: { ...SERVICE, client_secret: [HASH, { ...HASH, expiresAt: Date.now() + 86_400_000 }] },
  api: { ...SERVICE, introspect: true, audience: 'https://api.example' },
} as const;

/** Each is one step away from a sound one, and that step is what the rule is about. */
const DOUBTFUL: readonly (readonly [rule: string, registration: object, said: string])[] = [
  ['plain-secret', { ...WEB, client_secret: 'x'.repeat(43) }, 'The registration contains a secret in plain text'],
  [
    'plain-secret',
    { ...WEB, client_secret: [HASH, { value: 'x'.repeat(43) }] },
    'The registration contains a secret in plain text',
  ],
  ['short-secret', { ...WEB, client_secret: 'x'.repeat(21) }, 'fewer than 22 characters'],
  ['expired-secret', { ...SERVICE, client_secret: [HASH, { ...HASH, expiresAt: 1e12 }] }, 'A secret has expired'],
  [
    'expiring-secret',
    { ...SERVICE, client_secret: { ...HASH, expiresAt: Date.now() + 86_400_000 } },
    'Every secret of this client expires within a month',
  ],
  ['legacy-grant', { ...WEB, grant_types: ['implicit'] }, 'The implicit grant is discouraged'],
  ['legacy-grant', { ...SERVICE, grant_types: ['password'] }, 'The password grant is discouraged'],
  ['any-scope', { ...WEB, scope: undefined, default_scope: undefined }, 'There is no scope'],
  ['any-default-scope', { ...WEB, scope: 'profile content.read', default_scope: undefined }, 'no default_scope'],
  ['plain-pkce', { ...APP, code_challenge_methods: ['plain', 'S256'] }, 'code_challenge_methods contains plain'],
  ['optional-pkce', { ...WEB, require_pkce: false }, 'The client may omit PKCE'],
  [
    'localhost-redirect',
    { ...APP, redirect_uris: ['http://localhost:3000/cb'] },
    'http://localhost:3000/cb uses localhost',
  ],
  [
    'confidential-loopback',
    { ...WEB, redirect_uris: ['http://127.0.0.1/cb'] },
    'An installed app cannot keep a secret',
  ],
  ['app-scheme', { ...APP, redirect_uris: ['myapp:/cb'] }, 'any app can register'],
  ['wide-redirect', { ...WEB, redirect_uris: ['https://app.example'] }, 'is a front page'],
  ['wide-redirect', { ...WEB, redirect_uris: ['https://app.example/'] }, 'is a front page'],
  ['forwarding-redirect', { ...WEB, redirect_uris: ['https://app.example/cb?a=1&Next=/x'] }, 'has the parameter Next'],
  ['unused-redirect', { ...WEB, grant_types: ['client_credentials'] }, 'no grant that uses them'],
  ['nothing-to-refresh', { ...SERVICE, grant_types: ['client_credentials', 'refresh_token'] }, 'no other grant'],
  ['reusable-refresh', { ...WEB, refresh: 'reusable' }, 'not rotated'],
  ['sees-every-token', { ...SERVICE, introspect: true }, 'without audience'],
  ['nameless', { ...WEB, client_name: undefined }, 'consent pages show the client_id'],
  ['nameless', { ...SOUND.tv, client_name: undefined }, 'consent pages show the client_id'],
  ['disabled', { ...WEB, disabled: true }, 'rejected everywhere'],
];

describe('advice on registrations', () => {
  let answers: ReadonlyMap<string, Checked>;
  beforeAll(async () => {
    const sound = Object.entries(SOUND).map(([client_id, registration]) => ({ client_id, ...registration }));
    const doubtful = DOUBTFUL.map(([, registration], index) => ({ client_id: `case ${index}`, ...registration }));
    const all = await checked([...sound, ...doubtful]);
    answers = new Map(all.map((answer) => [answer.client_id, answer]));
  });

  test('a good registration has no advice', () =>
    everyRow(Object.keys(SOUND), (client_id) => {
      expect(answers.get(client_id)).toMatchObject({ problems: [], advice: [] });
    }));

  test('each rule reports its registration', () =>
    everyRow(
      DOUBTFUL.map(([rule, , said], index) => [rule, said, `case ${index}`] as const),
      ([rule, said, client_id]) => {
        const { problems = [], advice = [] } = answers.get(client_id) ?? {};
        expect(problems).toEqual([]);
        const told = advice.filter((item) => item.rule === rule);
        expect(told).toHaveLength(1);
        expect(told[0]?.problem).toContain(said);
        expect(told[0]?.remedy).toMatch(/^[A-Z].+\.$/);
      },
    ));

  test('every rule has a case', () => {
    expect(ADVICE_RULES.filter((rule) => !DOUBTFUL.some(([name]) => name === rule))).toEqual([]);
  });
});

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
    expect(answer?.advice).toEqual([]);
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
  test('describes the client, each problem with its remedy, and the total', async () => {
    const file = fileOf('clients.json', JSON.stringify({ client_id: 'web', ...WEB, require_pkce: false }));
    const { code, stdout, stderr } = await oauthQueryInProcess(['client', file]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(`web
    confidential; authorization_code, refresh_token; rotating refresh tokens; PKCE optional
  warning optional-pkce
    The client may omit PKCE, without which injected codes are not detected (RFC 9700 §2.1.1).
    Set require_pkce: true. Client libraries have supported PKCE for years.

1 client: 0 errors, 1 warning.
`);
  });

  test('exits with 1 after an error', async () => {
    const { code, stdout } = await oauthQueryInProcess(['client', '-'], { input: '[{ "client_id": "x" }]' });
    expect([code, stdout]).toEqual([
      1,
      `x
  error
    Client "x": add redirect_uris, or name grant_types; without both and without a secret the
    client can request nothing.

1 client: 1 error, 0 warnings.
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
