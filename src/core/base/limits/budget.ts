import type { Clock } from '../ports.js';
import type { Refusal } from './rate-limit.js';

/**
 * Limits how many records unauthenticated callers keep alive in total. Each process counts the records it has written itself.
 */
export class Budget {
  readonly #clock: Clock;
  readonly #max: number;
  /** Expiry time of records in seconds → their number. */
  readonly #ends = new Map<number, number>();
  #alive = 0;
  #swept = 0;
  #isUsedUp = false;

  /** @param max - The number of records alive at the same time. */
  constructor(clock: Clock, max: number) {
    this.#clock = clock;
    this.#max = max;
  }

  /**
   * Reserves space for some records.
   *
   * @param exp - When they expire, in seconds since the epoch.
   * @returns a refusal if the budget is exhausted; nothing is reserved then.
   */
  take(exp: number, count = 1): Refusal | undefined {
    const now = Math.floor(this.#clock() / 1000);
    if (now !== this.#swept) this.#sweep(now);
    if (this.#alive + count <= this.#max) {
      this.#alive += count;
      this.#ends.set(exp, (this.#ends.get(exp) ?? 0) + count);
      this.#isUsedUp = false;
      return undefined;
    }
    const isFirst = !this.#isUsedUp;
    this.#isUsedUp = true;
    let first = Infinity;
    for (const end of this.#ends.keys()) first = Math.min(first, end);
    return { retryAfter: Math.max(1, Math.min(first - now, 60)), isFirst };
  }

  /** Releases the space of records that were deleted, or not written after all. */
  release(exp: number, count = 1): void {
    const held = this.#ends.get(exp);
    if (held === undefined) return; // They have expired in the meantime.
    this.#alive -= count;
    if (held > count) this.#ends.set(exp, held - count);
    else this.#ends.delete(exp);
  }

  #sweep(now: number): void {
    this.#swept = now;
    for (const [exp, count] of this.#ends) {
      if (exp > now) continue;
      this.#alive -= count;
      this.#ends.delete(exp);
    }
  }
}
