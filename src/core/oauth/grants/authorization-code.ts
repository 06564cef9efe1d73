import { OAuthError } from '../../base/errors.js';
import { sha256 } from '../../base/secrets.js';
import type { Client } from '../clients/client.js';
import type { OAuthContext } from '../context.js';
import type { Parameters } from '../parameters.js';
import { isVerifier, verifierMatches } from '../authorization/pkce.js';
import { CODE, type CodeRecord, GRANT, keys, MARK, TAKEN, type TakenRecord } from '../stored-records.js';
import { narrowedResources } from '../requested-scope.js';
import { grantIdOf, isTokenShaped } from '../tokens/token-id.js';
import { parseTombstone } from '../tokens/tombstone.js';
import { isRecent } from '../tokens/window.js';
import { isStillAllowed } from './still-allowed.js';
import type { GrantHandler } from './grant-handler.js';

/** The same message for unknown, expired and used codes, so that guessing reveals nothing. */
const invalidCode = (): OAuthError => new OAuthError('invalid_grant', 'The authorization code is not valid.');

/** What is known about a presented code. */
interface PresentedCode {
  readonly id: string;
  readonly record: CodeRecord;
  /** The record of its earlier redemption. */
  readonly taken: TakenRecord | undefined;
}

/**
 * Redeems an authorization code. Everything is checked before the code is used up, so an invalid request costs the client
 * nothing; then a single `add` determines who redeems it. A second valid redemption revokes the grant.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-4.1.3 | RFC 6749 §4.1.3}
 * @see {@link https://www.rfc-editor.org/rfc/rfc7636#section-4.6 | RFC 7636 §4.6}
 */
export const authorizationCode: GrantHandler = async ({ form, client, context }) => {
  const code = form.get('code');
  if (code === undefined) throw new OAuthError('invalid_request', 'The parameter code is missing.');
  const id = isTokenShaped(code) ? grantIdOf(code) : undefined;
  if (id === undefined) throw invalidCode();
  const { records, refreshTokens, config } = context;
  const hash = sha256(code);
  const [live, grant, before, dead] = await records.getEach(
    [keys.codeOf(id, hash), CODE],
    [keys.grant(id), GRANT],
    [keys.spent(id, 0), TAKEN],
    [keys.failedVerifier(id, config.limits.failedVerifiers), MARK],
  );
  const taken = before?.taken === hash ? before : undefined;
  // Wrong verifiers invalidate a code that is not yet redeemed. They must not hide the replay of a redeemed one.
  const record = taken?.code ?? (dead === undefined ? live : undefined);
  if (record === undefined || record.client_id !== client.client_id) throw invalidCode();
  checkRedirectUri(form, record);
  await checkVerifier(form, code, { id, record, taken }, context);
  if (grant === undefined || record.grant !== id) throw invalidCode();
  const issue = {
    client,
    grant: { id, ...grant },
    scope: record.scope,
    aud: narrowedResources(form, grant.aud, context),
  };
  if (taken !== undefined) return refuseReplay(taken, issue.grant.id, client, context);
  if (!(await isStillAllowed(issue.grant, client, context))) throw invalidCode();

  const response = await refreshTokens.begin({ taken: hash, code: record }, issue);
  if (response !== undefined) return { response, sub: grant.sub, grant_id: id };
  const winner = await records.get(keys.spent(id, 0), TAKEN);
  return refuseReplay(winner, id, client, context);
};

/** RFC 6749 §4.1.3: the token request must repeat the redirect_uri of the authorization request. */
const checkRedirectUri = (form: Parameters, record: CodeRecord): void => {
  const sent = form.get('redirect_uri');
  if (sent === undefined ? record.redirect_uri_sent : sent !== record.redirect_uri) {
    throw new OAuthError('invalid_grant', 'The redirect_uri is not the one of the authorization request.');
  }
};

const checkVerifier = async (
  form: Parameters,
  code: string,
  presented: PresentedCode,
  context: OAuthContext,
): Promise<void> => {
  const verifier = form.get('code_verifier');
  const { code_challenge: challenge, code_challenge_method: method } = presented.record;
  if (challenge === null || method === null) {
    if (verifier === undefined && challenge === method) return;
    // RFC 9700 §4.8.2: the authorization request had no challenge, so an attacker may have removed it.
    throw new OAuthError('invalid_request', 'The authorization request had no code_challenge.');
  }
  if (verifier === undefined) throw new OAuthError('invalid_grant', 'The code_verifier is missing.');
  if (isVerifier(verifier) && verifierMatches(verifier, challenge, method)) return;
  // A redeemed code gives nothing more, so guesses do not matter.
  if (presented.taken === undefined) await countFailedVerifier(code, presented, context);
  throw new OAuthError('invalid_grant', 'The code_verifier is not the one of the authorization request.');
};

/** Takes the next numbered slot. The last one invalidates the code. */
const countFailedVerifier = async (
  code: string,
  { id, record }: PresentedCode,
  { records, config }: OAuthContext,
): Promise<void> => {
  const { failedVerifiers } = config.limits;
  for (let n = 1; n <= failedVerifiers; n += 1) {
    if (!(await records.add(keys.failedVerifier(id, n), { exp: record.exp }))) continue;
    if (n === failedVerifiers) await records.delete(keys.code(code));
    return;
  }
};

const refuseReplay = async (
  taken: TakenRecord | undefined,
  grant_id: string,
  { client_id }: Client,
  context: OAuthContext,
): Promise<never> => {
  if (
    taken === undefined ||
    !isRecent(context.config.lifetimes.codeReplayTolerance, parseTombstone(taken.tombstone), context)
  ) {
    context.emit?.({ type: 'replay.detected', kind: 'authorization_code', client_id, grant_id });
    await context.tokens.revokeGrant({ id: grant_id, client_id }, { reason: 'replay' });
  }
  throw invalidCode();
};
