import { OAuthError } from '../../errors.js';
import type { HttpRequest, HttpResponse } from '../../http.js';
import { json } from '../../responses.js';
import type { Client } from '../client.js';
import { authenticateClient, CLIENT_PARAMETERS } from '../client-authentication.js';
import type { OAuthContext } from '../context.js';
import { readCheckedForm } from '../parameters.js';
import { isTokenShaped } from '../token-id.js';

export const REVOCATION_PARAMETERS = { token: 'vschar', token_type_hint: 'vschar', ...CLIENT_PARAMETERS } as const;

const notYours = (): OAuthError => new OAuthError('invalid_grant', 'The token was issued to another client.');

/**
 * Ends a token. A refresh token takes its whole grant along; an access token only itself. Whether the token was known
 * makes no difference to the answer, whose body is `{}` because that is what every client library can read.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc7009 | RFC 7009}
 */
export const revocation = async (request: HttpRequest, context: OAuthContext): Promise<HttpResponse> => {
  const form = await readCheckedForm(request, REVOCATION_PARAMETERS, context.config.limits);
  const client = await authenticateClient(request, form, context);
  const token = form.get('token');
  if (token === undefined) throw new OAuthError('invalid_request', 'The parameter token is missing.');
  await revoke(token, client, context);
  return json(200, {});
};

const revoke = async (token: string, client: Client, { tokens }: OAuthContext): Promise<void> => {
  const record = await tokens.find(token);
  if (record === undefined) {
    // A refresh token that was rotated away still says "sign me out": its holder lost the answer with the newer one.
    const spent = isTokenShaped(token) ? await tokens.findSpentRefresh(token) : undefined;
    if (spent?.client_id === client.client_id) await tokens.revokeGrant(spent.grant, 'revocation', client.client_id);
  } else if (record.client_id !== client.client_id) {
    throw notYours();
  } else if (record.kind === 'refresh' && record.grant !== null) {
    await tokens.revokeGrant(record.grant, 'revocation', client.client_id);
  } else {
    await tokens.revokeToken(token, record);
  }
};
