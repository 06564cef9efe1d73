import type { MaybePromise } from '../core/ports.js';

/**
 * How long a record that is expired by our clock is left alone by whatever tidies up: other instances' clocks may be
 * behind ours, and what is still alive for them must not vanish. Two minutes, so clocks one minute apart are no danger.
 */
export const CLOCK_SLACK_MS = 120_000;

/** When and how an SQL store clears expired records away. */
export interface ClearingOptions {
  /** Milliseconds between two looks for expired records, 10,000 unless told; `false` leaves that to somebody else. */
  readonly clearEvery?: number | false;
  /** How many records one statement removes at most: 1,000 unless told, 200 in SQLite, whose process waits for it. */
  readonly clearBatch?: number;
  /** Told when clearing fails; it is tried again at the next look. Calls of the store fail by themselves. */
  readonly onClearError?: (error: unknown) => void;
}

/** Milliseconds from one full batch to the next, so that requests get their turn in between. */
const BREATH_MS = 10;

/**
 * Calls `removeBatch` now and then, and again soon as long as it comes back full. Never keeps the process alive.
 *
 * @param removeBatch - Removes at most `size` expired records and says how many it removed.
 * @returns what stops it.
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
      if (!stopped) onClearError?.(error);
    }
    later(removed < clearBatch ? clearEvery : BREATH_MS);
  };
  later(clearEvery);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
