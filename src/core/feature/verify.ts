import type { Authorization } from '../base/authorization.js';
import type { ProofChecker } from '../base/key-proofs.js';
import type { Clock, MaybePromise } from '../base/ports.js';
import type { EnforcedRules } from '../base/rules.js';

/** What a server or a verifier offers to what checks tokens. */
export interface VerifierHost {
  /** The name of the feature in errors: as it stands in the options. */
  readonly name: string;
  /** Decides when anything expires. */
  readonly clock: Clock;
  /** The issuer of the tokens, if it is known. */
  readonly issuer: string | undefined;
  /** The limits of all features together. */
  readonly rules: EnforcedRules;
  /** URLs of this process as clients know them. */
  readonly origins: readonly string[];
  /**
   * Keys for one purpose, each of 256 bits as base64url: one for each secret of the server, that of the current secret first.
   *
   * @param secrets - Used in a verifier, which has none of its own; without them, it has no keys.
   */
  readonly keys: (purpose: string, secrets?: readonly string[]) => readonly string[];
  /**
   * Records a name in the store that all processes share; absent in a verifier, which has no store.
   *
   * @param exp - Seconds since the epoch.
   * @returns whether it is new.
   */
  readonly remember?: ((name: string, exp: number) => Promise<boolean>) | undefined;
}

/** What a guard checks beyond the token, its scopes and its resource. */
export interface Verification {
  /** Proofs of the keys that tokens are bound to. At most one feature has them. */
  readonly proofs?: ProofChecker | undefined;
  /**
   * Called for each token that would pass. To refuse the request, throw a `BearerError`; any other error is a 503.
   *
   * @param authorization - The contents of the token.
   */
  readonly check?: ((authorization: Authorization) => MaybePromise<void>) | undefined;
}

/** Creates it, once, when the server or the verifier is created. @throws TypeError if the options do not fit. */
export type Verify = (host: VerifierHost) => Verification;
