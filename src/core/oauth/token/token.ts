import { OAuthError } from '../../base/errors.js';
import type { HttpRequest, HttpResponse } from '../../base/http/messages.js';
import { json } from '../../base/http/responses.js';
import type { ProvenKey } from '../../base/key-proofs.js';
import type { Client } from '../clients/client.js';
import { type Definitions, checkedForm, readForm } from '../facts/parameters.js';
import { checkProofIsThere, provenKey, withNonce } from '../kernel/bound-tokens.js';
import { authenticateClient, CLIENT_PARAMETERS } from '../kernel/client-authentication.js';
import type { OAuthConfig } from '../kernel/config.js';
import type { OAuthContext } from '../kernel/context.js';
import { handlerOf } from './grants.js';

export const TOKEN_PARAMETERS = {
  grant_type: 'vschar',
  ...CLIENT_PARAMETERS,
  code: 'vschar',
  redirect_uri: 'uri',
  code_verifier: 'vschar',
  refresh_token: 'vschar',
  scope: 'vschar',
  device_code: 'vschar',
  username: 'text',
  password: 'text',
  resource: 'uri',
} as const;

/** The parameters of the token endpoint, including those of custom grants. */
export const tokenParameters = ({ customGrants }: Pick<OAuthConfig, 'customGrants'>): Definitions => {
  if (customGrants.size === 0) return TOKEN_PARAMETERS;
  const own = [...customGrants.values()].flatMap(({ parameters = {} }) => Object.keys(parameters));
  return { ...Object.fromEntries(own.map((name) => [name, 'text'])), ...TOKEN_PARAMETERS };
};

/**
 * The token endpoint. The order of the checks determines which error is returned and what an attacker can use up: a grant
 * does not change before its handler has checked everything.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-3.2 | RFC 6749 §3.2}
 */
export const token = async (request: HttpRequest, context: OAuthContext): Promise<HttpResponse> => {
  const form = checkedForm(await readForm(request, tokenParameters(context.config), context));
  const grant_type = form.get('grant_type');
  if (grant_type === undefined) throw new OAuthError('invalid_request', 'The parameter grant_type is missing.');
  const handler = handlerOf(grant_type, context.config);
  if (handler === undefined || !context.config.grants.has(grant_type)) {
    throw new OAuthError('unsupported_grant_type', 'The grant_type is not supported.');
  }
  let client: Client | undefined;
  let proven: ProvenKey | undefined;
  try {
    if (context.proofs !== undefined) proven = await provenKey(request, context.config.paths.token, context);
    const authenticated = authenticateClient(request, form, context);
    client = authenticated instanceof Promise ? await authenticated : authenticated;
    if (!client.grantTypes.has(grant_type))
      throw new OAuthError(
        'unauthorized_client',
        'The client may not use this grant_type; its grant_types do not contain it.',
      );
    checkProofIsThere(proven, client, context);
    const jkt = proven?.jkt;
    const { response, sub, grant_id, onSent } = await handler({ request, form, client, context, jkt });
    const { client_id } = client;
    context.emit?.({
      type: 'token.issued',
      grant_type,
      client_id,
      sub,
      scope: response.scope,
      ...(grant_id === undefined ? {} : { grant_id }),
    });
    const answer = json(200, response, proven?.headers);
    if (onSent === undefined) return answer;
    const { status, headers, body } = answer;
    return { status, headers, body, onSent: () => void onSent().catch(context.onError) };
  } catch (error) {
    if (error instanceof OAuthError && error.code !== 'authorization_pending') {
      const known = client === undefined ? {} : { client_id: client.client_id };
      context.emit?.({ type: 'token.refused', error: error.code, reason: error.message, grant_type, ...known });
    }
    throw withNonce(error, proven);
  }
};
