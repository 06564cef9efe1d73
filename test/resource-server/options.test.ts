import { expect, it } from 'vitest';
import * as forExpress from '../../src/adapters/express/index.js';
import * as forFastify from '../../src/adapters/fastify/index.js';
import * as forKoa from '../../src/adapters/koa/index.js';

const ADAPTERS = [forExpress, forKoa, forFastify];

const ISSUER = 'https://auth.example';
const CREDENTIALS = { client_id: 'api', client_secret: 'api-secret' };

/** Options come from JavaScript too. */
const build = (guard: 'introspectionGuard' | 'jwtGuard', options: unknown) => () => {
  for (const adapter of ADAPTERS) adapter[guard](options as never);
};

const common: readonly (readonly [object, string])[] = [
  [{ audience: '' }, 'audience must be a resource or an array of them; is the environment variable set?'],
  [{ audience: [] }, 'audience must be a resource or an array of them; is the environment variable set?'],
  [{ audience: [undefined] }, 'audience must be a resource or an array of them; is the environment variable set?'],
  [{ cacheSize: 0 }, 'cacheSize must be a whole number from 1 to 1000000.'],
  [{ timeout: '2000' }, 'timeout must be a whole number from 1 to 60000.'],
  [{ timeout: Infinity }, 'timeout must be a whole number from 1 to 60000.'],
  [{ clock: 7 }, 'clock must be a function that gives milliseconds.'],
  [{ onError: 'console' }, 'onError must be a function.'],
  [{ issuer: 'auth.example' }, 'issuer must be an absolute URL.'],
  [{ issuer: new URL(ISSUER) }, 'issuer must be an absolute URL.'],
  [{ issuer: 'http://auth.example' }, 'issuer must begin with https://; http:// is only for loopback addresses.'],
  [{ issuer: 'https://auth.example?x' }, 'issuer must have neither a query nor a fragment.'],
  [{ issuer: 'https://me:secret@auth.example' }, 'issuer must have neither a user name nor a password.'],
];

it.each<readonly [unknown, string]>([
  [undefined, 'credentials are missing: { client_id, client_secret } of a client that may introspect.'],
  [{ issuer: ISSUER }, 'credentials are missing: { client_id, client_secret } of a client that may introspect.'],
  [
    { issuer: ISSUER, credentials: 'api' },
    'credentials are missing: { client_id, client_secret } of a client that may introspect.',
  ],
  [{ issuer: ISSUER, credentials: { client_secret: 'x' } }, 'credentials.client_id is missing.'],
  [
    { issuer: ISSUER, credentials: { client_id: 'api', client_secret: undefined } },
    'credentials.client_secret is missing; is the environment variable set?',
  ],
  [
    { issuer: ISSUER, credentials: { ...CREDENTIALS, method: 'basic' } },
    'credentials.method must be one of client_secret_basic, client_secret_post, bearer.',
  ],
  [{ issuer: ISSUER, credentials: { ...CREDENTIALS, scope: '' } }, 'credentials.scope must be text.'],
  [
    { issuer: ISSUER, credentials: { ...CREDENTIALS, secret: 'x' } },
    'credentials.secret is not known; known are client_id, client_secret, method, scope.',
  ],
  [
    { credentials: CREDENTIALS },
    'give the issuer of the authorization server, or its introspection endpoint as endpoint.',
  ],
  [
    { endpoint: `${ISSUER}/introspect`, credentials: { ...CREDENTIALS, method: 'bearer' } },
    'tokenEndpoint is missing: the method bearer gets its token there, and without an issuer it cannot be discovered.',
  ],
  [{ endpoint: '/oauth/introspect', credentials: CREDENTIALS }, 'endpoint must be an absolute URL.'],
  [
    { endpoint: 'http://auth.example/introspect', credentials: CREDENTIALS },
    'endpoint must begin with https://; http:// is only for loopback addresses.',
  ],
  [
    { issuer: ISSUER, tokenEndpoint: 'ftp://x', credentials: CREDENTIALS },
    'tokenEndpoint must begin with https://; http:// is only for loopback addresses.',
  ],
  [{ issuer: ISSUER, credentials: CREDENTIALS, cacheSeconds: 31 }, 'cacheSeconds must be a whole number from 0 to 30.'],
  [
    { issuer: ISSUER, credentials: CREDENTIALS, cacheSeconds: 0.5 },
    'cacheSeconds must be a whole number from 0 to 30.',
  ],
  [
    { issuer: ISSUER, credentials: CREDENTIALS, cacheSecond: 1 },
    'cacheSecond is not known; known are issuer, endpoint, tokenEndpoint, credentials, cacheSeconds, audience, cacheSize, timeout, clock, onError.',
  ],
  ...common.map(([option, sentence]) => [{ issuer: ISSUER, credentials: CREDENTIALS, ...option }, sentence] as const),
])('introspectionGuard(%o): %s', (options, sentence) => {
  expect(build('introspectionGuard', options)).toThrow(new TypeError(`introspectionGuard: ${sentence}`));
});

it.each<readonly [unknown, string]>([
  [undefined, 'issuer is missing: the authorization server whose tokens are accepted.'],
  [{ jwksUri: `${ISSUER}/jwks` }, 'issuer is missing: the authorization server whose tokens are accepted.'],
  [
    { issuer: ISSUER, jwksUri: 'http://auth.example/jwks' },
    'jwksUri must begin with https://; http:// is only for loopback addresses.',
  ],
  ...[[], 'ES256', ['HS256'], ['none'], ['ES256', 'HS512'], [undefined]].map(
    (algorithms) =>
      [
        { issuer: ISSUER, algorithms },
        'algorithms must be an array of asymmetric signature algorithms such as ES256.',
      ] as const,
  ),
  [
    { issuer: ISSUER, jwks_uri: 'x' },
    'jwks_uri is not known; known are issuer, jwksUri, algorithms, audience, cacheSize, timeout, clock, onError.',
  ],
  ...common.map(([option, sentence]) => [{ issuer: ISSUER, ...option }, sentence] as const),
])('jwtGuard(%o): %s', (options, sentence) => {
  expect(build('jwtGuard', options)).toThrow(new TypeError(`jwtGuard: ${sentence}`));
});

it('the shortest options are enough, and nothing is asked before the first token', () => {
  expect(build('introspectionGuard', { issuer: ISSUER, credentials: CREDENTIALS })).not.toThrow();
  expect(
    build('introspectionGuard', { endpoint: 'http://127.0.0.1:3000/oauth/introspect', credentials: CREDENTIALS }),
  ).not.toThrow();
  expect(build('jwtGuard', { issuer: ISSUER })).not.toThrow();
});
