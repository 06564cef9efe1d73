import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { isSecretKey } from '../core/base/public-keys.js';
import { isRecord } from '../core/base/schema.js';
import { sha256 } from '../core/base/secrets.js';

/** How a signature of an algorithm is verified, and which keys it needs. */
interface Algorithm {
  readonly kty: 'EC' | 'OKP' | 'RSA';
  readonly crv?: string;
  readonly hash: string | null;
  readonly options?: object;
}

const ECDSA = { dsaEncoding: 'ieee-p1363' } as const;
const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST } as const;
const ED25519 = { kty: 'OKP', crv: 'Ed25519', hash: null } as const;

/** Asymmetric algorithms only (RFC 9449 §11.6). */
const ALGORITHMS: ReadonlyMap<unknown, Algorithm> = new Map<unknown, Algorithm>([
  ['ES256', { kty: 'EC', crv: 'P-256', hash: 'sha256', options: ECDSA }],
  ['ES384', { kty: 'EC', crv: 'P-384', hash: 'sha384', options: ECDSA }],
  ['EdDSA', ED25519],
  ['Ed25519', ED25519],
  ['PS256', { kty: 'RSA', hash: 'sha256', options: PSS }],
  ['RS256', { kty: 'RSA', hash: 'sha256' }],
]);

export const PROOF_ALGORITHMS: readonly string[] = [...ALGORITHMS.keys()].map(String);

/** The members of a thumbprint, in its order (RFC 7638 §3.2). */
const MEMBERS = { EC: ['crv', 'kty', 'x', 'y'], OKP: ['crv', 'kty', 'x'], RSA: ['e', 'kty', 'n'] } as const;

/** A longer member would make the signature slow to verify: an RSA key of 8192 bits has 1366 characters. */
const MEMBER = /^[\w-]{1,1366}$/;
/** An exponent of 32 bits, for the same reason. */
const EXPONENT = /^[\w-]{1,6}$/;

/** A public key that verifies the proofs of one client. */
export interface ProofKey {
  /** Its SHA-256 thumbprint. */
  readonly jkt: string;
  /** @param signature - As base64url. */
  verifies(text: string, signature: string): boolean;
}

/** Reads the members that a key needs, and no others. */
const membersOf = (jwk: Readonly<Record<string, unknown>>, { kty, crv }: Algorithm) => {
  if (jwk['kty'] !== kty || (crv !== undefined && jwk['crv'] !== crv) || isSecretKey(jwk)) return undefined;
  const members = MEMBERS[kty].map((name) => [name, jwk[name]] as const);
  const isText = members.every(
    ([name, member]) => typeof member === 'string' && (name === 'e' ? EXPONENT : MEMBER).test(member),
  );
  return isText ? Object.fromEntries(members) : undefined;
};

const isLongEnough = ({ asymmetricKeyDetails }: KeyObject): boolean =>
  (asymmetricKeyDetails?.modulusLength ?? 2048) >= 2048;

/** The result of reading the header of a proof: its key, or what is wrong. */
type ReadKey = ProofKey | 'malformed' | 'algorithm' | 'key';

/** The key in the header of a proof (RFC 9449 §4.2). */
export const keyIn = (header: unknown): ReadKey => {
  if (!isRecord(header) || header['typ'] !== 'dpop+jwt' || Object.hasOwn(header, 'crit')) return 'malformed';
  const algorithm = ALGORITHMS.get(header['alg']);
  if (algorithm === undefined) return 'algorithm';
  const jwk = header['jwk'];
  const members = isRecord(jwk) ? membersOf(jwk, algorithm) : undefined;
  if (members === undefined) return 'key';
  try {
    const key = createPublicKey({ key: members, format: 'jwk' });
    if (!isLongEnough(key)) return 'key';
    // As Node writes it, so that a key has one thumbprint however its numbers were written.
    const written: Readonly<Record<string, unknown>> = { ...key.export({ format: 'jwk' }) };
    const jkt = sha256(JSON.stringify(Object.fromEntries(MEMBERS[algorithm.kty].map((name) => [name, written[name]]))));
    const { hash, options } = algorithm;
    return {
      jkt,
      verifies: (text, signature) => {
        try {
          return verify(hash, Buffer.from(text), { key, ...options }, Buffer.from(signature, 'base64url'));
        } catch {
          return false; // OpenSSL rejects some malformed signatures with an error.
        }
      },
    };
  } catch {
    return 'key';
  }
};
