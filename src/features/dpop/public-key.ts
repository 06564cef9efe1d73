import { constants, createPublicKey, hash, type KeyObject, verify } from 'node:crypto';
import { isRecord, isSecretKey } from '../../core/feature/index.js';

/** As thumbprints and hashes of tokens are written (RFC 7638 §3, RFC 9449 §4.2). */
export const sha256 = (text: string): string => hash('sha256', text, 'base64url');

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

type KeyInput = Parameters<typeof verify>[2];

/** @param jwk - The same key for workerd, which takes no KeyObject next to options. Slower, because it is read again. */
const isSignature = (
  digest: string | null,
  key: KeyInput,
  text: Buffer,
  signature: Buffer,
  jwk?: KeyInput,
): boolean => {
  try {
    return verify(digest, text, key, signature);
  } catch (error) {
    // OpenSSL rejects some malformed signatures with an error, which is no TypeError.
    return error instanceof TypeError && jwk !== undefined && isSignature(digest, jwk, text, signature);
  }
};

/** The result of reading the header of a proof: its key, or what is wrong. */
type ReadKey = ProofKey | 'malformed' | 'algorithm' | 'key';

/** The key in the header of a proof (RFC 9449 §4.2). @param accepted - Names of algorithms. */
export const keyIn = (header: unknown, accepted: readonly unknown[]): ReadKey => {
  if (!isRecord(header) || header['typ'] !== 'dpop+jwt' || Object.hasOwn(header, 'crit')) return 'malformed';
  const algorithm = ALGORITHMS.get(header['alg']);
  if (algorithm === undefined || !accepted.includes(header['alg'])) return 'algorithm';
  const jwk = header['jwk'];
  const members = isRecord(jwk) ? membersOf(jwk, algorithm) : undefined;
  if (members === undefined) return 'key';
  try {
    const key = createPublicKey({ key: members, format: 'jwk' });
    if (!isLongEnough(key)) return 'key';
    // As Node writes it, so that a key has one thumbprint however its numbers were written.
    const written: Readonly<Record<string, unknown>> = { ...key.export({ format: 'jwk' }) };
    const jkt = sha256(JSON.stringify(Object.fromEntries(MEMBERS[algorithm.kty].map((name) => [name, written[name]]))));
    const { hash: digest, options } = algorithm;
    return {
      jkt,
      verifies: (text, signature) => {
        const signed = [Buffer.from(text), Buffer.from(signature, 'base64url')] as const;
        if (options === undefined) return isSignature(digest, key, ...signed);
        return isSignature(digest, { key, ...options }, ...signed, { key: members, format: 'jwk', ...options });
      },
    };
  } catch {
    return 'key';
  }
};
