import { constants, createPublicKey, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { generateKeyPair } from 'jose';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { describe, expect, test } from 'vitest';
import { checkClient } from '../../../src/core/oauth/clients/check-client.js';
import type { ClientRegistration } from '../../../src/core/oauth/clients/client.js';
import { createServer } from '../../../src/core/server/server.js';
import { memoryStore } from '../../../src/stores/memory.js';
import { type Answer, basic, bearer, Client, hostFor, oneHostEach, type RunningHost, useHost } from '../../hosts.js';
import { rsaPair } from '../../rsa.js';
import { fixture } from '../support/fixture.js';
import { type Claims, es256, forgeries, mint, newKey } from '../support/jwt.js';
import { limitsOfSuite, limitsOfTest } from '../support/limits.js';
import { distantStore } from '../support/stores.js';
import { Flows, refusal } from '../support/tokens.js';

const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const DENIED = [401, 'invalid_client'];

const statusesOf = (answers: readonly Answer[]) => answers.map(({ status }) => status).toSorted((a, b) => a - b);

const publicJwk = (key: KeyObject, more: Claims = {}) => ({
  ...createPublicKey(key).export({ format: 'jwk' }),
  ...more,
});

describe.each(hostFor(import.meta.url))('private_key_jwt on $name', (host) => {
  const [key, next, foreign] = [newKey(), newKey(), newKey()];
  const rsa = rsaPair().privateKey;
  const clients: readonly ClientRegistration[] = [
    {
      client_id: 'signer',
      jwks: { keys: [publicJwk(key, { kid: 'one' }), publicJwk(next, { kid: 'two' })] },
      scope: 'content.read',
    },
    { client_id: 'other', jwks: { keys: [publicJwk(foreign, { kid: 'one' })] } },
    { client_id: 'auditor', jwks: { keys: [publicJwk(key, { kid: 'one' })] }, introspect: true },
    {
      client_id: 'site',
      jwks: { keys: [publicJwk(key, { kid: 'one' })] },
      redirect_uris: ['https://site.example/cb'],
      scope: 'profile',
    },
    { client_id: 'rsa', jwks: { keys: [publicJwk(rsa)] } },
    { client_id: 'pss', jwks: { keys: [publicJwk(rsa)] }, token_endpoint_auth_signing_alg: 'PS256' },
    { client_id: 'guesser', jwks: { keys: [publicJwk(key, { kid: 'one' })] } },
    { client_id: 'forger', jwks: { keys: [publicJwk(key, { kid: 'one' })] } },
  ];
  limitsOfSuite({ clientFailures: 1000 });
  const { options, errors, events, clock } = fixture({ clients });

  const running = useHost(host, { options }, errors);
  const flows = new Flows(running, clients);

  const now = () => clock() / 1000;
  const claims = (client_id = 'signer', changes: Claims = {}): Claims => ({
    iss: client_id,
    sub: client_id,
    aud: running.base,
    iat: now(),
    exp: now() + 60,
    jti: randomUUID(),
    ...changes,
  });
  const assertion = (client_id?: string, changes: Claims = {}, signer = key) =>
    mint({ alg: 'ES256', kid: 'one' }, claims(client_id, changes), es256(signer));
  const form = (client_assertion: string, more: Readonly<Record<string, string>> = {}) => ({
    grant_type: 'client_credentials',
    client_assertion_type: TYPE,
    client_assertion,
    ...more,
  });
  const token = (client_assertion: string, more: Readonly<Record<string, string>> = {}) =>
    flows.client.post('/oauth/token', form(client_assertion, more));

  test('#56 a client with an assertion for this server is authenticated (RFC 7523 §3)', async () => {
    const answer = await token(assertion());
    expect([answer.status, answer.json['scope']]).toEqual([200, 'content.read']);
    expect((await token(assertion(), { client_id: 'signer' })).status).toBe(200);
    const second = mint({ alg: 'ES256', kid: 'two' }, claims(), es256(next));
    expect((await token(second)).status).toBe(200);
    expect((await token(assertion('signer', { aud: [running.base] }))).status).toBe(200);
  });

  test("#56 iss and sub are the client's own client_id (RFC 7523 §3)", async () => {
    for (const changes of [
      { iss: 'other' },
      { sub: 'other' },
      { iss: 'other', sub: 'other' },
      { sub: undefined },
      { iss: undefined },
      { iss: 'nobody', sub: 'nobody' },
      { iss: 7, sub: 7 },
      { iss: ['signer'] },
      { iss: 'evil\r\n', sub: 'evil\r\n' },
      { iss: '', sub: '' },
      { jti: 'a\u0000b' },
      { jti: 'é' },
    ]) {
      expect([changes, ...refusal(await token(assertion('signer', changes)))]).toEqual([changes, ...DENIED]);
    }
    expect(JSON.stringify(events)).not.toContain('evil');
    expect(refusal(await token(assertion(), { client_id: 'other' }))).toEqual([400, 'invalid_request']);
    // The key of one client says nothing about another.
    expect(refusal(await token(assertion('other')))).toEqual(DENIED);
  });

  test('#56 the only audience is the issuer, not the URL of an endpoint (RFC 7523bis)', async () => {
    const { base } = running;
    for (const aud of [
      `${base}/oauth/token`,
      `${base}/`,
      [`${base}/oauth/token`],
      [base, `${base}/oauth/token`],
      [base, base],
      [],
      'https://other.example',
      undefined,
    ]) {
      expect([aud, ...refusal(await token(assertion('signer', { aud })))]).toEqual([aud, ...DENIED]);
    }
  });

  test('#56 exp must be in the future, by at most ten minutes', async () => {
    const at = async (seconds: unknown) =>
      (await token(assertion('signer', { exp: typeof seconds === 'number' ? now() + seconds : seconds }))).status;
    expect(await Promise.all([600, 1, -9].map(at))).toEqual([200, 200, 200]);
    expect(await Promise.all([601, 3600, 1e308, -10, -3600, undefined, String(now() + 60), null].map(at))).toEqual(
      Array(8).fill(401),
    );
    const early = async (seconds: number) =>
      (await token(assertion('signer', { nbf: now() + seconds, iat: now() + seconds }))).status;
    expect(await Promise.all([0, 10, 11].map(early))).toEqual([200, 200, 401]);
    const issued = async (iat: unknown) => (await token(assertion('signer', { iat }))).status;
    const times = [-1e308, now() - 3600, now() + 60, undefined, now() + 61, now() + 3600, 1e308, String(now()), null];
    expect(await Promise.all(times.map(issued))).toEqual([200, 200, 200, 200, ...Array(5).fill(401)]);
  });

  test('#56 a registered algorithm is the only one, also for the same key (Registration 1.0 §2)', async () => {
    const signedAs = (alg: 'PS256' | 'RS256', client_id: string) => {
      const head = [{ alg }, claims(client_id)].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
      const padding = alg === 'PS256' ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 } : {};
      const signature = sign('sha256', Buffer.from(head.join('.')), { key: rsa, ...padding });
      return token([...head, signature.toString('base64url')].join('.'));
    };
    const statuses = await Promise.all([signedAs('RS256', 'rsa'), signedAs('PS256', 'rsa'), signedAs('PS256', 'pss')]);
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(refusal(await signedAs('RS256', 'pss'))).toEqual(DENIED);
    const only = { client_id: 'x', token_endpoint_auth_signing_alg: 'PS256', scope: 'content.read' } as const;
    expect(checkClient({ ...only, client_secret: 'x'.repeat(32) })).toEqual([expect.stringContaining('jwks')]);
    const keys = { jwks: { keys: [publicJwk(rsa)] } };
    for (const alg of ['HS256', 'none', 'ps256'])
      expect(checkClient({ ...only, ...keys, token_endpoint_auth_signing_alg: alg })).toEqual([
        expect.stringContaining('token_endpoint_auth_signing_alg'),
      ]);
  });

  test('#56 a jti is required, and works once', async () => {
    const once = assertion();
    expect((await token(once)).status).toBe(200);
    expect(refusal(await token(once))).toEqual(DENIED);
    const jti = randomUUID();
    expect((await token(assertion('signer', { jti }))).status).toBe(200);
    expect(refusal(await token(assertion('signer', { jti, exp: now() + 120 })))).toEqual(DENIED);
    // Another client may happen to use the same.
    expect((await token(assertion('other', { jti }, foreign))).status).toBe(200);
    for (const wrong of [undefined, '', 7, null, ['x']])
      expect(refusal(await token(assertion('signer', { jti: wrong })))).toEqual(DENIED);
    const parallel = assertion();
    const answers = await Promise.all(Array.from({ length: 10 }, () => token(parallel)));
    expect(statusesOf(answers)).toEqual([200, ...Array<number>(9).fill(401)]);
  });

  test('#56 only a registered asymmetric key is accepted', async () => {
    const genuine = mint(
      { alg: 'ES256', kid: 'one', typ: 'at+jwt' },
      claims('forger', { client_id: 'forger' }),
      es256(key),
    );
    const harmless = /^of (our issuer|typ|no typ|a typ)|^that is not valid yet|^without (client_id|iat)$/;
    for (const [name, forged] of Object.entries(forgeries(genuine, key))) {
      if (!harmless.test(name)) expect([name, ...refusal(await token(forged))]).toEqual([name, ...DENIED]);
    }
    expect((await token(genuine)).status).toBe(200);
  });

  test('#51 two mechanisms in one request are invalid_request (RFC 6749 §2.3)', async () => {
    expect(refusal(await token(assertion(), { client_secret: 'x' }))).toEqual([400, 'invalid_request']);
    expect(refusal(await flows.client.post('/oauth/token', form(assertion()), basic('signer', 'x')))).toEqual([
      400,
      'invalid_request',
    ]);
    const { access_token } = await flows.ownTokens('api', { scope: 'introspect' });
    const asked = { token: 'x', client_assertion_type: TYPE, client_assertion: assertion('auditor') };
    expect(refusal(await flows.client.post('/oauth/introspect', asked, bearer(access_token)))).toEqual([
      400,
      'invalid_request',
    ]);
  });

  test('#52 any other method of this client, and this method of other clients, is invalid_client (RFC 7591 §2)', async () => {
    const credentials = { grant_type: 'client_credentials', client_id: 'signer' };
    expect(refusal(await flows.client.post('/oauth/token', credentials))).toEqual(DENIED);
    expect(refusal(await flows.client.post('/oauth/token', { ...credentials, client_secret: 'x' }))).toEqual(DENIED);
    const withBasic = await flows.client.post(
      '/oauth/token',
      { grant_type: 'client_credentials' },
      basic('signer', 'x'),
    );
    expect([...refusal(withBasic), withBasic.headers['www-authenticate']]).toEqual([...DENIED, 'Basic realm="oauth"']);
    expect(refusal(await token(assertion('service')))).toEqual(DENIED);
    expect(refusal(await token(assertion('spa')))).toEqual(DENIED);
    for (const type of ['', 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer']) {
      expect(refusal(await token(assertion(), { client_assertion_type: type }))).toEqual(DENIED);
    }
  });

  test('#56 it works at introspection, at revocation and for codes and refresh tokens too', async () => {
    const { access_token } = await flows.ownTokens();
    const as = (client_id: string) => ({ client_assertion_type: TYPE, client_assertion: assertion(client_id) });
    const introspected = await flows.client.post('/oauth/introspect', { token: access_token, ...as('auditor') });
    expect(introspected.json).toMatchObject({ active: true, client_id: 'service' });
    expect((await flows.client.post('/oauth/introspect', { token: access_token, ...as('signer') })).text).toBe(
      '{"active":false}',
    );
    expect(
      refusal(
        await flows.client.post('/oauth/introspect', { token: access_token, ...as('auditor'), client_assertion: 'x' }),
      ),
    ).toEqual(DENIED);

    const redemption = flows.redemption('site', await flows.code('site'));
    const redeemed = await flows.client.post('/oauth/token', { ...redemption, ...as('site') });
    expect(redeemed.status).toBe(200);
    const refresh_token = String(redeemed.json['refresh_token']);
    expect(
      refusal(
        await flows.client.post('/oauth/token', { grant_type: 'refresh_token', refresh_token, client_id: 'site' }),
      ),
    ).toEqual(DENIED);
    const refreshed = await flows.client.post('/oauth/token', {
      grant_type: 'refresh_token',
      refresh_token,
      ...as('site'),
    });
    expect(refreshed.status).toBe(200);
    const revoked = String(refreshed.json['access_token']);
    expect((await flows.client.post('/oauth/revoke', { token: revoked, ...as('site') })).status).toBe(200);
    expect(await flows.isActive(revoked)).toBe(false);
  });

  test('#100 the metadata lists the method and its algorithms (RFC 8414 §2)', async () => {
    const { json } = await flows.client.get('/.well-known/oauth-authorization-server');
    const algorithms = ['ES256', 'ES384', 'EdDSA', 'Ed25519', 'PS256', 'RS256'];
    for (const endpoint of ['token', 'introspection', 'revocation']) {
      expect(json[`${endpoint}_endpoint_auth_methods_supported`]).toContain('private_key_jwt');
      expect(json[`${endpoint}_endpoint_auth_signing_alg_values_supported`]).toEqual(algorithms);
    }
  });
});

describe.each(hostFor(import.meta.url))('a key for Ed25519 on $name', (host) => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const registered = (alg: string) => ({
    ...{ client_id: alg, grant_types: ['client_credentials'], scope: 'content.read' },
    jwks: { keys: [{ ...publicKey.export({ format: 'jwk' }), alg, kid: alg }] },
  });
  const names = ['EdDSA', 'Ed25519'];
  const { options, errors, clock } = fixture({ clients: names.map(registered) as never });
  const running = useHost(host, { options }, errors);

  test('#56 signs by both names of its algorithm, whichever it is registered with (RFC 9864)', async () => {
    for (const client_id of names)
      for (const alg of [...names, 'ES256']) {
        const iat = Math.floor(clock() / 1000);
        const claims = { iss: client_id, sub: client_id, aud: running.base, iat, exp: iat + 60, jti: randomUUID() };
        const client_assertion = mint({ alg, kid: client_id }, claims, (data) => sign(null, data, privateKey));
        const answer = await new Client(running.base).post('/oauth/token', {
          ...{ grant_type: 'client_credentials', client_assertion_type: TYPE, client_assertion },
        });
        expect([client_id, alg, answer.status]).toEqual([client_id, alg, alg === 'ES256' ? 401 : 200]);
      }
  });
});

describe('two servers that share a store', () => {
  test('#56 accept an assertion once between them', async () => {
    const key = newKey();
    const clients: readonly ClientRegistration[] = [{ client_id: 'signer', jwks: { keys: [publicJwk(key)] } }];
    limitsOfTest({ clientFailures: 1000 });
    const { options, store, clock } = fixture({ clients });
    const issuer = 'https://auth.example';
    const hosts = await Promise.all(
      oneHostEach
        .slice(0, 2)
        .map((host, seed) => host.start({ options: { ...options, issuer, store: distantStore(store, seed) } })),
    );
    const post = (running: RunningHost, client_assertion: string) =>
      new Client(running.base).post('/oauth/token', {
        grant_type: 'client_credentials',
        client_assertion_type: TYPE,
        client_assertion,
      });
    for (let round = 0; round < 5; round += 1) {
      const seconds = clock() / 1000;
      const assertion = mint(
        { alg: 'ES256' },
        { iss: 'signer', sub: 'signer', aud: issuer, exp: seconds + 60, jti: `round ${round}` },
        es256(key),
      );
      const answers = await Promise.all(
        hosts.flatMap((running) => Array.from({ length: 5 }, () => post(running, assertion))),
      );
      expect(statusesOf(answers)).toEqual([200, ...Array<number>(9).fill(401)]);
    }
  });
});

test('#56 exp may have a fraction (RFC 7519 §2); the expiry that a store gets has none', async () => {
  const key = newKey();
  const clients: readonly ClientRegistration[] = [{ client_id: 'signer', jwks: { keys: [publicJwk(key)] } }];
  const { options, store, clock } = fixture({ clients });
  const expiries: number[] = [];
  const watched: typeof store = {
    ...store,
    add: (...record) => (expiries.push(record[2]), store.add(...record)),
  };
  const running = await oneHostEach[0].start({ options: { ...options, store: watched } });
  const exp = Math.floor(clock() / 1000) + 60.1234567;
  const form = {
    grant_type: 'client_credentials',
    client_assertion_type: TYPE,
    client_assertion: mint(
      { alg: 'ES256' },
      { iss: 'signer', sub: 'signer', aud: running.base, exp, jti: 'x' },
      es256(key),
    ),
  };
  expect((await new Client(running.base).post('/oauth/token', form)).status).toBe(200);
  expect(expiries.filter((expiry) => !Number.isInteger(expiry))).toEqual([]);
});

describe('a client registry', () => {
  test('#56 is only called with strings, whatever the issuer of an assertion is', async () => {
    const asked: unknown[] = [];
    const clients = { find: (id: string) => (asked.push(id), undefined) };
    const { options, clock } = fixture();
    const running = await oneHostEach[0].start({ options: { ...options, clients } });
    for (const iss of ['nobody', 7, ['nobody'], { iss: 'nobody' }, true, null, undefined]) {
      const claims = { iss, sub: iss, aud: running.base, exp: clock() / 1000 + 60, jti: String(iss) };
      const form = {
        grant_type: 'client_credentials',
        client_assertion_type: TYPE,
        client_assertion: mint({ alg: 'ES256' }, claims, es256(newKey())),
      };
      expect(refusal(await new Client(running.base).post('/oauth/token', form))).toEqual(DENIED);
    }
    expect(asked).toEqual(['nobody']);
  });
});

describe.each(['ES256', 'ES384', 'EdDSA', 'PS256', 'RS256'])('third-party clients, with %s', (algorithm) => {
  test('#56 oauth4webapi and openid-client authenticate with private_key_jwt', async () => {
    const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
    const jwk = { ...(await crypto.subtle.exportKey('jwk', publicKey)), key_ops: undefined };
    const client_id = 'signer';
    const { options } = fixture({
      clients: [{ client_id, jwks: { keys: [{ ...jwk, kid: 'k1' }] }, scope: 'content.read' }],
    });
    const running = await oneHostEach[2]?.start({
      options: { ...options, runtime: { clock: Date.now }, store: memoryStore() },
    });
    if (running === undefined) throw new Error('There is no such host.');
    const issuer = new URL(running.base);

    const insecure = { [oauth.allowInsecureRequests]: true };
    const server = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }),
    );
    const authentication = oauth.PrivateKeyJwt({ key: privateKey, kid: 'k1' });
    const response = await oauth.clientCredentialsGrantRequest(
      server,
      { client_id },
      authentication,
      new URLSearchParams(),
      insecure,
    );
    const result = await oauth.processClientCredentialsResponse(server, { client_id }, response);
    expect(result.scope).toBe('content.read');

    const config = await openid.discovery(
      issuer,
      client_id,
      undefined,
      openid.PrivateKeyJwt({ key: privateKey, kid: 'k1' }),
      {
        algorithm: 'oauth2',
        execute: [openid.allowInsecureRequests],
      },
    );
    const tokens = await openid.clientCredentialsGrant(config);
    const described = await openid.tokenIntrospection(config, tokens.access_token);
    expect(described).toMatchObject({ active: true, client_id });
  });
});

describe('registrations', () => {
  const key = publicJwk(newKey());
  const build = (client: object) => () =>
    createServer({
      store: memoryStore(),
      runtime: { clock: Date.now },
      clients: [{ client_id: 'x', grant_types: ['client_credentials'], ...client } as ClientRegistration], // Options come from JavaScript too.
    });
  const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey;
  const p521 = generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey;

  const NOT_PUBLIC = 'jwks must be an object with an array of public keys, without any private member.';
  const TOGETHER = 'private_key_jwt and jwks, or jwks_uri, require each other.';
  const EXCLUSIVE = 'jwks and client_secret exclude each other.';
  const ALGORITHMS = 'jwks.keys[0] must be for one of ES256, ES384, EdDSA, Ed25519, PS256, RS256.';
  const [jwks, client_secret, token_endpoint_auth_method] = [{ keys: [key] }, 'secret', 'private_key_jwt'];

  test.each<readonly [object, string]>([
    [{ jwks: [] }, NOT_PUBLIC],
    [{ jwks: { keys: [] } }, NOT_PUBLIC],
    [{ jwks: { keys: [newKey().export({ format: 'jwk' })] } }, NOT_PUBLIC],
    [{ jwks: { keys: [{ kty: 'oct', k: 'AAAA' }] } }, NOT_PUBLIC],
    [{ jwks: { keys: [key, { kty: 'EC', crv: 'P-256', x: 'AAAA' }] } }, 'jwks.keys[1] cannot be read as a JWK.'],
    [{ jwks: { keys: [publicJwk(rsa)] } }, 'jwks.keys[0] has fewer than 2048 bits.'],
    [{ jwks: { keys: [publicJwk(p521)] } }, ALGORITHMS],
    [{ jwks, client_secret, token_endpoint_auth_method }, EXCLUSIVE],
    [{ jwks, client_secret }, EXCLUSIVE],
    [{ jwks, token_endpoint_auth_method: 'client_secret_basic' }, TOGETHER],
    [{ client_secret, token_endpoint_auth_method }, TOGETHER],
    [{ grant_types: ['device_code'], token_endpoint_auth_method }, TOGETHER],
  ])('#56 %o: %s', (client, sentence) => {
    expect(build(client)).toThrow(`Client "x": ${sentence}`);
  });

  test('#56 public keys are enough for a registration', () => {
    expect(build({ jwks: { keys: [key] } })).not.toThrow();
  });
});
