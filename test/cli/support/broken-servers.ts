import { generateKeyPairSync } from 'node:crypto';
import type { DOCTOR_RULES } from '../../../src/cli/doctor/examine.js';
import { es256, mint } from '../../oauth/support/jwt.js';
import type { Exchange, Spoil } from './bad-proxy.js';

/** One thing that is wrong with a server, and what the doctor has to say about it. */
export interface BrokenServer {
  readonly rule: keyof typeof DOCTOR_RULES;
  readonly what: string;
  readonly spoil: Spoil;
  /** In what was seen. */
  readonly seen: string;
  /** Whether it only shows with credentials. */
  readonly closer?: true;
}

const WELL_KNOWN = '/.well-known/oauth-authorization-server';
const TOKEN = '/oauth/token';
const FOREIGN = 'https://oauth-query-doctor.invalid';

type Json = Record<string, unknown>;

/** Spoils answers at one path, where a condition holds. */
const at =
  (path: string, spoil: Spoil, isMeant: (exchange: Exchange) => boolean = () => true): Spoil =>
  (exchange) => {
    if (exchange.path === path && isMeant(exchange)) spoil(exchange);
  };

const setHeader =
  (name: string, value: string): Spoil =>
  ({ headers }) => {
    headers[name] = value;
  };

const dropHeader =
  (name: string): Spoil =>
  ({ headers }) => {
    delete headers[name];
  };

const change =
  (edit: (body: Json) => void): Spoil =>
  (exchange) => {
    const body: Json = JSON.parse(exchange.body);
    edit(body);
    exchange.body = JSON.stringify(body);
  };

const answer =
  (status: number, type: string, body: string, more: Readonly<Record<string, string>> = {}): Spoil =>
  (exchange) => {
    exchange.status = status;
    exchange.headers = { 'content-type': type, ...more };
    exchange.body = body;
  };

const html = (status: number): Spoil => answer(status, 'text/html', '<h1>Welcome to the proxy</h1>');

const inMetadata = (more: Json): Spoil =>
  at(
    WELL_KNOWN,
    change((document) => Object.assign(document, more)),
  );

const isPost = ({ method }: Exchange): boolean => method === 'POST';
const hasBasic = ({ asked }: Exchange): boolean => asked.authorization?.startsWith('Basic ') ?? false;
const isIssued = ({ body }: Exchange): boolean => body.includes('access_token');
const action = (name: string) => (exchange: Exchange) => exchange.query.get('action') === name;

const echoOrigin: Spoil = (exchange) => {
  exchange.headers['access-control-allow-origin'] = exchange.asked.origin ?? '';
  exchange.headers['access-control-allow-credentials'] = 'true';
};

const keysOf = (edit: (keys: Json[]) => void): Spoil =>
  at(
    '/oauth/jwks',
    change((document) => edit(document['keys'] as Json[])),
  );

const weakKey = (): Json =>
  generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' }) as Json;

const METADATA: readonly BrokenServer[] = [
  { rule: 'metadata-found', what: '404', spoil: at(WELL_KNOWN, html(404)), seen: '404 with a body of type text/html' },
  {
    rule: 'metadata-found',
    what: 'a page',
    spoil: at(WELL_KNOWN, html(200)),
    seen: '200 with a body of type text/html',
  },
  {
    rule: 'metadata-found',
    what: 'a redirect to itself, for ever',
    spoil: at(WELL_KNOWN, answer(302, 'text/plain', '', { location: WELL_KNOWN })),
    seen: '302 with a redirect to /.well-known/',
  },
  {
    rule: 'metadata-found',
    what: 'JSON that is no object',
    spoil: at(WELL_KNOWN, answer(200, 'application/json', '[]')),
    seen: '200 with a body of type application/json',
  },
  {
    rule: 'metadata-found',
    what: 'a document without an end',
    spoil: at(WELL_KNOWN, answer(200, 'application/json', `{"issuer":"${'x'.repeat(600_000)}"}`)),
    seen: 'the response is longer than 512 KiB',
  },
  {
    rule: 'metadata-issuer',
    what: 'the inner address',
    spoil: inMetadata({ issuer: 'http://auth.internal:8080' }),
    seen: 'names "http://auth.internal:8080"',
  },
  {
    rule: 'metadata-issuer',
    what: 'a slash at the end',
    spoil: at(
      WELL_KNOWN,
      change((document) => {
        document['issuer'] = `${String(document['issuer'])}/`;
      }),
    ),
    seen: '/"',
  },
  {
    rule: 'metadata-complete',
    what: 'no response types',
    spoil: inMetadata({ response_types_supported: undefined }),
    seen: 'response_types_supported is missing',
  },
  {
    rule: 'metadata-complete',
    what: 'no endpoints',
    spoil: inMetadata({ token_endpoint: undefined, authorization_endpoint: undefined }),
    seen: 'token_endpoint, authorization_endpoint are missing',
  },
  {
    rule: 'metadata-endpoints',
    what: 'a relative address',
    spoil: inMetadata({ revocation_endpoint: '/oauth/revoke' }),
    seen: 'revocation_endpoint is "/oauth/revoke"',
  },
  {
    rule: 'metadata-endpoints',
    what: 'http on another host',
    spoil: inMetadata({ jwks_uri: 'http://[::ffff:127.0.0.1]:1/jwks' }),
    seen: 'jwks_uri is http://',
  },
  {
    rule: 'metadata-host',
    what: 'an endpoint elsewhere',
    spoil: inMetadata({ jwks_uri: 'http://localhost:1/jwks' }),
    seen: 'jwks_uri is on localhost:1',
  },
  {
    rule: 'metadata-cache',
    what: 'no lifetime',
    spoil: at(WELL_KNOWN, dropHeader('cache-control')),
    seen: 'Cache-Control is missing',
  },
  {
    rule: 'metadata-cors',
    what: 'closed to scripts',
    spoil: at(WELL_KNOWN, dropHeader('access-control-allow-origin')),
    seen: 'no Access-Control-Allow-Origin',
  },
  {
    rule: 'cors-credentials',
    what: 'every origin with cookies',
    spoil: at(WELL_KNOWN, echoOrigin),
    seen: 'may read the metadata with cookies',
  },
  ...['host', 'x-forwarded-host'].map((name): BrokenServer => ({
    rule: 'host-header',
    what: `an issuer made of ${name}`,
    spoil: (exchange) => {
      const host = exchange.asked[name];
      if (exchange.path === WELL_KNOWN && host === 'oauth-query-doctor.invalid')
        inMetadata({ issuer: `https://${host}` })(exchange);
    },
    seen: `a request with ${name}: oauth-query-doctor.invalid`,
  })),
  {
    rule: 'pkce',
    what: 'no challenge methods',
    spoil: inMetadata({ code_challenge_methods_supported: undefined }),
    seen: 'is missing',
  },
  {
    rule: 'pkce',
    what: 'only plain',
    spoil: inMetadata({ code_challenge_methods_supported: ['plain'] }),
    seen: 'is ["plain"]',
  },
  {
    rule: 'pkce-plain',
    what: 'plain too',
    spoil: inMetadata({ code_challenge_methods_supported: ['S256', 'plain'] }),
    seen: 'plain is also listed',
  },
  {
    rule: 'legacy-grants',
    what: 'the password grant',
    spoil: inMetadata({ grant_types_supported: ['authorization_code', 'password'] }),
    seen: 'password enabled',
  },
  {
    rule: 'legacy-grants',
    what: 'no list of grants, which means implicit too',
    spoil: inMetadata({ grant_types_supported: undefined }),
    seen: 'implicit enabled',
  },
  {
    rule: 'iss-parameter',
    what: 'no iss',
    spoil: inMetadata({ authorization_response_iss_parameter_supported: undefined }),
    seen: 'is not true',
  },
  {
    rule: 'clock',
    what: 'an hour behind',
    spoil: ({ headers }) => {
      headers['date'] = new Date(Date.now() - 3_600_000).toUTCString();
    },
    seen: '0 s behind',
  },
  {
    rule: 'clock',
    what: 'a minute ahead',
    spoil: ({ headers }) => {
      headers['date'] = new Date(Date.now() + 60_000).toUTCString();
    },
    seen: 's ahead',
  },
];

const AT_TOKEN: readonly BrokenServer[] = [
  {
    rule: 'token-reachable',
    what: 'a token endpoint on another host',
    spoil: inMetadata({ token_endpoint: 'http://localhost:1/oauth/token' }),
    seen: 'http://localhost:1/oauth/token: nothing listens there',
  },
  {
    rule: 'token-get',
    what: 'GET is answered',
    spoil: at(TOKEN, answer(200, 'application/json', '{}'), ({ method }) => method === 'GET'),
    seen: 'GET is answered with 200',
  },
  {
    rule: 'token-get',
    what: 'GET is redirected',
    spoil: at(TOKEN, answer(302, 'text/plain', '', { location: '/login' }), ({ method }) => method === 'GET'),
    seen: 'a redirect to /login',
  },
  {
    rule: 'token-errors',
    what: 'a page',
    spoil: at(TOKEN, html(400), isPost),
    seen: '400 with a body of type text/html',
  },
  { rule: 'token-errors', what: '502', spoil: at(TOKEN, html(502), isPost), seen: '502' },
  {
    rule: 'token-unknown-client',
    what: '400 for a wrong header',
    spoil: at(
      TOKEN,
      (exchange) => {
        exchange.status = 400;
      },
      hasBasic,
    ),
    seen: '400 with the error invalid_client',
  },
  {
    rule: 'token-unknown-client',
    what: 'another error',
    spoil: at(
      TOKEN,
      change((body) => Object.assign(body, { error: 'access_denied' })),
      hasBasic,
    ),
    seen: '401 with the error access_denied',
  },
  {
    rule: 'token-challenge',
    what: 'no challenge',
    spoil: at(TOKEN, dropHeader('www-authenticate')),
    seen: 'WWW-Authenticate is missing',
  },
  {
    rule: 'token-challenge',
    what: 'the wrong one',
    spoil: at(TOKEN, setHeader('www-authenticate', 'Negotiate'), hasBasic),
    seen: 'WWW-Authenticate is Negotiate',
  },
  {
    rule: 'token-body-client',
    what: '200',
    spoil: at(TOKEN, answer(200, 'application/json', '{}'), ({ form }) => form.has('client_secret')),
    seen: '200 with JSON',
  },
  {
    rule: 'token-no-store',
    what: 'a cache',
    spoil: at(TOKEN, setHeader('cache-control', 'max-age=60')),
    seen: 'Cache-Control is max-age=60',
  },
  {
    rule: 'token-compressed',
    what: 'compression that cannot even be unpacked',
    spoil: at(TOKEN, setHeader('content-encoding', 'br'), ({ asked }) => asked['accept-encoding'] !== undefined),
    seen: 'Content-Encoding: br',
  },
  {
    rule: 'token-cookie',
    what: 'a session for every program',
    spoil: at(TOKEN, setHeader('set-cookie', 'sid=1; HttpOnly')),
    seen: 'Set-Cookie',
  },
  {
    rule: 'token-cors',
    what: 'no preflight',
    spoil: at(TOKEN, html(405), ({ method }) => method === 'OPTIONS'),
    seen: 'read the metadata but not request tokens',
  },
  {
    rule: 'token-cors',
    what: 'metadata without clients',
    spoil: at(WELL_KNOWN, dropHeader('access-control-allow-origin')),
    seen: 'request tokens but not read the metadata',
  },
  {
    rule: 'token-cors-credentials',
    what: 'every origin with cookies',
    spoil: at(TOKEN, echoOrigin),
    seen: 'may request tokens with cookies',
  },
];

const AUTHORIZE = '/oauth/authorize';

const PAGES: readonly BrokenServer[] = [
  {
    rule: 'authorize-unknown-client',
    what: 'an open redirector',
    spoil: at(AUTHORIZE, answer(302, 'text/plain', '', { location: `${FOREIGN}/callback?error=invalid_client` })),
    seen: 'a redirect to https://oauth-query-doctor.invalid/callback',
  },
  { rule: 'authorize-unknown-client', what: 'a crash', spoil: at(AUTHORIZE, html(500)), seen: '500' },
  { rule: 'authorize-unknown-client', what: 'a sign-in form', spoil: at(AUTHORIZE, html(200)), seen: '200' },
  {
    rule: 'authorize-escapes',
    what: 'a client_id as markup',
    spoil: at(AUTHORIZE, (exchange) => {
      exchange.body = `<p>${exchange.query.get('client_id')} is not known`;
    }),
    seen: 'unescaped',
  },
  {
    rule: 'authorize-cors',
    what: 'CORS',
    spoil: at(AUTHORIZE, setHeader('access-control-allow-origin', '*')),
    seen: 'Access-Control-Allow-Origin is *',
  },
  {
    rule: 'page-framing',
    what: 'neither header',
    spoil: at(AUTHORIZE, (exchange) => {
      dropHeader('x-frame-options')(exchange);
      setHeader('content-security-policy', "default-src 'none'")(exchange);
    }),
    seen: '/oauth/authorize: neither',
  },
  {
    rule: 'page-policy',
    what: 'none, on the page for devices',
    spoil: at('/oauth/device', dropHeader('content-security-policy')),
    seen: '/oauth/device: Content-Security-Policy is missing',
  },
  {
    rule: 'page-policy',
    what: 'inline scripts',
    spoil: at(AUTHORIZE, setHeader('content-security-policy', "script-src 'self' 'unsafe-inline'")),
    seen: "'unsafe-inline'",
  },
  {
    rule: 'page-referrer',
    what: 'the complete URI for all clients',
    spoil: at(AUTHORIZE, setHeader('referrer-policy', 'unsafe-url')),
    seen: 'Referrer-Policy is unsafe-url',
  },
  {
    rule: 'page-cache',
    what: 'a page that is kept',
    spoil: at(AUTHORIZE, setHeader('cache-control', 'public')),
    seen: 'Cache-Control is public',
  },
  {
    rule: 'page-type',
    what: 'guessing',
    spoil: at(AUTHORIZE, dropHeader('x-content-type-options')),
    seen: 'X-Content-Type-Options is missing',
  },
  {
    rule: 'page-cookies',
    what: 'a cookie for scripts and other sites',
    spoil: at('/oauth/device', setHeader('set-cookie', 'sid=1; Path=/')),
    seen: 'the cookie sid is set without HttpOnly, SameSite.',
  },
];

const PROGRAMS: readonly BrokenServer[] = [
  {
    rule: 'introspection-anonymous',
    what: 'open to all',
    spoil: at('/oauth/introspect', answer(200, 'application/json', '{"active":false}')),
    seen: '200 with JSON',
  },
  {
    rule: 'introspection-unknown-client',
    what: 'open to made-up credentials',
    spoil: at('/oauth/introspect', answer(200, 'application/json', '{"active":false}'), hasBasic),
    seen: '200 with JSON',
  },
  {
    rule: 'revocation-anonymous',
    what: 'open to all',
    spoil: at('/oauth/revoke', answer(200, 'application/json', '{}')),
    seen: '200 with JSON',
  },
  {
    rule: 'device-unknown-client',
    what: 'codes for no client',
    spoil: at('/oauth/device', answer(200, 'application/json', '{"device_code":"x"}'), isPost),
    seen: '200 with JSON',
  },
];

const KEYS: readonly BrokenServer[] = [
  { rule: 'keys-found', what: '404', spoil: at('/oauth/jwks', html(404)), seen: '404' },
  { rule: 'keys-found', what: 'none', spoil: keysOf((keys) => keys.splice(0)), seen: 'without a key' },
  {
    rule: 'keys-public',
    what: 'a private half',
    spoil: keysOf((keys) => Object.assign(keys[0] ?? {}, { d: 'AAAA' })),
    seen: 'has the private member d',
  },
  {
    rule: 'keys-public',
    what: 'a shared secret',
    spoil: keysOf((keys) => keys.push({ kty: 'oct', k: 'AAAA', kid: 'secret', alg: 'HS256', use: 'sig' })),
    seen: 'the key "secret" has the private member k',
  },
  {
    rule: 'keys-named',
    what: 'two of one name',
    spoil: keysOf((keys) => keys.push({ ...keys[0] })),
    seen: 'is there more than once',
  },
  {
    rule: 'keys-named',
    what: 'no name',
    spoil: keysOf((keys) => delete keys[0]?.['kid']),
    seen: 'key 1 has no kid',
  },
  {
    rule: 'keys-strong',
    what: 'RSA of 1024 bits',
    spoil: keysOf((keys) => keys.push({ ...weakKey(), kid: 'short', alg: 'RS256', use: 'sig' })),
    seen: 'the key "short" has only 1024 bits',
  },
  {
    rule: 'keys-strong',
    what: 'not a key',
    spoil: keysOf((keys) => keys.push({ kid: 'none', alg: 'ES256', use: 'sig' })),
    seen: 'the key "none" cannot be read',
  },
  {
    rule: 'keys-purpose',
    what: 'no alg',
    spoil: keysOf((keys) => delete keys[0]?.['alg']),
    seen: 'lacks alg or use',
  },
  {
    rule: 'keys-cache',
    what: 'no lifetime',
    spoil: at('/oauth/jwks', setHeader('cache-control', 'no-cache')),
    seen: 'Cache-Control is no-cache',
  },
];

const general = (more: Json): Spoil =>
  at(
    '/api',
    change((body) => Object.assign((body['query'] as Json)['general'] as Json, more)),
    ({ query }) => query.get('meta') === 'siteinfo',
  );

const QUERY: readonly BrokenServer[] = [
  { rule: 'query-on', what: 'not switched on', spoil: at('/api', html(404)), seen: '404' },
  { rule: 'query-site', what: 'a page', spoil: at('/api', html(200)), seen: '200 with a body of type text/html' },
  {
    rule: 'query-generator',
    what: 'another program',
    spoil: general({ generator: 'Wiki 1.0' }),
    seen: 'generator is "Wiki 1.0"',
  },
  {
    rule: 'query-server',
    what: 'the inner address',
    spoil: general({ server: 'http://wiki.internal' }),
    seen: 'server is http://wiki.internal',
  },
  {
    rule: 'query-paraminfo',
    what: 'nothing about modules',
    spoil: at('/api', answer(200, 'application/json', '{}'), action('paraminfo')),
    seen: 'action=paraminfo is answered with 200',
  },
  {
    rule: 'query-errors',
    what: 'a header that is gone',
    spoil: at('/api', dropHeader('mediawiki-api-error')),
    seen: 'without error.code or MediaWiki-API-Error',
  },
  {
    rule: 'query-cors',
    what: 'a header that is gone',
    spoil: at('/api', dropHeader('access-control-allow-origin')),
    seen: 'Access-Control-Allow-Origin is missing',
  },
  {
    rule: 'query-token',
    what: 'a stranger instead of a wrong token',
    spoil: at(
      '/api',
      answer(200, 'application/json', '{"query":{"userinfo":{"anon":true}}}'),
      ({ asked }) => asked.authorization !== undefined,
    ),
    seen: 'a wrong token is answered with 200',
  },
];

const token = (more: Json): Spoil =>
  at(
    TOKEN,
    change((body) => Object.assign(body, more)),
    isIssued,
  );

let issued = '';

const ownKey = generateKeyPairSync('ec', { namedCurve: 'P-256' });

const ofAnotherIssuer = (): string =>
  mint(
    { alg: 'ES256', kid: 'own', typ: 'at+jwt' },
    { iss: 'https://other.example', exp: Math.floor(Date.now() / 1000) + 60 },
    es256(ownKey.privateKey),
  );

const CLOSER: readonly BrokenServer[] = [
  ...['introspection', 'revocation'].map((name): BrokenServer => ({
    rule: 'secret-host',
    what: `the ${name} endpoint on another port`,
    spoil: inMetadata({ [`${name}_endpoint`]: 'http://127.0.0.1:1/oauth' }),
    seen: `the ${name} endpoint is at http://127.0.0.1:1, so the secret was not sent`,
  })),
  {
    rule: 'client-accepted',
    what: 'an error with direction marks and tags',
    spoil: at(TOKEN, answer(400, 'application/json', '{"error":"no\u202e\u{e0041}\u009b2J"}'), isIssued),
    seen: String.raw`400 with the error no\u202e\udb40\udc41\u009b2J`,
  },
  {
    rule: 'issued-no-store',
    what: 'C1 controls in a header',
    spoil: at(TOKEN, setHeader('cache-control', 'private\u009b2J'), isIssued),
    seen: String.raw`Cache-Control is private\u009b2J`,
  },
  {
    rule: 'client-accepted',
    what: 'a client that may not',
    spoil: at(TOKEN, answer(400, 'application/json', '{"error":"unauthorized_client"}'), isIssued),
    seen: '400 with the error unauthorized_client',
  },
  { rule: 'issued-shape', what: 'no lifetime', spoil: token({ expires_in: undefined }), seen: 'expires_in is missing' },
  {
    rule: 'issued-shape',
    what: 'a lifetime as text',
    spoil: token({ expires_in: '3600' }),
    seen: 'expires_in is "3600"',
  },
  { rule: 'issued-shape', what: 'no type', spoil: token({ token_type: undefined }), seen: 'token_type is missing' },
  {
    rule: 'issued-no-store',
    what: 'a cache',
    spoil: at(TOKEN, setHeader('cache-control', 'private'), isIssued),
    seen: 'Cache-Control is private',
  },
  {
    rule: 'issued-compressed',
    what: 'compression',
    spoil: at(TOKEN, setHeader('content-encoding', 'br'), isIssued),
    seen: 'Content-Encoding is br',
  },
  { rule: 'issued-lifetime', what: 'a year', spoil: token({ expires_in: 31_536_000 }), seen: 'expires_in is 31536000' },
  {
    rule: 'wrong-secret',
    what: 'any secret will do',
    spoil: at(
      TOKEN,
      answer(200, 'application/json', '{"access_token":"x"}'),
      ({ status, asked }) =>
        status === 401 &&
        Buffer.from(asked.authorization?.slice(6) ?? '', 'base64')
          .toString()
          .startsWith('service:'),
    ),
    seen: 'it gets a token',
  },
  {
    rule: 'two-methods',
    what: 'header and body at once',
    spoil: at(
      TOKEN,
      answer(200, 'application/json', '{"access_token":"x"}'),
      (exchange) => hasBasic(exchange) && exchange.form.has('client_secret'),
    ),
    seen: 'it gets a token',
  },
  {
    rule: 'bound-token',
    what: 'a proxy that drops the header',
    spoil: at(
      TOKEN,
      change((body) => Object.assign(body, { token_type: 'Bearer' })),
      ({ asked, body }) => 'dpop' in asked && body.includes('access_token'),
    ),
    seen: 'it is answered with 200 with JSON',
  },
  {
    rule: 'bound-address',
    what: 'a proxy that changes the path',
    spoil: at(
      '/api',
      answer(401, 'application/json', '{}', {
        'www-authenticate': 'DPoP error="invalid_dpop_proof", error_description="Expected: http://inner/api"',
      }),
      ({ asked }) => 'dpop' in asked,
    ),
    seen: 'Expected: http://inner/api',
  },
  {
    rule: 'issued-active',
    what: 'another store',
    spoil: at('/oauth/introspect', answer(200, 'application/json', '{"active":false}'), hasBasic),
    seen: 'not as active for this client',
  },
  {
    rule: 'issued-signature',
    what: 'another key',
    spoil: keysOf((keys) => {
      const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      keys.splice(0, 1, { ...keys[0], ...publicKey.export({ format: 'jwk' }) });
    }),
    seen: 'signature verification failed',
  },
  {
    rule: 'issued-signature',
    what: 'another issuer',
    spoil: (exchange: Exchange) => {
      keysOf((keys) => keys.push({ ...ownKey.publicKey.export({ format: 'jwk' }), kid: 'own' }))(exchange);
      token({ access_token: ofAnotherIssuer() })(exchange);
    },
    seen: 'unexpected "iss" claim value',
  },
  {
    rule: 'revoked-inactive',
    what: 'introspection that is cached',
    spoil: at('/oauth/introspect', (exchange) => {
      if (exchange.body.includes('"active":true')) issued = exchange.body;
      else if (exchange.status === 200) exchange.body = issued;
    }),
    seen: 'after a revocation (200 with JSON) introspection is answered with 200 with JSON',
  },
].map((server): BrokenServer => ({ ...server, closer: true }));

export const BROKEN_SERVERS: readonly BrokenServer[] = [
  ...METADATA,
  ...AT_TOKEN,
  ...PAGES,
  ...PROGRAMS,
  ...KEYS,
  ...QUERY,
  ...CLOSER,
];
