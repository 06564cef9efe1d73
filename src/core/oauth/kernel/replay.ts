import { UnavailableError } from '../../base/errors.js';
import type { Timer } from '../../base/ports.js';
import type { Standstills } from '../../base/standstill.js';
import { checkStillAwaited } from '../../base/waiting.js';
import type { Emit, OAuthOccurrence } from '../events/events.js';
import type { KnownGrant, RevocationReason } from '../tokens/grant.js';
import type { TokenRequest } from './grant-handler.js';

/** What was used twice. */
type Replayed = Extract<OAuthOccurrence, { type: 'replay.detected' }>['kind'];

/** Milliseconds in which all that waited is read, in addition to the time that a request has. */
const READING = 1000;

/** What ends the grant of a thief. */
export interface ReplayServices {
  readonly timer: Timer;
  readonly standstills: Standstills;
  /** Milliseconds that a request may take. */
  readonly timeout: number;
  readonly tokens: {
    revokeGrant(grant: KnownGrant, why: RevocationReason, emit: Emit | undefined): Promise<void>;
  };
}

/**
 * Revokes a grant whose code or refresh token was used twice: one of its two holders is a thief (RFC 6749 §4.1.2, RFC 9700 §4.14.2). This is
 * the only place where a replay ends a grant. Only a client that still waits for its response proves anything: an abandoned request may be an
 * older attempt of the honest client, read late from its connection.
 *
 * @throws UnavailableError if the client does not wait, or if the process stood still, so that it cannot be known; nothing ends then.
 */
export type EndAsReplay = (kind: Replayed, grant: KnownGrant, request: TokenRequest) => Promise<void>;

export const replayEnding =
  ({ timer, standstills, timeout, tokens }: ReplayServices): EndAsReplay =>
  async (kind, grant, { request, emit, client: { client_id } }) => {
    await checkStillAwaited(request, timer);
    if (standstills.excuses(grant.id, timeout + READING))
      throw new UnavailableError(
        'The process stood still. A code or a refresh token that was used before ended nothing, because its client may have given up meanwhile.',
      );
    emit?.({ type: 'replay.detected', kind, client_id, grant_id: grant.id });
    await tokens.revokeGrant(grant, { reason: 'replay' }, emit);
  };
