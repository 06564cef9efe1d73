import { createPublicKey, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { checkClient } from 'oauth-query';
import { storedClients } from 'oauth-query/clients';
import { memoryStore } from 'oauth-query/stores/memory';
import { beforeEach, describe, expect, test } from 'vitest';
import { Client, hostFor, useHost } from '../../hosts.js';
import { useStarted } from '../../hosts/listen.js';
import { ScriptedServer, sendJson } from '../../resource-server/support/scripted-server.js';
import { everyRow } from '../../rows.js';
import { fixture, START } from '../support/fixture.js';
import { es256, mint, newKey } from '../support/jwt.js';

const one = newKey();
const two = newKey();
const jwk = (key: KeyObject, kid: string, more: object = {}) => ({
  ...createPublicKey(key).export({ format: 'jwk' }),
  kid,
  ...more,
});

let published: object = {};
let isDown = false;
const keyServer = new ScriptedServer((_, response) => (isDown ? sendJson(response, 500, {}) : published));
const started = useStarted(async () => {
  await keyServer.start();
  return { close: () => keyServer.stop(), origin: keyServer.origin };
});
beforeEach(() => {
  published = { keys: [jwk(one, 'one')] };
  isDown = false;
});

const registration = (client_id: string, path: string = client_id) => ({
  client_id,
  // The port is known when the server has started, which is before each client is looked up.
  get jwks_uri() {
    return `${started.origin}/${path}`;
  },
  grant_types: ['client_credentials'],
  scope: 'content.read introspect',
  introspect: true,
});

describe.each(hostFor(import.meta.url))('clients with a jwks_uri on $name', (host) => {
  const store = memoryStore({ clock: () => now() });
  const stored = storedClients(store, { clock: () => now() });
  const registry = { find: (id: string) => (id.startsWith('row') ? { ...registration(id) } : undefined) };
  const { options, errors, advance, clock } = fixture({ store });
  const now = () => clock?.() ?? START;
  const running = useHost(host, { options: { ...options, clients: [registry, stored] } }, errors);
  const http = new Client(() => running.base);

  const assertion = (client_id: string, key: KeyObject, kid: string | undefined) => {
    const iat = Math.floor(now() / 1000);
    const claims = { iss: client_id, sub: client_id, aud: running.base, iat, exp: iat + 60, jti: randomUUID() };
    return mint({ alg: 'ES256', ...(kid !== undefined && { kid }) }, claims, es256(key));
  };
  const request = (client_id: string, key = one, kid: string | undefined = 'one') =>
    http.post('/oauth/token', {
      grant_type: 'client_credentials',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: assertion(client_id, key, kid),
    });

  test('a client of a registry and a stored one get tokens; their keys are read once', async () => {
    await stored.add({ ...registration('kept') } as never);
    for (const id of ['row', 'kept']) {
      for (let count = 0; count < 3; count += 1) expect((await request(id)).status).toBe(200);
      expect(keyServer.asked(`/${id}`)).toBe(1);
    }
    expect((await request('row', one, undefined as never)).status).toBe(200);
  });

  test('rotation without a restart: an unknown kid reads the keys again, once in 30 seconds', async () => {
    expect((await request('row-rotating')).status).toBe(200);
    published = { keys: [jwk(one, 'one'), jwk(two, 'two')] };
    expect((await request('row-rotating', two, 'two')).status).toBe(401);
    expect(keyServer.asked('/row-rotating')).toBe(1);
    advance(31);
    expect((await request('row-rotating', two, 'two')).status).toBe(200);
    expect(keyServer.asked('/row-rotating')).toBe(2);
    published = { keys: [jwk(two, 'two')] };
    advance(31);
    const answers = [];
    for (let count = 0; count < 5; count += 1)
      answers.push(await request('row-rotating', newKey(), `invented ${count}`));
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
    expect(keyServer.asked('/row-rotating')).toBe(3);
    // What is no longer published is no key of the client.
    expect((await request('row-rotating', one, 'one')).status).toBe(401);
    expect((await request('row-rotating', two, 'two')).status).toBe(200);
  });

  test('keys that cannot be read are 503 with Retry-After, and the application learns why', async () => {
    isDown = true;
    const answer = await request('row-down');
    expect([answer.status, answer.json['error']]).toEqual([503, 'temporarily_unavailable']);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    await request('row-down');
    expect(keyServer.asked('/row-down')).toBe(1);
    expect(errors.splice(0).map(String).join(' ')).toContain(`${started.origin}/row-down`);
    isDown = false;
    advance(61);
    expect((await request('row-down')).status).toBe(200);
    // A copy serves for an hour.
    isDown = true;
    advance(3500);
    expect((await request('row-down')).status).toBe(200);
    advance(200);
    expect((await request('row-down')).status).toBe(503);
    errors.splice(0);
  });

  test('a set that is none, is secret or has no usable key is 503, never access', () =>
    everyRow(
      [
        ['row-a', [], 'no array of keys'],
        ['row-b', { keys: [{ ...one.export({ format: 'jwk' }), kid: 'one' }] }, 'private or symmetric'],
        ['row-c', { keys: [{ kty: 'oct', k: 'AAAA', kid: 'one' }] }, 'private or symmetric'],
        ['row-d', { keys: [jwk(one, 'one', { use: 'enc' })] }, 'no usable key'],
        [
          'row-e',
          { keys: [jwk(generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey, 'one')] },
          'no usable key',
        ],
        ['row-f', { keys: Array.from({ length: 101 }, () => jwk(one, 'one')) }, 'more than 100 keys'],
      ] as const,
      async ([id, set, reason]) => {
        published = set;
        expect((await request(id)).status).toBe(503);
        expect(errors.splice(0).map(String).join(' ')).toContain(reason);
      },
    ));

  test('nothing is read for a request without an assertion, or for an unknown client', async () => {
    await http.post('/oauth/token', { grant_type: 'client_credentials', client_id: 'row-idle', client_secret: 'x' });
    expect((await request('unknown')).status).toBe(401);
    expect([keyServer.asked('/row-idle'), keyServer.asked('/unknown')]).toEqual([0, 0]);
  });

  test('a client signs only with its own keys', async () => {
    published = { keys: [jwk(one, 'one'), jwk(two, 'two')] };
    expect((await request('row-own', two, 'one')).status).toBe(401);
    expect((await request('row-own', newKey(), undefined as never)).status).toBe(401);
  });
});

test('both kinds of keys, keys and a secret, and addresses that cannot be read are refused before they are saved', () =>
  everyRow(
    [
      [{}, undefined],
      [{ token_endpoint_auth_signing_alg: 'PS256', token_endpoint_auth_method: 'private_key_jwt' }, undefined],
      [{ jwks: { keys: [jwk(one, 'one')] } }, 'jwks and jwks_uri exclude each other'],
      [{ client_secret: 'a secret of this client' }, 'jwks_uri and client_secret exclude each other'],
      [{ token_endpoint_auth_method: 'none' }, 'private_key_jwt and jwks, or jwks_uri, require each other'],
      [{ jwks_uri: 'http://shop.example/keys' }, 'jwks_uri must be an https address'],
      [{ jwks_uri: 'https://me:pw@shop.example/keys' }, 'jwks_uri must be an https address'],
      [{ jwks_uri: 'keys.json' }, 'jwks_uri must be an https address'],
    ] as const,
    ([more, problem]) => {
      const base = {
        client_id: 'shop',
        jwks_uri: 'https://shop.example/keys',
        redirect_uris: ['https://shop.example/cb'],
      };
      const problems = checkClient({ ...base, ...more } as never);
      if (problem === undefined) expect(problems).toEqual([]);
      else expect(problems.join(' ')).toContain(problem);
    },
  ));
