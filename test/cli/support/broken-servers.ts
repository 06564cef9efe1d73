import { generateKeyPairSync } from 'node:crypto';
import type { DOCTOR_RULES } from '../../../src/cli/doctor/examine.js';
import { es256, mint } from '../../oauth/support/jwt.js';
import type { Exchange, Spoil } from './bad-proxy.js';

/** By rule, and by what is wrong with a server: what the doctor has seen, and how the server is spoiled. */
export type Faults<Rule extends string> = Readonly<Partial<Record<Rule, Readonly<Record<string, Fault>>>>>;

type Fault = readonly [seen: string, spoil: Spoil];

/** One row for each fault. */
export const rowsOf = <Rule extends string>(faults: Faults<Rule>): readonly (readonly [Rule, string, ...Fault])[] =>
  Object.entries<Readonly<Record<string, Fault>> | undefined>(faults).flatMap(([rule, own = {}]) =>
    // The keys are rules.
    Object.entries(own).map(([what, fault]) => [rule as Rule, what, ...fault] as const),
  );

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

/** A server that derives its issuer from a header. */
const followed = (name: string): Fault => [
  `a request with ${name}: oauth-query-doctor.invalid`,
  (exchange) => {
    const host = exchange.asked[name];
    if (exchange.path === WELL_KNOWN && host === 'oauth-query-doctor.invalid')
      inMetadata({ issuer: `https://${host}` })(exchange);
  },
];

const METADATA: Faults<keyof typeof DOCTOR_RULES> = {
  'metadata-found': {
    '404': ['404 with a body of type text/html', at(WELL_KNOWN, html(404))],
    'a page': ['200 with a body of type text/html', at(WELL_KNOWN, html(200))],
    'a redirect to itself, for ever': [
      '302 with a redirect to /.well-known/',
      at(WELL_KNOWN, answer(302, 'text/plain', '', { location: WELL_KNOWN })),
    ],
    'JSON that is no object': [
      '200 with a body of type application/json',
      at(WELL_KNOWN, answer(200, 'application/json', '[]')),
    ],
    'a document without an end': [
      'the response is longer than 512 KiB',
      at(WELL_KNOWN, answer(200, 'application/json', `{"issuer":"${'x'.repeat(600_000)}"}`)),
    ],
  },
  'metadata-issuer': {
    'the inner address': ['names "http://auth.internal:8080"', inMetadata({ issuer: 'http://auth.internal:8080' })],
    'a slash at the end': [
      '/"',
      at(
        WELL_KNOWN,
        change((document) => {
          document['issuer'] = `${String(document['issuer'])}/`;
        }),
      ),
    ],
  },
  'metadata-complete': {
    'no response types': ['response_types_supported is missing', inMetadata({ response_types_supported: undefined })],
    'no endpoints': [
      'token_endpoint, authorization_endpoint are missing',
      inMetadata({ token_endpoint: undefined, authorization_endpoint: undefined }),
    ],
  },
  'metadata-endpoints': {
    'a relative address': [
      'revocation_endpoint is "/oauth/revoke"',
      inMetadata({ revocation_endpoint: '/oauth/revoke' }),
    ],
    'http on another host': ['jwks_uri is http://', inMetadata({ jwks_uri: 'http://[::ffff:127.0.0.1]:1/jwks' })],
  },
  'metadata-host': {
    'an endpoint elsewhere': ['jwks_uri is on localhost:1', inMetadata({ jwks_uri: 'http://localhost:1/jwks' })],
  },
  'metadata-cache': { 'no lifetime': ['Cache-Control is missing', at(WELL_KNOWN, dropHeader('cache-control'))] },
  'metadata-cors': {
    'closed to scripts': ['no Access-Control-Allow-Origin', at(WELL_KNOWN, dropHeader('access-control-allow-origin'))],
  },
  'cors-credentials': {
    'every origin with cookies': ['may read the metadata with cookies', at(WELL_KNOWN, echoOrigin)],
  },
  'host-header': {
    'an issuer made of host': followed('host'),
    'an issuer made of x-forwarded-host': followed('x-forwarded-host'),
  },
  pkce: {
    'no challenge methods': ['is missing', inMetadata({ code_challenge_methods_supported: undefined })],
    'only plain': ['is ["plain"]', inMetadata({ code_challenge_methods_supported: ['plain'] })],
  },
  'pkce-plain': {
    'plain too': ['plain is also listed', inMetadata({ code_challenge_methods_supported: ['S256', 'plain'] })],
  },
  'legacy-grants': {
    'the password grant': [
      'password enabled',
      inMetadata({ grant_types_supported: ['authorization_code', 'password'] }),
    ],
    'no list of grants, which means implicit too': [
      'implicit enabled',
      inMetadata({ grant_types_supported: undefined }),
    ],
  },
  'iss-parameter': {
    'no iss': ['is not true', inMetadata({ authorization_response_iss_parameter_supported: undefined })],
  },
  clock: {
    'an hour behind': [
      '0 s behind',
      ({ headers }) => {
        headers['date'] = new Date(Date.now() - 3_600_000).toUTCString();
      },
    ],
    'a minute ahead': [
      's ahead',
      ({ headers }) => {
        headers['date'] = new Date(Date.now() + 60_000).toUTCString();
      },
    ],
  },
};

const AT_TOKEN: Faults<keyof typeof DOCTOR_RULES> = {
  'token-reachable': {
    'a token endpoint on another host': [
      'http://localhost:1/oauth/token: nothing listens there',
      inMetadata({ token_endpoint: 'http://localhost:1/oauth/token' }),
    ],
  },
  'token-get': {
    'GET is answered': [
      'GET is answered with 200',
      at(TOKEN, answer(200, 'application/json', '{}'), ({ method }) => method === 'GET'),
    ],
    'GET is redirected': [
      'a redirect to /login',
      at(TOKEN, answer(302, 'text/plain', '', { location: '/login' }), ({ method }) => method === 'GET'),
    ],
  },
  'token-errors': {
    'a page': ['400 with a body of type text/html', at(TOKEN, html(400), isPost)],
    '502': ['502', at(TOKEN, html(502), isPost)],
  },
  'token-unknown-client': {
    '400 for a wrong header': [
      '400 with the error invalid_client',
      at(
        TOKEN,
        (exchange) => {
          exchange.status = 400;
        },
        hasBasic,
      ),
    ],
    'another error': [
      '401 with the error access_denied',
      at(
        TOKEN,
        change((body) => Object.assign(body, { error: 'access_denied' })),
        hasBasic,
      ),
    ],
  },
  'token-challenge': {
    'no challenge': ['WWW-Authenticate is missing', at(TOKEN, dropHeader('www-authenticate'))],
    'the wrong one': ['WWW-Authenticate is Negotiate', at(TOKEN, setHeader('www-authenticate', 'Negotiate'), hasBasic)],
  },
  'token-body-client': {
    '200': ['200 with JSON', at(TOKEN, answer(200, 'application/json', '{}'), ({ form }) => form.has('client_secret'))],
  },
  'token-no-store': { 'a cache': ['Cache-Control is max-age=60', at(TOKEN, setHeader('cache-control', 'max-age=60'))] },
  'token-compressed': {
    'compression that cannot even be unpacked': [
      'Content-Encoding: br',
      at(TOKEN, setHeader('content-encoding', 'br'), ({ asked }) => asked['accept-encoding'] !== undefined),
    ],
  },
  'token-cookie': {
    'a session for every program': ['Set-Cookie', at(TOKEN, setHeader('set-cookie', 'sid=1; HttpOnly'))],
  },
  'token-cors': {
    'no preflight': [
      'read the metadata but not request tokens',
      at(TOKEN, html(405), ({ method }) => method === 'OPTIONS'),
    ],
    'metadata without clients': [
      'request tokens but not read the metadata',
      at(WELL_KNOWN, dropHeader('access-control-allow-origin')),
    ],
  },
  'token-cors-credentials': { 'every origin with cookies': ['may request tokens with cookies', at(TOKEN, echoOrigin)] },
};

const AUTHORIZE = '/oauth/authorize';

const PAGES: Faults<keyof typeof DOCTOR_RULES> = {
  'authorize-unknown-client': {
    'an open redirector': [
      'a redirect to https://oauth-query-doctor.invalid/callback',
      at(AUTHORIZE, answer(302, 'text/plain', '', { location: `${FOREIGN}/callback?error=invalid_client` })),
    ],
    'a crash': ['500', at(AUTHORIZE, html(500))],
    'a sign-in form': ['200', at(AUTHORIZE, html(200))],
  },
  'authorize-escapes': {
    'a client_id as markup': [
      'unescaped',
      at(AUTHORIZE, (exchange) => {
        exchange.body = `<p>${exchange.query.get('client_id')} is not known`;
      }),
    ],
  },
  'authorize-cors': {
    CORS: ['Access-Control-Allow-Origin is *', at(AUTHORIZE, setHeader('access-control-allow-origin', '*'))],
  },
  'page-framing': {
    'neither header': [
      '/oauth/authorize: neither',
      at(AUTHORIZE, (exchange) => {
        dropHeader('x-frame-options')(exchange);
        setHeader('content-security-policy', "default-src 'none'")(exchange);
      }),
    ],
  },
  'page-policy': {
    'none, on the page for devices': [
      '/oauth/device: Content-Security-Policy is missing',
      at('/oauth/device', dropHeader('content-security-policy')),
    ],
    'inline scripts': [
      "'unsafe-inline'",
      at(AUTHORIZE, setHeader('content-security-policy', "script-src 'self' 'unsafe-inline'")),
    ],
  },
  'page-referrer': {
    'the complete URI for all clients': [
      'Referrer-Policy is unsafe-url',
      at(AUTHORIZE, setHeader('referrer-policy', 'unsafe-url')),
    ],
  },
  'page-cache': {
    'a page that is kept': ['Cache-Control is public', at(AUTHORIZE, setHeader('cache-control', 'public'))],
  },
  'page-type': { guessing: ['X-Content-Type-Options is missing', at(AUTHORIZE, dropHeader('x-content-type-options'))] },
  'page-cookies': {
    'a cookie for scripts and other sites': [
      'the cookie sid is set without HttpOnly, SameSite.',
      at('/oauth/device', setHeader('set-cookie', 'sid=1; Path=/')),
    ],
  },
};

const PROGRAMS: Faults<keyof typeof DOCTOR_RULES> = {
  'introspection-anonymous': {
    'open to all': ['200 with JSON', at('/oauth/introspect', answer(200, 'application/json', '{"active":false}'))],
  },
  'introspection-unknown-client': {
    'open to made-up credentials': [
      '200 with JSON',
      at('/oauth/introspect', answer(200, 'application/json', '{"active":false}'), hasBasic),
    ],
  },
  'revocation-anonymous': {
    'open to all': ['200 with JSON', at('/oauth/revoke', answer(200, 'application/json', '{}'))],
  },
  'device-unknown-client': {
    'codes for no client': [
      '200 with JSON',
      at('/oauth/device', answer(200, 'application/json', '{"device_code":"x"}'), isPost),
    ],
  },
};

const KEYS: Faults<keyof typeof DOCTOR_RULES> = {
  'keys-found': {
    '404': ['404', at('/oauth/jwks', html(404))],
    none: ['without a key', keysOf((keys) => keys.splice(0))],
  },
  'keys-public': {
    'a private half': ['has the private member d', keysOf((keys) => Object.assign(keys[0] ?? {}, { d: 'AAAA' }))],
    'a shared secret': [
      'the key "secret" has the private member k',
      keysOf((keys) => keys.push({ kty: 'oct', k: 'AAAA', kid: 'secret', alg: 'HS256', use: 'sig' })),
    ],
    'a seed of a post-quantum key': [
      'the key "seed" has the private member priv',
      keysOf((keys) => keys.push({ kty: 'AKP', priv: 'AAAA', pub: 'AAAA', kid: 'seed', alg: 'ML-DSA-44', use: 'sig' })),
    ],
  },
  'keys-named': {
    'two of one name': ['is there more than once', keysOf((keys) => keys.push({ ...keys[0] }))],
    'no name': ['key 1 has no kid', keysOf((keys) => delete keys[0]?.['kid'])],
  },
  'keys-strong': {
    'RSA of 1024 bits': [
      'the key "short" has only 1024 bits',
      keysOf((keys) => keys.push({ ...weakKey(), kid: 'short', alg: 'RS256', use: 'sig' })),
    ],
    'not a key': [
      'the key "none" cannot be read',
      keysOf((keys) => keys.push({ kid: 'none', alg: 'ES256', use: 'sig' })),
    ],
  },
  'keys-purpose': { 'no alg': ['lacks alg or use', keysOf((keys) => delete keys[0]?.['alg'])] },
  'keys-cache': {
    'no lifetime': ['Cache-Control is no-cache', at('/oauth/jwks', setHeader('cache-control', 'no-cache'))],
  },
};

const general = (more: Json): Spoil =>
  at(
    '/api',
    change((body) => Object.assign((body['query'] as Json)['general'] as Json, more)),
    ({ query }) => query.get('meta') === 'siteinfo',
  );

const QUERY: Faults<keyof typeof DOCTOR_RULES> = {
  'query-on': { 'not switched on': ['404', at('/api', html(404))] },
  'query-site': { 'a page': ['200 with a body of type text/html', at('/api', html(200))] },
  'query-generator': { 'another program': ['generator is "Wiki 1.0"', general({ generator: 'Wiki 1.0' })] },
  'query-server': {
    'the inner address': ['server is http://wiki.internal', general({ server: 'http://wiki.internal' })],
  },
  'query-paraminfo': {
    'nothing about modules': [
      'action=paraminfo is answered with 200',
      at('/api', answer(200, 'application/json', '{}'), action('paraminfo')),
    ],
  },
  'query-errors': {
    'a header that is gone': [
      'without error.code or MediaWiki-API-Error',
      at('/api', dropHeader('mediawiki-api-error')),
    ],
  },
  'query-cors': {
    'a header that is gone': [
      'Access-Control-Allow-Origin is missing',
      at('/api', dropHeader('access-control-allow-origin')),
    ],
  },
  'query-token': {
    'a stranger instead of a wrong token': [
      'a wrong token is answered with 200',
      at(
        '/api',
        answer(200, 'application/json', '{"query":{"userinfo":{"anon":true}}}'),
        ({ asked }) => asked.authorization !== undefined,
      ),
    ],
  },
};

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

const elsewhere = (name: string): Fault => [
  `the ${name} endpoint is at http://127.0.0.1:1, so the secret was not sent`,
  inMetadata({ [`${name}_endpoint`]: 'http://127.0.0.1:1/oauth' }),
];

const CLOSER: Faults<keyof typeof DOCTOR_RULES> = {
  'secret-host': {
    'the introspection endpoint on another port': elsewhere('introspection'),
    'the revocation endpoint on another port': elsewhere('revocation'),
  },
  'client-accepted': {
    'an error with direction marks and tags': [
      String.raw`400 with the error no\u202e\udb40\udc41\u009b2J`,
      at(TOKEN, answer(400, 'application/json', '{"error":"no\u202e\u{e0041}\u009b2J"}'), isIssued),
    ],
    'a client that may not': [
      '400 with the error unauthorized_client',
      at(TOKEN, answer(400, 'application/json', '{"error":"unauthorized_client"}'), isIssued),
    ],
  },
  'issued-no-store': {
    'C1 controls in a header': [
      String.raw`Cache-Control is private\u009b2J`,
      at(TOKEN, setHeader('cache-control', 'private\u009b2J'), isIssued),
    ],
    'a cache': ['Cache-Control is private', at(TOKEN, setHeader('cache-control', 'private'), isIssued)],
  },
  'issued-shape': {
    'no lifetime': ['expires_in is missing', token({ expires_in: undefined })],
    'a lifetime as text': ['expires_in is "3600"', token({ expires_in: '3600' })],
    'no type': ['token_type is missing', token({ token_type: undefined })],
  },
  'issued-compressed': {
    compression: ['Content-Encoding is br', at(TOKEN, setHeader('content-encoding', 'br'), isIssued)],
  },
  'issued-lifetime': { 'a year': ['expires_in is 31536000', token({ expires_in: 31_536_000 })] },
  'wrong-secret': {
    'any secret will do': [
      'it gets a token',
      at(
        TOKEN,
        answer(200, 'application/json', '{"access_token":"x"}'),
        ({ status, asked }) =>
          status === 401 &&
          Buffer.from(asked.authorization?.slice(6) ?? '', 'base64')
            .toString()
            .startsWith('service:'),
      ),
    ],
  },
  'two-methods': {
    'header and body at once': [
      'it gets a token',
      at(
        TOKEN,
        answer(200, 'application/json', '{"access_token":"x"}'),
        (exchange) => hasBasic(exchange) && exchange.form.has('client_secret'),
      ),
    ],
  },
  'bound-token': {
    'a proxy that drops the header': [
      'it is answered with 200 with JSON',
      at(
        TOKEN,
        change((body) => Object.assign(body, { token_type: 'Bearer' })),
        ({ asked, body }) => 'dpop' in asked && body.includes('access_token'),
      ),
    ],
  },
  'bound-address': {
    'a proxy that changes the path': [
      'Expected: http://inner/api',
      at(
        '/api',
        answer(401, 'application/json', '{}', {
          'www-authenticate': 'DPoP error="invalid_dpop_proof", error_description="Expected: http://inner/api"',
        }),
        ({ asked }) => 'dpop' in asked,
      ),
    ],
  },
  'issued-active': {
    'another store': [
      'not as active for this client',
      at('/oauth/introspect', answer(200, 'application/json', '{"active":false}'), hasBasic),
    ],
  },
  'issued-signature': {
    'another key': [
      'signature verification failed',
      keysOf((keys) => {
        const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
        keys.splice(0, 1, { ...keys[0], ...publicKey.export({ format: 'jwk' }) });
      }),
    ],
    'another issuer': [
      'unexpected "iss" claim value',
      (exchange: Exchange) => {
        keysOf((keys) => keys.push({ ...ownKey.publicKey.export({ format: 'jwk' }), kid: 'own' }))(exchange);
        token({ access_token: ofAnotherIssuer() })(exchange);
      },
    ],
  },
  'revoked-inactive': {
    'introspection that is cached': [
      'after a revocation (200 with JSON) introspection is answered with 200 with JSON',
      at('/oauth/introspect', (exchange) => {
        if (exchange.body.includes('"active":true')) issued = exchange.body;
        else if (exchange.status === 200) exchange.body = issued;
      }),
    ],
  },
};

/** Faults that show to everyone, and those that only show to a client. */
export const BROKEN_SERVERS = {
  public: [METADATA, AT_TOKEN, PAGES, PROGRAMS, KEYS, QUERY].flatMap(rowsOf),
  toClient: rowsOf(CLOSER),
};
