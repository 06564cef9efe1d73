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
 * Notices that the process stood still, because it was stopped or worked without a pause. What it reads then may be from clients that gave up
 * long ago and repeated their requests elsewhere, although their connections are open.
 *
 * It beats while a server exists that it watches for, and does not keep the process running. Requests cost nothing.
 */
export class Standstills {
  readonly #timer: Timer;
  readonly #now: () => number;
  #servers: readonly WeakRef<object>[] = [];
  readonly #began = new WeakMap<object, number>();
  #beat = 0;
  #count = 0;
  #ended = Number.NEGATIVE_INFINITY;
  readonly #excused = new Map<string, Excuse>();

  /** @param now - Monotonic milliseconds. */
  constructor(timer: Timer, now: () => number) {
    this.#timer = timer;
    this.#now = now;
  }

  /** Watches until this server is garbage. */
  watchFor(server: object): void {
    this.#look();
    this.#began.set(server, this.#now());
    const isBeating = this.#servers.length > 0;
    this.#servers = [...this.#servers, new WeakRef(server)];
    if (isBeating) return;
    this.#beat = this.#now();
    this.#wait();
  }

  #wait(): void {
    this.#timer(() => {
      this.#look();
      this.#beat = this.#now();
      this.#servers = this.#servers.filter((server) => server.deref() !== undefined);
      if (this.#servers.length > 0) this.#wait();
    }, BEAT);
  }

  /** After a standstill, connections may be read before the timer runs. */
  #look(): void {
    const now = this.#now();
    if (this.#servers.length === 0 || now - this.#beat < STILL) return;
    this.#count += 1;
    this.#beat = now;
    this.#ended = now;
  }

  /**
   * Whether a use of this thing proves nothing, because this server stood still less than this many milliseconds ago. The second standstill in ten minutes excuses it no more:
   * a platform may stop a process whenever it has no request, and a client that waits must be judged there, too.
   */
  excuses(server: object, thing: string, within: number): boolean {
    this.#look();
    const at = this.#now();
    const began = this.#began.get(server) ?? at;
    if (this.#ended <= began || at - this.#ended >= within) return false;
    const before = this.#excused.get(thing);
    if (before !== undefined && before.standstill !== this.#count && at - before.at < FORGOTTEN) return false;
    this.#excused.delete(thing);
    if (this.#excused.size >= MAX_EXCUSED) this.#excused.clear();
    this.#excused.set(thing, { standstill: this.#count, at });
    return true;
  }
}

/** Those of this process: all its servers share them. */
export const standstills = new Standstills(systemTimer, monotonic);
