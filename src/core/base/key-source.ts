import type { KeyObject } from 'node:crypto';
import type { MaybePromise } from './ports.js';
import { either, type Entry, fn, value } from './schema.js';

type Jwk = Readonly<Record<string, unknown>>;

/** A key that never leaves its vault: it signs there, and only its public key is known. */
export interface ExternalKey {
  /** The public key (RFC 7517): it is published, and verifies each signature before a token is issued. */
  readonly publicKey: Jwk;
  /** Signs bytes as JWS (RFC 7518 §3): for ES256, returns both integers concatenated, 64 bytes. */
  sign(data: Uint8Array): MaybePromise<Uint8Array>;
}

/** A key that signs tokens, will sign, or has signed. */
export interface SigningKey {
  /** A private key as PKCS#8 PEM, JWK or KeyObject, or a key in a vault. */
  readonly key: string | Jwk | KeyObject | ExternalKey;
  /** Default: the key's thumbprint (RFC 7638). */
  readonly kid?: string | undefined;
  /** For an RSA key: `PS256` instead of `RS256`. Each other key has one algorithm. */
  readonly alg?: 'RS256' | 'PS256' | 'ES256' | 'EdDSA' | undefined;
  /**
   * Milliseconds since the epoch. Until then the key is only published, so that verifiers know it before it signs; from
   * then on it replaces all older ones. A key without it signs from the start; of several such keys, the first.
   */
  readonly signFrom?: number | undefined;
}

/** The keys, or a function that returns them: called again every minute, while requests wait at most five eighths of `timeout`. */
export type KeySource = readonly SigningKey[] | (() => MaybePromise<readonly SigningKey[]>);

/** Validation of an option with keys. */
export const KEY_SOURCE: Entry<KeySource, KeySource | undefined> = either(
  value<Exclude<KeySource, () => unknown>>('an array of keys', Array.isArray),
  fn<Extract<KeySource, () => unknown>>('a function that returns one'),
);
