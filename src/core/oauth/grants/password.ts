import { OAuthError, tooManyRequests } from '../../errors.js';
import { authenticateOwner } from '../owner.js';
import { requestedResources, requestedScope } from '../requested-scope.js';
import { formatScope } from '../scope.js';
import type { GrantHandler } from './grant-handler.js';

/**
 * The legacy password grant, off unless a host switches it on.
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
  const grant = await context.tokens.createGrant(client, attempt.result, scope, resources);
  return { response: await context.tokens.issue(client, grant, scope, resources), sub: grant.sub, grant_id: grant.id };
};
