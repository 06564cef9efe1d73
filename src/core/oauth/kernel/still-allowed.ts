import { OAuthError } from '../../base/errors.js';
import type { MaybePromise } from '../../base/ports.js';
import { formatScope } from '../../base/scope.js';
import { type Client, isValidStill } from '../clients/client.js';
import type { GrantInfo } from '../facts/settings.js';
import type { Grant } from '../tokens/grant.js';

/** What decides whether a grant is still allowed. */
export interface StillAllowedServices {
  readonly users: { isActive?(sub: string): MaybePromise<boolean> } | undefined;
  validateGrant(grant: GrantInfo): MaybePromise<boolean>;
}

/**
 * Whether a grant is still allowed: the owner may have been disabled or have withdrawn consent (RFC 6749 §10.4), and
 * the client's tokens may have been invalidated.
 */
export const isStillAllowed = (
  grant: Grant,
  client: Client,
  { users, validateGrant }: StillAllowedServices,
): MaybePromise<boolean> => {
  if (!isValidStill(client, grant)) return false;
  const { id: grant_id, client_id, sub, scope } = grant;
  const info = { grant_id, client_id, sub, scope };
  const active = users?.isActive?.(sub) ?? true;
  return active instanceof Promise ? active.then((is) => is && validateGrant(info)) : active && validateGrant(info);
};

/**
 * The scope of an access token: what was granted, or a part of it, without the scopes that the client may no longer have.
 *
 * @throws OAuthError `invalid_grant` if nothing is left.
 */
export const scopeStillAllowed = (granted: readonly string[], client: Client): string => {
  const allowed = granted.filter((scope) => client.scopes.has(scope));
  if (allowed.length === 0 && granted.length > 0)
    throw new OAuthError('invalid_grant', 'The client may no longer have this scope.');
  return formatScope(allowed);
};

/** The error for a key other than that of the code or refresh token. It ends nothing: whoever has no key proves nothing. */
export const otherKey = (): OAuthError =>
  new OAuthError('invalid_grant', 'A DPoP proof of the key that this code or refresh token is bound to is needed.');
