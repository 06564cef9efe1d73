import type { HttpRequest } from '../http/messages.js';
import { BusyError } from './fair-queue.js';
import type { LimitListener } from './limit-reached.js';
import { type Slots, type Subject, subjectName, type Tally } from './slots.js';
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
export interface Named {
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

/** Seconds until a retry makes sense if attempts in other processes are in progress. */
const OTHERS_UNDER_WAY = 5;

/** A slot taken by an attempt. */
interface Place {
  readonly tally: Tally;
  readonly slot: number;
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
    const { tallies, places } = taken;
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
      else if (tallies.some((tally) => tally.taken >= tally.subject.max))
        this.#emit?.({ type: 'limit.reached', limit: this.#name }, request);
      return { result };
    } finally {
      this.#end(tallies);
    }
  }

  async #takePlaces({ subjects, target }: Guess): Promise<Taken | { readonly retryAfter: number }> {
    const looked = new Set<Tally>();
    for (;;) {
      const tallies = subjects.map((subject) => this.#slots.tally(subject));
      const aim = target === undefined ? undefined : this.#slots.tally(target);
      const isCrowded = aim !== undefined && aim.taken >= aim.subject.max;
      const maxOf = (tally: Tally): number => (isCrowded && tally === tallies[0] ? 1 : tally.subject.max);
      const full = tallies.find((tally) => tally.taken >= maxOf(tally));
      const doubtful = [...(isCrowded ? [aim] : []), ...(full === undefined ? [] : [full])].find(
        (tally) => tally.underWay === 0 && !looked.has(tally) && this.#slots.isStale(tally),
      );
      if (doubtful !== undefined) {
        looked.add(doubtful);
        await this.#slots.read(doubtful);
      } else if (full === undefined) {
        const taken = await this.#tryPlaces(aim === undefined || isCrowded ? tallies : [...tallies, aim], maxOf, aim);
        if (taken !== undefined) return taken;
      } else if (full.underWay > 0) await full.change();
      else return { retryAfter: this.#retryAfter(full) };
    }
  }

  /** Takes a slot of each subject, or none at all. */
  async #tryPlaces(
    tallies: readonly Tally[],
    maxOf: (tally: Tally) => number,
    aim: Tally | undefined,
  ): Promise<Taken | undefined> {
    const places: Place[] = [];
    let isComplete = false;
    for (const tally of tallies) tally.underWay += 1;
    try {
      isComplete = await this.#fill(places, tallies, maxOf, aim);
      return isComplete ? { tallies, places } : undefined;
    } finally {
      if (!isComplete) {
        await this.#giveBack(places);
        this.#end(tallies);
      }
    }
  }

  /** The first subject has the fewest slots, so the others are only tried once it has one. */
  async #fill(
    places: Place[],
    [first, ...others]: readonly Tally[],
    maxOf: (tally: Tally) => number,
    aim: Tally | undefined,
  ): Promise<boolean> {
    if (first === undefined) return true;
    const slot = await this.#slots.take(first, maxOf(first));
    if (slot === undefined) return false;
    places.push({ tally: first, slot });
    const take = async (tally: Tally): Promise<boolean> => {
      const taken = await this.#slots.take(tally, maxOf(tally));
      if (taken !== undefined) places.push({ tally, slot: taken });
      // The target has failed too often, from any source: this source has one slot.
      return taken !== undefined || (tally === aim && slot === 1);
    };
    const answers = await Promise.allSettled(others.map(take));
    for (const answer of answers) if (answer.status === 'rejected') throw answer.reason;
    return answers.every((answer) => answer.status === 'fulfilled' && answer.value);
  }

  async #giveBack(places: readonly Place[]): Promise<void> {
    await Promise.all(places.map(({ tally, slot }) => this.#slots.release(tally, slot)));
  }

  #end(tallies: readonly Tally[]): void {
    for (const tally of tallies) {
      tally.end();
      this.#slots.forgetIdle(tally);
    }
  }

  /** It is unknown here whether the slots of other processes are failures or attempts in progress. */
  #retryAfter({ others }: Tally): number {
    const { retryAfter } = this.#slots;
    return others.size === 0 ? retryAfter : Math.min(retryAfter, OTHERS_UNDER_WAY);
  }
}

interface Taken {
  readonly tallies: readonly Tally[];
  readonly places: readonly Place[];
}
