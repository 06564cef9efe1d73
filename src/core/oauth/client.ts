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

export type GrantType = (typeof GRANT_TYPES)[number];

/** A grant type as options name it: the device grant also by its short name. */
export type GrantName = GrantType | 'device_code';

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
  readonly client_id: string;
  /** One secret, or several during a rotation. Without any the client is public. */
  readonly client_secret?: string | ClientSecret | readonly (string | ClientSecret)[];
  /** Public keys (RFC 7517) of a client that authenticates with `private_key_jwt` instead of a secret. */
  readonly jwks?: { readonly keys: readonly Jwk[] };
  /** Shown to the resource owner; the `client_id` if absent. */
  readonly client_name?: string;
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

const grantTypes = (registration: ClientRegistration, confidential: boolean, fail: Fail): ReadonlySet<string> => {
  const named = registration.grant_types;
  if (named === undefined) {
    if ((registration.redirect_uris?.length ?? 0) > 0) return new Set(['authorization_code', 'refresh_token']);
    if (confidential) return new Set(['client_credentials']);
    return fail('grant_types is missing; without redirect_uris and without a secret it must be named');
  }
  const full = named.map((name) => (name === 'device_code' ? DEVICE_CODE_GRANT : name));
  const known: readonly string[] = GRANT_TYPES;
  const unknown = full.find((name) => !known.includes(name));
  if (unknown !== undefined)
    return fail(`grant_types names ${JSON.stringify(unknown)}; known are ${GRANT_TYPES.join(', ')}`);
  return new Set(full);
};

const scopes = (registration: ClientRegistration, rules: ScopeRules, fail: Fail): ReadonlySet<string> => {
  if (registration.scope === undefined) {
    return new Set([...rules.scopes].filter((scope) => scope !== rules.introspectionScope));
  }
  const parsed = parseScope(registration.scope) ?? fail('scope must be scopes separated by single spaces');
  const unknown = parsed.find((scope) => !rules.scopes.has(scope));
  if (unknown !== undefined) fail(`scope names ${JSON.stringify(unknown)}, which options.scopes does not have`);
  return new Set(parsed);
};

const defaultScope = (
  registration: ClientRegistration,
  allowed: ReadonlySet<string>,
  fail: Fail,
): readonly string[] => {
  if (registration.default_scope === undefined) return [...allowed];
  const parsed =
    parseScope(registration.default_scope) ?? fail('default_scope must be scopes separated by single spaces');
  const unknown = parsed.find((scope) => !allowed.has(scope));
  if (unknown !== undefined) fail(`default_scope names ${JSON.stringify(unknown)}, which the client may not ask for`);
  return parsed;
};

const secretsOf = (registration: ClientRegistration, fail: Fail): readonly PreparedSecret[] => {
  const given = registration.client_secret;
  if (given === undefined) {
    return 'client_secret' in registration ? fail('client_secret is undefined; is the environment variable set?') : [];
  }
  const all = Array.isArray(given) ? (given as readonly (string | ClientSecret)[]) : [given as string | ClientSecret];
  if (all.length === 0) return fail('client_secret is an empty list; leave it out for a public client');
  return all.map((secret) => {
    try {
      return prepareSecret(secret);
    } catch (error) {
      return fail(`client_secret ${error instanceof Error ? error.message : 'is wrong'}`);
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

type Fail = (problem: string) => never;

/** Options come from JavaScript too, where a wrong type would otherwise only show at some later request. */
const checkTypes = (registration: ClientRegistration, fail: Fail): void => {
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
    if (value !== undefined && rule !== undefined && !rule[0](value)) fail(`${name} must be ${rule[1]}`);
    if (rule === undefined && !OTHER_FIELDS.has(name)) {
      fail(
        `has a field ${JSON.stringify(name)} that is not known; known are ${[...OTHER_FIELDS, ...Object.keys(rules)].join(', ')}`,
      );
    }
  }
};

/** Fields whose values are checked where they are read. */
const OTHER_FIELDS = new Set(['client_id', 'client_secret', 'token_endpoint_auth_method', 'refresh']);

/** What must hold between the fields. */
const checkTogether = (client: Client, fail: Fail): void => {
  for (const uri of client.redirectUris) {
    const problem = redirectUriProblem(uri);
    if (problem !== undefined) fail(`the redirect URI ${JSON.stringify(uri)} ${problem}`);
  }
  const needsRedirect = ['authorization_code', 'implicit'].find((grant) => client.grantTypes.has(grant));
  if (needsRedirect !== undefined && client.redirectUris.length === 0)
    fail(`${needsRedirect} needs at least one of redirect_uris`);
  if (client.public && client.grantTypes.has('client_credentials')) {
    fail('client_credentials is only for clients with a client_secret or jwks');
  }
  if (client.public && client.introspect) fail('introspect is only for clients with a client_secret or jwks');
  if ((client.authenticationMethod === 'private_key_jwt') !== (client.jwks !== undefined))
    fail('private_key_jwt and jwks need each other');
  if (client.public && client.authenticationMethod !== 'none') fail('token_endpoint_auth_method needs a client_secret');
  if (!client.public && client.authenticationMethod === 'none')
    fail('token_endpoint_auth_method none and a client_secret exclude each other');
  if (client.jwks !== undefined && client.secrets.length > 0) fail('jwks and client_secret exclude each other');
  const keysProblem = publicKeysProblem(client.jwks?.keys ?? []);
  if (keysProblem !== undefined) fail(keysProblem);
  if (client.public && client.refresh === 'reusable')
    fail("refresh 'reusable' is only for clients with a client_secret or jwks; use 'rotating'");
};

const refreshOf = (
  registration: ClientRegistration,
  isPublic: boolean,
  grants: ReadonlySet<string>,
  fail: Fail,
): Client['refresh'] => {
  const { refresh } = registration;
  if (refresh !== undefined && refresh !== 'rotating' && refresh !== 'reusable')
    fail("refresh must be 'rotating' or 'reusable'");
  if (isPublic && refresh === undefined && registration.grant_types?.includes('refresh_token')) {
    return fail(
      "grant_types names refresh_token, but a public client only gets refresh tokens with refresh: 'rotating'",
    );
  }
  if (isPublic) return refresh ?? 'none';
  return grants.has('refresh_token') ? (refresh ?? 'rotating') : 'none';
};

/**
 * Checks a registration and makes it ready for use.
 *
 * @throws TypeError with a sentence that names the client, the field and the remedy.
 */
export const prepareClient = (registration: ClientRegistration, rules: ScopeRules): Client => {
  const id: unknown = registration?.client_id;
  const fail: Fail = (problem) => {
    throw new TypeError(`Client ${JSON.stringify(id)}: ${problem}${problem.endsWith('?') ? '' : '.'}`);
  };
  if (typeof id !== 'string' || !/^[^\u0000-\u001f\u007f]+$/.test(id))
    return fail('client_id must be text without control characters');
  checkTypes(registration, fail);
  const secrets = secretsOf(registration, fail);
  const { jwks } = registration;
  const isPublic = secrets.length === 0 && jwks === undefined;
  const grants = grantTypes(registration, !isPublic, fail);
  const asked = refreshOf(registration, isPublic, grants, fail);
  const refresh = rules.refreshTokens ? asked : 'none';
  const allowed = scopes(registration, rules, fail);
  const method =
    registration.token_endpoint_auth_method ?? (isPublic ? 'none' : jwks === undefined ? undefined : 'private_key_jwt');
  if (method !== undefined && !AUTHENTICATION_METHODS.includes(method)) {
    fail(`token_endpoint_auth_method must be one of ${AUTHENTICATION_METHODS.join(', ')}`);
  }
  const methods = registration.code_challenge_methods ?? ['S256'];
  if (methods.length === 0 || !methods.every(isChallengeMethod))
    fail('code_challenge_methods must name S256, plain or both');
  const client: Client = {
    client_id: id,
    name: registration.client_name ?? id,
    secrets,
    jwks,
    public: isPublic,
    redirectUris: registration.redirect_uris ?? [],
    grantTypes: refresh === 'none' ? grants : new Set([...grants, 'refresh_token']),
    scopes: allowed,
    defaultScope: defaultScope(registration, allowed, fail),
    authenticationMethod: method,
    challengeMethods: new Set(methods),
    requirePkce: isPublic || rules.requirePkce || (registration.require_pkce ?? false),
    refresh,
    introspect: registration.introspect ?? false,
    audience: list(registration.audience),
    disabled: registration.disabled ?? false,
  };
  checkTogether(client, fail);
  return client;
};

const unlessDisabled = (client: Client | undefined): Client | undefined =>
  client?.disabled === true ? undefined : client;

/** Finds prepared clients, whichever way the host keeps them. A disabled client is not found. */
export class Clients {
  readonly #known: ReadonlyMap<string, Client> | undefined;
  readonly #registry: ClientRegistry | undefined;
  readonly #rules: ScopeRules;
  /** A registry that hands out the same object again does not pay for its checks again. */
  readonly #prepared = new WeakMap<ClientRegistration, Client>();

  constructor(source: readonly ClientRegistration[] | ClientRegistry, rules: ScopeRules) {
    this.#rules = rules;
    if (Array.isArray(source)) {
      const known = new Map<string, Client>();
      for (const registration of source as readonly ClientRegistration[]) {
        const client = prepareClient(registration, rules);
        if (known.has(client.client_id))
          throw new TypeError(`Client ${JSON.stringify(client.client_id)}: is registered twice.`);
        known.set(client.client_id, client);
      }
      this.#known = known;
    } else {
      this.#registry = source as ClientRegistry;
    }
  }

  /** The methods that some client may authenticate with; a registry may have clients of every kind. */
  get authenticationMethods(): readonly AuthenticationMethod[] {
    const known = this.#known === undefined ? undefined : [...this.#known.values()];
    const has = (method: AuthenticationMethod): boolean =>
      known === undefined || known.some((client) => client.authenticationMethod === method);
    // Some clients take the first one that they can: the header comes first.
    return [
      'client_secret_basic',
      'client_secret_post',
      ...(has('private_key_jwt') ? (['private_key_jwt'] as const) : []),
      ...(has('none') ? (['none'] as const) : []),
    ];
  }

  /** The challenge methods that some client may use; of a registry's clients only the usual one is known. */
  get challengeMethods(): readonly string[] {
    const plain = [...(this.#known?.values() ?? [])].some((client) => client.challengeMethods.has('plain'));
    return plain ? ['S256', 'plain'] : ['S256'];
  }

  /** No promise where none is needed: this is asked once or twice in every request. */
  find(client_id: string): MaybePromise<Client | undefined> {
    if (this.#known === undefined) return this.#ask(client_id).then(unlessDisabled);
    return unlessDisabled(this.#known.get(client_id));
  }

  async #ask(client_id: string): Promise<Client | undefined> {
    const registration = await this.#registry?.find(client_id);
    if (registration === undefined || registration === null) return undefined;
    if (registration.client_id !== client_id) {
      throw new TypeError('clients.find answered with another client than it was asked for.');
    }
    const known = this.#prepared.get(registration);
    if (known !== undefined) return known;
    const client = prepareClient(registration, this.#rules);
    this.#prepared.set(registration, client);
    return client;
  }
}
