import { UnavailableError } from './errors.js';
import type { Clock, ListPage, ListRequest, Revision, Store } from './ports.js';
import { sha256 } from './secrets.js';

/** 132 bits. */
const PREFIX_LENGTH = 22;

/** Every record contains its own expiry, in seconds since the epoch; the store's expiry only cleans up. */
export interface ExpiringRecord {
  readonly exp: number;
}

type Check = (value: unknown) => boolean;

/**
 * Distinguishes a record that lost a field from one that never had it: absence is stored as `null`, never omitted. Fields that
 * are not named here are ignored, so that a newer version may write more; use {@link optional} for a field that an older version does not
 * write.
 */
export type Shape<T extends ExpiringRecord> = { readonly [K in keyof T]-?: Check };

/** What each kind of record does to access, and its shape. A kind is what a key begins with, up to the first colon. */
export type Kinds = Readonly<Record<string, readonly [effect: 'gives' | 'takes', shape: Shape<ExpiringRecord>]>>;

/** A key, and the shape of its record. */
export type KeyAndShape<T extends ExpiringRecord> = readonly [key: string, shape: Shape<T>];

export const isText: Check = (value) => typeof value === 'string';
export const isNumber: Check = (value) => typeof value === 'number' && Number.isFinite(value);
export const isTexts: Check = (value) => Array.isArray(value) && value.every(isText);
export const isTextOrNull: Check = (value) => value === null || typeof value === 'string';
export const isBoolean: Check = (value) => typeof value === 'boolean';
/** For a field that records of the previous minor version do not have. */
export const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
export const isOneOf =
  (...allowed: readonly unknown[]): Check =>
  (value) =>
    allowed.includes(value);

/**
 * The store as used by the core. If a store fails, disconnects or returns something impossible, this becomes a single
 * kind of error that no caller can mistake for "valid" or "missing".
 *
 * A record of an unknown shape, as another version may have written it, never gives access: one that would give it is missing, and makes
 * way for the next one; one that takes it away, or counts, is that same error.
 */
export class Records {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #prefix: string;
  readonly #kinds: Kinds;

  /**
   * @param issuer - Its hash is in front of every key, to isolate servers with different issuers that share a store.
   * @param kinds - Those that are not named take access away.
   */
  constructor(store: Store, clock: Clock, issuer = '', kinds: Kinds = {}) {
    this.#store = store;
    this.#clock = clock;
    this.#prefix = `${sha256(issuer).slice(0, PREFIX_LENGTH)}:`;
    this.#kinds = kinds;
  }

  /**
   * Resolves to whether this call wrote the record. Exactly one of any number of simultaneous calls does.
   *
   * @param groups - Groups under which {@link list} finds the key, if the store can list.
   */
  async add<T extends ExpiringRecord>(key: string, record: T, groups: readonly string[] = []): Promise<boolean> {
    const name = this.#prefix + key;
    for (let attempt = 0; ; attempt += 1) {
      let added: unknown;
      try {
        added = await this.#store.add(name, record, record.exp * 1000, ...this.#listedIn(groups));
      } catch (cause) {
        throw new UnavailableError('The store could not add a record.', { cause });
      }
      if (typeof added !== 'boolean')
        throw new UnavailableError('add of the store returned something other than true or false.');
      if (added || attempt > 0 || !(await this.#isForeign(key))) return added;
      await this.delete(key);
    }
  }

  /** Whether what lives under this key would give access, but has an unknown shape. */
  async #isForeign(key: string): Promise<boolean> {
    const [effect, shape] = this.#kinds[kindOf(key)] ?? ['takes'];
    if (effect === 'takes' || shape === undefined) return false;
    const record = await this.#read(key);
    return isObject(record) && !hasShape(record, shape);
  }

  /**
   * Replaces the live record whose `rev` is still `before`, and resolves to whether it did. After `false`, read it again. After a
   * rejection too: the record may or may not have been replaced.
   *
   * @param record - With a new `rev`, see {@link RandomSource.rev}.
   * @param groups - Those that were passed to {@link add}: their entries live as long as the record.
   */
  async swap<T extends ExpiringRecord & Revision>(
    key: string,
    before: string,
    record: T,
    groups: readonly string[] = [],
  ): Promise<boolean> {
    const name = this.#prefix + key;
    let swapped: unknown;
    try {
      swapped = await this.#store.swap(name, before, record, record.exp * 1000, ...this.#listedIn(groups));
    } catch (cause) {
      throw new UnavailableError('The store could not swap a record.', { cause });
    }
    if (typeof swapped !== 'boolean')
      throw new UnavailableError('swap of the store returned something other than true or false.');
    return swapped;
  }

  /** Writes a record under a unique key. If the key is already taken, the store is broken. */
  create<T extends ExpiringRecord>(key: string, record: T, groups?: readonly string[]): Promise<void> {
    return this.add(key, record, groups).then((isNew) => {
      if (!isNew) throw new UnavailableError(`The store refused a new record for ${kindOf(key)}.`);
    });
  }

  /** The live record under this key. */
  get<T extends ExpiringRecord>(key: string, shape: Shape<T>): Promise<T | undefined> {
    return this.#read(key, shape) as Promise<T | undefined>; // It has the shape.
  }

  /** @param shape - Without it, what lives there may have any. */
  async #read(key: string, shape?: Shape<ExpiringRecord>): Promise<unknown> {
    let record: unknown;
    try {
      record = await this.#store.get(this.#prefix + key);
    } catch (cause) {
      throw new UnavailableError('The store could not get a record.', { cause });
    }
    return shape === undefined ? record : this.#checked(record, key, shape);
  }

  /** The live records under these keys, in the same order, with one command if the store supports it. */
  getMany<T extends ExpiringRecord>(keys: readonly string[], shape: Shape<T>): Promise<readonly (T | undefined)[]> {
    return this.getEach(...keys.map((key) => [key, shape] as const));
  }

  /** Like {@link getMany}, with a shape per key. Not a snapshot: each record is read independently. */
  async getEach<T extends readonly ExpiringRecord[]>(
    ...wanted: { readonly [K in keyof T]: KeyAndShape<T[K]> }
  ): Promise<{ readonly [K in keyof T]: T[K] | undefined }> {
    const names = wanted.map((one) => this.#prefix + one[0]);
    let records: unknown;
    try {
      records = await (this.#store.getMany?.(names) ?? Promise.all(names.map((name) => this.#store.get(name))));
    } catch (cause) {
      throw new UnavailableError('The store could not get records.', { cause });
    }
    if (!Array.isArray(records) || records.length !== names.length)
      throw new UnavailableError('getMany of the store returned something other than one element per key.');
    const checked: unknown = wanted.map((one, at) => this.#checked(records[at], one[0], one[1]));
    return checked as { readonly [K in keyof T]: T[K] | undefined }; // One per key, each of the requested shape.
  }

  /** Whether {@link list} works. Such a store also has `getMany`. */
  get canList(): boolean {
    return this.#store.list !== undefined;
  }

  /** @throws UnavailableError if {@link list} cannot work, for operations that must not start then. */
  checkLists(): void {
    if (!this.canList) throw cannotList();
  }

  /**
   * One page of the keys of a group. Their records may have expired, or never been written: read them.
   *
   * @throws UnavailableError if the store has no `list`; TypeError if `after` is not the `next` of a page.
   */
  async list(group: string, { after, limit }: ListRequest): Promise<ListPage> {
    if (this.#store.list === undefined) throw cannotList();
    if (after !== undefined && !isPosition(after)) throw new TypeError('after must be the next of the previous page.');
    let page: unknown;
    try {
      page = await this.#store.list(this.#prefix + group, { after, limit });
    } catch (cause) {
      throw new UnavailableError('The store could not list keys.', { cause });
    }
    if (!isPage(page, limit) || !page.keys.every((key) => key.startsWith(this.#prefix)))
      throw new UnavailableError('list of the store returned something other than a page of keys.');
    return { ...page, keys: page.keys.map((key) => key.slice(this.#prefix.length)) };
  }

  /** The last argument of a call, if it has groups and the store can list. */
  #listedIn(groups: readonly string[]): [groups?: readonly string[]] {
    if (groups.length === 0 || this.#store.list === undefined) return [];
    return [groups.map((group) => this.#prefix + group)];
  }

  #checked<T extends ExpiringRecord>(record: unknown, key: string, shape: Shape<T>): T | undefined {
    if (record === undefined) return undefined;
    if (!hasShape(record, shape)) {
      if (isObject(record) && this.#kinds[kindOf(key)]?.[0] === 'gives') return undefined;
      // Every record that a version has written has an expiry; anything else comes from a broken store.
      if (hasShape(record, MORTAL)) throw new UnreadableRecordError(invalidRecord(key));
      throw new UnavailableError(invalidRecord(key));
    }
    return this.#clock() < record.exp * 1000 ? record : undefined;
  }

  async delete(key: string): Promise<void> {
    try {
      await this.#store.delete(this.#prefix + key);
    } catch (cause) {
      throw new UnavailableError('The store could not delete a record.', { cause });
    }
  }
}

/** A record that takes something away has an unknown shape: it is there, and what it takes is not known. */
export class UnreadableRecordError extends UnavailableError {}

const MORTAL: Shape<ExpiringRecord> = { exp: isNumber };

const invalidRecord = (key: string): string => `The store returned an invalid record for ${kindOf(key)}.`;

const cannotList = (): UnavailableError =>
  new UnavailableError('The store cannot list: implement "list", and support groups in "add".');

/** Whether a text may be the `next` of a page. */
const isPosition = (text: string): boolean => /^[ -~]{1,200}$/.test(text);

const isPage = (answer: unknown, limit: number): answer is ListPage => {
  if (typeof answer !== 'object' || answer === null || !('keys' in answer)) return false;
  const next = 'next' in answer ? answer.next : undefined;
  if (next !== undefined && !(typeof next === 'string' && isPosition(next))) return false;
  return isTexts(answer.keys) && (answer.keys as readonly string[]).length <= limit; // texts, as just proved
};

const kindOf = (key: string): string => key.slice(0, key.indexOf(':'));

export const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Whether a value is an object with at least these fields. */
export const hasShape = <T extends ExpiringRecord>(record: unknown, shape: Shape<T>): record is T => {
  if (!isObject(record)) return false;
  const fields = record as Readonly<Record<string, unknown>>;
  for (const name in shape) {
    if (!shape[name](fields[name])) return false;
  }
  return true;
};
