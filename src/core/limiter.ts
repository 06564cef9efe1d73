import type { HttpRequest } from './http.js';
import type { EventListener } from './oauth/events.js';
import type { Clock } from './ports.js';
import type { Records } from './records.js';
import { hmac, sha256 } from './secrets.js';

export interface LimitRule {
  readonly name: string;
  /** So many failures within one window; the next attempt is refused. */
  readonly max: number;
  /** Seconds. */
  readonly window: number;
}

/** Subjects that a process remembers at most; the oldest are forgotten first and found again in the store. */
const REMEMBERED = 10_000;

/** Subjects are made of what strangers send: whatever is longer is remembered by its hash. */
const LONGEST = 128;

const subjectOf = (...parts: readonly string[]): string => {
  const subject = parts.join('\n');
  return subject.length > LONGEST ? sha256(subject) : subject;
};

/** What became of an attempt: it was made, or it has to wait so many seconds. */
export type Attempt<T> = { readonly result: T | undefined } | { readonly retryAfter: number };

/**
 * Counts failures in numbered slots of the store, so that all processes count together. What a process has learnt it
 * remembers, so that an attempt that is not blocked costs no question: only a failure asks the store.
 */
export class Limiter {
  readonly #records: Records;
  readonly #clock: Clock;
  readonly #key: Uint8Array;
  readonly #rule: LimitRule;
  readonly #emit: EventListener | undefined;
  readonly #counts = new Map<string, { readonly window: number; readonly count: number }>();
  readonly #underWay = new Map<string, number>();

  constructor(records: Records, clock: Clock, key: Uint8Array, rule: LimitRule, emit: EventListener | undefined) {
    this.#records = records;
    this.#clock = clock;
    this.#key = key;
    this.#rule = rule;
    this.#emit = emit;
  }

  /** How many seconds this subject has to wait at this source, or `undefined` if it may try now. */
  retryAfter(subject: string, request: HttpRequest): number | undefined {
    // The source's address is only worked out once somebody has failed.
    return this.#counts.size === 0 ? undefined : this.#retryAfter(subjectOf(subject, request.ip));
  }

  /** Counts one failure of this subject at this source. */
  fail(subject: string, request: HttpRequest): Promise<void> {
    return this.#fail(subjectOf(subject, request.ip), request.ip);
  }

  /**
   * Makes an attempt unless one of its subjects has failed too often. While it is under way it counts as a failure:
   * many guesses at the same moment are no way around the limit.
   *
   * @param work - Answers `undefined` when the attempt fails. What it throws is not counted.
   */
  async attempt<T>(
    names: readonly (readonly string[])[],
    request: HttpRequest,
    work: () => Promise<T | undefined>,
  ): Promise<Attempt<T>> {
    const subjects = names.map((parts) => subjectOf(...parts));
    for (const subject of subjects) {
      const retryAfter = this.#retryAfter(subject);
      if (retryAfter !== undefined) return { retryAfter };
    }
    for (const subject of subjects) this.#underWay.set(subject, (this.#underWay.get(subject) ?? 0) + 1);
    try {
      const result = await work();
      if (result === undefined) {
        for (const subject of subjects) await this.#fail(subject, request.ip);
      }
      return { result };
    } finally {
      for (const subject of subjects) this.#finish(subject);
    }
  }

  #retryAfter(subject: string): number | undefined {
    const failed = this.#failed(subject);
    if (failed >= this.#rule.max)
      return Math.max(1, Math.ceil((this.#window() + 1) * this.#rule.window - this.#clock() / 1000));
    return failed + (this.#underWay.get(subject) ?? 0) < this.#rule.max ? undefined : 1;
  }

  #failed(subject: string): number {
    const known = this.#counts.get(subject);
    return known?.window === this.#window() ? known.count : 0;
  }

  #finish(subject: string): void {
    const left = (this.#underWay.get(subject) ?? 1) - 1;
    if (left === 0) this.#underWay.delete(subject);
    else this.#underWay.set(subject, left);
  }

  async #fail(subject: string, ip: string): Promise<void> {
    const window = this.#window();
    const name = hmac(this.#key, `${this.#rule.name}\n${subject}`);
    let count = this.#failed(subject);
    while (count < this.#rule.max) {
      count += 1;
      const exp = (window + 1) * this.#rule.window;
      if (await this.#records.add(`limit:${name}:${window}:${count}`, { exp })) break;
    }
    count = Math.max(count, this.#failed(subject));
    this.#counts.delete(subject);
    this.#counts.set(subject, { window, count });
    if (count >= this.#rule.max) this.#emit?.({ type: 'limit.reached', limit: this.#rule.name, ip });
    this.#forget();
  }

  #window(): number {
    return Math.floor(this.#clock() / 1000 / this.#rule.window);
  }

  #forget(): void {
    if (this.#counts.size <= REMEMBERED) return;
    for (const subject of this.#counts.keys()) {
      this.#counts.delete(subject);
      return;
    }
  }
}
