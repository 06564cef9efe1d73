import { ApiError } from '../answer/api-error.js';
import { message } from '../answer/messages.js';
import type { Room } from './request-context.js';

/** How often a large answer is tried with smaller limits, and by how much more than it seems to need. */
const ATTEMPTS = 4;
const MARGIN = 0.8;

/** An answer, and how long it may be. */
export interface Fitting<T> {
  /** The answer with as much room as was asked for. */
  readonly first: T;
  readonly lengthOf: (answer: T) => number;
  readonly most: number;
  /** The answer once more, with less room. */
  readonly again: (room: Room) => Promise<T>;
}

/**
 * An answer that is too large is asked for again, with smaller limits: its continuation is right then. Data that are
 * too large by themselves are left out in the end.
 *
 * @throws ApiError when not even that is small enough.
 */
export const fitted = async <T>({ first, lengthOf, most, again }: Fitting<T>): Promise<T> => {
  let answer = first;
  for (let limitFactor = 1, attempts = 0; lengthOf(answer) > most; attempts += 1) {
    if (attempts > ATTEMPTS)
      throw new ApiError('badconfig', message('apierror-badconfig-resulttoosmall'), { module: 'main' });
    limitFactor *= (most / lengthOf(answer)) * MARGIN;
    answer = await again({ limitFactor, maxLength: attempts === ATTEMPTS ? most : undefined });
  }
  return answer;
};
