import { setImmediate as nextTurn } from 'node:timers/promises';
import { storeContract } from 'oauth-query/testing';
import { describe, expect, test } from 'vitest';
import type { Store } from '../../src/core/base/ports.js';
import { LIST_SABOTAGES } from './list-sabotages.js';
import { plainStore, type Rows, type Sabotage, type Sabotaged } from './plain-store.js';
import { SWAP_SABOTAGES } from './swap-sabotages.js';

const OFFERS = { offers: ['getMany', 'list'] } as const;

/** The contract suite is worth what it finds: here is one wrong store per promise, each with the name of the case that detects it. */
const SABOTAGED: Record<string, Sabotaged> = {
  ...LIST_SABOTAGES,
  ...SWAP_SABOTAGES,
  'reads, then writes': {
    found: 'of 20 simultaneous adds one returns true',
    sabotage: (good, rows, clock) => ({
      async add(key, value, expiresAt) {
        if (expiresAt <= clock() || (await good.get(key))) return false;
        await nextTurn();
        rows.set(key, { json: JSON.stringify(value), expiresAt, groups: [] });
        return true;
      },
    }),
  },
  'is only atomic without an expired record': {
    found: 'of 20 simultaneous adds over an expired record one returns true',
    sabotage: (good, rows) => ({
      async add(key, value, expiresAt) {
        if (!rows.has(key) || (await good.get(key))) return good.add(key, value, expiresAt);
        await nextTurn();
        rows.set(key, { json: JSON.stringify(value), expiresAt, groups: [] });
        return true;
      },
    }),
  },
  'never returns true': {
    found: 'of 20 simultaneous adds one returns true',
    sabotage: (good) => ({
      async add(key, value, expiresAt) {
        return (await good.add(key, value, expiresAt)) && !key.startsWith('race:');
      },
    }),
  },
  overwrites: {
    found: 'a second add returns false and changes neither value nor deadline',
    sabotage: (good, rows) => ({
      async add(key, value, expiresAt) {
        const wrote = await good.add(key, value, expiresAt);
        rows.set(key, { json: JSON.stringify(value), expiresAt, groups: [] });
        return wrote;
      },
    }),
  },
  'changes the deadline in an add that returns false': {
    found: 'a second add returns false and changes neither value nor deadline',
    sabotage: (good, rows) => ({
      async add(key, value, expiresAt) {
        if (await good.add(key, value, expiresAt)) return true;
        const row = rows.get(key);
        if (row) rows.set(key, { ...row, expiresAt });
        return false;
      },
    }),
  },
  'forgets the oldest of a thousand': {
    found: 'many live records remain, none is evicted for another',
    sabotage: (good, rows) => ({
      async add(key, value, expiresAt) {
        const [oldest] = rows.keys();
        if (rows.size >= 1_000 && oldest !== undefined) rows.delete(oldest);
        return good.add(key, value, expiresAt);
      },
    }),
  },
  'ignores expiry when reading': {
    found: 'a record lives until the millisecond before its deadline',
    sabotage: (_good, rows) => ({ get: async (key) => JSON.parse(rows.get(key)?.json ?? 'null') ?? undefined }),
  },
  'ends a millisecond late': {
    found: 'a record lives until the millisecond before its deadline',
    sabotage: (_good, rows, clock) => plainStore(rows, () => clock() - 1),
  },
  'ends a millisecond early': {
    found: 'a record that lives for one millisecond',
    sabotage: (_good, rows, clock) => plainStore(rows, () => clock() + 1),
  },
  'counts in seconds': {
    found: 'a record that lives for one millisecond',
    sabotage: (_good, rows, clock) => plainStore(rows, () => Math.ceil(clock() / 1000) * 1000),
  },
  'uses the machine’s clock': {
    found: 'at its deadline a record can be replaced',
    sabotage: (_good, rows) => plainStore(rows, Date.now),
  },
  'does not replace an expired record': {
    found: 'at its deadline a record can be replaced',
    sabotage: (good, rows) => ({ add: async (key, ...rest) => !rows.has(key) && good.add(key, ...rest) }),
  },
  'returns true for a late add': {
    found: 'an add whose deadline has passed writes nothing and returns false',
    sabotage: (good, _rows, clock) => ({
      add: async (key, value, expiresAt) => (await good.add(key, value, expiresAt)) || expiresAt <= clock(),
    }),
  },
  'removes the record in a late add': {
    found: 'an add whose deadline has passed writes nothing and returns false',
    sabotage: (good, rows, clock) => ({
      async add(key, value, expiresAt) {
        if (expiresAt <= clock()) rows.delete(key);
        return good.add(key, value, expiresAt);
      },
    }),
  },
  'limits lifetimes to thirty days': {
    found: 'a record can live for a year',
    sabotage: (good, _rows, clock) => ({
      add: (key, value, expiresAt) => good.add(key, value, Math.min(expiresAt, clock() + 30 * 86_400_000)),
    }),
  },
  'keeps a deadline after delete': {
    found: 'a delete also removes the deadline',
    sabotage: (good, rows, clock) => {
      const deadlines: [string, number][] = [];
      return {
        async add(key, value, expiresAt) {
          for (const [old, deadline] of deadlines) if (deadline <= clock()) rows.delete(old);
          deadlines.push([key, expiresAt]);
          return good.add(key, value, expiresAt);
        },
      };
    },
  },
  'does not delete': {
    found: 'delete removes a record immediately, and a new one can be added',
    sabotage: () => ({ delete: async () => undefined }),
  },
  'leaves a tombstone': {
    found: 'delete removes a record immediately, and a new one can be added',
    sabotage: (good) => {
      const deleted = new Set<string>();
      return {
        add: async (key, ...rest) => !deleted.has(key) && good.add(key, ...rest),
        delete: async (key) => void deleted.add(key),
        get: async (key) => (deleted.has(key) ? undefined : good.get(key)),
      };
    },
  },
  'rejects if there is nothing to delete': {
    found: 'delete of an unknown key is not an error',
    sabotage: (good, rows) => ({
      delete: async (key) => (rows.has(key) ? good.delete(key) : Promise.reject(new Error('not found'))),
    }),
  },
  'returns null for missing records': {
    found: 'get of an unknown key returns undefined',
    sabotage: (good) => ({ get: async (key) => Object((await good.get(key)) ?? null) }),
  },
  'removes a record when it is read': {
    found: 'add writes a record that get returns',
    sabotage: (good, rows) => ({
      async get(key) {
        const value = await good.get(key);
        rows.delete(key);
        return value;
      },
    }),
  },
  'ignores the case of keys': {
    found: 'keys are distinguished to the last character',
    sabotage: (good) => ({
      add: (key, ...rest) => good.add(key.toLowerCase(), ...rest),
      get: (key) => good.get(key.toLowerCase()),
      delete: (key) => good.delete(key.toLowerCase()),
    }),
  },
  'truncates long keys': {
    found: 'keys are distinguished to the last character',
    sabotage: (good) => ({
      add: (key, ...rest) => good.add(key.slice(0, 190), ...rest),
      get: (key) => good.get(key.slice(0, 190)),
    }),
  },
  'cuts a key that is too long for its column': {
    found: 'a key of 200 characters is kept, and a longer one is kept whole or rejected, never cut',
    sabotage: (good) => ({ add: (key, ...rest) => good.add(key.slice(0, 200), ...rest) }),
  },
  'keeps the caller’s object': {
    found: 'changes to a value after add do not affect the record',
    sabotage: (good) => {
      const values = new Map<string, object>();
      return {
        add: async (key, value, expiresAt) =>
          (await good.add(key, value, expiresAt)) && Boolean(values.set(key, value)),
        get: async (key) => ((await good.get(key)) ? values.get(key) : undefined),
      };
    },
  },
  'returns the same object to every caller': {
    found: 'changes to a value from get do not affect the record',
    sabotage: (good) => {
      const values = new Map<string, object>();
      return {
        add: async (key, value, expiresAt) =>
          (await good.add(key, value, expiresAt)) && Boolean(values.set(key, structuredClone(value))),
        get: async (key) => ((await good.get(key)) ? values.get(key) : undefined),
      };
    },
  },
  'drops null members': {
    found: 'a value is returned unchanged',
    sabotage: (good) => ({
      add: (key, value, expiresAt) =>
        good.add(
          key,
          JSON.parse(JSON.stringify(value), (_name, member) => member ?? undefined),
          expiresAt,
        ),
    }),
  },
  'loses non-ASCII characters': {
    found: 'a value is returned unchanged',
    sabotage: (good) => ({
      async get(key) {
        const value = await good.get(key);
        return value && JSON.parse(Buffer.from(JSON.stringify(value), 'latin1').toString('latin1'));
      },
    }),
  },
  'resolves before it has written': {
    found: 'a completed add is visible to every later call',
    sabotage: (good, _rows, clock) => {
      const taken = new Set<string>();
      return {
        async add(key, value, expiresAt) {
          if (!key.startsWith('seen:')) return good.add(key, value, expiresAt);
          if (taken.has(key) || expiresAt <= clock()) return false;
          taken.add(key);
          void nextTurn().then(() => good.add(key, value, expiresAt));
          return true;
        },
      };
    },
  },
  'reads from its own cache': {
    found: 'writes and deletes of one store are visible to the others immediately',
    sabotage: (good, _rows, clock) => {
      const cache = new Map<string, object>();
      const cached = plainStore(new Map(), clock);
      return {
        ...cached,
        add: async (key, value, expiresAt) =>
          (await good.add(key, value, expiresAt)) && cached.add(key, value, expiresAt),
        async get(key) {
          const value = (await cached.get(key)) ?? (await good.get(key));
          if (value) cache.set(key, value);
          return value;
        },
        async delete(key) {
          await cached.delete(key);
          await good.delete(key);
        },
      };
    },
  },
  'is atomic only within itself': {
    found: 'of 20 simultaneous adds through four stores one returns true',
    sabotage: (_good, rows, clock) => {
      const own = plainStore(new Map(), clock);
      return {
        async add(key, value, expiresAt) {
          if (rows.has(key) && (rows.get(key)?.expiresAt ?? 0) > clock()) return false;
          if (!(await own.add(key, value, expiresAt))) return false;
          await nextTurn();
          rows.set(key, { json: JSON.stringify(value), expiresAt, groups: [] });
          return true;
        },
        async delete(key) {
          await own.delete(key);
          rows.delete(key);
        },
      };
    },
  },
  'lets the engine use the machine’s clock': {
    found: 'a clock far behind that of the machine',
    sabotage: (good, rows) => ({
      async get(key) {
        if ((rows.get(key)?.expiresAt ?? 0) <= Date.now()) rows.delete(key);
        return good.get(key);
      },
    }),
  },
  'lacks a declared method': {
    found: 'the store has the functions that `offers` names, and no others',
    sabotage: (good) => (Reflect.deleteProperty(good, 'getMany'), {}),
  },
  'returns several keys in its own order': {
    found: 'getMany returns the records in the order of the keys',
    sabotage: (good) => ({ getMany: (keys) => good.getMany(keys.toSorted()) }),
  },
  'returns several keys without checking deadlines': {
    found: 'getMany returns undefined for keys without a live record',
    sabotage: (_good, rows) => ({
      getMany: async (keys) => keys.map((key) => JSON.parse(rows.get(key)?.json ?? 'null') ?? undefined),
    }),
  },
  'returns repeated keys once': {
    found: 'getMany returns a repeated key repeatedly',
    sabotage: (good) => ({ getMany: (keys) => good.getMany([...new Set(keys)]) }),
  },
  'rejects an empty list of keys': {
    found: 'getMany of one key, and of none',
    sabotage: (good) => ({
      getMany: async (keys) => (keys.length > 0 ? good.getMany(keys) : Promise.reject(new Error('no keys'))),
    }),
  },
  'accepts at most fifty keys': {
    found: 'getMany of 64 keys, with and without a common tag',
    sabotage: (good) => ({
      getMany: async (keys) => (await good.getMany(keys)).map((record, index) => (index < 50 ? record : undefined)),
    }),
  },
  'removes records that are expired only by its own clock': {
    found: 'each store uses its own clock, a minute ahead or behind',
    sabotage: (good, rows, clock) => ({
      get(key) {
        for (const [old, row] of rows) if (row.expiresAt <= clock()) rows.delete(old);
        return good.get(key);
      },
    }),
  },
};

/** The names of the cases that a store fails. @param only - The name of the one that it runs; otherwise it runs all. */
async function failures(sabotage: Sabotage, only?: string): Promise<string[]> {
  const cases = storeContract(() => {
    const rows: Rows = new Map();
    return {
      open(clock) {
        const good = plainStore(rows, clock);
        const wrong = sabotage(good, rows, clock); // may take something away, too
        return { ...good, ...wrong };
      },
    };
  }, OFFERS);
  const failed: string[] = [];
  for (const { name, run } of cases) {
    if (only !== undefined && name !== only) continue;
    await run().catch(() => failed.push(name));
  }
  return failed;
}

describe('the contract suite', () => {
  test('accepts a correct store', async () => {
    expect(await failures(() => ({}))).toEqual([]);
  });

  test.each(Object.entries(SABOTAGED))('rejects a store that %s', async (_name, { found, sabotage }) => {
    expect(await failures(sabotage, found)).toEqual([found]);
  });

  test('rejects a store that loses everything when it is closed', async () => {
    const cases = storeContract(() => {
      let rows: Rows = new Map();
      return {
        open: (clock) => ({
          ...plainStore(rows, clock),
          close() {
            rows = new Map();
          },
        }),
      };
    });
    const outlives = cases.find(({ name }) => name === 'records outlive the store that wrote them');
    await expect(outlives?.run()).rejects.toThrow();
  });

  test('every case rejects some faulty store', () => {
    const names = storeContract(() => ({ open: (clock) => plainStore(new Map(), clock) }), OFFERS).map(
      ({ name }) => name,
    );
    const finders = new Set(Object.values(SABOTAGED).map(({ found }) => found));
    expect(names.filter((name) => !finders.has(name))).toEqual([
      // Its own test above.
      'records outlive the store that wrote them',
    ]);
  });

  test('accepts a store with four methods, and requires one with more to declare them', async () => {
    const run = (more: Partial<Store>): Promise<unknown>[] =>
      storeContract(
        () => ({
          open: (clock) => {
            const { add, swap, get, delete: remove } = plainStore(new Map(), clock);
            return { add, swap, get, delete: remove, ...more };
          },
        }),
        { shared: false },
      ).map(({ run: judge }) => judge());
    await Promise.all(run({}));
    await expect(Promise.all(run({ getMany: async () => [] }))).rejects.toThrow(/offers/);
  });

  test('closes every store and cleans up, also after a failure', async () => {
    const log: string[] = [];
    const cases = storeContract(() => ({
      open: (clock) => ({ ...plainStore(new Map(), clock), close: () => void log.push('close') }),
      remove: () => void log.push('remove'),
    }));
    const shared = cases.find(
      ({ name }) => name === 'writes and deletes of one store are visible to the others immediately',
    );
    await expect(shared?.run()).rejects.toThrow();
    expect(log).toEqual(['close', 'close', 'close', 'remove']);
  });
});
