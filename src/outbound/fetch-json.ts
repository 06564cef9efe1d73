import type { IncomingMessage } from 'node:http';
import { readAtMost } from '../core/base/http/body.js';
import { isJsonType } from '../core/base/http/messages.js';
import { type Network, publicRequest } from './public-request.js';

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

/** A document, and for how many seconds it may be cached, if its server says so. */
export interface FetchedJson {
  readonly json: unknown;
  readonly seconds: number | undefined;
}

/**
 * Fetches a document from a server whose address is checked first: no redirects, status 200, and JSON of at most 64 KiB, not compressed.
 *
 * @throws Error with a sentence that says what is wrong.
 */
export const fetchJson = async (url: URL, network: Network, signal: AbortSignal): Promise<FetchedJson> => {
  const response = await publicRequest(url, GET, network, signal);
  try {
    const json = await readJson(response);
    return { json, seconds: freshSeconds(response.headers['cache-control'], response.headers.age) };
  } finally {
    response.destroy();
  }
};
