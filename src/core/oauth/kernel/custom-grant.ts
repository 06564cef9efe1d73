import type { MaybePromise } from '../../base/ports.js';

/** A parameter of a custom grant: text without control characters, sent at most once. */
export interface GrantParameter {
  /** Whether a request without it is rejected with `invalid_request`. */
  readonly required?: boolean | undefined;
}

/** The parameters of a grant, by name (RFC 6749 §8.2). */
export type GrantParameters = Readonly<Record<string, GrantParameter>>;

/** The authenticated client of a token request. */
interface GrantClient {
  /** The client's identifier. */
  readonly client_id: string;
  /** Its name for users. */
  readonly client_name: string;
  /** Whether it has neither a secret nor keys, so that any program could have sent the request. */
  readonly public: boolean;
}

/** A token request for a custom grant. Client, scope and resources have been validated. */
export interface CustomGrantRequest<Parameters extends GrantParameters = GrantParameters> {
  /** The client. Its registration includes the grant in `grant_types`. */
  readonly client: GrantClient;
  /** The parameters of the grant. An empty one counts as absent (RFC 6749 §3.2). */
  readonly parameters: {
    readonly [Name in keyof Parameters]: Parameters[Name]['required'] extends true ? string : string | undefined;
  };
  /** The requested scopes, or the client's default, separated by spaces. */
  readonly scope: string;
  /** The requested resources (RFC 8707); all of them are known. */
  readonly resources: readonly string[];
  /** The caller's address as the framework reports it. */
  readonly ip: string;
}

/** The result of a custom grant. */
export interface CustomGrantAnswer {
  /** The owner of the token. If absent, the token is the client's own, which is not possible for public clients. */
  readonly sub?: string | undefined;
  /** The owner's user name. */
  readonly username?: string | undefined;
  /** The granted scopes, separated by spaces: all or a part of the requested ones. Default: all. */
  readonly scope?: string;
  /**
   * The resources of the token, from `options.resources`: all or a part of the requested ones, or any if none were requested.
   * Default: the requested ones.
   */
  readonly resource?: string | readonly string[];
  /** Whether to issue a refresh token. Requires a `sub`, and a client that may refresh. */
  readonly refresh?: boolean | undefined;
  /** Further fields of the response, such as `issued_token_type` (RFC 8693 §2.2.1). */
  readonly fields?: Readonly<Record<string, string | number | boolean>> | undefined;
}

/** A custom grant type (RFC 6749 §4.5). */
export interface CustomGrant<Parameters extends GrantParameters = GrantParameters> {
  /** Its parameters in addition to `scope` and `resource`. */
  readonly parameters?: Parameters | undefined;
  /**
   * Handles a request. To reject it, throw an `OAuthError` with the code for the client; any other exception leads to a 500
   * and is passed to `onError`.
   */
  handle(request: CustomGrantRequest<Parameters>): MaybePromise<CustomGrantAnswer>;
}
