import { StoreError } from './errors.js';
import type { Clock, Store } from './ports.js';

/** Every record says itself when it ends, in seconds since the epoch; a store's own expiry only tidies up. */
export interface ExpiringRecord {
  readonly exp: number;
}

type Check = (value: unknown) => boolean;

/** Tells a record that lost a field from one that never had it: absence is written as `null`, never left out. */
export type Shape<T extends ExpiringRecord> = { readonly [K in keyof T]-?: Check };

export const isText: Check = (value) => typeof value === 'string';
export const isNumber: Check = (value) => typeof value === 'number' && Number.isFinite(value);
export const isTexts: Check = (value) => Array.isArray(value) && value.every(isText);
export const isTextOrNull: Check = (value) => value === null || typeof value === 'string';
export const isBoolean: Check = (value) => typeof value === 'boolean';
export const isOneOf =
  (...allowed: readonly unknown[]): Check =>
  (value) =>
    allowed.includes(value);

/**
 * The store as the core uses it. A store that fails, hangs up or answers with a shape that nobody wrote becomes one
 * kind of error, which no caller mistakes for "valid" or "not there".
 */
export class Records {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #prefix: string;

  /** @param prefix - In front of every key, so that servers of different issuers see nothing of each other in one store. */
  constructor(store: Store, clock: Clock, prefix: string) {
    this.#store = store;
    this.#clock = clock;
    this.#prefix = prefix;
  }

  /** Whether this call wrote the record. Exactly one of any number of simultaneous calls does. */
  async add<T extends ExpiringRecord>(key: string, record: T): Promise<boolean> {
    let added: unknown;
    try {
      added = await this.#store.add(this.#prefix + key, record, record.exp * 1000);
    } catch (cause) {
      throw new StoreError('The store could not add a record.', { cause });
    }
    if (typeof added !== 'boolean')
      throw new StoreError('The store answered add with something other than true or false.');
    return added;
  }

  /** Writes a record whose key nobody else can have. That it is there already means that the store is broken. */
  create<T extends ExpiringRecord>(key: string, record: T): Promise<void> {
    return this.add(key, record).then((added) => {
      if (!added) throw new StoreError(`The store refused a new record for ${kindOf(key)}.`);
    });
  }

  /** The live record under this key. */
  async get<T extends ExpiringRecord>(key: string, shape: Shape<T>): Promise<T | undefined> {
    let record: unknown;
    try {
      record = await this.#store.get(this.#prefix + key);
    } catch (cause) {
      throw new StoreError('The store could not get a record.', { cause });
    }
    if (record === undefined) return undefined;
    if (!hasShape(record, shape))
      throw new StoreError(`The store answered with a record of a wrong shape for ${kindOf(key)}.`);
    return this.#clock() < record.exp * 1000 ? record : undefined;
  }

  async delete(key: string): Promise<void> {
    try {
      await this.#store.delete(this.#prefix + key);
    } catch (cause) {
      throw new StoreError('The store could not delete a record.', { cause });
    }
  }
}

const kindOf = (key: string): string => key.slice(0, key.indexOf(':'));

const hasShape = <T extends ExpiringRecord>(record: unknown, shape: Shape<T>): record is T => {
  if (typeof record !== 'object' || record === null) return false;
  const fields = record as Readonly<Record<string, unknown>>;
  for (const name in shape) {
    if (!shape[name](fields[name])) return false;
  }
  return true;
};
