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

/** Whether a result must be awaited. Libraries return objects with `then` that are no promises of this realm. */
export const isAwaited = <T>(result: MaybePromise<T>): result is Promise<T> =>
  typeof (result as Partial<Promise<T>> | null | undefined)?.then === 'function';

/**
 * The result of some work, if it arrives in time; a synchronous result is returned as it is. A late result is discarded. The work
 * itself continues, because a store or an application function cannot be stopped from here.
 */
export const inTime = <T>(work: MaybePromise<T>, deadline: Deadline): MaybePromise<T> =>
  isAwaited(work) ? concludedInTime(work, deadline, (error) => Promise.reject<T>(error)) : work;

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
 * Like {@link inTime}, but an error is the result of `failed`, without another promise, because every request waits here.
 *
 * @param failed - Called with the error of the work or of the deadline, and whether it is that of the deadline.
 * @param giveUp - Called first when the time is over: if it returns `true`, the work fails now, with an error that says what was late.
 */
export const concludedInTime = <T, Result>(
  work: Promise<T>,
  deadline: Deadline,
  failed: (error: unknown, isLate: boolean) => MaybePromise<Result>,
  giveUp?: () => boolean,
): Promise<T | Result> =>
  new Promise((resolve) => {
    let isLate = false;
    const onTime = (): void => {
      if (giveUp?.() === true) stop = deadline.timer(onTime, deadline.milliseconds);
      else {
        isLate = true;
        resolve(failed(deadline.error(), true));
      }
    };
    let stop = deadline.timer(onTime, deadline.milliseconds);
    work.then(
      (value) => {
        stop();
        resolve(value);
      },
      (error: unknown) => {
        stop();
        if (isLate) deadline.onLateError?.(error);
        else resolve(failed(error, false));
      },
    );
  });

/** Gives a function of the application a deadline. @param name - Names it in the error. */
export type Bound = <Input extends readonly unknown[], Result>(
  name: string,
  work: (...input: Input) => MaybePromise<Result>,
) => (...input: Input) => MaybePromise<Result>;
