import { guarded } from '../core/base/listeners.js';
import type { MaybePromise } from '../core/base/ports.js';

/**
 * How long a record that has expired by our clock is kept: the clocks of other instances may be
 * behind, and records that are still live for them must not disappear. Two minutes, so clocks one minute apart are safe.
 */
export const CLOCK_SLACK_MS = 120_000;

/** When and how an SQL store deletes expired records. */
export interface ClearingOptions {
  /** Milliseconds between two searches for expired records, by default 10,000; with `false` you delete them yourself. */
  readonly clearEvery?: number | false | undefined;
  /** Records deleted by one statement: by default 1,000, in SQLite 200, because the process waits for it. */
  readonly clearBatch?: number | undefined;
  /** Called when clearing fails; it is retried at the next search. Store calls report their own errors. */
  readonly onClearError?: ((error: unknown) => void) | undefined;
}

/** Milliseconds between two full batches, so that requests are served in between. */
const BREATH_MS = 10;

/**
 * Calls `removeBatch` periodically, and again soon while batches are full. Does not keep the process running.
 *
 * @param removeBatch - Deletes at most `size` expired records and returns how many.
 * @returns a function that stops it.
 */
export function clearInBackground(
  removeBatch: (size: number) => MaybePromise<number>,
  options: ClearingOptions,
): () => void {
  const { clearEvery = 10_000, clearBatch = 1_000, onClearError } = options;
  if (clearEvery === false) return () => undefined;
  let timer: NodeJS.Timeout;
  let stopped = false;
  const later = (delay: number): void => {
    if (!stopped) timer = setTimeout(() => void look(), delay).unref();
  };
  const look = async (): Promise<void> => {
    let removed = 0;
    try {
      removed = await removeBatch(clearBatch);
    } catch (error) {
      if (!stopped && onClearError !== undefined) guarded(onClearError)(error);
    }
    later(removed < clearBatch ? clearEvery : BREATH_MS);
  };
  later(clearEvery);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
