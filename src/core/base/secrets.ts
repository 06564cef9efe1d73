import { hash, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { RandomBytes } from './ports.js';

/** Hashes a random value of 256 bits for use as a key: the value cannot be derived from the hash. */
export const sha256 = (text: string): string => hash('sha256', text, 'base64url');

/**
 * A MAC, for values that are too short to be safe under a plain hash: the hash of the key and the text, without the two rounds
 * of an HMAC. Those protect hashes that others can continue, and SHA-512/256 is none: it hides half of its state (FIPS 180-4 §5.3.6.2). It stays,
 * because the names of stored records are made with it, such as those of connections, which live for months; a second MAC for all others would be
 * more to audit.
 *
 * @param key - All keys for a purpose are equally long.
 */
export const keyedHash = (key: string, text: string): string => hash('sha512-256', key + text, 'base64url');

/** Derives one key per purpose from the application's secret (RFC 5869): 256 bits as base64url. */
export const deriveKey = (secret: string, purpose: string): string =>
  Buffer.from(hkdfSync('sha256', secret, '', `oauth-query ${purpose}`, 32)).toString('base64url');

/** Compares in constant time. */
export const equalSecrets = (a: string, b: string): boolean => {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
};

/** Enough for a hundred tokens: one call to the system's random generator costs as much as ten tokens. */
const POOL_SIZE = 4096;

/** 96 bits: a `rev` only has to differ from the others of its record. */
const REV_BYTES = 12;

/** Random strings, read from a pool so that not every token needs a call to the generator. */
export class RandomSource {
  readonly #random: RandomBytes;
  #pool: Buffer = Buffer.alloc(0);
  #used = 0;

  constructor(random: RandomBytes) {
    this.#random = random;
  }

  /** A number of random bytes as base64url without padding. */
  string(bytes: number): string {
    const from = this.#take(bytes);
    const to = from + bytes;
    const text = this.#pool.toString('base64url', from, to);
    this.#pool.fill(0, from, to);
    return text;
  }

  /** A new `rev` for a record, of 16 characters. */
  rev(): string {
    return this.string(REV_BYTES);
  }

  /** A number of letters of an alphabet, each equally likely. */
  letters(count: number, alphabet: string): string {
    // Bytes from the largest multiple of the alphabet's size on would make its first letters more likely.
    const limit = 256 - (256 % alphabet.length);
    let text = '';
    while (text.length < count) {
      const byte = this.#pool[this.#take(1)] ?? 255;
      if (byte < limit) text += alphabet.charAt(byte % alphabet.length);
    }
    return text;
  }

  /** @returns where they begin in the pool. */
  #take(bytes: number): number {
    if (this.#used + bytes > this.#pool.length) {
      const fresh = this.#random(Math.max(POOL_SIZE, bytes));
      this.#pool = Buffer.from(fresh.buffer, fresh.byteOffset, fresh.byteLength);
      this.#used = 0;
    }
    const from = this.#used;
    this.#used += bytes;
    return from;
  }
}
