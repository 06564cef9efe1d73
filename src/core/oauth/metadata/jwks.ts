import { tagged } from '../../base/http/etag.js';
import type { HttpRequest, HttpResponse } from '../../base/http/messages.js';
import { publicJson } from '../../base/http/responses.js';
import type { OAuthContext } from '../kernel/context.js';

/** In seconds: a new key must be published for longer than this before it signs. */
const MAX_AGE = 300;

/**
 * Serves the public keys of access tokens, and of features. A key that both use is listed once.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc7517#section-5 | RFC 7517 §5}
 */
export const jwks = async (request: HttpRequest, { keyRing, hooks }: OAuthContext): Promise<HttpResponse> => {
  const [own, others] = await Promise.all([keyRing?.jwks(), hooks.publicKeys?.()]);
  const keys = new Map([...(own?.keys ?? []), ...(others ?? [])].map((key) => [key['kid'], key]));
  const answer = publicJson({ keys: [...keys.values()] }, MAX_AGE);
  return hooks.publicKeys === undefined ? answer : tagged(request, answer);
};
