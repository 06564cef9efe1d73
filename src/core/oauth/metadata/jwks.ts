import { tagged } from '../../base/http/etag.js';
import { publicJson } from '../../base/http/responses.js';
import type { Answer } from '../kernel/server-endpoint.js';
import type { Jwk } from '../keys/jwk.js';

/** In seconds: a new key must be published for longer than this before it signs. */
const MAX_AGE = 300;

/** The keys of access tokens. */
export interface PublishedKeys {
  jwks(): Promise<{ readonly keys: readonly Jwk[] }>;
}

interface KeyServices {
  /** The keys that sign JWTs, if access tokens are JWTs. */
  readonly keyRing: PublishedKeys | undefined;
  readonly hooks: { readonly publicKeys?: (() => Promise<readonly Jwk[]>) | undefined };
}

/**
 * Serves the public keys of access tokens, and of features. A key that both use is listed once.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc7517#section-5 | RFC 7517 §5}
 */
export const jwks =
  ({ keyRing, hooks }: KeyServices): Answer =>
  async ({ request }) => {
    const [own, others] = await Promise.all([keyRing?.jwks(), hooks.publicKeys?.()]);
    const keys = new Map([...(own?.keys ?? []), ...(others ?? [])].map((key) => [key['kid'], key]));
    const answer = publicJson({ keys: [...keys.values()] }, MAX_AGE);
    return hooks.publicKeys === undefined ? answer : tagged(request, answer);
  };
