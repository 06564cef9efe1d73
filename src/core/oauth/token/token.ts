import { defined } from '../../base/defined.js';
import { OAuthError } from '../../base/errors.js';
import { json } from '../../base/http/responses.js';
import type { ProvenKey } from '../../base/key-proofs.js';
import type { EnforcedRules } from '../../base/rules.js';
import { isAwaited } from '../../base/waiting.js';
import type { Client } from '../clients/client.js';
import { type Definitions, checkedForm, type ReadForm } from '../facts/parameters.js';
import { checkProofIsThere, type ProofServices, provenKey, withNonce } from '../kernel/bound-tokens.js';
import { type AuthenticateClient, CLIENT_PARAMETERS } from '../kernel/client-authentication.js';
import type { OAuthConfig } from '../kernel/config.js';
import type { GrantHandler } from '../kernel/grant-handler.js';
import type { Answer } from '../kernel/server-endpoint.js';

/** The parameters that several grants have, or those without a folder of their own. */
export const SHARED_TOKEN_PARAMETERS = {
  grant_type: 'vschar',
  ...CLIENT_PARAMETERS,
  code: 'vschar',
  redirect_uri: 'uri',
  code_verifier: 'vschar',
  refresh_token: 'vschar',
  scope: 'vschar',
  username: 'text',
  password: 'text',
  resource: 'uri',
} as const;

/** The parameters of the token endpoint, including those of custom grants. */
const tokenParameters = (
  builtIn: Definitions,
  { customGrants, featureGrants }: Pick<OAuthConfig, 'customGrants' | 'featureGrants'>,
): Definitions => {
  if (customGrants.size + featureGrants.size === 0) return builtIn;
  const ofFeatures: Definitions = Object.assign({}, ...[...featureGrants.values()].map(({ fields }) => fields));
  const own = [...customGrants.values()].flatMap(({ parameters = {} }) => Object.keys(parameters));
  return { ...Object.fromEntries(own.map((name) => [name, 'text'])), ...ofFeatures, ...builtIn };
};

interface TokenEndpointServices extends ProofServices {
  readonly readForm: ReadForm;
  readonly authenticate: AuthenticateClient;
  readonly customGrants: OAuthConfig['customGrants'];
  readonly featureGrants: OAuthConfig['featureGrants'];
  readonly paths: { readonly token: readonly string[] };
  readonly onError: (error: unknown) => void;
  readonly rules: EnforcedRules;
}

/**
 * The token endpoint. The order of the checks determines which error is returned and what an attacker can use up: a grant
 * does not change before its handler has checked everything.
 *
 * @param handlers - The enabled grants, by `grant_type`. A Map, so that no name of Object.prototype is a grant.
 * @param builtIn - The parameters of built-in grants, enabled or not.
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-3.2 | RFC 6749 §3.2}
 */
export const token = (
  services: TokenEndpointServices,
  handlers: ReadonlyMap<string, GrantHandler>,
  builtIn: Definitions,
): Answer => {
  const { readForm, authenticate, paths, proofs, issuer, onError } = services;
  const parameters = tokenParameters(builtIn, services);
  const offered = [...handlers.keys()].join(', ');
  return async (scope) => {
    const { request, emit } = scope;
    const form = checkedForm(await readForm(request, parameters));
    const grant_type = form.get('grant_type');
    if (grant_type === undefined) throw new OAuthError('invalid_request', 'The parameter grant_type is missing.');
    const handler = handlers.get(grant_type);
    if (handler === undefined)
      throw new OAuthError('unsupported_grant_type', `The grant_type is not supported. Supported are ${offered}.`);
    let client: Client | undefined;
    let proven: ProvenKey | undefined;
    try {
      if (proofs !== undefined) proven = await provenKey(request, paths.token, { proofs, issuer, emit });
      const known = authenticate(scope, form);
      client = known instanceof Promise ? await known : known;
      if (!client.grantTypes.has(grant_type))
        throw new OAuthError(
          'unauthorized_client',
          'The client may not use this grant_type; its grant_types do not contain it.',
        );
      checkProofIsThere(proven, client, services);
      const issued = await handler({ request, emit, form, client, jkt: proven?.jkt });
      const { response, sub, grant_id, issuer: vouched, actors, impersonated, onSent } = issued;
      const { client_id } = client;
      emit?.({
        type: 'token.issued',
        grant_type,
        client_id,
        sub,
        scope: response.scope,
        ...defined({ grant_id, issuer: vouched, actors, impersonated }),
      });
      const answer = json(200, response, proven?.headers);
      if (onSent === undefined) return answer;
      // What a host reads after its client has gone was not sent: the client may come back, and gets the same again.
      const whenSent = (): void => {
        if (isAwaited(request)) void onSent().catch(onError);
      };
      return Object.assign(answer, { onSent: whenSent });
    } catch (error) {
      if (error instanceof OAuthError && error.code !== 'authorization_pending') {
        const known = defined({ client_id: client?.client_id });
        emit?.({ type: 'token.refused', error: error.code, reason: error.message, grant_type, ...known });
      }
      throw withNonce(error, proven);
    }
  };
};
