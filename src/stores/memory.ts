/**
 * A store in the memory of one process.
 *
 * @module oauth-query/stores/memory
 */

import type { Clock, Store } from '../core/ports.js';
import { ExpiringTable } from './expiring-table.js';
import { FrozenCopies } from './frozen-copies.js';
import { StoreError } from './store-error.js';

/** What `memoryStore` can be told; everything has a default. */
export interface MemoryStoreOptions {
  /**
   * How many records the store may hold, 1,000,000 unless told. Nothing is allocated in advance.
   * When that many are alive, `add` rejects: a live record is never dropped to make room.
   */
  readonly max?: number;
  /** Milliseconds since the epoch; `Date.now` unless told. */
  readonly clock?: Clock;
}

/** The memory store also tells how full it is. */
export interface MemoryStore extends Store {
  /** How many records are held, expired ones that have not been cleared away yet included. */
  readonly size: number;
  /** A snapshot of what is alive. */
  entries(): IterableIterator<readonly [key: string, value: object]>;
}

/**
 * A store for one process: records live in its memory and end with it.
 *
 * Values are copied, and the copies are frozen: what `get` returns cannot be changed.
 * Each `add` clears away at most two expired records, found through a heap: no call ever walks through the store.
 *
 * @throws TypeError at construction when `max` is not a positive whole number.
 * @returns a store whose `add` rejects with a `StoreError` of code `STORE_FULL` when `max` records are alive.
 */
export function memoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  const { max = 1_000_000, clock = Date.now } = options;
  if (!Number.isSafeInteger(max) || max < 1) {
    throw new TypeError(`memoryStore: max must be a positive whole number, not ${String(max)}`);
  }
  const table = new ExpiringTable();
  const copies = new FrozenCopies();

  function makeRoom(now: number): void {
    // Two for the one that comes: expired records become fewer with every write.
    if (table.deleteDue(now)) table.deleteDue(now);
    if (table.size >= max) {
      throw new StoreError('STORE_FULL', `The memory store holds ${max} live records. Raise max or use another store.`);
    }
  }

  return {
    async add(given, value, expiresAt) {
      const now = clock();
      const key = inOnePiece(given);
      if (!(expiresAt > now) || table.get(key, now) !== undefined) return false;
      table.delete(key); // it may still hold an expired record
      makeRoom(now);
      table.insert(key, copies.of(value), expiresAt);
      return true;
    },

    async get(key) {
      return table.get(key, clock());
    },

    async delete(key) {
      table.delete(key);
    },

    get size() {
      return table.size;
    },

    entries: () => table.entries(clock()),
  };
}

/** The same text in one piece: a key that was put together from parts drags those parts along for as long as it lives. */
const inOnePiece = (key: string): string => [key.slice(0, 1), key.slice(1)].join('');
