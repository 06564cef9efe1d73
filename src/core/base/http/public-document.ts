import { methodNotAllowed } from '../errors.js';
import { ANY_ORIGIN, DOCUMENT_HEADERS, preflight } from './cors.js';
import type { HttpRequest, HttpResponse, Route } from './messages.js';
import { oauthErrorResponse, publicJson } from './responses.js';

/** In seconds: long enough to save requests, short enough for configuration changes to show. */
const MAX_AGE = 300;

const METHODS = 'GET, HEAD';

const readable = (response: HttpResponse): HttpResponse => ({
  ...response,
  headers: { ...response.headers, ...ANY_ORIGIN },
});

/**
 * Serves a JSON document that is the same for all callers and readable by every origin. It is created on the first request.
 *
 * @param answer - The response to a request, made of the document; default: the document itself.
 */
export const publicDocument = (
  path: string,
  create: () => object,
  answer: (request: HttpRequest, document: HttpResponse) => HttpResponse = (_request, document) => document,
): Route => {
  let document: HttpResponse | undefined;
  const refusal = readable(oauthErrorResponse(methodNotAllowed(METHODS)));
  return {
    path,
    handle: async (request) => {
      const { method } = request;
      if (method === 'OPTIONS') return preflight(ANY_ORIGIN, METHODS, DOCUMENT_HEADERS);
      if (method !== 'GET' && method !== 'HEAD') return refusal;
      return answer(request, (document ??= readable(publicJson(create(), MAX_AGE))));
    },
  };
};
