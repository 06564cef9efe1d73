import type { KeyObject } from 'node:crypto';
import type { KeySource } from '../base/key-source.js';
import type { MaybePromise } from '../base/ports.js';
import type { SigningAlgorithm } from '../oauth/keys/jwk.js';

/** A public key (RFC 7517). */
export type PublicKey = Readonly<Record<string, unknown>>;

/** Where the keys of another server come from: the address of its JWK set, its issuer, whose metadata has it, or a function of the application. */
export type PublishedKeysOf =
  | {
      /** The address of the JWK set. */
      readonly jwksUri: string;
    }
  | {
      /** The issuer. */
      readonly issuer: string;
    }
  | {
      /** Identifies the keys, such as the issuer. */
      readonly name: string;
      /** Returns the JWK set. */
      readonly read: () => MaybePromise<unknown>;
    };

/**
 * Reads the keys of another server, at least one.
 *
 * @param isLacking - Whether they are insufficient, because the one that is looked for is not among them: they are read again, but at most every 30 seconds.
 * @throws UnavailableError if there is no usable copy.
 */
export type ReadPublishedKeys = (
  from: PublishedKeysOf,
  isLacking?: (keys: readonly PublicKey[]) => boolean,
) => Promise<readonly PublicKey[]>;

/** Keys of a feature, which sign JWTs. */
export interface SigningKeysInit {
  /** The keys, or a function that returns them. */
  readonly source: KeySource;
  /** Each of these has a signing key of its own. Keys for others are left out. */
  readonly algorithms: readonly SigningAlgorithm[];
  /** Seconds for which a key stays published after its last signature. */
  readonly lifetime: number;
  /** Names the option in errors. */
  readonly option: string;
}

/** Keys that sign: of each algorithm, the newest one whose time has come. */
export interface SigningKeys {
  /** Those for which there is a key; of a function, those of the init. */
  readonly algorithms: readonly SigningAlgorithm[];
  /** Signs a payload. @returns the JWS in its compact form. */
  readonly sign: (
    header: (kid: string, algorithm: SigningAlgorithm) => string,
    payload: string,
    algorithm: SigningAlgorithm,
  ) => Promise<string>;
  /** The published key that a header names, if it signs by the algorithm that the header names. */
  readonly find: (header: { readonly kid?: unknown; readonly alg?: unknown }) => Promise<KeyObject | undefined>;
  /** The published keys. */
  readonly published: () => Promise<readonly PublicKey[]>;
}
