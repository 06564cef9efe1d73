import { UnavailableError } from '../../base/errors.js';
import type { Timer } from '../../base/ports.js';

/** A handler did not return in time. */
export class DeadlinePassed extends UnavailableError {}

/** The abort reason after a successful request. */
const ANSWERED = new Error('The request has been answered.');

/** The deadline of all handlers of a request together. The time starts with the first asynchronous handler. */
export class HandlerDeadline {
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

  /** Aborted at the deadline, and after the response. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      // Created on demand: most handlers never use it, and it is more expensive than the rest of this class.
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

  /** Stops the timer, and aborts the signal for handlers that are still running. */
  end(): void {
    this.#stop?.();
    this.#controller?.abort(ANSWERED);
  }

  #start(): Promise<never> {
    const passed = new Promise<never>((_resolve, reject) => {
      this.#stop = this.#timer(() => {
        this.#over = new DeadlinePassed(
          `The handlers of a query did not return within ${this.#milliseconds} ms (query: options.timeout).`,
        );
        this.#controller?.abort(this.#over);
        reject(this.#over);
      }, this.#milliseconds);
    });
    // The deadline may pass while no handler is awaited.
    passed.catch(() => {});
    return passed;
  }
}
