import { RateLimit } from '../../core/base/limits/rate-limit.js';
import { limitAt, sourceOf } from '../../core/base/limits/source.js';
import type { Clock } from '../../core/base/ports.js';
import { UnusableClientError } from '../../core/oauth/clients/own-registry.js';

/** Concurrent fetches: in total, per source of requests, and per host. */
const AT_ONCE = 32;
const AT_ONCE_PER_SOURCE = 4;
const AT_ONCE_PER_HOST = 4;

/** Fetches one source may cause per minute. */
const PER_MINUTE = 60;
const MINUTE = 60;

const busy = (): UnusableClientError =>
  new UnusableClientError('unavailable', 'Too many client documents are being fetched already.', 2);

/** Counts names; a name with a count of zero takes no space. */
class Tally {
  readonly #counts = new Map<string, number>();

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  add(name: string, change: 1 | -1): void {
    const count = this.of(name) + change;
    if (count === 0) this.#counts.delete(name);
    else this.#counts.set(name, count);
  }
}

/** Limits the outgoing requests that unknown callers can cause: a `client_id` can be any URL. */
export class FetchBounds {
  readonly #rate: RateLimit;
  readonly #sources = new Tally();
  readonly #hosts = new Tally();
  #underWay = 0;

  constructor(clock: Clock) {
    this.#rate = new RateLimit(clock, PER_MINUTE, MINUTE);
  }

  /**
   * Does the work if the limits allow it, without a queue: the caller can retry.
   *
   * @param ip - The caller's address.
   * @param host - The host to be contacted.
   * @throws UnusableClientError if a limit is reached.
   */
  async run<T>(ip: string, host: string, work: () => Promise<T>): Promise<T> {
    const source = sourceOf(ip);
    const isFull =
      this.#underWay >= AT_ONCE ||
      this.#sources.of(source) >= limitAt(ip, AT_ONCE_PER_SOURCE) ||
      this.#hosts.of(host) >= AT_ONCE_PER_HOST;
    if (isFull) throw busy();
    const refusal = this.#rate.take(source, limitAt(ip, PER_MINUTE));
    if (refusal !== undefined)
      throw new UnusableClientError('unavailable', 'This address has caused too many fetches.', refusal.retryAfter);
    this.#count(source, host, 1);
    try {
      return await work();
    } finally {
      this.#count(source, host, -1);
    }
  }

  #count(source: string, host: string, change: 1 | -1): void {
    this.#underWay += change;
    this.#sources.add(source, change);
    this.#hosts.add(host, change);
  }
}
