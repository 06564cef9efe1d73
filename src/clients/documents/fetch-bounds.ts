import { RateLimit } from '../../core/base/limits/rate-limit.js';
import { sourceOf } from '../../core/base/limits/source.js';
import { UnusableClientError } from '../../core/oauth/clients/client-finder.js';
import { type RegistryServer } from '../../core/oauth/clients/own-registry.js';

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
  readonly #limitAt: RegistryServer['limitAt'];
  readonly #running = new Set<{ readonly source: string; readonly host: string }>();

  constructor({ clock, limitAt }: Pick<RegistryServer, 'clock' | 'limitAt'>) {
    this.#limitAt = limitAt;
    this.#rate = new RateLimit(clock, PER_MINUTE, MINUTE);
  }

  /**
   * Admits a fetch if the limits allow it, without a queue: the caller can retry.
   *
   * @param ip - The caller's address.
   * @param host - The host to be contacted.
   * @returns to be called at the end of the fetch.
   * @throws UnusableClientError if a limit is reached.
   */
  begin(ip: string, host: string): () => void {
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
    return () => void this.#running.delete(one);
  }
}
