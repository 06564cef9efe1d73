import { UnavailableError } from '../../base/errors.js';
import { checkStillAwaited } from '../../base/waiting.js';
import type { OAuthOccurrence } from '../events/events.js';
import type { KnownGrant } from '../tokens/tokens.js';
import type { TokenRequest } from './grant-handler.js';

/** What was used twice. */
type Replayed = Extract<OAuthOccurrence, { type: 'replay.detected' }>['kind'];

/** Milliseconds in which all that waited is read, in addition to the time that a request has. */
const READING = 1000;

/**
 * Revokes a grant whose code or refresh token was used twice: one of its two holders is a thief (RFC 6749 §4.1.2, RFC 9700 §4.14.2). This is
 * the only place where a replay ends a grant. Only a client that still waits for its response proves anything: an abandoned request may be an
 * older attempt of the honest client, read late from its connection.
 *
 * @throws UnavailableError if the client does not wait, or if the process stood still, so that it cannot be known; nothing ends then.
 */
export const endAsReplay = async (
  kind: Replayed,
  grant: KnownGrant,
  { request, client: { client_id }, context }: TokenRequest,
): Promise<void> => {
  await checkStillAwaited(request, context.timer);
  if (context.standstills.excuses(grant.id, context.config.timeout + READING))
    throw new UnavailableError(
      'The process stood still. A code or a refresh token that was used before ended nothing, because its client may have given up meanwhile.',
    );
  context.emit?.({ type: 'replay.detected', kind, client_id, grant_id: grant.id });
  await context.tokens.revokeGrant(grant, { reason: 'replay' }, context.emit);
};
