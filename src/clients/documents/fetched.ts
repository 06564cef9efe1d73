import { abortedInTime } from '../../core/base/deadline.js';
import { UnavailableError } from '../../core/base/errors.js';
import type { MaybePromise } from '../../core/base/ports.js';
import { printable } from '../../core/base/printable.js';
import { monotonic } from '../../core/base/system.js';
import { type ClientCaller, UnusableClientError } from '../../core/oauth/clients/client-finder.js';
import { MetadataProblem } from '../../core/oauth/clients/client-metadata.js';
import { type RegistryServer } from '../../core/oauth/clients/own-registry.js';
import { Copies, type Copy, type CopyRules, type Loaded } from '../../outbound/copies.js';
import type { FetchBounds } from './fetch-bounds.js';
import type { FetchDocument } from './fetch-document.js';

const MINUTE = 60_000;
const DAY = 86_400_000;

const RULES: CopyRules = {
  fresh: { min: MINUTE, max: DAY, usual: 5 * MINUTE },
  usableFor: DAY,
  renewAfter: 10_000,
  pause: { first: 10_000, longest: MINUTE },
  isTemporary: (error) => error instanceof UnusableClientError && error.reason === 'unavailable',
};

/** Who needs a value. */
export interface Wanted<T> {
  readonly client_id: string;
  readonly caller: ClientCaller;
  /** Whether a fresh value is insufficient because it lacks a key. */
  readonly isLacking?: (value: T) => boolean;
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

/** Values of one kind that clients publish, documents or keys. */
export class Fetched<T> {
  readonly #given: Dependencies<T>;
  readonly #copies: Copies<T>;

  constructor(given: Dependencies<T>) {
    this.#given = given;
    this.#copies = new Copies(RULES, given.server.clock);
  }

  /** What this process has read from this URL, or was offered, within a day. */
  usable(address: string): Copy<T> | undefined {
    return this.#copies.usable(address);
  }

  /** Keeps a value of another process in case the URL cannot be fetched, unless this process has a newer one. */
  offer(address: string, value: T, fetched: number): void {
    this.#copies.offer(address, value, fetched);
  }

  /**
   * The value at a URL: cached while it is fresh, otherwise fetched, otherwise the last valid one.
   *
   * @throws UnusableClientError
   */
  current(address: string, wanted: Wanted<T>): Promise<Copy<T>> {
    return this.#copies.current(address, {
      isLacking: wanted.isLacking,
      load: (before, pause) => {
        const end = this.#given.bounds.begin(wanted.caller.ip, new URL(address).hostname);
        return this.#fetch(address, wanted, before, pause).finally(end);
      },
    });
  }

  async #fetch(
    address: string,
    { client_id, caller }: Wanted<T>,
    before: Copy<T> | undefined,
    pause: number,
  ): Promise<Loaded<T>> {
    const { timeout: milliseconds, read, parts, server } = this.#given;
    const start = monotonic();
    try {
      let seconds: number | undefined;
      const cacheFor = (given: number): void => void (seconds = given);
      const error = (): Error => new Error(`It did not arrive within ${milliseconds} ms.`);
      const get = (signal: AbortSignal): unknown => this.#given.fetch(address, { signal, cacheFor });
      const json = await abortedInTime(get, { milliseconds, timer: server.timer, error });
      if (json === undefined || json === null) throw new Error('The response is empty.');
      const value = await read(json, address);
      caller.emit?.({ type: 'client.document_fetched', client_id, address, duration: monotonic() - start });
      const [old, latest] = [parts(before?.value ?? value), parts(value)];
      const changed = (['redirect_uris', 'keys'] as const).filter((part) => !same(old[part], latest[part]));
      if (changed.length > 0) caller.emit?.({ type: 'client.document_changed', client_id, changed });
      return { value, seconds };
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
