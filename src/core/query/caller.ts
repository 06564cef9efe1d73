import type { Authorization } from '../base/authorization.js';

/** The caller of the query API. */
export interface Caller {
  /** The authorization of the access token. */
  readonly authorization: Authorization;
  /** The user name, or the `sub` of the token if it has none. */
  readonly name: string;
  /** The rights from the scopes of the token and from the option `rights` of `query`, such as `apihighlimits`. */
  readonly rights: readonly string[];
}
