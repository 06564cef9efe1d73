import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { introspectionVerifier, jwtVerifier } from '../../src/resource-server/index.js';

const VERIFIERS = { introspectionVerifier, jwtVerifier };

const ISSUER = 'https://auth.example';
const CREDENTIALS = { client_id: 'api', client_secret: 'api-secret' };

/** Options come from JavaScript too. */
const build = (guard: 'introspectionVerifier' | 'jwtVerifier', options: unknown) => () => {
  VERIFIERS[guard](options as never);
};

/** What no guard takes. */
const COMMON: readonly object[] = [
  { audience: '' },
  { audience: [] },
  { audience: [undefined] },
  { cacheSize: 0 },
  { timeout: '2000' },
  { timeout: Infinity },
  { clock: 7 },
  { onError: 'console' },
  { issuer: 'auth.example' },
  { issuer: 5 },
  { issuer: 'http://auth.example' },
  { issuer: 'https://auth.example?x' },
  { issuer: 'https://me:secret@auth.example' },
  { cacheSise: 5 },
];

const INTROSPECTION: readonly unknown[] = [
  undefined,
  { issuer: ISSUER },
  { issuer: ISSUER, credentials: 'api' },
  { issuer: ISSUER, credentials: { client_secret: 'x' } },
  { issuer: ISSUER, credentials: { client_id: 'api' } },
  { issuer: ISSUER, credentials: { client_id: 'api', client_secret: undefined } },
  { issuer: ISSUER, credentials: { client_id: 'api', client_secret: '' } },
  { issuer: ISSUER, credentials: { client_id: 'api', client_secret: 'secret\n' } },
  { issuer: ISSUER, credentials: { ...CREDENTIALS, method: 'basic' } },
  { issuer: ISSUER, credentials: { ...CREDENTIALS, scope: '' } },
  { issuer: ISSUER, credentials: { ...CREDENTIALS, secret: 'x' } },
  { credentials: CREDENTIALS },
  { endpoint: `${ISSUER}/introspect`, credentials: { ...CREDENTIALS, method: 'bearer' } },
  { endpoint: '/oauth/introspect', credentials: CREDENTIALS },
  { endpoint: 'http://auth.example/introspect', credentials: CREDENTIALS },
  { issuer: ISSUER, tokenEndpoint: 'ftp://x', credentials: CREDENTIALS },
  { issuer: ISSUER, credentials: CREDENTIALS, cacheSeconds: 31 },
  { issuer: ISSUER, credentials: CREDENTIALS, cacheSeconds: 0.5 },
  { issuer: ISSUER, credentials: CREDENTIALS, cacheSecond: 1 },
  ...COMMON.map((option) => ({ issuer: ISSUER, credentials: CREDENTIALS, ...option })),
];

const JWT: readonly unknown[] = [
  undefined,
  { jwksUri: `${ISSUER}/jwks` },
  { issuer: ISSUER, jwksUri: 'http://auth.example/jwks' },
  ...[[], 'ES256', ['HS256'], ['none'], ['ES256', 'HS512'], [undefined]].map((algorithms) => ({
    issuer: ISSUER,
    algorithms,
  })),
  { issuer: ISSUER, jwks_uri: 'x' },
  ...COMMON.map((option) => ({ issuer: ISSUER, ...option })),
];

test('each invalid option has a message that names the guard and the option', async () => {
  const said = (guard: 'introspectionVerifier' | 'jwtVerifier', options: unknown): string => {
    try {
      build(guard, options)();
    } catch (error) {
      expect(error).toBeInstanceOf(TypeError);
      return `${guard}(${inspect(options, { breakLength: Infinity, compact: true })})\n    ${String(error)}\n`;
    }
    throw new Error(`${guard} takes ${inspect(options)}.`);
  };
  const lines = [
    ...INTROSPECTION.map((options) => said('introspectionVerifier', options)),
    ...JWT.map((options) => said('jwtVerifier', options)),
  ];
  for (const line of lines) expect(line).toMatch(/\n    TypeError: (introspectionVerifier|jwtVerifier): .*options/);
  await expect(lines.join('')).toMatchFileSnapshot('./options.snap.txt');
});

test('the required options are enough, and nothing is fetched before the first token', () => {
  expect(build('introspectionVerifier', { issuer: ISSUER, credentials: CREDENTIALS })).not.toThrow();
  expect(
    build('introspectionVerifier', { endpoint: 'http://127.0.0.1:3000/oauth/introspect', credentials: CREDENTIALS }),
  ).not.toThrow();
  expect(build('jwtVerifier', { issuer: ISSUER })).not.toThrow();
});
