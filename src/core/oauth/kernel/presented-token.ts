import { admit, type Admitted, type GuardRequirement } from '../../base/http/bearer.js';
import { provenAtResource, type WithProof } from '../../base/possession.js';
import { ownAuthorization } from '../tokens/token-authorization.js';
import type { LiveToken } from '../tokens/tokens.js';
import { tellProof } from './bound-tokens.js';
import type { OAuthContext } from './context.js';

/** A token of this server that may pass. */
export interface AdmittedToken extends Admitted {
  readonly live: LiveToken;
}

/**
 * The decision about a token of this server, with the proof of its key.
 *
 * @throws BearerError, or OAuthError with the status 429
 */
export const admitPresented = async (
  presented: WithProof,
  requirement: GuardRequirement,
  iss: string,
  context: OAuthContext,
): Promise<AdmittedToken> => {
  const live = await context.tokens.find(presented.token);
  const found = ownAuthorization(live, iss);
  const { proofs } = context;
  const proven =
    proofs && (await provenAtResource(found, presented, requirement, proofs, tellProof(context, live?.client_id)));
  const authorization = admit(found, requirement, { isProven: proven !== undefined, now: context.clock() });
  // An authorization is only made of a live token.
  return { authorization, live: live as LiveToken, headers: proven?.headers };
};
