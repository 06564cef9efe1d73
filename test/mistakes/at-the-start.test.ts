import { createServer } from 'node:http';
import express from 'express';
import { storedClients } from 'oauth-query/clients';
import { oauthQuery, remoteGuard } from 'oauth-query/express';
import { oauthQuery as forFetch } from 'oauth-query/fetch';
import { introspectionVerifier, jwtVerifier } from 'oauth-query/guard';
import { oauthQuery as forNode } from 'oauth-query/node';
import { query } from 'oauth-query/query';
import { memoryStore } from 'oauth-query/stores/memory';
import { openStore } from 'oauth-query/stores/open';
import { postgresStore } from 'oauth-query/stores/postgres';
import { redisStore } from 'oauth-query/stores/redis';
import { afterEach, expect, test, vi } from 'vitest';
import { everyRow } from '../rows.js';

const SECRET = 'a secret of the test that has 32 characters';
const web = { client_id: 'web', client_secret: 'secret', redirect_uris: ['https://app.example/cb'] };
const scopes = { 'photos.read': 'See your photos' };

afterEach(() => vi.unstubAllGlobals());

/** Mistakes that the compiler finds in TypeScript, as JavaScript makes them. */
const build = (options: object): unknown => oauthQuery({ onWarning: () => undefined, ...options });
const client = (fields: object): unknown => build({ scopes, clients: [fields] });

/** What is done wrong, the code, what the sentence names, and the mistake. */
type Row = readonly [title: string, code: string, names: RegExp, mistake: () => unknown];

const ERRORS: readonly Row[] = [
  // Options
  ['a misspelled option', 'OQ101', /options\.scope is unknown.*options\.scopes/, () => build({ scope: scopes })],
  ['an option one level too high', 'OQ101', /options\.lifetimes\.accessToken/, () => build({ accessToken: 60 })],
  ['an option of 0.2', 'OQ111', /options\.pages is now options\.template,/, () => build({ pages: {} })],
  ['an unset environment variable', 'OQ102', /options\.secret.*environment/, () => build({ secret: undefined })],
  ['a short secret', 'OQ100', /32.*openssl rand/, () => build({ secret: 'short' })],
  ['no secret in the list', 'OQ100', /empty list/, () => build({ secret: [] })],
  [
    'the registration of a client secret as the secret of the server',
    'OQ110',
    /options\.secret.*client secret.*secret --raw/,
    () => build({ secret: "client_secret: { sha256: '47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU' }" }),
  ],
  ['an issuer without scheme', 'OQ100', /options\.issuer.*absolute URL/, () => build({ issuer: 'example.org' })],
  ['an issuer with http', 'OQ100', /https:\/\/.*loopback/, () => build({ issuer: 'http://example.org' })],
  ['an issuer with a slash at the end', 'OQ100', /slash/, () => build({ issuer: 'https://example.org/' })],
  ['an issuer with capitals', 'OQ100', /https:\/\/example\.org/, () => build({ issuer: 'https://Example.org' })],
  ['an issuer with a query', 'OQ100', /query/, () => build({ issuer: 'https://example.org?a=1' })],
  ['a lifetime in text', 'OQ100', /whole number of seconds/, () => build({ lifetimes: { accessToken: '1h' } })],
  ['a lifetime in milliseconds', 'OQ100', /seconds/, () => build({ lifetimes: { session: 86_400_000 } })],
  ['scopes as a list', 'OQ100', /options\.scopes.*object/, () => build({ scopes: ['photos.read'] })],
  ['a scope with a space', 'OQ100', /space/, () => build({ scopes: { 'read write': 'Both' } })],
  ['clients as an object', 'OQ100', /options\.clients.*array/, () => build({ clients: { web } })],
  ['an unknown grant', 'OQ100', /options\.grants/, () => build({ grants: ['code'] })],
  ['a grant without what it needs', 'OQ112', /options\.users/, () => build({ grants: ['password'] })],
  ['cors with a path', 'OQ100', /origin/, () => build({ cors: ['https://app.example/'] })],
  ['cors as a text', 'OQ100', /options\.cors/, () => build({ cors: 'https://app.example' })],
  ['two endpoints with one path', 'OQ100', /both/, () => build({ paths: { token: '/a', revoke: '/a' } })],
  ['a path without a slash', 'OQ100', /options\.paths\.token/, () => build({ paths: { token: 'token' } })],
  ['JWTs without an issuer', 'OQ112', /options\.issuer/, () => build({ jwt: true })],
  ['the format of tokens of 0.2', 'OQ111', /options\.jwt/, () => build({ accessTokens: { format: 'jwt' } })],
  [
    'a key that is none',
    'OQ100',
    /options\.jwt\[0\].*PKCS#8/,
    () => build({ issuer: 'https://example.org', jwt: [{ key: 'x' }] }),
  ],
  [
    'a resource without a slash',
    'OQ100',
    /absolute URL.*or a path such as "\/mcp"/,
    () => build({ issuer: 'https://example.org', resources: { mcp: {} } }),
  ],
  [
    'a guard of an unknown resource',
    'OQ100',
    /options\.resources does not describe "\/nope"/,
    () => oauthQuery({ issuer: 'https://example.org', onWarning: () => undefined }).guard([], { resource: '/nope' }),
  ],
  ['a listener that is none', 'OQ100', /options\.onEvent/, () => build({ onEvent: true })],
  ['query as an object of options', 'OQ100', /query\(\{\}\)/, () => build({ query: {} })],
  ['a misspelled option of query', 'OQ101', /Did you mean/, () => query({ modlues: {} } as never)],
  // Stores
  ['a store without await', 'OQ103', /options\.store.*await/, () => build({ store: openStore('memory:') })],
  ['the function that makes a store', 'OQ100', /memoryStore\(\)/, () => build({ store: memoryStore })],
  ['a Map as the store', 'OQ100', /add, swap, get and delete/, () => build({ store: new Map() })],
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
  [
    'its own options: a table with a capital',
    'OQ100',
    /table.*"Oauth"/,
    () => postgresStore({ query: vi.fn(), table: 'Oauth' }),
  ],
  // Sign-in
  ['owner without loginUrl', 'OQ112', /options\.loginUrl/, () => build({ owner: () => undefined })],
  ['loginUrl without owner', 'OQ112', /options\.owner/, () => build({ loginUrl: '/login' })],
  [
    'owner and users',
    'OQ112',
    /exclude each other/,
    () => build({ owner: () => undefined, loginUrl: '/login', users: [] }),
  ],
  [
    'loginUrl without a slash',
    'OQ100',
    /options\.loginUrl.*\/login/,
    () => build({ owner: () => undefined, loginUrl: 'login' }),
  ],
  [
    'loginUrl on another host',
    'OQ109',
    /other\.example.*only a path.*function/,
    () => build({ issuer: 'https://example.org', owner: () => 0, loginUrl: 'https://other.example/login' }),
  ],
  ['a user without a password', 'OQ102', /password/, () => build({ users: [{ username: 'alice' }] })],
  [
    'two users with one name',
    'OQ100',
    /twice/,
    () => build({ users: ['a', 'b'].map((sub) => ({ sub, username: 'alice', password: 'wonderland' })) }),
  ],
  // Clients
  ['the names of another library', 'OQ108', /clientId.*client_id/, () => client({ clientId: 'web', redirectUris: [] })],
  ['a misspelled field', 'OQ108', /Did you mean redirect_uris/, () => client({ ...web, redirectUris: [] })],
  ['a client without an id', 'OQ108', /client_id/, () => client({})],
  ['one client twice', 'OQ108', /"web" is registered twice/, () => build({ clients: [web, web] })],
  ['an unset client secret', 'OQ108', /environment/, () => client({ ...web, client_secret: undefined })],
  ['an http redirect URI', 'OQ108', /https/, () => client({ ...web, redirect_uris: ['http://app.example/cb'] })],
  [
    'an unset client secret of a program',
    'OQ108',
    /client_secret is undefined.*environment/,
    () => client({ client_id: 'robot', client_secret: undefined }),
  ],
  ['a wildcard', 'OQ108', /wildcard/, () => client({ ...web, redirect_uris: ['https://*.example/cb'] })],
  ['a fragment', 'OQ108', /fragment/, () => client({ ...web, redirect_uris: ['https://app.example/#cb'] })],
  ['redirect_uris as text', 'OQ108', /array/, () => client({ ...web, redirect_uris: 'https://app.example/cb' })],
  ['a scope that is not declared', 'OQ108', /options\.scopes/, () => client({ ...web, scope: 'photos.write' })],
  [
    'a public client that acts for itself',
    'OQ108',
    /client_credentials/,
    () => client({ client_id: 'app', grant_types: ['client_credentials'] }),
  ],
  [
    'a public client that introspects',
    'OQ108',
    /introspect/,
    () => client({ client_id: 'app', redirect_uris: web.redirect_uris, introspect: true }),
  ],
  ['a client that can request nothing', 'OQ108', /redirect_uris/, () => client({ client_id: 'app' })],
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

/** The codes and sentences of warnings at the start. */
const warningsOf = (options: object): readonly string[] => {
  const warnings: string[] = [];
  const oauth = oauthQuery({
    issuer: 'https://example.org',
    secret: SECRET,
    clients: [],
    store: memoryStore(),
    ...options,
    onWarning: (sentence, code) => warnings.push(`${code} ${sentence}`),
  });
  oauth.guard('photos.raed');
  return warnings;
};

const BASE = { scopes: { 'photos.raed': 'Declared as it is guarded' } };

const WARNINGS: readonly (readonly [title: string, code: string, names: RegExp, options: object])[] = [
  ['no clients', 'OQ201', /clients/, { ...BASE, clients: undefined }],
  ['no store in production', 'OQ202', /options\.store/, { ...BASE, store: undefined }],
  ['clients that need a sign-in', 'OQ203', /options\.users/, { ...BASE, clients: [{ ...web, client_secret: SECRET }] }],
  [
    'a secret that can be guessed',
    'OQ204',
    /oauth-query secret/,
    { ...BASE, clients: [{ client_id: 'a', client_secret: 'b' }] },
  ],
  [
    'a scope in one of four languages',
    'OQ206',
    /translations/,
    { scopes: { 'photos.raed': { description: 'x', translations: { de: 'y' } } } },
  ],
  ['the implicit grant', 'OQ207', /implicit/, { ...BASE, grants: ['implicit'] }],
  ['a guard with a misspelled scope', 'OQ208', /Did you mean "photos\.read"/, { scopes }],
];

test(`${WARNINGS.length} mistakes that do not stop the start: each is reported once, with its code`, () =>
  everyRow(WARNINGS, ([, code, names, options]) => {
    const warnings = warningsOf(options);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(new RegExp(`^${code} .*\\(${code}\\)$`));
    expect(warnings[0]).toMatch(names);
  }));
