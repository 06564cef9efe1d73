import type { MaybePromise } from '../../base/ports.js';
import type { AssertionAlgorithm } from '../../base/public-keys.js';
import type { Lifetimes } from '../facts/settings.js';
import type { Jwk, SigningAlgorithm } from '../keys/jwk.js';
import type { OfGeneration } from '../records/stored-records.js';
import type { ChallengeMethod } from './pkce.js';
import type { SlowHash } from './slow-hash.js';

export const DEVICE_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** Grants that an owner allows before their client redeems them. */
export const REDEEMED_GRANTS = ['authorization_code', DEVICE_CODE_GRANT] as const;

/** The longest time, in seconds, in which a client may redeem them. */
export const untilRedeemed = ({ authorizationCode, deviceCode }: Lifetimes): number =>
  Math.max(authorizationCode, deviceCode);

/** Grants that require an owner to sign in. */
export const OWNER_GRANTS = [...REDEEMED_GRANTS, 'implicit'] as const;

/**
 * A secret of a confidential client, as exactly one of `value`, `sha256` and `scrypt`.
 */
export interface ClientSecret {
  /** The secret itself; only its hash is kept in memory. */
  readonly value?: string;
  /** base64url SHA-256 of a random secret of at least 128 bits. */
  readonly sha256?: string;
  /** The output of `hashSecret` for a secret chosen by a person, or another PHC string of scrypt. */
  readonly scrypt?: string;
  /** Milliseconds since the epoch, from which on the secret is rejected. For the overlap while a secret is rotated. */
  readonly expiresAt?: number;
}

/** A secret prepared for comparison. */
export interface PreparedSecret {
  readonly expiresAt: number;
  /** base64url. */
  readonly sha256?: string;
  readonly scrypt?: SlowHash;
}

/** `implicit` is not a `grant_type` of the token endpoint, but registrations and options name it with the others. */
export const GRANT_TYPES = [
  'authorization_code',
  'client_credentials',
  'refresh_token',
  DEVICE_CODE_GRANT,
  'password',
  'implicit',
] as const;

/** A grant in the spelling of `grant_type` (RFC 6749 §4, RFC 8628 §3.4), and `implicit`, which has none. */
type GrantType = (typeof GRANT_TYPES)[number];

/** The grant types as options name them: the device grant also has a short name. */
export const GRANT_NAMES = [...GRANT_TYPES, 'device_code'] as const;

/** A grant type in options: the device grant also has a short name. */
export type GrantName = GrantType | 'device_code';

/** The `grant_type` of a name in options. */
export const grantTypeOf = (name: string): string => (name === 'device_code' ? DEVICE_CODE_GRANT : name);

/** A grant of a feature: an absolute URI (RFC 6749 §4.5). */
export type CustomGrantName = `${string}:${string}`;

/** How a client authenticates at the token endpoint, with the names of RFC 7591 §2; `none` means a public client. */
export type AuthenticationMethod = 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt' | 'none';

/** Fields of a registration for OpenID Connect (Dynamic Client Registration 1.0 §2). They have no effect while it is off. */
export interface OpenIdRegistration {
  /** The algorithm of its ID tokens, one of those that `openIdConnect({ keys })` has. Default: `RS256`. */
  readonly id_token_signed_response_alg?: SigningAlgorithm | undefined;
  /** In seconds: how old a sign-in may be, if the request does not say so itself. */
  readonly default_max_age?: number | undefined;
  /** Whether its ID tokens need an `auth_time`. */
  readonly require_auth_time?: boolean | undefined;
  /** URLs to which a browser may be redirected after signing out, compared like redirect URIs. */
  readonly post_logout_redirect_uris?: readonly string[] | undefined;
  /** Where a logout token is sent when its user signs out (Back-Channel Logout 1.0): https, or http on loopback. */
  readonly backchannel_logout_uri?: string | undefined;
  /** Whether its logout tokens need a `sid`. With your own sign-in, `owner` must return one. */
  readonly backchannel_logout_session_required?: boolean | undefined;
  /** Always `public`: the same `sub` for every client. */
  readonly subject_type?: 'public' | undefined;
  /** Where a sign-in at the client can be started. Not used by the server. */
  readonly initiate_login_uri?: string | undefined;
}

/**
 * The registration of a client, with the field names of RFC 7591 where possible.
 */
export interface ClientRegistration extends OpenIdRegistration {
  /** The client's identifier: printable ASCII, at most 512 characters, unique among the clients (RFC 6749 §2.2, appendix A.1). */
  readonly client_id: string;
  /**
   * One secret, or several during a rotation. Without this field and `jwks` the client is public, unless its method is
   * `private_key_jwt`; `undefined` is rejected.
   */
  readonly client_secret?: string | ClientSecret | readonly (string | ClientSecret)[] | undefined;
  /** Public keys (RFC 7517) of a client that authenticates with `private_key_jwt` instead of a secret. */
  readonly jwks?: {
    /** If there are several, each needs a `kid`. */
    readonly keys: readonly Jwk[];
  };
  /**
   * The URL of its public keys, in place of `jwks`: https on a public address, or loopback. They are cached as long as
   * their server says, between a minute and an hour, and read again for an unknown `kid`.
   */
  readonly jwks_uri?: string | undefined;
  /**
   * The name shown to owners, without characters that are invisible or change the direction of text; default: the
   * `client_id`.
   */
  readonly client_name?: string | undefined;
  /**
   * Redirect URIs, compared as strings (RFC 6749 §3.1.2); a loopback URI matches any port (RFC 8252 §7.3). The host of
   * an https URI must have its normal form, such as `127.0.0.1` instead of `127.1`.
   */
  readonly redirect_uris?: readonly string[] | undefined;
  /** Default with redirect URIs: authorization code and refresh token. Without, for a confidential client: client credentials. */
  readonly grant_types?: readonly (GrantName | CustomGrantName)[] | undefined;
  /** The scopes the client may request, space-separated; default: all but `introspect`. */
  readonly scope?: string;
  /** The scope of a request without `scope`; default: everything in `scope`. */
  readonly default_scope?: string | undefined;
  /**
   * The only method the client may authenticate with; by default a confidential client may use the header or the body.
   * `private_key_jwt` without `jwks`: an issuer vouches for the client (`assertions()`).
   */
  readonly token_endpoint_auth_method?: AuthenticationMethod | undefined;
  /** The only algorithm of its assertions, for a client with keys (OpenID Connect Registration 1.0 §2); by default any that fits the key. */
  readonly token_endpoint_auth_signing_alg?: AssertionAlgorithm | undefined;
  /** Default: `['S256']`. `plain` is for devices that cannot compute SHA-256. */
  readonly code_challenge_methods?: readonly ChallengeMethod[] | undefined;
  /** Requires PKCE of a confidential client. Public clients always need it. */
  readonly require_pkce?: boolean | undefined;
  /**
   * `rotating`: each refresh token works once, and a replay revokes the grant; required for refresh tokens of a public
   * client. `reusable`: a confidential client keeps its refresh token until the grant is revoked.
   */
  readonly refresh?: 'rotating' | 'reusable' | undefined;
  /** Tokens of this client are always bound to a key (RFC 9449 §5.2). Requires `dpop()`. */
  readonly dpop_bound_access_tokens?: boolean | undefined;
  /** Its authorization requests must be pushed (RFC 9126 §6). Needs `pushedRequests()`. */
  readonly require_pushed_authorization_requests?: boolean | undefined;
  /** Its introspection responses are signed, with this algorithm (RFC 9701 §6). Needs `signedIntrospection()`. */
  readonly introspection_signed_response_alg?: SigningAlgorithm | undefined;
  /** May introspect every token, not only its own. */
  readonly introspect?: boolean | undefined;
  /** The resources this client serves: introspection only shows it tokens for one of them. */
  readonly audience?: string | readonly string[] | undefined;
  /** The resources for which it may exchange tokens that are meant for it (RFC 8693), in addition to those of `tokenExchange({ from })`. */
  readonly exchange_resources?: readonly string[] | undefined;
  /** Rejects the client everywhere and makes its tokens inactive. */
  readonly disabled?: boolean | undefined;
  /**
   * Seconds since the epoch: invalidates everything issued to the client before, its own tokens and those of every owner. It can neither be
   * refreshed nor redeemed.
   */
  readonly tokens_valid_after?: number | undefined;
  /**
   * The number of former clients with this name, as stored clients count them: this client does not inherit their
   * tokens and approvals. Default 0.
   */
  readonly generation?: number | undefined;
  /**
   * `skip` is for first-party applications: a signed-in owner is not asked, and the grant is `silent`. Rejected for a
   * public client with a redirect URI where any program could listen.
   */
  readonly consent?: 'ask' | 'skip' | undefined;
  /** In seconds, instead of `lifetimes.accessToken`; at most a year, and for a JWT at most that option. */
  readonly access_token_lifetime?: number | undefined;
  /** In seconds, instead of `lifetimes.refreshTokenIdle`. */
  readonly refresh_token_idle_lifetime?: number | undefined;
  /** In seconds, instead of `lifetimes.refreshTokenAbsolute`. */
  readonly refresh_token_lifetime?: number | undefined;
  /** In seconds, instead of `lifetimes.refreshGrace`; at most 60. */
  readonly refresh_grace?: number | undefined;
  /**
   * The client's logo. The consent pages only show a `data:` URL, or a URL on the host of the `issuer`: others would
   * reveal the user to another server.
   */
  readonly logo_uri?: string | undefined;
  /** The URL of its home page. The consent pages link to it and to the two below if they are https. */
  readonly client_uri?: string | undefined;
  /** The URL of its privacy policy. */
  readonly policy_uri?: string | undefined;
  /** The URL of its terms of service. */
  readonly tos_uri?: string | undefined;
  /** Contacts, usually e-mail addresses. */
  readonly contacts?: readonly string[] | undefined;
}

/** Lifetimes of a single client, in seconds. */
export interface TokenLifetimes {
  readonly accessToken: number;
  readonly refreshTokenIdle: number;
  readonly refreshTokenAbsolute: number;
  readonly refreshGrace: number;
}

/** Types as a database returns them: any text instead of a few allowed values. */
type Stored<T> = T extends string ? string : T extends readonly (infer Item)[] ? readonly Stored<Item>[] : T;

/**
 * A registration as a row of a table. `null` counts as absent; `null` as `client_secret` means a public client. Columns that are
 * not fields of a registration are ignored, with one warning each.
 */
export type ClientRow = {
  /** The client's identifier. */
  readonly client_id: string;
} & {
  readonly [Field in Exclude<keyof ClientRegistration, 'client_id'>]?: Stored<ClientRegistration[Field]> | null;
};

/** Looks up clients, instead of an array. */
export interface ClientRegistry {
  /**
   * Returns the registration of a client, or nothing if it does not exist. If it rejects, the response is a 503 and `onError` receives the
   * error. If the registration is invalid, the client is treated as unknown, and `onError` receives the invalid field.
   */
  find(client_id: string): MaybePromise<ClientRow | undefined | null>;
  /**
   * Optional: writes `tokens_valid_after` into the registration, unless it has a later value. Called by `grants.revoke({ client_id })`;
   * without this method, that call revokes what owners granted, but not the client's own tokens.
   *
   * @param validAfter - Seconds since the epoch.
   */
  endTokens?(client_id: string, validAfter: number): MaybePromise<unknown>;
  /**
   * Optional, for a registry that caches: reads a client again, because it is about to be refused for its secret, which another process may have changed. Callers
   * with wrong secrets cause this, so bound it: nothing means that the result of `find` is good enough.
   */
  findAgain?(client_id: string): MaybePromise<ClientRow | undefined | null>;
}

/** Clients, and registries that look up others. */
export type ClientSource = ClientRegistration | ClientRegistry;

/** That part of a new record. */
export const generationOf = ({ generation }: Client): OfGeneration =>
  generation === 0 ? {} : { client_generation: generation };

/** Whether a record is of this client, and not of a removed one with its name. This process may not know a newer one yet. */
export const isOfGeneration = ({ generation }: Client, { client_generation = 0 }: OfGeneration): boolean =>
  client_generation >= generation;

/** Whether something issued to a client is still valid. If its `iat` is unknown, it is assumed to be older than any limit. */
export const isValidStill = (client: Client, issued: OfGeneration & { readonly iat?: number }): boolean =>
  (issued.iat ?? 0) >= client.tokensValidAfter && isOfGeneration(client, issued);

export const isRegistry = (given: unknown): given is ClientRegistry =>
  typeof given === 'object' &&
  given !== null &&
  !Array.isArray(given) &&
  'find' in given &&
  typeof given.find === 'function';

/**
 * The origin of a client: registered by the application (`operator`), described by a document at its `client_id` (`document`), or
 * self-registered (`registration`). The claims of the last two are unverified.
 */
export type ClientOrigin = 'operator' | 'document' | 'registration';

/** Addresses that the built-in pages may link to or show: registered by the operator. */
export interface ClientLinks {
  /** Its picture: a `data:` URL, or an address on the host of the `issuer`. */
  readonly logoUri?: string;
  /** Its front page. */
  readonly clientUri?: string;
  /** The privacy policy. */
  readonly policyUri?: string;
  /** The terms of service. */
  readonly tosUri?: string;
}

/** A validated registration, prepared for use. */
export interface Client {
  readonly client_id: string;
  readonly origin: ClientOrigin;
  readonly name: string;
  readonly secrets: readonly PreparedSecret[];
  readonly jwks: { readonly keys: readonly Jwk[] } | undefined;
  /** The URL of its keys, without {@link jwks}. */
  readonly jwksUri: string | undefined;
  readonly public: boolean;
  /** Whether it has neither a secret nor keys, and still proves itself: by a feature that authenticates it. It is neither public nor confidential. */
  readonly vouched: boolean;
  readonly redirectUris: readonly string[];
  readonly grantTypes: ReadonlySet<string>;
  readonly scopes: ReadonlySet<string>;
  readonly defaultScope: readonly string[];
  readonly authenticationMethod: AuthenticationMethod | undefined;
  /** The only algorithm of its assertions. */
  readonly assertionAlgorithm: AssertionAlgorithm | undefined;
  readonly challengeMethods: ReadonlySet<string>;
  readonly requirePkce: boolean;
  readonly refresh: 'none' | 'rotating' | 'reusable';
  /** Whether its tokens are always bound to a key. */
  readonly boundTokens: boolean;
  /** Whether its authorization requests must be pushed. */
  readonly mustPush: boolean;
  readonly introspect: boolean;
  /** The algorithm with which its introspection responses are signed. */
  readonly introspectionAlgorithm: SigningAlgorithm | undefined;
  readonly audience: readonly string[] | undefined;
  readonly exchangeResources: readonly string[];
  readonly disabled: boolean;
  /** Seconds since the epoch. */
  readonly tokensValidAfter: number;
  readonly generation: number;
  readonly consent: 'ask' | 'skip';
  /** Overrides of the server's lifetimes, in seconds. */
  readonly lifetimes: Partial<TokenLifetimes>;
  readonly links: ClientLinks;
  readonly openId: OpenIdRegistration;
}
