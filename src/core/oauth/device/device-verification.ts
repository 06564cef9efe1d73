import type { HttpRequest, HttpResponse } from '../../base/http/messages.js';
import { redirect } from '../../base/http/responses.js';
import type { Guess, GuessLimiter } from '../../base/limits/guess-limiter.js';
import { subjectName } from '../../base/limits/slots.js';
import { type LimitAt, sourceOf } from '../../base/limits/source.js';
import { PageError } from '../../base/pages/page-error.js';
import { pageResponse } from '../../base/pages/response.js';
import { parseScope } from '../../base/scope.js';
import { inHalves } from '../../base/text.js';
import { checkAwaited } from '../../base/waiting.js';
import { type Client, DEVICE_CODE_GRANT } from '../clients/client.js';
import type { Emit } from '../events/events.js';
import { type Parameters, parseParameters, type ReadForm } from '../facts/parameters.js';
import { isSignIn, readPageForm, type Visitor, visitorOf } from '../kernel/owner-pages.js';
import type { PageScope } from '../kernel/page-scope.js';
import type { Answer } from '../kernel/server-endpoint.js';
import type { AccessViews } from '../pages/access-views.js';
import { accountView, clientView } from '../pages/party-views.js';
import type { Owner } from '../records/owner.js';
import { tooManyAttempts } from '../sign-in/authenticate-owner.js';
import { type Destination, formExpired, SIGN_IN_FIELDS, type SignIn } from '../sign-in/sign-in.js';
import type { Connection, CreateGrant, Grant, KnownGrant, NewGrant, RevocationReason } from '../tokens/grant.js';
import { DEVICE_CODE_PAGE, DEVICE_CONSENT_PAGE, DEVICE_DONE_PAGE } from './device-pages.js';
import { type Claimed, DEVICE_LIMITS, type Devices, type FoundCode } from './devices.js';
import { fingerprintOfHash, normalizeUserCode, USER_CODE_LENGTH } from './user-code.js';

const DEVICE_PAGE_PARAMETERS = {
  ...SIGN_IN_FIELDS,
  user_code: 'text',
  decision: 'vschar',
  device: 'vschar',
  client_id: 'vschar',
} as const;

/** A code on the form where its owner decides. The form says what it belongs to, so that the decision need not look for that again. */
interface ShownCode extends FoundCode {
  readonly client_id: string;
}

export interface DeviceVerificationServices {
  readonly readForm: ReadForm;
  readonly signIn: SignIn;
  readonly devices: Devices;
  readonly tokens: {
    connectionTo(sub: string, client_id: string): Promise<Connection>;
    readonly newGrant: CreateGrant;
    saveGrant(grant: NewGrant, emit: Emit | undefined): Promise<Grant>;
    revokeGrant(grant: KnownGrant, why: RevocationReason, emit: Emit | undefined): Promise<void>;
  };
  readonly userCodeLimit: GuessLimiter;
  readonly limitAt: LimitAt;
  readonly hooks: { readonly checkOwner?: (owner: Owner, scope: readonly string[]) => void };
  readonly views: AccessViews;
  readonly pagePaths: {
    readonly device: string;
    readonly deviceVerify: string;
    /** Where owners see their connected applications, if the store can list them. */
    readonly listedGrants: string | undefined;
  };
  issuer(request: HttpRequest): string;
}

/** A request for one of these pages. */
interface Page extends PageScope {
  readonly services: DeviceVerificationServices;
}

/**
 * `GET`: the page where an owner enters the code of their device. A link that contains the code only fills it in
 * (RFC 8628 §3.3.1), because any page can make a browser open a link.
 */
export const deviceVerification =
  (services: DeviceVerificationServices): Answer<PageScope> =>
  async ({ request, emit, pages }) => {
    const page: Page = { request, emit, pages, services };
    const form = parseParameters(request.query, DEVICE_PAGE_PARAMETERS);
    const typed = form.get('user_code') ?? '';
    const { signIn } = services;
    const visitor = await visitorOf(request, destinationOf(typed, page), { signIn, pages, emit });
    return 'response' in visitor ? visitor.response : codePage(visitor, typed, undefined, page);
  };

/** `POST`: an entered code, a decision, or the built-in sign-in form. */
export const deviceVerificationForm =
  (services: DeviceVerificationServices): Answer<PageScope> =>
  async ({ request, emit, pages }) => {
    const page: Page = { request, emit, pages, services };
    const { signIn, devices } = services;
    const form = await readPageForm(request, DEVICE_PAGE_PARAMETERS, services);
    const typed = form.get('user_code') ?? '';
    const destination = destinationOf(typed, page);
    if (isSignIn(form)) return signIn.submit(request, form, destination, page);
    const session = signIn.sessions.read(request);
    if (session === undefined) return redirect(destination.returnTo, 303);
    const decision = form.get('decision');
    const shown = decision === undefined ? undefined : shownCode(form);
    // All that can be read at once, most of it in vain if the form is not one of ours.
    const [owner, entered, device, place] = await Promise.all([
      signIn.currentOwner(request, session),
      decision === undefined ? devices.findCode(typed) : undefined,
      shown && devices.read(shown.hash),
      decision === 'approve' && shown && session.owner && connectionOf(session.owner, shown, services),
    ]);
    if (owner === undefined) return redirect(destination.returnTo, 303);
    const visitor = { owner, session };
    const isShown = (purpose: readonly string[]): boolean =>
      signIn.sessions.isFormToken(form.get('form_token'), session, purpose);
    const isConsent = shown !== undefined && isShown(decisionPurpose(owner, shown));
    if (decision === 'sign_out' && signIn.isBuiltIn && (isConsent || isShown(codePurpose(owner)))) {
      const found = isConsent ? shown : await devices.findCode(typed);
      if (found !== undefined) await devices.release(found, owner);
      return signIn.signOut(session, destination, page);
    }
    if (decision === undefined) {
      if (!isShown(codePurpose(owner))) throw formExpired(destination.returnTo);
      return enter(typed, entered, visitor, page);
    }
    if (!isConsent) throw formExpired(destination.returnTo);
    if (decision !== 'approve' && decision !== 'deny')
      throw new PageError('no_decision', { back: { href: destination.returnTo } });
    // The form was shown to this owner for this very code, so it is no guess.
    const claimed = device && (await devices.claim(shown, owner, device));
    if (claimed === undefined) return codePage(visitor, typed, 'wrong_code', page);
    checkAwaited(request);
    const connection = place && session.owner?.sub === owner.sub ? place : undefined;
    return decide(decision, claimed, { ...visitor, connection }, page);
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

const connectionOf = (
  { sub }: Owner,
  { client_id }: ShownCode,
  { tokens }: DeviceVerificationServices,
): Promise<Connection> => tokens.connectionTo(sub, client_id);

const codePurpose = (owner: Owner): readonly string[] => ['device', owner.sub];

const decisionPurpose = ({ sub }: Owner, { code, hash, client_id }: ShownCode): readonly string[] => [
  ...['device decision', sub, code, hash, client_id],
];

/** Where the forms go. */
const formPath = ({ pages, services }: Page): string => pages.address(services.pagePaths.deviceVerify);

/** Where a code is typed. */
const devicePath = ({ pages, services }: Page, query = ''): string => pages.address(services.pagePaths.device + query);

/** Where owners see their connected applications. */
const grantsLink = ({ pages, services: { pagePaths } }: Page): { readonly grantsPath?: string } =>
  pagePaths.listedGrants === undefined ? {} : { grantsPath: pages.address(pagePaths.listedGrants) };

const destinationOf = (typed: string, page: Page): Destination => {
  const code = typed === '' ? '' : `?user_code=${encodeURIComponent(typed)}`;
  return {
    action: formPath(page),
    returnTo: devicePath(page, code),
    hidden: typed === '' ? {} : { user_code: typed },
  };
};

/** The page with the input for the code. */
const codePage = async (
  visitor: Visitor,
  typed: string,
  problemCode: 'wrong_code' | undefined,
  page: Page,
): Promise<HttpResponse> => {
  const { signIn } = page.services;
  const { sessions } = signIn;
  const { owner, session } = visitor;
  const shown = await page.pages.show(DEVICE_CODE_PAGE, {
    action: formPath(page),
    hidden: { form_token: sessions.formToken(session, codePurpose(owner)) },
    userCode: typed,
    example: inHalves('X'.repeat(USER_CODE_LENGTH)),
    ...accountView(owner),
    canSignOut: signIn.isBuiltIn,
    ...(problemCode !== undefined && { problemCode }),
  });
  return pageResponse(shown, { status: problemCode === undefined ? 200 : 400, cookie: sessions.setCookie(session) });
};

/** Shows what a code belongs to, without deciding anything. */
const enter = async (
  typed: string,
  found: FoundCode | undefined,
  visitor: Visitor,
  page: Page,
): Promise<HttpResponse> => {
  const { request, pages, services } = page;
  const { devices, signIn, userCodeLimit, views } = services;
  // Read while the attempt is counted; nothing of it is used, or shown, before.
  const read = found && devices.read(found.hash);
  read?.catch(() => undefined);
  const attempt = await userCodeLimit.attempt(guessOf(visitor, request, services), request, async () => {
    const device = await read;
    return found && device && devices.claim(found, visitor.owner, device);
  });
  if ('retryAfter' in attempt) throw tooManyAttempts(attempt.retryAfter, devicePath(page));
  if (attempt.result === undefined) return codePage(visitor, typed, 'wrong_code', page);
  const { owner, session } = visitor;
  const { sessions } = signIn;
  const { client, device, code, hash } = attempt.result;
  if (device.decision !== null) return donePage(device.decision, client, visitor, page);
  const { client_id } = client;
  const form_token = sessions.formToken(session, decisionPurpose(owner, { code, hash, client_id }));
  const shown = await pages.show(DEVICE_CONSENT_PAGE, {
    action: formPath(page),
    hidden: { user_code: code, device: hash, client_id, form_token },
    ...clientView(client, services.issuer(request)),
    ...accountView(owner),
    scopes: views.scopes(parseScope(device.scope) ?? [], pages.locale),
    resources: views.resources(device.aud),
    userCode: inHalves(code),
    fingerprint: fingerprintOfHash(hash),
    canSignOut: signIn.isBuiltIn,
    ...grantsLink(page),
  });
  return pageResponse(shown, { cookie: sessions.setCookie(session) });
};

/** The subjects for which wrong codes are counted: the owner, the browser and the address (RFC 8628 §5.1). */
const guessOf = ({ owner, session }: Visitor, { ip }: HttpRequest, { limitAt }: DeviceVerificationServices): Guess => {
  const max = DEVICE_LIMITS.userCodeFailures;
  return {
    subjects: [
      { name: subjectName('user', owner.sub), max, isKept: true },
      { name: subjectName('session', session.id), max, isKept: true },
      { name: subjectName('address', sourceOf(ip)), max: limitAt(ip, max), isKept: true },
    ],
  };
};

const donePage = async (
  decision: 'approve' | 'deny',
  client: Client,
  { owner, session }: Visitor,
  page: Page,
): Promise<HttpResponse> => {
  const { signIn } = page.services;
  const shown = await page.pages.show(DEVICE_DONE_PAGE, {
    decision,
    clientId: client.client_id,
    clientName: client.name,
    action: formPath(page),
    hidden: { form_token: signIn.sessions.formToken(session, codePurpose(owner)) },
    canSignOut: signIn.isBuiltIn,
    devicePath: devicePath(page),
    ...grantsLink(page),
  });
  return pageResponse(shown);
};

/** The decision is made once; a second press shows the first result again. */
const decide = async (
  decision: 'approve' | 'deny',
  claimed: Claimed,
  visitor: Visitor & { readonly connection: Connection | undefined },
  page: Page,
): Promise<HttpResponse> => {
  const { emit, services } = page;
  const { tokens, signIn, devices, hooks } = services;
  const { client, device } = claimed;
  if (device.decision !== null) return donePage(device.decision, client, visitor, page);
  const { owner, session, connection } = visitor;
  if (decision === 'approve') hooks.checkOwner?.(owner, parseScope(device.scope) ?? []);
  // The grant is written first, so that a device never finds an approval without one.
  const grant =
    decision === 'approve'
      ? await tokens.newGrant(client, owner, device.scope, device.aud, { grant_type: DEVICE_CODE_GRANT }, connection)
      : undefined;
  if (grant !== undefined) {
    await tokens.saveGrant(grant, emit);
    if (await signIn.isOver(session)) {
      await tokens.revokeGrant(grant, { reason: 'unused' }, emit);
      throw formExpired(devicePath(page));
    }
  }
  const first = await devices.decide(claimed, { decision, grant: grant?.id ?? null }, owner);
  if (first !== undefined) {
    if (grant !== undefined) await tokens.revokeGrant(grant, { reason: 'unused' }, emit);
    if (first === 'gone') throw new PageError('device_already_answered');
    return donePage(first, client, visitor, page);
  }
  emit?.({
    type: 'device.decided',
    decision,
    client_id: client.client_id,
    sub: owner.sub,
    scope: device.scope,
  });
  return donePage(decision, client, visitor, page);
};
