import { UnavailableError } from '../../base/errors.js';
import type { ExpiringRecord, Shape } from '../../base/records.js';
import { forgetConsent } from '../authorization/remembered-consent.js';
import type { OAuthContext } from '../context.js';
import { GRANT, grantIdInKey, groups, REMEMBERED_CONSENT } from '../stored-records.js';
import { pagesOf } from './pages-of.js';
import type { RevocationReason } from '../tokens/tokens.js';

/** Selects the grants of an owner, of a client, or of an owner for a client. */
export interface GrantsToEnd {
  readonly sub?: string;
  readonly client_id?: string;
}

/** What was revoked. */
export interface EndedGrants {
  /** The number of grants, with everything issued under them. */
  readonly grants: number;
  /** The number of remembered approvals; those of one owner for one client are not counted. */
  readonly consents: number;
}

/** Each further pass only finds what was granted during the previous one. */
const MAX_PASSES = 20;

/**
 * Revokes grants, and forgets the remembered approvals that belong to them.
 *
 * Approvals come first. An approval without a question first grants and then checks whether it is still remembered; one with a
 * question first remembers and then checks whether its grant still exists. So whatever is in progress either ends
 * itself or is found, at the latest by the next pass; the last pass finds nothing.
 */
export const endGrants = async (
  of: GrantsToEnd,
  why: RevocationReason,
  context: OAuthContext,
): Promise<EndedGrants> => {
  const { sub, client_id } = of;
  let grants = 0;
  let consents = 0;
  for (let round = 0; round < MAX_PASSES; round += 1) {
    consents += await forgetConsents(of, context);
    const inRound = await endEach(
      sub === undefined ? groups.grantsOfClient(client_id ?? '') : groups.grantsOfOwner(sub),
      GRANT,
      async (key, grant) => {
        if (client_id !== undefined && grant.client_id !== client_id) return false;
        await context.tokens.revokeGrant({ id: grantIdInKey(key), ...grant }, why);
        return true;
      },
      context,
    );
    if (inRound === 0) return { grants, consents };
    grants += inRound;
  }
  throw new UnavailableError('Grants are created faster than they can be revoked. Call revoke again.');
};

const forgetConsents = async ({ sub, client_id }: GrantsToEnd, context: OAuthContext): Promise<number> => {
  if (sub !== undefined && client_id !== undefined) {
    await forgetConsent(sub, client_id, context);
    return 0;
  }
  return endEach(
    sub === undefined ? groups.consentsOfClient(client_id ?? '') : groups.consentsOfOwner(sub),
    REMEMBERED_CONSENT,
    async (key) => {
      await context.records.delete(key);
      return true;
    },
    context,
  );
};

/** Iterates over a group. @returns how many of its live records were revoked. */
const endEach = async <T extends ExpiringRecord>(
  group: string,
  shape: Shape<T>,
  end: (key: string, record: T) => Promise<boolean>,
  context: OAuthContext,
): Promise<number> => {
  let ended = 0;
  for await (const page of pagesOf(group, shape, context)) {
    const endings = await Promise.all(page.map(([key, record]) => end(key, record)));
    ended += endings.filter(Boolean).length;
  }
  return ended;
};
