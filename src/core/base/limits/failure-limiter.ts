import type { HttpRequest } from '../http/messages.js';
import type { LimitListener } from './limit-reached.js';
import type { RateLimit } from './rate-limit.js';
import { type Count, type Slots, subjectName } from './slots.js';
import { sourceOf } from './source.js';

/**
 * Counts wrong guesses at random secrets. These cannot be found by guessing, so an attempt that is not blocked costs no
 * store call, and only a failure uses the store: each process compares at most one guess beyond the maximum before it learns
 * that others have exhausted it.
 */
export class FailureLimiter {
  readonly #slots: Slots;
  /** Counts failures of unknown names, in this process only. */
  readonly #strangers: RateLimit;
  readonly #name: string;
  readonly #max: number;
  readonly #emit: LimitListener | undefined;

  constructor(
    slots: Slots,
    strangers: RateLimit,
    { name, max }: { readonly name: string; readonly max: number },
    emit: LimitListener | undefined,
  ) {
    this.#slots = slots;
    this.#strangers = strangers;
    this.#name = name;
    this.#max = max;
    this.#emit = emit;
  }

  /**
   * Checks whether an attempt is blocked. Do not await anything between this call and the comparison, or simultaneous
   * guesses would not be counted.
   *
   * @returns `undefined` if it is not blocked; the number of seconds to wait; or a promise after which to check again, because a
   * failure is being counted.
   */
  obstacle(name: string, request: HttpRequest): number | Promise<void> | undefined {
    // The address of the source is only computed after the first failure.
    if (this.#slots.isEmpty) return undefined;
    const subject = subjectName(name, sourceOf(request.ip));
    const count = this.#slots.known(subject);
    if (count === undefined) return this.#slots.hasForgotten ? this.#recall(subject) : undefined;
    if (count.hasAttempts) return count.nextEnd();
    return count.taken >= this.#max ? this.#slots.retryAfter : undefined;
  }

  /** Counts a failure of this source: in this process immediately, in the store when the promise resolves. */
  async fail(name: string, request: HttpRequest): Promise<void> {
    const count = this.#countOf(subjectName(name, sourceOf(request.ip)));
    count.beginAttempt();
    try {
      await this.#slots.take(count, this.#max);
    } catch (error) {
      for (const slot of count.free(1, this.#max)) count.own.add(slot); // Counted at least in this process.
      throw error;
    } finally {
      count.endAttempt();
    }
    if (count.taken >= this.#max) this.#emit?.({ type: 'limit.reached', limit: this.#name }, request);
  }

  /** Counts a failure of an unknown name, and takes as long as {@link fail}. */
  async failStranger(name: string, request: HttpRequest): Promise<number | undefined> {
    const subject = subjectName(name, sourceOf(request.ip));
    const refusal = this.#strangers.take(subject);
    if (refusal === undefined) {
      await this.#slots.pretend(subject);
      return undefined;
    }
    if (refusal.isFirst) this.#emit?.({ type: 'limit.reached', limit: this.#name }, request);
    return refusal.retryAfter;
  }

  /** Looks up counts that this process may have dropped. */
  async #recall(subject: string): Promise<void> {
    const count = this.#countOf(subject);
    count.beginAttempt();
    try {
      await this.#slots.read(count);
    } finally {
      count.endAttempt();
    }
  }

  #countOf(name: string): Count {
    return this.#slots.count({ name, max: this.#max, isKept: true });
  }
}
