import type { Timer } from './ports.js';
import { monotonic, systemTimer } from './system.js';

const BEAT = 1000;
/** Milliseconds between two beats from which a process stood still. One that is only busy is never so late. */
const STILL = 5000;
/** An excuse counts for one standstill, except one long after the other: a machine may stop again and again. Milliseconds. */
const FORGOTTEN = 600_000;
const MAX_EXCUSED = 10_000;

interface Excuse {
  readonly standstill: number;
  readonly at: number;
}

/**
 * Notices that the process stood still since the server began, because it was stopped or worked without a pause. What the server reads then
 * may be from clients that gave up long ago and repeated their requests elsewhere, although their connections are open.
 *
 * It beats until it is garbage, and does not keep the process running. Requests cost nothing.
 */
export class Standstills {
  readonly #now: () => number;
  #beat: number;
  #count = 0;
  #ended = Number.NEGATIVE_INFINITY;
  readonly #excused = new Map<string, Excuse>();

  /**
   * @param timer - Of the system, whatever the options say: it is about the process itself.
   * @param now - Monotonic milliseconds.
   */
  constructor(timer: Timer = systemTimer, now: () => number = monotonic) {
    this.#now = now;
    this.#beat = now();
    beat(new WeakRef(this), timer);
  }

  /** After a standstill, connections may be read before the timer runs. */
  look(): void {
    const now = this.#now();
    if (now - this.#beat >= STILL) {
      this.#count += 1;
      this.#ended = now;
    }
    this.#beat = now;
  }

  /**
   * Whether a use of this thing proves nothing, because the process stood still less than this many milliseconds ago. The second standstill in ten minutes excuses it no more:
   * a platform may stop a process whenever it has no request, and a client that waits must be judged there, too.
   */
  excuses(thing: string, within: number): boolean {
    this.look();
    const at = this.#now();
    if (at - this.#ended >= within) return false;
    const before = this.#excused.get(thing);
    if (before !== undefined && before.standstill !== this.#count && at - before.at < FORGOTTEN) return false;
    this.#excused.delete(thing);
    if (this.#excused.size >= MAX_EXCUSED) this.#excused.clear();
    this.#excused.set(thing, { standstill: this.#count, at });
    return true;
  }
}

const beat = (watched: WeakRef<Standstills>, timer: Timer): void => {
  timer(() => {
    const standstills = watched.deref();
    if (standstills === undefined) return;
    standstills.look();
    beat(watched, timer);
  }, BEAT);
};
