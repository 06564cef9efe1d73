import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Clock, RandomBytes } from './ports.js';
import { deriveKey } from './secrets.js';

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Servers with different issuers may share a secret; a value sealed by one means nothing to the others. */
export const ownSecrets = (secrets: readonly string[], issuer: string | undefined): readonly string[] =>
  secrets.map((text) => `${text} ${issuer ?? ''}`);

/** A key of each of these secrets for one purpose. */
export const ownKeys = (secrets: readonly string[], issuer: string | undefined, purpose: string): readonly string[] =>
  ownSecrets(secrets, issuer).map((secret) => deriveKey(secret, purpose));

/**
 * Encrypts values that travel through the browser and back: the validated authorization request while its owner signs in,
 * and the session of the built-in pages. Uses AES-256-GCM, so that values cannot be read or changed, and binds them to one
 * purpose, so that a value cannot be used for another.
 */
export class Seal {
  readonly #keys: readonly Uint8Array[];
  readonly #purpose: string;
  readonly #clock: Clock;
  readonly #random: RandomBytes;

  /** @param secrets - The first one encrypts; all of them decrypt, so that a secret can be rotated. */
  constructor(secrets: readonly string[], purpose: string, clock: Clock, random: RandomBytes) {
    this.#keys = secrets.map((secret) => Buffer.from(deriveKey(secret, `seal ${purpose}`), 'base64url'));
    this.#purpose = purpose;
    this.#clock = clock;
    this.#random = random;
  }

  /**
   * The text begins with 16 characters that are unique to it.
   *
   * @param expiresAt - Milliseconds since the epoch.
   */
  seal(value: object, expiresAt: number): string {
    const key = this.#keys[0];
    if (key === undefined) throw new TypeError('There is no secret to seal with.');
    const iv = this.#random(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(this.#purpose));
    const text = cipher.update(JSON.stringify({ value, expiresAt }), 'utf8');
    return Buffer.concat([iv, text, cipher.final(), cipher.getAuthTag()]).toString('base64url');
  }

  /** The sealed value, or `undefined` if it was changed, has expired or is not ours. */
  open(sealed: string): unknown {
    const bytes = Buffer.from(sealed, 'base64url');
    // Decoding ignores invalid characters, so the same bytes could be spelled in many ways.
    if (bytes.length <= IV_BYTES + TAG_BYTES || bytes.toString('base64url') !== sealed) return undefined;
    for (const key of this.#keys) {
      const text = this.#decrypt(key, bytes);
      if (text === undefined) continue;
      const content: unknown = JSON.parse(text);
      if (typeof content !== 'object' || content === null || !('value' in content) || !('expiresAt' in content))
        return undefined;
      return typeof content.expiresAt === 'number' && this.#clock() < content.expiresAt ? content.value : undefined;
    }
    return undefined;
  }

  #decrypt(key: Uint8Array, bytes: Buffer): string | undefined {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES))
      .setAAD(Buffer.from(this.#purpose))
      .setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      return decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    } catch {
      return undefined; // Sealed with another key, or changed: both mean "not ours".
    }
  }
}
