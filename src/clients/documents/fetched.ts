import { LRUCache } from 'lru-cache';
import { abortedInTime } from '../../core/base/deadline.js';
import type { MaybePromise } from '../../core/base/ports.js';
import { printable } from '../../core/base/printable.js';
import { monotonic } from '../../core/base/system.js';
import { MetadataProblem } from '../../core/oauth/clients/client-metadata.js';
import { type ClientCaller, type RegistryServer, UnusableClientError } from '../../core/oauth/clients/own-registry.js';
import type { ClientDocumentEvent } from '../../core/oauth/events/events.js';
import { FetchBounds } from './fetch-bounds.js';
import type { FetchDocument } from './fetch-document.js';

/** The range in seconds to which the cache lifetime of a document is limited. */
const MIN_FRESH = 60;
const MAX_FRESH = 86_400;
const DEFAULT_FRESH = 300;

/** Milliseconds for which a document is used when it cannot be fetched again. */
const USABLE_FOR = 86_400_000;

/** Milliseconds until a failed fetch is retried; doubled after each further failure. */
const MIN_RETRY_DELAY = 10_000;
const MAX_RETRY_DELAY = 60_000;

/** Minimum milliseconds between two fetches of keys, whatever key an assertion names. */
const RENEW_AFTER = 10_000;

const MAX_KNOWN = 1000;
const MAX_KNOWN_BYTES = 4 * 1_048_576;

/** A value read from a URL. Times are in milliseconds since the epoch. */
export interface Good<T extends object> {
  readonly value: T;
  readonly at: number;
  readonly freshUntil: number;
}

type DocumentChange = Extract<ClientDocumentEvent, { type: 'client.document_changed' }>['changed'][number];

interface Failure {
  readonly error: UnusableClientError;
  readonly until: number;
  readonly pause: number;
}

/** How to check a value, and who needs it. */
interface WantedDocument<T extends object> {
  readonly client_id: string;
  readonly caller: ClientCaller;
  /** Validates a fetched value. */
  readonly read: (json: unknown) => MaybePromise<T>;
  /** Reads the copy from the store; used if this process has no fresh value. */
  readonly stored: () => Promise<Good<T> | undefined>;
  /** The changes to report to the application. */
  readonly changes: (before: T, after: T) => readonly DocumentChange[];
  /** Whether a fresh value is insufficient because it lacks a key. */
  readonly isLacking?: (value: T) => boolean;
}

/** What was known before a fetch. The fallback is used if it fails. */
interface KnownBefore<T extends object> {
  readonly before: Good<T> | undefined;
  readonly fallback: Good<T> | undefined;
}

/** A bounded cache of fetched values: documents, or keys. */
export class Fetched<T extends object> {
  readonly #options: { readonly fetch: FetchDocument; readonly timeout: number };
  readonly #server: RegistryServer;
  readonly #bounds: FetchBounds;
  readonly #good = new LRUCache<string, Good<T>>({
    max: MAX_KNOWN,
    maxSize: MAX_KNOWN_BYTES,
    sizeCalculation: ({ value }) => JSON.stringify(value).length,
  });
  readonly #failures = new LRUCache<string, Failure>({ max: MAX_KNOWN });
  readonly #underWay = new Map<string, Promise<Good<T>>>();

  /** @param options - `timeout`: milliseconds for one fetch. */
  constructor(options: { fetch: FetchDocument; timeout: number }, bounds: FetchBounds, server: RegistryServer) {
    this.#options = options;
    this.#bounds = bounds;
    this.#server = server;
  }

  /** What this process has fetched within a day. */
  usable(address: string): Good<T> | undefined {
    const good = this.#good.get(address);
    return good !== undefined && this.#server.clock() < good.at + USABLE_FOR ? good : undefined;
  }

  /**
   * The value at a URL: cached while it is fresh, otherwise fetched, otherwise the last valid one.
   *
   * @throws UnusableClientError
   */
  async current(address: string, wanted: WantedDocument<T>): Promise<Good<T>> {
    const now = this.#server.clock();
    const good = this.#good.get(address);
    if (good !== undefined && isGoodEnough(good, wanted, now)) return good;
    const stored = await wanted.stored();
    if (good === undefined && stored !== undefined && isGoodEnough(stored, wanted, now)) return stored;
    const fallback = this.usable(address) ?? stored;
    const failure = this.#failures.get(address);
    try {
      if (failure !== undefined && now < failure.until) throw failure.error;
      return await (this.#underWay.get(address) ?? this.#begin(address, wanted, { before: good ?? stored, fallback }));
    } catch (error) {
      const isRefused = !(error instanceof UnusableClientError) || error.reason === 'refused';
      if (isRefused || fallback === undefined) throw error;
      return fallback;
    }
  }

  #begin(address: string, wanted: WantedDocument<T>, known: KnownBefore<T>): Promise<Good<T>> {
    const work = this.#bounds
      .run(wanted.caller.ip, new URL(address).hostname, () => this.#ask(address, wanted, known))
      .finally(() => this.#underWay.delete(address));
    this.#underWay.set(address, work);
    return work;
  }

  async #ask(
    address: string,
    { client_id, caller, read, changes }: WantedDocument<T>,
    { before, fallback }: KnownBefore<T>,
  ): Promise<Good<T>> {
    const start = monotonic();
    const told = { client_id, address };
    try {
      const { json, seconds = DEFAULT_FRESH } = await this.#get(address);
      const value = await read(json);
      const at = this.#server.clock();
      const good = { value, at, freshUntil: at + 1000 * Math.min(MAX_FRESH, Math.max(MIN_FRESH, seconds)) };
      this.#good.set(address, good);
      this.#failures.delete(address);
      caller.emit?.({ type: 'client.document_fetched', ...told, duration: monotonic() - start });
      const changed = before === undefined ? [] : changes(before.value, value);
      if (changed.length > 0) caller.emit?.({ type: 'client.document_changed', client_id, changed });
      return good;
    } catch (cause) {
      const error = this.#failed(address, cause);
      const { reason, message } = error;
      const isKept = reason === 'unavailable' && fallback !== undefined;
      const duration = monotonic() - start;
      caller.emit?.({ type: 'client.document_failed', ...told, reason, message, duration, fallback: isKept });
      throw error;
    }
  }

  async #get(address: string): Promise<{ readonly json: unknown; readonly seconds: number | undefined }> {
    const { fetch, timeout: milliseconds } = this.#options;
    let seconds: number | undefined;
    const cacheFor = (given: number): void => void (seconds = Number.isNaN(given) ? undefined : given);
    const error = (): Error => new Error(`It did not arrive within ${milliseconds} ms.`);
    const { timer } = this.#server;
    const json = await abortedInTime((signal) => fetch(address, { signal, cacheFor }), { milliseconds, timer, error });
    if (json === undefined || json === null) throw new Error('The response is empty.');
    return { json, seconds };
  }

  #failed(address: string, cause: unknown): UnusableClientError {
    const pause = Math.min(MAX_RETRY_DELAY, (this.#failures.get(address)?.pause ?? MIN_RETRY_DELAY / 2) * 2);
    const isRefused = cause instanceof MetadataProblem;
    // Node's errors only contain addresses and codes; a function of the application may throw anything.
    const why = printable((cause instanceof Error ? cause.message : String(cause)).slice(0, 300));
    const sentence = `${address} ${isRefused ? 'is refused' : 'cannot be used'}: ${why}`;
    const error = new UnusableClientError(isRefused ? 'refused' : 'unavailable', sentence, pause / 1000, { cause });
    this.#failures.set(address, { error, pause, until: this.#server.clock() + pause });
    return error;
  }
}

/** Whether a known value need not be fetched again. */
const isGoodEnough = <T extends object>(good: Good<T>, { isLacking }: WantedDocument<T>, now: number): boolean =>
  now < good.freshUntil && !(now >= good.at + RENEW_AFTER && isLacking?.(good.value) === true);
