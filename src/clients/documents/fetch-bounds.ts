import { RateLimit } from '../../core/base/limits/rate-limit.js';
import { type LimitAt, sourceOf } from '../../core/base/limits/source.js';
import type { Clock } from '../../core/base/ports.js';
import { UnusableClientError } from '../../core/oauth/clients/own-registry.js';

/** Concurrent fetches: in total, per source of requests, and per host. */
const AT_ONCE = 32;
const AT_ONCE_PER_SOURCE = 4;
const AT_ONCE_PER_HOST = 4;

/** Fetches one source may cause per minute. */
const PER_MINUTE = 60;
const MINUTE = 60;

/** Limits the outgoing requests that unknown callers can cause: a `client_id` can be any URL. */
export class FetchBounds {
  readonly #rate: RateLimit;
  readonly #limitAt: LimitAt;
  readonly #running = new Set<{ readonly source: string; readonly host: string }>();

  constructor({ clock, limitAt }: { readonly clock: Clock; readonly limitAt: LimitAt }) {
    this.#limitAt = limitAt;
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
    const running = [...this.#running];
    const isFull =
      running.length >= AT_ONCE ||
      running.filter((one) => one.source === source).length >= this.#limitAt(ip, AT_ONCE_PER_SOURCE) ||
      running.filter((one) => one.host === host).length >= AT_ONCE_PER_HOST;
    if (isFull) throw new UnusableClientError('unavailable', 'Too many client documents are being fetched already.', 2);
    const refusal = this.#rate.take(source, this.#limitAt(ip, PER_MINUTE));
    if (refusal !== undefined)
      throw new UnusableClientError('unavailable', 'This address has caused too many fetches.', refusal.retryAfter);
    const one = { source, host };
    this.#running.add(one);
    try {
      return await work();
    } finally {
      this.#running.delete(one);
    }
  }
}
