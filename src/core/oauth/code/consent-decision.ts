import { defined } from '../../base/defined.js';
import { PageError } from '../../base/pages/page-error.js';
import { type Records, UnreadableRecordError } from '../../base/records.js';
import { formatScope } from '../../base/scope.js';
import { keyedHash, sha256 } from '../../base/secrets.js';
import type { Client } from '../clients/client.js';
import type { Emit } from '../events/events.js';
import type { OAuthHooks } from '../kernel/hooks.js';
import type { CodePart, KeptParameters } from '../records/chain-record.js';
import type { Owner } from '../records/owner.js';
import { CONSENT_DECISION, type ConsentDecisionRecord, keys } from '../records/stored-records.js';
import { markedAsBound } from '../records/token-id.js';
import { isRecent, secondsOf, type Timekeeper } from '../records/window.js';
import type { Session } from '../sign-in/sessions.js';
import type { SignIn } from '../sign-in/sign-in.js';
import type { FoundCode } from '../tokens/codes.js';
import type { CreateGrant, Grant, KnownGrant, NewGrant, RevocationReason } from '../tokens/grant.js';
import { type AuthorizationRequest, requestEnd } from './authorization-request.js';
import type { RememberedConsents } from './remembered-consent.js';

/** In seconds: a second press of the same button within this time counts as the same press, because the browser only follows the second response. */
const SAME_PRESS = 10;

/** The question an owner is asked, and the form it is asked with. */
interface Consent {
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
interface Decided {
  readonly approved: Approval | undefined;
  /** Whether this press decided; a second one changes nothing. */
  readonly isFirst: boolean;
  /** Whether the owner's session had ended when the grant had been written; absent if that is still to be checked. */
  readonly isOver?: boolean;
}

const alreadyAnswered = (): PageError => new PageError('already_answered');

/** What {@link ConsentDecisions} depend on. */
interface ConsentDependencies extends Timekeeper {
  readonly records: Records;
  readonly tokens: {
    readonly newGrant: CreateGrant;
    saveGrant(grant: NewGrant, emit: Emit | undefined): Promise<Grant>;
    revokeGrant(grant: KnownGrant, why: RevocationReason, emit: Emit | undefined): Promise<void>;
  };
  readonly codes: {
    find(id: string, hash: string): Promise<FoundCode | undefined>;
    save(grant: Grant, code: CodePart, kept?: KeptParameters): Promise<void>;
  };
  readonly remembered: RememberedConsents;
  readonly signIn: Pick<SignIn, 'isOver' | 'sessionOf'>;
  readonly lifetimes: { readonly authorizationCode: number };
  /** Derives the code from a consent form, so that pressing the same button again leads to the same code. */
  readonly consentKey: string;
  readonly hooks: { readonly keepOfSession?: OAuthHooks['keepOfSession'] };
}

/** What owners decide about requests, and the codes that follow from it. */
export class ConsentDecisions {
  readonly #given: ConsentDependencies;

  constructor(given: ConsentDependencies) {
    this.#given = given;
  }

  /** Writes a grant and its code at the same time: neither works without the other. */
  saveWithCode(
    code: string,
    grant: NewGrant,
    { request, owner, session }: Pick<Consent, 'request' | 'owner'> & { readonly session: Session | undefined },
    emit: Emit | undefined,
  ): Promise<Grant> {
    const { codes, tokens, clock, lifetimes, hooks, signIn } = this.#given;
    const { redirect_uri, redirect_uri_sent, code_challenge, code_challenge_method } = request;
    const named = signIn.sessionOf(owner, session);
    const ofSession = named && hooks.keepOfSession?.(named, request.scope);
    const kept = { ...request.kept, ...ofSession };
    const exp = secondsOf(clock) + lifetimes.authorizationCode;
    const proof = { redirect_uri, redirect_uri_sent, code_challenge, code_challenge_method };
    const part = { hash: sha256(code), exp, failures: 0, ...proof };
    return Promise.all([
      tokens.saveGrant(grant, emit),
      codes.save(grant, part, Object.keys(kept).length > 0 ? kept : undefined),
    ]).then(([saved]) => saved);
  }

  /**
   * The earlier decision made with this form.
   *
   * @throws PageError if it cannot be read: the form was answered, and the owner can begin again.
   */
  async find({ id }: AuthorizationRequest): Promise<ConsentDecisionRecord | undefined> {
    try {
      return await this.#given.records.get(keys.consentDecision(id), CONSENT_DECISION);
    } catch (error) {
      throw error instanceof UnreadableRecordError ? alreadyAnswered() : error;
    }
  }

  /**
   * Records an owner's decision. A single `add` determines which press counts; if the same owner presses the same button in the
   * same session again soon after, the response is the same. The code is derived from the form and the grant with a key only the
   * server has, so it can be returned twice without being stored.
   *
   * @param before - The result of {@link find}.
   * @throws PageError if the form was answered differently, elsewhere, by another owner or a while ago.
   */
  async decide(
    decision: 'approve' | 'deny',
    consent: Consent,
    before: ConsentDecisionRecord | undefined,
    emit: Emit | undefined,
  ): Promise<Decided> {
    const { tokens, remembered, signIn } = this.#given;
    const { client, request, owner } = consent;
    if (before !== undefined) return this.#repeat(decision, before, consent);

    const isApproval = decision === 'approve';
    const [grant, older] = await Promise.all([
      isApproval && request.response_type === 'code'
        ? tokens.newGrant(client, owner, formatScope(request.scope), request.resources, {
            grant_type: 'authorization_code',
            ...defined({ claims: request.claims }),
          })
        : undefined,
      isApproval ? remembered.find(consent, owner.sub) : undefined,
    ]);
    const code = grant === undefined ? '' : this.#codeOf(request, grant.id);
    // Grant and code are written first, so that they exist whenever the decision does.
    const [saved] = await Promise.all([
      grant === undefined ? undefined : this.saveWithCode(code, grant, consent, emit),
      // Makes way for the approval that may be remembered next. If two presses race, the owner is asked again at worst.
      older === undefined ? undefined : remembered.forget(owner.sub, client.client_id),
    ]);
    const decided = this.#save(request, { decision, grant: saved?.id ?? null, by: pressedBy(consent) });
    if (saved === undefined) {
      if (await decided) return { approved: undefined, isFirst: true };
    } else {
      const [isFirst, isOver] = await Promise.all([
        decided,
        signIn.isOver(consent.session),
        remembered.remember(consent, owner.sub, saved.connection),
      ]);
      if (isFirst) return { approved: { grant: saved, answer: { code } }, isFirst, isOver };
      await Promise.all([
        tokens.revokeGrant(saved, { reason: 'unused' }, emit),
        remembered.forget(owner.sub, client.client_id),
      ]);
    }
    const winner = await this.find(request);
    if (winner === undefined) throw alreadyAnswered();
    return this.#repeat(decision, winner, consent);
  }

  /** Whether an answer without a question is the first to a request that was handed over before: it leads to one code (RFC 9126 §4), and no press repeats it. */
  isFirstAnswer(request: AuthorizationRequest, { grant }: Approval): Promise<boolean> {
    return this.#save(request, { decision: 'approve', grant: grant.id, by: '' });
  }

  /** @returns whether it is the first one. */
  #save(
    request: AuthorizationRequest,
    made: Pick<ConsentDecisionRecord, 'decision' | 'grant' | 'by'>,
  ): Promise<boolean> {
    const { records, clock, process } = this.#given;
    const exp = Math.ceil(requestEnd(request, clock) / 1000);
    const record: ConsentDecisionRecord = { ...made, at_ms: clock(), process, exp };
    return records.add(keys.consentDecision(request.id), record);
  }

  #codeOf({ id, kept }: AuthorizationRequest, grantId: string): string {
    const text = JSON.stringify([id, grantId]);
    return markedAsBound(grantId + keyedHash(this.#given.consentKey, text), kept?.['dpop_jkt']);
  }

  /** Only a code that has not been redeemed is returned again: the client would present a used one as a replay. */
  async #repeat(decision: 'approve' | 'deny', before: ConsentDecisionRecord, consent: Consent): Promise<Decided> {
    const isSamePress =
      before.decision === decision &&
      before.by === pressedBy(consent) &&
      isRecent(SAME_PRESS, { at_ms: before.at_ms, process: before.process ?? '' }, this.#given);
    if (!isSamePress) throw alreadyAnswered();
    if (decision === 'deny') return { approved: undefined, isFirst: false };
    if (before.grant === null) throw alreadyAnswered(); // The implicit grant: its token cannot be read again.
    const code = this.#codeOf(consent.request, before.grant);
    const found = await this.#given.codes.find(before.grant, sha256(code));
    if (found === undefined || found.taken !== undefined) throw alreadyAnswered();
    const { id, client_id, sub, exp } = found.grant;
    return { approved: { grant: { id, client_id, sub, exp }, answer: { code } }, isFirst: false };
  }
}

/** Two owners may share a browser, and one owner may use two. */
const pressedBy = ({ session, owner }: Consent): string => sha256(JSON.stringify([session.id, owner.sub]));
