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

/** The maximum number of subjects a process remembers; the oldest are dropped first, and found again in the store. */
const REMEMBERED = 10_000;

/** The number of slots read together. */
const AHEAD = 64;

/** Milliseconds for which a full set of slots in other processes is assumed not to change. */
const BELIEVED = 1000;

const SLOT: Shape<ExpiringRecord> = { exp: isNumber };

/** What this process knows about one subject within one window. */
export class Tally {
  readonly subject: Subject;
  readonly window: number;
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
  /** Attempts of this process that hold a slot, or are about to take one. */
  underWay = 0;
  #waiting: (() => void)[] = [];

  constructor(subject: Subject, window: number, key: string) {
    this.subject = subject;
    this.window = window;
    this.key = key;
  }

  get taken(): number {
    return this.own.size + this.others.size;
  }

  get isIdle(): boolean {
    return this.taken === 0 && this.underWay === 0;
  }

  /** The first slots that may be free. */
  free(count: number, max: number): readonly number[] {
    const slots: number[] = [];
    for (let n = 1; n <= max && slots.length < count; n += 1) {
      if (!this.own.has(n) && !this.others.has(n)) slots.push(n);
    }
    return slots;
  }

  /** Resolves when one of the attempts in progress ends. */
  change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Marks the end of one of the attempts in progress. */
  end(): void {
    this.underWay -= 1;
    // All of them check again: an attempt that waits for several subjects may not take the slot after all.
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const goOn of waiting) goOn();
  }
}

/**
 * Counts with numbered records in the store. The n-th failure of a subject within a window is its n-th record, and a single
 * `add` decides which process gets it, so that any number of processes count exactly.
 */
export class Slots {
  readonly #given: SlotsDependencies;
  readonly #name: string;
  readonly #length: number;
  readonly #tallies = new Map<string, Tally>();
  #present = -1;
  #hasForgotten = false;

  /** @param window - Length of a window, in seconds. */
  constructor(given: SlotsDependencies, { name, window }: { readonly name: string; readonly window: number }) {
    this.#given = given;
    this.#name = name;
    this.#length = window;
  }

  /** Whether nothing has been counted in this window. */
  get isEmpty(): boolean {
    return this.#tallies.size === 0;
  }

  /** Whether this process has dropped counts of this window, so that unknown subjects must be looked up in the store. */
  get hasForgotten(): boolean {
    this.#turn();
    return this.#hasForgotten;
  }

  /** Seconds until the end of the window. */
  get retryAfter(): number {
    return Math.max(1, Math.ceil((this.#window() + 1) * this.#length - this.#given.clock() / 1000));
  }

  /** What this process remembers about a subject. */
  known(name: string): Tally | undefined {
    this.#turn();
    return this.#tallies.get(name);
  }

  tally(subject: Subject): Tally {
    this.#turn();
    const known = this.#tallies.get(subject.name);
    if (known !== undefined) return known;
    const key = `limit:{${keyedHash(this.#given.key, `${this.#name}\n${subject.name}`)}}:${this.#present}:`;
    const tally = new Tally(subject, this.#present, key);
    this.#tallies.set(subject.name, tally);
    if (this.#tallies.size > REMEMBERED) this.#forgetOldest();
    return tally;
  }

  /** Drops a subject without any counts. */
  forgetIdle({ isIdle, subject }: Tally): void {
    if (isIdle) this.#tallies.delete(subject.name);
  }

  /**
   * Takes a free slot: in the store, and in this process from the moment of the call.
   *
   * @param max - The number of slots.
   * @returns `undefined` if all are taken.
   */
  async take(tally: Tally, max: number): Promise<number | undefined> {
    const exp = (tally.window + 1) * this.#length;
    for (;;) {
      const [slot] = tally.free(1, max);
      if (slot === undefined) return undefined;
      tally.own.add(slot);
      let isWritten = false;
      try {
        isWritten = await this.#write(tally, slot, exp);
      } finally {
        if (!isWritten) tally.own.delete(slot);
      }
      if (isWritten) return slot;
      tally.others.add(slot);
      await this.#look(tally, max); // Another process is ahead: find out how far.
    }
  }

  /** Releases a slot: the attempt that took it did not fail. */
  async release(tally: Tally, slot: number): Promise<void> {
    tally.own.delete(slot);
    if (!tally.written.delete(slot)) return;
    await this.#given.records.delete(tally.key + slot);
    this.#given.budget?.release((tally.window + 1) * this.#length);
  }

  /** Reads which slots other processes have taken. */
  async read(tally: Tally): Promise<void> {
    tally.others.clear();
    while (await this.#look(tally, tally.subject.max));
  }

  /** Whether the knowledge about other processes is too old to reject anything. */
  isStale(tally: Tally): boolean {
    return tally.others.size > 0 && Math.abs(this.#given.clock() - tally.readAt) >= BELIEVED;
  }

  /** Takes as long as counting, but leaves nothing behind. */
  async pretend(name: string): Promise<void> {
    await this.#given.records.get(
      `limit:{${keyedHash(this.#given.key, `${this.#name}\n${name}`)}}:${this.#window()}:1`,
      SLOT,
    );
  }

  async #write(tally: Tally, slot: number, exp: number): Promise<boolean> {
    const key = tally.key + slot;
    if (!tally.subject.isKept || this.#given.budget?.take(exp) !== undefined) {
      // An existing record counts in any case; and this takes as long as a write, so that timing reveals nothing.
      return (await this.#given.records.get(key, SLOT)) === undefined;
    }
    const added = await this.#given.records.add(key, { exp });
    if (added) tally.written.add(slot);
    else this.#given.budget?.release(exp);
    return added;
  }

  /** Reads the next slots that may be free. Returns whether all of them are taken. */
  async #look(tally: Tally, max: number): Promise<boolean> {
    const slots = tally.free(AHEAD, max);
    tally.readAt = this.#given.clock();
    if (slots.length === 0) return false;
    const found = await this.#given.records.getMany(
      slots.map((slot) => tally.key + slot),
      SLOT,
    );
    const taken = slots.filter((slot, at) => found[at] !== undefined && !tally.own.has(slot));
    for (const slot of taken) tally.others.add(slot);
    return taken.length === slots.length;
  }

  #forgetOldest(): void {
    for (const [name, { subject }] of this.#tallies) {
      this.#tallies.delete(name);
      if (subject.isKept) this.#hasForgotten = true;
      return;
    }
  }

  #turn(): void {
    const window = this.#window();
    if (window === this.#present) return;
    this.#present = window;
    this.#tallies.clear();
    this.#hasForgotten = false;
  }

  #window(): number {
    return Math.floor(this.#given.clock() / 1000 / this.#length);
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
