import { compareKeys, type Key } from '../keys.js';
import type { ContentRange } from '../source.js';

/** Rows sorted by key. Changes are applied when the rows are next read, so that many cost little more than one. */
export class Sorted<Row> {
  readonly #key: (row: Row) => Key;
  #rows: Row[] = [];
  #isSorted = true;
  /** Rows to be removed. Most lists never have any. */
  #removed: Set<Row> | undefined;

  constructor(key: (row: Row) => Key) {
    this.#key = key;
  }

  get size(): number {
    return this.#rows.length - (this.#removed?.size ?? 0);
  }

  add(row: Row): void {
    if (this.#removed?.delete(row)) return;
    this.#rows.push(row);
    this.#isSorted = false;
  }

  /** Removes a row that was added. */
  remove(row: Row): void {
    (this.#removed ??= new Set()).add(row);
  }

  /** All rows, in order. */
  get all(): readonly Row[] {
    const removed = this.#removed;
    if (removed) this.#rows = this.#rows.filter((row) => !removed.has(row));
    this.#removed = undefined;
    if (!this.#isSorted && this.#rows.length > 1) {
      // Takes linear time if most rows are in order.
      const keyed = this.#rows.map((row) => ({ row, key: this.#key(row) })).sort((a, b) => compareKeys(a.key, b.key));
      this.#rows = keyed.map(({ row }) => row);
    }
    this.#isSorted = true;
    return this.#rows;
  }

  /**
   * The rows of a range.
   *
   * @param keep - Filters them. Default: all.
   */
  range({ from, to, descending, limit }: ContentRange<Key>, keep: (row: Row) => boolean = () => true): readonly Row[] {
    const rows = this.all;
    const low = this.#place((descending ? to : from) ?? [], false);
    const high = this.#place((descending ? from : to) ?? [], true);
    const kept: Row[] = [];
    for (let count = 0; count < high - low && kept.length < limit; count += 1) {
      const row = rows[descending ? high - 1 - count : low + count];
      if (row !== undefined && keep(row)) kept.push(row);
    }
    return kept;
  }

  /** The number of rows whose keys start with this one. */
  count(key: Key): number {
    void this.all;
    return this.#place(key, true) - this.#place(key, false);
  }

  /** The number of keys before this one; with `after`, including keys that are equal to it or start with it. */
  #place(key: Key, after: boolean): number {
    let low = 0;
    let high = this.#rows.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = compareKeys(this.#key(this.#rows[middle] as Row).slice(0, key.length), key);
      if (order < 0 || (after && order === 0)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Rows in groups, each sorted by key. */
export class Groups<Row> {
  readonly #key: (row: Row) => Key;
  readonly #groups = new Map<string, Sorted<Row>>();

  constructor(key: (row: Row) => Key) {
    this.#key = key;
  }

  /** Returns whether the group is new. */
  add(name: string, row: Row): boolean {
    const group = this.#groups.get(name) ?? new Sorted(this.#key);
    group.add(row);
    const isNew = !this.#groups.has(name);
    if (isNew) this.#groups.set(name, group);
    return isNew;
  }

  /** Returns whether the group is now gone. */
  remove(name: string, row: Row): boolean {
    const group = this.#groups.get(name);
    group?.remove(row);
    return group?.size === 0 && this.#groups.delete(name);
  }

  /** Applies all changes, so that the next read takes no longer than others. */
  sort(): void {
    for (const group of this.#groups.values()) void group.all;
  }

  /** The rows of a group, in order. */
  all(name: string): readonly Row[] {
    return this.#groups.get(name)?.all ?? [];
  }

  /** The rows of a group in a range. */
  range(name: string, range: ContentRange<Key>, keep?: (row: Row) => boolean): readonly Row[] {
    return this.#groups.get(name)?.range(range, keep) ?? [];
  }

  /** The number of rows of a group whose keys start with this one. */
  count(name: string, key: Key): number {
    return this.#groups.get(name)?.count(key) ?? 0;
  }
}
