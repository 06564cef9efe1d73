/**
 * What the core needs from outside: a store, a clock, randomness. Nothing here depends on a framework or a database.
 */

/** A record that can be replaced, see {@link Store.swap}. */
export interface Revision {
  /** 1 to 64 characters of printable ASCII without spaces: random, and written by a single call. */
  readonly rev: string;
}

/**
 * A store of records with four methods. A record is written by `add`, replaced by `swap`, and otherwise only expires or is deleted.
 * Of any number of simultaneous `add` calls for one key, exactly one resolves to `true`, and of any number of simultaneous `swap` calls with one `before`
 * also: every "works once" rule of the protocol relies on this.
 *
 * A store may have more methods, which are optional. The core works without them, but faster with them.
 *
 * A store that cannot answer (unreachable, full, too slow) rejects. It never drops a live record to free space.
 */
export interface Store {
  /**
   * Writes a record if there is no live one under this key.
   *
   * @param key - Printable ASCII, at most 200 characters. A store that cannot keep a longer one whole rejects it.
   * @param value - Plain JSON data. The store keeps its current contents, whatever the caller changes afterwards.
   * @param expiresAt - Milliseconds since the epoch. From that millisecond on the record does not exist.
   * @param groups - At most four names, with the same characters and length as keys, for stores with {@link Store.list}. Other stores
   * may ignore them. The groups must list the key before the record exists, whatever fails in between.
   * @returns `true` if this call wrote the record; `false` if a live record was already there.
   */
  add(key: string, value: object, expiresAt: number, groups?: readonly string[]): Promise<boolean>;

  /**
   * Replaces the live record under this key if its `rev` is still `before`. It never creates one: a record that is missing, deleted or expired, or has
   * no `rev`, is `false`. Value and expiry change together.
   *
   * A driver may send the command twice. If the live record has the `rev` of `value`, this very call wrote it, and the result is `true`.
   *
   * If it rejects, the record may have been replaced, or may still be: read it again, and assume neither.
   *
   * @param before - The `rev` of the record to replace.
   * @param value - Like in {@link Store.add}, with a new `rev`.
   * @param expiresAt - Like in {@link Store.add}. If it has passed, nothing is written.
   * @param groups - Those passed to its `add`, again, for stores with {@link Store.list}. They must list the key until the new expiry before the record
   * has it, whatever fails in between. A call that replaces nothing may extend entries, and never shortens one.
   * @returns `true` if this call replaced the record. `false` if it did not, or if it did, and the command was sent again after yet another call had
   * replaced the record: read it again.
   */
  swap(
    key: string,
    before: string,
    value: Revision & object,
    expiresAt: number,
    groups?: readonly string[],
  ): Promise<boolean>;

  /** The live record under this key, or `undefined`. */
  get(key: string): Promise<object | undefined>;

  /** Deletes the record, whatever its `rev`. Deleting a missing record is not an error. */
  delete(key: string): Promise<void>;

  /**
   * Optional: the live records under several keys, in one command if the database supports it. Without it, callers use `get`
   * for each key. It is not a snapshot: keys are read independently. Keys with the same part in braces, such as `grant:{a}` and `spent:{a}`,
   * are worth storing together; a store may ignore this.
   *
   * @returns one element per key, in the order of the keys; `undefined` if there is no live record.
   */
  getMany?(keys: readonly string[]): Promise<readonly (object | undefined)[]>;

  /**
   * Optional, and only together with `getMany`: one page of the keys that were added to a group. Following `next` from page to page
   * lists each record exactly once if it was added before the first page and is live until the last, and all others at most once.
   *
   * The list is an index, so read the records: it may contain a key whose record has expired or was deleted, or whose `add` resolved to `false` or failed.
   * Such a key disappears when the latest expiry passed with it has come, or soon after, while other keys are added to the group.
   */
  list?(group: string, page: ListRequest): Promise<ListPage>;
}

/** Selects a page of a group. */
export interface ListRequest {
  /** The `next` of the previous page; absent for the first page. */
  readonly after?: string | undefined;
  /** Keys per page, 1 to 1,000. Only the last page has fewer. */
  readonly limit: number;
}

/** One page of a group. */
export interface ListPage {
  /** Keys, in an order chosen by the store. */
  readonly keys: readonly string[];
  /** Where the next page begins, meaningful to the store only: printable ASCII, at most 200 characters. Absent on the last page. */
  readonly next?: string | undefined;
}

/** Milliseconds since the epoch, like `Date.now`. */
export type Clock = () => number;

/**
 * Calls a function once after a number of milliseconds, like `setTimeout`.
 *
 * @returns a function that cancels the call.
 */
export type Timer = (run: () => void, milliseconds: number) => () => void;

/** Random bytes, like `crypto.randomBytes`. */
export type RandomBytes = (size: number) => Uint8Array;

/** A value, or a promise of it: functions of the application may be synchronous or asynchronous. */
export type MaybePromise<T> = T | Promise<T>;
