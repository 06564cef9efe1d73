/** What the entry for `fetch` promises, as a program without a test framework, so that any runtime can run it. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { hashSecret } from 'oauth-query';
import { dpop } from 'oauth-query/dpop';
import { oauthQuery, type OAuthQueryOptions } from 'oauth-query/fetch';
import { openIdConnect } from 'oauth-query/openid';
import { query } from 'oauth-query/query';
import { memoryStore } from 'oauth-query/stores/memory';

export interface Row {
  readonly what: string;
  /** Absent if it works. */
  readonly error?: string;
}

const ISSUER = 'https://auth.example.org';
const CALLBACK = 'https://app.example/callback';
const SECRET = 'a secret of the checks that has 32 characters';
const CLIENT = { client_id: 'web', client_secret: 'x'.repeat(40) };

const server = (options: OAuthQueryOptions = {}) =>
  oauthQuery({
    issuer: ISSUER,
    secret: SECRET,
    store: memoryStore(),
    address: () => '203.0.113.7',
    scopes: { 'photos.read': 'See your photos' },
    clients: [
      {
        ...CLIENT,
        redirect_uris: [CALLBACK],
        grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
      },
    ],
    users: [{ username: 'alice', password: { scrypt: hashSecret('wonderland') } }],
    onError: (error) => void problems.push(String(error)),
    onWarning: () => undefined,
    ...options,
  });

const rsaKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

/** What servers reported to `onError`. */
const problems: string[] = [];

const is = (given: unknown, wanted: unknown, what: string): void => {
  if (given !== wanted) throw new Error(`${what}: ${String(given)} instead of ${String(wanted)}`);
};

type Server = ReturnType<typeof server>;

const post = (path: string, fields: Record<string, string>, cookie = ''): Request =>
  new Request(ISSUER + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      origin: ISSUER,
      ...(cookie === '' ? {} : { cookie }),
    },
    body: new URLSearchParams(fields).toString(),
  });

const tokens = async (oauth: Server, fields: Record<string, string>): Promise<Record<string, string>> => {
  const response = await oauth.handler(post('/oauth/token', { ...CLIENT, ...fields }));
  const body = (await response.json()) as Record<string, string>;
  is(response.status, 200, `token endpoint (${JSON.stringify(body)})`);
  return body;
};

const own = (oauth: Server) => tokens(oauth, { grant_type: 'client_credentials' });

const guarded = async (oauth: Server, token = ''): Promise<number> => {
  const guard = oauth.guard('photos.read');
  const request = new Request(`${ISSUER}/photos`, { headers: { authorization: `Bearer ${token}` } });
  return (await guard(request, ({ sub }) => Response.json({ sub }))).status;
};

const hiddenFields = (html: string): Record<string, string> =>
  Object.fromEntries(
    [...html.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([input]) => {
      const value = (name: string): string => new RegExp(`${name}="([^"]*)"`).exec(input)?.[1] ?? '';
      return [value('name'), value('value').replaceAll('&amp;', '&')];
    }),
  );

/** Signs in, allows access and redeems the code, as a browser and a client do. */
const codeFlow = async (oauth: Server, scope: string): Promise<Record<string, string>> => {
  const verifier = randomBytes(32).toString('base64url');
  const parameters = new URLSearchParams({
    response_type: 'code',
    client_id: CLIENT.client_id,
    redirect_uri: CALLBACK,
    scope,
    state: 's',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const cookies = new Map<string, string>();
  const send = async (request: Request): Promise<Response> => {
    const response = await oauth.handler(request);
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      cookies.set(pair.slice(0, pair.indexOf('=')), pair);
    }
    return response;
  };
  const path = `/oauth/authorize?${parameters.toString()}`;
  const jar = (): string => [...cookies.values()].join('; ');
  let response = await send(new Request(ISSUER + path));
  for (let step = 0; step < 6; step += 1) {
    const location = response.headers.get('location') ?? '';
    if (location.startsWith(CALLBACK)) {
      const code = new URL(location).searchParams.get('code') ?? '';
      if (code === '') throw new Error(`the client got no code: ${location}`);
      return tokens(oauth, { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: verifier });
    }
    if (location !== '') {
      response = await send(new Request(new URL(location, ISSUER), { headers: { cookie: jar() } }));
      continue;
    }
    const html = await response.text();
    is(response.status, 200, 'a page');
    const action = (/<form[^>]*action="([^"]*)"/.exec(html)?.[1] ?? path).replaceAll('&amp;', '&');
    const typed: Record<string, string> = html.includes('type="password"')
      ? { username: 'alice', password: 'wonderland' }
      : { decision: 'approve' };
    response = await send(post(action, { ...hiddenFields(html), ...typed }, jar()));
  }
  throw new Error('the flow does not end');
};

const signed = async (key: KeyObject): Promise<void> => {
  const oauth = server({ jwt: [{ key }] });
  const { access_token = '' } = await own(oauth);
  is(access_token.split('.').length, 3, 'parts');
  is(await guarded(oauth, access_token), 200, 'with a signed token');
};

/** A token bound to a key; a proof with a changed signature is refused. */
const bound = async (alg: string, algorithm: EcKeyGenParams | RsaHashedKeyGenParams): Promise<void> => {
  const { privateKey, publicKey } = (await crypto.subtle.generateKey(algorithm, true, [
    'sign',
    'verify',
  ])) as CryptoKeyPair;
  const jwk = await crypto.subtle.exportKey('jwk', publicKey);
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { jti: 'proof', htm: 'POST', htu: `${ISSUER}/oauth/token`, iat: Math.floor(Date.now() / 1000) };
  const text = `${part({ typ: 'dpop+jwt', alg, jwk })}.${part(claims)}`;
  const signature = Buffer.from(await crypto.subtle.sign(algorithm, privateKey, Buffer.from(text)));
  const respond = async (): Promise<readonly unknown[]> => {
    const request = post('/oauth/token', { ...CLIENT, grant_type: 'client_credentials' });
    request.headers.set('dpop', `${text}.${signature.toString('base64url')}`);
    const response = await server({ features: [dpop()] }).handler(request);
    return [response.status, ((await response.json()) as { token_type?: string }).token_type];
  };
  is((await respond()).join(' '), '200 DPoP', alg);
  signature[9] = (signature[9] ?? 0) ^ 1;
  is((await respond())[0], 400, `${alg}, changed`);
};

const CHECKS: Readonly<Record<string, () => Promise<void> | void>> = {
  'the metadata': async () => {
    const response = await server().handler(new Request(`${ISSUER}/.well-known/oauth-authorization-server`));
    is(((await response.json()) as { issuer: string }).issuer, ISSUER, 'issuer');
  },
  'a token, a guard, a revocation': async () => {
    const oauth = server();
    const { access_token: token = '' } = await own(oauth);
    is(await guarded(oauth, token), 200, 'with a token');
    is(await guarded(oauth, 'x'), 401, 'with another text');
    await oauth.handler(post('/oauth/revoke', { ...CLIENT, token }));
    is(await guarded(oauth, token), 401, 'after the revocation');
  },
  'sign-in with a hashed password, consent, code, refresh': async () => {
    const oauth = server();
    const { refresh_token = '' } = await codeFlow(oauth, 'photos.read');
    const { access_token } = await tokens(oauth, { grant_type: 'refresh_token', refresh_token });
    is(await guarded(oauth, access_token), 200, 'after a refresh');
  },
  'tokens signed with RS256': () => signed(rsaKey()),
  'tokens signed with ES256': () => signed(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey),

  'OpenID Connect': async () => {
    const { id_token = '' } = await codeFlow(
      server({ features: [openIdConnect({ keys: [{ key: rsaKey() }] })] }),
      'openid',
    );
    is(id_token.split('.').length, 3, 'parts of the ID token');
  },
  'DPoP with ES256 and RS256': async () => {
    await bound('ES256', { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' });
    const rsa = { modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) };
    await bound('RS256', { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', ...rsa });
  },
  'the query API': async () => {
    const response = await server({ features: [query()] }).handler(
      new Request(`${ISSUER}/api?action=query&meta=siteinfo&format=json&formatversion=2`),
    );
    const { query: found } = (await response.json()) as { query?: { general?: object } };
    is(typeof found?.general, 'object', 'siteinfo');
  },
  'a request body that never ends is given up': async () => {
    const oauth = server({ timeout: 200 });
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('grant_type=')),
    });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
    is((await oauth.handler(new Request(`${ISSUER}/oauth/token`, init))).status, 408, 'status');
  },
};

export const run = async (): Promise<readonly Row[]> => {
  const rows: Row[] = [];
  for (const [what, check] of Object.entries(CHECKS)) {
    problems.length = 0;
    try {
      await check();
      rows.push({ what });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      rows.push({ what, error: [reason, ...problems].join('; ') });
    }
  }
  return rows;
};
