import type { Authorization } from '../base/authorization.js';

/** Who asks. */
export interface Caller {
  /** What the caller's access token says. */
  readonly authorization: Authorization;
  /** The user name, or for a client's own token what stands in its `sub`. */
  readonly name: string;
  /** What the scopes of the token and `options.query.rights` give, such as `apihighlimits`. */
  readonly rights: readonly string[];
}
