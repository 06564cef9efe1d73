import type { Clock } from '../ports.js';

/** The maximum number of sources counted; beyond it, the oldest counts are dropped. */
const COUNTED = 10_000;

/** The answer to a source that has exceeded its limit. */
export interface Refusal {
  /** Seconds until it may retry. */
  readonly retryAfter: number;
  /** Whether this is the first refusal since the last success, which is worth an event. */
  readonly isFirst: boolean;
}

/**
 * Limits how often one source may do something within a window. Each process counts on its own, without the store: a
 * limit that protects the store must not write to it.
 */
export class RateLimit {
  readonly #clock: Clock;
  readonly #max: number;
  readonly #window: number;
  readonly #counts = new Map<string, number>();
  #present = -1;

  /**
   * @param max - Calls within one window.
   * @param window - Seconds.
   */
  constructor(clock: Clock, max: number, window: number) {
    this.#clock = clock;
    this.#max = max;
    this.#window = window;
  }

  /**
   * Counts one call. Refused calls are not counted.
   *
   * @param max - If this source has a limit of its own.
   * @param amount - How much the call counts. A call that begins within the limit may exceed it.
   * @returns `undefined` if the source is within its limit.
   */
  take(source: string, max = this.#max, amount = 1): Refusal | undefined {
    const now = this.#clock() / 1000;
    const window = Math.floor(now / this.#window);
    if (window !== this.#present) this.#counts.clear();
    this.#present = window;
    const count = this.#counts.get(source) ?? 0;
    const isRefused = count >= max;
    this.#counts.set(source, isRefused ? Infinity : count + amount);
    if (this.#counts.size > COUNTED) this.#forgetOldest();
    if (!isRefused) return undefined;
    const retryAfter = Math.max(1, Math.ceil((window + 1) * this.#window - now));
    return { retryAfter, isFirst: count !== Infinity };
  }

  #forgetOldest(): void {
    for (const source of this.#counts.keys()) {
      this.#counts.delete(source);
      return;
    }
  }
}
