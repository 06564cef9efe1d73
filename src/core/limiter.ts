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

/** As a socket writes it; `::ffff:192.0.2.1` is an IPv4 address. */
const IPV6 = /^(?=.*:)[0-9a-f:]+(?:%.*)?$/i;

/**
 * What counts as one source of requests. Who has one IPv6 address has all 2^64 of its network (RFC 6177 §2), so a
 * network is one source.
 *
 * @param ip - As the framework sees it; empty where it sees none.
 */
export const sourceOf = (ip: string): string => {
  if (!IPV6.test(ip)) return ip;
  const [left = [], right = []] = ip.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  const network = [...left, ...zeros, ...right].slice(0, 4);
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
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
  readonly #waiting = new Map<string, (() => void)[]>();

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
    return this.#counts.size === 0 ? undefined : this.#retryAfter(subjectOf(subject, sourceOf(request.ip)));
  }

  /** Counts one failure of this subject at this source: here at once, in the store by the time that this resolves. */
  fail(subject: string, request: HttpRequest): Promise<void> {
    return this.#fail(subjectOf(subject, sourceOf(request.ip)), request.ip);
  }

  /**
   * Makes an attempt unless one of its subjects has failed too often. While it is under way it takes the place of a
   * failure, and who finds no place left waits for one: many guesses at the same moment are no way around the limit, and
   * many right ones are no failures.
   *
   * @param work - Answers `undefined` when the attempt fails. What it throws is not counted. It must end.
   */
  async attempt<T>(
    names: readonly (readonly string[])[],
    request: HttpRequest,
    work: () => Promise<T | undefined>,
  ): Promise<Attempt<T>> {
    const subjects = names.map((parts) => subjectOf(...parts));
    for (;;) {
      for (const subject of subjects) {
        const retryAfter = this.#retryAfter(subject);
        if (retryAfter !== undefined) return { retryAfter };
      }
      const full = subjects.find((subject) => !this.#hasPlace(subject));
      if (full === undefined) break;
      await this.#place(full);
    }
    for (const subject of subjects) this.#underWay.set(subject, (this.#underWay.get(subject) ?? 0) + 1);
    try {
      const result = await work();
      if (result === undefined) await Promise.all(subjects.map((subject) => this.#fail(subject, request.ip)));
      return { result };
    } finally {
      for (const subject of subjects) this.#finish(subject);
    }
  }

  #retryAfter(subject: string): number | undefined {
    if (this.#failed(subject) < this.#rule.max) return undefined;
    return Math.max(1, Math.ceil((this.#window() + 1) * this.#rule.window - this.#clock() / 1000));
  }

  #failed(subject: string): number {
    const known = this.#counts.get(subject);
    return known?.window === this.#window() ? known.count : 0;
  }

  #hasPlace(subject: string): boolean {
    return this.#failed(subject) + (this.#underWay.get(subject) ?? 0) < this.#rule.max;
  }

  /** Resolves when one of the attempts under way is over. There is one, or there would be a place. */
  #place(subject: string): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(subject);
      if (waiting === undefined) this.#waiting.set(subject, [resolve]);
      else waiting.push(resolve);
    });
  }

  #finish(subject: string): void {
    const left = (this.#underWay.get(subject) ?? 1) - 1;
    if (left === 0) this.#underWay.delete(subject);
    else this.#underWay.set(subject, left);
    // All of them look again: who waits for several subjects may not take the place after all.
    const waiting = this.#waiting.get(subject) ?? [];
    this.#waiting.delete(subject);
    for (const goOn of waiting) goOn();
  }

  async #fail(subject: string, ip: string): Promise<void> {
    const window = this.#window();
    const name = hmac(this.#key, `${this.#rule.name}\n${subject}`);
    let count = this.#failed(subject);
    // Before the store is asked: guesses that are checked in the meantime must find it counted.
    this.#remember(subject, window, count + 1);
    while (count < this.#rule.max) {
      count += 1;
      const exp = (window + 1) * this.#rule.window;
      if (await this.#records.add(`limit:${name}:${window}:${count}`, { exp })) break;
    }
    count = Math.max(count, this.#failed(subject));
    this.#remember(subject, window, count);
    if (count >= this.#rule.max) this.#emit?.({ type: 'limit.reached', limit: this.#rule.name, ip });
  }

  #remember(subject: string, window: number, count: number): void {
    this.#counts.delete(subject);
    this.#counts.set(subject, { window, count });
    if (this.#counts.size <= REMEMBERED) return;
    for (const oldest of this.#counts.keys()) {
      this.#counts.delete(oldest);
      return;
    }
  }

  #window(): number {
    return Math.floor(this.#clock() / 1000 / this.#rule.window);
  }
}
