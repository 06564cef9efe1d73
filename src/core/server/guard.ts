import type { Authorization } from '../base/authorization.js';
import { resourceMetadataAddress } from '../base/addresses/resource.js';
import { concludedInTime } from '../base/deadline.js';
import { BearerError } from '../base/errors.js';
import {
  admit,
  bearerTokenOf,
  type GuardRequirement,
  type GuardResult,
  requiredBearerToken,
} from '../base/http/bearer.js';
import type { HttpRequest } from '../base/http/messages.js';
import { errorResponse } from '../base/http/responses.js';
import { nearestName } from '../base/spelling.js';
import type { OAuthConfig } from '../oauth/config.js';
import type { OAuthContext } from '../oauth/context.js';
import type { TokenClaims } from '../oauth/records/stored-records.js';
import { ownAuthorization } from '../oauth/tokens/token-authorization.js';
import { requestDeadline } from './boundary.js';
import type { CheckedOptions } from './options/server-table.js';

/** Whether a request may pass a guard of this server. */
export const admission = (
  request: HttpRequest,
  requirement: GuardRequirement,
  context: OAuthContext,
): Promise<GuardResult> => {
  const refused = (error: unknown): GuardResult => ({ response: errorResponse(error, context.onError, requirement) });
  try {
    const iss = context.issuer(request);
    const { scopes, audience = [iss] } = requirement;
    const work = context.tokens.find(requiredBearerToken(request));
    const admitted = (live: TokenClaims | undefined): GuardResult => ({
      authorization: admit(ownAuthorization(live, iss), { scopes, audience }),
    });
    return concludedInTime(work, requestDeadline(context), admitted, refused);
  } catch (error) {
    return Promise.resolve(refused(error));
  }
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
