import { UnreadableRecordError } from '../../base/records.js';
import { formatScope } from '../../base/scope.js';
import { keyedHash, sha256 } from '../../base/secrets.js';
import type { Client } from '../clients/client.js';
import { type OAuthContext, secondsOf } from '../kernel/context.js';
import { forgetConsent } from '../kernel/forgotten-consent.js';
import { PageError } from '../pages/page-error.js';
import type { Owner } from '../records/owner.js';
import { CONSENT_DECISION, type ConsentDecisionRecord, keys } from '../records/stored-records.js';
import { markedAsBound } from '../records/token-id.js';
import type { Session } from '../sign-in/sessions.js';
import type { Grant, NewGrant } from '../tokens/tokens.js';
import { type AuthorizationRequest, requestEnd } from './authorization-request.js';
import { findRemembered, rememberConsent } from './remembered-consent.js';

/** In seconds: a second press of the same button within this time counts as the same press, because the browser only follows the second response. */
const SAME_PRESS = 10;

/** The question an owner is asked, and the form it is asked with. */
export interface Consent {
  readonly client: Client;
  readonly request: AuthorizationRequest;
  readonly owner: Owner;
  readonly session: Session;
}

/** The granted access, and the response to the client. */
export interface Approval {
  readonly grant: Pick<Grant, 'id' | 'client_id' | 'sub' | 'exp'> & Partial<Pick<Grant, 'connection'>>;
  readonly answer: Readonly<Record<string, string>>;
}

/** An effective decision. An approval that leads to a code is complete once it is stored. */
export interface Decided {
  readonly approved: Approval | undefined;
  /** Whether this press decided; a second one changes nothing. */
  readonly isFirst: boolean;
  /** Whether the owner's session had ended when the grant had been written; absent if that is still to be checked. */
  readonly isOver?: boolean;
}

const alreadyAnswered = (): PageError => new PageError('already_answered');

/** Writes a grant and its code at the same time: neither works without the other. */
export const saveGrantWithCode = async (
  code: string,
  grant: NewGrant,
  request: AuthorizationRequest,
  session: Session | undefined,
  { codes, tokens, clock, config, emit, hooks }: OAuthContext,
): Promise<Grant> => {
  const { redirect_uri, redirect_uri_sent, code_challenge, code_challenge_method } = request;
  const ofSession = session?.owner && hooks.keepOfSession?.(session, request.scope);
  const kept = { ...request.kept, ...ofSession };
  const exp = secondsOf(clock) + config.lifetimes.authorizationCode;
  const proof = { redirect_uri, redirect_uri_sent, code_challenge, code_challenge_method };
  const [saved] = await Promise.all([
    tokens.saveGrant(grant, emit),
    codes.save(
      grant,
      { hash: sha256(code), exp, failures: 0, ...proof },
      Object.keys(kept).length > 0 ? kept : undefined,
    ),
  ]);
  return saved;
};

/**
 * The earlier decision made with this form.
 *
 * @throws PageError if it cannot be read: the form was answered, and the owner can begin again.
 */
export const findDecision = async (
  { id }: AuthorizationRequest,
  { records }: OAuthContext,
): Promise<ConsentDecisionRecord | undefined> => {
  try {
    return await records.get(keys.consentDecision(id), CONSENT_DECISION);
  } catch (error) {
    throw error instanceof UnreadableRecordError ? alreadyAnswered() : error;
  }
};

/**
 * Records an owner's decision. A single `add` determines which press counts; if the same owner presses the same button in the
 * same session again soon after, the response is the same. The code is derived from the form and the grant with a key only the
 * server has, so it can be returned twice without being stored.
 *
 * @param before - The result of {@link findDecision}.
 * @throws PageError if the form was answered differently, elsewhere, by another owner or a while ago.
 */
export const decideOnce = async (
  decision: 'approve' | 'deny',
  consent: Consent,
  before: ConsentDecisionRecord | undefined,
  context: OAuthContext,
): Promise<Decided> => {
  const { tokens } = context;
  const { client, request, owner } = consent;
  if (before !== undefined) return repeat(decision, before, consent, context);

  const isApproval = decision === 'approve';
  const [grant, older] = await Promise.all([
    isApproval && request.response_type === 'code'
      ? tokens.newGrant(client, owner, formatScope(request.scope), request.resources, {
          grant_type: 'authorization_code',
        })
      : undefined,
    isApproval ? findRemembered(consent, owner.sub, context) : undefined,
  ]);
  const code = grant === undefined ? '' : codeOf(request, grant.id, context);
  // Grant and code are written first, so that they exist whenever the decision does.
  const [saved] = await Promise.all([
    grant === undefined ? undefined : saveGrantWithCode(code, grant, request, consent.session, context),
    // Makes way for the approval that may be remembered next. If two presses race, the owner is asked again at worst.
    older === undefined ? undefined : forgetConsent(owner.sub, client.client_id, context),
  ]);
  const decide = saveDecision(request, { decision, grant: saved?.id ?? null, by: pressedBy(consent) }, context);
  if (saved === undefined) {
    if (await decide) return { approved: undefined, isFirst: true };
  } else {
    const [isFirst, isOver] = await Promise.all([
      decide,
      context.signIn.isOver(consent.session, context),
      rememberConsent(consent, owner.sub, saved.connection, context),
    ]);
    if (isFirst) return { approved: { grant: saved, answer: { code } }, isFirst, isOver };
    await Promise.all([
      tokens.revokeGrant(saved, { reason: 'unused' }, context.emit),
      forgetConsent(owner.sub, client.client_id, context),
    ]);
  }
  const winner = await findDecision(request, context);
  if (winner === undefined) throw alreadyAnswered();
  return repeat(decision, winner, consent, context);
};

/** Whether an answer without a question is the first to its request: one that was handed over before leads to one code (RFC 9126 §4). */
export const isFirstAnswer = async (
  request: AuthorizationRequest,
  { grant }: Approval,
  context: OAuthContext,
): Promise<boolean> => {
  if (request.pushedUntil === undefined) return true;
  // No press: it cannot be repeated.
  return saveDecision(request, { decision: 'approve', grant: grant.id, by: '' }, context);
};

/** @returns whether it is the first one. */
const saveDecision = (
  request: AuthorizationRequest,
  made: Pick<ConsentDecisionRecord, 'decision' | 'grant' | 'by'>,
  context: OAuthContext,
): Promise<boolean> => {
  const exp = Math.ceil(requestEnd(request, context) / 1000);
  const record: ConsentDecisionRecord = { ...made, at_ms: context.clock(), exp };
  return context.records.add(keys.consentDecision(request.id), record);
};

/** Two owners may share a browser, and one owner may use two. */
const pressedBy = ({ session, owner }: Consent): string => sha256(JSON.stringify([session.id, owner.sub]));

const codeOf = ({ id, kept }: AuthorizationRequest, grantId: string, { consentKey }: OAuthContext): string =>
  markedAsBound(grantId + keyedHash(consentKey, JSON.stringify([id, grantId])), kept?.['dpop_jkt']);

/** Only a code that has not been redeemed is returned again: the client would present a used one as a replay. */
const repeat = async (
  decision: 'approve' | 'deny',
  before: ConsentDecisionRecord,
  consent: Consent,
  context: OAuthContext,
): Promise<Decided> => {
  const isSamePress =
    before.decision === decision &&
    before.by === pressedBy(consent) &&
    context.clock() - before.at_ms < SAME_PRESS * 1000;
  if (!isSamePress) throw alreadyAnswered();
  if (decision === 'deny') return { approved: undefined, isFirst: false };
  if (before.grant === null) throw alreadyAnswered(); // The implicit grant: its token cannot be read again.
  const code = codeOf(consent.request, before.grant, context);
  const found = await context.codes.find(before.grant, code);
  if (found === undefined || found.taken !== undefined) throw alreadyAnswered();
  const { id, client_id, sub, exp } = found.grant;
  return { approved: { grant: { id, client_id, sub, exp }, answer: { code } }, isFirst: false };
};
