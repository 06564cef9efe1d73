import { generateKeyPairSync } from 'node:crypto';
import type { DOCTOR_RULES } from '../../../src/cli/doctor/examine.js';
import { es256, mint } from '../../oauth/support/jwt.js';
import type { Exchange, Spoil } from './bad-proxy.js';

/** A rule, what the doctor has seen of its fault, and how a server is spoiled. */
export type Fault<Rule extends string> = readonly [rule: Rule, ...Spoilt];

type Spoilt = readonly [seen: string, spoil: Spoil];

const WELL_KNOWN = '/.well-known/oauth-authorization-server';
const TOKEN = '/oauth/token';
const FOREIGN = 'https://oauth-query-doctor.invalid';

type Json = Record<string, unknown>;
type Condition = (exchange: Exchange) => boolean;

/** Spoils answers at one path, where a condition holds. */
export const at =
  (path: string, spoil: Spoil, isMeant: Condition = () => true): Spoil =>
  (exchange) => {
    if (exchange.path === path && isMeant(exchange)) spoil(exchange);
  };

export const setHeader =
  (name: string, value: string): Spoil =>
  ({ headers }) =>
    void (headers[name] = value);

export const dropHeader =
  (name: string): Spoil =>
  ({ headers }) =>
    void delete headers[name];

/** Replaces members of the JSON at one path. */
export const edit = (path: string, change: (body: Json) => object, isMeant?: Condition): Spoil =>
  at(
    path,
    (exchange) => {
      const body: Json = JSON.parse(exchange.body);
      exchange.body = JSON.stringify({ ...body, ...change(body) });
    },
    isMeant,
  );

const answer =
  (status: number, type: string, body: string, more: Readonly<Record<string, string>> = {}): Spoil =>
  (exchange) =>
    Object.assign(exchange, { status, headers: { 'content-type': type, ...more }, body });

export const html = (status: number): Spoil => answer(status, 'text/html', '<h1>Welcome to the proxy</h1>');
export const json = (status: number, body: string): Spoil => answer(status, 'application/json', body);
export const redirect = (status: number, location: string): Spoil => answer(status, 'text/plain', '', { location });

const inMetadata = (more: Json): Spoil => edit(WELL_KNOWN, () => more);

const isPost = ({ method }: Exchange): boolean => method === 'POST';
const hasBasic = ({ asked }: Exchange): boolean => asked.authorization?.startsWith('Basic ') ?? false;
const isIssued = ({ body }: Exchange): boolean => body.includes('access_token');
const action = (name: string) => (exchange: Exchange) => exchange.query.get('action') === name;

const echoOrigin: Spoil = (exchange) => {
  exchange.headers['access-control-allow-origin'] = exchange.asked.origin ?? '';
  exchange.headers['access-control-allow-credentials'] = 'true';
};

const keysOf = (change: (keys: Json[]) => unknown): Spoil =>
  edit('/oauth/jwks', (document) => (change(document['keys'] as Json[]), document));

const weakKey = (): Json =>
  generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' }) as Json;

/** A server that derives its issuer from a header. */
const followed = (name: string): Spoilt => [
  `a request with ${name}: oauth-query-doctor.invalid`,
  (exchange) => {
    const host = exchange.asked[name];
    if (exchange.path === WELL_KNOWN && host === 'oauth-query-doctor.invalid')
      inMetadata({ issuer: `https://${host}` })(exchange);
  },
];

const METADATA: readonly Fault<keyof typeof DOCTOR_RULES>[] = [
  ['metadata-found', '404 with a body of type text/html', at(WELL_KNOWN, html(404))],
  ['metadata-found', '200 with a body of type text/html', at(WELL_KNOWN, html(200))],
  ['metadata-found', '302 with a redirect to /.well-known/', at(WELL_KNOWN, redirect(302, WELL_KNOWN))],
  ['metadata-found', '200 with a body of type application/json', at(WELL_KNOWN, json(200, '[]'))],
  [
    'metadata-found',
    'the response is longer than 512 KiB',
    at(WELL_KNOWN, json(200, `{"issuer":"${'x'.repeat(600_000)}"}`)),
  ],
  ['metadata-issuer', 'names "http://auth.internal:8080"', inMetadata({ issuer: 'http://auth.internal:8080' })],
  ['metadata-issuer', '/"', edit(WELL_KNOWN, ({ issuer }) => ({ issuer: `${String(issuer)}/` }))],
  ['metadata-complete', 'response_types_supported is missing', inMetadata({ response_types_supported: undefined })],
  [
    'metadata-complete',
    'token_endpoint, authorization_endpoint are missing',
    inMetadata({ token_endpoint: undefined, authorization_endpoint: undefined }),
  ],
  [
    'metadata-endpoints',
    'revocation_endpoint is "/oauth/revoke"',
    inMetadata({ revocation_endpoint: '/oauth/revoke' }),
  ],
  ['metadata-endpoints', 'jwks_uri is http://', inMetadata({ jwks_uri: 'http://[::ffff:127.0.0.1]:1/jwks' })],
  ['metadata-host', 'jwks_uri is on localhost:1', inMetadata({ jwks_uri: 'http://localhost:1/jwks' })],
  ['metadata-cache', 'Cache-Control is missing', at(WELL_KNOWN, dropHeader('cache-control'))],
  ['metadata-cors', 'no Access-Control-Allow-Origin', at(WELL_KNOWN, dropHeader('access-control-allow-origin'))],
  ['cors-credentials', 'may read the metadata with cookies', at(WELL_KNOWN, echoOrigin)],
  ['host-header', ...followed('host')],
  ['host-header', ...followed('x-forwarded-host')],
  ['pkce', 'is missing', inMetadata({ code_challenge_methods_supported: undefined })],
  ['pkce', 'is ["plain"]', inMetadata({ code_challenge_methods_supported: ['plain'] })],
  ['pkce-plain', 'plain is also listed', inMetadata({ code_challenge_methods_supported: ['S256', 'plain'] })],
  ['legacy-grants', 'password enabled', inMetadata({ grant_types_supported: ['authorization_code', 'password'] })],
  ['legacy-grants', 'implicit enabled', inMetadata({ grant_types_supported: undefined })],
  ['iss-parameter', 'is not true', inMetadata({ authorization_response_iss_parameter_supported: undefined })],
  ['clock', '0 s behind', (exchange) => setHeader('date', new Date(Date.now() - 3_600_000).toUTCString())(exchange)],
  ['clock', 's ahead', (exchange) => setHeader('date', new Date(Date.now() + 60_000).toUTCString())(exchange)],
];

const AT_TOKEN: readonly Fault<keyof typeof DOCTOR_RULES>[] = [
  [
    'token-reachable',
    'http://localhost:1/oauth/token: nothing listens there',
    inMetadata({ token_endpoint: 'http://localhost:1/oauth/token' }),
  ],
  ['token-get', 'GET is answered with 200', at(TOKEN, json(200, '{}'), ({ method }) => method === 'GET')],
  ['token-get', 'a redirect to /login', at(TOKEN, redirect(302, '/login'), ({ method }) => method === 'GET')],
  ['token-errors', '400 with a body of type text/html', at(TOKEN, html(400), isPost)],
  ['token-errors', '502', at(TOKEN, html(502), isPost)],
  [
    'token-unknown-client',
    '400 with the error invalid_client',
    at(TOKEN, (exchange) => void (exchange.status = 400), hasBasic),
  ],
  [
    'token-unknown-client',
    '401 with the error access_denied',
    edit(TOKEN, () => ({ error: 'access_denied' }), hasBasic),
  ],
  ['token-challenge', 'WWW-Authenticate is missing', at(TOKEN, dropHeader('www-authenticate'))],
  ['token-challenge', 'WWW-Authenticate is Negotiate', at(TOKEN, setHeader('www-authenticate', 'Negotiate'), hasBasic)],
  ['token-body-client', '200 with JSON', at(TOKEN, json(200, '{}'), ({ form }) => form.has('client_secret'))],
  ['token-no-store', 'Cache-Control is max-age=60', at(TOKEN, setHeader('cache-control', 'max-age=60'))],
  [
    'token-compressed',
    'Content-Encoding: br',
    at(TOKEN, setHeader('content-encoding', 'br'), ({ asked }) => asked['accept-encoding'] !== undefined),
  ],
  ['token-cookie', 'Set-Cookie', at(TOKEN, setHeader('set-cookie', 'sid=1; HttpOnly'))],
  [
    'token-cors',
    'read the metadata but not request tokens',
    at(TOKEN, html(405), ({ method }) => method === 'OPTIONS'),
  ],
  ['token-cors', 'request tokens but not read the metadata', at(WELL_KNOWN, dropHeader('access-control-allow-origin'))],
  ['token-cors-credentials', 'may request tokens with cookies', at(TOKEN, echoOrigin)],
];

const AUTHORIZE = '/oauth/authorize';

const PAGES: readonly Fault<keyof typeof DOCTOR_RULES>[] = [
  [
    'authorize-unknown-client',
    'a redirect to https://oauth-query-doctor.invalid/callback',
    at(AUTHORIZE, answer(302, 'text/plain', '', { location: `${FOREIGN}/callback?error=invalid_client` })),
  ],
  ['authorize-unknown-client', '500', at(AUTHORIZE, html(500))],
  ['authorize-unknown-client', '200', at(AUTHORIZE, html(200))],
  [
    'authorize-escapes',
    'unescaped',
    at(AUTHORIZE, (exchange) => {
      exchange.body = `<p>${exchange.query.get('client_id')} is not known`;
    }),
  ],
  ['authorize-cors', 'Access-Control-Allow-Origin is *', at(AUTHORIZE, setHeader('access-control-allow-origin', '*'))],
  [
    'page-framing',
    '/oauth/authorize: neither',
    at(AUTHORIZE, (exchange) => {
      dropHeader('x-frame-options')(exchange);
      setHeader('content-security-policy', "default-src 'none'")(exchange);
    }),
  ],
  [
    'page-policy',
    '/oauth/device: Content-Security-Policy is missing',
    at('/oauth/device', dropHeader('content-security-policy')),
  ],
  [
    'page-policy',
    "'unsafe-inline'",
    at(AUTHORIZE, setHeader('content-security-policy', "script-src 'self' 'unsafe-inline'")),
  ],
  ['page-referrer', 'Referrer-Policy is unsafe-url', at(AUTHORIZE, setHeader('referrer-policy', 'unsafe-url'))],
  ['page-cache', 'Cache-Control is public', at(AUTHORIZE, setHeader('cache-control', 'public'))],
  ['page-type', 'X-Content-Type-Options is missing', at(AUTHORIZE, dropHeader('x-content-type-options'))],
  [
    'page-cookies',
    'the cookie sid is set without HttpOnly, SameSite.',
    at('/oauth/device', setHeader('set-cookie', 'sid=1; Path=/')),
  ],
];

const PROGRAMS: readonly Fault<keyof typeof DOCTOR_RULES>[] = [
  ['introspection-anonymous', '200 with JSON', at('/oauth/introspect', json(200, '{"active":false}'))],
  ['introspection-unknown-client', '200 with JSON', at('/oauth/introspect', json(200, '{"active":false}'), hasBasic)],
  ['revocation-anonymous', '200 with JSON', at('/oauth/revoke', json(200, '{}'))],
  ['device-unknown-client', '200 with JSON', at('/oauth/device', json(200, '{"device_code":"x"}'), isPost)],
];

const KEYS: readonly Fault<keyof typeof DOCTOR_RULES>[] = [
  ['keys-found', '404', at('/oauth/jwks', html(404))],
  ['keys-found', 'without a key', keysOf((keys) => keys.splice(0))],
  ['keys-public', 'has the private member d', keysOf((keys) => Object.assign(keys[0] ?? {}, { d: 'AAAA' }))],
  [
    'keys-public',
    'the key "secret" has the private member k',
    keysOf((keys) => keys.push({ kty: 'oct', k: 'AAAA', kid: 'secret', alg: 'HS256', use: 'sig' })),
  ],
  [
    'keys-public',
    'the key "seed" has the private member priv',
    keysOf((keys) => keys.push({ kty: 'AKP', priv: 'AAAA', pub: 'AAAA', kid: 'seed', alg: 'ML-DSA-44', use: 'sig' })),
  ],
  ['keys-named', 'is there more than once', keysOf((keys) => keys.push({ ...keys[0] }))],
  ['keys-named', 'key 1 has no kid', keysOf((keys) => delete keys[0]?.['kid'])],
  [
    'keys-strong',
    'the key "short" has only 1024 bits',
    keysOf((keys) => keys.push({ ...weakKey(), kid: 'short', alg: 'RS256', use: 'sig' })),
  ],
  [
    'keys-strong',
    'the key "none" cannot be read',
    keysOf((keys) => keys.push({ kid: 'none', alg: 'ES256', use: 'sig' })),
  ],
  ['keys-purpose', 'lacks alg or use', keysOf((keys) => delete keys[0]?.['alg'])],
  ['keys-cache', 'Cache-Control is no-cache', at('/oauth/jwks', setHeader('cache-control', 'no-cache'))],
];

const general = (more: Json): Spoil =>
  edit(
    '/api',
    (body) => (Object.assign((body['query'] as Json)['general'] as Json, more), body),
    ({ query }) => query.get('meta') === 'siteinfo',
  );

const QUERY: readonly Fault<keyof typeof DOCTOR_RULES>[] = [
  ['query-on', '404', at('/api', html(404))],
  ['query-site', '200 with a body of type text/html', at('/api', html(200))],
  ['query-generator', 'generator is "Wiki 1.0"', general({ generator: 'Wiki 1.0' })],
  ['query-server', 'server is http://wiki.internal', general({ server: 'http://wiki.internal' })],
  ['query-paraminfo', 'action=paraminfo is answered with 200', at('/api', json(200, '{}'), action('paraminfo'))],
  ['query-errors', 'without error.code or MediaWiki-API-Error', at('/api', dropHeader('mediawiki-api-error'))],
  ['query-cors', 'Access-Control-Allow-Origin is missing', at('/api', dropHeader('access-control-allow-origin'))],
  [
    'query-token',
    'a wrong token is answered with 200',
    at('/api', json(200, '{"query":{"userinfo":{"anon":true}}}'), ({ asked }) => asked.authorization !== undefined),
  ],
];

const token = (more: Json): Spoil => edit(TOKEN, () => more, isIssued);

let issued = '';

const ownKey = generateKeyPairSync('ec', { namedCurve: 'P-256' });

const ofAnotherIssuer = (): string =>
  mint(
    { alg: 'ES256', kid: 'own', typ: 'at+jwt' },
    { iss: 'https://other.example', exp: Math.floor(Date.now() / 1000) + 60 },
    es256(ownKey.privateKey),
  );

const elsewhere = (name: string): Spoilt => [
  `the ${name} endpoint is at http://127.0.0.1:1, so the secret was not sent`,
  inMetadata({ [`${name}_endpoint`]: 'http://127.0.0.1:1/oauth' }),
];

const CLOSER: readonly Fault<keyof typeof DOCTOR_RULES>[] = [
  ['secret-host', ...elsewhere('introspection')],
  ['secret-host', ...elsewhere('revocation')],
  [
    'client-accepted',
    String.raw`400 with the error no\u202e\udb40\udc41\u009b2J`,
    at(TOKEN, json(400, '{"error":"no\u202e\u{e0041}\u009b2J"}'), isIssued),
  ],
  [
    'client-accepted',
    '400 with the error unauthorized_client',
    at(TOKEN, json(400, '{"error":"unauthorized_client"}'), isIssued),
  ],
  [
    'issued-no-store',
    String.raw`Cache-Control is private\u009b2J`,
    at(TOKEN, setHeader('cache-control', 'private\u009b2J'), isIssued),
  ],
  ['issued-no-store', 'Cache-Control is private', at(TOKEN, setHeader('cache-control', 'private'), isIssued)],
  ['issued-shape', 'expires_in is missing', token({ expires_in: undefined })],
  ['issued-shape', 'expires_in is "3600"', token({ expires_in: '3600' })],
  ['issued-shape', 'token_type is missing', token({ token_type: undefined })],
  ['issued-compressed', 'Content-Encoding is br', at(TOKEN, setHeader('content-encoding', 'br'), isIssued)],
  ['issued-lifetime', 'expires_in is 31536000', token({ expires_in: 31_536_000 })],
  [
    'wrong-secret',
    'it gets a token',
    at(
      TOKEN,
      json(200, '{"access_token":"x"}'),
      ({ status, asked }) =>
        status === 401 &&
        Buffer.from(asked.authorization?.slice(6) ?? '', 'base64')
          .toString()
          .startsWith('service:'),
    ),
  ],
  [
    'two-methods',
    'it gets a token',
    at(
      TOKEN,
      json(200, '{"access_token":"x"}'),
      (exchange) => hasBasic(exchange) && exchange.form.has('client_secret'),
    ),
  ],
  [
    'exchange-unknown',
    'it is answered with 200 with JSON',
    at(TOKEN, json(200, '{"access_token":"x"}'), (exchange) => exchange.form.has('subject_token')),
  ],
  [
    'bound-token',
    'it is answered with 200 with JSON',
    edit(
      TOKEN,
      () => ({ token_type: 'Bearer' }),
      ({ asked, body }) => 'dpop' in asked && body.includes('access_token'),
    ),
  ],
  [
    'bound-address',
    'Expected: http://inner/api',
    at(
      '/api',
      answer(401, 'application/json', '{}', {
        'www-authenticate': 'DPoP error="invalid_dpop_proof", error_description="Expected: http://inner/api"',
      }),
      ({ asked }) => 'dpop' in asked,
    ),
  ],
  ['issued-active', 'not as active for this client', at('/oauth/introspect', json(200, '{"active":false}'), hasBasic)],
  [
    'issued-signature',
    'signature verification failed',
    keysOf((keys) => {
      const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      keys.splice(0, 1, { ...keys[0], ...publicKey.export({ format: 'jwk' }) });
    }),
  ],
  [
    'issued-signature',
    'unexpected "iss" claim value',
    (exchange: Exchange) => {
      keysOf((keys) => keys.push({ ...ownKey.publicKey.export({ format: 'jwk' }), kid: 'own' }))(exchange);
      token({ access_token: ofAnotherIssuer() })(exchange);
    },
  ],
  [
    'revoked-inactive',
    'after a revocation (200 with JSON) introspection is answered with 200 with JSON',
    at('/oauth/introspect', (exchange) => {
      if (exchange.body.includes('"active":true')) issued = exchange.body;
      else if (exchange.status === 200) exchange.body = issued;
    }),
  ],
];

/** Faults that show to everyone, and those that only show to a client. */
export const BROKEN_SERVERS = {
  public: [METADATA, AT_TOKEN, PAGES, PROGRAMS, KEYS, QUERY].flat(),
  toClient: CLOSER,
};
