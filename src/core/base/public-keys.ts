import { createPublicKey } from 'node:crypto';

type Jwk = Readonly<Record<string, unknown>>;

/** Asymmetric algorithms only: the client has no shared secret for an HMAC. */
export const ASSERTION_ALGORITHMS = ['ES256', 'ES384', 'EdDSA', 'Ed25519', 'PS256', 'RS256'] as const;

/** An algorithm of assertions. */
export type AssertionAlgorithm = (typeof ASSERTION_ALGORITHMS)[number];

const SECRET_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'];

/** Whether a key is private or symmetric: whoever registers or publishes it by mistake has to replace it. */
export const isSecretKey = (jwk: Jwk): boolean =>
  jwk['kty'] === 'oct' || SECRET_MEMBERS.some((name) => Object.hasOwn(jwk, name));

/** The problem with a registration's public keys, as the end of a sentence. */
const publicKeysProblem = (keys: readonly Jwk[]): string | undefined => {
  for (const [index, key] of keys.entries()) {
    const problem = publicKeyProblem(key);
    if (problem !== undefined) return `jwks.keys[${index}] ${problem}`;
  }
  return undefined;
};

/** The problem with what a client signs with, as the end of a sentence. */
export const signingProblem = ({
  jwks,
  jwksUri,
  assertionAlgorithm,
}: {
  readonly jwks: { readonly keys: readonly Jwk[] } | undefined;
  readonly jwksUri: string | undefined;
  readonly assertionAlgorithm: string | undefined;
}): string | undefined => {
  if (jwks !== undefined) return publicKeysProblem(jwks.keys);
  return assertionAlgorithm === undefined || jwksUri !== undefined
    ? undefined
    : 'token_endpoint_auth_signing_alg requires jwks or jwks_uri';
};

/** The problem with a public key, as the end of a sentence. */
export const publicKeyProblem = (jwk: Jwk): string | undefined => {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPublicKey({
      key: { ...jwk },
      format: 'jwk',
    });
    if (asymmetricKeyType === 'rsa')
      return (asymmetricKeyDetails?.modulusLength ?? 0) < 2048 ? 'has fewer than 2048 bits' : undefined;
    const known =
      asymmetricKeyType === 'ed25519' ||
      (asymmetricKeyType === 'ec' && (jwk['crv'] === 'P-256' || jwk['crv'] === 'P-384'));
    return known ? undefined : `must be for one of ${ASSERTION_ALGORITHMS.join(', ')}`;
  } catch {
    return 'cannot be read as a JWK';
  }
};
