import type { Authorization } from './authorization.js';
import { BearerError, OAuthError, tooManyRequests } from './errors.js';
import type { GuardRequirement, PresentedToken } from './http/bearer.js';
import type { HttpRequest } from './http/messages.js';
import { type ProofChecker, ProofError, type ProofQuestion, type ProvenKey } from './key-proofs.js';
import type { MaybePromise } from './ports.js';

/** Called with each proof that is rejected, for an event. */
type ProofListener = (error: ProofError) => void;

/** A token with the proof that came with it. */
export interface WithProof extends Omit<ProofQuestion, 'token'> {
  readonly token: string;
  /** `either`: the token came without a scheme. */
  readonly scheme: PresentedToken['scheme'] | 'either';
}

/** The proof of a request to a protected route. The addresses are only computed for a proof. */
export const proofOf = (
  request: HttpRequest,
  presented: PresentedToken,
  { audience = [] }: Pick<GuardRequirement, 'audience'>,
  checker: ProofChecker | undefined,
): WithProof => {
  const isProof = checker !== undefined && presented.scheme === 'DPoP';
  const proof = isProof ? request.header('dpop') : undefined;
  // Repeated headers were joined. A proof contains no comma.
  if (proof?.includes(',') === true) throw new BearerError('invalid_request', 'The DPoP header must not be repeated.');
  return {
    token: presented.token,
    scheme: presented.scheme,
    proof,
    method: request.method,
    addresses: isProof ? checker.addressesOf(request.path, audience) : [],
  };
};

/** A proof that came without a request that a guard could read. */
export interface GivenProof {
  /** The proof itself. */
  readonly jwt: string | undefined;
  /** The method that it must name, such as `GET` for the upgrade request of a WebSocket. */
  readonly method: string;
  /** The URL that it must name, as the client knows it. */
  readonly url: string;
}

/** A token that came without a request: its kind decides whether it needs the proof. */
export const withGivenProof = (token: string, given: GivenProof | undefined): WithProof => ({
  token,
  scheme: given === undefined ? 'Bearer' : 'either',
  proof: typeof given?.jwt === 'string' ? given.jwt : undefined,
  method: given?.method ?? '',
  addresses: given === undefined ? [] : [given.url],
});

const unbound = (sentence: string): BearerError => new BearerError('invalid_token', sentence);

const refusedAtResource = (error: unknown, tell: ProofListener | undefined): never => {
  if (!(error instanceof ProofError)) throw error;
  tell?.(error);
  if (error.code === undefined)
    throw new OAuthError('temporarily_unavailable', error.message, { status: 429, headers: error.headers });
  throw new BearerError(error.code, error.message, undefined, error.headers);
};

/**
 * Checks that a token was sent as it must be: a bound one with a proof of its key, any other one without (RFC 9449 §7.1).
 *
 * @returns the proven key; `undefined` for a bearer token, and for an invalid one.
 * @throws BearerError, or OAuthError with the status 429
 */
export const provenAtResource = (
  authorization: Authorization | undefined,
  { token: text, scheme, proof, method, addresses }: WithProof,
  { dpop }: Pick<GuardRequirement, 'dpop'>,
  checker: ProofChecker,
  tell: ProofListener | undefined,
): MaybePromise<ProvenKey | undefined> => {
  if (authorization === undefined) return undefined;
  const jkt = authorization.cnf?.jkt;
  if (jkt === undefined) {
    if (scheme === 'DPoP')
      throw unbound('The access token is not bound to a key. Send it as Authorization: Bearer ACCESS_TOKEN.');
    if (dpop === 'required' || checker.required)
      throw unbound('This request requires an access token that is bound to a key. Request one with a DPoP proof.');
    return undefined;
  }
  // Without the scheme DPoP, the token is refused as a bearer token.
  if (scheme === 'Bearer') return undefined;
  try {
    const proven = checker.check({ proof, method, addresses, token: { text, jkt } });
    return proven instanceof Promise ? proven.catch((error: unknown) => refusedAtResource(error, tell)) : proven;
  } catch (error) {
    return refusedAtResource(error, tell);
  }
};

/**
 * The key that a request to an endpoint proves; `undefined` without a proof.
 *
 * @param addresses - Those of the endpoint.
 * @throws OAuthError `invalid_dpop_proof`, `use_dpop_nonce`
 */
export const provenAtEndpoint = async (
  request: HttpRequest,
  addresses: readonly string[],
  checker: ProofChecker | undefined,
  tell: ProofListener | undefined,
): Promise<ProvenKey | undefined> => {
  const proof = checker === undefined ? undefined : request.header('dpop');
  if (checker === undefined || proof === undefined) return undefined;
  try {
    return await checker.check({ proof, method: request.method, addresses });
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    tell?.(error);
    throw error.code === undefined
      ? tooManyRequests(error.message, 1)
      : new OAuthError(error.code, error.message, { headers: error.headers });
  }
};
