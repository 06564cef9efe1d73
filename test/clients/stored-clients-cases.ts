import { type StoredClient, StoredClientError, storedClients, type StoredClientsOptions } from 'oauth-query/clients';
import type { Store } from 'oauth-query/store';
import { expect, test } from 'vitest';
import { sha256 } from '../../src/core/base/secrets.js';

/** One connection to a store that others are connected to, too. */
export type Connect = () => Store;

const REDIRECT = { redirect_uris: ['https://app.example/cb'] } as const;

/** A name that no other case uses: some stores are there for all of them. */
let names = 0;
const newName = (): string => `client ${(names += 1)}`;

const codeOf = (error: unknown): unknown => (error instanceof StoredClientError ? error.code : error);

/** What came of calls that were made at the same time: their results, and the codes of what they rejected with. */
const together = async <T>(calls: readonly Promise<T>[]): Promise<readonly [readonly T[], readonly unknown[]]> => {
  const settled = await Promise.allSettled(calls);
  return [
    settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])),
    settled.flatMap((one) => (one.status === 'rejected' ? [codeOf(one.reason)] : [])),
  ];
};

/** Of several calls that are counted, the one at which something happens. */
const at = (store: Store, call: number, happen: (verb: () => Promise<never>) => Promise<never>): Store => {
  let calls = 0;
  const counted = <T>(verb: () => Promise<T>): Promise<T> => {
    calls += 1;
    // Whatever the verb would have answered: the caller never gets it.
    return calls === call ? happen(verb as () => Promise<never>) : verb();
  };
  return {
    get: (key) => counted(() => store.get(key)),
    add: (...record) => counted(() => store.add(...record)),
    swap: (...record) => counted(() => store.swap(...record)),
    delete: (key) => counted(() => store.delete(key)),
    ...(store.getMany && { getMany: (keys) => counted(() => store.getMany?.(keys) ?? Promise.reject(new Error())) }),
    ...(store.list && { list: (group, page) => store.list?.(group, page) ?? Promise.reject(new Error()) }),
  };
};

const all = async (store: Store, options?: StoredClientsOptions): Promise<readonly StoredClient[]> => {
  const clients = storedClients(store, options);
  const found: StoredClient[] = [];
  let after: string | undefined;
  do {
    const page = await clients.list({ after, limit: 7 });
    found.push(...page.clients);
    after = page.next;
  } while (after !== undefined);
  return found;
};

/** What stored clients promise over any store. */
export const storedClientsCases = (connect: Connect): void => {
  test('a client is added, found from another process, changed, disabled, enabled and removed', async () => {
    const [here, there] = [storedClients(connect()), storedClients(connect(), { cacheSeconds: 0 })];
    const client_id = newName();
    expect(await there.find(client_id)).toBeUndefined();
    const added = await here.add({ client_id, ...REDIRECT, client_name: 'One' });
    expect(added).toEqual({
      client_id,
      registration: { client_id, ...REDIRECT, client_name: 'One' },
      version: 1,
      changedAt: expect.any(Number),
    });
    expect(await there.find(client_id)).toEqual(added.registration);
    const changed = await there.change(client_id, { client_name: null, scope: 'profile' });
    expect([changed.version, changed.registration]).toEqual([2, { client_id, ...REDIRECT, scope: 'profile' }]);
    expect(await here.get(client_id)).toEqual(changed);
    expect((await here.disable(client_id)).registration.disabled).toBe(true);
    expect(await there.find(client_id)).toMatchObject({ disabled: true });
    expect('disabled' in (await there.enable(client_id)).registration).toBe(false);
    await here.remove(client_id);
    await here.remove(client_id);
    expect([await here.find(client_id), await there.find(client_id), await there.get(client_id)]).toEqual(
      Array(3).fill(undefined),
    );
    for (const change of [
      () => there.change(client_id, {}),
      () => there.disable(client_id),
      () => here.rotateSecret(client_id, { overlap: 0 }),
    ])
      expect(codeOf(await change().catch((error: unknown) => error))).toBe('unknown');
  });

  test('exchange_resources are kept, found from another process, and must be an array of strings', async () => {
    const [here, there] = [storedClients(connect()), storedClients(connect(), { cacheSeconds: 0 })];
    const client_id = newName();
    const exchange_resources = ['https://search.example'];
    await here.add({ client_id, ...REDIRECT, exchange_resources });
    await here.change(client_id, { client_name: 'Notes' });
    expect(await there.find(client_id)).toMatchObject({ exchange_resources, client_name: 'Notes' });
    for (const wrong of ['https://search.example', [7]] as never[]) {
      const refused = await here.change(client_id, { exchange_resources: wrong }).catch((error: unknown) => error);
      expect([codeOf(refused), String(refused)]).toEqual(['invalid', expect.stringContaining('exchange_resources')]);
    }
    expect((await there.change(client_id, { exchange_resources: null })).registration).not.toHaveProperty(
      'exchange_resources',
    );
  });

  test('a new secret is returned once, and the store never has a usable one', async () => {
    const written: string[] = [];
    const store = connect();
    const clients = storedClients({
      ...at(store, 0, (verb) => verb()),
      add: (key, value, ...rest) => (written.push(key + JSON.stringify(value)), store.add(key, value, ...rest)),
      swap: (key, before, value, end) => (
        written.push(key + JSON.stringify(value)),
        store.swap(key, before, value, end)
      ),
    });
    const client_id = newName();
    const chosen = 'correct horse battery staple';
    const { client_secret = '' } = await clients.add({ client_id, ...REDIRECT }, { generateSecret: true });
    await clients.add({
      client_id: newName(),
      ...REDIRECT,
      client_secret: [chosen, { value: 'tr0ub4dor', expiresAt: 2e12 }],
    });
    const rotated = await clients.rotateSecret(client_id, { overlap: 60 });
    expect([client_secret, rotated.client_secret]).toEqual(Array(2).fill(expect.stringMatching(/^[\w-]{43}$/)));
    expect(rotated.client_secret).not.toBe(client_secret);
    expect(rotated.registration.client_secret).toEqual([
      { sha256: sha256(String(rotated.client_secret)) },
      { sha256: sha256(client_secret), expiresAt: expect.any(Number) },
    ]);
    const text = written.join('\n');
    expect(text).toContain('"scrypt":"$scrypt$ln=');
    for (const secret of [chosen, 'tr0ub4dor', client_secret, rotated.client_secret])
      expect(text).not.toContain(secret);
  });

  test('of concurrent changes to one version, one wins and the others get a conflict', async () => {
    const client_id = newName();
    const { version } = await storedClients(connect()).add({ client_id, ...REDIRECT });
    const change = (n: number) => storedClients(connect()).change(client_id, { client_name: `${n}` }, { version });
    const [won, lost] = await together(Array.from({ length: 10 }, (_, n) => change(n)));
    expect([won.length, lost]).toEqual([1, Array(9).fill('conflict')]);
    expect(await storedClients(connect()).get(client_id)).toEqual(won[0]);
    expect(codeOf(await change(11).catch((error: unknown) => error))).toBe('conflict');
  });

  test('of concurrent additions of one name, one wins', async () => {
    const client_id = newName();
    const [won, lost] = await together(
      Array.from({ length: 10 }, (_, n) =>
        storedClients(connect()).add({ client_id, ...REDIRECT, client_name: `${n}` }),
      ),
    );
    expect(won).toHaveLength(1);
    expect(lost.every((code) => code === 'conflict' || code === 'exists')).toBe(true);
    expect(await storedClients(connect()).get(client_id)).toEqual(won[0]);
  });

  test('a client exists at every moment of a change', async () => {
    const client_id = newName();
    const writer = storedClients(connect());
    await writer.add({ client_id, ...REDIRECT, client_name: '0' });
    let isOver = false;
    const read = async (): Promise<number> => {
      let last = 0;
      let reads = 0;
      while (!isOver) {
        // One that has not seen the client before, and one that looks again each time.
        const [fresh, again] = [storedClients(connect()), storedClients(connect(), { cacheSeconds: 0 })];
        for (const found of [await fresh.find(client_id), await again.find(client_id), await again.find(client_id)]) {
          const version = Number(found?.client_name);
          expect(version).toBeGreaterThanOrEqual(last);
          last = version;
          reads += 1;
        }
      }
      return reads;
    };
    const readers = [read(), read(), read()];
    for (let n = 1; n <= 60; n += 1) await writer.change(client_id, { client_name: `${n}` });
    isOver = true;
    for (const reads of await Promise.all(readers)) expect(reads).toBeGreaterThan(3);
    expect((await storedClients(connect()).get(client_id))?.registration.client_name).toBe('60');
  });

  test.each(['before', 'after'])(
    'if a process stops %s any of its calls, the client remains and can be changed',
    async (moment) => {
      const client_id = newName();
      await storedClients(connect()).add({ client_id, ...REDIRECT, client_name: 'first' });
      let call = 0;
      for (let isHit = true; isHit;) {
        call += 1;
        isHit = false;
        const dying = at(connect(), call, async (verb) => {
          isHit = true;
          if (moment === 'after') await verb();
          throw new Error('the process ends');
        });
        const name = `${moment} ${call}`;
        const before = await storedClients(connect()).get(client_id);
        await storedClients(dying)
          .change(client_id, { client_name: name })
          .catch(() => undefined);
        const now = await storedClients(connect()).get(client_id);
        expect([before?.registration.client_name, name]).toContain(now?.registration.client_name);
        await storedClients(connect()).change(client_id, { client_name: `mended ${call}` });
        expect((await storedClients(connect()).get(client_id))?.registration.client_name).toBe(`mended ${call}`);
      }
      expect(call, 'a get and a swap').toBe(3);
    },
  );

  test('a change that is written late fails, and changes nothing', async () => {
    const client_id = newName();
    const clients = storedClients(connect());
    await clients.add({ client_id, ...REDIRECT });
    const store = connect();
    const slow: Store = {
      ...at(store, 0, (verb) => verb()),
      swap: async (...record) => {
        for (const client_name of ['a', 'b', 'c']) await clients.change(client_id, { client_name });
        return store.swap(...record);
      },
    };
    const late = storedClients(slow).change(client_id, { client_name: 'late' });
    expect(codeOf(await late.catch((error: unknown) => error))).toBe('conflict');
    for (const registry of [clients, storedClients(connect())])
      expect((await registry.get(client_id))?.registration.client_name).toBe('c');
    expect((await clients.change(client_id, { client_name: 'd' })).version).toBe(5);
  });

  test('changes that do not depend on the previous state all succeed, or say that they did not', async () => {
    const client_id = newName();
    await storedClients(connect()).add({ client_id }, { generateSecret: true });
    const [secrets, refused] = await together(
      Array.from({ length: 4 }, () => storedClients(connect()).rotateSecret(client_id, { overlap: 60 })),
    );
    const { registration, version } = (await storedClients(connect()).get(client_id)) ?? expect.fail();
    const hashes = (registration.client_secret as readonly { readonly sha256: string }[]).map((one) => one.sha256);
    for (const { client_secret = '' } of secrets) expect(hashes).toContain(sha256(client_secret));
    expect(version).toBe(1 + secrets.length);
    expect(refused.every((code) => code === 'conflict')).toBe(true);
  });

  test('of secrets rotated at once without an overlap, only one is returned', async () => {
    const client_id = newName();
    const { version } = await storedClients(connect()).add({ client_id }, { generateSecret: true });
    const [secrets, refused] = await together(
      Array.from({ length: 5 }, () => storedClients(connect()).rotateSecret(client_id, { overlap: 0, version })),
    );
    expect([secrets.length, refused]).toEqual([1, Array(4).fill('conflict')]);
    const { registration } = (await storedClients(connect()).get(client_id)) ?? expect.fail();
    expect(registration.client_secret).toEqual([{ sha256: sha256(secrets[0]?.client_secret ?? '') }]);
  });

  test('a client that was changed a hundred times is one record, found with one get by any process', async () => {
    const client_id = newName();
    const writer = storedClients(connect());
    await writer.add({ client_id, ...REDIRECT });
    for (let n = 0; n < 99; n += 1) await writer.change(client_id, { client_name: `${n}` });
    const calls: string[] = [];
    const store = connect();
    const counting: Store = {
      add: () => expect.fail('nothing is written'),
      swap: () => expect.fail('nothing is written'),
      delete: () => expect.fail('nothing is written'),
      get: (key) => (calls.push(key), store.get(key)),
      getMany: () => expect.fail('one key'),
    };
    const reader = storedClients(counting, { cacheSeconds: 0 });
    expect((await reader.get(client_id))?.version).toBe(100);
    expect(await reader.find(client_id)).toMatchObject({ client_name: '98' });
    const key = expect.stringMatching(/:client:\{[\w-]{43}\}$/);
    expect(calls).toEqual([key, key]);
    expect(await reader.find(newName())).toBeUndefined();
    expect(calls).toHaveLength(3);
  });

  test('a list can be added to another store, and every secret still works', async () => {
    const issuer = newName();
    const from = storedClients(connect(), { issuer });
    const client_id = newName();
    const { client_secret = '', registration } = await from.add({ client_id }, { generateSecret: true });
    const to = storedClients(connect(), { issuer: newName() });
    for (const client of (await from.list()).clients) await to.add(client.registration);
    expect(await to.find(client_id)).toEqual(registration);
    expect(registration.client_secret).toEqual([{ sha256: sha256(client_secret) }]);
  });

  test('tokens of a removed client stay invalid if its name is reused', async () => {
    const client_id = newName();
    const clients = storedClients(connect());
    await clients.add({ client_id, ...REDIRECT });
    await clients.remove(client_id);
    const again = await storedClients(connect()).add({ client_id, ...REDIRECT });
    expect(again.registration.generation).toBe(1);
    expect(await clients.get(client_id)).toEqual(again);
    await clients.change(client_id, { client_name: 'Two' });
    await clients.remove(client_id);
    await clients.remove(client_id);
    expect((await clients.add({ client_id, ...REDIRECT })).registration.generation).toBe(2);
    await expect(clients.change(client_id, { generation: 0 })).rejects.toThrow(/generation cannot be changed/);
  });

  test('tokens_valid_after only moves forwards', async () => {
    const client_id = newName();
    const clients = storedClients(connect());
    await clients.add({ client_id, ...REDIRECT });
    const valid = async (after?: number) =>
      (await storedClients(connect()).endTokens(client_id, after)).registration.tokens_valid_after;
    const now = Math.floor(Date.now() / 1000);
    expect([await valid(1000), await valid(10)]).toEqual([1000, 1000]);
    expect(await valid()).toBeGreaterThan(now);
  });

  test('lists every client exactly once', async () => {
    const issuer = newName();
    const clients = storedClients(connect(), { issuer });
    const wanted = Array.from({ length: 20 }, newName);
    await Promise.all(wanted.map((client_id) => clients.add({ client_id, ...REDIRECT })));
    const [gone = '', changed = ''] = wanted;
    await clients.remove(gone);
    await clients.change(changed, { client_name: 'Changed' });
    const found = await all(connect(), { issuer });
    expect(found.map(({ client_id }) => client_id).sort()).toEqual(wanted.slice(1).sort());
    expect(found.find(({ client_id }) => client_id === changed)?.registration.client_name).toBe('Changed');
    expect(await all(connect(), { issuer: newName() })).toEqual([]);
    expect(await storedClients(connect(), { issuer: 'https://b.example' }).get(changed)).toBeUndefined();
  });
};
