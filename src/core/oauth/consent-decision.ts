import { PageError } from '../errors.js';
import { hmac, sha256 } from '../secrets.js';
import type { AuthorizationRequest } from './authorization-request.js';
import type { Client } from './client.js';
import { type OAuthContext, secondsOf } from './context.js';
import { CODE, type CodeRecord, CONSENT_DECISION, type ConsentDecisionRecord, keys, MARK } from './records.js';
import { formatScope } from './scope.js';
import type { Session } from './sessions.js';
import type { Grant, Owner } from './tokens.js';

/** Seconds in which the same button, pressed twice, is one press: the browser follows the second answer only. */
const SAME_PRESS = 10;

/** What an owner is asked, and by which form. */
export interface Consent {
  readonly client: Client;
  readonly request: AuthorizationRequest;
  readonly owner: Owner;
  readonly session: Session;
}

/** A decision that counts. Of an approval that leads to a code there is the code. */
export interface Decided {
  readonly code: string | undefined;
  /** Whether this press decided; a second one changes nothing. */
  readonly isFirst: boolean;
}

const alreadyAnswered = (): PageError =>
  new PageError(400, 'You have already answered this request. Go back to the application.');

/** Writes down a code for a grant of this request. */
export const saveCode = async (
  code: string,
  grant: Grant,
  { client, request }: Pick<Consent, 'client' | 'request'>,
  context: OAuthContext,
): Promise<void> => {
  const record: CodeRecord = {
    client_id: client.client_id,
    grant: grant.id,
    redirect_uri: request.redirect_uri,
    redirect_uri_sent: request.redirect_uri_sent,
    scope: grant.scope,
    code_challenge: request.code_challenge,
    code_challenge_method: request.code_challenge_method,
    exp: secondsOf(context.clock) + context.config.lifetimes.authorizationCode,
  };
  await context.records.create(keys.code(code), record);
};

/**
 * Takes an owner's decision. One `add` decides which press counts; the same press once more, from the same session and
 * soon after, hears the same again. The code comes from the form and the grant by a key that only the server has, so it
 * need not be stored to be given twice.
 *
 * @throws PageError when the form has been answered otherwise, elsewhere or a while ago.
 */
export const decideOnce = async (
  decision: 'approve' | 'deny',
  consent: Consent,
  context: OAuthContext,
): Promise<Decided> => {
  const { records, tokens, clock } = context;
  const { client, request, owner, session } = consent;
  const key = keys.consentDecision(request.id);
  const before = await records.get(key, CONSENT_DECISION);
  if (before !== undefined) return repeat(decision, before, consent, context);

  const leadsToCode = decision === 'approve' && request.response_type === 'code';
  // Grant and code come first, so that whoever finds the decision finds them too.
  const grant = leadsToCode
    ? await tokens.createGrant(client, owner, formatScope(request.scope), request.resources)
    : undefined;
  const code = grant === undefined ? undefined : codeOf(request, grant.id, context);
  if (grant !== undefined && code !== undefined) await saveCode(code, grant, consent, context);
  const record: ConsentDecisionRecord = {
    decision,
    grant: grant?.id ?? null,
    session: sha256(session.id),
    at: clock(),
    exp: secondsOf(clock) + context.config.lifetimes.authorizationRequest,
  };
  if (await records.add(key, record)) return { code, isFirst: true };

  if (grant !== undefined && code !== undefined) {
    await Promise.all([records.delete(keys.code(code)), tokens.revokeGrant(grant.id, 'revocation', client.client_id)]);
  }
  const winner = await records.get(key, CONSENT_DECISION);
  if (winner === undefined) throw alreadyAnswered();
  return repeat(decision, winner, consent, context);
};

const codeOf = ({ id }: AuthorizationRequest, grantId: string, { consentKey }: OAuthContext): string =>
  grantId + hmac(consentKey, JSON.stringify([id, grantId]));

/** Only what is still to be redeemed is given again: a used code would come back to the client as a replay. */
const repeat = async (
  decision: 'approve' | 'deny',
  before: ConsentDecisionRecord,
  { request, session }: Consent,
  context: OAuthContext,
): Promise<Decided> => {
  const isSamePress =
    before.decision === decision &&
    before.session === sha256(session.id) &&
    context.clock() - before.at < SAME_PRESS * 1000;
  if (!isSamePress) throw alreadyAnswered();
  if (decision === 'deny') return { code: undefined, isFirst: false };
  if (before.grant === null) throw alreadyAnswered(); // The implicit grant: its token is nowhere to be read again.
  const code = codeOf(request, before.grant, context);
  const [live, spent] = await Promise.all([
    context.records.get(keys.code(code), CODE),
    context.records.get(keys.spentCode(code), MARK),
  ]);
  if (live === undefined || spent !== undefined) throw alreadyAnswered();
  return { code, isFirst: false };
};
