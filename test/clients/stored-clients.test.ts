import { StoredClientError, storedClients } from 'oauth-query/clients';
import type { Store } from 'oauth-query/store';
import { memoryStore } from 'oauth-query/stores/memory';
import { describe, expect, test } from 'vitest';
import { oauthQuery } from '../../src/adapters/fetch/index.js';
import { basic, Client, hostFor } from '../hosts.js';
import { CLIENTS, fixture, SCOPES } from '../oauth/support/fixture.js';
import { cheapHash } from '../oauth/support/hashes.js';
import { distantStore } from '../oauth/support/stores.js';
import { storedClientsCases } from './stored-clients-cases.js';

const REDIRECT = { redirect_uris: ['https://app.example/cb'] } as const;

describe('stored clients in memory', () => {
  const store = memoryStore();
  storedClientsCases(() => store);
});

describe('stored clients on a store with only three methods, whose responses come in any order', () => {
  const store = memoryStore();
  storedClientsCases(() => ({
    ...distantStore(store, 1),
    // What lists is not what is tried here.
    list: (...page) => store.list(...page),
  }));
});

describe('stored clients', () => {
  const counted = (clock: () => number) => {
    const calls: string[] = [];
    const inner = memoryStore({ clock });
    const store: Store = {
      add: (...record) => inner.add(...record),
      swap: (...record) => inner.swap(...record),
      get: (key) => (calls.push(key), inner.get(key)),
      delete: (key) => inner.delete(key),
      getMany: (keys) => (calls.push(...keys.slice(0, 1)), inner.getMany(keys)),
    };
    return { store, calls };
  };

  test('are read once in five seconds, also by simultaneous requests, and the same object is returned', async () => {
    let now = 1_000_000;
    const { store, calls } = counted(() => now);
    await storedClients(store, { clock: () => now }).add({ client_id: 'web', ...REDIRECT });
    const clients = storedClients(store, { clock: () => now });
    calls.length = 0;
    const [first, second] = await Promise.all([clients.find('web'), clients.find('web')]);
    expect(second).toBe(first);
    now += 4999;
    expect(await clients.find('web')).toBe(first);
    expect(calls).toHaveLength(1);
    now += 1;
    expect(await clients.find('web')).toBe(first);
    expect(calls).toHaveLength(2);
  });

  test('unknown names are cached separately, so callers cannot fill the cache', async () => {
    let now = 1_000_000;
    const { store, calls } = counted(() => now);
    const clients = storedClients(store, { clock: () => now });
    await clients.add({ client_id: 'web', ...REDIRECT });
    for (let n = 0; n < 3000; n += 1) await clients.find(`stranger ${n}`);
    calls.length = 0;
    expect(await clients.find('web')).toMatchObject({ client_id: 'web' });
    expect(await clients.find('stranger 2999')).toBeUndefined();
    expect(calls, 'both are remembered').toHaveLength(0);
    await clients.find('stranger 0');
    expect(calls, 'and the first strangers are forgotten').not.toHaveLength(0);
    await clients.add({ client_id: 'stranger 2999', ...REDIRECT });
    expect(await clients.find('stranger 2999'), 'who is added is no stranger').toMatchObject(REDIRECT);
    now += 60_000;
    expect(await clients.find('web')).toMatchObject({ client_id: 'web' });
  });

  test('errors are not cached', async () => {
    const inner = memoryStore();
    let isAway = true;
    const store: Store = {
      add: (...record) => inner.add(...record),
      swap: (...record) => inner.swap(...record),
      delete: (key) => inner.delete(key),
      get: (key) => (isAway ? Promise.reject(new Error('away')) : inner.get(key)),
    };
    await storedClients(inner).add({ client_id: 'web', ...REDIRECT });
    const clients = storedClients(store);
    await expect(clients.find('web')).rejects.toMatchObject({ name: 'UnavailableError' });
    isAway = false;
    expect(await clients.find('web')).toMatchObject({ client_id: 'web' });
  });

  test('are validated before they are saved, and all problems are reported', async () => {
    const clients = storedClients(memoryStore(), { server: { scopes: SCOPES } });
    const wrong = { client_id: 'web', redirect_uris: ['http://app.example'], scope: 'photos' };
    const error: unknown = await clients.add(wrong).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StoredClientError);
    expect(error).toMatchObject({
      code: 'invalid',
      problems: [
        'Client "web": scope names "photos", which options.scopes does not have.',
        'Client "web": the redirect URI "http://app.example" must begin with https://; http:// is only for loopback addresses.',
      ],
    });
    expect(await clients.get('web')).toBeUndefined();
    await clients.add({ client_id: 'web', ...REDIRECT });
    for (const change of [
      () => clients.change('web', { redirect_uris: [] }),
      () => clients.change('web', { client_id: 'other' } as object),
      () => clients.rotateSecret('web', { overlap: 0 }),
      () => clients.add({ client_id: 'b', client_secret: 'x' }, { generateSecret: true }),
    ])
      await expect(change()).rejects.toMatchObject({ code: 'invalid', problems: [expect.any(String)] });
    expect((await clients.get('web'))?.version).toBe(1);
  });

  test('a call with a number out of bounds is an error with a code', async () => {
    const clients = storedClients(memoryStore());
    for (const call of [
      async () => storedClients(memoryStore(), { cacheSeconds: 61 }),
      async () => storedClients(memoryStore(), { cacheSeconds: NaN }),
      () => clients.list({ limit: 0 }),
      () => clients.rotateSecret('web', { overlap: 0.5 }),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'OQ100', message: expect.stringMatching(/^storedClients: /) });
  });

  test('a store that was restored from a backup is believed as soon as the cache has expired', async () => {
    let now = 1_000_000;
    const clock = () => now;
    const stores = [memoryStore({ clock }), memoryStore({ clock })] as const;
    let current: Store = stores[0];
    const changing: Store = {
      add: (...record) => current.add(...record),
      swap: (...record) => current.swap(...record),
      delete: (key) => current.delete(key),
      get: (key) => current.get(key),
    };
    const clients = storedClients(changing, { clock });
    await clients.add({ client_id: 'web', ...REDIRECT });
    await clients.change('web', { client_name: 'New' });
    await storedClients(stores[1], { clock }).add({ client_id: 'web', ...REDIRECT, client_name: 'Old' });
    [, current] = stores;
    expect(await clients.find('web')).toMatchObject({ client_name: 'New' });
    now += 5000;
    expect(await clients.find('web')).toMatchObject({ client_name: 'Old' });
  });

  test('a store without swap is rejected when it is passed', () => {
    const store = { ...memoryStore(), swap: undefined } as unknown as Store; // As JavaScript sees it.
    expect(() => storedClients(store)).toThrow('storedClients: the store has no function swap');
  });

  test('a store without list throws an error that says so', async () => {
    const { store } = counted(() => 0);
    await expect(storedClients(store).list()).rejects.toThrow('The store cannot list');
  });
});

describe.each(hostFor(import.meta.url))('a server with stored clients and a list, $name', ({ start }) => {
  test('accepts new secrets immediately, old ones during the overlap, and a disabled client never', async () => {
    const { options, store, clock, advance, errors } = fixture();
    const clients = storedClients(store, { clock, cacheSeconds: 0 });
    const host = await start({ options: { ...options, clients: [...CLIENTS, clients] } });
    const http = new Client(host.base);
    const status = async (secret: string, id = 'job') =>
      (await http.post('/oauth/token', 'grant_type=client_credentials', basic(id, secret))).status;
    expect([await status('x'), await status('service-secret', 'service')]).toEqual([401, 200]);
    const { client_secret: first = '' } = await clients.add({ client_id: 'job' }, { generateSecret: true });
    expect(await status(first)).toBe(200);
    const { client_secret: second = '' } = await clients.rotateSecret('job', { overlap: 3600 });
    expect([await status(first), await status(second)]).toEqual([200, 200]);
    advance(3600);
    expect([await status(first), await status(second)]).toEqual([401, 200]);
    const { client_secret: third = '' } = await clients.rotateSecret('job', { overlap: 0 });
    expect([await status(second), await status(third)]).toEqual([401, 200]);
    await clients.disable('job');
    expect(await status(third)).toBe(401);
    await clients.enable('job');
    expect(await status(third)).toBe(200);
    await clients.remove('job');
    expect(await status(third)).toBe(401);
    expect(errors).toEqual([]);
  });
});

test('a secret that another process has rotated works at once, and strangers cause one read of the store in a second', async () => {
  let now = Date.UTC(2030, 0, 1);
  const clock = (): number => now;
  const inner = memoryStore({ clock });
  let reads = 0;
  const store: Store = { ...inner, get: (key) => ((reads += key.includes('client:') ? 1 : 0), inner.get(key)) };
  const [here, there] = [storedClients(store, { clock }), storedClients(inner, { clock })];
  const { options } = fixture({ store, runtime: { clock } });
  const { handler } = oauthQuery({
    ...options,
    clients: here,
    issuer: 'https://auth.example',
    address: () => '192.0.2.1',
  });
  const ask = async (client_id: string, client_secret: string): Promise<number> => {
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
    return (await handler(new Request('https://auth.example/oauth/token', { method: 'POST', body }))).status;
  };
  const robot = { client_id: 'robot', grant_types: ['client_credentials'], scope: 'content.read' } as const;
  const { client_secret: old = '' } = await there.add(robot, { generateSecret: true });
  expect(await ask('robot', old)).toBe(200);
  const { client_secret: next = '' } = await there.rotateSecret('robot', { overlap: 3600 });
  expect(await Promise.all(Array.from({ length: 12 }, () => ask('robot', next)))).toEqual(Array(12).fill(200));
  expect(await ask('robot', old)).toBe(200);
  now += 1500;
  reads = 0;
  for (let n = 0; n < 8; n += 1) expect(await ask('robot', `wrong${n}`)).toBe(401);
  expect(reads).toBe(1);
  // A person chose this one, so that the guess is counted before it is compared.
  await there.change('robot', { client_secret: { scrypt: cheapHash('chosen') } });
  now += 1500;
  expect(await ask('robot', 'chosen')).toBe(200);
  await there.disable('robot');
  now += 1500;
  expect(await ask('robot', 'other')).toBe(401);
  expect(await ask('robot', 'chosen')).toBe(401);
});
