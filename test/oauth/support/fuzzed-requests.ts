import fc from 'fast-check';
import { basic } from '../../hosts/client.js';
import { PKCE } from './browser.js';
import { DEVICE_CODE } from './fixture.js';

export const JSON_ENDPOINTS = ['/oauth/token', '/oauth/introspect', '/oauth/revoke'];
export const PATHS = [
  ...JSON_ENDPOINTS,
  '/oauth/token',
  '/oauth/device',
  '/oauth/device/verify',
  '/oauth/authorize',
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
];

const NAMES = [
  'grant_type',
  'client_id',
  'client_secret',
  'code',
  'redirect_uri',
  'code_verifier',
  'refresh_token',
  'scope',
  'device_code',
  'username',
  'password',
  'resource',
  'token',
  'token_type_hint',
  'response_type',
  'state',
  'code_challenge',
  'code_challenge_method',
  'resume',
  'decision',
  'form_token',
  'user_code',
  'client_assertion',
  'client_assertion_type',
  'access_token',
  '__proto__',
  'constructor',
  '',
  'scope[]',
  'code[x][y]',
];

/** What would be right somewhere. */
const VALUES = [
  'authorization_code',
  'client_credentials',
  'refresh_token',
  DEVICE_CODE,
  'password',
  'implicit',
  'code',
  'token',
  'service',
  'service-secret',
  'web',
  'web-secret',
  'spa',
  'tv',
  'box',
  'api',
  'api-secret',
  'https://app.example/cb',
  'https://spa.example/cb',
  'http://127.0.0.1:1/cb',
  'profile content.read',
  'content.read',
  'introspect',
  'S256',
  'plain',
  PKCE.verifier,
  PKCE.challenge,
  'approve',
  'deny',
  'switch',
  'alice',
  'wonderland',
  'https://one.example',
  'access_token',
  'BCDF-GHJK',
  'x'.repeat(43),
  'x'.repeat(65),
];

/** What is wrong everywhere, or at least on the way. */
const ODD = [
  '',
  '%',
  '%zz',
  '%00',
  '%0D%0A',
  '%FF',
  '%C3%28',
  '%ED%A0%80',
  '%F0%9F%92%A9',
  '+',
  '%2B',
  '=',
  '==',
  ';',
  '"',
  '\\',
  '<script>',
  '%u0041',
  '\u0000',
  '\u00e9',
  '\ud7ff',
  '[]',
  '{"$gt":""}',
  "' OR 1=1",
  '../..',
  '//evil.example',
  'javascript:x',
  `${'a'.repeat(5000)}`,
  '%41'.repeat(2000),
  '\uffff',
  '-1',
  '1e309',
  'null',
];

const method = fc.oneof(
  { weight: 8, arbitrary: fc.constant('POST') },
  { weight: 3, arbitrary: fc.constant('GET') },
  fc.constantFrom('HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'),
);

const type = fc.oneof(
  { weight: 8, arbitrary: fc.constant('application/x-www-form-urlencoded') },
  fc.constantFrom(
    'application/x-www-form-urlencoded; charset=utf-8',
    'application/x-www-form-urlencoded; charset=latin1',
    'application/x-www-form-urlencoded; charset=x',
    'application/json',
    'text/plain',
    'multipart/form-data',
    'multipart/form-data; boundary=x',
    '',
    ';',
    '/',
    'a/b; c="',
  ),
);

/** @param live - Values that the server has just handed out. */
export const valueOf = (live: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...VALUES).map(encodeURIComponent) },
    { weight: 3, arbitrary: fc.constantFrom(...live).map(encodeURIComponent) },
    fc
      .tuple(fc.constantFrom(...live), fc.nat(200))
      .map(([value, at]) => value.slice(0, at) + (value[at] === 'A' ? 'B' : 'A') + value.slice(at + 1)),
    { weight: 3, arbitrary: fc.constantFrom(...ODD) },
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.webQueryParameters(),
  );

export const formOfRandom = (live: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc
        .array(fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom('=', '=', '=', '=', '', '=='), valueOf(live)), {
          maxLength: 9,
        })
        .chain((pairs) =>
          fc
            .constantFrom('&', '&', '&', '&&', ';')
            .map((separator) => pairs.map((pair) => pair.join('')).join(separator)),
        ),
    },
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.constantFrom(
      '&',
      '&&&',
      '=',
      '&=&',
      '{"grant_type":"client_credentials"}',
      `a=${'x'.repeat(100_000)}`,
      'a=1&'.repeat(150),
      'a[b]'.repeat(300),
      'a%5B'.repeat(500),
    ),
  );

export const credentials = (live: readonly string[]): fc.Arbitrary<string | undefined> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant(undefined) },
    {
      weight: 4,
      arbitrary: fc
        .constantFrom(
          ['service', 'service-secret'],
          ['web', 'web-secret'],
          ['api', 'api-secret'],
          ['tv', ''],
          ['no', 'x'],
        )
        .map(([id = '', secret = '']) => basic(id, secret).authorization),
    },
    fc.constantFrom(...live).map((token) => `Bearer ${token}`),
    fc.base64String({ maxLength: 60 }).map((text) => `Basic ${text}`),
    fc.constantFrom(
      'Basic',
      'Bearer',
      'Basic ',
      'Bearer "',
      'Basic :',
      'Digest x',
      ' ',
      ',',
      'Basic Og==',
      'Bearer a b',
      'bearer\tx',
      'Basic JTo=',
    ),
    fc.string({ maxLength: 30 }).map((text) => text.replace(/[^\x20-\x7e]/g, '')),
  );

/** One request, as it is sent. */
export interface FuzzedRequest {
  readonly method: string;
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Requests to our addresses that get further than the first check.
 *
 * @param live - Values that the server has just handed out.
 */
export const fuzzedRequests = (
  live: readonly string[],
  cookie: fc.Arbitrary<string | undefined> = fc.constant(undefined),
): fc.Arbitrary<FuzzedRequest & { readonly path: string }> =>
  fc
    .record({
      method,
      path: fc.constantFrom(...PATHS),
      query: fc.oneof(fc.constant(''), formOfRandom(live)),
      body: formOfRandom(live),
      type,
      authorization: credentials(live),
      cookie,
    })
    .map(({ method: verb, path, query, body, type: contentType, authorization, cookie: sent }) => ({
      method: verb,
      path,
      address:
        query === ''
          ? path
          : `${path}?${query.replace(/[^\x21-\x7e]|#/g, encodeURIComponent.bind(undefined, '\ufffd')).slice(0, 6000)}`,
      headers: {
        'content-type': contentType,
        ...(authorization === undefined ? {} : { authorization }),
        ...(sent === undefined ? {} : { cookie: sent }),
      },
      body,
    }));
