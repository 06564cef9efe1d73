import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Clock, RandomBytes } from './ports.js';
import { deriveKey } from './secrets.js';

const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Values that travel through the browser and come back: the validated authorization request while its owner signs in,
 * and the session of the built-in pages. Sealed with AES-256-GCM, so nobody can read or change them, and bound to one
 * purpose each, so that one cannot be passed off as another.
 */
export class Seal {
  readonly #keys: readonly Uint8Array[];
  readonly #purpose: string;
  readonly #clock: Clock;
  readonly #random: RandomBytes;

  /** @param secrets - The first one seals; all of them open, so that a secret can be rotated. */
  constructor(secrets: readonly string[], purpose: string, clock: Clock, random: RandomBytes) {
    this.#keys = secrets.map((secret) => deriveKey(secret, `seal ${purpose}`));
    this.#purpose = purpose;
    this.#clock = clock;
    this.#random = random;
  }

  /** @param expiresAt - Milliseconds since the epoch. */
  seal(value: object, expiresAt: number): string {
    const key = this.#keys[0];
    if (key === undefined) throw new TypeError('There is no secret to seal with.');
    const iv = this.#random(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(this.#purpose));
    const text = cipher.update(JSON.stringify({ value, expiresAt }), 'utf8');
    return Buffer.concat([iv, text, cipher.final(), cipher.getAuthTag()]).toString('base64url');
  }

  /** What was sealed, or `undefined` if it was changed, has expired or was never ours. */
  open(sealed: string): unknown {
    const bytes = Buffer.from(sealed, 'base64url');
    if (bytes.length <= IV_BYTES + TAG_BYTES) return undefined;
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
      return undefined; // Not sealed with this key, or changed on the way: both mean "not ours".
    }
  }
}
