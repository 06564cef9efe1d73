import type { Authorization } from '../../base/authorization.js';
import { admit, type Admitted, type GuardRequirement } from '../../base/http/bearer.js';
import type { ProofChecker } from '../../base/key-proofs.js';
import type { Clock } from '../../base/ports.js';
import { provenAtResource, type WithProof } from '../../base/possession.js';
import type { Emit } from '../events/events.js';
import type { LiveToken } from '../tokens/grant.js';
import { ownAuthorization } from '../tokens/token-authorization.js';
import { tellProof } from './bound-tokens.js';

/** What the decision about a token needs. */
interface AdmissionServices {
  readonly tokens: { find(token: string): Promise<LiveToken | undefined> };
  readonly proofs: ProofChecker | undefined;
  /** What features check of a token that would pass. */
  readonly checkToken: ((authorization: Authorization) => Promise<void>) | undefined;
  readonly clock: Clock;
  readonly emit: Emit | undefined;
}

/** A token of this server that may pass. */
interface AdmittedToken extends Admitted {
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
  context: AdmissionServices,
): Promise<AdmittedToken> => {
  const live = await context.tokens.find(presented.token);
  const found = ownAuthorization(live, iss);
  const { proofs } = context;
  const proven =
    proofs && (await provenAtResource(found, presented, requirement, proofs, tellProof(context, live?.client_id)));
  const authorization = admit(found, requirement, { isProven: proven !== undefined, now: context.clock() });
  await context.checkToken?.(authorization);
  // An authorization is only made of a live token.
  return { authorization, live: live as LiveToken, headers: proven?.headers };
};
