import type { MaybePromise } from '../base/ports.js';

/** What an access token is issued for, as functions that add claims see it. */
export interface ClaimsContext {
  /** The client. */
  readonly client_id: string;
  /**
   * How the access was granted: a grant type, `issue` for `oauth.issue`, or `personal_token`. A refreshed token has that of the first one, so
   * this is never `refresh_token`.
   */
  readonly grant_type: string;
  /** Separated by spaces. */
  readonly scope: string;
  /** The resources of the token (RFC 8707); empty for the issuer itself. */
  readonly resources: readonly string[];
  /** Absent for a token of the client itself. */
  readonly owner?: {
    /** The permanent identifier. */
    readonly sub: string;
    /** The user name, if it is known. */
    readonly username?: string;
  };
}

/** Claims by name. Every value is JSON. */
export type Claims = Readonly<Record<string, unknown>>;

/**
 * Facts that the server puts into access tokens. They are found out once for each token, kept with it, and shown wherever its contents are: as
 * members of a signed token and of an introspection response, and in `req.auth.claims` behind every guard.
 */
export interface ClaimsPart<C extends object = Claims> {
  /** The names of all claims. */
  readonly names: readonly (keyof C & string)[];
  /**
   * The claims of a token; those that do not apply may be absent. Called before anything is used up, refreshes included. If it fails or does not
   * answer in time, no token is issued, and the client may repeat its request.
   */
  readonly of: (context: ClaimsContext) => MaybePromise<C>;
}

export { RESERVED_CLAIMS, type ReservedClaim } from '../base/authorization.js';
