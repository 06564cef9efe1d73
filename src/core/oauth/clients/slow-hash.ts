import { scryptSync } from 'node:crypto';
import { systemRandom } from '../../base/system.js';

/** The cost parameters of scrypt (RFC 7914 §2): N is 2 to the power of `ln`. */
interface ScryptCost {
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

/** The hash of a secret chosen by a person, prepared for comparison. */
export interface SlowHash extends ScryptCost {
  readonly salt: Buffer;
  readonly hash: Buffer;
}

/** 32 MiB and a fifth of a second: parameters recommended by OWASP's password storage cheat sheet, with N = 2^15. */
const COST: ScryptCost = { ln: 15, r: 8, p: 3 };

const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** Four times the memory and a third more time than {@link COST}: with more, a sign-in could overload the server. */
const MAX_BYTES = 128 * 1024 * 1024;
const MAX_STEPS = 2 ** 20;

/** Less than this does not protect a secret chosen by a person. */
const MIN_STEPS = 2 ** 14;

const PHC =
  /^\$scrypt\$ln=([1-9]\d?),r=([1-9]\d{0,3}),p=([1-9]\d{0,3})\$([A-Za-z0-9+/]{11,64})\$([A-Za-z0-9+/]{43,86})$/;

const bytesOf = ({ ln, r }: ScryptCost): number => 128 * 2 ** ln * r;
const stepsOf = ({ ln, r, p }: ScryptCost): number => 2 ** ln * r * p;

/** Parameters for Node's scrypt. */
export const scryptOptions = (cost: ScryptCost): { N: number; r: number; p: number; maxmem: number } => ({
  N: 2 ** cost.ln,
  r: cost.r,
  p: cost.p,
  // In addition to the table, scrypt needs one block per lane.
  maxmem: bytesOf(cost) + 128 * cost.r * (cost.p + 2) + 1024,
});

const phcText = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

/**
 * Hashes a secret or a password chosen by a person, with scrypt and a random salt.
 *
 * @returns text for `client_secret.scrypt` or the `password` of a user, as a PHC string, which contains its parameters.
 * @see {@link https://github.com/P-H-C/phc-string-format/blob/master/phc-sf-spec.md | PHC string format}
 */
export const hashSecret = (secret: string): string => {
  const salt = Buffer.from(systemRandom(SALT_BYTES));
  const hash = scryptSync(secret, salt, HASH_BYTES, scryptOptions(COST));
  return `$scrypt$ln=${COST.ln},r=${COST.r},p=${COST.p}$${phcText(salt)}$${phcText(hash)}`;
};

/** Hashes that this package and others make of passwords. Taken for the password itself, no one could sign in. */
const HASH = /^\$(?:scrypt\$|argon2(?:id|i|d)\$|2[abxy]\$\d\d\$[./A-Za-z\d]{53}$)/;

/** What is wrong with text that should be a password and is the hash of one, as the end of a sentence. */
export const hashProblem = (text: string): string | undefined =>
  !HASH.test(text)
    ? undefined
    : text.startsWith('$scrypt$')
      ? 'is a hash, not the secret itself; pass it as { scrypt }'
      : 'is a hash of bcrypt or Argon2, not the secret itself; pass { scrypt } with what hashSecret makes of the secret';

/** Parses a hash, or returns what is wrong with it, as the end of a sentence. */
export const readHash = (text: unknown): SlowHash | string => {
  const [, ln, r, p, salt = '', hash = ''] = PHC.exec(String(text)) ?? [];
  if (ln === undefined) return 'that was not created by hashSecret';
  const cost = { ln: Number(ln), r: Number(r), p: Number(p) };
  if (bytesOf(cost) > MAX_BYTES || stepsOf(cost) > MAX_STEPS)
    return `whose parameters cost too much: 128·N·r may be ${MAX_BYTES} bytes and N·r·p may be ${MAX_STEPS}`;
  if (stepsOf(cost) < MIN_STEPS) return `whose parameters are too weak: N·r·p must be at least ${MIN_STEPS}`;
  return { ...cost, salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64') };
};

/** An empty hash of each cost: comparing with one of each takes the same time, whichever hash is the right one, or none. */
export const decoysOf = (hashes: readonly SlowHash[]): readonly SlowHash[] => {
  const empty = { salt: Buffer.alloc(SALT_BYTES), hash: Buffer.alloc(HASH_BYTES) };
  return [...new Map(hashes.map(({ ln, r, p }) => [`${ln} ${r} ${p}`, { ln, r, p, ...empty }])).values()];
};
