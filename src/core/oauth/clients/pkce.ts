import { equalSecrets, sha256 } from '../../base/secrets.js';

/** @see {@link https://www.rfc-editor.org/rfc/rfc7636#section-4.2 | RFC 7636 §4.2} */
export type ChallengeMethod = 'S256' | 'plain';

/**
 * 43 to 128 visible characters. RFC 7636 §4.1 allows unreserved ones only, but some clients send the padding of base64, and the proof is the
 * hash, not the alphabet.
 */
const VERIFIER = /^[\x21-\x7e]{43,128}$/;

/** SHA-256 as base64url without padding is always 43 characters. */
const S256_CHALLENGE = /^[A-Za-z0-9\-_]{43}$/;

export const isChallengeMethod = (text: string): text is ChallengeMethod => text === 'S256' || text === 'plain';

export const isChallenge = (text: string, method: ChallengeMethod): boolean =>
  (method === 'S256' ? S256_CHALLENGE : VERIFIER).test(text);

/** Why a verifier does not prove a challenge (RFC 7636 §4.6), as a sentence; `undefined` if it does. */
export const verifierProblem = (verifier: string, challenge: string, method: ChallengeMethod): string | undefined => {
  if (!VERIFIER.test(verifier)) return 'The code_verifier must have 43 to 128 visible ASCII characters.';
  return equalSecrets(method === 'S256' ? sha256(verifier) : verifier, challenge)
    ? undefined
    : 'The code_verifier does not match the code_challenge of the authorization request.';
};
