import type { Authorization } from './authorization.js';
import type { ClientRegistration, ClientRegistry, GrantName } from './oauth/client.js';
import type { EventListener } from './oauth/events.js';
import type { KeySource, SigningAlgorithm } from './oauth/jwt/signing-keys.js';
import type { Pages } from './oauth/pages/views.js';
import type { Owner } from './oauth/tokens.js';
import type { User, UserDirectory } from './oauth/users.js';
import type { Clock, MaybePromise, RandomBytes, Store } from './ports.js';
import type { QueryOptions } from './query/index.js';

/** A scope as consent pages show it, and the rights that it gives at the query API. */
export interface ScopeDefinition {
  /** What the owner is asked on the consent page. */
  readonly description: string;
  /** Rights at the query API, such as `apihighlimits`; none if absent. */
  readonly rights?: readonly string[];
}

/** Lifetimes in seconds. */
export interface Lifetimes {
  /** 60; at most 600 (RFC 6749 §4.1.2). */
  readonly authorizationCode: number;
  /** 3600. */
  readonly accessToken: number;
  /** 14 days: a refresh token that nobody uses for so long is gone. */
  readonly refreshTokenIdle: number;
  /** 90 days: the end of everything that follows from one consent. Rotation never moves it. */
  readonly refreshTokenAbsolute: number;
  /** 10; 0 to 60. How long a client whose answer got lost may repeat a refresh. 0 switches it off. */
  readonly refreshGrace: number;
  /** 0; at most 60. How long a second use of a code is refused without revoking what the first one got. */
  readonly codeReplayTolerance: number;
  /** 600; 60 to 1800 (RFC 8628 §3.2). */
  readonly deviceCode: number;
  /** 3600: how long somebody stays signed in on the built-in pages. */
  readonly session: number;
  /** 600: how long signing in and deciding may take. */
  readonly authorizationRequest: number;
  /** 0: how long an approval is remembered, so that the same request is not asked again. 0 always asks. */
  readonly rememberedConsent: number;
}

/** How much is tolerated before a request is refused. */
export interface Limits {
  /** 3; 1 to 10. Wrong PKCE verifiers after which a code is dead. */
  readonly failedVerifiers: number;
  /** 10 per client, source and minute; then 429. */
  readonly clientFailures: number;
  /** 5 per user, session and address in ten minutes; then 429. */
  readonly userCodeFailures: number;
  /** 10 per user name and address in ten minutes; then 429. */
  readonly loginFailures: number;
  /** 1000 per address and minute in each process: device codes that public clients may ask for; then 429. */
  readonly deviceRequests: number;
  /**
   * 10000; 10 to 600000. Milliseconds in which the functions of the host (`clients.find`, `owner`, `users`,
   * `validateGrant`, `rights`, `accessTokens.keys` and their `sign`) have to answer; then 503, and `onError` hears which.
   */
  readonly hostTimeout: number;
  /** 65536. */
  readonly bodyBytes: number;
  /** 100. */
  readonly bodyFields: number;
  /** 1048576: a query may bring many titles. */
  readonly queryBodyBytes: number;
}

/** The device authorization grant (RFC 8628). */
export interface DeviceOptions {
  /** 5; 1 to 60. Seconds between two polls; each early poll adds five, up to sixty. */
  readonly interval: number;
  /** 8 letters of an alphabet of 20 consonants; together at least 2^34 values. */
  readonly userCodeLength: number;
  /** `BCDFGHJKLMNPQRSTVWXZ` if absent: no vowels, so that no words arise (RFC 8628 §6.1). */
  readonly userCodeAlphabet: string;
  /** Whether answers carry `verification_uri_complete`, for a QR code (RFC 8628 §3.3.1). */
  readonly verificationUriComplete: boolean;
}

/** The addresses that can be renamed; a list gives the first to the metadata and serves all. */
export type PathName =
  | 'authorize'
  | 'token'
  | 'device'
  | 'deviceVerify'
  | 'introspect'
  | 'revoke'
  | 'jwks'
  | 'metadata'
  | 'api';

/**
 * What access tokens are. `opaque` ones mean something to this server only; `jwt` ones (RFC 9068) can be read by every
 * resource server that knows the published keys.
 */
export type AccessTokenOptions =
  | {
      /** Random text: resource servers ask about it, and revocation works at once. */
      readonly format: 'opaque';
    }
  | {
      /** A signed token (RFC 9068). */
      readonly format: 'jwt';
      /** `ES256` if absent. */
      readonly algorithm?: SigningAlgorithm;
      /** Made at start if absent: then tokens end with the process and cannot be shared with others. */
      readonly keys?: KeySource;
    };

/** What `createServer` can be told. Adapters take the same, with defaults for `store` and `clock`. */
export interface ServerOptions {
  /** Where everything is kept that the server must remember. */
  readonly store: Store;
  /** Decides when anything ends. The store needs the same one. */
  readonly clock: Clock;
  /**
   * The base address of everything, for example `https://example.org` or `https://example.org/auth`: https, without
   * query and fragment (RFC 8414 §2). http only on loopback. If absent it is taken from each request, which works on
   * loopback only.
   */
  readonly issuer?: string;
  /**
   * At least 32 characters, from which all keys are derived: for sessions and forms of the built-in pages and for user
   * codes. The first of a list is used, the others are still understood. If absent, one is made at start, which does
   * not survive a restart and is not shared with other processes.
   */
  readonly secret?: string | readonly string[] | undefined;
  /** The clients that are known: a list, or who looks them up. Without it nobody can get a token. */
  readonly clients?: readonly ClientRegistration[] | ClientRegistry;
  /** Scope → its description for people, or more. */
  readonly scopes?: Readonly<Record<string, string | ScopeDefinition>>;
  /** The scope that lets the holder of a token introspect; `introspect` if absent. */
  readonly introspectionScope?: string;
  /** Absolute URIs that a client may name as `resource` (RFC 8707). */
  readonly resources?: readonly string[];
  /** `opaque` if absent. JWTs need an `issuer`. */
  readonly accessTokens?: AccessTokenOptions;
  /** The grants that are switched on; everything but `password` and `implicit` if absent. */
  readonly grants?: readonly GrantName[];
  /** Asks every client for PKCE, not only public ones. */
  readonly requirePkce?: boolean;
  /** Lets a registered `http://localhost` take any port, as the loopback addresses do (RFC 8252 §8.3 advises against). */
  readonly allowLocalhostRedirects?: boolean;
  /** Who is signed in at the host, asked with the framework's own request. Needs `loginUrl`. */
  readonly owner?: (native: unknown) => MaybePromise<Owner | undefined | null | false>;
  /** The host's sign-in page: gets the address to come back to as `return_to`, or is a function of it. */
  readonly loginUrl?: string | ((returnTo: string) => string);
  /** Switches on the built-in sign-in page: an array, or a directory of the host. */
  readonly users?: readonly User[] | UserDirectory;
  /** Asked before a refresh: `false` when the owner is disabled or has withdrawn consent. */
  readonly validateGrant?: (grant: GrantInfo) => MaybePromise<boolean>;
  /** Switches on the query API, at the path `api`. `{}` is enough; what it answers is up to its handlers. */
  readonly query?: QueryOptions;
  /** Rights of a caller at the query API, beside those that the scopes of the token give. */
  readonly rights?: (authorization: Authorization) => MaybePromise<readonly string[]>;
  /** Addresses that differ from the default, each beginning with a slash. */
  readonly paths?: Readonly<Partial<Record<PathName, string | readonly string[]>>>;
  /** Lifetimes that differ from the default, in seconds. */
  readonly lifetimes?: Readonly<Partial<Lifetimes>>;
  /** Limits that differ from the default. */
  readonly limits?: Readonly<Partial<Limits>>;
  /** What differs from the default at the device grant. */
  readonly device?: Readonly<Partial<DeviceOptions>>;
  /** Own renderers for single pages. */
  readonly pages?: Partial<Pages>;
  /** Browser origins that may call the token, revocation and metadata endpoints; `*` allows every origin. */
  readonly cors?: {
    /** Such as `https://app.example`: scheme, host and port, without a slash at the end. */
    readonly origins: readonly string[];
  };
  /** `crypto.randomBytes` if absent. */
  readonly random?: RandomBytes;
  /** Hears what may be logged or alerted on. */
  readonly onEvent?: EventListener;
  /** Gets every error that no client is told about. */
  readonly onError?: (error: unknown) => void;
  /** Gets one sentence for each thing that works but should not stay so. */
  readonly onWarning?: (message: string) => void;
}

/** A grant as the host may judge it. */
export interface GrantInfo {
  /** What `revokeGrant` takes; the same as in the events. */
  readonly grant_id: string;
  /** The client that was allowed something. */
  readonly client_id: string;
  /** The owner who allowed it. */
  readonly sub: string;
  /** What was allowed, separated by spaces. */
  readonly scope: string;
}
