import type { Timer } from './ports.js';

/** A time limit for some work, and what happens when it is exceeded. */
export interface Deadline {
  readonly milliseconds: number;
  readonly timer: Timer;
  /** Creates the error that is thrown when the time is over. */
  readonly error: () => Error;
  /** Called with the error if the work fails after that. */
  readonly onLateError?: (error: unknown) => void;
}

/**
 * The result of some work, if it arrives in time; a synchronous result is returned as it is. A late result is discarded. The work
 * itself continues, because a store or an application function cannot be stopped from here.
 */
export const inTime = <T>(
  work: T | Promise<T>,
  { milliseconds, timer, error: late, onLateError = () => undefined }: Deadline,
): T | Promise<T> => {
  if (!(work instanceof Promise)) return work;
  return new Promise((resolve, reject) => {
    let fail = reject;
    const stop = timer(() => {
      fail = onLateError;
      reject(late());
    }, milliseconds);
    work.then(
      (value) => {
        stop();
        resolve(value);
      },
      (error: unknown) => {
        stop();
        fail(error);
      },
    );
  });
};
