/** The queue is full. The caller may retry after some seconds. */
export class BusyError extends Error {
  override readonly name = 'BusyError';
  readonly retryAfter = 2;

  constructor() {
    super('The queue for this work is full.');
  }
}

interface Waiting {
  readonly begin: () => void;
  readonly refuse: (error: BusyError) => void;
  readonly isWanted: () => boolean;
}

/**
 * Limits concurrent work, and lets the sources of requests take turns: a source with many waiting requests delays itself,
 * not the others.
 */
export class FairQueue {
  readonly #bounds: { readonly atOnce: number; readonly perSource: number; readonly inAll: number };
  /** Waiting sources, in the order of their turns. */
  readonly #lines = new Map<string, Waiting[]>();
  #running = 0;
  #waiting = 0;

  /** @param bounds - How much may run at once, and how much may wait, per source and in total. */
  constructor(bounds: { readonly atOnce: number; readonly perSource: number; readonly inAll: number }) {
    this.#bounds = bounds;
  }

  /**
   * Runs the work when it is this source's turn.
   *
   * @param isWanted - Checked now and at its turn, because the caller may have disconnected.
   * @param most - How much of this source may wait.
   * @throws BusyError if the queue is full, or the work is no longer wanted.
   */
  async run<T>(
    source: string,
    isWanted: () => boolean,
    work: () => Promise<T>,
    most = this.#bounds.perSource,
  ): Promise<T> {
    if (!isWanted()) throw new BusyError();
    if (this.#running < this.#bounds.atOnce) this.#running += 1;
    else await this.#turn(source, isWanted, most); // Finished work passes its slot on, so it is already counted.
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  #turn(source: string, isWanted: () => boolean, most: number): Promise<void> {
    const line = this.#lines.get(source) ?? [];
    if (line.length >= most || (this.#waiting >= this.#bounds.inAll && !this.#hasMadeRoom(line.length)))
      return Promise.reject(new BusyError());
    return new Promise((begin, refuse) => {
      line.push({ begin, refuse, isWanted });
      this.#lines.set(source, line);
      this.#waiting += 1;
    });
  }

  /** Removes the last entry of the longest line, if that line is still at least as long as the caller's will be. */
  #hasMadeRoom(length: number): boolean {
    let longest: Waiting[] = [];
    for (const line of this.#lines.values()) if (line.length > longest.length) longest = line;
    if (longest.length <= length + 1) return false;
    longest.pop()?.refuse(new BusyError());
    this.#waiting -= 1;
    return true;
  }

  #next(): void {
    for (const [source, line] of this.#lines) {
      const first = line.shift();
      this.#waiting -= 1;
      this.#lines.delete(source);
      if (line.length > 0) this.#lines.set(source, line); // To the end of the rotation.
      if (first?.isWanted() === true) return first.begin();
      first?.refuse(new BusyError());
    }
    this.#running -= 1;
  }
}
