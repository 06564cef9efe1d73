import { randomBytes } from 'node:crypto';
import type { RandomBytes, Timer } from './ports.js';

/** The system's clock, timers and ids, used unless the application provides others. No other file of the core may use them. */

export const systemRandom: RandomBytes = (size) => randomBytes(size);

/** Calls waiting for the same delay, oldest first, with one Node timer for all. It does not keep the process running. */
class Queue {
  readonly #milliseconds: number;
  readonly #waiting = new Set<{ readonly at: number; readonly run: () => void }>();
  #isArmed = false;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  add(run: () => void): () => void {
    const entry = { at: monotonic() + this.#milliseconds, run };
    this.#waiting.add(entry);
    if (!this.#isArmed) this.#arm(this.#milliseconds);
    return () => this.#waiting.delete(entry);
  }

  #arm(milliseconds: number): void {
    this.#isArmed = true;
    setTimeout(() => this.#fire(), milliseconds).unref();
  }

  #fire(): void {
    this.#isArmed = false;
    for (const entry of this.#waiting) {
      const early = entry.at - monotonic();
      if (early > 0) return this.#arm(Math.ceil(early));
      this.#waiting.delete(entry);
      queueMicrotask(entry.run); // If it throws, the other calls still run.
    }
  }
}

const queues = new Map<number, Queue>();

/**
 * Hardly any call ever times out, so a request should not need a timer of its own. Delays come from options, so
 * there are only a few different ones.
 */
export const systemTimer: Timer = (run, milliseconds) => {
  let queue = queues.get(milliseconds);
  if (queue === undefined) queues.set(milliseconds, (queue = new Queue(milliseconds)));
  return queue.add(run);
};

/** A clock that never goes back, in milliseconds with fractions: measures durations. */
export const monotonic = (): number => performance.now();

/** A random name for a process. */
export const processName = (): string => randomBytes(9).toString('base64url');

/** Lets other requests run. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
