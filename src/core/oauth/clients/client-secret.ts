import { scrypt, timingSafeEqual } from 'node:crypto';
import type { HttpRequest } from '../../base/http/messages.js';
import { decodeUrlencoded } from '../../base/http/urlencoded.js';
import { FairQueue } from '../../base/limits/fair-queue.js';
import { type LimitAt, sourceOf } from '../../base/limits/source.js';
import { equalSecrets, sha256 } from '../../base/secrets.js';
import { isAwaited } from '../../base/waiting.js';
import { GRAMMARS } from '../facts/parameters.js';
import type { ClientSecret, PreparedSecret } from './client.js';
import { hashProblem, readHash, scryptOptions, type SlowHash } from './slow-hash.js';

/**
 * Runs two hashes at a time in this process, for all of its servers: each blocks one of the four threads of libuv's
 * pool, and the application's file and DNS operations need the others.
 */
const PER_SOURCE = 8;
const HASHES = new FairQueue({ atOnce: 2, perSource: PER_SOURCE, inAll: 32 });

/**
 * Whether a text matches the hash.
 *
 * @throws BusyError if too many hashes are already waiting, from the caller's source or in total.
 */
export const hashMatches = (
  secret: string,
  expected: SlowHash,
  caller: HttpRequest,
  limitAt: LimitAt,
): Promise<boolean> =>
  HASHES.run(
    sourceOf(caller.ip),
    () => isAwaited(caller),
    () =>
      new Promise((resolve, reject) => {
        scrypt(secret, expected.salt, expected.hash.length, scryptOptions(expected), (error, derived) => {
          if (error) reject(error); // On success null in Node, and undefined in Bun.
          else resolve(timingSafeEqual(derived, expected.hash));
        });
      }),
    limitAt(caller.ip, PER_SOURCE),
  );

const FIELDS = ['value', 'sha256', 'scrypt', 'expiresAt'];

/** The year 1973 in milliseconds, or a distant year in seconds. */
const LOOKS_LIKE_SECONDS = 1e11;

const checkExpiry = (expiresAt: unknown): void => {
  if (typeof expiresAt !== 'number' || Number.isNaN(expiresAt))
    throw new TypeError('has an expiresAt that is not a number of milliseconds');
  if (expiresAt < LOOKS_LIKE_SECONDS)
    throw new TypeError('has an expiresAt that looks like seconds; it is milliseconds since the epoch');
};

/** base64url characters of 128 bits (RFC 6749 §10.10). */
export const RANDOM_CHARACTERS = 22;

type GivenSecrets = string | ClientSecret | readonly (string | ClientSecret)[] | undefined | null;

/** The secrets that are given in plain text. */
const plainTexts = (given: GivenSecrets): readonly string[] =>
  [given ?? []].flat().flatMap((secret: string | ClientSecret) => {
    const text = typeof secret === 'string' ? secret : secret.value;
    return text === undefined ? [] : [text];
  });

/** Whether one of the secrets given in plain text is short enough to be guessed. */
export const hasShortSecret = (given: GivenSecrets): boolean =>
  plainTexts(given).some((text) => text.length < RANDOM_CHARACTERS);

/** What such a secret needs, as the end of a sentence. */
export const GUESSABLE = `has fewer than ${RANDOM_CHARACTERS} characters, so it could be guessed. Generate one with: npx oauth-query secret`;

/** The fields of a registration that decide whether it may use Basic, and with which texts. */
interface BasicCredentials {
  readonly client_id: string;
  readonly client_secret?: GivenSecrets;
  readonly token_endpoint_auth_method?: string | null | undefined;
}

/** Whether the name or a secret of a client that may use Basic is another text once it is form-decoded there. Of a hash that cannot be known. */
export const isChangedByBasic = ({
  client_id,
  client_secret,
  token_endpoint_auth_method: method,
}: BasicCredentials): boolean =>
  (client_secret ?? undefined) !== undefined &&
  (method ?? 'client_secret_basic') === 'client_secret_basic' &&
  [client_id, ...plainTexts(client_secret)].some((text) => decodeUrlencoded(text) !== text);

/** What such a client does wrong, as the end of a sentence. */
export const CHANGED_BY_BASIC =
  'contains + or %, which form-decoding of HTTP Basic changes (RFC 6749 §2.3.1), so a client that does not percent-encode it first, such as curl -u, gets invalid_client. Use one without them: npx oauth-query secret';

/** @throws TypeError that describes the problem, as the end of a sentence. */
export const prepareSecret = (secret: string | ClientSecret): PreparedSecret => {
  const given: ClientSecret = typeof secret === 'string' ? { value: secret } : secret;
  if (typeof given !== 'object' || given === null)
    throw new TypeError('must be a string, or an object with value, sha256 or scrypt');
  const unknown = Object.keys(given).find((name) => !FIELDS.includes(name));
  if (unknown !== undefined)
    throw new TypeError(`has the unknown field ${JSON.stringify(unknown)}; known are ${FIELDS.join(', ')}`);
  if ('expiresAt' in given && given.expiresAt === undefined)
    throw new TypeError('has an expiresAt that is undefined; leave it out if the secret does not expire');
  const { value, expiresAt = Infinity } = given;
  if ([value, given.sha256, given.scrypt].filter((form) => form !== undefined).length !== 1) {
    throw new TypeError('must have exactly one of value, sha256 and scrypt');
  }
  checkExpiry(expiresAt);
  if (value !== undefined) {
    if (typeof value !== 'string') throw new TypeError('must be a string');
    const problem = hashProblem(value);
    if (problem !== undefined) throw new TypeError(problem);
    if (value === '') throw new TypeError('is empty; is the environment variable set?');
    if (!GRAMMARS.text.test(value))
      throw new TypeError('contains a control character, which requests cannot carry; does it end with a line break?');
    return { expiresAt, sha256: sha256(value) };
  }
  if (given.sha256 !== undefined) {
    if (!/^[A-Za-z0-9_-]{43}$/.test(given.sha256))
      throw new TypeError('has a sha256 that is not 43 characters of base64url');
    return { expiresAt, sha256: Buffer.from(given.sha256, 'base64url').toString('base64url') };
  }
  const parsed = readHash(given.scrypt);
  if (typeof parsed === 'string') throw new TypeError(`has a scrypt hash ${parsed}`);
  return { expiresAt, scrypt: parsed };
};

/**
 * Whether the presented secret is one of these random ones and still valid. All secrets are compared, even after a match,
 * so that timing reveals nothing; unknown clients are compared with {@link NO_SECRET}.
 */
export const secretMatches = (presented: string, secrets: readonly PreparedSecret[], now: number): boolean => {
  const digest = sha256(presented);
  const equal = secrets.filter((secret) => secret.sha256 !== undefined && equalSecrets(digest, secret.sha256));
  return equal.some(({ expiresAt }) => now < expiresAt);
};

/** Like {@link secretMatches}, for secrets chosen by people. */
export const chosenSecretMatches = async (
  presented: string,
  secrets: readonly PreparedSecret[],
  now: number,
  caller: HttpRequest,
  limitAt: LimitAt,
): Promise<boolean> => {
  const matches = await Promise.all(
    secrets.map(
      async ({ scrypt, expiresAt }) =>
        scrypt !== undefined && (await hashMatches(presented, scrypt, caller, limitAt)) && now < expiresAt,
    ),
  );
  return matches.includes(true);
};

/** A secret that never matches, because it expired before it was created. */
export const NO_SECRET: readonly PreparedSecret[] = [{ expiresAt: 0, sha256: 'A'.repeat(43) }];
