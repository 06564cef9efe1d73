import { resourceMetadataAddress } from '../base/addresses/resource.js';
import type { Authorization } from '../base/authorization.js';
import { concludedInTime, type Deadline } from '../base/deadline.js';
import { BearerError } from '../base/errors.js';
import {
  admit,
  type Admitted,
  type CheckResult,
  givenToken,
  type GuardRequirement,
  type GuardResult,
  presentedToken,
  requiredToken,
} from '../base/http/bearer.js';
import type { HttpRequest } from '../base/http/messages.js';
import { errorResponse, type RefusedRoute, refusalOf } from '../base/http/responses.js';
import type { ProofChecker } from '../base/key-proofs.js';
import type { Clock } from '../base/ports.js';
import { type GivenProof, proofOf, withGivenProof, type WithProof } from '../base/possession.js';
import { fail } from '../base/schema.js';
import { didYouMean } from '../base/spelling.js';
import type { Emit } from '../oauth/events/events.js';
import type { OAuthConfig } from '../oauth/kernel/config.js';
import { admitPresented } from '../oauth/kernel/presented-token.js';
import type { LiveToken } from '../oauth/tokens/grant.js';
import { ownAuthorization } from '../oauth/tokens/token-authorization.js';
import type { CheckedOptions } from './options/server-table.js';

/** What the guards of this server need. */
interface GuardServices {
  readonly tokens: { find(token: string): Promise<LiveToken | undefined> };
  /** Checks proofs of keys, if tokens may be bound to keys. */
  readonly proofs: ProofChecker | undefined;
  /** What features check of a token that would pass. */
  readonly checkToken: ((authorization: Authorization) => Promise<void>) | undefined;
  readonly configuredIssuer: string | undefined;
  issuer(request: HttpRequest): string;
  readonly clock: Clock;
  readonly deadline: Deadline;
  readonly emit: Emit | undefined;
  readonly onError: (error: unknown) => void;
}

/** The decision about a token, or what `refused` makes of the error. */
const decide = <Refused>(
  read: () => { readonly presented: WithProof; readonly iss: string },
  requirement: GuardRequirement,
  context: GuardServices,
  refused: (error: unknown) => Refused,
): Promise<Admitted | Refused> => {
  try {
    const { presented, iss } = read();
    const { audience = [iss] } = requirement;
    const admitted = (live: LiveToken | undefined): Admitted => ({
      authorization: admit(ownAuthorization(live, iss), requirement, { audience, now: context.clock() }),
    });
    const work: Promise<Admitted> =
      context.proofs === undefined && context.checkToken === undefined
        ? context.tokens.find(presented.token).then(admitted)
        : admitPresented(presented, { ...requirement, audience }, iss, context);
    return concludedInTime(work, context.deadline, refused);
  } catch (error) {
    return Promise.resolve(refused(error));
  }
};

const routeOf = ({ scopes, metadata }: GuardRequirement, { proofs }: GuardServices): RefusedRoute => ({
  scopes,
  metadata,
  proofAlgorithms: proofs?.algorithms,
});

/** Whether a request may pass a guard of this server. */
export const admission = (
  request: HttpRequest,
  requirement: GuardRequirement,
  context: GuardServices,
): Promise<GuardResult> =>
  decide(
    () => {
      const presented = requiredToken(request, context.proofs !== undefined);
      return { presented: proofOf(request, presented, requirement, context.proofs), iss: context.issuer(request) };
    },
    requirement,
    context,
    (error): GuardResult => ({ response: errorResponse(error, context.onError, routeOf(requirement, context)) }),
  );

/**
 * The decision of a guard about a token that came without a request.
 *
 * @throws TypeError without an issuer.
 */
export const checkToken = (
  token: unknown,
  requirement: GuardRequirement,
  proof: GivenProof | undefined,
  context: GuardServices,
): Promise<CheckResult> => {
  const { configuredIssuer: issuer } = context;
  if (issuer === undefined)
    throw new TypeError('oauth.check needs options.issuer: without a request, the server cannot find out its own URL.');
  return decide(
    () => ({ presented: withGivenProof(givenToken(token), proof), iss: issuer }),
    requirement,
    context,
    (error): CheckResult => ({ refused: refusalOf(error, context.onError, routeOf(requirement, context)) }),
  );
};

/** What the guards of a resource require. */
export const resourceRequirement = (
  name: string,
  { resources, issuer = '' }: OAuthConfig,
  onWarning: CheckedOptions['onWarning'],
): Pick<GuardRequirement, 'audience' | 'metadata'> => {
  const described = resources.describe(name);
  if (described !== undefined) {
    const metadata = resourceMetadataAddress(described.resource);
    if (new URL(metadata).origin !== new URL(issuer).origin)
      onWarning?.(
        `guard(scope, { resource: ${JSON.stringify(name)} }) sends clients to ${metadata}, which is not on the host of options.issuer, so this server does not serve it.`,
        'OQ209',
      );
    return { audience: [described.resource], metadata };
  }
  const names = resources.described.map(({ resource }) => resource);
  const paths = names.map((address) => new URL(address).pathname);
  const advice = didYouMean(name, [...names, ...paths], ` Add it there: { ${JSON.stringify(name)}: {} }.`);
  return fail(`guard(scope, { resource }): options.resources does not describe ${JSON.stringify(name)}.${advice}`);
};

/** The authorization of a request's access token, if it has one. All problems of a token are one error. */
export const identify = async (request: HttpRequest, context: GuardServices): Promise<Admitted | undefined> => {
  try {
    const presented = presentedToken(request, context.proofs !== undefined);
    if (presented === undefined) return undefined;
    const iss = context.issuer(request);
    const requirement = { scopes: [], audience: [iss] };
    const withProof = proofOf(request, presented, requirement, context.proofs);
    return await admitPresented(withProof, requirement, iss, context);
  } catch (error) {
    if (!(error instanceof BearerError)) throw error;
    const { headers } = refusalOf(error, context.onError, routeOf({ scopes: [] }, context));
    const told = context.proofs === undefined ? {} : headers;
    throw new BearerError('invalid_token', error.message, undefined, told);
  }
};
