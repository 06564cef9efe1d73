import type { HttpResponse } from './messages.js';

/** For public documents, which any origin may read. */
export const ANY_ORIGIN = { 'access-control-allow-origin': '*' } as const;

/** Headers that scripts of other origins may send to endpoints. */
export const USUAL_HEADERS = 'authorization, content-type';

/** Headers that scripts of other origins must read if tokens are bound to keys (RFC 9449 §8). */
export const PROOF_RESPONSE_HEADERS = 'dpop-nonce, www-authenticate';

/** MCP clients also send their protocol version when they read public documents. */
export const DOCUMENT_HEADERS = `${USUAL_HEADERS}, mcp-protocol-version`;

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
