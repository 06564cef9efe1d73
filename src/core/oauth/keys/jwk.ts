/** A JSON Web Key (RFC 7517). */
export type Jwk = Readonly<Record<string, unknown>>;

/** RS256 is first, because every verifier supports it. ES256 is small and fast; so is EdDSA, if every verifier supports it. */
export const SIGNING_ALGORITHMS = ['RS256', 'ES256', 'EdDSA', 'PS256'] as const;
export type SigningAlgorithm = (typeof SIGNING_ALGORITHMS)[number];
