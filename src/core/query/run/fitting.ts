import { ApiError } from '../answer/api-error.js';
import { message } from '../answer/messages.js';
import type { ResultBudget } from './request-context.js';

/** How many times an oversized response is retried with lower limits, and the safety margin. */
const ATTEMPTS = 4;
const MARGIN = 0.8;

/** A response with a maximum length. */
interface FitOptions<T> {
  /** The response with the requested limits. */
  readonly first: T;
  readonly lengthOf: (answer: T) => number;
  readonly most: number;
  /** Runs the request again, with lower limits. */
  readonly again: (budget: Pick<ResultBudget, 'limitFactor' | 'maxLength'>) => Promise<T>;
}

/**
 * Repeats an oversized request with lower limits, so that its continuation is correct. The last attempt omits data that
 * is too large.
 *
 * @throws ApiError if that is still too large.
 */
export const fitToSize = async <T>({ first, lengthOf, most, again }: FitOptions<T>): Promise<T> => {
  let answer = first;
  let length = lengthOf(answer);
  for (let limitFactor = 1, attempts = 0; length > most; attempts += 1) {
    if (attempts > ATTEMPTS)
      throw new ApiError('badconfig', message('apierror-badconfig-resulttoosmall'), { module: 'main' });
    const before = length;
    limitFactor *= (most / length) * MARGIN;
    answer = await again({ limitFactor, maxLength: attempts === ATTEMPTS ? most : undefined });
    length = lengthOf(answer);
    // Of one long text, there is no shorter response: the next attempt is the last.
    if (length >= before) attempts = Math.max(attempts, ATTEMPTS - 1);
  }
  return answer;
};
