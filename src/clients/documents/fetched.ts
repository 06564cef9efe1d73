import { LRUCache } from 'lru-cache';
import { abortedInTime } from '../../core/base/deadline.js';
import { UnavailableError } from '../../core/base/errors.js';
import type { MaybePromise } from '../../core/base/ports.js';
import { printable } from '../../core/base/printable.js';
import { monotonic } from '../../core/base/system.js';
import { MetadataProblem } from '../../core/oauth/clients/client-metadata.js';
import { type ClientCaller, type RegistryServer, UnusableClientError } from '../../core/oauth/clients/own-registry.js';
import type { FetchBounds } from './fetch-bounds.js';
import type { FetchDocument } from './fetch-document.js';

/** The range in seconds to which the cache lifetime of a document is limited. */
const MIN_FRESH = 60;
const MAX_FRESH = 86_400;
const DEFAULT_FRESH = 300;

/** Milliseconds for which a value is used when it cannot be fetched again. */
const USABLE_FOR = 86_400_000;

/** Milliseconds until a failed fetch is retried; doubled after each further failure. */
const MIN_RETRY_DELAY = 10_000;
const MAX_RETRY_DELAY = 60_000;

/** Minimum milliseconds between two fetches of a value that lacks something, whatever a caller names. */
const RENEW_AFTER = 10_000;

const MAX_KNOWN = 1000;
const MAX_KNOWN_BYTES = 4 * 1_048_576;

/** A valid value. Times are in milliseconds since the epoch. */
interface Good<T> {
  readonly value: T;
  /** When it was fetched, by this process or by the one that stored a copy. */
  readonly fetched: number;
  /** Since when this process has it. */
  readonly at: number;
  readonly freshUntil: number;
}

/** Who needs a value. */
export interface Wanted<T> {
  readonly client_id: string;
  readonly caller: ClientCaller;
  /** Whether a fresh value is insufficient because it lacks a key. */
  readonly isLacking?: (value: T) => boolean;
}

/** The last fetch of a URL, while it is under way and after it has failed. */
interface Attempt<T> {
  readonly result: Promise<Good<T>>;
  /** Milliseconds from a failure to the next attempt. */
  readonly pause: number;
  /** Milliseconds since the epoch. Until then every caller gets its result. */
  retryAt: number;
}

/** How values of one kind are fetched and checked. */
interface Dependencies<T> {
  readonly fetch: FetchDocument;
  /** Milliseconds for one fetch. */
  readonly timeout: number;
  readonly bounds: FetchBounds;
  readonly server: RegistryServer;
  /** Validates a fetched value. */
  readonly read: (json: unknown, address: string) => MaybePromise<T>;
  /** The parts of a value whose changes are reported to the application. */
  readonly parts: (value: T) => { readonly redirect_uris?: unknown; readonly keys: unknown };
}

/** A bounded cache of values of one kind, documents or keys. There is one fetch at a time for each URL. */
export class Fetched<T> {
  readonly #given: Dependencies<T>;
  readonly #good = new LRUCache<string, Good<T>>({
    max: MAX_KNOWN,
    maxSize: MAX_KNOWN_BYTES,
    sizeCalculation: ({ value }) => JSON.stringify(value).length,
  });
  readonly #attempts = new LRUCache<string, Attempt<T>>({ max: MAX_KNOWN });

  constructor(given: Dependencies<T>) {
    this.#given = given;
  }

  /** What this process has read from this URL, or was offered, within a day. */
  usable(address: string): Good<T> | undefined {
    const good = this.#good.get(address);
    return good !== undefined && this.#given.server.clock() < good.at + USABLE_FOR ? good : undefined;
  }

  /** Keeps a value of another process in case the URL cannot be fetched, unless this process has a newer one. */
  offer(address: string, value: T, fetched: number): void {
    const known = this.usable(address);
    if (known === undefined || known.fetched < fetched)
      this.#good.set(address, { value, fetched, at: this.#given.server.clock(), freshUntil: 0 });
  }

  /**
   * The value at a URL: cached while it is fresh, otherwise fetched, otherwise the last valid one.
   *
   * @throws UnusableClientError
   */
  async current(address: string, wanted: Wanted<T>): Promise<Good<T>> {
    const now = this.#given.server.clock();
    const good = this.usable(address);
    if (good !== undefined && now < good.freshUntil && (now < good.at + RENEW_AFTER || !wanted.isLacking?.(good.value)))
      return good;
    const last = this.#attempts.get(address);
    try {
      const isShared = last !== undefined && now < last.retryAt;
      return await (isShared ? last.result : this.#begin(address, wanted, last?.pause));
    } catch (error) {
      const isUnavailable = error instanceof UnusableClientError && error.reason === 'unavailable';
      if (isUnavailable && good !== undefined) return good;
      throw error;
    }
  }

  #begin(address: string, wanted: Wanted<T>, lastPause = MIN_RETRY_DELAY / 2): Promise<Good<T>> {
    const { bounds, server } = this.#given;
    const end = bounds.begin(wanted.caller.ip, new URL(address).hostname);
    const pause = Math.min(MAX_RETRY_DELAY, lastPause * 2);
    const result = this.#fetch(address, wanted, pause).finally(end);
    const attempt = { result, pause, retryAt: Infinity };
    this.#attempts.set(address, attempt);
    result.then(
      () => this.#attempts.delete(address),
      () => (attempt.retryAt = server.clock() + pause),
    );
    return result;
  }

  async #fetch(address: string, { client_id, caller }: Wanted<T>, pause: number): Promise<Good<T>> {
    const { timeout: milliseconds, read, parts, server } = this.#given;
    const before = this.usable(address);
    const start = monotonic();
    try {
      let seconds = DEFAULT_FRESH;
      const cacheFor = (given: number): void => void (seconds = Number.isNaN(given) ? DEFAULT_FRESH : given);
      const error = (): Error => new Error(`It did not arrive within ${milliseconds} ms.`);
      const get = (signal: AbortSignal): unknown => this.#given.fetch(address, { signal, cacheFor });
      const json = await abortedInTime(get, { milliseconds, timer: server.timer, error });
      if (json === undefined || json === null) throw new Error('The response is empty.');
      const value = await read(json, address);
      caller.emit?.({ type: 'client.document_fetched', client_id, address, duration: monotonic() - start });
      const [old, latest] = [parts(before?.value ?? value), parts(value)];
      const changed = (['redirect_uris', 'keys'] as const).filter((part) => !same(old[part], latest[part]));
      if (changed.length > 0) caller.emit?.({ type: 'client.document_changed', client_id, changed });
      const at = server.clock();
      const good = {
        value,
        fetched: at,
        at,
        freshUntil: at + 1000 * Math.min(MAX_FRESH, Math.max(MIN_FRESH, seconds)),
      };
      this.#good.set(address, good);
      return good;
    } catch (cause) {
      if (cause instanceof UnavailableError) server.onError(cause); // A function of the application has failed.
      const problem = problemOf(address, cause, pause);
      const { reason, message } = problem;
      const fallback = reason === 'unavailable' && before !== undefined;
      const duration = monotonic() - start;
      caller.emit?.({ type: 'client.document_failed', client_id, address, reason, message, duration, fallback });
      throw problem;
    }
  }
}

export const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** @param pause - Milliseconds until the next attempt. */
const problemOf = (address: string, cause: unknown, pause: number): UnusableClientError => {
  const isRefused = cause instanceof MetadataProblem;
  // Node's errors only contain addresses and codes; a function of the application may throw anything.
  const why = printable((cause instanceof Error ? cause.message : String(cause)).slice(0, 300));
  const sentence = `${address} ${isRefused ? 'is refused' : 'cannot be used'}: ${why}`;
  return new UnusableClientError(isRefused ? 'refused' : 'unavailable', sentence, pause / 1000, { cause });
};
