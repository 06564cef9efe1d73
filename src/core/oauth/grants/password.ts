import { OAuthError, tooManyRequests, UnavailableError } from '../../base/errors.js';
import { authenticateOwner } from '../sign-in/authenticate-owner.js';
import { requestedResources, requestedScope } from '../requested-scope.js';
import { formatScope } from '../../base/scope.js';
import { wholeOf } from '../tokens/tokens.js';
import type { GrantHandler } from './grant-handler.js';

/**
 * The legacy password grant, disabled by default.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-4.3 | RFC 6749 §4.3}
 */
export const password: GrantHandler = async ({ request, form, client, context }) => {
  const username = form.get('username');
  const secret = form.get('password');
  if (username === undefined || secret === undefined) {
    throw new OAuthError('invalid_request', 'The parameters username and password are needed.');
  }
  const scope = formatScope(requestedScope(form, client, context));
  const resources = requestedResources(form, context);
  const attempt = await authenticateOwner(username, secret, request, context);
  if ('retryAfter' in attempt) throw tooManyRequests('Too many failed attempts of this user.', attempt.retryAfter);
  if (attempt.result === undefined) throw new OAuthError('invalid_grant', 'The user name or the password is wrong.');
  const grant = context.tokens.newGrant(client, attempt.result, scope, resources, { grant_type: 'password' });
  // Neither works without the other.
  const [response] = await Promise.all([
    context.refreshTokens.begin({ taken: null, code: null }, wholeOf(grant, client)),
    context.tokens.saveGrant(grant),
  ]);
  if (response === undefined) throw new UnavailableError('The store refused the first record of a new grant.');
  return { response, sub: grant.sub, grant_id: grant.id };
};
