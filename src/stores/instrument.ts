/**
 * A wrapper for any store that reports the duration and the errors of calls.
 *
 * @module oauth-query/stores/instrument
 */

import { guarded } from '../core/base/listeners.js';
import type { Store } from '../core/base/ports.js';

/** One store call. It does not include the key: keys are hashes, which have no use in a log. */
export interface StoreCall {
  /** The method called. */
  readonly verb: 'add' | 'swap' | 'get' | 'getMany' | 'list' | 'delete';
  /** Milliseconds until the call settled, with fractions. */
  readonly duration: number;
  /** The rejection; absent if the call succeeded. */
  readonly error?: unknown;
}

/** Further options of `instrumentedStore`. */
export interface InstrumentOptions {
  /** A monotonic clock in milliseconds; default: `performance.now`. */
  readonly now?: (() => number) | undefined;
}

/**
 * Wraps a store so that every call is reported when it settles: feed a histogram per verb, count errors, log slow calls.
 *
 * @param report - Called after every call. Exceptions are ignored, so that it cannot break a request.
 */
export function instrumentedStore(
  store: Store,
  report: (call: StoreCall) => void,
  options: InstrumentOptions = {},
): Store {
  const { now = () => performance.now() } = options;
  const tell = guarded(report);

  async function measured<T>(verb: StoreCall['verb'], call: () => Promise<T>): Promise<T> {
    const start = now();
    try {
      const answer = await call();
      tell({ verb, duration: now() - start });
      return answer;
    } catch (error) {
      tell({ verb, duration: now() - start, error });
      throw error;
    }
  }

  const { getMany, list } = store;
  return {
    add: (...record) => measured('add', () => store.add(...record)),
    swap: (...record) => measured('swap', () => store.swap(...record)),
    get: (key) => measured('get', () => store.get(key)),
    delete: (key) => measured('delete', () => store.delete(key)),
    ...(getMany && { getMany: (keys) => measured('getMany', () => getMany.call(store, keys)) }),
    ...(list && { list: (...page) => measured('list', () => list.call(store, ...page)) }),
  };
}
