import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createRemoteJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import type { KeySource, SigningKey } from '../../../src/core/base/key-source.js';
import { generateKey, KeyRing, type SigningAlgorithm } from '../../../src/core/oauth/keys/signing-keys.js';
import { createServer } from '../../../src/core/server/server.js';
import { memoryStore } from '../../../src/stores/memory.js';
import { hostFor, oneHostEach } from '../../hosts.js';
import { fixture, START } from '../support/fixture.js';
import { es256, newKey, read } from '../support/jwt.js';
import { Flows } from '../support/tokens.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const jwkOf = (key: KeyObject) => key.export({ format: 'jwk' }) as Record<string, unknown>; // Node gives a plain object.
const pemOf = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString();

// Node 22 and later fail, instead of saying that a signature is wrong, if the key is of another kind.
test('a key is found only by a header that names its algorithm', async () => {
  const keys = new KeyRing({
    source: [{ key: newKey(), kid: 'one' }],
    clock: () => START,
    tokenLifetimeMs: HOUR,
    onError: (error) => expect(error).toBeUndefined(),
  });
  expect(await keys.find({ kid: 'one', alg: 'ES256' })).toBeDefined();
  for (const header of [{ kid: 'one', alg: 'RS256' }, { kid: 'one' }, { kid: 'two', alg: 'ES256' }, { alg: 'ES256' }])
    expect(await keys.find(header)).toBeUndefined();
});

describe.each(hostFor(import.meta.url))('signing keys on $name', (host) => {
  const start = async (jwt: KeySource | true) => {
    const { options, errors, advance } = fixture({ jwt });
    const running = await host.start({ options, guarded: { open: { scope: [] } } });
    const flows = new Flows(running);
    return {
      running,
      errors,
      advance,
      flows,
      token: async () => (await flows.ownTokens()).access_token,
      published: async () => {
        const { keys } = JSON.parse((await flows.client.get('/oauth/jwks')).text) as JSONWebKeySet;
        return keys.map(({ kid }) => String(kid)).toSorted();
      },
      signer: async () => read((await flows.ownTokens()).access_token).header['kid'],
      /** What the guard and introspection think of a token. They never differ. */
      isAlive: async (token: string) => {
        const [{ status }, active] = await Promise.all([flows.guarded('open', token), flows.isActive(token)]);
        expect(status).toBe(active ? 200 : 401);
        return active;
      },
    };
  };

  test.each([
    ['ES256', ['crv', 'kty', 'x', 'y']],
    ['EdDSA', ['crv', 'kty', 'x']],
    ['RS256', ['e', 'kty', 'n']],
  ] as const)(
    '#101 #102 %s signs tokens that others can verify, and publishes no private member (RFC 7517)',
    async (algorithm, members) => {
      const key = generateKey(algorithm);
      const { running, flows, token, isAlive } = await start([{ key }]);
      const jwt = await token();
      expect(read(jwt).header).toMatchObject({ alg: algorithm, typ: 'at+jwt' });
      expect(await isAlive(jwt)).toBe(true);
      const { keys } = JSON.parse((await flows.client.get('/oauth/jwks')).text) as JSONWebKeySet;
      expect(keys.map((jwk) => Object.keys(jwk).toSorted())).toEqual([[...members, 'alg', 'kid', 'use'].toSorted()]);
      const remote = createRemoteJWKSet(new URL(`${running.base}/oauth/jwks`));
      const { payload } = await jwtVerify(jwt, remote, { algorithms: [algorithm], currentDate: new Date(START) });
      expect(payload.iss).toBe(running.base);
    },
  );

  const key = newKey();
  test.each<readonly [string, SigningKey]>([
    ['PEM', { key: pemOf(key) }],
    ['JWK', { key: jwkOf(key) }],
    ['KeyObject', { key }],
    ['vault', { key: { publicKey: jwkOf(createPublicKey(key)), sign: async (data) => es256(key)(Buffer.from(data)) } }],
    // The public half of a vault may come with too much; only the public members are published.
    [
      'vault that shows its private key',
      { key: { publicKey: jwkOf(key), sign: (data) => es256(key)(Buffer.from(data)) } },
    ],
  ])('#101 a key as %s is the same key, with its thumbprint as kid (RFC 7638)', async (_form, signingKey) => {
    const { flows, token, isAlive, published } = await start([signingKey]);
    expect(await isAlive(await token())).toBe(true);
    const { calculateJwkThumbprint } = await import('jose');
    expect(await published()).toEqual([await calculateJwkThumbprint(createPublicKey(key))]);
    expect((await flows.client.get('/oauth/jwks')).text).not.toContain('"d"');
  });

  test('#101 a new key is published before it signs, and the old one until its last token has expired (RFC 8414 §2)', async () => {
    const keys: KeySource = [
      { key: newKey(), kid: 'old' },
      { key: newKey(), kid: 'new', signFrom: START + HOUR },
    ];
    const { advance, token, published, signer, isAlive } = await start(keys);
    expect([await signer(), await published()]).toEqual(['old', ['new', 'old']]);
    advance(3599);
    const last = await token();
    expect(read(last).header['kid']).toBe('old');
    advance(1);
    const first = await token();
    expect([read(first).header['kid'], await published(), await isAlive(last)]).toEqual(['new', ['new', 'old'], true]);
    advance(3598);
    expect([await isAlive(last), await isAlive(first), await published()]).toEqual([true, true, ['new', 'old']]);
    advance(1);
    expect([await isAlive(last), await isAlive(first), await published()]).toEqual([false, true, ['new', 'old']]);
    advance(1);
    expect([await published(), await signer()]).toEqual([['new'], 'new']);
  });

  test('#101 a key of another kind may follow: each token is signed with the algorithm of its key', async () => {
    const { advance, token, isAlive } = await start([
      { key: generateKey('ES256') },
      { key: generateKey('RS256'), signFrom: START + MINUTE },
    ]);
    const first = await token();
    advance(60);
    const second = await token();
    expect([first, second].map((jwt) => read(jwt).header['alg'])).toEqual(['ES256', 'RS256']);
    expect([await isAlive(first), await isAlive(second)]).toEqual([true, true]);
  });

  test('#101 a key of another kind may replace one of the same name', async () => {
    let algorithm: SigningAlgorithm = 'ES256';
    const { advance, token, isAlive } = await start(() => [{ key: generateKey(algorithm), kid: 'main' }]);
    for (algorithm of ['ES256', 'EdDSA'] as const) {
      advance(60);
      const jwt = await token();
      expect([read(jwt).header['alg'], await isAlive(jwt)]).toEqual([algorithm, true]);
    }
  });

  test('#101 of keys without signFrom the first signs, and the others are published', async () => {
    const keys: KeySource = [
      { key: newKey(), kid: 'new' },
      { key: newKey(), kid: 'old' },
      { key: newKey(), kid: 'next', signFrom: START + HOUR },
    ];
    const { advance, published, signer } = await start(keys);
    expect([await signer(), await published()]).toEqual(['new', ['new', 'next', 'old']]);
    advance(7199);
    expect([await signer(), await published()]).toEqual(['next', ['new', 'next', 'old']]);
    advance(1);
    expect([await signer(), await published()]).toEqual(['next', ['next']]);
  });

  test('#101 a provider is called once for many requests and again after a minute; if it fails, the last valid keys remain', async () => {
    let answers = 0;
    let provide: () => readonly SigningKey[] | Promise<readonly SigningKey[]> = () => [{ key, kid: 'one' }];
    const { flows, errors, advance, signer, published, isAlive, token } = await start(() => {
      answers += 1;
      return provide();
    });
    await Promise.all(Array.from({ length: 20 }, () => flows.ownTokens()));
    expect(answers).toBe(1);
    const jwt = await token();

    provide = async () => [
      { key: newKey(), kid: 'two' },
      { key, kid: 'one' },
    ];
    advance(59);
    expect([await signer(), answers]).toEqual(['one', 1]);
    advance(1);
    expect([await signer(), answers, await published(), await isAlive(jwt)]).toEqual(['two', 2, ['one', 'two'], true]);

    for (const failing of [() => Promise.reject(new Error('vault away')), () => [], () => [{ key: 'nonsense' }]]) {
      provide = failing;
      advance(60);
      expect([await signer(), await isAlive(jwt)]).toEqual(['two', true]);
    }
    expect(errors.splice(0).map(String)).toEqual([
      'Error: vault away',
      'TypeError: options.jwt must contain at least one key.',
      expect.stringMatching(/^TypeError: options\.jwt\[0\] is a string without -----BEGIN/),
    ]);

    // A key that is withdrawn takes its tokens along, although they were found to be good a moment ago.
    provide = () => [{ key: newKey(), kid: 'three' }];
    advance(60);
    expect([await isAlive(jwt), await published()]).toEqual([false, ['three']]);
    provide = () => [{ key: newKey(), kid: 'one' }];
    advance(60);
    expect(await isAlive(jwt)).toBe(false);
    expect(errors).toEqual([]);
  });

  test('#13 #101 a provider that fails from the start is a 503 everywhere, until it succeeds', async () => {
    let provide = (): readonly SigningKey[] => {
      throw new Error('the secret reason of the vault');
    };
    const { flows, errors, isAlive, token } = await start(() => provide());
    const jwt = `${Buffer.from('{"alg":"ES256","typ":"at+jwt","kid":"x"}').toString('base64url')}.e30.AAAA`;
    for (const ask of [
      () => flows.token('service', { grant_type: 'client_credentials' }),
      () => flows.client.get('/oauth/jwks'),
      () => flows.introspect(jwt),
      () => flows.guarded('open', jwt),
    ]) {
      const { status, headers, text } = await ask();
      expect([status, headers['retry-after']]).toEqual([503, '5']);
      expect(text).not.toContain('secret reason');
    }
    expect(errors.splice(0)).toHaveLength(4);
    provide = () => [{ key }];
    expect(await isAlive(await token())).toBe(true);
    expect(errors).toEqual([]);
  });

  test('#13 #102 a vault that is unreachable, or signs with another key or format, issues no token', async () => {
    const publicKey = jwkOf(createPublicKey(key));
    const signers: Readonly<
      Record<string, readonly [status: number, sign: (data: Uint8Array) => Promise<Uint8Array>]>
    > = {
      away: [503, () => Promise.reject(new Error('connect ECONNREFUSED'))],
      'with another key': [500, async (data) => es256(newKey())(Buffer.from(data))],
      'in DER': [500, async (data) => sign('sha256', data, key)],
      nothing: [500, async () => new Uint8Array()],
    };
    for (const [name, [status, signer]] of Object.entries(signers)) {
      const { flows, errors } = await start([{ key: { publicKey, sign: signer } }]);
      const answer = await flows.token('service', { grant_type: 'client_credentials' });
      expect([name, answer.status, answer.text.includes('access_token')]).toEqual([name, status, false]);
      expect(errors.splice(0)).toHaveLength(1);
    }
  });

  test('#13 a refresh while the vault is unreachable ends no grant: the same token works afterwards', async () => {
    let away = false;
    const vault = {
      publicKey: jwkOf(createPublicKey(key)),
      sign: async (data: Uint8Array) =>
        away ? Promise.reject(new Error('vault away')) : es256(key)(Buffer.from(data)),
    };
    const { flows, errors, advance, isAlive } = await start([{ key: vault }]);
    const { refresh_token } = await flows.tokens('web');
    away = true;
    for (let attempt = 0; attempt < 3; attempt += 1) {
      expect((await flows.refresh('web', refresh_token)).status).toBe(503);
      advance(60);
    }
    away = false;
    const tokens = await flows.refreshed('web', refresh_token);
    expect(await isAlive(tokens.access_token)).toBe(true);
    expect(errors.splice(0)).toHaveLength(3);
  });

  test('#13 a server whose only key may not sign yet answers 503', async () => {
    const { flows, errors, advance, signer } = await start([{ key, kid: 'later', signFrom: START + MINUTE }]);
    expect((await flows.token('service', { grant_type: 'client_credentials' })).status).toBe(503);
    expect(errors.splice(0).map(String)).toEqual([
      'UnavailableError: No key of options.jwt may sign yet: every signFrom is in the future.',
    ]);
    advance(60);
    expect(await signer()).toBe('later');
  });
});

describe('two servers that share a store and a key', () => {
  test("accept each other's JWTs, until one of them revokes them", async () => {
    const { options } = fixture({ jwt: [{ key: newKey() }] });
    const issuer = 'https://auth.example';
    const hosts = await Promise.all(
      oneHostEach
        .slice(0, 2)
        .map((host) => host.start({ options: { ...options, issuer }, guarded: { open: { scope: [] } } })),
    );
    const [one, two] = hosts.map((host) => new Flows(host));
    if (one === undefined || two === undefined) throw new Error('There are no two hosts.');
    const { access_token } = await one.ownTokens();
    const statuses = () =>
      Promise.all([one, two].map(async (flows) => (await flows.guarded('open', access_token)).status));
    expect(await statuses()).toEqual([200, 200]);
    await two.revoke('service', access_token);
    expect(await statuses()).toEqual([401, 401]);
  });
});

describe('wrong options', () => {
  const store = memoryStore();
  const build =
    (jwt: unknown, more: object = { issuer: 'https://example.org' }) =>
    () =>
      createServer({ store, runtime: { clock: Date.now }, jwt: jwt as KeySource, ...more }); // Options come from JavaScript too.
  const ec = newKey();
  const keys = (...given: readonly unknown[]) => given;
  const rsa = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength }).privateKey;
  const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey;

  const NO_KEYS = ' must be true, or an array of keys, or a function that returns one.';
  const NO_KEY = '[0] must be an object with a key; is the environment variable set?';
  const UNREADABLE = '[0] cannot be read as a private key: PKCS#8 PEM, JWK or KeyObject.';
  const KIND = '[0] is none of P-256, Ed25519 and RSA with at least 2048 bits.';
  const publicPem = createPublicKey(ec).export({ type: 'spki', format: 'pem' });

  test.each<readonly [unknown, string]>([
    [{ format: 'jwt' }, NO_KEYS],
    [false, NO_KEYS],
    [pemOf(ec), NO_KEYS],
    [keys(), ' must contain at least one key.'],
    [keys(undefined), NO_KEY],
    [keys({ key: undefined }), NO_KEY],
    [keys({ key: ec }, pemOf(ec)), NO_KEY.replace('0', '1')],
    [keys({ key: '' }), '[0] is empty; is the environment variable set?'],
    [keys({ key: null }), UNREADABLE],
    [keys({ key: jwkOf(createPublicKey(ec)) }), UNREADABLE],
    [keys({ key: publicPem }), '[0] is a public key.'],
    [keys({ key: createPublicKey(ec) }), '[0] is not a private key.'],
    [keys({ key: p384 }), KIND],
    [keys({ key: rsa(1024) }), KIND],
    [keys({ key: ec, kid: '' }), '[0] has a kid that is not a string.'],
    [keys({ key: ec, signFrom: '2030-01-01' }), '[0] has a signFrom that is not a number of milliseconds.'],
    [keys({ key: ec }, { key: createPrivateKey(pemOf(ec)) }), ' has the same kid twice.'],
  ])('%o: options.jwt%s', (jwt, sentence) => {
    expect(build(jwt)).toThrow(`options.jwt${sentence}`);
  });

  test('JWTs need an issuer, and generated keys cause a warning', () => {
    expect(build(true, {})).toThrow('options.jwt: JWTs name their issuer, so options.issuer is needed.');
    const warnings: string[] = [];
    build(true, { issuer: 'https://example.org', onWarning: (sentence: string) => warnings.push(sentence) })();
    expect(warnings.join()).toContain('keys in jwt (');
  });
});
