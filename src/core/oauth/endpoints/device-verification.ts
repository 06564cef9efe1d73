import type { HttpRequest, HttpResponse } from '../../base/http.js';
import type { Guess } from '../../base/guess-limiter.js';
import { redirect } from '../../base/responses.js';
import { sha256 } from '../../base/secrets.js';
import { subjectName } from '../../base/slots.js';
import { limitAt, sourceOf } from '../../base/source.js';
import { type Client, DEVICE_CODE_GRANT } from '../clients/client.js';
import { type OAuthContext, secondsOf } from '../context.js';
import { tooManyAttempts } from '../sign-in/authenticate-owner.js';
import { clientView } from '../pages/client-view.js';
import { PageError } from '../pages/page-error.js';
import { pageResponse } from '../pages/render.js';
import { scopeViews } from '../pages/scope-views.js';
import { type Parameters, parseParameters, readForm } from '../parameters.js';
import {
  DEVICE,
  DEVICE_CLAIM,
  type DeviceClaimRecord,
  DEVICE_DECISION,
  type DeviceDecisionRecord,
  type DeviceRecord,
  keys,
  USER_CODE,
} from '../stored-records.js';
import { parseScope } from '../../base/scope.js';
import type { Session } from '../sign-in/sessions.js';
import { type Destination, formExpired, SIGN_IN_FIELDS } from '../sign-in/sign-in.js';
import type { Owner } from '../sign-in/owner.js';
import { grantsPath } from './grants.js';
import { fingerprintOfHash, formatUserCode, normalizeUserCode, userCodeDigest } from '../user-code.js';

export const DEVICE_PAGE_PARAMETERS = { ...SIGN_IN_FIELDS, user_code: 'text', decision: 'vschar' } as const;

/** A signed-in owner, and the session of their browser. */
interface Visitor {
  readonly owner: Owner;
  readonly session: Session;
}

/** A user code that belongs to a device. */
interface FoundCode {
  readonly code: string;
  /** The hash of the device code. */
  readonly hash: string;
}

/** A device whose code this owner was the first to enter. */
interface Claimed extends FoundCode {
  readonly device: DeviceRecord;
  readonly client: Client;
  /** The owner's earlier decision. */
  readonly decided: DeviceDecisionRecord | undefined;
}

/**
 * `GET`: the page where an owner enters the code of their device. A link that contains the code only fills it in
 * (RFC 8628 §3.3.1), because any page can make a browser open a link.
 */
export const deviceVerification = async (request: HttpRequest, context: OAuthContext): Promise<HttpResponse> => {
  const form = parseParameters(request.query, DEVICE_PAGE_PARAMETERS, context.config.limits);
  const typed = form.get('user_code') ?? '';
  const { sessions } = context.signIn;
  const session = sessions.read(request);
  const owner = await context.signIn.currentOwner(request, session, context);
  if (owner === undefined) return context.signIn.ask(session, destinationOf(typed, context), context);
  const visitor = { owner, session: session ?? sessions.begin() };
  return codePage(visitor, typed, undefined, context);
};

/** `POST`: an entered code, a decision, or the built-in sign-in form. */
export const deviceVerificationForm = async (request: HttpRequest, context: OAuthContext): Promise<HttpResponse> => {
  const form = await readForm(request, DEVICE_PAGE_PARAMETERS, context.config.limits);
  if (form.firstProblem !== undefined) throw new PageError('invalid_request', { explanation: form.firstProblem });
  const typed = form.get('user_code') ?? '';
  const destination = destinationOf(typed, context);
  if (form.get('username') !== undefined || form.get('password') !== undefined) {
    return context.signIn.submit(request, form, destination, context);
  }
  const session = context.signIn.sessions.read(request);
  if (session === undefined) return redirect(destination.returnTo, 303);
  const isDecision = form.get('decision') !== undefined;
  const [owner, found] = await Promise.all([
    context.signIn.currentOwner(request, session, context),
    isDecision ? findUserCode(typed, context) : undefined,
  ]);
  if (owner === undefined) return redirect(destination.returnTo, 303);
  return handleForm({ form, typed, found, request, visitor: { owner, session } }, context);
};

/** A form of the device pages, sent by a signed-in owner. */
interface SentForm {
  readonly request: HttpRequest;
  readonly form: Parameters;
  readonly visitor: Visitor;
  readonly typed: string;
  /** Only looked up if the form is a decision. */
  readonly found: FoundCode | undefined;
}

const handleForm = async (
  { request, form, visitor, typed, found }: SentForm,
  context: OAuthContext,
): Promise<HttpResponse> => {
  const { signIn } = context;
  const { owner, session } = visitor;
  const decision = form.get('decision');
  const start = destinationOf(typed, context).returnTo;
  const isShown = (purpose: readonly string[]): boolean =>
    signIn.sessions.isFormToken(form.get('form_token'), session, purpose);
  const isConsent = isShown(decisionPurpose(owner, typed, context));
  if (decision === 'sign_out' && signIn.isBuiltIn && (isConsent || isShown(codePurpose(owner)))) {
    if (found !== undefined) await release(found, owner, context);
    return signIn.signOut(session, destinationOf(typed, context), context);
  }
  if (decision === undefined ? !isShown(codePurpose(owner)) : !isConsent) throw formExpired(start);
  if (decision === undefined) return enter(typed, request, visitor, context);
  if (decision !== 'approve' && decision !== 'deny') throw new PageError('no_decision', { back: { href: start } });
  // The form was shown to this owner for this very code, so it is no guess.
  const claimed = await claim(found, owner, context);
  if (claimed === undefined) return codePage(visitor, typed, 'wrong_code', context);
  return decide(decision, claimed, visitor, context);
};

const codePurpose = (owner: Owner): readonly string[] => ['device', owner.sub];

const decisionPurpose = (owner: Owner, typed: string, context: OAuthContext): readonly string[] => [
  'device decision',
  owner.sub,
  normalizeUserCode(typed, context.config.device) ?? '',
];

/** Where the forms go. */
const formPath = ({ basePath, config, pages }: OAuthContext): string =>
  pages.address(basePath + config.paths.deviceVerify[0]);

/** Where a code is typed. */
const devicePath = ({ basePath, config, pages }: OAuthContext, query = ''): string =>
  pages.address(basePath + config.paths.device[0] + query);

const destinationOf = (typed: string, context: OAuthContext): Destination => {
  const code = typed === '' ? '' : `?user_code=${encodeURIComponent(typed)}`;
  return {
    action: formPath(context),
    returnTo: devicePath(context, code),
    hidden: typed === '' ? {} : { user_code: typed },
  };
};

/** The page with the input for the code. */
const codePage = async (
  visitor: Visitor,
  typed: string,
  problemCode: 'wrong_code' | undefined,
  context: OAuthContext,
): Promise<HttpResponse> => {
  const { sessions } = context.signIn;
  const { owner, session } = visitor;
  const page = await context.pages.deviceCode({
    action: formPath(context),
    hidden: { form_token: sessions.formToken(session, codePurpose(owner)) },
    userCode: typed,
    username: owner.username ?? owner.sub,
    canSignOut: context.signIn.isBuiltIn,
    ...(problemCode !== undefined && { problemCode }),
  });
  return pageResponse(page, { status: problemCode === undefined ? 200 : 400, cookie: sessions.setCookie(session) });
};

/** Shows what a code belongs to, without deciding anything. */
const enter = async (
  typed: string,
  request: HttpRequest,
  visitor: Visitor,
  context: OAuthContext,
): Promise<HttpResponse> => {
  const attempt = await context.limiters.userCode.attempt(guessOf(visitor, request, context), request, () =>
    findUserCode(typed, context).then((found) => claim(found, visitor.owner, context)),
  );
  if ('retryAfter' in attempt) throw tooManyAttempts(attempt.retryAfter, devicePath(context));
  if (attempt.result === undefined) return codePage(visitor, typed, 'wrong_code', context);
  const { owner, session } = visitor;
  const { sessions } = context.signIn;
  const { client, device, code, hash, decided } = attempt.result;
  if (decided !== undefined) return donePage(decided.decision, client, visitor, context);
  const page = await context.pages.deviceConsent({
    action: formPath(context),
    hidden: { user_code: code, form_token: sessions.formToken(session, decisionPurpose(owner, code, context)) },
    ...clientView(client, context.issuer(request)),
    username: owner.username ?? owner.sub,
    scopes: scopeViews(parseScope(device.scope) ?? [], context.config, context.pages.locale),
    userCode: formatUserCode(code),
    fingerprint: fingerprintOfHash(hash),
    canSignOut: context.signIn.isBuiltIn,
    ...(context.records.canList && { grantsPath: grantsPath(context) }),
  });
  return pageResponse(page, { cookie: sessions.setCookie(session) });
};

/** The subjects for which wrong codes are counted: the owner, the browser and the address (RFC 8628 §5.1). */
const guessOf = ({ owner, session }: Visitor, { ip }: HttpRequest, { config }: OAuthContext): Guess => {
  const max = config.limits.userCodeFailures;
  return {
    subjects: [
      { name: subjectName('user', owner.sub), max, isKept: true },
      { name: subjectName('session', session.id), max, isKept: true },
      { name: subjectName('address', sourceOf(ip)), max: limitAt(ip, max), isKept: true },
    ],
  };
};

/** Looks up the record of a code under each of the current secrets. */
const findUserCode = async (typed: string, context: OAuthContext): Promise<FoundCode | undefined> => {
  const code = normalizeUserCode(typed, context.config.device);
  if (code === undefined) return undefined;
  const found = await context.records.getMany(
    context.userCodeKeys.map((key) => keys.userCode(userCodeDigest(code, key))),
    USER_CODE,
  );
  const record = found.find((one) => one !== undefined);
  return record === undefined ? undefined : { code, hash: record.device };
};

/** The device of a code. It belongs to the first owner who enters the code; for all others it does not exist. */
const claim = async (
  found: FoundCode | undefined,
  owner: Owner,
  context: OAuthContext,
): Promise<Claimed | undefined> => {
  if (found === undefined) return undefined;
  const { records, config } = context;
  const { hash } = found;
  const [device, decided, claimed] = await Promise.all([
    records.get(keys.device(hash), DEVICE),
    records.get(keys.deviceDecision(hash), DEVICE_DECISION),
    records.get(keys.deviceClaim(hash), DEVICE_CLAIM),
  ]);
  if (device === undefined || secondsOf(context.clock) >= device.code_exp) return undefined;
  const client = await config.clients.find(device.client_id);
  if (client === undefined) return undefined;
  const isMine =
    claimed === undefined ? await claimDevice(hash, device, owner, context) : claimed.owner === sha256(owner.sub);
  return isMine ? { ...found, device, client, decided } : undefined;
};

/** Claims the device for this owner. Returns whether it is theirs, also if another request of theirs claimed it. */
const claimDevice = async (
  hash: string,
  { exp }: DeviceRecord,
  { sub }: Owner,
  { records }: OAuthContext,
): Promise<boolean> => {
  const claimed: DeviceClaimRecord = { owner: sha256(sub), exp };
  return (
    (await records.add(keys.deviceClaim(hash), claimed)) ||
    (await records.get(keys.deviceClaim(hash), DEVICE_CLAIM))?.owner === claimed.owner
  );
};

/** Signing out without a decision releases the device for the next owner who enters the code. */
const release = async ({ hash }: FoundCode, { sub }: Owner, { records }: OAuthContext): Promise<void> => {
  const [claimed, decided] = await records.getEach(
    [keys.deviceClaim(hash), DEVICE_CLAIM],
    [keys.deviceDecision(hash), DEVICE_DECISION],
  );
  if (decided === undefined && claimed?.owner === sha256(sub)) await records.delete(keys.deviceClaim(hash));
};

const donePage = async (
  decision: 'approve' | 'deny',
  client: Client,
  { owner, session }: Visitor,
  context: OAuthContext,
): Promise<HttpResponse> => {
  const { pages, signIn, records } = context;
  const page = await pages.deviceDone({
    decision,
    clientId: client.client_id,
    clientName: client.name,
    action: formPath(context),
    hidden: { form_token: signIn.sessions.formToken(session, codePurpose(owner)) },
    canSignOut: signIn.isBuiltIn,
    devicePath: devicePath(context),
    ...(records.canList && { grantsPath: grantsPath(context) }),
  });
  return pageResponse(page);
};

/** The decision is a single `add`, so it is made once; a second press shows the first result again. */
const decide = async (
  decision: 'approve' | 'deny',
  { client, device, hash, decided }: Claimed,
  visitor: Visitor,
  context: OAuthContext,
): Promise<HttpResponse> => {
  if (decided !== undefined) return donePage(decided.decision, client, visitor, context);
  const { owner, session } = visitor;
  const { records, tokens } = context;
  // The grant is written first, so that a device never finds an approval without one.
  const grant =
    decision === 'approve'
      ? tokens.newGrant(client, owner, device.scope, device.aud, { grant_type: DEVICE_CODE_GRANT })
      : undefined;
  if (grant !== undefined) {
    await tokens.saveGrant(grant);
    if (await context.signIn.isOver(session, context)) {
      await tokens.revokeGrant(grant, { reason: 'unused' });
      throw formExpired(devicePath(context));
    }
  }
  const record: DeviceDecisionRecord = { decision, grant: grant?.id ?? null, exp: device.exp };
  if (!(await records.add(keys.deviceDecision(hash), record))) {
    if (grant !== undefined) await tokens.revokeGrant(grant, { reason: 'unused' });
    const first = await records.get(keys.deviceDecision(hash), DEVICE_DECISION);
    if (first === undefined) throw new PageError('device_already_answered');
    return donePage(first.decision, client, visitor, context);
  }
  context.emit?.({
    type: 'device.decided',
    decision,
    client_id: client.client_id,
    sub: owner.sub,
    scope: device.scope,
  });
  return donePage(decision, client, visitor, context);
};
