import { OAuthError } from '../../base/errors.js';
import { parseScope } from '../../base/scope.js';
import { sha256 } from '../../base/secrets.js';
import { checkAwaited } from '../../base/waiting.js';
import { verifierProblem } from '../clients/pkce.js';
import type { Parameters } from '../facts/parameters.js';
import type { GrantHandler, TokenRequest } from '../kernel/grant-handler.js';
import type { EndAsReplay } from '../kernel/replay.js';
import type { RequestedAccess } from '../kernel/requested-access.js';
import { isStillAllowed, otherKey, scopeStillAllowed, type StillAllowedServices } from '../kernel/still-allowed.js';
import { type CodePart, parseKept } from '../records/chain-record.js';
import { grantIdOf, isTokenShaped } from '../records/token-id.js';
import { isRecent, type Timekeeper, type Written } from '../records/window.js';
import type { FoundCode, Redeemed } from '../tokens/codes.js';
import type { Grant, Issuance } from '../tokens/grant.js';

/** The same message for unknown, expired and used codes, so that guessing reveals nothing. */
const invalidCode = (): OAuthError => new OAuthError('invalid_grant', 'The authorization code is not valid.');

interface CodeGrantServices extends StillAllowedServices, Timekeeper {
  readonly codes: {
    find(id: string, hash: string): Promise<FoundCode | undefined>;
    countFailure(presented: FoundCode): Promise<void>;
    redeem(presented: FoundCode, issue: Issuance): Promise<Redeemed>;
  };
  readonly requested: RequestedAccess;
  readonly endAsReplay: EndAsReplay;
  readonly lifetimes: { readonly codeReplayTolerance: number };
}

/**
 * Redeems an authorization code. Everything is checked before the code is used up, so an invalid request costs the client
 * nothing; then a single `swap` determines who redeems it. A second valid redemption revokes the grant.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-4.1.3 | RFC 6749 §4.1.3}
 * @see {@link https://www.rfc-editor.org/rfc/rfc7636#section-4.6 | RFC 7636 §4.6}
 */
export const authorizationCode =
  (services: CodeGrantServices): GrantHandler =>
  async (tokenRequest) => {
    const { request, form, client, jkt } = tokenRequest;
    const { codes, requested } = services;
    const code = form.get('code');
    if (code === undefined) throw new OAuthError('invalid_request', 'The parameter code is missing.');
    const id = isTokenShaped(code) ? grantIdOf(code) : undefined;
    if (id === undefined) throw invalidCode();
    const found = await codes.find(id, sha256(code));
    if (found === undefined || found.grant.client_id !== client.client_id) throw invalidCode();
    const { grant, taken } = found;
    checkRedirectUri(form, found.code);
    const problem = problemOfVerifier(form, found.code);
    if (problem !== undefined) return refuseGuess(new OAuthError('invalid_grant', problem), found, services);
    const aud = requested.narrowed(form, grant.aud);
    const kept = parseKept(found.chain.kept);
    const bound = kept['dpop_jkt'];
    // RFC 9449 §10: the code is bound to a key. A wrong key counts like a wrong verifier.
    if (bound !== undefined && bound !== jkt) return refuseGuess(otherKey(), found, services);
    if (taken !== undefined) return refuseReplay(taken, grant, tokenRequest, services);
    const allowed = isStillAllowed(grant, client, services);
    if (!(allowed instanceof Promise ? await allowed : allowed)) throw invalidCode();
    const scope = scopeStillAllowed(parseScope(grant.scope) ?? [], client);
    const issue = { client, grant, scope, aud, jkt, grant_type: 'authorization_code', kept };
    checkAwaited(request);
    const redeemed = await codes.redeem(found, issue);
    if (redeemed === undefined) throw invalidCode();
    if ('taken' in redeemed) return refuseReplay(redeemed.taken, grant, tokenRequest, services);
    return { response: redeemed.response, sub: grant.sub, grant_id: id };
  };

/** Counts a guess at what a code is bound to. A redeemed code gives nothing more, so guesses do not matter. */
const refuseGuess = async (error: OAuthError, found: FoundCode, { codes }: CodeGrantServices): Promise<never> => {
  if (found.taken === undefined) await codes.countFailure(found);
  throw error;
};

/** RFC 6749 §4.1.3: the token request must repeat the redirect_uri of the authorization request. */
const checkRedirectUri = (form: Parameters, { redirect_uri, redirect_uri_sent }: CodePart): void => {
  const sent = form.get('redirect_uri');
  if (sent === undefined ? redirect_uri_sent : sent !== redirect_uri) {
    throw new OAuthError('invalid_grant', 'The redirect_uri is not the one of the authorization request.');
  }
};

/** @returns what is wrong with a verifier that may be a guess. @throws OAuthError for a request without one, and for one that must have none. */
const problemOfVerifier = (
  form: Parameters,
  { code_challenge: challenge, code_challenge_method: method }: CodePart,
): string | undefined => {
  const verifier = form.get('code_verifier');
  if (challenge === null || method === null) {
    if (verifier === undefined && challenge === method) return undefined;
    // RFC 9700 §4.8.2: the authorization request had no challenge, so an attacker may have removed it.
    throw new OAuthError('invalid_request', 'The authorization request had no code_challenge.');
  }
  if (verifier === undefined) throw new OAuthError('invalid_grant', 'The code_verifier is missing.');
  return verifierProblem(verifier, challenge, method);
};

/** Whoever redeems a code twice, or loses the race for it, ends the grant (RFC 6749 §4.1.2), unless the first redemption was just now. */
const refuseReplay = async (
  taken: Written,
  grant: Grant,
  request: TokenRequest,
  services: CodeGrantServices,
): Promise<never> => {
  if (!isRecent(services.lifetimes.codeReplayTolerance, taken, services))
    await services.endAsReplay('authorization_code', grant, request);
  throw invalidCode();
};
