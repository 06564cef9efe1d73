import { LRUCache } from 'lru-cache';
import type { Clock } from '../core/base/ports.js';

/** How long copies of what other servers publish are used. All times are in milliseconds. */
export interface CopyRules {
  /** For how long a copy is not fetched again: what its server says, within these bounds; `usual` if it says nothing. */
  readonly fresh: { readonly min: number; readonly max: number; readonly usual: number };
  /** For how long a copy is used when it cannot be fetched again. */
  readonly usableFor: number;
  /** Between two fetches of a copy that lacks something, at least, whatever callers name. */
  readonly renewAfter: number;
  /** From a failure to the next attempt; doubled after each further failure, up to `longest`. */
  readonly pause: { readonly first: number; readonly longest: number };
  /** Whether the last copy is used after this error. */
  readonly isTemporary: (error: unknown) => boolean;
}

const MAX_KNOWN = 1000;
const MAX_KNOWN_BYTES = 4 * 1_048_576;

/** A valid value. Times are in milliseconds since the epoch. */
export interface Copy<T> {
  readonly value: T;
  /** When it was fetched, by this process or by the one that stored a copy. */
  readonly fetched: number;
  /** Since when this process has it. */
  readonly at: number;
  readonly freshUntil: number;
}

/** What a fetch resulted in. */
export interface Loaded<T> {
  readonly value: T;
  /** For how many seconds it may be cached; `undefined` if its server does not say. */
  readonly seconds: number | undefined;
}

/** How a value is fetched, and what is wrong with a copy. */
export interface Wanted<T> {
  /**
   * Fetches and validates the value.
   *
   * @param before - The copy that it replaces.
   * @param pause - Milliseconds until the next attempt, if this one fails.
   */
  readonly load: (before: Copy<T> | undefined, pause: number) => Promise<Loaded<T>>;
  /** Whether a fresh copy is insufficient, because it lacks a key. */
  readonly isLacking?: ((value: T) => boolean) | undefined;
}

/** The last fetch from an address, while it is under way and after it has failed. */
interface Attempt<T> {
  readonly result: Promise<Copy<T>>;
  /** Milliseconds from a failure to the next attempt. */
  readonly pause: number;
  /** Milliseconds since the epoch. Until then every caller gets its result. */
  retryAt: number;
}

/** A bounded cache of what other servers publish, by its address. There is one fetch at a time for each address. */
export class Copies<T> {
  readonly #rules: CopyRules;
  readonly #clock: Clock;
  readonly #good = new LRUCache<string, Copy<T>>({
    max: MAX_KNOWN,
    maxSize: MAX_KNOWN_BYTES,
    sizeCalculation: ({ value }) => JSON.stringify(value).length,
  });
  readonly #attempts = new LRUCache<string, Attempt<T>>({ max: MAX_KNOWN });

  constructor(rules: CopyRules, clock: Clock) {
    this.#rules = rules;
    this.#clock = clock;
  }

  /** What this process has read from this address, or was offered, and may still use. */
  usable(address: string): Copy<T> | undefined {
    const good = this.#good.get(address);
    return good !== undefined && this.#clock() < good.at + this.#rules.usableFor ? good : undefined;
  }

  /** Keeps a value of another process in case it cannot be fetched, unless this process has a newer one. */
  offer(address: string, value: T, fetched: number): void {
    const known = this.usable(address);
    if (known === undefined || known.fetched < fetched)
      this.#good.set(address, { value, fetched, at: this.#clock(), freshUntil: 0 });
  }

  /** Whether the last fetch has failed: what a copy lacks may be there by now. */
  hasFailed(address: string): boolean {
    return this.#attempts.has(address);
  }

  /**
   * The value at an address: cached while it is fresh, otherwise fetched, otherwise the last valid one.
   *
   * @throws what `load` throws, if there is no copy.
   */
  async current(address: string, wanted: Wanted<T>): Promise<Copy<T>> {
    const { renewAfter, isTemporary } = this.#rules;
    const now = this.#clock();
    const good = this.usable(address);
    if (good !== undefined && now < good.freshUntil && (now < good.at + renewAfter || !wanted.isLacking?.(good.value)))
      return good;
    const last = this.#attempts.get(address);
    try {
      const isShared = last !== undefined && now < last.retryAt;
      return await (isShared ? last.result : this.#begin(address, wanted, last?.pause));
    } catch (error) {
      if (isTemporary(error) && good !== undefined) return good;
      throw error;
    }
  }

  #begin(address: string, { load }: Wanted<T>, lastPause?: number): Promise<Copy<T>> {
    const { first, longest } = this.#rules.pause;
    const pause = lastPause === undefined ? first : Math.min(longest, lastPause * 2);
    const result = load(this.usable(address), pause).then((loaded) => this.#keep(address, loaded));
    const attempt = { result, pause, retryAt: Infinity };
    this.#attempts.set(address, attempt);
    result.then(
      () => this.#attempts.delete(address),
      () => (attempt.retryAt = this.#clock() + pause),
    );
    return result;
  }

  #keep(address: string, { value, seconds }: Loaded<T>): Copy<T> {
    const { min, max, usual } = this.#rules.fresh;
    const at = this.#clock();
    const said = seconds === undefined || Number.isNaN(seconds) ? usual : seconds * 1000;
    const good = { value, fetched: at, at, freshUntil: at + Math.min(max, Math.max(min, said)) };
    this.#good.set(address, good);
    return good;
  }
}
