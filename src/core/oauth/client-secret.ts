import { randomBytes, scrypt, scryptSync, timingSafeEqual } from 'node:crypto';
import type { MaybePromise } from '../ports.js';
import { sha256Bytes } from '../secrets.js';

/**
 * One secret of a confidential client. Exactly one of `value`, `sha256` and `scrypt` says what it is.
 */
export interface ClientSecret {
  /** The secret itself; only its hash is kept in memory. */
  readonly value?: string;
  /** base64url SHA-256 of a random secret of at least 128 bits. */
  readonly sha256?: string;
  /** What {@link hashClientSecret} made of a secret that a person chose. */
  readonly scrypt?: string;
  /** Milliseconds since the epoch; from then on the secret is refused. For the overlap while a secret is rotated. */
  readonly expiresAt?: number;
}

/** A secret ready to be compared. */
export interface PreparedSecret {
  readonly expiresAt: number;
  readonly sha256?: Buffer;
  readonly scrypt?: { readonly salt: Buffer; readonly hash: Buffer };
}

const SCRYPT_BYTES = 32;
/** 32 MiB and a fifth of a second: the parameters that OWASP's password storage sheet recommends with N = 2^15. */
const SCRYPT = { N: 32_768, r: 8, p: 3, maxmem: 64 * 1024 * 1024 } as const;

/**
 * Hashes a secret or a password that a person chose, with scrypt and a salt of its own.
 *
 * @returns Text for {@link ClientSecret.scrypt} or the `password` of a user.
 */
export const hashClientSecret = (secret: string): string => {
  const salt = randomBytes(16);
  return `${salt.toString('base64url')}.${scryptSync(secret, salt, SCRYPT_BYTES, SCRYPT).toString('base64url')}`;
};

const parseScrypt = (text: string): { salt: Buffer; hash: Buffer } | undefined => {
  const [salt, hash, rest] = text.split('.').map((part) => Buffer.from(part, 'base64url'));
  return salt?.length === 16 && hash?.length === SCRYPT_BYTES && rest === undefined ? { salt, hash } : undefined;
};

const scryptMatches = (secret: string, { salt, hash }: { salt: Buffer; hash: Buffer }): Promise<boolean> =>
  new Promise((resolve, reject) => {
    scrypt(secret, salt, SCRYPT_BYTES, SCRYPT, (error, derived) => {
      if (error === null) resolve(timingSafeEqual(derived, hash));
      else reject(error);
    });
  });

/** Whether a text is a hash that {@link hashClientSecret} made. */
export const isHash = (text: string): boolean => parseScrypt(text) !== undefined;

/** Whether a text is this hash's secret; `false` for a text that is no hash of {@link hashClientSecret}. */
export const hashMatches = async (secret: string, hashed: string): Promise<boolean> => {
  const parsed = parseScrypt(hashed);
  return parsed !== undefined && scryptMatches(secret, parsed);
};

const FIELDS = ['value', 'sha256', 'scrypt', 'expiresAt'];

/** The year 1973 in milliseconds, and a year far off in seconds. */
const LOOKS_LIKE_SECONDS = 1e11;

const checkExpiry = (expiresAt: unknown): void => {
  if (typeof expiresAt !== 'number' || Number.isNaN(expiresAt))
    throw new TypeError('has an expiresAt that is no number of milliseconds');
  if (expiresAt < LOOKS_LIKE_SECONDS)
    throw new TypeError('has an expiresAt that looks like seconds; it is milliseconds since the epoch');
};

/** @throws TypeError that says what is wrong, as the end of a sentence. */
export const prepareSecret = (secret: string | ClientSecret): PreparedSecret => {
  const given: ClientSecret = typeof secret === 'string' ? { value: secret } : secret;
  if (typeof given !== 'object' || given === null)
    throw new TypeError('must be text, or an object with value, sha256 or scrypt');
  const unknown = Object.keys(given).find((name) => !FIELDS.includes(name));
  if (unknown !== undefined)
    throw new TypeError(`has a field ${JSON.stringify(unknown)} that is not known; known are ${FIELDS.join(', ')}`);
  const { value, expiresAt = Infinity } = given;
  if ([value, given.sha256, given.scrypt].filter((form) => form !== undefined).length !== 1) {
    throw new TypeError('needs exactly one of value, sha256 and scrypt');
  }
  checkExpiry(expiresAt);
  if (value !== undefined) {
    if (typeof value !== 'string') throw new TypeError('must be text');
    if (value === '') throw new TypeError('is empty; is the environment variable set?');
    return { expiresAt, sha256: sha256Bytes(value) };
  }
  if (given.sha256 !== undefined) {
    if (!/^[A-Za-z0-9_-]{43}$/.test(given.sha256))
      throw new TypeError('has a sha256 that is not 43 characters of base64url');
    return { expiresAt, sha256: Buffer.from(given.sha256, 'base64url') };
  }
  const parsed = parseScrypt(String(given.scrypt));
  if (parsed === undefined) throw new TypeError('has a scrypt hash that hashClientSecret did not make');
  return { expiresAt, scrypt: parsed };
};

/**
 * Whether the presented secret is one of these and still valid. Every secret is compared, whichever matches, so that
 * the time tells nothing; an unknown client goes through here with {@link NO_SECRET}.
 */
export const secretMatches = (
  presented: string,
  secrets: readonly PreparedSecret[],
  now: number,
): MaybePromise<boolean> => {
  const digest = sha256Bytes(presented);
  const slow: Promise<boolean>[] = [];
  let matched = false;
  for (const { sha256, scrypt, expiresAt } of secrets) {
    const isValid = now < expiresAt;
    if (sha256 !== undefined) matched = (timingSafeEqual(digest, sha256) && isValid) || matched;
    if (scrypt !== undefined) slow.push(scryptMatches(presented, scrypt).then((equal) => equal && isValid));
  }
  return slow.length === 0 ? matched : Promise.all(slow).then((results) => matched || results.includes(true));
};

/** A secret that nothing matches: it had expired before it was made. */
export const NO_SECRET: readonly PreparedSecret[] = [{ expiresAt: 0, sha256: sha256Bytes('') }];
