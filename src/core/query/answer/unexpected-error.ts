import type { RandomBytes } from '../../base/ports.js';
import { ApiError } from './api-error.js';
import { message } from './messages.js';

/** Where errors are reported that clients learn nothing of. */
interface Reporter {
  readonly random: RandomBytes;
  onError(error: unknown): void;
}

/** What clients see of an error: API errors are meant for them, all others are only reported to the application. */
export const apiErrorOf = (error: unknown, { random, onError }: Reporter): ApiError => {
  if (error instanceof ApiError) return error;
  onError(error);
  const id = Buffer.from(random(12)).toString('hex');
  return new ApiError('internal_api_error_Error', message('apierror-internal', id), {
    module: 'main',
    data: { errorclass: 'Error' },
  });
};
