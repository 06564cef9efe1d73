import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { oauthQuery as express } from '../../../src/adapters/express/index.js';
import { oauthQuery as fastify } from '../../../src/adapters/fastify/index.js';
import { oauthQuery as koa } from '../../../src/adapters/koa/index.js';
import { query, type QueryOptions } from '../../../src/core/query/index.js';
import { Client, hostFor } from '../../hosts.js';
import { everyRow } from '../../rows.js';
import { fixture } from '../support/fixture.js';
import { cheapHash } from '../support/hashes.js';
import { WRONG_OPTIONS } from '../support/wrong-options.js';

const QUIET = { onWarning: () => undefined };
const HASH = cheapHash('x');
const SECRET = 'a secret of the test that has 32 characters';

/** Options come from JavaScript too, so they may be anything at all. */
const build = (options: object): unknown => {
  const given = { ...QUIET, ...options };
  // What the tables give are options of the feature.
  return express('query' in given ? { ...given, features: [query(given.query as QueryOptions)] } : given);
};

/** The error, which has a code and begins at the line of the caller. */
const thrown = (make: () => unknown): TypeError & { readonly code?: string } => {
  try {
    make();
  } catch (error) {
    if (error instanceof TypeError) return error;
    throw error;
  }
  return new TypeError('no error at all');
};
const sentence = (make: () => unknown): string => thrown(make).message;

const one = (client: object) => ({ scopes: { read: 'Read', write: 'Write' }, clients: [client] });
const web = { client_id: 'web', client_secret: 'secret', redirect_uris: ['https://app.example/cb'] };
const user = (more: object) => ({ users: [{ username: 'alice', password: 'wonderland', ...more }] });

const CASES = Object.values(WRONG_OPTIONS).flat();

/** As the snapshot shows options: on one line, functions by their name only, without what tracing adds to promises. */
const shown = (options: object): string =>
  inspect(options, { depth: 8, breakLength: Infinity, compact: true })
    .replaceAll(/\[Function[^\]]*\]/g, 'ƒ')
    .replaceAll(/, \[Symbol\(\w+\)\]: [^,} ]+/g, '');

describe('wrong options', () => {
  test('throw a TypeError at the line of the caller that names the option, or the field of a client, with the codes and messages of the snapshot', async () => {
    expect(CASES.length).toBeGreaterThan(300);
    const lines: string[] = [];
    await everyRow(CASES, (options) => {
      const { code, message, stack = '' } = thrown(() => build(options));
      lines.push(`${shown(options)}\n    ${code} ${message}\n`);
      expect(/^ +at .*$/m.exec(stack)?.[0]).toContain('options.test.ts');
      expect(message).toMatch(
        /^((?:query: )?options[. ][\w$.[\]" -]+|options\[".+"\]|(?:Client .+|A client without client_id):? [\w$ ]+|The (query module|parameter) ".+")/,
      );
      expect(message).toMatch(/[a-z0-9)'\]}"][.?]$/i);
      expect(message).not.toMatch(/cannot read|is not a function|not iterable|\[object/i);
    });
    await expect(lines.join('')).toMatchFileSnapshot('./options.snap.txt');
  });
});

describe('valid options', () => {
  const VALID = [
    {},
    { issuer: 'https://example.org' },
    { issuer: 'https://example.org:8443/auth' },
    { issuer: 'http://localhost:3000' },
    { secret: SECRET },
    { secret: [SECRET, `${SECRET} too`] },
    { secret: [SECRET, `${SECRET}\n`] },
    { grants: ['device_code', 'implicit', 'password'], users: [{ username: 'alice', password: 'wonderland' }] },
    { grants: ['device_code', 'implicit'] },
    { grants: [] },
    { lifetimes: { refreshGrace: 0, authorizationCode: 600, accessToken: 1 } },
    { lifetimes: { accessToken: undefined } },
    { timeout: 10 },
    { paths: { token: ['/token', '/rest.php/oauth2/access_token'] } },
    { cors: ['*', 'https://app.example', 'http://localhost:5173'] },
    { resources: ['https://api.example/v1?x=1', 'urn:example:api'] },
    { resources: {} },
    {
      issuer: 'https://example.org',
      resources: { '/': {}, 'https://api.example': {}, 'http://127.0.0.1:3000/mcp/': {} },
    },
    { owner: () => undefined, loginUrl: '/login' },
    { users: { authenticate: () => undefined } },
    user({ password: { scrypt: HASH }, sub: 'user-1' }),
    one({ ...web, client_secret: { scrypt: HASH, expiresAt: 1_893_456_000_000 } }),
    one({
      ...web,
      redirect_uris: [
        'https://app.example/cb?keep=1',
        'com.example.app:/cb',
        'http://[::1]/cb',
        'http://localhost:1/cb',
      ],
    }),
    { clients: { find: () => undefined } },
  ];
  test('are accepted', () =>
    everyRow(VALID, (options) => {
      expect(sentence(() => build(options))).toBe('no error at all');
    }));
});

describe.each(Object.entries({ express, koa, fastify }))('%s', (name, oauthQuery) => {
  test('validates options with the same messages', () => {
    const wrong = { ...QUIET, lifetimes: { accessToken: 0 } };
    expect(sentence(() => oauthQuery(wrong))).toBe(
      'options.lifetimes.accessToken must be a whole number of seconds from 1 to 2592000.',
    );
  });

  test('throws when it is mounted instead of being called', () => {
    const mount = oauthQuery as (request: unknown) => unknown; // What app.use(oauthQuery) would do.
    const remedy = name === 'fastify' ? 'app.register(oauthQuery({ … }))' : 'app.use(oauthQuery({ … }))';
    for (const wrong of [new (class IncomingMessage {})(), null, 'x', []]) {
      expect(sentence(() => mount(wrong))).toBe(
        `oauthQuery takes an object of options and returns what you mount. Call it: ${remedy}.`,
      );
    }
  });

  test('warns about missing options in one line, and about discouraged grants', () => {
    const warnings: string[] = [];
    oauthQuery({ onWarning: (text) => warnings.push(text) });
    expect(warnings).toEqual([expect.stringMatching(/\bissuer \(.*\bclients \(.*\bsecret \(.* \(OQ201\)$/)]);
    warnings.length = 0;
    oauthQuery({
      issuer: 'https://example.org',
      clients: [],
      secret: SECRET,
      grants: ['password', 'implicit'],
      users: [],
      onWarning: (text) => warnings.push(text),
    });
    expect(warnings).toEqual([
      expect.stringMatching(/^The password grant .*RFC 9700.* \(OQ207\)$/),
      expect.stringMatching(/^The implicit grant .*RFC 9700.* \(OQ207\)$/),
      expect.stringMatching(/^options\.store is missing.* \(OQ202\)$/),
    ]);
  });
});

describe.each(hostFor(import.meta.url))('at a request to $name', ({ start }) => {
  /** What reaches `onError` at a token request. The options are those of a user of JavaScript. */
  const complaintAbout = async (
    more: object,
    form = 'grant_type=client_credentials&client_id=x&client_secret=y',
  ): Promise<string[]> => {
    const { options, errors } = fixture();
    const host = await start({ options: { ...options, ...more } });
    const { status, json } = await new Client(host.base).post('/oauth/token', form);
    expect([status, json['error_description']]).toEqual([500, 'The server could not handle this request.']);
    return errors.map(String);
  };

  test('an invalid owner from options.users is reported to onError, and not to the caller', async () => {
    const client = { client_id: 'x', client_secret: 'y', grant_types: ['password'], scope: 'profile' };
    const form = 'grant_type=password&client_id=x&client_secret=y&username=a&password=b';
    const SENTENCE =
      'options.users.authenticate must return an object with a sub, such as { sub: String(user.id) }, or nothing if the user is not signed in.';
    const directory = (found: unknown) => ({
      grants: ['password'],
      clients: [client],
      users: { authenticate: () => found },
    });
    for (const [found, expected] of [
      [true, `${SENTENCE} It returned a boolean.`],
      [{ id: 5, name: 'secret' }, `${SENTENCE} It returned an object with id, name.`],
      [[], `${SENTENCE} It returned an array.`],
      [
        { sub: 5 },
        'The sub of an owner must be a non-empty string. options.users.authenticate returned a number; use String(user.id).',
      ],
      [
        { sub: '' },
        'The sub of an owner must be a non-empty string. options.users.authenticate returned an empty string; use String(user.id).',
      ],
      [{ sub: 'client:x' }, 'The sub of an owner must not begin with client:, which is reserved for clients.'],
      [{ sub: 'a', username: 5 }, 'The username of an owner must be a string or absent.'],
    ] as const) {
      expect(await complaintAbout(directory(found), form)).toEqual([`TypeError: ${expected}`]);
    }
  });
});
