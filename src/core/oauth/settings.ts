import type { MaybePromise } from '../base/ports.js';

/** A scope: its description on consent pages, and the rights it gives in the query API. */
export interface ScopeDefinition {
  /** The text on the consent page. */
  readonly description: string;
  /** Translations for the languages of the pages, such as `{ de: 'Ihre Fotos sehen' }`. */
  readonly translations?: Readonly<Record<string, string>>;
  /** Rights in the query API, such as `apihighlimits`; default: none. */
  readonly rights?: readonly string[];
  /**
   * Narrower scopes that are granted with this one, including all that they imply. The consent page
   * only shows this one.
   */
  readonly implies?: readonly string[];
}

/** Lifetimes in seconds. */
export interface Lifetimes {
  /** Seconds until an authorization code expires; 60, and at most 600 (RFC 6749 §4.1.2). */
  readonly authorizationCode: number;
  /** Seconds until an access token expires; 3600. A client may have its own value. */
  readonly accessToken: number;
  /** 14 days: a refresh token expires if it is not used for that long. */
  readonly refreshTokenIdle: number;
  /** 90 days: the end of everything issued after one consent. Rotation never extends it. */
  readonly refreshTokenAbsolute: number;
  /** 10; 0 to 60. How long a client that lost the response may repeat a refresh. 0 disables this. */
  readonly refreshGrace: number;
  /** 0; at most 60. How long a second use of a code is rejected without revoking what the first one got. */
  readonly codeReplayTolerance: number;
  /** Seconds that a user has to enter a device code; 600, and 60 to 1800 (RFC 8628 §3.2). */
  readonly deviceCode: number;
  /** 3600: the length of a session of the built-in sign-in. */
  readonly session: number;
  /** 0: how long an approval is remembered, so that the owner is not asked the same again. With 0 the owner is always asked. */
  readonly rememberedConsent: number;
}

/** Policies for clients and owners. */
export interface Policy {
  /** `false`. Requires PKCE of every client, not only of public ones. */
  readonly requirePkce: boolean;
  /** `false`. Lets a registered `http://localhost` match any port, like loopback addresses (RFC 8252 §8.3 advises against it). */
  readonly allowLocalhostRedirects: boolean;
  /**
   * Called before a code or device code is redeemed, before a custom grant is issued and before a refresh: return `false`
   * if the owner is disabled or has withdrawn consent.
   */
  readonly validateGrant?: (grant: GrantInfo) => MaybePromise<boolean>;
}

/** Timeouts in milliseconds. */
export interface Timeouts {
  /**
   * 5000; 10 to 600000. Less than `request`, so that an error names the function that did not answer. For each function of the application (`clients.find`, `customGrants`, `owner`, `loginUrl`, `users`,
   * `policy.validateGrant`, `registration.isDenied`, `trust` of `clientDocuments`, `query.rights`, `accessTokens.keys` and their `sign`); then 503, and `onError` receives an error that names the function.
   */
  readonly host: number;
  /**
   * 8000; 10 to 600000. For a complete request to an endpoint or a guard, including all calls of the store and the application;
   * then 503 with `Retry-After`. Work that goes on after that decides nothing. A request body must arrive within nine tenths of it, or the response is
   * 408 and the connection ends. Of the query API and the MCP server, only bodies are limited by it.
   */
  readonly request: number;
}

/** Limits beyond which requests are rejected. */
export interface Limits {
  /** 10 per client, address and minute; then 429. */
  readonly clientFailures: number;
  /** 5 per user, session and address in ten minutes; then 429. */
  readonly userCodeFailures: number;
  /**
   * 10 per user name and address in ten minutes; then 429. After ten times as many for one user name, from any addresses, each
   * further address has one guess.
   */
  readonly loginFailures: number;
  /** 50 per address, for all user names and clients: passwords in ten minutes, secrets hashed with scrypt in one; then 429. */
  readonly sourceFailures: number;
  /** 30 per address and minute in each process: device codes requested by public clients; then 429. */
  readonly deviceRequests: number;
  /** 60 per address and minute in each process: self-registrations of clients; then 429. */
  readonly registrations: number;
  /**
   * 30 per owner, client and minute in each process: approvals without a question, because they were remembered; then
   * the owner is asked.
   */
  readonly silentApprovals: number;
  /**
   * 10000 in each process: live records caused by requests without a proven identity.
   * Half of them are for device codes of public clients; then 503. The other half is for failed attempts; then each
   * process counts on its own.
   */
  readonly unprovenRecords: number;
  /** The size of a request body; 65536. A longer one gets 413. */
  readonly bodyBytes: number;
}

/** The device authorization grant (RFC 8628). */
export interface DeviceOptions {
  /** 5; 1 to 60. Seconds between two polls; each early poll adds five, up to sixty. */
  readonly interval: number;
  /** Whether responses contain `verification_uri_complete`, for a QR code (RFC 8628 §3.3.1). */
  readonly verificationUriComplete: boolean;
}

/** Endpoints that can be renamed. With a list, the metadata names the first path, and all are served. */
export type PathName =
  | 'authorize'
  | 'token'
  | 'device'
  | 'deviceVerify'
  | 'grants'
  | 'tokens'
  | 'introspect'
  | 'revoke'
  | 'register'
  | 'jwks'
  | 'metadata';

/** A grant, as passed to the application's policy. */
export interface GrantInfo {
  /** For `grants.revoke`; the same as in events. */
  readonly grant_id: string;
  /** The client it was granted to. */
  readonly client_id: string;
  /** The owner who granted it. */
  readonly sub: string;
  /** The granted scopes, separated by spaces. */
  readonly scope: string;
}
