import { allowedBy, contradiction, type EnforcedRules } from '../../base/rules.js';
import type { Client, ClientRegistration } from './client.js';
import type { Report } from './registered-scopes.js';

/** How a client may authenticate. With a secret and without a method, it may choose. */
const methodsOf = ({ authenticationMethod }: Client): readonly string[] =>
  authenticationMethod === undefined ? ['client_secret_basic', 'client_secret_post'] : [authenticationMethod];

/** What a registration says about a signature algorithm. */
const ALGORITHM_FIELDS = [
  'token_endpoint_auth_signing_alg',
  'id_token_signed_response_alg',
  'introspection_signed_response_alg',
] as const;

/** Reports each field of a registration that contradicts a rule of a feature. */
export const checkLimits = (
  registration: ClientRegistration,
  client: Client,
  rules: EnforcedRules,
  report: Report,
): void => {
  const { clientAuthentication, signing, refresh, challengeMethods } = rules;
  const refuse = (...given: Parameters<typeof contradiction>): void => report(contradiction(...given));
  if (clientAuthentication !== undefined && allowedBy(clientAuthentication, methodsOf(client)).length === 0) {
    const setting = client.public ? 'it is a public client' : `it authenticates with ${methodsOf(client).join(' or ')}`;
    const limit = clientAuthentication.value.join(' or ');
    refuse(setting, clientAuthentication, limit, 'Register its public keys as jwks, or their address as jwks_uri.');
  }
  for (const name of ALGORITHM_FIELDS) {
    const algorithm = registration[name];
    if (signing !== undefined && algorithm !== undefined && !signing.value.includes(algorithm))
      refuse(`${name} is ${algorithm}`, signing, `one of ${signing.value.join(', ')}`, 'Change it.');
  }
  // What clients describe themselves has no such field.
  if (refresh !== undefined && registration.refresh !== undefined && client.origin === 'operator')
    if (!refresh.value.includes(registration.refresh))
      refuse(`refresh is '${registration.refresh}'`, refresh, refresh.value.join(' or '), 'Omit it.');
  const method = registration.code_challenge_methods?.find((name) => challengeMethods?.value.includes(name) === false);
  if (challengeMethods !== undefined && method !== undefined)
    refuse(`code_challenge_methods has ${method}`, challengeMethods, challengeMethods.value.join(' or '), 'Remove it.');
};
