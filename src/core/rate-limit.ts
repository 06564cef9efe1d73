import type { Clock } from './ports.js';

/** Sources that are counted at most; when there are more, the oldest begin anew. */
const COUNTED = 10_000;

/**
 * Bounds how often one source may do what leaves something behind for nothing. Each process counts for itself and asks
 * nobody: a limit that is there to spare the store must not write to it.
 */
export class RateLimit {
  readonly #clock: Clock;
  readonly #max: number;
  readonly #window: number;
  readonly #counts = new Map<string, number>();
  #present = -1;

  /**
   * @param max - So many times within one window.
   * @param window - Seconds.
   */
  constructor(clock: Clock, max: number, window: number) {
    this.#clock = clock;
    this.#max = max;
    this.#window = window;
  }

  /**
   * Counts one more.
   *
   * @returns how many seconds this source has to wait instead, and whether it is told so for the first time in this
   * window; or `undefined` if it may go on.
   */
  take(source: string): { readonly retryAfter: number; readonly isFirst: boolean } | undefined {
    const now = this.#clock() / 1000;
    const window = Math.floor(now / this.#window);
    if (window !== this.#present) this.#counts.clear();
    this.#present = window;
    const count = this.#counts.get(source) ?? 0;
    this.#counts.set(source, count + 1);
    if (this.#counts.size > COUNTED) this.#forgetOldest();
    if (count < this.#max) return undefined;
    const retryAfter = Math.max(1, Math.ceil((window + 1) * this.#window - now));
    return { retryAfter, isFirst: count === this.#max };
  }

  #forgetOldest(): void {
    for (const source of this.#counts.keys()) {
      this.#counts.delete(source);
      return;
    }
  }
}
