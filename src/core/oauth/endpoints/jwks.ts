import type { HttpRequest, HttpResponse } from '../../base/http/messages.js';
import { publicJson } from '../../base/http/responses.js';
import type { OAuthContext } from '../context.js';

/** In seconds: a new key must be published for longer than this before it signs. */
const MAX_AGE = 300;

/**
 * Serves the public keys of access tokens.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc7517#section-5 | RFC 7517 §5}
 */
export const jwks = async (_request: HttpRequest, { keyRing }: OAuthContext): Promise<HttpResponse> =>
  publicJson((await keyRing?.jwks()) ?? { keys: [] }, MAX_AGE);
