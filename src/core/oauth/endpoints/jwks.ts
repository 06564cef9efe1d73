import type { HttpRequest, HttpResponse } from '../../http.js';
import { publicJson } from '../../responses.js';
import type { OAuthContext } from '../context.js';

/** Seconds: a new key must be published for longer before it signs. */
const MAX_AGE = 300;

/**
 * The public keys that access tokens are signed with.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc7517#section-5 | RFC 7517 §5}
 */
export const jwks = async (_request: HttpRequest, { keyRing }: OAuthContext): Promise<HttpResponse> =>
  publicJson((await keyRing?.jwks()) ?? { keys: [] }, MAX_AGE);
