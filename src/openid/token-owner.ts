import type { Authorization } from '../core/base/authorization.js';
import { BearerError } from '../core/base/errors.js';
import type { PresentedToken } from '../core/base/http/bearer.js';
import type { HttpRequest } from '../core/base/http/messages.js';
import { errorResponse, json } from '../core/base/http/responses.js';
import type { MaybePromise } from '../core/base/ports.js';
import { proofOf } from '../core/base/possession.js';
import type { OAuthContext } from '../core/oauth/kernel/context.js';
import type { EndpointHandler } from '../core/oauth/kernel/endpoint.js';
import { admitPresented } from '../core/oauth/kernel/presented-token.js';
import { isStillAllowed } from '../core/oauth/kernel/still-allowed.js';
import type { Grant } from '../core/oauth/tokens/tokens.js';

/** The owner of an access token, and the grant it was issued under. */
interface TokenOwner {
  readonly authorization: Authorization;
  readonly grant: Grant;
  /** Headers of the response, such as a new nonce. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * The owner of an access token for this server, as of this moment: the grant is still allowed, and so are its owner and its client.
 *
 * @throws BearerError `invalid_token`, `insufficient_scope`
 */
const tokenOwner = async (
  presented: PresentedToken,
  scopes: readonly string[],
  request: HttpRequest,
  context: OAuthContext,
): Promise<TokenOwner> => {
  const iss = context.issuer(request);
  const requirement = { scopes, audience: [iss] };
  const withProof = proofOf(request, presented, requirement, context.proofs);
  const { authorization, live, headers } = await admitPresented(withProof, requirement, iss, context);
  if (live.grant === null)
    throw new BearerError(
      'insufficient_scope',
      'The access token belongs to a client and not to a user.',
      scopes.join(' '),
    );
  const [grant, client] = await Promise.all([
    context.tokens.findGrant(live.grant),
    context.config.clients.find(live.client_id),
  ]);
  if (grant === undefined || client === undefined || !(await isStillAllowed(grant, client, context)))
    throw new BearerError('invalid_token', 'The access token is not valid.');
  return { authorization, grant, headers };
};

/**
 * An endpoint that answers with a document about the owner of a token. Scripts may read why a request was refused.
 *
 * @param scopes - Which the token needs.
 */
export const ownerEndpoint =
  (
    scopes: readonly string[],
    tokenOf: (request: HttpRequest, context: OAuthContext) => MaybePromise<PresentedToken>,
    documentOf: (owner: TokenOwner) => Promise<object>,
  ): EndpointHandler =>
  async (request, context) => {
    try {
      const owner = await tokenOwner(await tokenOf(request, context), scopes, request, context);
      return json(200, await documentOf(owner), owner.headers);
    } catch (error) {
      const response = errorResponse(error, context.onError, { scopes, proofAlgorithms: context.proofs?.algorithms });
      return { ...response, headers: { 'access-control-expose-headers': 'www-authenticate', ...response.headers } };
    }
  };
