import { checkStillAwaited } from '../../base/waiting.js';
import type { OAuthOccurrence } from '../events/events.js';
import type { KnownGrant } from '../tokens/tokens.js';
import type { TokenRequest } from './grant-handler.js';

/** What was used twice. */
type Replayed = Extract<OAuthOccurrence, { type: 'replay.detected' }>['kind'];

/**
 * Revokes a grant whose code or refresh token was used twice: one of its two holders is a thief (RFC 6749 §4.1.2, RFC 9700 §4.14.2). This is
 * the only place where a replay ends a grant. Only a client that still waits for its response proves anything: an abandoned request may be an
 * older attempt of the honest client, read late from its connection.
 *
 * @throws UnavailableError if the client does not wait; nothing ends then.
 */
export const endAsReplay = async (
  kind: Replayed,
  grant: KnownGrant,
  { request, client: { client_id }, context }: TokenRequest,
): Promise<void> => {
  await checkStillAwaited(request, context.timer);
  context.emit?.({ type: 'replay.detected', kind, client_id, grant_id: grant.id });
  await context.tokens.revokeGrant(grant, { reason: 'replay' }, context.emit);
};
