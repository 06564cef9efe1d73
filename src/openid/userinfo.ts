import { BearerError } from '../core/base/errors.js';
import { type PresentedToken, presentedToken } from '../core/base/http/bearer.js';
import type { HttpRequest } from '../core/base/http/messages.js';
import { isForm, readForm } from '../core/oauth/facts/parameters.js';
import type { OAuthContext } from '../core/oauth/kernel/context.js';
import type { Endpoint } from '../core/oauth/kernel/endpoint.js';
import type { ClaimSource } from './claims.js';
import { OPENID } from './scopes.js';
import { ownerEndpoint } from './token-owner.js';

/** The token of a request: in the header, or in the body of a form (RFC 6750 §2.2), which no other endpoint allows. */
const tokenOf = async (request: HttpRequest, context: OAuthContext): Promise<PresentedToken> => {
  const inHeader = presentedToken(request, context.proofs !== undefined);
  const form =
    request.method === 'POST' && isForm(request.header('content-type'))
      ? await readForm(request, { access_token: 'vschar' }, context)
      : undefined;
  if (form?.firstProblem !== undefined) throw new BearerError('invalid_request', form.firstProblem);
  const inForm = form?.get('access_token');
  if (inHeader !== undefined && inForm !== undefined)
    throw new BearerError('invalid_request', 'The token must be sent in one place only.');
  const token = inHeader ?? (inForm === undefined ? undefined : { token: inForm, scheme: 'Bearer' as const });
  if (token === undefined)
    throw new BearerError(
      undefined,
      'This request requires an access token. Send it as Authorization: Bearer ACCESS_TOKEN.',
    );
  return token;
};

/**
 * Claims about the owner of an access token.
 *
 * @see {@link https://openid.net/specs/openid-connect-core-1_0.html#UserInfo | OpenID Connect Core 1.0 §5.3}
 */
export const userinfoEndpoint = (paths: readonly string[], claims: ClaimSource): Endpoint => {
  const answer = ownerEndpoint([OPENID], tokenOf, async ({ authorization, grant: { username } }) => {
    const { sub, client_id, scope } = authorization;
    const found = await claims.find({
      sub,
      client_id,
      scope,
      use: 'userinfo',
      ...(username !== null && { username }),
    });
    return { ...found, sub };
  });
  return { paths, methods: { GET: answer, POST: answer }, pageMethods: [], cors: true };
};
