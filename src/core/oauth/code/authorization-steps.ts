import { OAuthError } from '../../base/errors.js';
import type { HttpRequest, HttpResponse } from '../../base/http/messages.js';
import { redirect } from '../../base/http/responses.js';
import type { RateLimit } from '../../base/limits/rate-limit.js';
import { subjectName } from '../../base/limits/slots.js';
import { PageError } from '../../base/pages/page-error.js';
import { pageResponse } from '../../base/pages/response.js';
import type { MaybePromise } from '../../base/ports.js';
import { formatScope } from '../../base/scope.js';
import { checkAwaited } from '../../base/waiting.js';
import type { Client } from '../clients/client.js';
import { isLoopbackRedirect, redirectHost } from '../clients/redirect-uri.js';
import type { Emit } from '../events/events.js';
import type { Parameters } from '../facts/parameters.js';
import type { PageScope } from '../kernel/page-scope.js';
import { RefusedRequest } from '../kernel/refused-request.js';
import type { AccessViews } from '../pages/access-views.js';
import { CONSENT_PAGE } from '../pages/built-in-pages.js';
import { accountView, clientView } from '../pages/party-views.js';
import type { ConsentView } from '../pages/views.js';
import type { Owner } from '../records/owner.js';
import { markedAsBound } from '../records/token-id.js';
import { shortfallOf, type SignInShortfall } from '../sign-in/asked-sign-in.js';
import type { Session } from '../sign-in/sessions.js';
import { type Destination, formExpired, type SignIn } from '../sign-in/sign-in.js';
import {
  type Connection,
  type CreateGrant,
  type Grant,
  type Issuance,
  type KnownGrant,
  type NewGrant,
  type RevocationReason,
  wholeOf,
} from '../tokens/grant.js';
import type { MintedToken } from '../tokens/token-response.js';
import {
  type AuthorizationRequest,
  type AuthorizationRequests,
  authorizationResponse,
  MAX_IN_BROWSER,
  type ReadRequest,
} from './authorization-request.js';
import type { Approval, ConsentDecisions } from './consent-decision.js';
import type { RememberedConsents } from './remembered-consent.js';

/** What the steps of an owner at the authorization endpoint need. */
export interface AuthorizationStepServices {
  readonly requests: AuthorizationRequests;
  readonly signIn: SignIn;
  readonly decisions: ConsentDecisions;
  readonly remembered: RememberedConsents;
  readonly tokens: {
    /** Seconds since the epoch. */
    now(): number;
    connectionTo(sub: string, client_id: string): Promise<Connection>;
    newSecret(grantId: string): string;
    readonly newGrant: CreateGrant;
    saveGrant(grant: NewGrant, emit: Emit | undefined): Promise<Grant>;
    findGrant(id: string): Promise<Grant | undefined>;
    revokeGrant(grant: KnownGrant, why: RevocationReason, emit: Emit | undefined): Promise<void>;
    mint(issue: Issuance): MaybePromise<MintedToken>;
    save(minted: MintedToken): MaybePromise<void>;
  };
  readonly silentLimit: RateLimit;
  readonly hooks: { readonly checkOwner?: (owner: Owner, scope: readonly string[]) => void };
  readonly warnings: { oldSignIn(authTime: number | undefined): void };
  readonly views: AccessViews;
  readonly pagePaths: {
    readonly authorize: string;
    /** Where owners see their connected applications, if the store can list them. */
    readonly listedGrants: string | undefined;
  };
  issuer(request: HttpRequest): string;
}

/** A request of a browser. */
interface Page extends PageScope {
  readonly services: AuthorizationStepServices;
}

/** A request in progress. */
interface Pending extends ReadRequest {
  /** The encrypted request, which travels through the browser. Not needed if the owner is not asked. */
  sealed(): string;
}

/** The browser comes with a request. */
export const begin = ({ client, request }: ReadRequest, page: Page): Promise<HttpResponse> => {
  // A plain request was always as long as its client made it.
  if (request.signIn !== undefined && JSON.stringify(request).length > MAX_IN_BROWSER)
    throw new OAuthError('invalid_request', 'The request is too long to be sent through a browser.');
  return show(pendingOf(client, request, page.services.requests), page);
};

/** The browser returns: for the next step, with a decision, or with the built-in sign-in form. */
export const goOn = (form: Parameters, pending: Pending, page: Page): Promise<HttpResponse> => {
  const { request, services } = page;
  if (request.method !== 'POST') return show(pending, page);
  const decision = form.get('decision');
  // The request was sealed again with the page that offers it.
  if (decision === 'continue' && pending.request.signIn?.choose === true) return show(pending, page);
  if (decision !== undefined) return decide(form, pending, page);
  return services.signIn.submit(request, form, destinationOf(pending, page), page);
};

const actionOf = ({ pages, services }: Page): string => pages.address(services.pagePaths.authorize);

const destinationOf = (pending: Pending, page: Page): Destination => {
  const { client } = pending;
  const { pages, services } = page;
  const sealed = pending.sealed();
  const leadsToClient = client.consent === 'skip' || services.remembered.areKept;
  return {
    action: actionOf(page),
    returnTo: pages.address(`${services.pagePaths.authorize}?resume=${sealed}`),
    hidden: { resume: sealed },
    clientId: client.client_id,
    clientName: client.name,
    leadsToClient,
    wishes: pending.request.signIn?.wishes,
  };
};

/** Sealed again, the request says that its owner was sent to sign in: then a sign-in can be newer than it. */
const sentToSignIn = (pending: Pending, { requests }: AuthorizationStepServices): Pending => {
  const { client, request } = pending;
  const { signIn } = request;
  if (signIn === undefined || signIn.sent === true) return pending;
  return pendingOf(client, { ...request, signIn: { ...signIn, sent: true } }, requests);
};

const pendingOf = (client: Client, request: AuthorizationRequest, requests: AuthorizationRequests): Pending => ({
  client,
  request,
  sealed: () => requests.seal(request),
});

/** The sign-in is missing, or not what the request asks for: the owner signs in, or the client learns that nobody did. */
const askToSignIn = (
  { session, owner }: { readonly session: Session | undefined; readonly owner: Owner | undefined },
  shortfall: SignInShortfall,
  pending: Pending,
  page: Page,
): Promise<HttpResponse> => {
  const { signIn, warnings } = page.services;
  const asked = pending.request.signIn;
  // The built-in sign-in has no classes, and another attempt at yours would not change its class.
  if (shortfall === 'class' && (asked?.silent === true || asked?.sent === true || signIn.isBuiltIn))
    throw new RefusedRequest('unmet_authentication_requirements', 'The sign-in does not have the requested class.', {
      reason: 'login_required',
    });
  if (asked?.silent === true) throw refusedSilently('login_required');
  // The page of the application did not do what the request asks for, and would not do it the next time.
  if (asked?.sent === true && owner !== undefined && !signIn.isBuiltIn) {
    if (asked.sub === undefined || asked.sub === owner.sub) warnings.oldSignIn(owner.auth_time);
    throw refusedSilently('login_required');
  }
  const destination = destinationOf(sentToSignIn(pending, page.services), page);
  return signIn.ask(session, shortfall === 'choose' ? { ...destination, continueAs: owner } : destination, page);
};

const SILENT_REFUSALS = {
  login_required: 'The owner must sign in.',
  consent_required: 'The owner must allow this.',
  interaction_required: 'The owner must confirm this: there were too many requests without a page.',
} as const;

const refusedSilently = (code: keyof typeof SILENT_REFUSALS): RefusedRequest =>
  new RefusedRequest(code, SILENT_REFUSALS[code]);

/** The next step for this browser: signing in, deciding, or nothing if the owner has decided before. */
const show = async (pending: Pending, page: Page): Promise<HttpResponse> => {
  const { request, pages, services } = page;
  const { signIn, hooks } = services;
  // If the application has its own sign-in, only the page needs our session.
  const session = signIn.isBuiltIn ? signIn.sessions.read(request) : undefined;
  const owner = await signIn.currentOwner(request, session);
  const asked = pending.request.signIn;
  const shortfall = shortfallOf(asked, owner, services.tokens.now());
  if (owner === undefined || shortfall !== undefined) {
    // A form from another site comes without our cookie; a link comes with it.
    if (request.method === 'POST') return redirect(destinationOf(pending, page).returnTo, 303);
    return askToSignIn({ session, owner }, shortfall ?? 'sign_in', pending, page);
  }
  hooks.checkOwner?.(owner, pending.request.scope);
  const connection = asked?.consent === true ? undefined : await findApproval(pending, owner, services);
  if (connection !== undefined && maySkipQuestion(pending, owner, services)) {
    checkAwaited(request);
    const approval = await approveSilently(pending, owner, { session, connection }, page);
    // If the approval was withdrawn meanwhile, or the owner was signed out, the owner is asked.
    if (approval === undefined) return show(pending, page);
    return authorizationResponse(pending.request, approval.answer, request.method === 'POST' ? 303 : 302, pages);
  }
  if (asked?.silent === true)
    throw refusedSilently(connection === undefined ? 'consent_required' : 'interaction_required');
  const shown = { owner, session: signIn.sessions.read(request) ?? signIn.sessions.begin() };
  return consentPage(pending, shown, page);
};

/** The connection for which no question is needed: the owner has allowed all of this before, or it is a first-party application. */
const findApproval = (
  pending: Pending,
  { sub }: Owner,
  { tokens, remembered }: AuthorizationStepServices,
): Promise<Connection | undefined> =>
  pending.client.consent === 'skip'
    ? tokens.connectionTo(sub, pending.client.client_id)
    : remembered.findApproved(pending, sub);

/** Any page can make a browser open a URL, and each approval without a question writes to the store. */
const maySkipQuestion = ({ client }: Pending, { sub }: Owner, { silentLimit }: AuthorizationStepServices): boolean =>
  silentLimit.take(subjectName(sub, client.client_id)) === undefined;

const consentPurpose = (owner: Owner, request: AuthorizationRequest): readonly string[] => [
  'consent',
  owner.sub,
  request.id,
];

/** What owners must know about a client that only described itself. */
const selfDescription = (
  { client_id, origin }: Client,
  { redirect_uri }: AuthorizationRequest,
): Pick<ConsentView, 'clientHost' | 'toLoopback' | 'selfNamed'> => {
  if (origin === 'operator') return {};
  return {
    ...(origin === 'registration' ? { selfNamed: true } : { clientHost: new URL(client_id).host }),
    // Depends on this request: a client could register an https URL just to avoid the warning.
    ...(isLoopbackRedirect(redirect_uri) && { toLoopback: true }),
  };
};

const consentPage = async (
  pending: Pending,
  { owner, session }: { readonly owner: Owner; readonly session: Session },
  page: Page,
): Promise<HttpResponse> => {
  const { client, request } = pending;
  const { pages, services } = page;
  const { signIn, views, pagePaths } = services;
  const shown = await pages.show(CONSENT_PAGE, {
    action: actionOf(page),
    hidden: {
      resume: pending.sealed(),
      form_token: signIn.sessions.formToken(session, consentPurpose(owner, request)),
    },
    ...clientView(client, services.issuer(page.request)),
    ...accountView(owner),
    scopes: views.scopes(request.scope, pages.locale, request.claims?.names),
    resources: views.resources(request.resources),
    redirectHost: redirectHost(request.redirect_uri),
    ...selfDescription(client, request),
    canSwitch: signIn.isBuiltIn,
    ...(pagePaths.listedGrants === undefined ? {} : { grantsPath: pages.address(pagePaths.listedGrants) }),
  });
  return pageResponse(shown, { leadsToClient: true, cookie: signIn.sessions.setCookie(session) });
};

/** The owner pressed a button. The form must have been shown in this session, for this owner and request. */
const decide = async (form: Parameters, pending: Pending, page: Page): Promise<HttpResponse> => {
  const { request, emit, pages, services } = page;
  const { signIn, decisions, remembered, tokens } = services;
  const session = signIn.sessions.read(request);
  const { client, request: asked } = pending;
  const destination = destinationOf(pending, page);
  const start = destination.returnTo;
  const [decision, token] = [form.get('decision'), form.get('form_token')];
  const [owner, before] = await Promise.all([signIn.currentOwner(request, session), decisions.find(asked)]);
  if (owner === undefined || !signIn.sessions.isFormToken(token, session, consentPurpose(owner, asked)))
    throw formExpired(start);
  if (decision === 'switch' && signIn.isBuiltIn) return signIn.signOut(session, destination, page);
  if (decision !== 'approve' && decision !== 'deny') throw new PageError('no_decision', { back: { href: start } });

  checkAwaited(request);
  const { approved, isFirst, isOver } = await decisions.decide(
    decision,
    { client, request: asked, owner, session },
    before,
    emit,
  );
  const told = { client_id: client.client_id, sub: owner.sub, scope: formatScope(asked.scope) };
  if (isFirst) emit?.({ type: 'consent.decided', decision, ...told });
  if (decision === 'deny') {
    const error_description = 'The resource owner denied the request.';
    return authorizationResponse(asked, { error: 'access_denied', error_description }, 303, pages);
  }
  const approval = approved ?? (await grantToken(pending, owner, {}, page));
  const { connection } = approval.grant;
  const [hasEnded] = await Promise.all([
    isOver ?? signIn.isOver(session),
    approved === undefined && connection !== undefined
      ? remembered.remember(pending, owner.sub, connection)
      : undefined,
  ]);
  if (hasEnded) {
    await Promise.all([
      tokens.revokeGrant(approval.grant, { reason: 'unused' }, emit),
      remembered.forget(owner.sub, client.client_id),
    ]);
    throw formExpired(start);
  }
  return authorizationResponse(asked, approval.answer, 303, pages);
};

/**
 * Grants without a question what was allowed before, in the connection it was allowed in. If that is ended at the same moment, so is this grant, and
 * nothing of it is left.
 */
const approveSilently = async (
  pending: Pending,
  owner: Owner,
  { session, connection }: { readonly session: Session | undefined; readonly connection: Connection },
  page: Page,
): Promise<Approval | undefined> => {
  const { tokens, signIn, decisions } = page.services;
  const grant = pending.request.response_type === 'token' ? grantToken : grantCode;
  const approval = await grant(pending, owner, { silent: true, connection, session }, page);
  const finding = tokens.findGrant(approval.grant.id);
  const over = signIn.isOver(session);
  const [still, isOver] = over instanceof Promise ? await Promise.all([finding, over]) : [await finding, over];
  const isValid = still !== undefined && !isOver;
  const isHandedOver = pending.request.pushedUntil !== undefined;
  const isUsed = isValid && isHandedOver && !(await decisions.isFirstAnswer(pending.request, approval));
  if (isValid && !isUsed) return approval;
  await tokens.revokeGrant(approval.grant, { reason: 'unused' }, page.emit);
  if (isUsed) throw new PageError('already_answered');
  return undefined;
};

/** For a grant without a question: that it is one, the connection in which it was allowed, and the session. */
type Silently = { readonly silent?: true; readonly connection?: Connection; readonly session?: Session | undefined };

const newGrant = (
  grant_type: string,
  { client, request }: Pending,
  owner: Owner,
  { connection, silent }: Silently,
  { tokens }: AuthorizationStepServices,
): MaybePromise<NewGrant> =>
  tokens.newGrant(
    client,
    owner,
    formatScope(request.scope),
    request.resources,
    { grant_type, ...(silent && { silent }), ...(request.claims !== undefined && { claims: request.claims }) },
    connection,
  );

const grantCode = async (pending: Pending, owner: Owner, how: Silently, page: Page): Promise<Approval> => {
  const { tokens, decisions } = page.services;
  const { request } = pending;
  const making = newGrant('authorization_code', pending, owner, how, page.services);
  const grant = making instanceof Promise ? await making : making;
  const code = markedAsBound(tokens.newSecret(grant.id), request.kept?.['dpop_jkt']);
  await decisions.saveWithCode(code, grant, { request, owner, session: how.session }, page.emit);
  return { grant, answer: { code } };
};

/** The implicit grant (RFC 6749 §4.2). */
const grantToken = async (pending: Pending, owner: Owner, how: Silently, page: Page): Promise<Approval> => {
  const { emit, services } = page;
  const { tokens } = services;
  const made = await newGrant('implicit', pending, owner, how, services);
  // What is added to a token may fail, so it is made before anything is written.
  const minted = await tokens.mint(wholeOf(made, pending.client));
  const [grant] = await Promise.all([tokens.saveGrant(made, emit), tokens.save(minted)]);
  const { access_token, token_type, expires_in, scope } = minted.response;
  const { client_id, sub, id: grant_id } = grant;
  emit?.({ type: 'token.issued', grant_type: 'implicit', client_id, sub, scope, grant_id });
  return { grant, answer: { access_token, token_type, expires_in: String(expires_in), scope } };
};
