/** A handler did not answer in time. */
export class DeadlinePassed extends Error {
  override readonly name = 'DeadlinePassed';
}

/** Why a signal is aborted when all went well. */
const ANSWERED = new Error('The request has been answered.');

/** The time that the handlers of one request have together. The clock starts when the first of them has to be waited for. */
export class Deadline {
  readonly #milliseconds: number;
  #controller: AbortController | undefined;
  #timer: NodeJS.Timeout | undefined;
  #passed: Promise<never> | undefined;
  #over: DeadlinePassed | undefined;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
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
  async within<T>(promise: PromiseLike<T>): Promise<T> {
    this.#passed ??= this.#start();
    return Promise.race([promise, this.#passed]);
  }

  /** Ends the waiting: whoever still works learns from the signal that nobody listens any more. */
  end(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#controller?.abort(ANSWERED);
  }

  #start(): Promise<never> {
    const passed = new Promise<never>((_resolve, reject) => {
      this.#timer = setTimeout(() => {
        this.#over = new DeadlinePassed('The deadline has passed.');
        this.#controller?.abort(this.#over);
        reject(this.#over);
      }, this.#milliseconds);
    });
    // Nobody may be waiting when the time is over.
    passed.catch(() => {});
    return passed;
  }
}
