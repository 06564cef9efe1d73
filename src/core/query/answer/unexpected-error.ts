import type { RandomBytes } from '../../base/ports.js';
import { ApiError } from './api-error.js';
import { message } from './messages.js';

/** Receives errors that are not reported to clients. */
interface Reporter {
  readonly random: RandomBytes;
  onError(error: unknown): void;
}

/**
 * Returns API errors unchanged. Reports any other error to the application, and returns an internal error for the
 * client.
 */
export const apiErrorOf = (error: unknown, { random, onError }: Reporter): ApiError => {
  if (error instanceof ApiError) return error;
  onError(error);
  const id = Buffer.from(random(12)).toString('hex');
  return new ApiError('internal_api_error_Error', message('apierror-internal', id), {
    module: 'main',
    data: { errorclass: 'Error' },
  });
};
