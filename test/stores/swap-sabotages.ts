import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Store } from '../../src/core/base/ports.js';
import type { Row, Rows, Sabotaged } from './plain-store.js';

type Swap = Store['swap'];

const revOf = (row: Row | undefined): unknown => row && JSON.parse(row.json).rev;

/** Writes whatever is there. */
const put = (rows: Rows, key: string, value: object, expiresAt: number): void => {
  rows.set(key, { json: JSON.stringify(value), expiresAt, groups: rows.get(key)?.groups ?? [] });
};

/** Takes turns with the other calls of this store, but not with those of others. */
const inTurn = (): (<T>(work: () => Promise<T>) => Promise<T>) => {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
};

/** Compares, waits, and writes. */
const readThenWrite =
  (good: Store, rows: Rows): Swap =>
  async (key, before, value, expiresAt) => {
    const old = await good.get(key);
    const rev: unknown = Reflect.get(Object(old), 'rev');
    if (old === undefined || (rev !== before && rev !== value.rev)) return false;
    await nextTurn();
    put(rows, key, value, expiresAt);
    return true;
  };

/** Stores that swap wrongly. */
export const SWAP_SABOTAGES: Record<string, Sabotaged> = {
  'merges a swapped value into the previous one': {
    found: 'swap replaces the record that has the rev',
    sabotage: (good) => ({
      swap: async (key, before, value, expiresAt) =>
        good.swap(key, before, { ...(await good.get(key)), ...value }, expiresAt),
    }),
  },
  'swaps whatever the rev is': {
    found: 'swap of a rev that is no longer there returns false',
    sabotage: (good) => ({
      async swap(key, _before, value, expiresAt) {
        const rev: unknown = Reflect.get(Object(await good.get(key)), 'rev');
        return typeof rev === 'string' && good.swap(key, rev, value, expiresAt);
      },
    }),
  },
  'ignores the case of a rev': {
    found: 'revs are distinguished to the last character',
    sabotage: (good, rows) => ({
      swap(key, before, value, expiresAt) {
        const rev = String(revOf(rows.get(key)));
        return good.swap(key, rev.toLowerCase() === before.toLowerCase() ? rev : before, value, expiresAt);
      },
    }),
  },
  'truncates a rev': {
    found: 'revs are distinguished to the last character',
    sabotage: (good, rows) => ({
      swap(key, before, value, expiresAt) {
        const rev = String(revOf(rows.get(key)));
        return good.swap(key, rev.slice(0, 32) === before.slice(0, 32) ? rev : before, value, expiresAt);
      },
    }),
  },
  'writes a swapped record that is missing': {
    found: 'swap creates nothing: an unknown or deleted record is false',
    sabotage: (good, rows) => ({
      async swap(key, before, value, expiresAt) {
        return rows.has(key) ? good.swap(key, before, value, expiresAt) : (await good.add(key, value, expiresAt), true);
      },
    }),
  },
  'does not look at the expiry of the record it swaps': {
    found: 'swap does not replace an expired record',
    sabotage: (good, rows) => ({
      async swap(key, before, value, expiresAt) {
        if (revOf(rows.get(key)) !== before) return good.swap(key, before, value, expiresAt);
        put(rows, key, value, expiresAt);
        return true;
      },
    }),
  },
  'returns true for its own rev on an expired record': {
    found: 'swap does not replace an expired record',
    sabotage: (good, rows) => ({
      swap: async (key, before, value, expiresAt) =>
        revOf(rows.get(key)) === value.rev || good.swap(key, before, value, expiresAt),
    }),
  },
  'compares revs as numbers': {
    found: 'swap does not replace a record without a rev',
    sabotage: (good, rows) => ({
      async swap(key, before, value, expiresAt) {
        if (String(revOf(rows.get(key))) !== before) return good.swap(key, before, value, expiresAt);
        put(rows, key, value, expiresAt);
        return true;
      },
    }),
  },
  'searches the text for the rev': {
    found: 'swap does not replace a record without a rev',
    sabotage: (good, rows) => ({
      async swap(key, before, value, expiresAt) {
        if (!rows.get(key)?.json.includes(`"rev":"${before}"`)) return good.swap(key, before, value, expiresAt);
        put(rows, key, value, expiresAt);
        return true;
      },
    }),
  },
  'returns false for a swap that is sent again': {
    found: 'a swap that is sent again returns true, and changes nothing',
    sabotage: (good, rows) => ({
      swap: async (key, before, value, expiresAt) =>
        revOf(rows.get(key)) === before && good.swap(key, before, value, expiresAt),
    }),
  },
  'returns true for every rev that was once written': {
    found: 'a swap that is sent again after another one returns false',
    sabotage(good) {
      const written = new Set<string>();
      return {
        async swap(key, before, value, expiresAt) {
          if (await good.swap(key, before, value, expiresAt)) written.add(key + value.rev);
          return written.has(key + value.rev);
        },
      };
    },
  },
  'keeps the deadline of a swapped record': {
    found: 'swap moves the deadline, to an earlier or a later time',
    sabotage: (good, rows) => ({
      swap: (key, before, value, expiresAt) =>
        good.swap(
          key,
          before,
          value,
          revOf(rows.get(key)) === before ? (rows.get(key)?.expiresAt ?? expiresAt) : expiresAt,
        ),
    }),
  },
  'moves a deadline only to a later time': {
    found: 'swap moves the deadline, to an earlier or a later time',
    sabotage: (good, rows) => ({
      swap: (key, before, value, expiresAt) =>
        good.swap(key, before, value, Math.max(rows.get(key)?.expiresAt ?? 0, expiresAt)),
    }),
  },
  'swaps although the deadline has passed': {
    found: 'a swap whose deadline has passed writes nothing and returns false',
    sabotage: (good, _rows, clock) => ({
      swap: (key, before, value, expiresAt) => good.swap(key, before, value, Math.max(expiresAt, clock() + 1)),
    }),
  },
  'returns true for a swap that is too late': {
    found: 'a swap whose deadline has passed writes nothing and returns false',
    sabotage: (good, _rows, clock) => ({
      swap: async (key, before, value, expiresAt) => expiresAt <= clock() || good.swap(key, before, value, expiresAt),
    }),
  },
  'serialises a swapped value later': {
    found: 'changes to a value after swap do not affect the record',
    sabotage: (good) => ({
      async swap(...record) {
        await nextTurn();
        return good.swap(...record);
      },
    }),
  },
  'reads, then swaps': {
    found: 'of 20 simultaneous swaps of one rev one returns true',
    sabotage: (good, rows) => ({ swap: readThenWrite(good, rows) }),
  },
  'reads, then swaps, and loses what others wrote': {
    found: 'what 20 simultaneous writers append is all there, if each reads again until it is',
    sabotage: (good, rows) => ({ swap: readThenWrite(good, rows) }),
  },
  'brings back what was deleted during a swap': {
    found: 'a deleted record stays deleted, whatever is swapped meanwhile',
    sabotage: (good, rows) => ({ swap: readThenWrite(good, rows) }),
  },
  'reads a copy that swaps of other stores do not reach': {
    found: 'a completed swap is visible to every other store immediately',
    sabotage(good) {
      const known = new Map<string, object>();
      return {
        async swap(key, before, value, expiresAt) {
          known.delete(key);
          return good.swap(key, before, value, expiresAt);
        },
        async get(key) {
          const record = known.get(key) ?? (await good.get(key));
          if (record !== undefined && 'rev' in record) known.set(key, record);
          return record;
        },
      };
    },
  },
  'is atomic only within one store': {
    found: 'of 20 simultaneous swaps through four stores one returns true',
    sabotage(good, rows) {
      const turn = inTurn();
      const swap = readThenWrite(good, rows);
      return { swap: (...record) => turn(() => swap(...record)) };
    },
  },
  'judges the expiry of a swapped record by the clock of another store': {
    found: 'a swap uses the clock of its store',
    sabotage: (good, rows) => ({
      async swap(key, before, value, expiresAt) {
        const row = rows.get(key);
        if (row === undefined || revOf(row) !== before) return good.swap(key, before, value, expiresAt);
        rows.set(key, { ...row, json: JSON.stringify(value), expiresAt });
        return true;
      },
    }),
  },
  'removes a swapped record from its groups': {
    found: 'a swapped record stays in its groups',
    sabotage: (good, rows) => ({
      async swap(key, ...rest) {
        const isSwapped = await good.swap(key, ...rest);
        const row = rows.get(key);
        if (isSwapped && row) rows.set(key, { ...row, groups: [] });
        return isSwapped;
      },
    }),
  },
};
