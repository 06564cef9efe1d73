import { OAuthError } from '../../errors.js';
import { keys, TOKEN } from '../records.js';
import { narrowedResources } from '../requested-scope.js';
import { formatScope, isSubset, parseScope } from '../scope.js';
import { grantIdOf, isTokenShaped } from '../token-id.js';
import type { Grant } from '../tokens.js';
import type { GrantHandler, TokenRequest } from './grant-handler.js';

const invalidRefreshToken = (): OAuthError => new OAuthError('invalid_grant', 'The refresh token is not valid.');

/**
 * Refreshes an access token, in the same or a narrower scope.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-6 | RFC 6749 §6}
 */
export const refreshToken: GrantHandler = async (request) => {
  const { form, client, context } = request;
  const { tokens, records } = context;
  const token = form.get('refresh_token');
  if (token === undefined) throw new OAuthError('invalid_request', 'The parameter refresh_token is missing.');
  const grantId = isTokenShaped(token) ? grantIdOf(token) : undefined;
  if (grantId === undefined) throw invalidRefreshToken();
  const [record, grant] = await Promise.all([records.get(keys.token(token), TOKEN), tokens.findGrant(grantId)]);
  if (grant === undefined || grant.client_id !== client.client_id) throw invalidRefreshToken();
  const spent = record === undefined ? await tokens.findSpentRefresh(token) : undefined;
  if (record === undefined ? spent === undefined : record.kind !== 'refresh' || record.grant !== grantId)
    throw invalidRefreshToken();
  await checkStillValid(request, grant);
  const scope = formatScope(scopeOf(request, grant));
  const resources = narrowedResources(form, grant.aud, context);
  const respond = () => {
    if (spent !== undefined) return tokens.repeatOrRevoke(token, spent, client, grant, scope, resources);
    if (record === undefined) throw invalidRefreshToken();
    if (client.refresh === 'reusable') return tokens.issueAccess(grant, scope, resources);
    return tokens.rotate(token, record, client, grant, scope, resources);
  };
  return { response: await respond(), sub: grant.sub, grant_id: grant.id };
};

/** The owner may have been disabled or have changed their mind since (RFC 6749 §10.4). */
const checkStillValid = async ({ context }: TokenRequest, grant: Grant): Promise<void> => {
  const { id: grant_id, client_id, sub, scope } = grant;
  const active = await (context.config.users?.isActive?.(sub) ?? true);
  if (!active || !(await context.validateGrant({ grant_id, client_id, sub, scope }))) throw invalidRefreshToken();
};

/** What was granted, less what the client may no longer have, narrowed to what it asks for. */
const scopeOf = ({ form, client }: TokenRequest, grant: Grant): readonly string[] => {
  const granted = parseScope(grant.scope) ?? [];
  const text = form.get('scope');
  const asked = text === undefined ? granted : parseScope(text);
  if (asked === undefined || !isSubset(asked, granted)) {
    throw new OAuthError('invalid_scope', 'The scope is wider than what was granted.');
  }
  const allowed = asked.filter((scope) => client.scopes.has(scope));
  if (allowed.length === 0 && asked.length > 0) {
    throw new OAuthError('invalid_grant', 'The client may no longer have this scope.');
  }
  return allowed;
};
