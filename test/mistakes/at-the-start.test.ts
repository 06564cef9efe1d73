import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import express from 'express';
import { createPool } from 'mysql2/promise';
import { storedClients } from 'oauth-query/clients';
import { contentQuery } from 'oauth-query/content';
import { markdownFolder } from 'oauth-query/content/markdown';
import { ContentDatabase } from 'oauth-query/content/mediawiki-export';
import { oauthQuery, remoteGuard } from 'oauth-query/express';
import { oauthQuery as forFetch } from 'oauth-query/fetch';
import { introspectionVerifier, jwtVerifier } from 'oauth-query/guard';
import { mcp } from 'oauth-query/mcp';
import { oauthQuery as forNode } from 'oauth-query/node';
import { openApi } from 'oauth-query/openapi';
import { query } from 'oauth-query/query';
import { sandbox } from 'oauth-query/sandbox';
import { memoryStore } from 'oauth-query/stores/memory';
import { mysqlStore } from 'oauth-query/stores/mysql';
import { openStore } from 'oauth-query/stores/open';
import { postgresStore } from 'oauth-query/stores/postgres';
import { redisStore } from 'oauth-query/stores/redis';
import { sqliteStore } from 'oauth-query/stores/sqlite';
import { Pool } from 'pg';
import { createClient } from 'redis';
import { afterEach, expect, test, vi } from 'vitest';
import { hashSecret } from '../../src/core/index.js';
import { CLIENT_FIELDS } from '../../src/core/oauth/clients/client-fields.js';
import { SERVER_OPTIONS } from '../../src/core/server/options/server-table.js';
import { everyRow } from '../rows.js';

const PAIR = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const PKCS8 = { type: 'pkcs8', format: 'pem' } as const;
const PEM = String(PAIR.privateKey.export(PKCS8));
const SECRET = 'a secret of the test that has 32 characters';

afterEach(() => vi.unstubAllGlobals());

/** Mistakes that the compiler finds in TypeScript, as JavaScript makes them. Wrong values of options are in `oauth/facts/options.test.ts`. */
const build = (options: object): unknown => oauthQuery({ onWarning: () => undefined, ...options });

const unexpected = (sentence: string): never => {
  throw new Error(`A warning: ${sentence}`);
};

/** What is done wrong, the code, what the sentence names, and the mistake. */
type Row = readonly [title: string, code: string, names: RegExp, mistake: () => unknown];

const ERRORS: readonly Row[] = [
  [
    'a guard of an unknown resource',
    'OQ100',
    /options\.resources does not describe "\/nope"/,
    () => oauthQuery({ issuer: 'https://example.org', onWarning: () => undefined }).guard.any({ resource: '/nope' }),
  ],
  ...([undefined, [], '', ' ', ['']] as never[]).map((scope): Row => [
    `a guard of ${JSON.stringify(scope)}`,
    'OQ107',
    /guard\.any\(\)/,
    () => forNode({ onWarning: () => undefined }).guard(scope),
  ]),
  ...(['audience', 'resource', 'acr', 'maxAge', 'dpop'] as const).map((name): Row => [
    `a guard whose ${name} is undefined`,
    'OQ102',
    new RegExp(`options\\.${name} is undefined`),
    () => forNode({ onWarning: () => undefined }).guard.any({ [name]: undefined } as never),
  ]),
  ...(['audience', 'acr'] as const).map((name): Row => [
    `a guard whose ${name} is empty`,
    'OQ100',
    /empty list/,
    () => forNode({ onWarning: () => undefined }).guard('a', { [name]: [] }),
  ]),
  ['query as an object of options', 'OQ111', /features: \[query\(/, () => build({ query: {} })],
  ...[mcp(), openApi(), sandbox()].map((feature): Row => [
    'a feature that needs the query API, without it',
    'OQ100',
    /needs query\. Add query\(\{ … \}\) of oauth-query\/query to the list/,
    () => build({ features: [feature] }),
  ]),
  ...['extensions', 'mcp', 'sandbox'].map((name): Row => [
    `query: options.${name}`,
    'OQ111',
    /is now .*features: \[query\(\{ … \}\), (mcp|sandbox)\(\)/,
    () => query({ [name]: [mcp()] } as never),
  ]),
  [
    'its own options: content without await',
    'OQ103',
    /contentQuery\(await/,
    () => contentQuery(markdownFolder(import.meta.dirname) as never),
  ],
  [
    'a handler that is undefined',
    'OQ102',
    /modules\.allpages is undefined/,
    () => query({ modules: { allpages: undefined } as never }),
  ],
  // Sign-in, secrets and keys
  ...(
    [
      ['$2b$10$' + 'N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy', /bcrypt.*hashSecret.*authenticate/],
      ['$argon2id$v=19$m=65536,t=3,p=4$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA', /Argon2.*authenticate/],
      [hashSecret('wonderland'), /\{ scrypt \}/],
    ] as const
  ).flatMap(([hash, names]): Row[] => [
    [
      `the hash ${hash.slice(0, 8)}… as a password`,
      'OQ100',
      names,
      () => build({ users: [{ username: 'alice', password: hash }] }),
    ],
    [
      `the hash ${hash.slice(0, 8)}… as a client_secret`,
      'OQ108',
      /client_secret is a hash.*\{ scrypt \}/,
      () => build({ clients: [{ client_id: 'api', client_secret: hash }] }),
    ],
  ]),
  ...(
    [
      [PEM.replaceAll('\n', '\\n'), /replaceAll/],
      [Buffer.from(PEM).toString('base64'), /base64 of a PEM/],
      [PAIR.privateKey.export({ ...PKCS8, cipher: 'aes-256-cbc', passphrase: 'x' }), /encrypted.*passphrase/],
      [PAIR.publicKey.export({ type: 'spki', format: 'pem' }), /public key/],
      [SECRET, /not with a shared secret.*oauth-query key/],
      [PEM.slice(0, 100), /complete/],
    ] as const
  ).map(([key, names]): Row => [
    `a key: ${names.source}`,
    'OQ100',
    new RegExp(`options\\.jwt\\[0\\].*${names.source}`),
    () => build({ issuer: 'https://example.org', jwt: [{ key }] }),
  ]),
  ...['/oauth/authorize', 'https://example.org/auth/oauth/authorize?x=y'].map((loginUrl): Row => [
    'an endpoint of the server as loginUrl',
    'OQ100',
    /loginUrl.*endpoint of this server.*\/login/,
    () =>
      build({
        issuer: loginUrl.startsWith('/') ? 'https://example.org' : 'https://example.org/auth',
        owner: () => undefined,
        loginUrl,
      }),
  ]),
  // Stores
  [
    'stored clients in a store without await',
    'OQ103',
    /storedClients.*Await/,
    () => storedClients(openStore('memory:') as never),
  ],
  ['stored clients in a Map', 'OQ100', /storedClients.*swap/, () => storedClients(new Map() as never)],
  [
    'stored clients that are cached for an hour',
    'OQ100',
    /0 to 60/,
    () => storedClients(memoryStore(), { cacheSeconds: 3600 }),
  ],
  ['its own options: a memory store of no records', 'OQ100', /max.*not 0/, () => memoryStore({ max: 0 })],
  ['its own options: a Redis store without a client', 'OQ100', /sendCommand/, () => redisStore({} as never)],
  ['its own options: a store without options', 'OQ100', /pass { query:/, () => postgresStore(undefined as never)],
  ['its own options: a pool of PostgreSQL', 'OQ100', /pass { query:/, () => postgresStore(new Pool() as never)],
  ['its own options: a pool of MySQL', 'OQ100', /pass { query:/, () => mysqlStore(createPool({}) as never)],
  ['its own options: a client of Redis', 'OQ100', /pass { client }/, () => redisStore(createClient() as never)],
  [
    'its own options: a file whose name has a line break in it',
    'OQ100',
    /file contains a control character/,
    () => sqliteStore({ file: 'oauth\n.db' }),
  ],
  [
    'its own options: a folder as the file',
    'OQ100',
    /is a folder. Name a file in it, such as .*oauth\.db/,
    () => sqliteStore({ file: import.meta.dirname, onWarning: unexpected }),
  ],
  [
    'its own options: a file of text, which others may read',
    'OQ100',
    /at-the-start\.test\.ts.*not a SQLite database/,
    () => sqliteStore({ file: import.meta.filename, onWarning: unexpected }),
  ],
  [
    'the same of content',
    'OQ100',
    /ContentDatabase: the file contains a control character/,
    () => new ContentDatabase('site\u0007.db'),
  ],
  [
    'the file of content with a line break at its end',
    'OQ100',
    /ContentDatabase: the file begins or ends with white space/,
    () => new ContentDatabase('site.db\n'),
  ],
  ['its own options: the name of a file', 'OQ100', /pass { file:/, () => sqliteStore('oauth.db' as never)],
  ['the URL of a store as the store', 'OQ100', /await openStore\(url\)/, () => build({ store: 'redis://127.0.0.1' })],
  [
    'its own options: a table with a capital',
    'OQ100',
    /table.*"Oauth"/,
    () => postgresStore({ query: vi.fn(), table: 'Oauth' }),
  ],
  [
    'its own options: a file in a folder that does not exist',
    'OQ100',
    /sqliteStore: the file cannot be created: .*'\/no-such-folder\/oauth\.db'.*folder must exist/,
    () => sqliteStore({ file: '/no-such-folder/oauth.db' }),
  ],
  [
    'a description in several languages',
    'OQ100',
    /options\.scopes\.a\.description .*translations/,
    () => build({ scopes: { a: { description: { en: 'See', de: 'Sehen' } } } }),
  ],
  // Mounting
  ['the adapter without a call', 'OQ104', /Call it: app\.use/, () => oauthQuery(express() as never)],
  ['the same on plain Node', 'OQ104', /Call it: createServer/, () => forNode(createServer() as never)],
  ['the same on fetch', 'OQ104', /Call it/, () => forFetch(new Request('http://127.0.0.1') as never)],
  [
    'mounted below a path without an issuer',
    'OQ102',
    /options\.issuer.*\/auth/,
    () => {
      const errors: unknown[] = [];
      const oauth = oauthQuery({ onError: (error) => errors.push(error), onWarning: () => undefined });
      const request = { path: '/oauth/token', baseUrl: '/auth', headers: {}, method: 'POST', url: '/oauth/token' };
      oauth(request as never, { headersSent: true, once: () => 0 } as never, () => undefined);
      throw errors[0];
    },
  ],
  [
    'an old version of Node',
    'OQ106',
    /20\.19.*v18\.20\.0/,
    () => {
      vi.stubGlobal('process', { ...process, getBuiltinModule: undefined, version: 'v18.20.0' });
      return build({});
    },
  ],
  // Guards
  [
    'guard without a call',
    'OQ107',
    /guard\('photos\.read'\)/,
    () => {
      const { guard } = oauthQuery({ onWarning: () => undefined });
      return guard(express.request as never);
    },
  ],
  [
    'an unknown option of a guard',
    'OQ101',
    /audience/,
    () => {
      const { guard } = oauthQuery({ onWarning: () => undefined });
      return guard('photos.read', { audiance: 'x' } as never);
    },
  ],
  [
    'introspectionVerifier without a server',
    'OQ100',
    /issuer|endpoint/,
    () => introspectionVerifier({ credentials: { client_id: 'api', client_secret: SECRET }, audience: 'x' } as never),
  ],
  ['jwtVerifier without an issuer', 'OQ102', /issuer/, () => jwtVerifier({ audience: 'https://example.org' } as never)],
  [
    'remoteGuard with options',
    'OQ107',
    /introspectionVerifier/,
    () => remoteGuard({ issuer: 'https://example.org' } as never),
  ],
];

test('an option that is undefined counts as absent, unless more would be allowed without it', () => {
  const names = Object.keys(SERVER_OPTIONS).filter((name) => name !== 'runtime');
  const refused = names.filter((name) => (thrown(() => build({ [name]: undefined })) as { code?: string }).code);
  expect(refused).toEqual(['secret', 'requirePkce', 'validateGrant']);
  const client = { client_id: 'web', redirect_uris: ['https://app.example/cb'] };
  const fields = Object.keys(CLIENT_FIELDS).filter((name) => !Object.hasOwn(client, name));
  const open = fields.filter(
    (name) => (thrown(() => build({ clients: [{ ...client, [name]: undefined }] })) as { code?: string }).code,
  );
  expect(open).toEqual(['client_secret', 'jwks', 'scope']);
});

const thrown = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    return error;
  } finally {
    vi.unstubAllGlobals();
  }
  return new Error('no error at all');
};

test(`${ERRORS.length} mistakes at the start: each error has its code, and names the option and the remedy`, () =>
  everyRow(ERRORS, ([, code, names, mistake]) =>
    expect(thrown(mistake)).toMatchObject({ code, message: expect.stringMatching(names) }),
  ));

test('the stack begins at the line of the caller', () =>
  everyRow(
    ERRORS.filter(([title]) => !/^(mounted below|the same|remoteGuard|its own options)/.test(title)),
    ([, , , mistake]) => {
      const { stack = '' } = thrown(mistake) as Error;
      expect(/^ +at .*$/m.exec(stack)?.[0]).toContain('at-the-start.test.ts');
    },
  ));
