/** A scope: its description on consent pages, and the rights it gives in the query API. */
export interface ScopeDefinition {
  /** The text on the consent page. */
  readonly description: string;
  /** Translations for the languages of the pages, such as `{ de: 'Ihre Fotos sehen' }`. */
  readonly translations?: Readonly<Record<string, string>> | undefined;
  /** Rights in the query API, such as `apihighlimits`; default: none. */
  readonly rights?: readonly string[] | undefined;
  /**
   * Narrower scopes that are granted with this one, including all that they imply. The consent page
   * only shows this one.
   */
  readonly implies?: readonly string[] | undefined;
}

/** Lifetimes in seconds. */
export interface Lifetimes {
  /** Seconds until an authorization code expires (RFC 6749 §4.1.2). Default: 60. */
  readonly authorizationCode: number;
  /** Seconds until an access token expires. A client may have its own value. Default: 3600. */
  readonly accessToken: number;
  /** Seconds after which a refresh token expires if it is not used. Default: 14 days. */
  readonly refreshTokenIdle: number;
  /** Seconds after a consent until everything that was issued for it ends. Rotation does not extend it. Default: 90 days. */
  readonly refreshTokenAbsolute: number;
  /** Seconds in which a client that lost the response may repeat a refresh. With 0 it may not. Default: 10. */
  readonly refreshGrace: number;
  /** Seconds in which a second use of a code is rejected, but does not revoke the tokens of the first. Default: 0. */
  readonly codeReplayTolerance: number;
  /** Seconds that a user has to enter the code of a device (RFC 8628 §3.2). Default: 600. */
  readonly deviceCode: number;
  /** Seconds until a user of the built-in sign-in has to sign in again. Default: 3600. */
  readonly session: number;
  /** Seconds in which an approval is remembered. With 0 the owner is always asked. Default: 0. */
  readonly rememberedConsent: number;
}

/** Endpoints that can be renamed. With a list, the metadata names the first path, and all are served. */
export type PathName = 'authorize' | 'token' | 'device' | 'introspect' | 'revoke';

/** Endpoints whose path no program has built in: it reads it in the metadata, or a page links to it. */
export type FixedPathName = 'deviceVerify' | 'grants' | 'jwks' | 'metadata';

/** A grant, as passed to `validateGrant`. */
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
