import { type ApiRequest, encode, methodOf, toPairs } from './request.js';

/** A request with its response. */
export interface Exchange {
  readonly request: ApiRequest;
  readonly status: number;
  readonly statusText: string;
  readonly milliseconds: number;
  /** The length of the body in bytes. */
  readonly size: number;
  readonly body: string;
  /** The parsed body; `undefined` if it is not JSON. */
  readonly answer: unknown;
}

const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
};

/**
 * Sends a request and waits for the complete response.
 *
 * @throws TypeError if the server cannot be reached, and the reason of the signal if it is aborted.
 */
export const send = async (request: ApiRequest, token: string | undefined, signal: AbortSignal): Promise<Exchange> => {
  const query = encode(toPairs(request.values));
  const get = methodOf(request) === 'GET';
  const begun = performance.now();
  const response = await fetch(get ? `${request.endpoint}?${query}` : request.endpoint, {
    method: get ? 'GET' : 'POST',
    headers: {
      accept: 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(get ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    ...(get ? {} : { body: query }),
    signal,
  });
  const body = await response.text();
  return {
    request,
    status: response.status,
    statusText: response.statusText,
    milliseconds: performance.now() - begun,
    size: new TextEncoder().encode(body).length,
    body,
    answer: parsed(body),
  };
};
