import { OAuthError, tooManyRequests } from '../../base/errors.js';
import { formatScope } from '../../base/scope.js';
import { checkAwaited } from '../../base/waiting.js';
import type { GrantHandler } from '../kernel/grant-handler.js';
import { issueFirst } from '../kernel/issue-first.js';
import { requestedResources, requestedScope } from '../kernel/requested-scope.js';
import { authenticateOwner } from '../sign-in/authenticate-owner.js';

/**
 * The legacy password grant, disabled by default.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-4.3 | RFC 6749 §4.3}
 */
export const password: GrantHandler = async ({ request, form, client, context, jkt }) => {
  const username = form.get('username');
  const secret = form.get('password');
  if (username === undefined || secret === undefined) {
    throw new OAuthError('invalid_request', 'The parameters username and password are needed.');
  }
  const scope = formatScope(requestedScope(form, client, 'password', context));
  const resources = requestedResources(form, context);
  const attempt = await authenticateOwner(username, secret, request, context);
  if ('retryAfter' in attempt) throw tooManyRequests('Too many failed attempts of this user.', attempt.retryAfter);
  if (attempt.result === undefined) throw new OAuthError('invalid_grant', 'The username or the password is wrong.');
  checkAwaited(request);
  const grant = await context.tokens.newGrant(client, attempt.result, scope, resources, { grant_type: 'password' });
  return { response: await issueFirst(grant, client, context, jkt), sub: grant.sub, grant_id: grant.id };
};
