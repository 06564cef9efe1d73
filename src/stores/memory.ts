/**
 * A store in the memory of one process.
 *
 * @module oauth-query/stores/memory
 */

import type { Clock, Store } from '../core/base/ports.js';
import { ExpiringTable } from './expiring-table.js';
import { FrozenCopies } from './frozen-copies.js';
import { type Membership, MemoryGroups } from './memory-groups.js';
import { StoreError } from './store-error.js';

/** A `Map` throws an error when it has more entries. */
const MAP_SIZE = 2 ** 24;

/** Options of `memoryStore`, all optional. */
export interface MemoryStoreOptions {
  /**
   * The maximum number of records, by default 1,000,000, and at most 16,777,216, the size of a `Map`. Nothing is allocated in advance.
   * When that many are alive, `add` rejects: a live record is never dropped to free space.
   */
  readonly max?: number;
  /** Returns milliseconds since the epoch; default: `Date.now`. */
  readonly clock?: Clock;
}

/** The memory store also reports how full it is. */
export interface MemoryStore extends Required<Store> {
  /** The number of records, including expired ones that have not been removed yet. */
  readonly size: number;
  /** A snapshot of all live records. */
  entries(): IterableIterator<readonly [key: string, value: object]>;
}

/**
 * A store for one process: records live in its memory and are lost when it ends.
 *
 * Values are copied and the copies frozen: results of `get` cannot be modified.
 * Each `add` removes at most two expired records, found with a heap: no call iterates over the whole store.
 *
 * @throws TypeError at construction if `max` is not a whole number from 1 to 16,777,216.
 * @returns a store whose `add` rejects with a `StoreError` with the code `STORE_FULL` when `max` records are alive.
 */
export function memoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  const { max = 1_000_000, clock = Date.now } = options;
  if (!Number.isSafeInteger(max) || max < 1 || max > MAP_SIZE) {
    throw new TypeError(`memoryStore: max must be a whole number from 1 to ${MAP_SIZE}, not ${String(max)}`);
  }
  const groups = new MemoryGroups();
  const table = new ExpiringTable<object>((kept) => {
    if (kept instanceof Listed) groups.remove(kept.membership);
  });
  const copies = new FrozenCopies();

  function makeRoom(now: number): void {
    // Two for each new record: expired records become fewer with every write.
    if (table.deleteDue(now)) table.deleteDue(now);
    if (table.size >= max) {
      throw new StoreError('STORE_FULL', `The memory store holds ${max} live records. Raise max or use another store.`);
    }
  }

  function live(key: string, now: number): object | undefined {
    const kept = table.get(key, now);
    return kept && valueOf(kept);
  }

  return {
    async add(given, value, expiresAt, names = []) {
      const now = clock();
      const key = inOnePiece(given);
      if (!(expiresAt > now) || !table.free(key, now)) return false;
      makeRoom(now);
      const copy = copies.of(value);
      table.insert(key, names.length === 0 ? copy : new Listed(copy, groups.add(key, names)), expiresAt);
      return true;
    },

    async swap(key, before, value, expiresAt) {
      const now = clock();
      const kept = expiresAt > now ? table.get(key, now) : undefined;
      if (kept === undefined) return false;
      const rev: unknown = Reflect.get(valueOf(kept), 'rev');
      if (rev !== before && rev !== value.rev) return false;
      table.replace(key, inPlaceOf(kept, copies.of(value)), expiresAt);
      return true;
    },

    async get(key) {
      return live(key, clock());
    },

    async getMany(keys) {
      const now = clock();
      return keys.map((key) => live(key, now));
    },

    async list(group, page) {
      return groups.page(group, page);
    },

    async delete(key) {
      table.delete(key);
    },

    get size() {
      return table.size;
    },

    *entries() {
      for (const [key, kept] of table.entries(clock())) yield [key, valueOf(kept)];
    },
  };
}

/** A value whose key is in groups. Most are not, so the table holds them without this. */
class Listed {
  readonly value: object;
  readonly membership: Membership;

  constructor(value: object, membership: Membership) {
    this.value = value;
    this.membership = membership;
  }
}

/** What to keep for a new value: its key stays in its groups. */
const inPlaceOf = (kept: object, value: object): object =>
  kept instanceof Listed ? new Listed(value, kept.membership) : value;

const valueOf = (kept: object): object => (kept instanceof Listed ? kept.value : kept);

/** The same text as a single string: a concatenated key would keep its parts in memory for as long as it lives. */
const inOnePiece = (key: string): string => [key.slice(0, 1), key.slice(1)].join('');
