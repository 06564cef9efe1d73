import { type Client, isValidStill } from '../clients/client.js';
import type { OAuthContext } from '../context.js';
import type { Grant } from '../tokens/tokens.js';

/**
 * Whether a grant is still allowed: the owner may have been disabled or have withdrawn consent (RFC 6749 §10.4), and
 * the client's tokens may have been invalidated.
 */
export const isStillAllowed = async (
  { id: grant_id, client_id, sub, scope, iat }: Grant,
  client: Client,
  { config, validateGrant }: OAuthContext,
): Promise<boolean> =>
  isValidStill(client, iat) &&
  (await (config.users?.isActive?.(sub) ?? true)) &&
  validateGrant({ grant_id, client_id, sub, scope });
