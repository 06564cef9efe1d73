import { createPublicKey, type KeyObject, randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { readDocument } from '../../src/clients/documents/client-document.js';
import type { Answer } from '../hosts.js';
import { type Claims, es256, mint, newKey } from '../oauth/support/jwt.js';
import { ISSUER } from '../oauth/support/nodes.js';
import { refusal } from '../oauth/support/tokens.js';
import { APP, DOCUMENT, DocumentServers, Publisher, type Visitor } from './support/publisher.js';

const JWKS = 'https://app.example.org/oauth/jwks.json';
const SIGNS = { ...DOCUMENT, token_endpoint_auth_method: 'private_key_jwt', jwks_uri: JWKS } as const;
/** As ChatGPT has it: it prefers to sign, and can do without. */
const CHOOSES = { ...SIGNS, token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'] } as const;
const DENIED = [401, 'invalid_client'];

const keysOf = (...keys: readonly (readonly [kid: string, key: KeyObject])[]) => ({
  keys: keys.map(([kid, key]) => ({ ...createPublicKey(key).export({ format: 'jwk' }), kid, use: 'sig' })),
});

const running: DocumentServers[] = [];
afterEach(() => {
  for (const { shared } of running.splice(0)) expect(shared.errors).toEqual([]);
});

const key = newKey();

const start = (document: object = SIGNS, keys: object = keysOf(['one', key])) => {
  const publisher = new Publisher(document);
  publisher.published.set(JWKS, keys);
  const servers = new DocumentServers(publisher);
  running.push(servers);
  const assertion = (kid = 'one', signer = key, changes: Claims = {}) => {
    const now = servers.shared.clock() / 1000;
    const claims = { iss: APP, sub: APP, aud: ISSUER, iat: now, exp: now + 60, jti: randomUUID(), ...changes };
    return {
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: mint({ alg: 'ES256', kid }, claims, es256(signer)),
    };
  };
  const signed = async (visitor: Visitor, ...how: Parameters<typeof assertion>): Promise<Answer> =>
    visitor.redeem(await visitor.code(), assertion(...how));
  const refresh = (visitor: Visitor, refresh_token: unknown, proof: Readonly<Record<string, string>>) =>
    visitor.http.post('/oauth/token', {
      grant_type: 'refresh_token',
      client_id: APP,
      refresh_token: String(refresh_token),
      ...proof,
    });
  return { servers, publisher, assertion, signed, refresh };
};

describe('M36: a client whose document says private_key_jwt', () => {
  test('its token_endpoint_auth_signing_alg is the only algorithm', async () => {
    for (const [alg, status] of [
      ['ES256', 200],
      ['ES384', 401],
    ] as const) {
      const { servers, signed } = start({ ...SIGNS, token_endpoint_auth_signing_alg: alg });
      expect([alg, (await signed(await servers.open())).status]).toEqual([alg, status]);
    }
    const read = (alg: unknown) => () => readDocument(APP, { ...SIGNS, token_endpoint_auth_signing_alg: alg });
    for (const alg of ['HS256', 'none', 7]) expect(read(alg)).toThrow(/token_endpoint_auth_signing_alg/);
  });

  test('authenticates with an assertion and a key of its jwks_uri', async () => {
    const { servers, publisher, signed } = start();
    const visitor = await servers.open();
    expect((await signed(visitor)).status).toBe(200);
    expect(publisher.asked).toEqual([APP, JWKS]);
    expect(refusal(await signed(visitor, 'one', newKey()))).toEqual(DENIED);
    expect(refusal(await signed(visitor, 'one', key, { aud: 'https://other.example' }))).toEqual(DENIED);
  });

  test('authenticates with a key in the document', async () => {
    const { jwks_uri: _, ...rest } = SIGNS;
    const { servers, publisher, signed } = start({ ...rest, jwks: keysOf(['one', key]) });
    expect((await signed(await servers.open())).status).toBe(200);
    expect(publisher.asked).toEqual([APP]);
  });

  test('is rejected without one everywhere, also by a process that only has the copy in the store', async () => {
    const { servers, signed, refresh } = start();
    const visitor = await servers.open();
    const { access_token, refresh_token } = (await signed(visitor)).json;
    const other = await servers.open();
    for (const { http } of [visitor, other]) {
      expect(refusal(await refresh({ http } as Visitor, refresh_token, {}))).toEqual(DENIED);
      const form = { client_id: APP, token: String(access_token) };
      expect(refusal(await http.post('/oauth/revoke', form))).toEqual(DENIED);
      expect(refusal(await http.post('/oauth/introspect', form))).toEqual(DENIED);
    }
    expect(refusal(await visitor.redeem(await visitor.code()))).toEqual(DENIED);
    expect((await other.guarded(String(access_token))).status).toBe(200);
  });

  test('refreshes and revokes with one, the latter without a fetch', async () => {
    const { servers, publisher, signed, refresh, assertion } = start();
    const { refresh_token } = (await signed(await servers.open())).json;
    publisher.asked.length = 0;
    const other = await servers.open();
    const refreshed = await refresh(other, refresh_token, assertion());
    expect(refreshed.status).toBe(200);
    const third = await servers.open();
    publisher.asked.length = 0;
    const form = { client_id: APP, token: String(refreshed.json['access_token']), ...assertion() };
    expect((await third.http.post('/oauth/revoke', form)).status).toBe(200);
    expect((await third.guarded(String(refreshed.json['access_token']))).status).toBe(401);
    expect(publisher.asked).toEqual([]);
  });

  test('may publish a new key: an assertion with its kid causes a new fetch, at most every ten seconds', async () => {
    const { servers, publisher, signed } = start();
    const visitor = await servers.open();
    const next = newKey();
    await signed(visitor);
    publisher.asked.length = 0;
    for (let n = 0; n < 3; n += 1) expect(refusal(await signed(visitor, 'two', next))).toEqual(DENIED);
    expect(publisher.asked).toEqual([]);
    publisher.published.set(JWKS, keysOf(['one', key], ['two', next]));
    servers.shared.advance(10);
    expect((await signed(visitor, 'two', next)).status).toBe(200);
    expect((await signed(visitor)).status).toBe(200);
    expect(publisher.asked).toEqual([JWKS]);
    const changes = servers.shared.events.filter(({ type }) => type === 'client.document_changed');
    expect(changes).toMatchObject([{ client_id: APP, changed: ['keys'] }]);
  });

  test('uses the last valid keys if they cannot be fetched, and gets 503 without any', async () => {
    const { servers, publisher, signed, assertion, refresh } = start();
    const visitor = await servers.open();
    const { refresh_token } = (await signed(visitor)).json;
    publisher.fails(JWKS);
    servers.shared.advance(3600);
    const renewed = await refresh(visitor, refresh_token, assertion());
    expect(renewed.status).toBe(200);
    // Another process has the copy of the store.
    const other = await servers.open();
    expect((await refresh(other, renewed.json['refresh_token'], assertion())).status).toBe(200);

    const without = start();
    without.publisher.fails(JWKS);
    const stranger = await without.servers.open();
    expect((await stranger.page()).status).toBe(503);
    const answer = await stranger.redeem('made-up', without.assertion());
    expect(refusal(answer)).toEqual([503, 'temporarily_unavailable']);
  });

  test.each<readonly [what: string, keys: object, reason: string]>([
    ['a private key', { keys: [newKey().export({ format: 'jwk' })] }, 'private or symmetric'],
    ['a symmetric key', { keys: [{ kty: 'oct', k: 'AAAA' }] }, 'private or symmetric'],
    ['no key', { keys: [] }, 'no usable key'],
    ['no JWK set', { key: 1 }, 'no array of keys'],
  ])('is rejected if its jwks_uri has %s', async (_what, keys, reason) => {
    const { servers, assertion } = start(SIGNS, keys);
    const visitor = await servers.open();
    expect((await visitor.page()).status).toBe(400);
    expect(refusal(await visitor.redeem('made-up', assertion()))).toEqual(DENIED);
    expect(servers.shared.events[1]).toMatchObject({
      type: 'client.document_failed',
      address: JWKS,
      reason: 'refused',
    });
    expect(servers.shared.events[1]).toHaveProperty('message', expect.stringContaining(reason));
  });

  test('with too many keys for the copy: the first ones are stored, within 4 KiB', async () => {
    const many = Array.from(
      { length: 19 },
      (_, n) => [`a key with a rather long name, whose number is ${n}`, newKey()] as const,
    );
    const { servers, signed, refresh, assertion, publisher } = start(
      {
        ...SIGNS,
        redirect_uris: [
          ...SIGNS.redirect_uris,
          ...Array.from({ length: 30 }, (_, n) => `https://app.example.org/${'x'.repeat(40)}${n}`),
        ],
      },
      keysOf(['one', key], ...many),
    );
    const { refresh_token } = (await signed(await servers.open())).json;
    const copies = [...servers.shared.store.entries()].filter(([name]) => name.includes('client-document'));
    const [copy] = copies.map(([, record]) => JSON.stringify(record).length);
    expect(copy).toBeGreaterThan(3300);
    expect(copy).toBeLessThanOrEqual(4096);
    publisher.fails();
    publisher.fails(JWKS);
    expect((await refresh(await servers.open(), refresh_token, assertion())).status).toBe(200);
  });
});

describe('a client with optional assertions', () => {
  test('is accepted either way, and its keys are only fetched for an assertion', async () => {
    const { servers, publisher, signed, refresh, assertion } = start(CHOOSES);
    const visitor = await servers.open();
    const { refresh_token } = await visitor.tokens();
    expect(publisher.asked).toEqual([APP]);
    const answer = await refresh(visitor, refresh_token, assertion());
    expect(answer.status).toBe(200);
    expect(publisher.asked).toEqual([APP, JWKS]);
    expect((await signed(visitor)).status).toBe(200);
    expect((await visitor.refresh(String(answer.json['refresh_token']))).status).toBe(200);
  });

  test('gets 503 from a process that does not have its keys, at an endpoint that fetches nothing', async () => {
    const { servers, assertion, signed } = start(CHOOSES);
    const visitor = await servers.open();
    const { access_token } = await visitor.tokens();
    const form = { client_id: APP, token: access_token };
    const away = await (await servers.open()).http.post('/oauth/revoke', { ...form, ...assertion() });
    expect(refusal(away)).toEqual([503, 'temporarily_unavailable']);
    // With the next approval, the keys are part of the copy.
    await signed(visitor);
    await visitor.code();
    const revoked = await (await servers.open()).http.post('/oauth/revoke', { ...form, ...assertion() });
    expect(revoked.status).toBe(200);
  });

  test('is rejected with an invalid assertion', async () => {
    const { servers, signed } = start(CHOOSES);
    expect(refusal(await signed(await servers.open(), 'one', newKey()))).toEqual(DENIED);
  });
});
