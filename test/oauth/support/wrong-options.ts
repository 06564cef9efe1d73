import { customGrant } from '../../../src/core/index.js';
import { customModule, defineModule } from '../../../src/core/query/index.js';
import { memoryStore } from '../../../src/stores/memory.js';
import { NO_URIS } from './spellings.js';

const web = { client_id: 'web', client_secret: 'secret', redirect_uris: ['https://app.example/cb'] };
const spa = { client_id: 'spa', redirect_uris: ['https://app.example/cb'] };

/** Options with this one, once for each of its values. */
const each = (name: string, values: readonly unknown[]): readonly object[] =>
  values.map((given) => ({ [name]: given }));

/** The same for an option below another one. */
const below = (parent: string, name: string, values: readonly unknown[]): readonly object[] =>
  each(
    parent,
    values.map((given) => ({ [name]: given })),
  );

const clients = (registrations: readonly unknown[]): readonly object[] =>
  registrations.map((client) => ({ scopes: { read: 'Read', write: 'Write' }, clients: [client] }));

const users = (all: readonly unknown[]): readonly object[] => all.map((user) => ({ users: [user] }));

const alice = { username: 'alice', password: 'wonderland' };

/** What a store had to have until 0.2. */
const OLD_STORE = { add: Date.now, get: Date.now, delete: Date.now };

const site = (name: string, values: readonly unknown[]): readonly object[] =>
  each('query', below('site', name, values));

const parameter = (given: unknown): object =>
  customModule(
    { ...fruits, parameters: { limit: given } } as unknown as typeof fruits, // From JavaScript it may be anything.
    () => [],
  );

const fruits = defineModule({ name: 'fruits', group: 'list', prefix: 'fr', parameters: {} });

/** Bounds that are written in the documents too. */
const BOUNDS = {
  lifetimes: {
    authorizationCode: [1, 600],
    accessToken: [1, 31_536_000],
    refreshTokenIdle: [1, 315_360_000],
    refreshTokenAbsolute: [1, 315_360_000],
    refreshGrace: [0, 60],
    codeReplayTolerance: [0, 60],
    deviceCode: [60, 1800],
    session: [60, 2_592_000],
    rememberedConsent: [0, 315_360_000],
  },
} as const;

const outOfBounds = Object.entries(BOUNDS).flatMap(([group, options]) =>
  Object.entries(options).flatMap(([name, [min, max]]) => below(group, name, [min - 1, max + 1, min + 0.5, NaN, '60'])),
);

/** Invalid options of `oauthQuery`. The snapshot next to the test has their messages. */
export const WRONG_OPTIONS: Readonly<Record<string, readonly object[]>> = {
  'names that no option has': [
    { isuer: 'https://example.org' },
    { refreshGrace: 5 },
    { constructor: 1 },
    { 'two words': 1 },
    { query: { sandboxx: true } },
    { query: { module: {} } },
    { query: { site: { nmae: 'Fruit' } } },
    { query: { site: { namespaces: { 100: { title: 'Portal' } } } } },
    { query: { site: { interwiki: { de: { address: 'https://de.example/$1' } } } } },
    { query: { modules: { allpage: () => [] } } },
    { query: { modules: { fruits: () => [] } } },
    { query: { languages: { de: { autonym: 'Deutsch', direction: 'ltr' } } } },
    { query: { customModules: [{ ...customModule(fruits, () => []), name: 'fruits' }] } },
    { query: { customModules: [parameter({ type: 'limit', maximum: 5 })] } },
    { scopes: { read: { description: 'x', right: [] } } },
    { paths: { tokenz: '/t' } },
    { lifetimes: { code: 60 } },
    ...clients([
      { ...web, redirect_uri: 'x' },
      { ...web, grants: ['authorization_code'] },
      { ...web, clientName: 'Web' },
      { clientId: 'web', redirectUris: [] },
      { client_id: 'robot', client_secret: undefined },
    ]),
  ],
  'grants of the host': [
    {
      features: [customGrant('urn:x:y', { handle: () => ({}) })],
      clients: [{ ...web, grant_types: ['urn:x:z'] }],
    },
  ],
  'names of earlier versions': [
    { clock: () => 0 },
    { policy: { requirePkce: true } },
    { customGrants: {} },
    { accessTokens: { format: 'jwt' } },
    { rights: () => [] },
    { pages: {} },
    { query: { origins: [] } },
    { query: { mcp: {} } },
    { query: { sandbox: false } },
  ],
  'conditions and functions': [
    ...each('requirePkce', ['false', 0, null]),
    ...each('allowLocalhostRedirects', [1]),
    ...each('validateGrant', ['x']),
    ...below('query', 'rights', ['x']),
    ...each('runtime', [5, null, 'x', Date.now]),
    ...below('runtime', 'clock', ['x', null]),
    ...below('runtime', 'random', ['x']),
    ...below('runtime', 'timer', [5]),
    ...['onEvent', 'onError', 'onWarning', 'owner'].map((name) => ({ [name]: 'x' })),
  ],
  store: each('store', [
    {},
    'redis://localhost',
    new Map(),
    Promise.resolve({}),
    { add: true, swap: true, get: true, delete: true },
    OLD_STORE,
    memoryStore,
  ]),
  issuer: each('issuer', [
    5,
    '',
    {},
    null,
    'ws://example.org',
    'urn:example',
    'https://EXAMPLE.org',
    'https://example.org:443',
    ' https://example.org',
    'https:example.org',
    'https://example.org/a/..',
    'https://example.org\n',
    'https://example.org/ä',
  ]),
  secret: each('secret', [undefined, '', 'too short', 5, null, [''], ['x'.repeat(32), 'short'], [undefined], []]),
  'white space around a secret': [
    ...['\n', '\u00a0'].flatMap((space) => [
      { secret: 'x'.repeat(32) + space },
      { secret: space + 'x'.repeat(32) },
      { secret: ['y'.repeat(32), 'x'.repeat(32) + space] },
    ]),
  ],
  'a secret that is that of a client': [
    { secret: "client_secret: { sha256: '47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU' }" },
  ],
  scopes: [
    ...each('scopes', [['profile'], 'profile', 5, null]),
    ...each('scopes', [{ 'two words': 'x' }, { 'a"b': 'x' }, { 'a\\b': 'x' }, { ä: 'x' }, { '': 'x' }]),
    ...below('scopes', 'read', ['', undefined, null, 5, {}, { description: '' }, { description: 5 }]),
    ...below('scopes', 'photos.read', [
      { description: 'x', rights: 'apihighlimits' },
      { description: 'x', rights: [5] },
      { description: 'x', implies: 'photos.write' },
      { description: 'x', implies: [''] },
      { description: 'x', implies: ['unlike-all-others'] },
      { description: 'x', implies: ['photos.reed'] },
      { description: 'x', implies: ['photos.read'] },
    ]),
    {
      scopes: {
        top: { description: 'x', implies: ['a'] },
        a: { description: 'x', implies: ['b'] },
        b: { description: 'x', implies: ['c'] },
        c: { description: 'x', implies: ['a'] },
      },
    },
    ...['introspect', 'offline_access'].map((special) => ({
      scopes: { admin: { description: 'x', implies: [special] }, [special]: 'x' },
    })),
  ],
  resources: [
    ...each('resources', ['https://api.example', 5, null]),
    ...each('resources', [['api'], [''], ['https://api.example', 'https://api.example#x'], [5], ['/api']]),
    { resources: { '/mcp': {} } },
    ...[
      'mcp',
      'localhost:3000/mcp',
      'http://api.example',
      'urn:example:api',
      'https://API.example/mcp',
      'https://api.example:443',
      'https://api.example/a/../b',
      'https://api.example/mcp?x=1',
      'https://api.example/mcp#x',
      'https://api.example/m%63p',
      'https://user@api.example',
      '//evil.example/mcp',
      '/mcp?x=1',
      '/:id',
      '/a//../b',
      '',
    ].map((name) => ({ issuer: 'https://example.org', resources: { [name]: {} } })),
    ...['/mcp', 'https://example.org/mcp'].map((name) => ({
      issuer: 'https://example.org/auth',
      resources: { '/a': {}, '/mcp': {}, 'https://example.org/mcp': {}, [name]: {} },
    })),
    { issuer: 'https://example.org', resources: { 'https://example.org': {}, '/': {} } },
    ...[
      5,
      null,
      { scopes: 'read' },
      { scopes: [5] },
      { scopes: ['raed'] },
      { scopes: ['unlike-all-others'] },
      { scopes: ['offline_access'] },
      { name: '' },
      { documentation: 'docs.example' },
      { documentation: 'http://docs.example' },
      { scope: ['read'] },
    ].map((definition) => ({
      issuer: 'https://example.org',
      scopes: { read: 'Read', offline_access: 'Stay signed in' },
      resources: { '/mcp': definition },
    })),
  ],
  grants: each('grants', ['password', ['password'], ['code'], ['authorization_code', 5]]),
  query: [
    ...each('query', ['x', 5, true, null, []]),
    ...below('query', 'private', ['no', 0, null]),
    ...below('query', 'unanswered', ['ignore', true]),
    ...below('query', 'timeout', [0, 2_147_483_648]),
    ...below('query', 'cors', [
      {},
      ...['https://a.example', ['https://a.example/'], ['https://A.example'], [5], [''], ['a.example/x']],
    ]),
    ...below('query', 'resolvePages', [[], {}]),
    ...below('query', 'modules', [[], 'allpages', { allpages: 5 }, { siteinfo: { handler: () => ({}) } }]),
    ...below('query', 'customModules', [
      fruits,
      [fruits],
      [{ descriptor: fruits }],
      [{ descriptor: { ...fruits, group: 'lists' }, handler: () => [] }],
      [{ descriptor: { ...fruits, generator: false }, handler: () => [] }],
      [parameter('limit')],
      [parameter({ type: 'number' })],
      [parameter({ multi: true })],
      [parameter({ type: 'limit', max: '500' })],
      [parameter({ type: 'limit', max: 5, highmax: 1 })],
      [customModule({ ...fruits, name: 'allpages' }, () => [])],
      [customModule({ ...fruits, prefix: 'ap', parameters: { limit: { type: 'limit' } } }, () => [])],
    ]),
    ...below('query', 'languages', [
      ['de'],
      { de: 'Deutsch' },
      { de: {} },
      { de: { autonym: 'Deutsch', dir: 'left' } },
    ]),
    ...below('query', 'path', ['api', '/a b', [], 5]),
  ],
  'the site': [
    ...each('query', each('site', ['Fruit', null, []])),
    ...site('name', [5, '']),
    ...site('mainPage', ['', '[[Main]]', 'Cafe\u0301', 'Main\uffff']),
    ...site('language', [['en'], 'en|de', 'en\u0000', 'en_US', 'English (US)']),
    ...site('server', ['example.org', 'https://example.org/', 5]),
    ...site('articlePath', ['/wiki/', 5]),
    ...site('namespaces', [['Portal'], { 100: 5 }, { 100: '' }, { Portal: 'Portal' }, { [-5]: 'Odd' }, { 1.5: 'Odd' }]),
    ...site('namespaces', [{ 100: { name: 'Portal', case: 'upper' } }, { 100: { name: 'Portal', content: 'yes' } }]),
    ...site('interwiki', [['de'], { de: 'https://de.example/' }, { de: {} }, { de: { url: 'https://de.example/' } }]),
    ...site('groups', [['bot'], { bot: 'edit' }, {}]),
    ...site('temporaryAccounts', [true, 'temp', '$1', '$1-$1']),
    ...site('statistics', [{ pages: '37' }, { pages: -1 }]),
    ...site('rightsInfo', ['CC0', { url: 5 }, { link: 'https://example.org' }]),
  ],
  'access tokens': [...each('jwt', ['x', null, false, {}, true])],
  'who signs people in': [
    { owner: () => undefined },
    { loginUrl: '/login' },
    ...each('loginUrl', [
      '',
      5,
      {},
      'login',
      'login.example/x',
      '//login.example',
      'https:login',
      'ftp://login.example',
    ]).map((options) => ({ owner: () => undefined, ...options })),
    { owner: () => undefined, loginUrl: '/login', users: [] },
    { issuer: 'https://example.org', owner: () => undefined, loginUrl: 'https://other.example/login' },
    ...each('users', ['alice', 5, {}, null, { authenticate: true }]),
    { users: { authenticate: () => undefined, isActive: true } },
    ...users([{}, { username: '' }, { username: 5 }, null, 'alice']),
    ...users(
      [
        undefined,
        '',
        5,
        null,
        {},
        { scrypt: 5 },
        { scrypt: 'x' },
        { scrypt: `${'A'.repeat(22)}.${'A'.repeat(43)}.x` },
        { sha256: 'x' },
      ].map((password) => ({ ...alice, password })),
    ),
    ...users([5, '', {}].map((sub) => ({ ...alice, sub }))),
    ...users([
      { ...alice, user: 'x' },
      { ...alice, Sub: 'alice' },
      { ...alice, mail: 'alice@example.org' },
      { username: 'alice', passwort: 'x' },
      { username: 'alice', password: { scrpyt: 'x' } },
    ]),
    ...users([
      { ...alice, sub: 'client:web' },
      { ...alice, username: 'client:x' },
    ]),
    { users: [alice, { ...alice, password: 'other' }] },
  ],
  paths: [
    ...each('paths', ['/oauth', null]),
    ...below('paths', 'token', [
      5,
      [],
      'token',
      '',
      '/',
      '/:tenant/token',
      '/token?x=1',
      '/to%20ken',
      '/*',
      [5],
      ['/token', 'token'],
      '/oauth/authorize',
    ]),
    { paths: { revoke: ['/a', '/a'] } },
  ],
  'lifetimes and limits': [...each('lifetimes', [3600]), ...outOfBounds],
  addresses: each('sharedAddresses', [
    '192.0.2.1',
    ['school'],
    ['192.0.2.0/33'],
    ['::1/129'],
    ['192.0.2.0/8/8'],
    ['fe80::1%eth0'],
  ]),
  'a number': [...each('timeout', [9, 600_001, 10.5, '60'])],
  template: [...each('template', ['mine', { login: () => '' }])],
  cors: [
    ...each('cors', [null, {}, '*', 'https://a']),
    ...each(
      'cors',
      ['https://app.example/', 'https://app.example/x', 'app.example', 'null', '', 5, 'https://APP.example'].map(
        (origin) => [origin],
      ),
    ),
    ...each('cors', [['https://app.example:443'], ['*.example']]),
  ],
  clients: [
    ...each('clients', ['web', 5, {}, { find: true }, null, [null], [web, web]]),
    ...clients([{}, { client_id: '' }, { client_id: 5 }, { client_id: 'a\nb' }, { client_id: 'é' }]),
    ...clients(['client_name', 'scope', 'default_scope'].map((name) => ({ ...web, [name]: 5 }))),
    ...clients(
      ['redirect_uris', 'grant_types', 'code_challenge_methods'].flatMap((name) =>
        ['x', [5], {}].map((given) => ({ ...web, [name]: given })),
      ),
    ),
    ...clients(['require_pkce', 'introspect', 'disabled'].map((name) => ({ ...web, [name]: 'yes' }))),
    ...clients([5, [5]].map((audience) => ({ ...web, audience }))),
    ...clients([
      { client_id: 'tv' },
      { ...web, grant_types: ['code'] },
      { ...web, scope: 'read  write' },
      { ...web, scope: 'read admin' },
      { ...web, default_scope: ' read' },
      { ...web, scope: 'read', default_scope: 'write' },
      { ...web, token_endpoint_auth_method: 'basic' },
      { ...web, token_endpoint_auth_method: 'none' },
      { ...spa, token_endpoint_auth_method: 'client_secret_basic' },
      { ...web, code_challenge_methods: [] },
      { ...web, code_challenge_methods: ['s256'] },
      { ...web, code_challenge_methods: ['S256', 'x'] },
      { ...web, refresh: true },
      { ...spa, refresh: 'reusable' },
      { ...spa, grant_types: ['authorization_code', 'refresh_token'] },
      { client_id: 'x', grant_types: ['client_credentials'] },
      { client_id: 'x', grant_types: ['device_code'], introspect: true },
      { client_id: 'x', grant_types: ['authorization_code'] },
      { client_id: 'x', grant_types: ['implicit'] },
    ]),
  ],
  'users whose names are typed alike': ['Alice', ' alice', '\uff21lice'].map((username) => ({
    users: [
      { username: 'alice', password: 'x' },
      { username, password: 'y' },
    ],
  })),
  'a password that cannot be typed': ['secret\n', '\u0000secret'].map((password) => ({
    users: [{ username: 'alice', password }],
  })),
  'client secrets and keys': clients([
    ...[
      undefined,
      '',
      'from a file\n',
      [],
      ['x', ''],
      5,
      null,
      true,
      { value: 5 },
      {},
      { value: 'x', sha256: 'y' },
    ].map((client_secret) => ({ ...web, client_secret })),
    { ...web, client_secret: { value: 'x', expires_at: 5 } },
    ...['2030-01-01', NaN, new Date(0), 1_893_456_000].map((expiresAt) => ({
      ...web,
      client_secret: { value: 'x', expiresAt },
    })),
    ...[{ sha256: 'x' }, { scrypt: 'x' }, { scrypt: 5 }].map((client_secret) => ({ ...web, client_secret })),
    ...['x', {}, { keys: [] }, { keys: ['x'] }, { keys: [{ kty: 'oct' }] }, { keys: [{ kty: 'EC', d: 'x' }] }].map(
      (jwks) => ({ ...spa, jwks }),
    ),
    { ...web, token_endpoint_auth_method: 'private_key_jwt' },
    { ...web, jwks: { keys: [{ kty: 'EC' }] }, token_endpoint_auth_method: 'private_key_jwt' },
    ...[
      { kty: 'EC' },
      { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' },
      { kty: 'OKP', crv: 'X25519', x: 'x'.repeat(43) },
    ].map((key) => ({ client_id: 'x', jwks: { keys: [key] }, grant_types: ['client_credentials'] })),
  ]),
  'redirect URIs': clients(
    [
      '',
      '/cb',
      'https://app.example/c b',
      'https://app.example/cb#x',
      'https://*.example/cb',
      'https://user@app.example/cb',
      'https://@app.example/cb',
      'https://',
      'http://app.example/cb',
      'http://127.0.0.1:0/cb',
      'https://app.example/cb?code=1',
      'javascript:x',
    ].map((uri) => ({ ...web, redirect_uris: [uri] })),
  ),
  'URIs of a client': clients([
    ...NO_URIS.map((uri) => ({ ...web, redirect_uris: [uri] })),
    ...[
      { post_logout_redirect_uris: [NO_URIS[0]] },
      { client_uri: NO_URIS[0] },
      { backchannel_logout_uri: NO_URIS[0] },
    ].map((fields) => ({ ...web, ...fields })),
  ]),
  branding: [
    ...each('branding', [7, { nam: 'Orchard' }]),
    ...below('branding', 'name', ['', 7]),
    ...below('branding', 'logo', [
      'javascript:alert(1)',
      'data:text/html,x',
      '//cdn.example/logo.png',
      'http://example.org/a.png',
    ]),
    ...below('branding', 'color', ['red', '#12345', '#ffcc00', { light: '#2350c5', dark: '#2350c5' }]),
    ...below('branding', 'links', [{ imprint: '/imprint' }, { privacy: 'javascript:alert(1)' }, { help: 'help' }]),
  ],
  languages: each('languages', [
    'de',
    [],
    ['de'],
    { default: 'de' },
    [{ locale: 'de_DE', texts: {} }],
    [{ locale: 'de' }],
  ]),
  metadata: each('metadata', [
    7,
    [],
    { x: undefined },
    { x: () => 1 },
    { x: NaN },
    ...['issuer', 'token_endpoint', 'signed_metadata'].map((name) => ({ [name]: 'https://evil.example' })),
  ]),
};
