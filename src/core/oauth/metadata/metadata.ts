import { defined } from '../../base/defined.js';
import { tagged } from '../../base/http/etag.js';
import type { HttpRequest, HttpResponse } from '../../base/http/messages.js';
import { publicJson } from '../../base/http/responses.js';
import { ASSERTION_ALGORITHMS } from '../../base/public-keys.js';
import { allowedBy } from '../../base/rules.js';
import { OWNER_GRANTS } from '../clients/client.js';
import type { Capability } from '../kernel/capability.js';
import type { OAuthConfig } from '../kernel/config.js';
import type { OAuthHooks } from '../kernel/hooks.js';
import type { Answer } from '../kernel/server-endpoint.js';
import type { PublishedKeys } from './jwks.js';

/** In seconds: long enough to save requests, short enough for configuration changes to show. */
const MAX_AGE = 300;

/** Standard members that describe the server: its features, endpoints and authentication. */
const OF_THE_SERVER =
  /^(?:issuer|jwks_uri|signed_metadata|protected_resources)$|_(?:endpoint|aliases|supported|required|tokens)$|^require_/;

/** Standard members for services of the application in addition to this server. */
const OF_THE_HOST: ReadonlySet<string> = new Set([
  'userinfo_endpoint',
  'end_session_endpoint',
  'ui_locales_supported',
  'acr_values_supported',
]);

/** Whether the application must not set this member: clients would trust it and send secrets or owners there. */
export const isServerMember = (name: string): boolean => OF_THE_SERVER.test(name) && !OF_THE_HOST.has(name);

/** Describes the server, under its issuer. */
type Describe = (issuer: string) => object;

interface MetadataServices {
  readonly paths: { readonly jwks: readonly [string, ...string[]] };
  /** The keys that sign JWTs, if access tokens are JWTs. */
  readonly keyRing: PublishedKeys | undefined;
  readonly hooks: Pick<OAuthHooks, 'metadata' | 'publicKeys'>;
  issuer(request: HttpRequest): string;
}

/**
 * The features of the server, for discovery. Only enabled ones are listed.
 *
 * @param endpoints - Those of capabilities.
 * @see {@link https://www.rfc-editor.org/rfc/rfc8414#section-2 | RFC 8414 §2}
 */
export const metadataDocument = (
  issuer: string,
  config: Omit<OAuthConfig, 'issuer'>,
  { metadata: further, publicKeys }: Pick<OAuthHooks, 'metadata' | 'publicKeys'>,
  endpoints: readonly Capability<never>['metadata'][],
): object => {
  const { grants, paths, rules } = config;
  const { described } = config.resources;
  const browser = grants.has('authorization_code') || grants.has('implicit');
  const hasPages = OWNER_GRANTS.some((name) => grants.has(name));
  const authenticationMethods = allowedBy(rules.clientAuthentication, config.clients.authenticationMethods);
  const challengeMethods = allowedBy(rules.challengeMethods, config.clients.challengeMethods);
  const signing = authenticationMethods.includes('private_key_jwt')
    ? allowedBy(rules.signing, ASSERTION_ALGORITHMS)
    : undefined;
  const responseModes =
    rules.redirectStatus === undefined
      ? ['query', ...(grants.has('implicit') ? ['fragment'] : []), 'form_post']
      : ['query'];
  return {
    ...config.metadata,
    ...defined({
      issuer,
      authorization_endpoint: browser ? issuer + paths.authorize[0] : undefined,
      token_endpoint: issuer + paths.token[0],
      ...Object.fromEntries(endpoints.map(([member, endpoint]) => [member, issuer + paths[endpoint][0]])),
      introspection_endpoint: issuer + paths.introspect[0],
      revocation_endpoint: issuer + paths.revoke[0],
      jwks_uri: config.jwt === undefined && publicKeys === undefined ? undefined : issuer + paths.jwks[0],
      scopes_supported: config.scopes.size > 0 ? [...config.scopes.keys()] : undefined,
      // Required, even if it is empty.
      response_types_supported: responseTypes(config),
      response_modes_supported: browser ? responseModes : undefined,
      grant_types_supported: [...grants],
      token_endpoint_auth_methods_supported: authenticationMethods,
      token_endpoint_auth_signing_alg_values_supported: signing,
      introspection_endpoint_auth_methods_supported: authenticationMethods.filter((method) => method !== 'none'),
      introspection_endpoint_auth_signing_alg_values_supported: signing,
      revocation_endpoint_auth_methods_supported: authenticationMethods,
      revocation_endpoint_auth_signing_alg_values_supported: signing,
      code_challenge_methods_supported: grants.has('authorization_code') ? challengeMethods : undefined,
      client_id_metadata_document_supported: config.clients.haveDocuments || undefined,
      authorization_response_iss_parameter_supported: browser || undefined,
      protected_resources: described.length > 0 ? described.map(({ resource }) => resource) : undefined,
      ui_locales_supported: hasPages
        ? (config.metadata['ui_locales_supported'] ?? config.languages.offered)
        : undefined,
    }),
    ...further?.(issuer),
  };
};

const responseTypes = ({ grants }: Pick<OAuthConfig, 'grants'>): readonly string[] => [
  ...(grants.has('authorization_code') ? ['code'] : []),
  ...(grants.has('implicit') ? ['token'] : []),
];

/**
 * The same for clients that only look at the OpenID Connect location, with the members their parsers require. No ID tokens are
 * issued, but libraries take these algorithms for those of the keys at `jwks_uri`, which sign access tokens. Without keys the list is there and empty, although RFC 8414 §3.2
 * omits such members: the MCP SDK rejects a document without it.
 *
 * @see {@link https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderMetadata | OpenID Connect Discovery 1.0 §3}
 */
const openIdDocument = async (
  issuer: string,
  describe: Describe,
  { paths, hooks, keyRing }: MetadataServices,
): Promise<object> => ({
  ...describe(issuer),
  jwks_uri: issuer + paths.jwks[0],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: [...new Set((await keyRing?.jwks())?.keys.map(({ alg }) => alg))],
  ...hooks.metadata?.(issuer),
});

/** Clients of OpenID Connect read the documents and the keys before each sign-in, so these get an `etag`. */
const answered = (document: object, request: HttpRequest, { publicKeys }: MetadataServices['hooks']): HttpResponse => {
  const answer = publicJson(document, MAX_AGE);
  return publicKeys === undefined ? answer : tagged(request, answer);
};

export const openIdConfiguration =
  (describe: Describe, services: MetadataServices): Answer =>
  async ({ request }) =>
    answered(await openIdDocument(services.issuer(request), describe, services), request, services.hooks);

export const metadata =
  (describe: Describe, { hooks, issuer }: MetadataServices): Answer =>
  ({ request }) =>
    answered(describe(issuer(request)), request, hooks);
