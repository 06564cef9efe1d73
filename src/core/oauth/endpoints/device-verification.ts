import { PageError } from '../../errors.js';
import type { HttpRequest, HttpResponse } from '../../http.js';
import { sourceOf } from '../../limiter.js';
import { redirect } from '../../responses.js';
import type { Client } from '../client.js';
import { type OAuthContext, secondsOf } from '../context.js';
import { tooManyAttempts } from '../owner.js';
import { pageResponse } from '../pages/render.js';
import { scopeViews } from '../pages/scope-views.js';
import { type Parameters, parseParameters, readForm } from '../parameters.js';
import {
  DEVICE,
  DEVICE_CLAIM,
  DEVICE_DECISION,
  type DeviceDecisionRecord,
  type DeviceRecord,
  keys,
  USER_CODE,
} from '../records.js';
import { parseScope } from '../scope.js';
import type { Session } from '../sessions.js';
import { type Destination, formExpired, SIGN_IN_FIELDS } from '../sign-in.js';
import type { Owner } from '../tokens.js';
import { fingerprintOfHash, formatUserCode, normalizeUserCode, userCodeDigest } from '../user-code.js';

export const DEVICE_PAGE_PARAMETERS = { ...SIGN_IN_FIELDS, user_code: 'text', decision: 'vschar' } as const;

const WRONG_CODE = 'This code is wrong or has expired. Look at your device and type it again.';

/** Somebody who is signed in, and the session of their browser. */
interface Visitor {
  readonly owner: Owner;
  readonly session: Session;
}

/** A device that waits for this owner's decision. */
interface Waiting {
  readonly code: string;
  readonly hash: string;
  readonly device: DeviceRecord;
  readonly client: Client;
}

/**
 * `GET`: the page where an owner types the code of their device. A link that carries the code shows what it stands for
 * at once, but decides nothing (RFC 8628 §3.3.1).
 */
export const deviceVerification = async (request: HttpRequest, context: OAuthContext): Promise<HttpResponse> => {
  const form = parseParameters(request.query, DEVICE_PAGE_PARAMETERS, context.config.limits);
  const typed = form.get('user_code') ?? '';
  const { sessions } = context.signIn;
  const session = sessions.read(request);
  const owner = await context.signIn.currentOwner(request, session, context);
  if (owner === undefined) return context.signIn.ask(session, destinationOf(typed, context), context);
  const visitor = { owner, session: session ?? sessions.begin() };
  return typed === '' ? codePage(visitor, '', undefined, context) : enter(typed, request, visitor, context);
};

/** `POST`: a code that was typed, a decision, or the built-in sign-in form. */
export const deviceVerificationForm = async (request: HttpRequest, context: OAuthContext): Promise<HttpResponse> => {
  const form = await readForm(request, DEVICE_PAGE_PARAMETERS, context.config.limits);
  if (form.firstProblem !== undefined) throw new PageError(400, form.firstProblem);
  const typed = form.get('user_code') ?? '';
  const destination = destinationOf(typed, context);
  if (form.get('username') !== undefined || form.get('password') !== undefined) {
    return context.signIn.submit(request, form, destination, context);
  }
  const session = context.signIn.sessions.read(request);
  const owner = await context.signIn.currentOwner(request, session, context);
  if (owner === undefined || session === undefined) return redirect(destination.returnTo, 303);
  return handleForm(form, typed, request, { owner, session }, context);
};

const handleForm = async (
  form: Parameters,
  typed: string,
  request: HttpRequest,
  visitor: Visitor,
  context: OAuthContext,
): Promise<HttpResponse> => {
  const { sessions } = context.signIn;
  const decision = form.get('decision');
  const purpose = decision === undefined ? codePurpose(visitor.owner) : decisionPurpose(visitor.owner, typed, context);
  if (!sessions.isFormToken(form.get('form_token'), visitor.session, purpose)) throw formExpired();
  if (decision === undefined) return enter(typed, request, visitor, context);
  if (decision !== 'approve' && decision !== 'deny')
    throw new PageError(400, 'Choose whether to allow or to deny the device.');
  const waiting = await findWaiting(typed, request, visitor, context);
  if (waiting === undefined) return codePage(visitor, typed, WRONG_CODE, context);
  return decide(decision, waiting, visitor.owner, context);
};

const codePurpose = (owner: Owner): readonly string[] => ['device', owner.sub];

const decisionPurpose = (owner: Owner, typed: string, context: OAuthContext): readonly string[] => [
  'device decision',
  owner.sub,
  normalizeUserCode(typed, context.config.device) ?? '',
];

const destinationOf = (typed: string, context: OAuthContext): Destination => {
  const { basePath, config } = context;
  return {
    action: basePath + config.paths.deviceVerify[0],
    returnTo: `${basePath}${config.paths.device[0]}${typed === '' ? '' : `?user_code=${encodeURIComponent(typed)}`}`,
    hidden: typed === '' ? {} : { user_code: typed },
  };
};

/** The page with the field for the code. */
const codePage = async (
  visitor: Visitor,
  typed: string,
  problem: string | undefined,
  context: OAuthContext,
): Promise<HttpResponse> => {
  const { sessions } = context.signIn;
  const { owner, session } = visitor;
  const html = await context.pages.deviceCode({
    action: context.basePath + context.config.paths.deviceVerify[0],
    hidden: { form_token: sessions.formToken(session, codePurpose(owner)) },
    userCode: typed,
    username: owner.username ?? owner.sub,
    ...(problem === undefined ? {} : { problem }),
  });
  return pageResponse(html, { status: problem === undefined ? 200 : 400, cookie: sessions.setCookie(session) });
};

/** Shows what a code stands for. Nothing is decided by this. */
const enter = async (
  typed: string,
  request: HttpRequest,
  visitor: Visitor,
  context: OAuthContext,
): Promise<HttpResponse> => {
  const waiting = await findWaiting(typed, request, visitor, context);
  if (waiting === undefined) return codePage(visitor, typed, WRONG_CODE, context);
  const { owner, session } = visitor;
  const { sessions } = context.signIn;
  const { client, device, code, hash } = waiting;
  const html = await context.pages.deviceConsent({
    action: context.basePath + context.config.paths.deviceVerify[0],
    hidden: { user_code: code, form_token: sessions.formToken(session, decisionPurpose(owner, code, context)) },
    clientName: client.name,
    username: owner.username ?? owner.sub,
    scopes: scopeViews(parseScope(device.scope) ?? [], context.config.scopes),
    userCode: formatUserCode(code),
    fingerprint: fingerprintOfHash(hash),
  });
  return pageResponse(html, { cookie: sessions.setCookie(session) });
};

/** Whose wrong codes are counted together: the user's, the browser's and the address's (RFC 8628 §5.1). */
const subjectsOf = ({ owner, session }: Visitor, { ip }: HttpRequest): readonly (readonly string[])[] => [
  ['user', owner.sub],
  ['session', session.id],
  ...(ip === '' ? [] : [['address', sourceOf(ip)]]), // Behind a socket without addresses everybody would be the same.
];

/**
 * The device that waits behind a code. The first owner who enters a code owns it; for everybody else it does not
 * exist, and like every wrong code it counts towards the limit.
 */
const findWaiting = async (
  typed: string,
  request: HttpRequest,
  visitor: Visitor,
  context: OAuthContext,
): Promise<Waiting | undefined> => {
  const attempt = await context.limiters.userCode.attempt(subjectsOf(visitor, request), request, () =>
    lookUp(typed, visitor.owner, context),
  );
  if ('retryAfter' in attempt) throw tooManyAttempts(attempt.retryAfter);
  return attempt.result;
};

const lookUp = async (typed: string, owner: Owner, context: OAuthContext): Promise<Waiting | undefined> => {
  const { records, config } = context;
  const code = normalizeUserCode(typed, config.device);
  if (code === undefined) return undefined;
  const found = await records.get(keys.userCode(userCodeDigest(code, context.userCodeKey)), USER_CODE);
  if (found === undefined) return undefined;
  const hash = found.device;
  const [device, decided] = await Promise.all([
    records.get(keys.device(hash), DEVICE),
    records.get(keys.deviceDecision(hash), DEVICE_DECISION),
  ]);
  if (device === undefined || decided !== undefined || secondsOf(context.clock) >= device.code_exp) return undefined;
  const client = await config.clients.find(device.client_id);
  if (client === undefined) return undefined;
  if (!(await records.add(keys.deviceClaim(hash), { sub: owner.sub, exp: device.exp }))) {
    const claim = await records.get(keys.deviceClaim(hash), DEVICE_CLAIM);
    if (claim?.sub !== owner.sub) return undefined;
  }
  return { code, hash, device, client };
};

/** The decision is one `add`, so it is made once, whatever happens at the same time. */
const decide = async (
  decision: 'approve' | 'deny',
  { client, device, hash }: Waiting,
  owner: Owner,
  context: OAuthContext,
): Promise<HttpResponse> => {
  const { records, tokens, pages } = context;
  // The grant comes first, so that no device ever finds an approval without one.
  const grant = decision === 'approve' ? await tokens.createGrant(client, owner, device.scope, device.aud) : undefined;
  const record: DeviceDecisionRecord = { decision, grant: grant?.id ?? null, exp: device.exp };
  if (!(await records.add(keys.deviceDecision(hash), record))) {
    if (grant !== undefined) await tokens.revokeGrant(grant.id, 'revocation', client.client_id);
    throw new PageError(400, 'You have already answered for this device.');
  }
  context.emit?.({
    type: 'device.decided',
    decision,
    client_id: client.client_id,
    sub: owner.sub,
    scope: device.scope,
  });
  return pageResponse(await pages.deviceDone({ decision, clientName: client.name }));
};
