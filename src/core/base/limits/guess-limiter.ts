import type { HttpRequest } from '../http/messages.js';
import { BusyError } from './fair-queue.js';
import type { LimitListener } from './limit-reached.js';
import { type Count, type Slots, type Subject, subjectName } from './slots.js';
import { sourceOf } from './source.js';

/** The outcome of an attempt: it was made, or the caller must wait for this many seconds. */
export type Attempt<T> = { readonly result: T | undefined } | { readonly retryAfter: number };

/** The subjects of an attempt. If one of them has no slot left, the attempt is rejected. */
export interface Guess {
  readonly subjects: readonly Subject[];
  /**
   * The target of the guess, regardless of its source. It rejects nothing by itself, or attackers could lock out an
   * owner: once it has no slot left, the first subject gets a single slot.
   */
  readonly target?: Subject;
}

/** The failures allowed for a target from all sources together, as a multiple of those from one source. */
const FROM_EVERYWHERE = 10;

/** A guess at a value that belongs to a name. */
interface Named {
  /** Whether the name exists. An unknown name leaves nothing in the store except the count of its source. */
  readonly isKnown: boolean;
  /** Allowed failures of one name from one source. */
  readonly failures: number;
  /** Allowed failures of one source. */
  readonly ofSource: number;
}

/**
 * A guess at a value chosen by a person for this name: counted for the name from this source, for the source, and for the
 * name from all sources.
 */
export const guessAt = (name: string, { ip }: HttpRequest, { isKnown, failures, ofSource }: Named): Guess => {
  const source = sourceOf(ip);
  return {
    subjects: [
      { name: subjectName('name', name, source), max: failures, isKept: isKnown },
      { name: subjectName('source', source), max: ofSource, isKept: true },
    ],
    target: { name: subjectName('name', name), max: failures * FROM_EVERYWHERE, isKept: isKnown },
  };
};

/** Seconds until a retry makes sense if other processes hold slots: by then, their attempts have ended. */
const OTHERS_ATTEMPTS_END = 5;

/** A slot taken by an attempt. */
interface Place {
  readonly count: Count;
  readonly slot: number;
}

/** The counts on which an attempt depends. */
interface Counts {
  /** Those of the subjects, in their order. */
  readonly subjects: readonly Count[];
  readonly target: Count | undefined;
  readonly isTargetFull: boolean;
  /** The number of slots for this attempt: while the target is full, the first subject has a single one. */
  readonly maxOf: (count: Count) => number;
}

/**
 * Limits guesses at values chosen by people. Each attempt takes numbered slots in the store before anything is compared,
 * and gives them back unless it fails. So the number of compared guesses never exceeds the number of slots, however many
 * processes there are and whatever they have dropped from memory, and correct attempts never count as failures.
 */
export class GuessLimiter {
  readonly #slots: Slots;
  readonly #name: string;
  readonly #emit: LimitListener | undefined;

  constructor(slots: Slots, name: string, emit: LimitListener | undefined) {
    this.#slots = slots;
    this.#name = name;
    this.#emit = emit;
  }

  /**
   * Makes an attempt unless too many have failed. If all slots are taken by attempts in progress in this process, it
   * waits for them.
   *
   * @param work - Resolves to `undefined` if the attempt fails. If it throws, nothing is counted. It must settle.
   */
  async attempt<T>(guess: Guess, request: HttpRequest, work: () => Promise<T | undefined>): Promise<Attempt<T>> {
    const taken = await this.#takePlaces(guess);
    if ('retryAfter' in taken) return taken;
    const { counts, places } = taken;
    try {
      let result: T | undefined;
      try {
        result = await work();
      } catch (error) {
        await this.#giveBack(places);
        if (error instanceof BusyError) return { retryAfter: error.retryAfter };
        throw error;
      }
      if (result !== undefined) await this.#giveBack(places);
      else if (counts.some((count) => count.taken >= count.subject.max))
        this.#emit?.({ type: 'limit.reached', limit: this.#name }, request);
      return { result };
    } finally {
      this.#end(counts);
    }
  }

  /**
   * Takes a slot of each subject, or rejects the attempt. In this order:
   *
   * 1. A count that rejects or restricts the attempt is read again if that depends on an old reading, but only once.
   * 2. If no subject is full, its slots are taken. Another process may be faster; then start again.
   * 3. If attempts of this process fill a subject, wait until one of them ends, and start again.
   * 4. Otherwise reject the attempt.
   */
  async #takePlaces(guess: Guess): Promise<Taken | { readonly retryAfter: number }> {
    const reread = new Set<Count>();
    for (;;) {
      const counts = this.#countsOf(guess);
      const full = counts.subjects.find((count) => count.taken >= counts.maxOf(count));
      const old = [counts.isTargetFull ? counts.target : undefined, full].find(
        (count) => count && !count.hasAttempts && !reread.has(count) && this.#slots.isStale(count),
      );
      if (old !== undefined) {
        reread.add(old);
        await this.#slots.read(old);
      } else if (full === undefined) {
        const taken = await this.#tryPlaces(counts);
        if (taken !== undefined) return taken;
      } else if (full.hasAttempts) {
        await full.nextEnd();
      } else {
        return { retryAfter: this.#retryAfter(full) };
      }
    }
  }

  #countsOf({ subjects, target }: Guess): Counts {
    const counts = subjects.map((subject) => this.#slots.count(subject));
    const ofTarget = target && this.#slots.count(target);
    const isTargetFull = ofTarget !== undefined && ofTarget.taken >= ofTarget.subject.max;
    return {
      subjects: counts,
      target: ofTarget,
      isTargetFull,
      maxOf: (count) => (isTargetFull && count === counts[0] ? 1 : count.subject.max),
    };
  }

  /** Takes a slot of each subject and of the target, or none at all. A full target needs none. */
  async #tryPlaces(counts: Counts): Promise<Taken | undefined> {
    const { subjects, target, isTargetFull } = counts;
    const needed = target === undefined || isTargetFull ? subjects : [...subjects, target];
    const places: Place[] = [];
    let isComplete = false;
    for (const count of needed) count.beginAttempt();
    try {
      isComplete = await this.#fill(places, needed, counts);
      return isComplete ? { counts: needed, places } : undefined;
    } finally {
      if (!isComplete) {
        await this.#giveBack(places);
        this.#end(needed);
      }
    }
  }

  /** The first subject has the fewest slots, so the others are only tried once it has one. */
  async #fill(places: Place[], [first, ...others]: readonly Count[], { target, maxOf }: Counts): Promise<boolean> {
    if (first === undefined) return true;
    const slot = await this.#slots.take(first, maxOf(first));
    if (slot === undefined) return false;
    places.push({ count: first, slot });
    const take = async (count: Count): Promise<boolean> => {
      const taken = await this.#slots.take(count, maxOf(count));
      if (taken !== undefined) places.push({ count, slot: taken });
      // The target has failed too often, from any source: this source has one slot.
      return taken !== undefined || (count === target && slot === 1);
    };
    const answers = await Promise.allSettled(others.map(take));
    for (const answer of answers) if (answer.status === 'rejected') throw answer.reason;
    return answers.every((answer) => answer.status === 'fulfilled' && answer.value);
  }

  async #giveBack(places: readonly Place[]): Promise<void> {
    await Promise.all(places.map(({ count, slot }) => this.#slots.release(count, slot)));
  }

  #end(counts: readonly Count[]): void {
    for (const count of counts) {
      count.endAttempt();
      this.#slots.forgetIdle(count);
    }
  }

  /** Whether the slots of other processes are failures or attempts in progress is unknown here. */
  #retryAfter({ others }: Count): number {
    const { retryAfter } = this.#slots;
    return others.size === 0 ? retryAfter : Math.min(retryAfter, OTHERS_ATTEMPTS_END);
  }
}

interface Taken {
  readonly counts: readonly Count[];
  readonly places: readonly Place[];
}
