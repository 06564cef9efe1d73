/**
 * A store in the memory of one process.
 *
 * @module oauth-query/stores/memory
 */

import { mistake } from '../core/base/mistakes.js';
import type { Clock, Store } from '../core/base/ports.js';
import { inOnePiece, type Listing, MemoryGroups } from './memory-groups.js';
import { StoreError } from './store-error.js';

/** A `Map` throws an error when it has more entries. */
const MAP_SIZE = 2 ** 24;

/** Records that each `add` looks at: a full turn of the sweep leaves about an eighth of the store to expired ones. */
const SWEPT = 4;

/** Records that an `add` looks at in a full store. More would be a pause, and a stranger could cause it again and again. */
const SWEPT_WHEN_FULL = 1000;

/** Options of `memoryStore`, all optional. */
export interface MemoryStoreOptions {
  /**
   * The maximum number of records, by default 1,000,000, and at most 16,777,216, the size of a `Map`. Nothing is allocated in advance.
   * When that many are alive, `add` rejects: a live record is never dropped to free space.
   */
  readonly max?: number | undefined;
  /** Returns milliseconds since the epoch; default: `Date.now`. */
  readonly clock?: Clock | undefined;
}

/** The memory store also reports how full it is. */
export interface MemoryStore extends Required<Store> {
  /** The number of records, including expired ones that have not been removed yet. */
  readonly size: number;
  /** A snapshot of all live records. */
  entries(): IterableIterator<readonly [key: string, value: object]>;
}

interface Kept {
  readonly value: object;
  readonly expiresAt: number;
  readonly listing: Listing | undefined;
}

/** The records and the sweep, which looks at them in turn. */
class SweptMap {
  readonly records = new Map<string, Kept>();
  readonly groups = new MemoryGroups();
  #turn = this.records.keys();

  live(key: string, now: number): Kept | undefined {
    const kept = this.records.get(key);
    return kept !== undefined && kept.expiresAt > now ? kept : undefined;
  }

  delete(key: string): void {
    const listing = this.records.get(key)?.listing;
    this.records.delete(key);
    if (listing !== undefined) this.groups.remove(listing);
  }

  sweep(count: number, now: number): void {
    for (let left = count; left > 0; left -= 1) {
      const { value: key, done } = this.#turn.next();
      if (done === true) this.#turn = this.records.keys();
      else if (this.live(key, now) === undefined) this.delete(key);
    }
  }
}

/**
 * A store for one process: records live in its memory and are lost when it ends.
 *
 * Values are copied and the copies frozen: results of `get` cannot be modified.
 * Each `add` looks at a few records, in turn, and removes those that have expired: no call iterates over the whole store.
 *
 * @throws TypeError at construction if `max` is not a whole number from 1 to 16,777,216.
 * @returns a store whose `add` rejects with a `StoreError` with the code `STORE_FULL` when it has `max` records and finds none that has expired
 * among the next 1,000.
 */
export function memoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  const { max = 1_000_000, clock = Date.now } = options;
  if (!Number.isSafeInteger(max) || max < 1 || max > MAP_SIZE) {
    throw mistake(`memoryStore: max must be a whole number from 1 to ${MAP_SIZE}, not ${String(max)}`, 'OQ100');
  }
  const swept = new SweptMap();
  const { records, groups } = swept;

  return {
    async add(given, value, expiresAt, names = []) {
      const now = clock();
      const key = inOnePiece(given);
      if (!(expiresAt > now)) return false;
      const before = records.get(key);
      if (before !== undefined) {
        if (before.expiresAt > now) return false;
        swept.delete(key);
      }
      swept.sweep(SWEPT, now);
      if (records.size >= max) swept.sweep(Math.min(SWEPT_WHEN_FULL, 2 * max), now);
      if (records.size >= max) {
        throw new StoreError(
          'STORE_FULL',
          `The memory store holds ${max} live records. Raise max or use another store.`,
        );
      }
      const listing = names.length === 0 ? undefined : groups.add(key, names);
      records.set(key, { value: frozenCopy(value), expiresAt, listing });
      return true;
    },

    // An entry lives as long as its record here, so the groups are those of `add`.
    async swap(key, before, value, expiresAt) {
      const now = clock();
      const kept = expiresAt > now ? swept.live(key, now) : undefined;
      if (kept === undefined) return false;
      const rev: unknown = Reflect.get(kept.value, 'rev');
      if (rev !== before && rev !== value.rev) return false;
      records.set(key, { value: frozenCopy(value), expiresAt, listing: kept.listing });
      return true;
    },

    get: async (key) => swept.live(key, clock())?.value,

    async getMany(keys) {
      const now = clock();
      return keys.map((key) => swept.live(key, now)?.value);
    },

    list: async (group, page) => groups.page(group, page),

    async delete(key) {
      swept.delete(key);
    },

    get size() {
      return records.size;
    },

    *entries() {
      const now = clock();
      for (const [key, { value, expiresAt }] of [...records]) if (expiresAt > now) yield [key, value];
    },
  };
}

/** Most records have an empty list of resources. */
const EMPTY: readonly never[] = Object.freeze([]);

const frozenMember = (member: unknown): unknown =>
  typeof member === 'object' && member !== null ? frozenCopy(member) : member;

/** A deep copy of plain data that nobody can change. A frozen `{ ...value }` takes 200 bytes more, `Object.fromEntries` three times as long. */
function frozenCopy(value: object): object {
  if (Array.isArray(value)) return value.length === 0 ? EMPTY : Object.freeze(value.map(frozenMember));
  const copy: Record<string, unknown> = {};
  for (const name in value) {
    const member = frozenMember(Reflect.get(value, name));
    // An assignment would change the prototype instead.
    if (name === '__proto__') Object.defineProperty(copy, name, { value: member, enumerable: true });
    else copy[name] = member;
  }
  return Object.freeze(copy);
}
