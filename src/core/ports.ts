/**
 * What the core asks of the outside world: a store, a clock, randomness. Nothing here knows a framework or a database.
 */

/**
 * Three verbs over immutable records. A record is written once by `add` and from then on only expires or is deleted;
 * there is no update, so there is no read-modify-write to race. That exactly one of any number of simultaneous `add`
 * calls for one key is answered `true` is the promise on which every "works once" of the protocol stands.
 *
 * A store that cannot answer (away, full, too slow) rejects. It never drops a live record to make room.
 */
export interface Store {
  /**
   * Writes a record if there is no live one under this key.
   *
   * @param key - Printable ASCII, at most 200 characters.
   * @param value - Plain JSON data. The store keeps what it holds at this moment; nobody changes it afterwards.
   * @param expiresAt - Milliseconds since the epoch. From that very millisecond on the record does not exist.
   * @returns `true` if this call wrote the record; `false` if a live record was already there.
   */
  add(key: string, value: object, expiresAt: number): Promise<boolean>;

  /** The live record under this key, or `undefined`. */
  get(key: string): Promise<object | undefined>;

  /** Removes the record. Deleting what is not there is not an error. */
  delete(key: string): Promise<void>;
}

/** Milliseconds since the epoch, like `Date.now`. */
export type Clock = () => number;

/** Random bytes, like `crypto.randomBytes`. */
export type RandomBytes = (size: number) => Uint8Array;

/** A value, or a promise of it: functions of the host may be asynchronous or not. */
export type MaybePromise<T> = T | Promise<T>;
