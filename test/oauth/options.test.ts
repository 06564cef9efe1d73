import { afterAll, describe, expect, it } from 'vitest';
import { oauthQuery as express } from '../../src/adapters/express/index.js';
import { oauthQuery as fastify } from '../../src/adapters/fastify/index.js';
import { oauthQuery as koa } from '../../src/adapters/koa/index.js';
import { hashClientSecret } from '../../src/core/oauth/client-secret.js';
import { Client, oneHostEach, type RunningHost } from '../hosts.js';
import { fixture } from './support/fixture.js';

const QUIET = { onWarning: () => undefined };
const HASH = hashClientSecret('x');
const SECRET = 'a secret of the test that has 32 characters';

/** Options come from JavaScript too, so they may be anything at all. */
const build = (options: object): unknown => express({ ...QUIET, ...options });

/** What a user reads, without the stack. */
const sentence = (make: () => unknown): string => {
  try {
    make();
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
    return error instanceof Error ? error.message : '';
  }
  return 'no sentence at all';
};

const one = (client: object) => ({ scopes: { read: 'Read', write: 'Write' }, clients: [client] });
const web = { client_id: 'web', client_secret: 'secret', redirect_uris: ['https://app.example/cb'] };
const user = (more: object) => ({ users: [{ username: 'alice', password: 'wonderland', ...more }] });

/** Each way to get the options wrong, and what is said about it. */
const WRONG: Readonly<Record<string, readonly (readonly [options: object, sentence: string])[]>> = {
  'the options themselves': [
    [{ isuer: 'https://example.org' }, 'options.isuer is not known; known are store, issuer, secret, '],
    [{ constructor: 1 }, 'options.constructor is not known; known are store, issuer, secret, '],
    [{ requirePkce: 'false' }, 'options.requirePkce must be true or false.'],
    [{ allowLocalhostRedirects: 1 }, 'options.allowLocalhostRedirects must be true or false.'],
    ...['validateGrant', 'rights', 'random', 'onEvent', 'onError', 'onWarning', 'clock', 'owner'].map(
      (name) =>
        [
          { [name]: 'x' },
          name === 'owner' ? 'options.owner must be a function of the request.' : `options.${name} must be a function.`,
        ] as const,
    ),
  ],
  store: [{}, 'redis://localhost', new Map(), { add: true, get: true, delete: true }].map((store) => [
    { store },
    'options.store must be a store with the functions add, get and delete, such as memoryStore() of oauth-query/stores/memory.',
  ]),
  issuer: [
    ...[5, '', 'example.org', '//example.org', {}, null].map(
      (issuer) => [{ issuer }, 'options.issuer must be an absolute URL such as https://example.org.'] as const,
    ),
    ...['http://example.org', 'http://192.168.0.1', 'ws://example.org', 'urn:example'].map(
      (issuer) =>
        [{ issuer }, 'options.issuer must begin with https://; http:// is only for loopback addresses.'] as const,
    ),
    ...['https://example.org?', 'https://example.org/a?b=c', 'https://example.org#c'].map(
      (issuer) => [{ issuer }, 'options.issuer must have neither a query nor a fragment.'] as const,
    ),
    [{ issuer: 'https://user@example.org' }, 'options.issuer must have neither a user name nor a password.'],
    [
      { issuer: 'https://example.org/' },
      'options.issuer must not end with a slash; clients compare it character by character.',
    ],
    ...[
      'https://EXAMPLE.org',
      'https://example.org:443',
      ' https://example.org',
      'https:example.org',
      'https://example.org/a/..',
      'https://example.org\n',
    ].map(
      (issuer) =>
        [
          { issuer },
          'options.issuer must be written as https://example.org; clients compare it character by character.',
        ] as const,
    ),
    [
      { issuer: 'https://example.org/ä' },
      'options.issuer must be written as https://example.org/%C3%A4; clients compare it character by character.',
    ],
  ],
  secret: [
    ...['', 'too short', 5, null, [''], ['x'.repeat(32), 'short']].map(
      (secret) =>
        [{ secret }, 'options.secret must have at least 32 characters; is the environment variable set?'] as const,
    ),
    [{ secret: [] }, 'options.secret is an empty list; give at least one text of 32 characters, or leave it out.'],
  ],
  scopes: [
    ...[['profile'], 'profile', 5, null]
      .slice(0, 3)
      .map(
        (scopes) =>
          [
            { scopes },
            "options.scopes must be an object of scopes and their descriptions, such as { 'photos.read': 'See your photos' }.",
          ] as const,
      ),
    ...['two words', 'a"b', 'a\\b', 'ä', ''].map(
      (scope) =>
        [
          { scopes: { [scope]: 'x' } },
          `options.scopes: ${JSON.stringify(scope)} has a character that a scope must not have (a space, a quotation mark, a backslash).`,
        ] as const,
    ),
    ...['', undefined, null, 5, {}, { description: '' }, { description: 5 }].map(
      (definition) =>
        [
          { scopes: { read: definition } },
          'options.scopes.read needs a description for the people who are asked to allow it.',
        ] as const,
    ),
    [
      { scopes: { read: { description: 'x', rights: 'apihighlimits' } } },
      'options.scopes.read.rights must be an array of names.',
    ],
    [{ scopes: { read: { description: 'x', rights: [5] } } }, 'options.scopes.read.rights must be an array of names.'],
    [
      { scopes: { read: { description: 'x', right: [] } } },
      'options.scopes.read.right is not known; known are description, rights.',
    ],
    ...[5, '', 'two words', ['introspect']].map(
      (introspectionScope) =>
        [
          { introspectionScope },
          "options.introspectionScope must be the name of one scope, such as 'introspect'.",
        ] as const,
    ),
  ],
  resources: [
    ...['https://api.example', {}, 5].map(
      (resources) => [{ resources }, 'options.resources must be an array of absolute URIs.'] as const,
    ),
    ...['api', '', 'https://api.example#x', 5, '/api'].map(
      (resource) =>
        [
          { resources: [resource] },
          `options.resources: ${JSON.stringify(resource)} must be an absolute URI without a fragment (RFC 8707 §2).`,
        ] as const,
    ),
  ],
  grants: [
    [{ grants: 'password' }, 'options.grants must be an array of grant types.'],
    [
      { grants: ['password'] },
      'options.grants names password, which needs options.users: that is where passwords are checked.',
    ],
    [
      { grants: ['code'] },
      'options.grants names "code"; known are authorization_code, client_credentials, refresh_token, urn:ietf:params:oauth:grant-type:device_code, password, implicit, device_code.',
    ],
  ],
  query: ['x', 5, true, null].map((query) => [
    { query },
    'options.query must be an object; {} switches the query API on.',
  ]),
  'access tokens': [
    [{ accessTokens: 'jwt' }, 'options.accessTokens must be an object with format, algorithm, keys.'],
    [{ accessTokens: null }, 'options.accessTokens must be an object with format, algorithm, keys.'],
    [{ accessTokens: { format: 'JWT' } }, "options.accessTokens.format must be 'opaque' or 'jwt'."],
    [{ accessTokens: { algorithm: 'ES256' } }, "options.accessTokens.format must be 'opaque' or 'jwt'."],
    [
      { accessTokens: { format: 'jwt', key: [] } },
      'options.accessTokens.key is not known; known are format, algorithm, keys.',
    ],
    [{ accessTokens: { format: 'jwt' } }, 'options.accessTokens: JWTs name their issuer, so options.issuer is needed.'],
    [
      { issuer: 'https://example.org', accessTokens: { format: 'jwt', algorithm: 'HS256' } },
      'options.accessTokens.algorithm must be ES256, EdDSA or RS256.',
    ],
    [
      { issuer: 'https://example.org', accessTokens: { format: 'jwt', keys: 'x' } },
      'options.accessTokens.keys must be an array of keys, or a function that gives one.',
    ],
  ],
  owner: [
    [
      { owner: () => undefined },
      'options.owner needs options.loginUrl: where to send somebody who is not signed in yet.',
    ],
    [{ loginUrl: '/login' }, 'options.loginUrl needs options.owner: how to know who is signed in.'],
    ...['', 5, {}].map(
      (loginUrl) =>
        [
          { owner: () => undefined, loginUrl },
          'options.loginUrl must be the address of the sign-in page, or a function that makes it of the address to come back to.',
        ] as const,
    ),
    [
      { owner: () => undefined, loginUrl: '/login', users: [] },
      'options.owner and options.users exclude each other: either the host signs people in, or the built-in page does.',
    ],
  ],
  users: [
    ...['alice', 5, {}, null, { authenticate: true }].map(
      (users) =>
        [
          { users },
          'options.users must be an array of users or an object with authenticate(username, password).',
        ] as const,
    ),
    [
      { users: { authenticate: () => undefined, isActive: true } },
      'options.users.isActive must be a function of the sub.',
    ],
    ...[{}, { username: '' }, { username: 5 }, null, 'alice'].map(
      (wrong) => [{ users: [wrong] }, 'options.users: every user needs a username.'] as const,
    ),
    ...[undefined, '', 5, null, {}, { scrypt: 5 }, { scrypt: 'x' }, { scrypt: `${HASH}.x` }, { sha256: 'x' }].map(
      (password) =>
        [
          user({ password }),
          'options.users: "alice" needs a password, as text or as { scrypt } with what hashClientSecret made of it.',
        ] as const,
    ),
    ...[5, '', {}].map(
      (sub) =>
        [user({ sub }), 'options.users: the sub of "alice" must be text, or left out for the user name.'] as const,
    ),
    [
      user({ sub: 'client:web' }),
      'options.users: the sub of "alice" must not begin with client:; that is how tokens of clients are named.',
    ],
    [
      user({ username: 'client:x' }),
      'options.users: the sub of "client:x" must not begin with client:; that is how tokens of clients are named.',
    ],
    [
      {
        users: [
          { username: 'alice', password: 'a' },
          { username: 'alice', password: 'b' },
        ],
      },
      'options.users: "alice" is there twice.',
    ],
  ],
  paths: [
    [{ paths: '/oauth' }, 'options.paths must be an object with authorize, token, '],
    [{ paths: { tokens: '/t' } }, 'options.paths.tokens is not known; known are authorize, token, '],
    [{ paths: { token: 5 } }, 'options.paths.token must be a path or an array of paths.'],
    [{ paths: { token: [] } }, 'options.paths.token is an empty list; leave it out for /oauth/token.'],
    ...[
      'token',
      '',
      '/',
      '/:tenant/token',
      '/token?x=1',
      '/to%20ken',
      '/token#x',
      '/*',
      '/tökén',
      [5],
      ['/token', 'token'],
    ].map(
      (token) =>
        [
          { paths: { token } },
          'options.paths.token must begin with a slash and name a path without placeholders, query or percent escapes, such as /oauth/token.',
        ] as const,
    ),
    [
      { paths: { token: '/oauth/authorize' } },
      'options.paths: token and authorize are both /oauth/authorize; each address needs its own.',
    ],
    [{ paths: { revoke: ['/a', '/a'] } }, 'options.paths: revoke and revoke are both /a; each address needs its own.'],
  ],
  lifetimes: [
    [{ lifetimes: 3600 }, 'options.lifetimes must be an object with authorizationCode, accessToken, '],
    [{ lifetimes: { code: 60 } }, 'options.lifetimes.code is not known; known are authorizationCode, accessToken, '],
    [
      { lifetimes: { constructor: 60 } },
      'options.lifetimes.constructor is not known; known are authorizationCode, accessToken, ',
    ],
    ...[
      ['authorizationCode', 1, 600],
      ['accessToken', 1, 31_536_000],
      ['refreshTokenIdle', 1, 315_360_000],
      ['refreshTokenAbsolute', 1, 315_360_000],
      ['refreshGrace', 0, 60],
      ['codeReplayTolerance', 0, 60],
      ['deviceCode', 60, 1800],
      ['session', 60, 2_592_000],
      ['authorizationRequest', 60, 3600],
      ['rememberedConsent', 0, 315_360_000],
    ].flatMap(([name = '', min = 0, max = 0]) =>
      [Number(min) - 1, Number(max) + 1, 61.5, NaN, '60'].map(
        (value) =>
          [
            { lifetimes: { [name]: value } },
            `options.lifetimes.${name} must be a whole number of seconds from ${min} to ${max}.`,
          ] as const,
      ),
    ),
  ],
  limits: [
    [{ limits: [] }, 'options.limits must be an object with failedVerifiers, clientFailures, '],
    [{ limits: { body: 1 } }, 'options.limits.body is not known; known are failedVerifiers, clientFailures, '],
    ...[
      ['failedVerifiers', 1, 10],
      ['clientFailures', 1, 1000],
      ['userCodeFailures', 1, 100],
      ['loginFailures', 1, 1000],
      ['bodyBytes', 1024, 1_048_576],
      ['bodyFields', 10, 1000],
    ].flatMap(([name = '', min = 0, max = 0]) =>
      [Number(min) - 1, Number(max) + 1, 10.5, Infinity, '10'].map(
        (value) =>
          [
            { limits: { [name]: value } },
            `options.limits.${name} must be a whole number from ${min} to ${max}.`,
          ] as const,
      ),
    ),
  ],
  device: [
    [
      { device: 5 },
      'options.device must be an object with interval, userCodeLength, userCodeAlphabet, verificationUriComplete.',
    ],
    [
      { device: { intervall: 5 } },
      'options.device.intervall is not known; known are interval, userCodeLength, userCodeAlphabet, verificationUriComplete.',
    ],
    [{ device: { verificationUriComplete: 'yes' } }, 'options.device.verificationUriComplete must be true or false.'],
    ...[0, 61, 5.5, '5', NaN].map(
      (interval) =>
        [{ device: { interval } }, 'options.device.interval must be a whole number of seconds from 1 to 60.'] as const,
    ),
    ...['', 'A', 'AAB', 'abc', 'A-B', 5].map(
      (userCodeAlphabet) =>
        [
          { device: { userCodeAlphabet } },
          'options.device.userCodeAlphabet must be text of capital letters and digits, each once.',
        ] as const,
    ),
    ...[
      { userCodeLength: 7 },
      { userCodeLength: 8.5 },
      { userCodeLength: '8' },
      { userCodeLength: 33 },
      { userCodeAlphabet: '0123456789' },
    ].map(
      (device) =>
        [
          { device },
          'options.device.userCodeLength must be a whole number from 4 to 32, and with userCodeAlphabet give at least 2^34 codes',
        ] as const,
    ),
  ],
  pages: [
    [{ pages: 'mine' }, 'options.pages must be an object with login, consent, '],
    [
      { pages: { signin: () => '' } },
      'options.pages.signin is not known; known are login, consent, deviceCode, deviceConsent, deviceDone, error.',
    ],
    [{ pages: { login: '<p>' } }, 'options.pages.login must be a function that renders the page.'],
  ],
  cors: [
    [{ cors: ['https://app.example'] }, 'options.cors must be an object with origins.'],
    [{ cors: null }, 'options.cors must be an object with origins.'],
    [{ cors: { origins: '*' } }, 'options.cors.origins must be an array of origins such as https://app.example.'],
    [{ cors: {} }, 'options.cors.origins must be an array of origins such as https://app.example.'],
    [{ cors: { origins: ['*'], credentials: true } }, 'options.cors.credentials is not known; known are origins.'],
    ...[
      'https://app.example/',
      'https://app.example/x',
      'app.example',
      'null',
      '',
      5,
      'https://APP.example',
      'https://app.example:443',
      '*.example',
    ].map(
      (origin) =>
        [
          { cors: { origins: [origin] } },
          `options.cors.origins: ${JSON.stringify(origin)} is not an origin; write it like https://app.example, without a path.`,
        ] as const,
    ),
  ],
  clients: [
    ...['web', 5, {}, { find: true }, null].map(
      (clients) =>
        [{ clients }, 'options.clients must be an array of clients or an object with find(client_id).'] as const,
    ),
    ...[{}, { client_id: '' }, { client_id: 5 }, { client_id: 'a\nb' }].map(
      (client) =>
        [
          one(client),
          `Client ${JSON.stringify('client_id' in client ? client.client_id : undefined)}: client_id must be text without control characters.`,
        ] as const,
    ),
    [{ clients: [null] }, 'Client undefined: client_id must be text without control characters.'],
    [{ clients: [web, web] }, 'Client "web": is registered twice.'],
    [
      one({ ...web, redirect_uri: 'x' }),
      'Client "web": has a field "redirect_uri" that is not known; known are client_id, client_secret, ',
    ],
    ...['client_name', 'scope', 'default_scope'].map(
      (name) => [one({ ...web, [name]: 5 }), `Client "web": ${name} must be text.`] as const,
    ),
    ...['redirect_uris', 'grant_types', 'code_challenge_methods'].flatMap((name) =>
      ['x', [5], {}].map(
        (value) => [one({ ...web, [name]: value }), `Client "web": ${name} must be an array of texts.`] as const,
      ),
    ),
    ...['require_pkce', 'introspect', 'disabled'].map(
      (name) => [one({ ...web, [name]: 'yes' }), `Client "web": ${name} must be true or false.`] as const,
    ),
    ...[5, [5]].map(
      (audience) => [one({ ...web, audience }), 'Client "web": audience must be text or an array of texts.'] as const,
    ),
    [
      one({ client_id: 'tv' }),
      'Client "tv": grant_types is missing; without redirect_uris and without a secret it must be named.',
    ],
    [one({ ...web, grant_types: ['code'] }), 'Client "web": grant_types names "code"; known are authorization_code, '],
    [one({ ...web, scope: 'read  write' }), 'Client "web": scope must be scopes separated by single spaces.'],
    [one({ ...web, scope: 'read admin' }), 'Client "web": scope names "admin", which options.scopes does not have.'],
    [one({ ...web, default_scope: ' read' }), 'Client "web": default_scope must be scopes separated by single spaces.'],
    [
      one({ ...web, scope: 'read', default_scope: 'write' }),
      'Client "web": default_scope names "write", which the client may not ask for.',
    ],
    [
      one({ ...web, token_endpoint_auth_method: 'basic' }),
      'Client "web": token_endpoint_auth_method must be one of client_secret_basic, client_secret_post, ',
    ],
    [
      one({ ...web, token_endpoint_auth_method: 'none' }),
      'Client "web": token_endpoint_auth_method none and a client_secret exclude each other.',
    ],
    [
      one({
        client_id: 'spa',
        redirect_uris: ['https://app.example/cb'],
        token_endpoint_auth_method: 'client_secret_basic',
      }),
      'Client "spa": token_endpoint_auth_method needs a client_secret.',
    ],
    ...[[], ['s256'], ['S256', 'x']].map(
      (methods) =>
        [
          one({ ...web, code_challenge_methods: methods }),
          'Client "web": code_challenge_methods must name S256, plain or both.',
        ] as const,
    ),
    [one({ ...web, refresh: true }), "Client \"web\": refresh must be 'rotating' or 'reusable'."],
    [
      one({ client_id: 'spa', redirect_uris: ['https://app.example/cb'], refresh: 'reusable' }),
      "Client \"spa\": refresh 'reusable' is only for clients with a client_secret or jwks; use 'rotating'.",
    ],
    [
      one({
        client_id: 'spa',
        redirect_uris: ['https://app.example/cb'],
        grant_types: ['authorization_code', 'refresh_token'],
      }),
      'Client "spa": grant_types names refresh_token, but a public client only gets refresh tokens with refresh: \'rotating\'.',
    ],
    [
      one({ client_id: 'x', grant_types: ['client_credentials'] }),
      'Client "x": client_credentials is only for clients with a client_secret or jwks.',
    ],
    [
      one({ client_id: 'x', grant_types: ['device_code'], introspect: true }),
      'Client "x": introspect is only for clients with a client_secret or jwks.',
    ],
    ...['authorization_code', 'implicit'].map(
      (grant) =>
        [
          one({ client_id: 'x', grant_types: [grant] }),
          `Client "x": ${grant} needs at least one of redirect_uris.`,
        ] as const,
    ),
  ],
  'client secrets': [
    [
      one({ ...web, client_secret: undefined }),
      'Client "web": client_secret is undefined; is the environment variable set?',
    ],
    [one({ ...web, client_secret: '' }), 'Client "web": client_secret is empty; is the environment variable set?'],
    [
      one({ ...web, client_secret: [] }),
      'Client "web": client_secret is an empty list; leave it out for a public client.',
    ],
    [
      one({ ...web, client_secret: ['x', ''] }),
      'Client "web": client_secret is empty; is the environment variable set?',
    ],
    ...[5, null, true].map(
      (secret) =>
        [
          one({ ...web, client_secret: secret }),
          'Client "web": client_secret must be text, or an object with value, sha256 or scrypt.',
        ] as const,
    ),
    [one({ ...web, client_secret: { value: 5 } }), 'Client "web": client_secret must be text.'],
    ...[{}, { value: 'x', sha256: 'y' }].map(
      (secret) =>
        [
          one({ ...web, client_secret: secret }),
          'Client "web": client_secret needs exactly one of value, sha256 and scrypt.',
        ] as const,
    ),
    [
      one({ ...web, client_secret: { value: 'x', expires_at: 5 } }),
      'Client "web": client_secret has a field "expires_at" that is not known; known are value, sha256, scrypt, expiresAt.',
    ],
    ...['2030-01-01', NaN, new Date()].map(
      (expiresAt) =>
        [
          one({ ...web, client_secret: { value: 'x', expiresAt } }),
          'Client "web": client_secret has an expiresAt that is no number of milliseconds.',
        ] as const,
    ),
    ...[0, 1_893_456_000].map(
      (expiresAt) =>
        [
          one({ ...web, client_secret: { value: 'x', expiresAt } }),
          'Client "web": client_secret has an expiresAt that looks like seconds; it is milliseconds since the epoch.',
        ] as const,
    ),
    ...['x', 'x'.repeat(64), 5].map(
      (sha256) =>
        [
          one({ ...web, client_secret: { sha256 } }),
          'Client "web": client_secret has a sha256 that is not 43 characters of base64url.',
        ] as const,
    ),
    ...['x', 5, `${HASH}x.y`].map(
      (scrypt) =>
        [
          one({ ...web, client_secret: { scrypt } }),
          'Client "web": client_secret has a scrypt hash that hashClientSecret did not make.',
        ] as const,
    ),
  ],
  'client keys': [
    ...[
      'x',
      {},
      { keys: [] },
      { keys: [{ kty: 'oct', k: 'x' }] },
      { keys: [{ kty: 'EC', d: 'x' }] },
      { keys: ['x'] },
    ].map(
      (jwks) =>
        [
          one({ client_id: 'x', jwks, grant_types: ['client_credentials'] }),
          'Client "x": jwks must be an object with an array of public keys, without any private member.',
        ] as const,
    ),
    [
      one({ ...web, token_endpoint_auth_method: 'private_key_jwt' }),
      'Client "web": private_key_jwt and jwks need each other.',
    ],
    [
      one({ ...web, jwks: { keys: [{ kty: 'EC' }] }, token_endpoint_auth_method: 'private_key_jwt' }),
      'Client "web": jwks and client_secret exclude each other.',
    ],
    ...[
      [{ kty: 'EC' }, 'cannot be read as a JWK'],
      [{ kty: 'EC', crv: 'P-256', x: 'x', y: 'y' }, 'cannot be read as a JWK'],
      [{ kty: 'OKP', crv: 'X25519', x: 'x'.repeat(43) }, 'must be for one of '],
    ].map(
      ([key, problem]) =>
        [
          one({ client_id: 'x', jwks: { keys: [key] }, grant_types: ['client_credentials'] }),
          `Client "x": jwks.keys[0] ${String(problem)}`,
        ] as const,
    ),
  ],
  'redirect URIs': [
    ...[
      ['', 'is not an absolute URI'],
      ['/cb', 'is not an absolute URI'],
      ['app.example/cb', 'is not an absolute URI'],
      ['https://app.example/c b', 'has characters that a URI must not have; percent-encode them'],
      ['https://äpp.example/cb', 'has characters that a URI must not have; percent-encode them'],
      ['https://app.example/cb\r\n', 'has characters that a URI must not have; percent-encode them'],
      ['https://app.example/cb#x', 'has a fragment'],
      ['https://*.example/cb', 'has a wildcard; register each address'],
      ['https://user@app.example/cb', 'has a user name or password'],
      ['https://@app.example/cb', 'has a user name or password'],
      ['https://', 'cannot be parsed'],
      ['http://app.example/cb', 'has the scheme http; only loopback addresses may, use https'],
      ['http://127.1.evil.example/cb', 'has the scheme http; only loopback addresses may, use https'],
      ...['code', 'state', 'error', 'error_description', 'error_uri', 'iss'].map(
        (name) =>
          [
            `https://app.example/cb?${name}=1`,
            `has the query parameter ${name}, which the response itself must set`,
          ] as const,
      ),
      ...['javascript', 'data', 'vbscript', 'file', 'blob', 'about', 'view-source', 'filesystem', 'JavaScript'].map(
        (scheme) =>
          [`${scheme}:x`, `has the scheme ${scheme.toLowerCase()}, which must never be redirected to`] as const,
      ),
    ].map(
      ([uri = '', problem = '']) =>
        [
          one({ ...web, redirect_uris: [uri] }),
          `Client "web": the redirect URI ${JSON.stringify(uri)} ${problem}.`,
        ] as const,
    ),
  ],
};

describe.each(Object.entries(WRONG))('%s', (_what, cases) => {
  it.each(cases.map(([options, expected]) => ({ options, expected })))(
    '$options: $expected',
    ({ options, expected }) => {
      const said = sentence(() => build(options));
      // The lists of known names grow; the rest is there to be read word by word.
      expect(said.slice(0, expected.length)).toBe(expected);
      if (/[.?]$/.test(expected)) expect(said).toBe(expected);
      expect(said).toMatch(/[a-z0-9)'\]}][.?]$/i);
    },
  );
});

describe('what is right', () => {
  it.each([
    {},
    { issuer: 'https://example.org' },
    { issuer: 'https://example.org:8443/auth' },
    { issuer: 'http://localhost:3000' },
    { secret: SECRET },
    { secret: [SECRET, `${SECRET} too`] },
    { grants: ['device_code', 'implicit', 'password'], users: [{ username: 'alice', password: 'wonderland' }] },
    { grants: ['device_code', 'implicit'] },
    { grants: [] },
    { lifetimes: { refreshGrace: 0, authorizationCode: 600, accessToken: 1 } },
    { lifetimes: { accessToken: undefined } },
    { device: { userCodeAlphabet: '0123456789', userCodeLength: 11, interval: 1, verificationUriComplete: true } },
    { paths: { token: ['/token', '/rest.php/oauth2/access_token'], api: '/w/api.php' } },
    { cors: { origins: ['*', 'https://app.example', 'http://localhost:5173'] } },
    { resources: ['https://api.example/v1?x=1', 'urn:example:api'] },
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
  ])('%j', (options) => {
    expect(sentence(() => build(options))).toBe('no sentence at all');
  });
});

describe.each(Object.entries({ express, koa, fastify }))('%s', (name, oauthQuery) => {
  it('says the same, whatever the framework', () => {
    const wrong = { ...QUIET, lifetimes: { accessToken: 0 } };
    expect(sentence(() => oauthQuery(wrong))).toBe(
      'options.lifetimes.accessToken must be a whole number of seconds from 1 to 31536000.',
    );
  });

  it('notices when it is mounted instead of being called', () => {
    const mount = oauthQuery as (request: unknown) => unknown; // What app.use(oauthQuery) would do.
    const remedy = name === 'fastify' ? 'app.register(oauthQuery({ … }))' : 'app.use(oauthQuery({ … }))';
    for (const wrong of [new (class IncomingMessage {})(), null, 'x', []]) {
      expect(sentence(() => mount(wrong))).toBe(
        `oauthQuery takes an object of options and gives what is to be mounted: ${remedy}.`,
      );
    }
  });

  it('warns of what is missing in one line, and of discouraged grants', () => {
    const warnings: string[] = [];
    oauthQuery({ onWarning: (text) => warnings.push(text) });
    expect(warnings).toEqual([
      'Options that are missing: issuer (taken from each request, on loopback only); clients (nobody can get a token); ' +
        'secret (made at start: sign-ins end with the process and are not shared).',
    ]);
    warnings.length = 0;
    oauthQuery({
      issuer: 'https://example.org',
      clients: [],
      secret: SECRET,
      grants: ['password', 'implicit'],
      users: [],
      onWarning: (text) => warnings.push(text),
    });
    expect(warnings).toEqual(
      ['password', 'implicit'].map(
        (grant) =>
          `The ${grant} grant is switched on. It is discouraged (RFC 9700 §2); use it only for clients that know no other.`,
      ),
    );
  });
});

describe.each(oneHostEach)('at a request, $name', ({ start }) => {
  const hosts: RunningHost[] = [];
  afterAll(() => Promise.all(hosts.map((host) => host.close())));

  /** What the host hears when it is asked for a token. The options are those of a user of JavaScript. */
  const complaintAbout = async (
    more: object,
    form = 'grant_type=client_credentials&client_id=x&client_secret=y',
  ): Promise<string[]> => {
    const { options, errors } = fixture();
    const host = await start({ options: { ...options, ...more } });
    hosts.push(host);
    const { status, json } = await new Client(host.base).post('/oauth/token', form);
    expect([status, json['error_description']]).toEqual([500, 'The server could not handle this request.']);
    return errors.map(String);
  };

  it('a registry that gives a wrong client is told about it, the caller is not', async () => {
    const registry = (client: object) => ({ clients: { find: () => client } });
    expect(await complaintAbout(registry({ client_id: 'other' }))).toEqual([
      'TypeError: clients.find answered with another client than it was asked for.',
    ]);
    expect(await complaintAbout(registry({ client_id: 'x', client_secret: '' }))).toEqual([
      'TypeError: Client "x": client_secret is empty; is the environment variable set?',
    ]);
  });

  it('a directory of users that gives no owner is told about it, the caller is not', async () => {
    const client = { client_id: 'x', client_secret: 'y', grant_types: ['password'], scope: 'profile' };
    const form = 'grant_type=password&client_id=x&client_secret=y&username=a&password=b';
    const directory = (found: unknown) => ({
      grants: ['password'],
      clients: [client],
      users: { authenticate: () => found },
    });
    for (const [found, expected] of [
      [true, 'The owner must be an object with a sub, or nothing when nobody is signed in.'],
      [{ id: 5 }, 'The owner must be an object with a sub, or nothing when nobody is signed in.'],
      [{ sub: 5 }, 'The sub of an owner must be text and not empty.'],
      [{ sub: '' }, 'The sub of an owner must be text and not empty.'],
      [
        { sub: 'client:x' },
        'The sub of an owner must not begin with client:; that is how tokens of clients are named.',
      ],
      [{ sub: 'a', username: 5 }, 'The username of an owner must be text, or absent.'],
    ] as const) {
      expect(await complaintAbout(directory(found), form)).toEqual([`TypeError: ${expected}`]);
    }
  });
});
