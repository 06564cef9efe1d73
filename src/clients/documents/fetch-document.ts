import type { MaybePromise } from '../../core/base/ports.js';
import { fetchJson } from '../../outbound/fetch-json.js';
import { type Network, publicNetwork } from '../../outbound/public-request.js';
import { documentAddressProblem } from './client-document.js';

/** Passed by `clientDocuments` to the fetch function, along with the URL. */
interface DocumentRequest {
  /** Aborted at the timeout. */
  readonly signal: AbortSignal;
  /** Sets for how many seconds the document may be cached; values are limited to between a minute and a day. */
  readonly cacheFor: (seconds: number) => void;
}

/**
 * Fetches a client's document, or its keys, as parsed JSON. `undefined` and a rejection mean that there is no usable response.
 */
export type FetchDocument = (address: string, request: DocumentRequest) => MaybePromise<unknown>;

/** A fetch function for public servers; in tests also for others. */
export const documentFetch = (replaced: Partial<Network> = {}): FetchDocument => {
  const network = publicNetwork(replaced);
  return async (address, { signal, cacheFor }) => {
    const problem = documentAddressProblem(address);
    if (problem !== undefined) throw new Error(`The URL ${problem}.`);
    const { json, seconds } = await fetchJson(new URL(address), network, signal);
    if (seconds !== undefined) cacheFor(seconds);
    return json;
  };
};

/**
 * Fetches from public servers only: https on port 443, with a resolved address that is not a special-purpose one, no redirects, status 200, and
 * JSON of at most 64 KiB, not compressed. The default of `fetch`.
 *
 * @throws Error with a sentence that says what is wrong.
 */
export const fetchClientDocument: FetchDocument = documentFetch();
