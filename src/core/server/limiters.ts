import { Budget } from '../base/limits/budget.js';
import { FailureLimiter } from '../base/limits/failure-limiter.js';
import { GuessLimiter } from '../base/limits/guess-limiter.js';
import type { LimitListener } from '../base/limits/limit-reached.js';
import { RateLimit } from '../base/limits/rate-limit.js';
import { Slots, type SlotsDependencies } from '../base/limits/slots.js';
import { LIMITS } from '../oauth/facts/limits.js';

interface Limiters {
  /** Random secrets of clients, and assertions. */
  readonly clientLimit: FailureLimiter;
  /** Client secrets chosen by people. */
  readonly chosenSecretLimit: GuessLimiter;
  readonly loginLimit: GuessLimiter;
  /** A limit of guesses that only signed-in owners can make. */
  ownerGuesses(name: string): GuessLimiter;
  /** Approvals without a question. */
  readonly silentLimit: RateLimit;
}

/** All rate limits, each with its window and its budget of records. */
export const limitersOf = (given: Omit<SlotsDependencies, 'budget'>, emit: LimitListener): Limiters => {
  const { clock } = given;
  const strangers = { ...given, budget: new Budget(clock, LIMITS.unprovenRecords / 2) };
  const minutes = (count: number, name: string) => ({ name, window: count * 60 });
  const { clientFailures } = LIMITS;
  return {
    clientLimit: new FailureLimiter(
      new Slots(strangers, minutes(1, 'client')),
      new RateLimit(clock, clientFailures, 60),
      { name: 'client', max: clientFailures },
      emit,
    ),
    chosenSecretLimit: new GuessLimiter(new Slots(strangers, minutes(1, 'chosen secret')), 'client', emit),
    loginLimit: new GuessLimiter(new Slots(strangers, minutes(10, 'login')), 'login', emit),
    ownerGuesses: (name) => new GuessLimiter(new Slots({ ...given, budget: undefined }, minutes(10, name)), name, emit),
    silentLimit: new RateLimit(clock, LIMITS.silentApprovals, 60),
  };
};
