import { UnavailableError } from '../../base/errors.js';
import type { HttpRequest, HttpResponse } from '../../base/http/messages.js';
import { redirect } from '../../base/http/responses.js';
import type { Guess } from '../../base/limits/guess-limiter.js';
import { subjectName } from '../../base/limits/slots.js';
import { sourceOf } from '../../base/limits/source.js';
import { pageResponse } from '../../base/pages/response.js';
import { parseScope } from '../../base/scope.js';
import { sha256 } from '../../base/secrets.js';
import { checkAwaited } from '../../base/waiting.js';
import { type Client, DEVICE_CODE_GRANT, isOfGeneration } from '../clients/client.js';
import { LIMITS } from '../facts/limits.js';
import { type Parameters, parseParameters } from '../facts/parameters.js';
import { type OAuthContext, secondsOf } from '../kernel/context.js';
import { grantsPath, isSignIn, readPageForm, type Visitor, visitorOf } from '../kernel/owner-pages.js';
import { clientView } from '../pages/client-view.js';
import { PageError } from '../pages/page-error.js';
import { resourceNames, scopeViews } from '../pages/scope-views.js';
import type { Owner } from '../records/owner.js';
import { DEVICE, type DeviceRecord, keys, USER_CODE } from '../records/stored-records.js';
import {
  fingerprintOfHash,
  formatUserCode,
  normalizeUserCode,
  USER_CODE_LENGTH,
  userCodeDigest,
} from '../records/user-code.js';
import { tooManyAttempts } from '../sign-in/authenticate-owner.js';
import { type Destination, formExpired, SIGN_IN_FIELDS } from '../sign-in/sign-in.js';
import type { Connection } from '../tokens/connections.js';

const DEVICE_PAGE_PARAMETERS = {
  ...SIGN_IN_FIELDS,
  user_code: 'text',
  decision: 'vschar',
  device: 'vschar',
  client_id: 'vschar',
} as const;

/** A user code that belongs to a device. */
interface FoundCode {
  readonly code: string;
  /** The hash of the device code. */
  readonly hash: string;
}

/** A code on the form where its owner decides. The form says what it belongs to, so that the decision need not look for that again. */
interface ShownCode extends FoundCode {
  readonly client_id: string;
}

/** A device whose code this owner was the first to enter. */
interface Claimed extends FoundCode {
  readonly device: DeviceRecord;
  readonly client: Client;
}

/** How often a change of a device's record is tried: only its owner's own requests compete. */
const MAX_ATTEMPTS = 5;

/**
 * `GET`: the page where an owner enters the code of their device. A link that contains the code only fills it in
 * (RFC 8628 §3.3.1), because any page can make a browser open a link.
 */
export const deviceVerification = async (request: HttpRequest, context: OAuthContext): Promise<HttpResponse> => {
  const form = parseParameters(request.query, DEVICE_PAGE_PARAMETERS);
  const typed = form.get('user_code') ?? '';
  const visitor = await visitorOf(request, destinationOf(typed, context), context);
  return 'response' in visitor ? visitor.response : codePage(visitor, typed, undefined, context);
};

/** `POST`: an entered code, a decision, or the built-in sign-in form. */
export const deviceVerificationForm = async (request: HttpRequest, context: OAuthContext): Promise<HttpResponse> => {
  const { signIn } = context;
  const form = await readPageForm(request, DEVICE_PAGE_PARAMETERS, context);
  const typed = form.get('user_code') ?? '';
  const destination = destinationOf(typed, context);
  if (isSignIn(form)) return signIn.submit(request, form, destination, context);
  const session = signIn.sessions.read(request);
  if (session === undefined) return redirect(destination.returnTo, 303);
  const decision = form.get('decision');
  const shown = decision === undefined ? undefined : shownCode(form);
  // All that can be read at once, most of it in vain if the form is not one of ours.
  const [owner, entered, device, place] = await Promise.all([
    signIn.currentOwner(request, session, context),
    decision === undefined ? findUserCode(typed, context) : undefined,
    shown && context.records.get(keys.device(shown.hash), DEVICE),
    decision === 'approve' && shown && session.owner && connectionOf(session.owner, shown, context),
  ]);
  if (owner === undefined) return redirect(destination.returnTo, 303);
  const visitor = { owner, session };
  const isShown = (purpose: readonly string[]): boolean =>
    signIn.sessions.isFormToken(form.get('form_token'), session, purpose);
  const isConsent = shown !== undefined && isShown(decisionPurpose(owner, shown));
  if (decision === 'sign_out' && signIn.isBuiltIn && (isConsent || isShown(codePurpose(owner)))) {
    const found = isConsent ? shown : await findUserCode(typed, context);
    if (found !== undefined) await release(found, owner, context);
    return signIn.signOut(session, destination, context);
  }
  if (decision === undefined) {
    if (!isShown(codePurpose(owner))) throw formExpired(destination.returnTo);
    return enter(typed, entered, request, visitor, context);
  }
  if (!isConsent) throw formExpired(destination.returnTo);
  if (decision !== 'approve' && decision !== 'deny')
    throw new PageError('no_decision', { back: { href: destination.returnTo } });
  // The form was shown to this owner for this very code, so it is no guess.
  const claimed = device && (await claim(shown, owner, context, device));
  if (claimed === undefined) return codePage(visitor, typed, 'wrong_code', context);
  checkAwaited(request);
  const connection = place && session.owner?.sub === owner.sub ? place : undefined;
  return decide(decision, claimed, { ...visitor, connection }, context);
};

/** What the form with the decision is about. Only {@link decisionPurpose} proves that it is ours. */
const shownCode = (form: Parameters): ShownCode | undefined => {
  const code = normalizeUserCode(form.get('user_code') ?? '');
  const hash = form.get('device');
  const client_id = form.get('client_id');
  if (code === undefined || hash === undefined || client_id === undefined || !/^[\w-]{43}$/.test(hash))
    return undefined;
  return { code, hash, client_id };
};

const connectionOf = ({ sub }: Owner, { client_id }: ShownCode, { tokens }: OAuthContext): Promise<Connection> =>
  tokens.connectionTo(sub, client_id);

const codePurpose = (owner: Owner): readonly string[] => ['device', owner.sub];

const decisionPurpose = ({ sub }: Owner, { code, hash, client_id }: ShownCode): readonly string[] => [
  ...['device decision', sub, code, hash, client_id],
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
  const page = await context.pages.show('deviceCode', {
    action: formPath(context),
    hidden: { form_token: sessions.formToken(session, codePurpose(owner)) },
    userCode: typed,
    example: formatUserCode('X'.repeat(USER_CODE_LENGTH)),
    username: owner.username ?? owner.sub,
    canSignOut: context.signIn.isBuiltIn,
    ...(problemCode !== undefined && { problemCode }),
  });
  return pageResponse(page, { status: problemCode === undefined ? 200 : 400, cookie: sessions.setCookie(session) });
};

/** Shows what a code belongs to, without deciding anything. */
const enter = async (
  typed: string,
  found: FoundCode | undefined,
  request: HttpRequest,
  visitor: Visitor,
  context: OAuthContext,
): Promise<HttpResponse> => {
  // Read while the attempt is counted; nothing of it is used, or shown, before.
  const read = found && context.records.get(keys.device(found.hash), DEVICE);
  read?.catch(() => undefined);
  const attempt = await context.limiters.userCode.attempt(guessOf(visitor, request, context), request, async () => {
    const device = await read;
    return device && claim(found, visitor.owner, context, device);
  });
  if ('retryAfter' in attempt) throw tooManyAttempts(attempt.retryAfter, devicePath(context));
  if (attempt.result === undefined) return codePage(visitor, typed, 'wrong_code', context);
  const { owner, session } = visitor;
  const { sessions } = context.signIn;
  const { client, device, code, hash } = attempt.result;
  if (device.decision !== null) return donePage(device.decision, client, visitor, context);
  const { client_id } = client;
  const form_token = sessions.formToken(session, decisionPurpose(owner, { code, hash, client_id }));
  const page = await context.pages.show('deviceConsent', {
    action: formPath(context),
    hidden: { user_code: code, device: hash, client_id, form_token },
    ...clientView(client, context.issuer(request)),
    username: owner.username ?? owner.sub,
    scopes: scopeViews(parseScope(device.scope) ?? [], context.config, context.pages.locale),
    resources: resourceNames(device.aud, context.config),
    userCode: formatUserCode(code),
    fingerprint: fingerprintOfHash(hash),
    canSignOut: context.signIn.isBuiltIn,
    ...(context.records.canList && { grantsPath: grantsPath(context) }),
  });
  return pageResponse(page, { cookie: sessions.setCookie(session) });
};

/** The subjects for which wrong codes are counted: the owner, the browser and the address (RFC 8628 §5.1). */
const guessOf = ({ owner, session }: Visitor, { ip }: HttpRequest, { limitAt }: OAuthContext): Guess => {
  const max = LIMITS.userCodeFailures;
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
  const code = normalizeUserCode(typed);
  if (code === undefined) return undefined;
  const found = await context.records.getMany(
    context.userCodeKeys.map((key) => keys.userCode(userCodeDigest(code, key))),
    USER_CODE,
  );
  const record = found.find((one) => one !== undefined);
  return record === undefined ? undefined : { code, hash: record.device };
};

/**
 * The device of a code. It belongs to the first owner who enters the code; for all others it does not exist.
 *
 * @param known - Its record, if it was just read.
 */
const claim = async (
  found: FoundCode | undefined,
  { sub }: Owner,
  context: OAuthContext,
  known?: DeviceRecord,
): Promise<Claimed | undefined> => {
  if (found === undefined) return undefined;
  const { records, config, random } = context;
  const key = keys.device(found.hash);
  const owner = sha256(sub);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const device = attempt === 0 && known !== undefined ? known : await records.get(key, DEVICE);
    if (device === undefined || secondsOf(context.clock) >= device.code_exp) return undefined;
    if (device.owner !== null && device.owner !== owner) return undefined;
    const client = await config.clients.find(device.client_id);
    if (client === undefined || !isOfGeneration(client, device)) return undefined;
    const claimed: DeviceRecord = device.owner === null ? { ...device, owner, rev: random.rev() } : device;
    if (claimed === device || (await records.swap(key, device.rev, claimed)))
      return { ...found, device: claimed, client };
  }
  throw new UnavailableError('The record of a device code changed too often.');
};

/** Signing out without a decision releases the device for the next owner who enters the code. */
const release = async ({ hash }: FoundCode, { sub }: Owner, { records, random }: OAuthContext): Promise<void> => {
  const device = await records.get(keys.device(hash), DEVICE);
  if (device === undefined || device.decision !== null || device.owner !== sha256(sub)) return;
  await records.swap(keys.device(hash), device.rev, { ...device, owner: null, rev: random.rev() });
};

const donePage = async (
  decision: 'approve' | 'deny',
  client: Client,
  { owner, session }: Visitor,
  context: OAuthContext,
): Promise<HttpResponse> => {
  const { pages, signIn, records } = context;
  const page = await pages.show('deviceDone', {
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

/** The decision is made once; a second press shows the first result again. */
const decide = async (
  decision: 'approve' | 'deny',
  claimed: Claimed,
  visitor: Visitor & { readonly connection: Connection | undefined },
  context: OAuthContext,
): Promise<HttpResponse> => {
  const { client, device } = claimed;
  if (device.decision !== null) return donePage(device.decision, client, visitor, context);
  const { owner, session, connection } = visitor;
  const { tokens } = context;
  if (decision === 'approve') context.hooks.checkOwner?.(owner, parseScope(device.scope) ?? []);
  // The grant is written first, so that a device never finds an approval without one.
  const grant =
    decision === 'approve'
      ? await tokens.newGrant(client, owner, device.scope, device.aud, { grant_type: DEVICE_CODE_GRANT }, connection)
      : undefined;
  if (grant !== undefined) {
    await tokens.saveGrant(grant, context.emit);
    if (await context.signIn.isOver(session, context)) {
      await tokens.revokeGrant(grant, { reason: 'unused' }, context.emit);
      throw formExpired(devicePath(context));
    }
  }
  const first = await saveDecision(claimed, { decision, grant: grant?.id ?? null }, owner, context);
  if (first !== undefined) {
    if (grant !== undefined) await tokens.revokeGrant(grant, { reason: 'unused' }, context.emit);
    if (first === 'gone') throw new PageError('device_already_answered');
    return donePage(first, client, visitor, context);
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

/** @returns the earlier decision, or `gone` if the device is no longer this owner's; `undefined` if this one was saved. */
const saveDecision = async (
  claimed: Claimed,
  made: Pick<DeviceRecord, 'decision' | 'grant'>,
  owner: Owner,
  context: OAuthContext,
): Promise<'approve' | 'deny' | 'gone' | undefined> => {
  const { records, random } = context;
  let { device } = claimed;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const { rev } = device;
    if (await records.swap(keys.device(claimed.hash), rev, { ...device, ...made, rev: random.rev() })) return undefined;
    const now = await claim(claimed, owner, context);
    if (now === undefined) return 'gone';
    if (now.device.decision !== null) return now.device.decision;
    ({ device } = now);
  }
  return 'gone';
};
