import type { MaybePromise, Timer } from './ports.js';

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
export const inTime = <T>(work: MaybePromise<T>, deadline: Deadline): MaybePromise<T> =>
  work instanceof Promise
    ? concludedInTime(
        work,
        deadline,
        (value) => value,
        (error) => Promise.reject(error),
      )
    : work;

/** The result of some work, if it arrives in time. Otherwise the signal is aborted. */
export const abortedInTime = async <T>(
  work: (signal: AbortSignal) => MaybePromise<T>,
  deadline: Deadline,
): Promise<T> => {
  const controller = new AbortController();
  const error = (): Error => {
    controller.abort();
    return deadline.error();
  };
  return inTime((async () => work(controller.signal))(), { ...deadline, error });
};

/**
 * Like {@link inTime}, and then calls `done` or `failed`. It does so without another promise, because every request waits here.
 *
 * @param failed - Called with the error of the work, of `done` or of the deadline, and whether it is that of the deadline.
 */
export const concludedInTime = <T, Result>(
  work: Promise<T>,
  deadline: Deadline,
  done: (value: T) => Result,
  failed: (error: unknown, isLate: boolean) => MaybePromise<Result>,
): Promise<Result> =>
  new Promise((resolve) => {
    let isLate = false;
    const fail = (error: unknown): void => (isLate ? deadline.onLateError?.(error) : resolve(failed(error, false)));
    const stop = deadline.timer(() => {
      isLate = true;
      resolve(failed(deadline.error(), true));
    }, deadline.milliseconds);
    work.then(
      (value) => {
        stop();
        try {
          resolve(done(value));
        } catch (error) {
          fail(error);
        }
      },
      (error: unknown) => {
        stop();
        fail(error);
      },
    );
  });

/** Gives a function of the application a deadline. @param name - Names it in the error. */
export type Bound = <Input extends readonly unknown[], Result>(
  name: string,
  work: (...input: Input) => MaybePromise<Result>,
) => (...input: Input) => MaybePromise<Result>;
