import { StoreError } from './store-error.js';

/** Default milliseconds that a networked store waits for a response. */
export const DEFAULT_TIMEOUT_MS = 2_000;

/**
 * The result of `ask`, or a rejection with `STORE_TIMEOUT` if it takes longer, so that no caller hangs when a server
 * stops responding. The operation may still take effect later; for `add` this means a rejected redemption, never a second one.
 */
export async function within<T>(timeout: number, what: string, ask: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      // A process that was stalled finds its timers due before it has read responses that arrived long ago.
      setImmediate(() => reject(new StoreError('STORE_TIMEOUT', `${what} did not answer within ${timeout} ms`)));
    }, timeout);
  });
  try {
    return await Promise.race([ask(), late]);
  } finally {
    clearTimeout(timer);
  }
}
