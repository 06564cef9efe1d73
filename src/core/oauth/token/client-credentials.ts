import { formatScope } from '../../base/scope.js';
import type { GrantHandler } from '../kernel/grant-handler.js';
import { requestedResources, requestedScope } from '../kernel/requested-scope.js';
import { CLIENT_SUBJECT } from '../records/owner.js';

/**
 * Issues a token for the client itself, without a refresh token.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-4.4 | RFC 6749 §4.4}
 */
export const clientCredentials: GrantHandler = async ({ form, client, context, jkt }) => {
  const scope = formatScope(requestedScope(form, client, 'client_credentials', context));
  const resources = requestedResources(form, context);
  return {
    response: await context.tokens.issueOwn(client, scope, resources, jkt),
    sub: CLIENT_SUBJECT + client.client_id,
  };
};
