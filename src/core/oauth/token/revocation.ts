import { OAuthError } from '../../base/errors.js';
import type { HttpRequest, HttpResponse } from '../../base/http/messages.js';
import { json } from '../../base/http/responses.js';
import type { Client } from '../clients/client.js';
import { checkedForm, readForm } from '../facts/parameters.js';
import { authenticateClient, CLIENT_PARAMETERS } from '../kernel/client-authentication.js';
import type { OAuthContext } from '../kernel/context.js';

export const REVOCATION_PARAMETERS = { token: 'vschar', token_type_hint: 'vschar', ...CLIENT_PARAMETERS } as const;

const notYours = (): OAuthError => new OAuthError('invalid_grant', 'The token was issued to another client.');

/**
 * Revokes a token. A refresh token is revoked with its whole grant, an access token alone. The response does not depend on whether the token
 * was known; its body is `{}` because every client library can parse that.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc7009 | RFC 7009}
 */
export const revocation = async (request: HttpRequest, context: OAuthContext): Promise<HttpResponse> => {
  const form = checkedForm(await readForm(request, REVOCATION_PARAMETERS, context));
  const client = await authenticateClient(request, form, context);
  const token = form.get('token');
  if (token === undefined) throw new OAuthError('invalid_request', 'The parameter token is missing.');
  await revoke(token, client, context);
  return json(200, {});
};

const revoke = async (
  token: string,
  { client_id }: Client,
  { tokens, refreshTokens, config, emit }: OAuthContext,
): Promise<void> => {
  const refresh = await refreshTokens.find(token);
  if (refresh !== undefined) {
    // A rotated token also revokes the grant: its holder lost the response with the newer one.
    const { grant, place, exp } = refresh;
    if (tokens.now() >= exp) return;
    if (grant.client_id === client_id) await tokens.revokeGrant(grant, { reason: 'revocation' }, emit);
    else if (place === 'current' && (await config.clients.find(grant.client_id)) !== undefined) throw notYours();
    return;
  }
  const access = await tokens.find(token);
  if (access === undefined) return;
  if (access.client_id !== client_id) throw notYours();
  await tokens.revokeToken(token, access, emit);
};
