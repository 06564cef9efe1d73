import { createHmac, randomUUID } from 'node:crypto';
import { exportSPKI, importJWK } from 'jose';
import { type AssertionIssuer, assertions } from 'oauth-query/assertions';
import { featureServer } from 'oauth-query/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ID_JAG, JWT_BEARER, part, Signer } from './support.js';

type Kind = 'id-jag' | 'bearer' | 'workload';

const OTHER_TYPES: readonly unknown[] = [
  ...[null, true, false, 0, -1, -0.5, Number.MAX_VALUE, 'text', '', [], ['a', 'b'], [null], [[1]], {}],
  ...[{ jkt: 'x', x: 1 }, { toString: 'x' }],
];

let idp: Signer;
let partner: Signer;
let other: Signer;
let cluster: Signer;
let called = 0;
let sent = 0;
/** All that were refused. */
const refused = new Set<string>();
let ahead = 0;

/** Seconds since the epoch, by the clock of the server. */
const now = (): number => Math.floor(Date.now() / 1000) + ahead;

const start = () => {
  const owner: AssertionIssuer['owner'] = () => {
    called += 1;
    return { sub: 'alice' };
  };
  const resource = 'https://api.example/mcp';
  return featureServer({
    scopes: { read: 'Read', write: 'Write' },
    resources: [resource],
    features: [
      assertions({
        issuers: [
          idp.entry({ kind: 'id-jag', owner }),
          partner.entry({ owner }),
          other.entry({ owner: () => ({ sub: 'bob' }) }),
          cluster.entry({
            kind: 'workload',
            clients: () => {
              called += 1;
              return 'web';
            },
          }),
        ],
      }),
    ],
  });
};

let server: Awaited<ReturnType<typeof start>>;

beforeAll(async () => {
  idp = await Signer.make('https://idp.example', 'RS256');
  partner = await Signer.make('https://partner.example', 'ES256');
  other = await Signer.make('https://other.example', 'ES256');
  cluster = await Signer.make('https://cluster.example', 'PS256');
  server = await start();
});

afterAll(async () => {
  expect(server.errors).toEqual([]);
  await server.close();
});

/** Statements about programs come without other credentials. */
const present = async (assertion: string, kind: Kind) => {
  sent += 1;
  const answer = await server.post(
    '/oauth/token',
    { grant_type: JWT_BEARER, assertion },
    kind === 'workload' ? {} : undefined,
  );
  if (answer.status === 400) refused.add(assertion);
  return answer;
};

/** The records that assertions have caused, beside the counts of wrong credentials. */
const records = (): readonly string[] =>
  [...server.store.entries()].map(([key]) => key).filter((key) => !key.includes('limit'));

/** Waits before a limit on wrong credentials is reached. */
const wait = (): void => {
  if (sent < 8) return;
  sent = 0;
  server.advance(61);
  ahead += 61;
};

/** The claims of each kind. */
const claimsOf = (signer: Signer): Record<string, unknown> => ({
  ...signer.claims(server.issuer, now()),
  ...(signer === idp && { client_id: 'web', resource: 'https://api.example/mcp', scope: 'read' }),
});

const headerOf = (signer: Signer): Record<string, unknown> => (signer === idp ? { typ: ID_JAG } : {});

/** @returns what was issued, without the token itself. */
const tokens = ({ status, json }: Awaited<ReturnType<typeof present>>) => ({
  status,
  hasToken: json !== undefined && 'access_token' in json,
});

const REFUSED = { status: 400, hasToken: false };

describe.each(['id-jag', 'bearer', 'workload'] as const)('an assertion of the kind %s', (kind) => {
  const signerOf = (): Signer => ({ 'id-jag': idp, bearer: partner, workload: cluster })[kind];

  const claimsWrong: readonly (readonly [string, unknown])[] = [
    ...[
      'iss',
      'sub',
      'aud',
      'exp',
      ...(kind === 'workload' ? [] : ['jti']),
      ...(kind === 'id-jag' ? ['client_id', 'iat', 'resource'] : []),
    ].map((name) => [name, undefined] as const),
    ...['iss', 'sub', 'aud', 'exp', 'iat', 'nbf', 'jti', 'cnf', 'scope', 'resource', 'authorization_details'].flatMap(
      (name) => OTHER_TYPES.filter((given) => !isRight(name, given, kind)).map((given) => [name, given] as const),
    ),
    ...(kind === 'id-jag'
      ? ['client_id', 'auth_time', 'acr', 'amr'].flatMap((name) =>
          OTHER_TYPES.filter((given) => !isRight(name, given, kind)).map((given) => [name, given] as const),
        )
      : []),
    ['sub', 'x'.repeat(256)],
    ...(kind === 'workload' ? [] : [['jti', 'x'.repeat(257)] as const]),
    ['exp', () => now() - 31],
    ['exp', () => now() + (kind === 'id-jag' ? 630 : 3630)],
    ['iat', () => now() + 60],
    ['nbf', () => now() + 60],
    ['iss', 'https://unknown.example'],
    // Whose key it must be is known once the program is.
    ...(kind === 'workload' ? [] : [['cnf', { jkt: 'a thumbprint' }] as const]),
  ];

  test('is refused with any one claim wrong, and nobody is looked up', async () => {
    const before = called;
    const kept = records();
    const results = [];
    for (const [name, wrong] of claimsWrong) {
      const signer = signerOf();
      wait();
      const claims = { ...claimsOf(signer), [name]: typeof wrong === 'function' ? wrong() : wrong };
      if (wrong === undefined) delete claims[name];
      const answer = await present(await signer.sign(claims, headerOf(signer)), kind);
      results.push({ name, wrong, ...tokens(answer) });
    }
    expect(results.length).toBeGreaterThan(95);
    expect(results.filter(({ status, hasToken }) => status !== 400 || hasToken)).toEqual([]);
    expect(called).toBe(before);
    expect(records().filter((key) => !kept.includes(key))).toEqual([]);
  });

  test('is refused if it has any member twice, at whatever depth', async () => {
    const signer = signerOf();
    server.advance(61);
    ahead += 61;
    const claims = { ...claimsOf(signer), nested: { a: [{ b: ':"' }] } };
    const json = JSON.stringify(claims);
    const twice = [
      json.replace('{', `{"iss":${JSON.stringify(signer.issuer)},`),
      json.replace(/\}$/, `,"sub":"17"}`),
      json.replace(/\}$/, `,"s\\u0075b":"17"}`),
      json.replace('"b"', '"b":1,"b"'),
      json.replace(/\}$/, ',"__proto__":1,"__proto__":2}'),
    ];
    for (const text of twice)
      expect([text, tokens(await present(await signer.signText(text, headerOf(signer)), kind))]).toEqual([
        text,
        REFUSED,
      ]);
    expect(tokens(await present(await signer.signText(json, headerOf(signer)), kind)).hasToken).toBe(true);
    const [head = '', body = '', signature = ''] = (await signer.signText(json, headerOf(signer))).split('.');
    const header = Buffer.from(head, 'base64url').toString().replace('{', '{"alg":"none",');
    expect(tokens(await present(`${Buffer.from(header).toString('base64url')}.${body}.${signature}`, kind))).toEqual(
      REFUSED,
    );
    server.advance(61);
    ahead += 61;
  });

  test('is refused for several audiences, and for one that only looks like ours', async () => {
    const { issuer } = server;
    const all = [
      [issuer, issuer],
      [issuer, 'https://x.example'],
      `${issuer}.evil.example`,
      `${issuer}/x`,
      issuer.slice(0, -1),
      issuer.toUpperCase(),
      [],
    ];
    for (const aud of all) {
      const signer = signerOf();
      wait();
      const answer = await present(await signer.sign({ ...claimsOf(signer), aud }, headerOf(signer)), kind);
      expect({ aud, ...tokens(answer) }).toEqual({ aud, ...REFUSED });
    }
  });

  test('is refused whose header or signature is wrong, with one sentence for all', async () => {
    const signer = signerOf();
    server.advance(61);
    ahead += 61;
    const claims = claimsOf(signer);
    const good = await signer.sign(claims, headerOf(signer));
    const [head = '', body = '', signature = ''] = good.split('.');
    const header = { alg: signer.alg, kid: signer.jwk.kid, ...headerOf(signer) };
    const spki = await exportSPKI((await importJWK({ ...signer.jwk }, signer.alg)) as never);
    const hmac = (secret: string, text: string): string =>
      createHmac('sha256', secret).update(text).digest('base64url');
    const confused = `${part({ ...header, alg: 'HS256' })}.${body}`;
    const foreign = signer === partner ? other : partner;
    const all = [
      'text',
      '..',
      `${head}.${body}.`,
      `${head}.${body}`,
      `${good}.x`,
      `${part({ ...header, alg: 'none' })}.${body}.`,
      `${part({ ...header, alg: 'none' })}.${body}.${signature}`,
      `${confused}.${hmac(spki, confused)}`,
      `${confused}.${hmac(JSON.stringify(signer.jwk), confused)}`,
      ...[null, 1, [], {}, ''].map((alg) => `${part({ ...header, alg })}.${body}.${signature}`),
      ...[null, 1, [], {}, 'unknown'].map((kid) => `${part({ ...header, kid })}.${body}.${signature}`),
      `${head}.${part({ ...claims, sub: '18' })}.${signature}`,
      `${head}.${part([claims])}.${signature}`,
      `${head}.${part('text')}.${signature}`,
      `${head}.${body}.${signature.slice(0, -4)}AAAA`,
      `${part({ ...header, crit: ['x'], x: 1 })}.${body}.${signature}`,
      // Another issuer's key, with the name of the key or without.
      await foreign.sign(claims, headerOf(signer)),
      await foreign.sign(claims, { ...headerOf(signer), kid: signer.jwk.kid }),
      await foreign.sign(claims, { ...headerOf(signer), kid: undefined }),
      await foreign.sign(claims, {
        ...headerOf(signer),
        jwk: foreign.jwk,
        jku: 'http://127.0.0.1:9/',
        x5u: 'http://127.0.0.1:9/',
      }),
    ];
    const sentences = new Set<unknown>();
    const statuses = new Set<number>();
    for (const assertion of all) {
      const answer = await present(assertion, kind);
      statuses.add(answer.status);
      if (answer.status === 400) sentences.add(answer.text);
      expect(answer.json).not.toHaveProperty('access_token');
    }
    // After ten of them the address has to wait.
    expect([...statuses].toSorted((a, b) => a - b)).toEqual([400, 429]);
    expect(sentences.size).toBe(1);
    server.advance(61);
    ahead += 61;
  });

  test('is accepted with one harmless change', async () => {
    const { issuer } = server;
    const signer = signerOf();
    const changes: readonly (readonly [Record<string, unknown>, Record<string, unknown>])[] = [
      [{}, {}],
      [{ aud: [issuer] }, {}],
      [{ aud: `${issuer}/` }, {}],
      [{ nbf: now() - 10 }, {}],
      [{ nbf: now() + 20, iat: now() + 20 }, {}],
      [{ unknown: { nested: [1, null] } }, {}],
      [{ sub: 'ü'.repeat(255) }, {}],
      [{ jti: 'x'.repeat(256) }, {}],
      [{ exp: now() + 100.5 }, {}],
      [{}, { kid: undefined }],
      [{}, { jwk: other.jwk, jku: 'http://127.0.0.1:9/', x5u: 'http://127.0.0.1:9/' }],
      ...(kind === 'id-jag'
        ? ([
            [{}, { typ: 'application/OAuth-ID-JAG+JWT' }],
            [{ resource: ['https://api.example/mcp', 'https://elsewhere.example'] }, {}],
            [{ auth_time: now() - 100, acr: 'urn:example:two', amr: ['pwd', 'otp'] }, {}],
          ] as const)
        : ([
            [{}, { typ: 'JWT' }],
            [{ aud: `${issuer}/oauth/token` }, {}],
            [{ iat: undefined }, {}],
            [{ client_id: 'somebody' }, {}],
          ] as const)),
    ];
    for (const [claims, header] of changes) {
      const all: Record<string, unknown> = { ...claimsOf(signer), iat: now(), exp: now() + 300, ...claims };
      if (claims['jti'] === undefined) all['jti'] = randomUUID();
      const answer = await present(await signer.sign(all, { ...headerOf(signer), ...header }), kind);
      expect({ claims, header, answer: answer.status === 200 ? 200 : answer.text }).toEqual({
        claims,
        header,
        answer: 200,
      });
    }
  });

  test.each([
    'at+jwt',
    'dpop+jwt',
    'logout+jwt',
    'token-introspection+jwt',
    'secevent+jwt',
    'client-authentication+jwt',
    'x',
  ])('is refused with the type %s', async (typ) => {
    const signer = signerOf();
    wait();
    const answer = await present(await signer.sign(claimsOf(signer), { typ }), kind);
    expect(tokens(answer)).toEqual(REFUSED);
  });
});

test('these were at least 650 wrong assertions, each different', () => {
  console.log(`Wrong assertions: ${refused.size}`);
  expect(refused.size).toBeGreaterThanOrEqual(650);
});

/** Whether a value is one that the claim may have. */
const isRight = (name: string, given: unknown, kind: Kind): boolean => {
  // What a platform gives for several uses needs no name, and its scopes are not ours.
  if (kind === 'workload' && ['jti', 'scope', 'resource'].includes(name)) return true;
  if (name === 'aud') return false;
  if (name === 'sub' || name === 'jti' || name === 'acr') return given === 'text';
  if (name === 'nbf' || name === 'auth_time') return given === 0;
  if (name === 'amr') return Array.isArray(given) && given.every((one) => typeof one === 'string');
  return false;
};
