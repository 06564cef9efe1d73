import { OAuthError } from '../../base/errors.js';
import type { HttpRequest, HttpResponse } from '../../base/http/messages.js';
import { asDescription, redirect } from '../../base/http/responses.js';
import { subjectName } from '../../base/limits/slots.js';
import { pageResponse } from '../../base/pages/response.js';
import { formatScope } from '../../base/scope.js';
import { checkAwaited } from '../../base/waiting.js';
import type { Client } from '../clients/client.js';
import { isLoopbackRedirect, redirectHost } from '../clients/redirect-uri.js';
import { type Parameters, parseParameters, readForm } from '../facts/parameters.js';
import { type OAuthContext, secondsOf } from '../kernel/context.js';
import { forgetConsent } from '../kernel/forgotten-consent.js';
import { grantsPath } from '../kernel/owner-pages.js';
import { RefusedRequest, reportedPage } from '../kernel/refusal.js';
import { clientView } from '../pages/client-view.js';
import { PageError } from '../pages/page-error.js';
import { resourceNames, scopeViews } from '../pages/scope-views.js';
import type { ConsentView } from '../pages/views.js';
import { type Owner } from '../records/owner.js';
import { markedAsBound } from '../records/token-id.js';
import { shortfallOf, type SignInShortfall } from '../sign-in/asked-sign-in.js';
import type { Session } from '../sign-in/sessions.js';
import { type Destination, formExpired, SIGN_IN_FIELDS } from '../sign-in/sign-in.js';
import type { Connection } from '../tokens/connections.js';
import { type NewGrant, wholeOf } from '../tokens/tokens.js';
import {
  AUTHORIZATION_PARAMETERS,
  authorizationResponse,
  MAX_IN_BROWSER,
  readAuthorizationRequest,
  redirected,
  RedirectError,
  requestEnd,
  resumeAuthorizationRequest,
  type AuthorizationRequest,
} from './authorization-request.js';
import { type Approval, decideOnce, findDecision, isFirstAnswer, saveGrantWithCode } from './consent-decision.js';
import { findApproved, rememberConsent } from './remembered-consent.js';

/** `resume` carries a validated request through sign-in and decision; it is internal and encrypted. */
export const AUTHORIZE_PARAMETERS = {
  ...AUTHORIZATION_PARAMETERS,
  ...SIGN_IN_FIELDS,
  resume: 'vschar',
  decision: 'vschar',
} as const;

/** A request in progress. */
interface Pending {
  readonly client: Client;
  readonly request: AuthorizationRequest;
  /** The encrypted request, which travels through the browser. Not needed if the owner is not asked. */
  sealed(): string;
}

/**
 * The authorization endpoint: validates the request, lets the owner sign in and decide, and redirects back.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-4.1 | RFC 6749 §4.1}
 */
export const authorize = async (request: HttpRequest, context: OAuthContext): Promise<HttpResponse> => {
  const isPost = request.method === 'POST';
  let client: Client | undefined;
  try {
    const form = isPost
      ? await readForm(request, context.authorizeParameters, context)
      : parseParameters(request.query, context.authorizeParameters);
    const sealed = form.get('resume');
    if (sealed === undefined) {
      const pushed = context.hooks.pushedRequest?.(form);
      const checked =
        pushed === undefined
          ? await readAuthorizationRequest(form, request, context)
          : await resumeAuthorizationRequest(pushed.opened, request, context);
      const asked = checked.request.ui_locales ?? form.get('ui_locales');
      // In a query it has been read before.
      const pages = isPost || pushed !== undefined ? context.pages.for(request, asked) : context.pages;
      return await begin(request, checked, { ...context, pages });
    }
    if (form.firstProblem !== undefined) throw new PageError('invalid_request', { explanation: form.firstProblem });
    const opened = context.requestSeal.open(sealed);
    const pending: Pending = { ...(await resumeAuthorizationRequest(opened, request, context)), sealed: () => sealed };
    ({ client } = pending);
    try {
      return await resume(request, form, pending, context);
    } catch (error) {
      throw redirected(error, pending.request, context);
    }
  } catch (error) {
    if (error instanceof OAuthError || error instanceof PageError) throw reportedPage(error, client, context);
    if (!(error instanceof RedirectError)) throw error;
    const { code, message, target } = error;
    return authorizationResponse(
      target,
      { error: code, error_description: asDescription(message) },
      isPost ? 303 : 302,
    );
  }
};

const begin = async (
  request: HttpRequest,
  checked: Omit<Pending, 'sealed'>,
  context: OAuthContext,
): Promise<HttpResponse> => {
  const { client, request: asked } = checked;
  try {
    // A plain request was always as long as its client made it.
    if (asked.signIn !== undefined && JSON.stringify(asked).length > MAX_IN_BROWSER)
      throw new OAuthError('invalid_request', 'The request is too long to be sent through a browser.');
    return await show(request, pendingOf(client, asked, context), context);
  } catch (error) {
    throw redirected(error, asked, context);
  }
};

/** The browser returns: for the next step, with a decision, or with the built-in sign-in form. */
const resume = (
  request: HttpRequest,
  form: Parameters,
  pending: Pending,
  context: OAuthContext,
): Promise<HttpResponse> => {
  if (request.method !== 'POST') return show(request, pending, context);
  const decision = form.get('decision');
  // The request was sealed again with the page that offers it.
  if (decision === 'continue' && pending.request.signIn?.choose === true) return show(request, pending, context);
  if (decision !== undefined) return decide(request, form, pending, context);
  return context.signIn.submit(request, form, destinationOf(pending, context), context);
};

const actionOf = ({ basePath, config, pages }: OAuthContext): string =>
  pages.address(basePath + config.paths.authorize[0]);

const destinationOf = (pending: Pending, context: OAuthContext): Destination => {
  const { client } = pending;
  const { basePath, config, pages } = context;
  const sealed = pending.sealed();
  const leadsToClient = client.consent === 'skip' || config.lifetimes.rememberedConsent > 0;
  return {
    action: actionOf(context),
    returnTo: pages.address(`${basePath}${config.paths.authorize[0]}?resume=${sealed}`),
    hidden: { resume: sealed },
    clientId: client.client_id,
    clientName: client.name,
    leadsToClient,
    wishes: pending.request.signIn?.wishes,
  };
};

/** Sealed again, the request says that its owner was sent to sign in: then a sign-in can be newer than it. */
const sentToSignIn = (pending: Pending, context: OAuthContext): Pending => {
  const { client, request } = pending;
  const { signIn } = request;
  if (signIn === undefined || signIn.sent === true) return pending;
  return pendingOf(client, { ...request, signIn: { ...signIn, sent: true } }, context);
};

const pendingOf = (client: Client, request: AuthorizationRequest, context: OAuthContext): Pending => {
  const end = requestEnd(request, context);
  return { client, request, sealed: () => context.requestSeal.seal(request, end) };
};

/** The sign-in is missing, or not what the request asks for: the owner signs in, or the client learns that nobody did. */
const askToSignIn = (
  { session, owner }: { readonly session: Session | undefined; readonly owner: Owner | undefined },
  shortfall: SignInShortfall,
  pending: Pending,
  context: OAuthContext,
): Promise<HttpResponse> => {
  const { signIn, warnings } = context;
  const asked = pending.request.signIn;
  if (asked?.silent === true) throw refusedSilently('login_required');
  // The page of the application did not do what the request asks for, and would not do it the next time.
  if (asked?.sent === true && owner !== undefined && !signIn.isBuiltIn) {
    if (asked.sub === undefined || asked.sub === owner.sub) warnings.oldSignIn(owner.auth_time);
    throw refusedSilently('login_required');
  }
  const destination = destinationOf(sentToSignIn(pending, context), context);
  return signIn.ask(session, shortfall === 'choose' ? { ...destination, continueAs: owner } : destination, context);
};

const SILENT_REFUSALS = {
  login_required: 'The owner must sign in.',
  consent_required: 'The owner must allow this.',
  interaction_required: 'The owner must confirm this: there were too many requests without a page.',
} as const;

const refusedSilently = (code: keyof typeof SILENT_REFUSALS): RefusedRequest =>
  new RefusedRequest(code, SILENT_REFUSALS[code]);

/** The next step for this browser: signing in, deciding, or nothing if the owner has decided before. */
const show = async (request: HttpRequest, pending: Pending, context: OAuthContext): Promise<HttpResponse> => {
  const { signIn } = context;
  // If the application has its own sign-in, only the page needs our session.
  const session = signIn.isBuiltIn ? signIn.sessions.read(request) : undefined;
  const owner = await signIn.currentOwner(request, session, context);
  const asked = pending.request.signIn;
  const shortfall = shortfallOf(asked, owner, secondsOf(context.clock));
  if (owner === undefined || shortfall !== undefined) {
    // A form from another site comes without our cookie; a link comes with it.
    if (request.method === 'POST') return redirect(destinationOf(pending, context).returnTo, 303);
    return askToSignIn({ session, owner }, shortfall ?? 'sign_in', pending, context);
  }
  context.hooks.checkOwner?.(owner, pending.request.scope);
  const connection = asked?.consent === true ? undefined : await findApproval(pending, owner, context);
  if (connection !== undefined && maySkipQuestion(pending, owner, context)) {
    checkAwaited(request);
    const approval = await approveSilently(pending, owner, { session, connection }, context);
    // If the approval was withdrawn meanwhile, or the owner was signed out, the owner is asked.
    if (approval === undefined) return show(request, pending, context);
    return authorizationResponse(pending.request, approval.answer, request.method === 'POST' ? 303 : 302);
  }
  if (asked?.silent === true)
    throw refusedSilently(connection === undefined ? 'consent_required' : 'interaction_required');
  const shown = { owner, session: signIn.sessions.read(request) ?? signIn.sessions.begin() };
  return consentPage(request, pending, shown, context);
};

/** The connection for which no question is needed: the owner has allowed all of this before, or it is a first-party application. */
const findApproval = (pending: Pending, { sub }: Owner, context: OAuthContext): Promise<Connection | undefined> =>
  pending.client.consent === 'skip'
    ? context.tokens.connectionTo(sub, pending.client.client_id)
    : findApproved(pending, sub, context);

/** Any page can make a browser open a URL, and each approval without a question writes to the store. */
const maySkipQuestion = ({ client }: Pending, { sub }: Owner, { limiters }: OAuthContext): boolean =>
  limiters.silent.take(subjectName(sub, client.client_id)) === undefined;

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
  http: HttpRequest,
  pending: Pending,
  { owner, session }: { readonly owner: Owner; readonly session: Session },
  context: OAuthContext,
): Promise<HttpResponse> => {
  const { client, request } = pending;
  const { signIn } = context;
  const page = await context.pages.show('consent', {
    action: actionOf(context),
    hidden: {
      resume: pending.sealed(),
      form_token: signIn.sessions.formToken(session, consentPurpose(owner, request)),
    },
    ...clientView(client, context.issuer(http)),
    username: owner.username ?? owner.sub,
    scopes: scopeViews(request.scope, context.config, context.pages.locale),
    resources: resourceNames(request.resources, context.config),
    redirectHost: redirectHost(request.redirect_uri),
    ...selfDescription(client, request),
    canSwitch: signIn.isBuiltIn,
    ...(context.records.canList ? { grantsPath: grantsPath(context) } : {}),
  });
  return pageResponse(page, { leadsToClient: true, cookie: signIn.sessions.setCookie(session) });
};

/** The owner pressed a button. The form must have been shown in this session, for this owner and request. */
const decide = async (
  request: HttpRequest,
  form: Parameters,
  pending: Pending,
  context: OAuthContext,
): Promise<HttpResponse> => {
  const { signIn } = context;
  const session = signIn.sessions.read(request);
  const { client, request: asked } = pending;
  const destination = destinationOf(pending, context);
  const start = destination.returnTo;
  const [decision, token] = [form.get('decision'), form.get('form_token')];
  const [owner, before] = await Promise.all([
    signIn.currentOwner(request, session, context),
    findDecision(asked, context),
  ]);
  if (owner === undefined || !signIn.sessions.isFormToken(token, session, consentPurpose(owner, asked)))
    throw formExpired(start);
  if (decision === 'switch' && signIn.isBuiltIn) return signIn.signOut(session, destination, context);
  if (decision !== 'approve' && decision !== 'deny') throw new PageError('no_decision', { back: { href: start } });

  checkAwaited(request);
  const { approved, isFirst, isOver } = await decideOnce(
    decision,
    { client, request: asked, owner, session },
    before,
    context,
  );
  const told = { client_id: client.client_id, sub: owner.sub, scope: formatScope(asked.scope) };
  if (isFirst) context.emit?.({ type: 'consent.decided', decision, ...told });
  if (decision === 'deny') {
    const error_description = 'The resource owner denied the request.';
    return authorizationResponse(asked, { error: 'access_denied', error_description }, 303);
  }
  const approval = approved ?? (await grantToken(pending, owner, {}, context));
  const { connection } = approval.grant;
  const [hasEnded] = await Promise.all([
    isOver ?? signIn.isOver(session, context),
    approved === undefined && connection !== undefined
      ? rememberConsent(pending, owner.sub, connection, context)
      : undefined,
  ]);
  if (hasEnded) {
    await Promise.all([
      context.tokens.revokeGrant(approval.grant, { reason: 'unused' }, context.emit),
      forgetConsent(owner.sub, client.client_id, context),
    ]);
    throw formExpired(start);
  }
  return authorizationResponse(asked, approval.answer, 303);
};

/**
 * Grants without a question what was allowed before, in the connection it was allowed in. If that is ended at the same moment, so is this grant, and
 * nothing of it is left.
 */
const approveSilently = async (
  pending: Pending,
  owner: Owner,
  { session, connection }: { readonly session: Session | undefined; readonly connection: Connection },
  context: OAuthContext,
): Promise<Approval | undefined> => {
  const grant = pending.request.response_type === 'token' ? grantToken : grantCode;
  const approval = await grant(pending, owner, { silent: true, connection, session }, context);
  const [still, isOver] = await Promise.all([
    context.tokens.findGrant(approval.grant.id),
    context.signIn.isOver(session, context),
  ]);
  const isValid = still !== undefined && !isOver;
  const isUsed = isValid && !(await isFirstAnswer(pending.request, approval, context));
  if (isValid && !isUsed) return approval;
  await context.tokens.revokeGrant(approval.grant, { reason: 'unused' }, context.emit);
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
  { tokens }: OAuthContext,
): Promise<NewGrant> =>
  tokens.newGrant(
    client,
    owner,
    formatScope(request.scope),
    request.resources,
    { grant_type, ...(silent && { silent }) },
    connection,
  );

const grantCode = async (pending: Pending, owner: Owner, how: Silently, context: OAuthContext): Promise<Approval> => {
  const grant = await newGrant('authorization_code', pending, owner, how, context);
  const code = markedAsBound(context.tokens.newSecret(grant.id), pending.request.kept?.['dpop_jkt']);
  await saveGrantWithCode(code, grant, pending.request, how.session, context);
  return { grant, answer: { code } };
};

/** The implicit grant (RFC 6749 §4.2). */
const grantToken = async (pending: Pending, owner: Owner, how: Silently, context: OAuthContext): Promise<Approval> => {
  const { tokens, emit } = context;
  const made = await newGrant('implicit', pending, owner, how, context);
  const [issued, grant] = await Promise.all([
    tokens.issue(wholeOf(made, pending.client)),
    tokens.saveGrant(made, emit),
  ]);
  const { access_token, token_type, expires_in, scope } = issued;
  const { client_id, sub, id: grant_id } = grant;
  emit?.({ type: 'token.issued', grant_type: 'implicit', client_id, sub, scope, grant_id });
  return { grant, answer: { access_token, token_type, expires_in: String(expires_in), scope } };
};
