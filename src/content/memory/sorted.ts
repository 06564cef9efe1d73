import type { ContentRange } from '../source.js';
import { compareKeys } from '../text-order.js';

type Key = readonly (string | number)[];

/** Rows sorted by key. */
export class Sorted<Row> {
  #rows: readonly Row[];
  #keys: readonly Key[];

  constructor(rows: readonly Row[], key: (row: Row) => Key) {
    const entries = rows.map((row) => ({ row, key: key(row) })).sort((a, b) => compareKeys(a.key, b.key));
    this.#rows = entries.map(({ row }) => row);
    this.#keys = entries.map((entry) => entry.key);
  }

  /** The rows of a range whose keys start with `within`. */
  range({ from, to, descending, limit }: ContentRange<Key>, within: Key = []): readonly Row[] {
    const low = this.#place([...within, ...((descending ? to : from) ?? [])], false);
    const high = this.#place([...within, ...((descending ? from : to) ?? [])], true);
    const count = Math.min(limit, Math.max(0, high - low));
    return descending ? this.#rows.slice(high - count, high).reverse() : this.#rows.slice(low, low + count);
  }

  /** Maps the rows. */
  map<Other>(form: (row: Row) => Other): Sorted<Other> {
    const mapped = new Sorted<Other>([], () => []);
    mapped.#rows = this.#rows.map(form);
    mapped.#keys = this.#keys;
    return mapped;
  }

  /** The number of keys before this one; with `after`, including keys that are equal to it or start with it. */
  #place(key: Key, after: boolean): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = compareKeys((this.#keys[middle] ?? []).slice(0, key.length), key);
      if (order < 0 || (after && order === 0)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
