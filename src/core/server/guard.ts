import type { Authorization } from '../base/authorization.js';
import { resourceMetadataAddress } from '../base/addresses/resource.js';
import { concludedInTime } from '../base/deadline.js';
import { BearerError } from '../base/errors.js';
import {
  admit,
  bearerTokenOf,
  type CheckResult,
  givenToken,
  type GuardRequirement,
  type GuardResult,
  requiredBearerToken,
} from '../base/http/bearer.js';
import type { HttpRequest } from '../base/http/messages.js';
import { errorResponse, refusalOf } from '../base/http/responses.js';
import { nearestName } from '../base/spelling.js';
import type { OAuthConfig } from '../oauth/config.js';
import type { OAuthContext } from '../oauth/context.js';
import type { TokenClaims } from '../oauth/records/stored-records.js';
import { ownAuthorization } from '../oauth/tokens/token-authorization.js';
import { requestDeadline } from './boundary.js';
import type { CheckedOptions } from './options/server-table.js';

/** A token that may pass. */
interface Decided {
  readonly authorization: Authorization;
}

/** The decision about a token: the authorization, or what `refused` makes of the error. */
const decide = <Refused>(
  read: () => { readonly token: string; readonly iss: string },
  { scopes, audience }: GuardRequirement,
  context: OAuthContext,
  refused: (error: unknown) => Refused,
): Promise<Decided | Refused> => {
  try {
    const { token, iss } = read();
    const admitted = (live: TokenClaims | undefined): Decided => ({
      authorization: admit(ownAuthorization(live, iss), { scopes, audience: audience ?? [iss] }),
    });
    return concludedInTime<TokenClaims | undefined, Decided | Refused>(
      context.tokens.find(token),
      requestDeadline(context),
      admitted,
      refused,
    );
  } catch (error) {
    return Promise.resolve(refused(error));
  }
};

/** Whether a request may pass a guard of this server. */
export const admission = (
  request: HttpRequest,
  requirement: GuardRequirement,
  context: OAuthContext,
): Promise<GuardResult> =>
  decide(
    () => ({ token: requiredBearerToken(request), iss: context.issuer(request) }),
    requirement,
    context,
    (error): GuardResult => ({ response: errorResponse(error, context.onError, requirement) }),
  );

/**
 * The decision of a guard about a token that came without a request.
 *
 * @throws TypeError without an issuer.
 */
export const checkToken = (
  token: unknown,
  requirement: GuardRequirement,
  context: OAuthContext,
): Promise<CheckResult> => {
  const { issuer } = context.config;
  if (issuer === undefined)
    throw new TypeError('oauth.check needs options.issuer: without a request, the server cannot find out its own URL.');
  return decide(
    () => ({ token: givenToken(token), iss: issuer }),
    requirement,
    context,
    (error): CheckResult => ({ refused: refusalOf(error, context.onError, requirement) }),
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
  const near = nearestName(name, [...names, ...names.map((address) => new URL(address).pathname)]);
  const advice =
    near === undefined ? `Add it there: { ${JSON.stringify(name)}: {} }.` : `Did you mean ${JSON.stringify(near)}?`;
  throw new TypeError(
    `guard(scope, { resource }): options.resources does not describe ${JSON.stringify(name)}. ${advice}`,
  );
};

/** The authorization of a request's bearer token, if it has one. All problems of a token are one error. */
export const identify = async (request: HttpRequest, context: OAuthContext): Promise<Authorization | undefined> => {
  try {
    const token = bearerTokenOf(request);
    if (token === undefined) return undefined;
    const iss = context.issuer(request);
    return admit(ownAuthorization(await context.tokens.find(token), iss), { scopes: [], audience: [iss] });
  } catch (error) {
    throw error instanceof BearerError ? new BearerError('invalid_token', error.message) : error;
  }
};
