import { OAuthError } from '../../errors.js';
import type { Client } from '../client.js';
import type { OAuthContext } from '../context.js';
import type { Parameters } from '../parameters.js';
import { isVerifier, verifierMatches } from '../pkce.js';
import { CODE, type CodeRecord, keys, MARK, SPENT_CODE, type SpentCodeRecord } from '../records.js';
import { narrowedResources } from '../requested-scope.js';
import { grantIdOf, isTokenShaped } from '../token-id.js';
import type { GrantHandler } from './grant-handler.js';

/** One text for unknown, expired and used codes: who guesses learns nothing. */
const invalidCode = (): OAuthError => new OAuthError('invalid_grant', 'The authorization code is not valid.');

/**
 * Redeems an authorization code. Everything is checked before the code is taken, so a wrong request costs the client
 * nothing; then one `add` decides who takes it. A second fully valid redemption ends the grant.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-4.1.3 | RFC 6749 §4.1.3}
 * @see {@link https://www.rfc-editor.org/rfc/rfc7636#section-4.6 | RFC 7636 §4.6}
 */
export const authorizationCode: GrantHandler = async ({ form, client, context }) => {
  const code = form.get('code');
  if (code === undefined) throw new OAuthError('invalid_request', 'The parameter code is missing.');
  const grantId = isTokenShaped(code) ? grantIdOf(code) : undefined;
  if (grantId === undefined) throw invalidCode();
  const { records, tokens, config } = context;
  const [live, dead, grant] = await Promise.all([
    records.get(keys.code(code), CODE),
    records.get(keys.failedVerifier(code, config.limits.failedVerifiers), MARK),
    tokens.findGrant(grantId),
  ]);
  // Wrong verifiers kill a code that is still to be redeemed. They must not hide the replay of one that has been.
  const spent =
    live === undefined || dead !== undefined ? await records.get(keys.spentCode(code), SPENT_CODE) : undefined;
  const record = spent ?? (dead === undefined ? live : undefined);
  if (record === undefined || record.client_id !== client.client_id) throw invalidCode();
  checkRedirectUri(form, record);
  await checkVerifier(form, record, code, context);
  if (grant === undefined || record.grant !== grantId) throw invalidCode();
  const resources = narrowedResources(form, grant.aud, context);
  if (spent !== undefined) return refuseReplay(spent, client, context);

  const tombstone: SpentCodeRecord = { ...record, at: context.clock(), exp: grant.exp };
  if (!(await records.add(keys.spentCode(code), tombstone))) {
    const winner = await records.get(keys.spentCode(code), SPENT_CODE);
    return refuseReplay(winner ?? tombstone, client, context);
  }
  return {
    response: await tokens.issue(client, grant, record.scope, resources),
    sub: grant.sub,
    grant_id: grant.id,
  };
};

/** RFC 6749 §4.1.3: what was sent to the authorization endpoint must be sent again, the same. */
const checkRedirectUri = (form: Parameters, record: CodeRecord): void => {
  const sent = form.get('redirect_uri');
  if (sent === undefined ? record.redirect_uri_sent : sent !== record.redirect_uri) {
    throw new OAuthError('invalid_grant', 'The redirect_uri is not the one of the authorization request.');
  }
};

const checkVerifier = async (
  form: Parameters,
  record: CodeRecord,
  code: string,
  context: OAuthContext,
): Promise<void> => {
  const verifier = form.get('code_verifier');
  const { code_challenge: challenge, code_challenge_method: method } = record;
  if (challenge === null || method === null) {
    if (verifier === undefined && challenge === method) return;
    // RFC 9700 §4.8.2: the authorization request had no challenge, so somebody may have taken it away.
    throw new OAuthError('invalid_request', 'The authorization request had no code_challenge.');
  }
  if (verifier === undefined) throw new OAuthError('invalid_grant', 'The code_verifier is missing.');
  if (isVerifier(verifier) && verifierMatches(verifier, challenge, method)) return;
  await countFailedVerifier(code, record, context);
  throw new OAuthError('invalid_grant', 'The code_verifier is not the one of the authorization request.');
};

/** Takes the next of the numbered slots; when the last is taken the code is dead. */
const countFailedVerifier = async (code: string, record: CodeRecord, context: OAuthContext): Promise<void> => {
  for (let n = 1; n <= context.config.limits.failedVerifiers; n += 1) {
    if (await context.records.add(keys.failedVerifier(code, n), { exp: record.exp })) return;
  }
};

const refuseReplay = async (spent: SpentCodeRecord, client: Client, context: OAuthContext): Promise<never> => {
  const tolerance = context.config.lifetimes.codeReplayTolerance * 1000;
  if (context.clock() - spent.at >= tolerance) {
    context.emit?.({
      type: 'replay.detected',
      kind: 'authorization_code',
      client_id: client.client_id,
      grant_id: spent.grant,
    });
    await context.tokens.revokeGrant(spent.grant, 'replay', client.client_id);
  }
  throw invalidCode();
};
