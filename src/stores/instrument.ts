/**
 * A wrapper around any store that reports how long calls take and what fails.
 *
 * @module oauth-query/stores/instrument
 */

import type { Store } from '../core/ports.js';

/** One call of a store. It names no key: keys are hashes, but nobody needs them in a log. */
export interface StoreCall {
  /** Which of the three was called. */
  readonly verb: 'add' | 'get' | 'delete';
  /** Milliseconds from the call to its answer, with fractions. */
  readonly duration: number;
  /** What it rejected with; absent when it answered. */
  readonly error?: unknown;
}

/** What `instrumentedStore` can be told beside what to report to. */
export interface InstrumentOptions {
  /** Milliseconds of a clock that never goes back; `performance.now` unless told. */
  readonly now?: () => number;
}

/**
 * The same store, with every call reported when it is over: feed a histogram per verb, count errors, log what is slow.
 *
 * @param report - Called after every call. What it throws is thrown away; it must not be able to break a request.
 */
export function instrumentedStore(
  store: Store,
  report: (call: StoreCall) => void,
  options: InstrumentOptions = {},
): Store {
  const { now = () => performance.now() } = options;

  async function measured<T>(verb: StoreCall['verb'], call: () => Promise<T>): Promise<T> {
    const start = now();
    const tell = (outcome: { error?: unknown }): void => {
      try {
        report({ verb, duration: now() - start, ...outcome });
      } catch {
        // The report is a courtesy; the request goes on.
      }
    };
    try {
      const answer = await call();
      tell({});
      return answer;
    } catch (error) {
      tell({ error });
      throw error;
    }
  }

  return {
    add: (key, value, expiresAt) => measured('add', () => store.add(key, value, expiresAt)),
    get: (key) => measured('get', () => store.get(key)),
    delete: (key) => measured('delete', () => store.delete(key)),
  };
}
