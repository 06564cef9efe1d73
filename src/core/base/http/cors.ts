import type { HttpRequest, HttpResponse } from './messages.js';

/** For public documents, which any origin may read. */
export const ANY_ORIGIN = { 'access-control-allow-origin': '*' } as const;

/** Headers that scripts of other origins may send to endpoints, if a preflight names none. */
const USUAL_HEADERS = 'authorization, content-type';

/** Headers that scripts of other origins must read if tokens are bound to keys (RFC 9449 §8). */
export const PROOF_RESPONSE_HEADERS = 'dpop-nonce, www-authenticate';

/** Public documents may be read with any header. `*` leaves out one, which must be named (Fetch, CORS protocol and HTTP caches). */
export const DOCUMENT_HEADERS = '*, authorization';

const MAX_LENGTH = 1024;
/** A list of names (RFC 9110 §5.1). */
const NAMES = /^[!#$%&'*+.^`|~\w-]+(?:[ \t]*,[ \t]*[!#$%&'*+.^`|~\w-]+)*$/;

/**
 * The headers that a script of an allowed origin may send: those that its browser names, because libraries add their own and tracing adds others. An endpoint ignores
 * what it does not read.
 */
export const headersFor = (request: HttpRequest, bindsTokens: boolean): string => {
  const names = request.header('access-control-request-headers') ?? '';
  if (names.length <= MAX_LENGTH && NAMES.test(names)) return names;
  return bindsTokens ? `${USUAL_HEADERS}, dpop` : USUAL_HEADERS;
};

/**
 * The response to a preflight request.
 *
 * @param headers - Headers of every response to this origin.
 * @param methods - Separated by commas, as is `allowed`, the headers that may be sent.
 */
export const preflight = (
  headers: Readonly<Record<string, string>>,
  methods: string,
  allowed: string,
): HttpResponse => ({
  status: 204,
  headers: {
    ...headers,
    'access-control-allow-methods': methods,
    'access-control-allow-headers': allowed,
    'access-control-max-age': '600',
  },
  body: '',
});
