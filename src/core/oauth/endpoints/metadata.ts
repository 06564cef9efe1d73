import type { Config } from '../../config.js';
import type { HttpRequest, HttpResponse } from '../../http.js';
import { publicJson } from '../../responses.js';
import { DEVICE_CODE_GRANT } from '../client.js';
import type { OAuthContext } from '../context.js';
import { ASSERTION_ALGORITHMS } from '../jwt/client-assertion.js';

/** Seconds: long enough to spare requests, short enough for a changed configuration to arrive. */
const MAX_AGE = 300;

/**
 * What the server can do, as clients discover it. Only what is switched on is listed.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8414#section-2 | RFC 8414 §2}
 */
export const metadataDocument = (issuer: string, { config }: Pick<OAuthContext, 'config'>): object => {
  const { grants, paths } = config;
  const browser = grants.has('authorization_code') || grants.has('implicit');
  const { authenticationMethods, challengeMethods } = config.clients;
  const signs = authenticationMethods.includes('private_key_jwt');
  const algorithms = (endpoint: string): object =>
    signs ? { [`${endpoint}_endpoint_auth_signing_alg_values_supported`]: ASSERTION_ALGORITHMS } : {};
  return {
    issuer,
    ...(browser ? { authorization_endpoint: issuer + paths.authorize[0] } : {}),
    token_endpoint: issuer + paths.token[0],
    ...(grants.has(DEVICE_CODE_GRANT) ? { device_authorization_endpoint: issuer + paths.device[0] } : {}),
    introspection_endpoint: issuer + paths.introspect[0],
    revocation_endpoint: issuer + paths.revoke[0],
    ...(config.jwt === undefined ? {} : { jwks_uri: issuer + paths.jwks[0] }),
    scopes_supported: [...config.scopes.keys()],
    response_types_supported: responseTypes(config),
    response_modes_supported: grants.has('implicit') ? ['query', 'fragment'] : ['query'],
    grant_types_supported: [...grants],
    token_endpoint_auth_methods_supported: authenticationMethods,
    ...algorithms('token'),
    introspection_endpoint_auth_methods_supported: authenticationMethods.filter((method) => method !== 'none'),
    ...algorithms('introspection'),
    revocation_endpoint_auth_methods_supported: authenticationMethods,
    ...algorithms('revocation'),
    code_challenge_methods_supported: challengeMethods,
    authorization_response_iss_parameter_supported: true,
  };
};

const responseTypes = ({ grants }: Config): readonly string[] => [
  ...(grants.has('authorization_code') ? ['code'] : []),
  ...(grants.has('implicit') ? ['token'] : []),
];

export const metadata = (request: HttpRequest, context: OAuthContext): HttpResponse =>
  publicJson(metadataDocument(context.issuer(request), context), MAX_AGE);
