import { defined } from '../../base/defined.js';
import { signingProblem } from '../../base/public-keys.js';
import { type EnforcedRules, NO_RULES } from '../../base/rules.js';
import { isRecord } from '../../base/schema.js';
import { nearestName } from '../../base/spelling.js';
import { checkLimits } from './check-limits.js';
import { checkTypes, CLIENT_FIELDS, CLIENT_ID_TAKES, isClientId, NOT_IGNORED, unknownField } from './client-fields.js';
import { shownName } from './client-metadata.js';
import { openIdOf } from './client-openid.js';
import { prepareSecret } from './client-secret.js';
import {
  type Client,
  type ClientLinks,
  type ClientOrigin,
  type ClientRegistration,
  GRANT_TYPES,
  grantTypeOf,
  type PreparedSecret,
} from './client.js';
import { isUnprovenRedirect, redirectUriProblem } from './redirect-uri.js';
import { registeredScopes, type Report, type ScopeRules } from './registered-scopes.js';

/** Settings of the server that registrations refer to. */
export interface ServerRules extends ScopeRules {
  readonly requirePkce: boolean;
  /** Whether the refresh_token grant is enabled; otherwise no refresh tokens are issued. */
  readonly refreshTokens: boolean;
  /** In seconds: the longest access token lifetime a client may have; default: the bound of the option. */
  readonly longestAccessToken?: number;
  /** The custom grants; if absent, any may be named. */
  readonly customGrants?: ReadonlySet<string>;
  /** Whether a feature authenticates clients that have neither a secret nor keys; if absent, that is assumed. */
  readonly vouchedClients?: boolean;
  /** The origin of the registrations; default: `operator`. */
  readonly origin?: ClientOrigin;
  /** The rules of features; default: none. */
  readonly limits?: EnforcedRules;
}

const MAX_SHOWN = 600;

const BUILT_IN_GRANTS: ReadonlySet<string> = new Set(GRANT_TYPES);

const grantTypes = (
  registration: ClientRegistration,
  { isPublic, customGrants }: { readonly isPublic: boolean } & Pick<ServerRules, 'customGrants'>,
  report: Report,
): ReadonlySet<string> => {
  const named = registration.grant_types;
  if (named === undefined) {
    if ((registration.redirect_uris?.length ?? 0) > 0) return new Set(['authorization_code', 'refresh_token']);
    if (!isPublic) return new Set(['client_credentials']);
    report('add redirect_uris, or name grant_types; without both and without a secret the client can request nothing');
    return new Set();
  }
  const grants = named.map(grantTypeOf);
  const unknown = grants.find((name) => !BUILT_IN_GRANTS.has(name) && customGrants?.has(name) === false);
  if (unknown !== undefined)
    report(
      `grant_types names ${JSON.stringify(unknown)}, which no feature has: add customGrant(…) to options.features`,
    );
  return new Set(grants);
};

const secretsOf = (registration: ClientRegistration, report: Report): readonly PreparedSecret[] => {
  const given = registration.client_secret;
  if (given === undefined) return [];
  const all = [given].flat();
  if (all.length === 0) report('client_secret is an empty list; leave it out for a public client');
  return all.flatMap((secret) => {
    try {
      return prepareSecret(secret);
    } catch (error) {
      report(`client_secret ${error instanceof Error ? error.message : 'is invalid'}`);
      return [];
    }
  });
};

const redirectUris = ({ redirect_uris: uris = [] }: ClientRegistration, report: Report): readonly string[] => {
  for (const uri of uris) {
    const problem = redirectUriProblem(uri);
    if (problem !== undefined) report(`the redirect URI ${JSON.stringify(uri)} ${problem}`);
  }
  return uris;
};

/** Only requests in which the client authenticates itself are left for a client that others vouch for. */
const checkVouched = ({ grantTypes, redirectUris: uris }: Client, report: Report): void => {
  const other = [...grantTypes].find((name) => BUILT_IN_GRANTS.has(name) && name !== 'client_credentials');
  if (other !== undefined || uris.length > 0)
    report(
      `a client with private_key_jwt and without jwks acts for itself, so it cannot have ${uris.length > 0 ? 'redirect_uris' : other}`,
    );
};

/** Rules between the fields. */
const checkTogether = (client: Client, report: Report): void => {
  const needsRedirect = ['authorization_code', 'implicit'].find((grant) => client.grantTypes.has(grant));
  if (needsRedirect !== undefined && client.redirectUris.length === 0)
    report(`${needsRedirect} requires redirect_uris`);
  const hasKeys = client.jwks !== undefined || client.jwksUri !== undefined;
  if (client.public && client.grantTypes.has('client_credentials')) {
    report('client_credentials requires a client_secret, jwks or jwks_uri');
  }
  if (client.public && client.introspect) report('introspect requires a client_secret, jwks or jwks_uri');
  if (!client.vouched && (client.authenticationMethod === 'private_key_jwt') !== hasKeys)
    report('private_key_jwt and jwks, or jwks_uri, require each other');
  if (client.public && client.authenticationMethod !== 'none')
    report('token_endpoint_auth_method requires a client_secret');
  if (!client.public && client.authenticationMethod === 'none')
    report('token_endpoint_auth_method none and a client_secret exclude each other');
  if (client.jwks !== undefined && client.jwksUri !== undefined) report('jwks and jwks_uri exclude each other');
  if (hasKeys && client.secrets.length > 0)
    report(`${client.jwks === undefined ? 'jwks_uri' : 'jwks'} and client_secret exclude each other`);
  if (client.vouched) checkVouched(client, report);
  const keysProblem = signingProblem(client);
  if (keysProblem !== undefined) report(keysProblem);
  // Without a secret, or a request by the client itself, only the redirect URI identifies it (RFC 8252 §8.6).
  const unproven = client.redirectUris.find(isUnprovenRedirect);
  if (client.consent === 'skip' && (client.public || client.grantTypes.has('implicit')) && unproven !== undefined)
    report(
      `consent 'skip' requires redirect URIs that belong to the client alone: any program could listen at ${JSON.stringify(unproven)}`,
    );
  if (client.public && client.refresh === 'reusable' && !client.boundTokens)
    report("refresh 'reusable' requires a client_secret, jwks, jwks_uri or dpop_bound_access_tokens; use 'rotating'");
};

const refreshOf = (
  registration: ClientRegistration,
  isPublic: boolean,
  grants: ReadonlySet<string>,
  { limits = NO_RULES, origin = 'operator' }: ServerRules,
  report: Report,
): Client['refresh'] => {
  const [usual] = limits.refresh?.value ?? [];
  // A confidential client that describes itself has no wish of its own.
  const refresh = isPublic || origin === 'operator' ? registration.refresh : (usual ?? registration.refresh);
  if (isPublic && refresh === undefined && registration.grant_types?.includes('refresh_token')) {
    report("grant_types names refresh_token, but a public client only gets refresh tokens with refresh: 'rotating'");
  }
  if (isPublic) return refresh ?? 'none';
  return grants.has('refresh_token') ? (refresh ?? usual ?? 'rotating') : 'none';
};

const challengeMethods = (registration: ClientRegistration, report: Report): ReadonlySet<string> => {
  const methods = registration.code_challenge_methods ?? ['S256'];
  if (methods.length === 0) report('code_challenge_methods is an empty list; name S256, plain or both');
  return new Set(methods);
};

const lifetimesOf = (
  { access_token_lifetime, refresh_token_idle_lifetime, refresh_token_lifetime, refresh_grace }: ClientRegistration,
  { longestAccessToken = Infinity }: ServerRules,
  report: Report,
): Client['lifetimes'] => {
  if ((access_token_lifetime ?? 0) > longestAccessToken)
    report(
      `access_token_lifetime must be at most ${longestAccessToken}, the value of options.lifetimes.accessToken: keys of JWTs stay published only that long after a rotation`,
    );
  return defined({
    accessToken: access_token_lifetime,
    refreshTokenIdle: refresh_token_idle_lifetime,
    refreshTokenAbsolute: refresh_token_lifetime,
    refreshGrace: refresh_grace,
  });
};

const isSecure = (uri: string | undefined): uri is string => uri !== undefined && /^https:/i.test(uri);

/** A client that registers itself could link to a page that pretends to be another's, and show its picture. */
const linksOf = (
  { logo_uri, client_uri, policy_uri, tos_uri }: ClientRegistration,
  origin: ClientOrigin = 'operator',
): ClientLinks => {
  if (origin !== 'operator') return {};
  return {
    ...(logo_uri !== undefined && { logoUri: logo_uri }),
    ...(isSecure(client_uri) && { clientUri: client_uri }),
    ...(isSecure(policy_uri) && { policyUri: policy_uri }),
    ...(isSecure(tos_uri) && { tosUri: tos_uri }),
  };
};

/** A client without refresh tokens cannot use those it got before its registration was changed. */
const withRefresh = (grants: ReadonlySet<string>, refresh: Client['refresh']): ReadonlySet<string> => {
  const others = [...grants].filter((name) => name !== 'refresh_token');
  return new Set(refresh === 'none' ? others : [...others, 'refresh_token']);
};

/** Validates each field separately. */
const readFields = (registration: ClientRegistration, rules: ServerRules, report: Report): Client => {
  const { client_id, jwks, jwks_uri: jwksUri, token_endpoint_auth_method: method } = registration;
  const hasKeys = jwks !== undefined || jwksUri !== undefined;
  const hasNothing = !('client_secret' in registration) && !hasKeys;
  const vouched = hasNothing && method === 'private_key_jwt';
  const isPublic = hasNothing && !vouched;
  if (vouched && (rules.vouchedClients === false || (rules.origin ?? 'operator') !== 'operator'))
    report(
      'private_key_jwt and jwks, or jwks_uri, require each other. Without keys, an issuer must vouch for the client: add assertions({ … }) with clients.',
    );
  const grants = grantTypes(registration, { isPublic, ...rules }, report);
  const asked = refreshOf(registration, isPublic, grants, rules, report);
  const refresh = rules.refreshTokens ? asked : 'none';
  const { scopes, defaultScope } = registeredScopes(registration, rules, report);
  return {
    client_id,
    origin: rules.origin ?? 'operator',
    name: shownName(registration.client_name ?? '') || client_id,
    secrets: secretsOf(registration, report),
    jwks,
    jwksUri,
    public: isPublic,
    vouched,
    redirectUris: redirectUris(registration, report),
    grantTypes: withRefresh(grants, refresh),
    scopes,
    defaultScope,
    // Without a configured method, a client with a secret may choose.
    authenticationMethod:
      registration.token_endpoint_auth_method ?? (isPublic ? 'none' : hasKeys ? 'private_key_jwt' : undefined),
    assertionAlgorithm: registration.token_endpoint_auth_signing_alg,
    challengeMethods: challengeMethods(registration, report),
    requirePkce: isPublic || rules.requirePkce || (registration.require_pkce ?? false),
    refresh,
    boundTokens: registration.dpop_bound_access_tokens ?? false,
    mustPush: registration.require_pushed_authorization_requests ?? false,
    introspectionAlgorithm: registration.introspection_signed_response_alg,
    introspect: registration.introspect ?? false,
    audience: typeof registration.audience === 'string' ? [registration.audience] : registration.audience,
    exchangeResources: registration.exchange_resources ?? [],
    disabled: registration.disabled ?? false,
    tokensValidAfter: registration.tokens_valid_after ?? 0,
    generation: registration.generation ?? 0,
    consent: registration.consent ?? 'ask',
    lifetimes: lifetimesOf(registration, rules, report),
    links: linksOf(registration, rules.origin),
    openId: openIdOf(registration, report),
  };
};

/** The result of a validation: the client, or sentences that name the client, the field and the remedy. */
interface CheckedRegistration {
  readonly client?: Client;
  readonly problems: readonly string[];
}

/** Validates a registration and finds all problems. Rules between fields are checked once each field is valid. */
export const checkRegistration = (registration: ClientRegistration, rules: ServerRules): CheckedRegistration => {
  const id: unknown = registration?.client_id;
  const problems: string[] = [];
  const about = id === undefined ? 'A client without client_id' : `Client ${JSON.stringify(id)?.slice(0, MAX_SHOWN)}`;
  const report: Report = (problem) => void problems.push(`${about}: ${problem}${/[.?]$/.test(problem) ? '' : '.'}`);
  if (!isClientId(id)) {
    // It may be there under another name.
    const names = isRecord(registration) ? Object.keys(registration) : [];
    for (const name of names) if (!Object.hasOwn(CLIENT_FIELDS, name)) report(unknownField(name));
    report(`client_id must be ${CLIENT_ID_TAKES}`);
    return { problems };
  }
  const fields = checkTypes(registration, report);
  if (fields === undefined) return { problems };
  const client = readFields(fields, rules, report);
  if (problems.length === 0) checkTogether(client, report);
  if (rules.limits !== undefined) checkLimits(fields, client, rules.limits, report);
  return problems.length === 0 ? { client, problems } : { problems };
};

/** A registration without `null` fields. All others are validated later. */
export const withoutNulls = (row: object): ClientRegistration =>
  // Its fields are validated one by one, as for every registration.
  Object.fromEntries(
    Object.entries(isRecord(row) ? row : {}).filter(([, given]) => given !== null),
  ) as unknown as ClientRegistration;

/**
 * Validates a row of a table.
 *
 * @param ignored - Called with a sentence for each column that is not a field of a registration.
 */
export const checkRow = (
  row: object,
  rules: ServerRules,
  ignored: (column: string, sentence: string) => void,
): CheckedRegistration => {
  const { client_id, ...columns } = withoutNulls(row);
  const entries: readonly (readonly [string, unknown])[] = Object.entries(columns);
  const fields = entries.filter(([name, given]) => {
    if (Object.hasOwn(CLIENT_FIELDS, name)) return true;
    if (Object.hasOwn(NOT_IGNORED, name)) return given !== 0; // RFC 7591 §3.2.1: 0 is "never".
    const near = nearestName(name, Object.keys(CLIENT_FIELDS));
    const question = near === undefined ? '' : ` Did you mean ${near}?`;
    ignored(name, `The column ${JSON.stringify(name)} is ignored: registrations have no such field.${question}`);
    return false;
  });
  return checkRegistration({ client_id, ...Object.fromEntries(fields) }, rules);
};
