import type { MaybePromise } from '../ports.js';
import { type ClientSecret, type PreparedSecret, prepareSecret } from './client-secret.js';
import { publicKeysProblem } from './jwt/client-assertion.js';
import type { Jwk } from './jwt/signing-keys.js';
import { type ChallengeMethod, isChallengeMethod } from './pkce.js';
import { redirectUriProblem } from './redirect-uri.js';
import { parseScope } from './scope.js';

export const DEVICE_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** `implicit` is not a `grant_type` of the token endpoint; registrations and options name it beside the others. */
export const GRANT_TYPES = [
  'authorization_code',
  'client_credentials',
  'refresh_token',
  DEVICE_CODE_GRANT,
  'password',
  'implicit',
] as const;

/** A grant in the spelling of `grant_type` (RFC 6749 §4, RFC 8628 §3.4), and `implicit`, which has none. */
export type GrantType = (typeof GRANT_TYPES)[number];

/** A grant type as options name it: the device grant also by its short name. */
export type GrantName = GrantType | 'device_code';

/** How a client authenticates at the token endpoint, in the names of RFC 7591 §2; `none` is a public client. */
export type AuthenticationMethod = 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt' | 'none';

const AUTHENTICATION_METHODS: readonly string[] = [
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
  'none',
];

/**
 * What a host knows about a client, in the field names of RFC 7591 where it has one.
 */
export interface ClientRegistration {
  /** The client's name to the server: text without control characters, unique among the clients (RFC 6749 §2.2). */
  readonly client_id: string;
  /**
   * One secret, or several during a rotation. Without the field the client is public; `undefined`, as from an environment
   * variable that is not set, is refused.
   */
  readonly client_secret?: string | ClientSecret | readonly (string | ClientSecret)[] | undefined;
  /** Public keys (RFC 7517) of a client that authenticates with `private_key_jwt` instead of a secret. */
  readonly jwks?: {
    /** Each with a `kid` where there are several. */
    readonly keys: readonly Jwk[];
  };
  /** Shown to the resource owner; the `client_id` if absent. */
  readonly client_name?: string;
  /**
   * Where the owner may be sent back to, compared as strings (RFC 6749 §3.1.2); a loopback address takes any port
   * (RFC 8252 §7.3).
   */
  readonly redirect_uris?: readonly string[];
  /** With redirect URIs: authorization code and refresh token. Without, for a confidential client: client credentials. */
  readonly grant_types?: readonly GrantName[];
  /** The scopes that the client may ask for, space-separated; all but the introspection scope if absent. */
  readonly scope?: string;
  /** What a request without `scope` means; everything in `scope` if absent. */
  readonly default_scope?: string;
  /** The one way in which the client authenticates; a confidential client without it may use the header or the body. */
  readonly token_endpoint_auth_method?: AuthenticationMethod;
  /** `['S256']` if absent. `plain` is for devices that cannot compute SHA-256. */
  readonly code_challenge_methods?: readonly ChallengeMethod[];
  /** Asks a confidential client for PKCE too. Public clients always need it. */
  readonly require_pkce?: boolean;
  /**
   * `rotating`: each refresh token works once and a replay revokes the grant; the only way for a public client to get
   * one. `reusable`: a confidential client keeps its refresh token until the grant ends.
   */
  readonly refresh?: 'rotating' | 'reusable';
  /** May introspect every token, not only its own. */
  readonly introspect?: boolean;
  /** The resources that this client serves: at introspection it sees only tokens for one of them. */
  readonly audience?: string | readonly string[];
  /** Refused everywhere, and its tokens are inactive. */
  readonly disabled?: boolean;
}

/** Where clients come from, if not from an array. */
export interface ClientRegistry {
  /**
   * The registration of this client, or nothing when there is none. A rejection is answered with 503 and told to
   * `onError`.
   */
  find(client_id: string): MaybePromise<ClientRegistration | undefined | null>;
}

/** A registration that has been checked and made ready for use. */
export interface Client {
  readonly client_id: string;
  readonly name: string;
  readonly secrets: readonly PreparedSecret[];
  readonly jwks: { readonly keys: readonly Jwk[] } | undefined;
  readonly public: boolean;
  readonly redirectUris: readonly string[];
  readonly grantTypes: ReadonlySet<string>;
  readonly scopes: ReadonlySet<string>;
  readonly defaultScope: readonly string[];
  readonly authenticationMethod: AuthenticationMethod | undefined;
  readonly challengeMethods: ReadonlySet<string>;
  readonly requirePkce: boolean;
  readonly refresh: 'none' | 'rotating' | 'reusable';
  readonly introspect: boolean;
  readonly audience: readonly string[] | undefined;
  readonly disabled: boolean;
}

export interface ScopeRules {
  /** Every scope of the server. */
  readonly scopes: ReadonlySet<string>;
  /** The scope that lets a token introspect: a client gets it only by name. */
  readonly introspectionScope: string;
  readonly requirePkce: boolean;
  /** Whether the refresh_token grant is switched on; without it nobody gets a refresh token. */
  readonly refreshTokens: boolean;
}

const list = (value: string | readonly string[] | undefined): readonly string[] | undefined =>
  typeof value === 'string' ? [value] : value;

/** Told about a problem, as the end of a sentence. The work goes on, so that all of them are found. */
type Report = (problem: string) => void;

const grantTypes = (registration: ClientRegistration, confidential: boolean, report: Report): ReadonlySet<string> => {
  const named = registration.grant_types;
  if (named === undefined) {
    if ((registration.redirect_uris?.length ?? 0) > 0) return new Set(['authorization_code', 'refresh_token']);
    if (confidential) return new Set(['client_credentials']);
    report('grant_types is missing; without redirect_uris and without a secret it must be named');
    return new Set();
  }
  const full = named.map((name) => (name === 'device_code' ? DEVICE_CODE_GRANT : name));
  const known: readonly string[] = GRANT_TYPES;
  const unknown = full.find((name) => !known.includes(name));
  if (unknown !== undefined)
    report(`grant_types names ${JSON.stringify(unknown)}; known are ${GRANT_TYPES.join(', ')}`);
  return new Set(full);
};

const scopes = (registration: ClientRegistration, rules: ScopeRules, report: Report): ReadonlySet<string> => {
  if (registration.scope === undefined) {
    return new Set([...rules.scopes].filter((scope) => scope !== rules.introspectionScope));
  }
  const parsed = parseScope(registration.scope);
  if (parsed === undefined) report('scope must be scopes separated by single spaces');
  const unknown = parsed?.find((scope) => !rules.scopes.has(scope));
  if (unknown !== undefined) report(`scope names ${JSON.stringify(unknown)}, which options.scopes does not have`);
  return new Set(parsed);
};

const defaultScope = (
  registration: ClientRegistration,
  allowed: ReadonlySet<string>,
  report: Report,
): readonly string[] => {
  if (registration.default_scope === undefined) return [...allowed];
  const parsed = parseScope(registration.default_scope);
  if (parsed === undefined) report('default_scope must be scopes separated by single spaces');
  const unknown = parsed?.find((scope) => !allowed.has(scope));
  if (unknown !== undefined) report(`default_scope names ${JSON.stringify(unknown)}, which the client may not ask for`);
  return parsed ?? [];
};

const secretsOf = (registration: ClientRegistration, report: Report): readonly PreparedSecret[] => {
  const given = registration.client_secret;
  if (given === undefined) {
    if ('client_secret' in registration) report('client_secret is undefined; is the environment variable set?');
    return [];
  }
  const all = Array.isArray(given) ? (given as readonly (string | ClientSecret)[]) : [given as string | ClientSecret];
  if (all.length === 0) report('client_secret is an empty list; leave it out for a public client');
  return all.flatMap((secret) => {
    try {
      return prepareSecret(secret);
    } catch (error) {
      report(`client_secret ${error instanceof Error ? error.message : 'is wrong'}`);
      return [];
    }
  });
};

/** A private key in a registration is a mistake that must not go unnoticed; a symmetric one would be a secret. */
const isPublicJwks = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null || !('keys' in value) || !Array.isArray(value.keys)) return false;
  const { keys }: { keys: readonly unknown[] } = { keys: value.keys };
  return (
    keys.length > 0 &&
    keys.every((key) => typeof key === 'object' && key !== null && 'kty' in key && key.kty !== 'oct' && !('d' in key))
  );
};

/** Options come from JavaScript too, where a wrong type would otherwise only show at some later request. */
const checkTypes = (registration: ClientRegistration, report: Report): void => {
  const isText = (value: unknown): boolean => typeof value === 'string';
  const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
  const isFlag = (value: unknown): boolean => typeof value === 'boolean';
  const rules: Readonly<Record<string, readonly [check: (value: unknown) => boolean, what: string]>> = {
    jwks: [isPublicJwks, 'an object with an array of public keys, without any private member'],
    client_name: [isText, 'text'],
    redirect_uris: [isTexts, 'an array of texts'],
    grant_types: [isTexts, 'an array of texts'],
    scope: [isText, 'text'],
    default_scope: [isText, 'text'],
    code_challenge_methods: [isTexts, 'an array of texts'],
    require_pkce: [isFlag, 'true or false'],
    introspect: [isFlag, 'true or false'],
    audience: [(value) => isText(value) || isTexts(value), 'text or an array of texts'],
    disabled: [isFlag, 'true or false'],
  };
  for (const [name, value] of Object.entries(registration)) {
    const rule = rules[name];
    if (value !== undefined && rule !== undefined && !rule[0](value)) report(`${name} must be ${rule[1]}`);
    if (rule === undefined && !OTHER_FIELDS.has(name)) {
      report(
        `has a field ${JSON.stringify(name)} that is not known; known are ${[...OTHER_FIELDS, ...Object.keys(rules)].join(', ')}`,
      );
    }
  }
};

/** Fields whose values are checked where they are read. */
const OTHER_FIELDS = new Set(['client_id', 'client_secret', 'token_endpoint_auth_method', 'refresh']);

const redirectUris = ({ redirect_uris: uris = [] }: ClientRegistration, report: Report): readonly string[] => {
  for (const uri of uris) {
    const problem = redirectUriProblem(uri);
    if (problem !== undefined) report(`the redirect URI ${JSON.stringify(uri)} ${problem}`);
  }
  return uris;
};

/** What must hold between the fields. */
const checkTogether = (client: Client, report: Report): void => {
  const needsRedirect = ['authorization_code', 'implicit'].find((grant) => client.grantTypes.has(grant));
  if (needsRedirect !== undefined && client.redirectUris.length === 0)
    report(`${needsRedirect} needs at least one of redirect_uris`);
  if (client.public && client.grantTypes.has('client_credentials')) {
    report('client_credentials is only for clients with a client_secret or jwks');
  }
  if (client.public && client.introspect) report('introspect is only for clients with a client_secret or jwks');
  if ((client.authenticationMethod === 'private_key_jwt') !== (client.jwks !== undefined))
    report('private_key_jwt and jwks need each other');
  if (client.public && client.authenticationMethod !== 'none')
    report('token_endpoint_auth_method needs a client_secret');
  if (!client.public && client.authenticationMethod === 'none')
    report('token_endpoint_auth_method none and a client_secret exclude each other');
  if (client.jwks !== undefined && client.secrets.length > 0) report('jwks and client_secret exclude each other');
  const keysProblem = publicKeysProblem(client.jwks?.keys ?? []);
  if (keysProblem !== undefined) report(keysProblem);
  if (client.public && client.refresh === 'reusable')
    report("refresh 'reusable' is only for clients with a client_secret or jwks; use 'rotating'");
};

const refreshOf = (
  registration: ClientRegistration,
  isPublic: boolean,
  grants: ReadonlySet<string>,
  report: Report,
): Client['refresh'] => {
  const { refresh } = registration;
  if (refresh !== undefined && refresh !== 'rotating' && refresh !== 'reusable')
    report("refresh must be 'rotating' or 'reusable'");
  if (isPublic && refresh === undefined && registration.grant_types?.includes('refresh_token')) {
    report("grant_types names refresh_token, but a public client only gets refresh tokens with refresh: 'rotating'");
  }
  if (isPublic) return refresh ?? 'none';
  return grants.has('refresh_token') ? (refresh ?? 'rotating') : 'none';
};

/** The way in which a client authenticates; `undefined` leaves a client with a secret the choice. */
const methodOf = (
  { token_endpoint_auth_method: named, jwks }: ClientRegistration,
  isPublic: boolean,
  report: Report,
): AuthenticationMethod | undefined => {
  const method = named ?? (isPublic ? 'none' : jwks === undefined ? undefined : 'private_key_jwt');
  if (method !== undefined && !AUTHENTICATION_METHODS.includes(method)) {
    report(`token_endpoint_auth_method must be one of ${AUTHENTICATION_METHODS.join(', ')}`);
  }
  return method;
};

const methodsOf = (registration: ClientRegistration, report: Report): ReadonlySet<string> => {
  const methods = registration.code_challenge_methods ?? ['S256'];
  if (methods.length === 0 || !methods.every(isChallengeMethod))
    report('code_challenge_methods must name S256, plain or both');
  return new Set(methods);
};

/** Each field by itself. */
const readFields = (registration: ClientRegistration, rules: ScopeRules, report: Report): Client => {
  const { client_id, jwks } = registration;
  const isPublic = registration.client_secret === undefined && jwks === undefined;
  const grants = grantTypes(registration, !isPublic, report);
  const asked = refreshOf(registration, isPublic, grants, report);
  const refresh = rules.refreshTokens ? asked : 'none';
  const allowed = scopes(registration, rules, report);
  return {
    client_id,
    name: registration.client_name ?? client_id,
    secrets: secretsOf(registration, report),
    jwks,
    public: isPublic,
    redirectUris: redirectUris(registration, report),
    grantTypes: refresh === 'none' ? grants : new Set([...grants, 'refresh_token']),
    scopes: allowed,
    defaultScope: defaultScope(registration, allowed, report),
    authenticationMethod: methodOf(registration, isPublic, report),
    challengeMethods: methodsOf(registration, report),
    requirePkce: isPublic || rules.requirePkce || (registration.require_pkce ?? false),
    refresh,
    introspect: registration.introspect ?? false,
    audience: list(registration.audience),
    disabled: registration.disabled ?? false,
  };
};

/** A registration that has been checked: the client, or sentences that name the client, the field and the remedy. */
export interface Inspection {
  readonly client?: Client;
  readonly problems: readonly string[];
}

/** Checks a registration, and finds all that is wrong. What holds between fields is looked at once each is right. */
export const inspectRegistration = (registration: ClientRegistration, rules: ScopeRules): Inspection => {
  const id: unknown = registration?.client_id;
  const problems: string[] = [];
  const report: Report = (problem) =>
    void problems.push(`Client ${JSON.stringify(id)}: ${problem}${problem.endsWith('?') ? '' : '.'}`);
  if (typeof id !== 'string' || !/^[^\u0000-\u001f\u007f]+$/.test(id)) {
    report('client_id must be text without control characters');
    return { problems };
  }
  checkTypes(registration, report);
  if (problems.length > 0) return { problems };
  const client = readFields(registration, rules, report);
  if (problems.length === 0) checkTogether(client, report);
  return problems.length === 0 ? { client, problems } : { problems };
};

/** Checks registrations, each by itself and that no two have the same id. */
export const inspectRegistrations = (
  registrations: readonly ClientRegistration[],
  rules: ScopeRules,
): readonly Inspection[] => {
  const known = new Set<string>();
  return registrations.map((registration) => {
    const inspection = inspectRegistration(registration, rules);
    const id = inspection.client?.client_id;
    if (id !== undefined && known.has(id)) return { problems: [`Client ${JSON.stringify(id)}: is registered twice.`] };
    if (id !== undefined) known.add(id);
    return inspection;
  });
};
