import { UnavailableError } from './errors.js';
import type { HttpRequest } from './http/messages.js';
import type { Timer } from './ports.js';

/** Requests that were answered while their work goes on. */
const answered = new WeakSet<HttpRequest>();

/** Milliseconds, twice: after a standstill a timer may run before the connections are read, but a second one runs after that. */
const LOOK_AFTER = 30;

/** Marks a request whose deadline has passed: its client has received an error, and may have sent it again. */
export const markAnswered = (request: HttpRequest): void => void answered.add(request);

/** Whether the client still waits for the response. */
export const isAwaited = (request: HttpRequest): boolean => !request.hungUp && !answered.has(request);

/**
 * Call this directly before a write that uses something up or decides something: nobody would receive the result.
 *
 * @throws UnavailableError if the client has disconnected, or was answered.
 */
export const checkAwaited = (request: HttpRequest): void => {
  if (!isAwaited(request))
    throw new UnavailableError('A request was abandoned: its client has disconnected, or its deadline has passed.');
};

/**
 * Like {@link checkAwaited}, but waits first, so that a client is noticed that has gone while the process stood still: its request is
 * read before the end of its connection.
 */
export const checkStillAwaited = async (request: HttpRequest, timer: Timer): Promise<void> => {
  for (let looks = 0; looks < 2; looks += 1) {
    checkAwaited(request);
    await new Promise<void>((resolve) => timer(resolve, LOOK_AFTER));
  }
  checkAwaited(request);
};
