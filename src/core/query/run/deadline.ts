import { UnavailableError } from '../../base/errors.js';
import type { Timer } from '../../base/ports.js';

/** A handler did not answer in time. */
export class DeadlinePassed extends UnavailableError {}

/** Why a signal is aborted when all went well. */
const ANSWERED = new Error('The request has been answered.');

/** The time that the handlers of one request have together. The clock starts when the first of them has to be waited for. */
export class Deadline {
  readonly #milliseconds: number;
  readonly #timer: Timer;
  #controller: AbortController | undefined;
  #stop: (() => void) | undefined;
  #passed: Promise<never> | undefined;
  #over: DeadlinePassed | undefined;

  constructor(milliseconds: number, timer: Timer) {
    this.#milliseconds = milliseconds;
    this.#timer = timer;
  }

  /** Aborted when the time is over, and when the request has been answered. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      // Made only for those who look at it: most handlers never do, and it is dearer than all the rest of this class.
      this.#controller = new AbortController();
      if (this.#over) this.#controller.abort(this.#over);
    }
    return this.#controller.signal;
  }

  /** The promise's value, or `DeadlinePassed` if it takes too long. */
  async waitFor<T>(promise: PromiseLike<T>): Promise<T> {
    this.#passed ??= this.#start();
    return Promise.race([promise, this.#passed]);
  }

  /** Ends the waiting: the signal tells running handlers that their results are no longer needed. */
  end(): void {
    this.#stop?.();
    this.#controller?.abort(ANSWERED);
  }

  #start(): Promise<never> {
    const passed = new Promise<never>((_resolve, reject) => {
      this.#stop = this.#timer(() => {
        this.#over = new DeadlinePassed(
          `The handlers of a query gave no answer within ${this.#milliseconds} ms (options.timeouts.handlers).`,
        );
        this.#controller?.abort(this.#over);
        reject(this.#over);
      }, this.#milliseconds);
    });
    // No caller may be waiting when the time is over.
    passed.catch(() => {});
    return passed;
  }
}
