import { equalSecrets, sha256 } from '../../base/secrets.js';

/** @see {@link https://www.rfc-editor.org/rfc/rfc7636#section-4.2 | RFC 7636 §4.2} */
export type ChallengeMethod = 'S256' | 'plain';

/** 43 to 128 unreserved characters (RFC 7636 §4.1). */
const VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/;

/** SHA-256 as base64url without padding is always 43 characters. */
const S256_CHALLENGE = /^[A-Za-z0-9\-_]{43}$/;

export const isVerifier = (text: string): boolean => VERIFIER.test(text);

export const isChallengeMethod = (text: string): text is ChallengeMethod => text === 'S256' || text === 'plain';

export const isChallenge = (text: string, method: ChallengeMethod): boolean =>
  (method === 'S256' ? S256_CHALLENGE : VERIFIER).test(text);

/** Whether the challenge was derived from this verifier (RFC 7636 §4.6). */
export const verifierMatches = (verifier: string, challenge: string, method: ChallengeMethod): boolean =>
  equalSecrets(method === 'S256' ? sha256(verifier) : verifier, challenge);
