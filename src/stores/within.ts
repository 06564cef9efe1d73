import { StoreError } from './store-error.js';

/** Milliseconds that a store over a network waits for an answer unless told. */
export const DEFAULT_TIMEOUT_MS = 2_000;

/**
 * What `ask` answers, or a rejection with `STORE_TIMEOUT` when it takes longer: no caller hangs because a server is
 * stopped. What was asked may still happen later; for `add` that means a refused "works once", never a second one.
 */
export async function within<T>(timeout: number, what: string, ask: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      // A process that had no time itself finds its timers due before it has read what has long been answered.
      setImmediate(() => reject(new StoreError('STORE_TIMEOUT', `${what} did not answer within ${timeout} ms`)));
    }, timeout);
  });
  try {
    return await Promise.race([ask(), late]);
  } finally {
    clearTimeout(timer);
  }
}
