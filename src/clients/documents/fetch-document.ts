import type { IncomingMessage } from 'node:http';
import { readAtMost } from '../../core/base/http/body.js';
import { isJsonType } from '../../core/base/http/messages.js';
import type { MaybePromise } from '../../core/base/ports.js';
import { type Network, publicNetwork, publicRequest } from '../../outbound/public-request.js';
import { documentAddressProblem } from './client-document.js';

/** Passed by `clientDocuments` to the fetch function, along with the URL. */
export interface DocumentRequest {
  /** Aborted at the timeout. */
  readonly signal: AbortSignal;
  /** Sets for how many seconds the document may be cached; values are limited to between a minute and a day. */
  readonly cacheFor: (seconds: number) => void;
}

/**
 * Fetches a client's document, or its keys, as parsed JSON. `undefined` and a rejection mean that there is no usable response.
 */
export type FetchDocument = (address: string, request: DocumentRequest) => MaybePromise<unknown>;

const GET = { method: 'GET', headers: { accept: 'application/json' } } as const;
const MAX_BYTES = 65_536;

const readJson = async (response: IncomingMessage): Promise<unknown> => {
  const { statusCode = 0, headers } = response;
  if (statusCode >= 300 && statusCode < 400)
    throw new Error(`It redirects (${statusCode}); redirects are not followed.`);
  if (statusCode !== 200) throw new Error(`It returns status ${statusCode} instead of 200.`);
  if (!isJsonType(headers['content-type'] ?? '')) throw new Error('Its content type is not JSON.');
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity')
    throw new Error('It is compressed although the request does not accept compression.');
  const bytes = await readAtMost(response, MAX_BYTES, () => new Error(`It is longer than ${MAX_BYTES} bytes.`));
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('It is not valid JSON.'); // The message of the parser would repeat text of a foreign server.
  }
};

/**
 * For how many seconds a response may be cached; `undefined` if it does not say.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9111#section-4.2 | RFC 9111 §4.2}
 */
export const freshSeconds = (cacheControl = '', age = ''): number | undefined => {
  const directives = cacheControl.split(',').map((directive) => directive.trim().toLowerCase());
  if (directives.some((directive) => /^no-(?:store|cache)(?:=|$)/.test(directive))) return 0;
  const [maxAge] = directives.flatMap((directive) => /^max-age="?(\d{1,10})"?$/.exec(directive)?.[1] ?? []);
  const spent = /^\s*"?(\d{1,10})"?\s*$/.exec(age)?.[1] ?? 0;
  return maxAge === undefined ? undefined : Math.max(0, Number(maxAge) - Number(spent));
};

/** A fetch function for public servers; in tests also for others. */
export const documentFetch = (replaced: Partial<Network> = {}): FetchDocument => {
  const network = publicNetwork(replaced);
  return async (address, { signal, cacheFor }) => {
    const problem = documentAddressProblem(address);
    if (problem !== undefined) throw new Error(`The URL ${problem}.`);
    const response = await publicRequest(new URL(address), GET, network, signal);
    try {
      const parsed = await readJson(response);
      const seconds = freshSeconds(response.headers['cache-control'], response.headers.age);
      if (seconds !== undefined) cacheFor(seconds);
      return parsed;
    } finally {
      response.destroy();
    }
  };
};

/**
 * Fetches from public servers only: https on port 443, with a resolved address that is not a special-purpose one, no redirects, status 200, and
 * JSON of at most 64 KiB, not compressed. The default of `fetch`.
 *
 * @throws Error with a sentence that says what is wrong.
 */
export const fetchClientDocument: FetchDocument = documentFetch();
