/** Processor time of one request. A database call cannot be interrupted, so work that may take long is done in steps. */
export class SearchBudget {
  readonly #start = process.cpuUsage();
  readonly #most: number;

  /** @param most - In milliseconds. */
  constructor(most: number) {
    this.#most = most;
  }

  /** The milliseconds since it was created. */
  get spent(): number {
    const { user, system } = process.cpuUsage(this.#start);
    return (user + system) / 1000;
  }

  /** Whether a share of it is spent. */
  isSpent(share = 1): boolean {
    return this.spent >= this.#most * share;
  }
}
