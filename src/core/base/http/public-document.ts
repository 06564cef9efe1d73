import { methodNotAllowed } from '../errors.js';
import { sha256 } from '../secrets.js';
import { ANY_ORIGIN, DOCUMENT_HEADERS, preflight } from './cors.js';
import { unlessKnown } from './etag.js';
import type { HttpResponse, Route } from './messages.js';
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
 * @param path - Below the mount point.
 * @param isTagged - Whether it has an `etag`, so that callers who have it are told so: for a large document.
 */
export const publicDocument = (path: string, create: () => object, isTagged = false): Route => {
  let document: HttpResponse | undefined;
  const complete = (): HttpResponse => {
    const { headers, ...rest } = readable(publicJson(create(), MAX_AGE));
    const etag = isTagged ? { etag: `"${sha256(rest.body).slice(0, 22)}"` } : {};
    return { ...rest, headers: { ...headers, ...etag } };
  };
  const refusal = readable(oauthErrorResponse(methodNotAllowed(METHODS)));
  return {
    path,
    handle: async (request) => {
      const { method } = request;
      if (method === 'OPTIONS') return preflight(ANY_ORIGIN, METHODS, DOCUMENT_HEADERS);
      if (method !== 'GET' && method !== 'HEAD') return refusal;
      document ??= complete();
      return isTagged ? unlessKnown(request, document) : document;
    },
  };
};
