import { OAuthError, tooManyRequests } from '../../base/errors.js';
import { formatScope } from '../../base/scope.js';
import { checkAwaited } from '../../base/waiting.js';
import type { GrantHandler } from '../kernel/grant-handler.js';
import { type AllowedIssueServices, issueIfAllowed } from '../kernel/issue-first.js';
import type { RequestedAccess } from '../kernel/requested-access.js';
import { authenticateOwner, type OwnerAuthentication } from '../sign-in/authenticate-owner.js';
import type { CreateGrant } from '../tokens/grant.js';

type PasswordServices = OwnerAuthentication &
  AllowedIssueServices & { readonly requested: RequestedAccess; readonly tokens: { readonly newGrant: CreateGrant } };

/**
 * The legacy password grant, disabled by default.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-4.3 | RFC 6749 §4.3}
 */
export const password =
  (services: PasswordServices): GrantHandler =>
  async ({ request, emit, form, client, jkt }) => {
    const { requested, tokens } = services;
    const username = form.get('username');
    const secret = form.get('password');
    if (username === undefined || secret === undefined) {
      throw new OAuthError('invalid_request', 'The parameters username and password are needed.');
    }
    const scope = formatScope(requested.scope(form, client, 'password'));
    const resources = requested.resources(form);
    const attempt = await authenticateOwner(username, secret, { request, emit }, services);
    if ('retryAfter' in attempt) throw tooManyRequests('Too many failed attempts of this user.', attempt.retryAfter);
    if (attempt.result === undefined) throw new OAuthError('invalid_grant', 'The username or the password is wrong.');
    checkAwaited(request);
    const grant = await tokens.newGrant(client, attempt.result, scope, resources, { grant_type: 'password' });
    const response = await issueIfAllowed({ grant, client, jkt }, emit, services);
    return { response, sub: grant.sub, grant_id: grant.id };
  };
