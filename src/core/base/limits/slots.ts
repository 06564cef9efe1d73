import type { Clock } from '../ports.js';
import { type ExpiringRecord, isNumber, type Records, type Shape } from '../records.js';
import { keyedHash, sha256 } from '../secrets.js';
import type { Budget } from './budget.js';

/** What is counted, and how often it may fail within one window. */
export interface Subject {
  readonly name: string;
  readonly max: number;
  /** Whether the store counts it, for all processes. Subjects that callers can invent are only counted by this process. */
  readonly isKept: boolean;
}

/** Subjects contain input from callers: longer ones are replaced by their hash. */
const MAX_LENGTH = 128;

/** The name of a subject with these parts. */
export const subjectName = (...parts: readonly string[]): string => {
  const name = JSON.stringify(parts);
  return name.length > MAX_LENGTH ? sha256(name) : name;
};

/** The number of subjects that a process remembers; the oldest are dropped first, and found again in the store. */
const MAX_SUBJECTS = 10_000;

/** The number of slots read together. */
const SLOTS_PER_READ = 64;

/** Seconds for which records outlive their window: the clock of the store may be ahead. */
const AFTER_WINDOW = 60;

/** Milliseconds for which the slots of other processes need not be read again. */
const FRESH_MS = 1000;

const SLOT: Shape<ExpiringRecord> = { exp: isNumber };

/** The slots of one subject within one window, as far as this process knows them. */
export class Count {
  readonly subject: Subject;
  /** When its records expire, in seconds since the epoch. */
  readonly exp: number;
  /** The key of its records, without the number. */
  readonly key: string;
  /** Slots taken by this process: by attempts in progress, and by failures. */
  readonly own = new Set<number>();
  /** Slots known to be taken by other processes. They may have released one since. */
  readonly others = new Set<number>();
  /** Slots taken by this process that are written to the store. */
  readonly written = new Set<number>();
  /** When {@link others} was last read. */
  readAt = 0;
  /** Attempts of this process that are in progress: they hold a slot, or are about to take one. */
  #attempts = 0;
  #waiting: (() => void)[] = [];

  constructor(subject: Subject, exp: number, key: string) {
    this.subject = subject;
    this.exp = exp;
    this.key = key;
  }

  get taken(): number {
    return this.own.size + this.others.size;
  }

  get hasAttempts(): boolean {
    return this.#attempts > 0;
  }

  get isIdle(): boolean {
    return this.taken === 0 && !this.hasAttempts;
  }

  /** The first slots that may be free. */
  free(most: number, max: number): readonly number[] {
    const slots: number[] = [];
    for (let n = 1; n <= max && slots.length < most; n += 1) {
      if (!this.own.has(n) && !this.others.has(n)) slots.push(n);
    }
    return slots;
  }

  beginAttempt(): void {
    this.#attempts += 1;
  }

  endAttempt(): void {
    this.#attempts -= 1;
    // All that wait check again: one that needs slots of several subjects may not take this one after all.
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  /** Resolves when an attempt in progress ends. */
  nextEnd(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

/**
 * Counts with numbered records in the store. The n-th failure of a subject within a window is its n-th record, and a single
 * `add` decides which process gets it, so that any number of processes count exactly.
 */
export class Slots {
  readonly #deps: SlotsDependencies;
  readonly #name: string;
  readonly #length: number;
  readonly #counts = new Map<string, Count>();
  #window = -1;
  #hasForgotten = false;

  /** @param window - Length of a window, in seconds. */
  constructor(deps: SlotsDependencies, { name, window }: { readonly name: string; readonly window: number }) {
    this.#deps = deps;
    this.#name = name;
    this.#length = window;
  }

  /** Whether nothing has been counted in this window. */
  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  /** Whether this process has dropped counts of this window, so that unknown subjects must be looked up in the store. */
  get hasForgotten(): boolean {
    this.#enterWindow();
    return this.#hasForgotten;
  }

  /** Seconds until the end of the window. */
  get retryAfter(): number {
    return Math.max(1, Math.ceil((this.#windowNow() + 1) * this.#length - this.#deps.clock() / 1000));
  }

  /** What this process remembers about a subject. */
  known(name: string): Count | undefined {
    this.#enterWindow();
    return this.#counts.get(name);
  }

  /** The count of a subject in the present window. */
  count(subject: Subject): Count {
    this.#enterWindow();
    const known = this.#counts.get(subject.name);
    if (known !== undefined) return known;
    const exp = (this.#window + 1) * this.#length + AFTER_WINDOW;
    const count = new Count(subject, exp, this.#keyOf(subject.name, this.#window));
    this.#counts.set(subject.name, count);
    if (this.#counts.size > MAX_SUBJECTS) this.#forgetOldest();
    return count;
  }

  /** Drops a subject without any counts. */
  forgetIdle({ isIdle, subject }: Count): void {
    if (isIdle) this.#counts.delete(subject.name);
  }

  /**
   * Takes a free slot: in the store, and in this process from the moment of the call.
   *
   * @param max - The number of slots.
   * @returns `undefined` if all are taken.
   */
  async take(count: Count, max: number): Promise<number | undefined> {
    for (;;) {
      const [slot] = count.free(1, max);
      // In a window that has ended meanwhile, nothing can be counted.
      if (slot === undefined || this.#deps.clock() >= (count.exp - AFTER_WINDOW) * 1000) return undefined;
      count.own.add(slot);
      let isWritten = false;
      try {
        isWritten = await this.#write(count, slot);
      } finally {
        if (!isWritten) count.own.delete(slot);
      }
      if (isWritten) return slot;
      count.others.add(slot);
      await this.#readNext(count, max); // Another process is ahead: find out how far.
    }
  }

  /** Releases a slot: the attempt that took it did not fail. */
  async release(count: Count, slot: number): Promise<void> {
    count.own.delete(slot);
    if (!count.written.delete(slot)) return;
    await this.#deps.records.delete(count.key + slot);
    this.#deps.budget?.release(count.exp);
  }

  /** Reads which slots other processes have taken. */
  async read(count: Count): Promise<void> {
    count.others.clear();
    while (await this.#readNext(count, count.subject.max));
  }

  /** Whether the knowledge about other processes is too old to reject anything. */
  isStale(count: Count): boolean {
    return count.others.size > 0 && Math.abs(this.#deps.clock() - count.readAt) >= FRESH_MS;
  }

  /** Takes as long as counting, but leaves nothing behind. */
  async pretend(name: string): Promise<void> {
    await this.#deps.records.get(`${this.#keyOf(name, this.#windowNow())}1`, SLOT);
  }

  /** The key of the records of a subject, without the number. */
  #keyOf(name: string, window: number): string {
    return `limit:{${keyedHash(this.#deps.key, `${this.#name}\n${name}`)}}:${window}:`;
  }

  async #write(count: Count, slot: number): Promise<boolean> {
    const { exp } = count;
    const key = count.key + slot;
    if (!count.subject.isKept || this.#deps.budget?.take(exp) !== undefined) {
      // An existing record counts in any case; and this takes as long as a write, so that timing reveals nothing.
      return (await this.#deps.records.get(key, SLOT)) === undefined;
    }
    const added = await this.#deps.records.add(key, { exp });
    if (added) count.written.add(slot);
    else this.#deps.budget?.release(exp);
    return added;
  }

  /** Reads the next slots that may be free. Returns whether all of them are taken. */
  async #readNext(count: Count, max: number): Promise<boolean> {
    const slots = count.free(SLOTS_PER_READ, max);
    count.readAt = this.#deps.clock();
    if (slots.length === 0) return false;
    const found = await this.#deps.records.getMany(
      slots.map((slot) => count.key + slot),
      SLOT,
    );
    const taken = slots.filter((slot, at) => found[at] !== undefined && !count.own.has(slot));
    for (const slot of taken) count.others.add(slot);
    return taken.length === slots.length;
  }

  #forgetOldest(): void {
    for (const [name, { subject }] of this.#counts) {
      this.#counts.delete(name);
      if (subject.isKept) this.#hasForgotten = true;
      return;
    }
  }

  /** Forgets the counts of a window that has ended. */
  #enterWindow(): void {
    const window = this.#windowNow();
    if (window === this.#window) return;
    this.#window = window;
    this.#counts.clear();
    this.#hasForgotten = false;
  }

  #windowNow(): number {
    return Math.floor(this.#deps.clock() / 1000 / this.#length);
  }
}

/** Dependencies shared by all limits. */
export interface SlotsDependencies {
  readonly records: Records;
  readonly clock: Clock;
  readonly key: string;
  /** Limits the records; when it is exhausted, this process counts on its own. */
  readonly budget: Budget | undefined;
}
