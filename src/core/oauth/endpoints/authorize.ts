import { OAuthError, PageError } from '../../errors.js';
import type { HttpRequest, HttpResponse } from '../../http.js';
import { redirect } from '../../responses.js';
import {
  AUTHORIZATION_PARAMETERS,
  type AuthorizationRequest,
  authorizationResponse,
  readAuthorizationRequest,
  RedirectError,
  resumeAuthorizationRequest,
} from '../authorization-request.js';
import type { Client } from '../client.js';
import { decideOnce, saveCode } from '../consent-decision.js';
import type { OAuthContext } from '../context.js';
import { pageResponse } from '../pages/render.js';
import { scopeViews } from '../pages/scope-views.js';
import { type Parameters, parseParameters, readForm } from '../parameters.js';
import { redirectHost } from '../redirect-uri.js';
import { isRemembered, rememberConsent } from '../remembered-consent.js';
import { formatScope } from '../scope.js';
import type { Session } from '../sessions.js';
import { type Destination, formExpired, SIGN_IN_FIELDS } from '../sign-in.js';
import type { Owner } from '../tokens.js';

/** `resume` carries a checked request through signing in and deciding; it is ours alone and sealed. */
export const AUTHORIZE_PARAMETERS = {
  ...AUTHORIZATION_PARAMETERS,
  ...SIGN_IN_FIELDS,
  resume: 'vschar',
  decision: 'vschar',
} as const;

/** A request that its owner is busy with. */
interface Pending {
  readonly client: Client;
  readonly request: AuthorizationRequest;
  readonly sealed: string;
}

/**
 * The authorization endpoint: checks the request, lets the owner sign in and decide, and sends them back.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-4.1 | RFC 6749 §4.1}
 */
export const authorize = async (request: HttpRequest, context: OAuthContext): Promise<HttpResponse> => {
  const isPost = request.method === 'POST';
  try {
    const form = isPost
      ? await readForm(request, AUTHORIZE_PARAMETERS, context.config.limits)
      : parseParameters(request.query, AUTHORIZE_PARAMETERS, context.config.limits);
    const sealed = form.get('resume');
    if (sealed === undefined)
      return await begin(request, await readAuthorizationRequest(form, context.issuer(request), context), context);
    if (form.firstProblem !== undefined) throw new PageError(400, form.firstProblem);
    const pending: Pending = { ...(await resumeAuthorizationRequest(sealed, context)), sealed };
    return await redirectErrors(pending.request, context, () => resume(request, form, pending, context));
  } catch (error) {
    if (!(error instanceof RedirectError)) throw error;
    const { code, message, target } = error;
    return authorizationResponse(target, { error: code, error_description: message }, isPost ? 303 : 302);
  }
};

const begin = (
  request: HttpRequest,
  checked: Omit<Pending, 'sealed'>,
  context: OAuthContext,
): Promise<HttpResponse> => {
  const lifetime = context.config.lifetimes.authorizationRequest * 1000;
  const pending = { ...checked, sealed: context.requestSeal.seal(checked.request, context.clock() + lifetime) };
  return redirectErrors(pending.request, context, () => show(request, pending, context));
};

/** The browser is back: to see what comes next, to decide, or with the built-in sign-in form. */
const resume = (
  request: HttpRequest,
  form: Parameters,
  pending: Pending,
  context: OAuthContext,
): Promise<HttpResponse> => {
  if (request.method !== 'POST') return show(request, pending, context);
  const decision = form.get('decision');
  if (decision !== undefined) return decide(request, pending, decision, form.get('form_token'), context);
  return context.signIn.submit(request, form, destinationOf(pending, context), context);
};

/** Once it is known where the client listens, it hears about every failure there (RFC 6749 §4.1.2.1). */
const redirectErrors = async (
  target: AuthorizationRequest,
  context: OAuthContext,
  work: () => Promise<HttpResponse>,
): Promise<HttpResponse> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PageError || error instanceof RedirectError) throw error;
    if (error instanceof OAuthError) throw new RedirectError(error.code, error.message, target);
    context.onError(error);
    throw new RedirectError('server_error', 'The server could not handle this request.', target);
  }
};

const actionOf = (context: OAuthContext): string => context.basePath + context.config.paths.authorize[0];

const destinationOf = ({ client, sealed }: Pending, context: OAuthContext): Destination => {
  const action = actionOf(context);
  const leadsToClient = context.config.lifetimes.rememberedConsent > 0;
  return {
    action,
    returnTo: `${action}?resume=${sealed}`,
    hidden: { resume: sealed },
    clientName: client.name,
    leadsToClient,
  };
};

/** What comes next for this browser: signing in, deciding, or nothing because it was decided before. */
const show = async (request: HttpRequest, pending: Pending, context: OAuthContext): Promise<HttpResponse> => {
  const { signIn } = context;
  const session = signIn.sessions.read(request);
  const owner = await signIn.currentOwner(request, session, context);
  if (owner === undefined) {
    const destination = destinationOf(pending, context);
    // A form from another site comes without our cookie; the same address as a link comes with it.
    return request.method === 'POST' ? redirect(destination.returnTo, 303) : signIn.ask(session, destination, context);
  }
  if (await isRemembered(pending, owner.sub, context)) {
    return approve(pending, owner, request.method === 'POST' ? 303 : 302, context);
  }
  return consentPage(pending, owner, session ?? signIn.sessions.begin(), context);
};

const consentPurpose = (owner: Owner, request: AuthorizationRequest): readonly string[] => [
  'consent',
  owner.sub,
  request.id,
];

const consentPage = async (
  pending: Pending,
  owner: Owner,
  session: Session,
  context: OAuthContext,
): Promise<HttpResponse> => {
  const { client, request, sealed } = pending;
  const { signIn } = context;
  const html = await context.pages.consent({
    action: actionOf(context),
    hidden: { resume: sealed, form_token: signIn.sessions.formToken(session, consentPurpose(owner, request)) },
    clientName: client.name,
    username: owner.username ?? owner.sub,
    scopes: scopeViews(request.scope, context.config.scopes),
    redirectHost: redirectHost(request.redirect_uri),
    canSwitch: signIn.isBuiltIn,
  });
  return pageResponse(html, { leadsToClient: true, cookie: signIn.sessions.setCookie(session) });
};

/** The owner pressed a button. The form must be the one that this session was shown, for this owner and request. */
const decide = async (
  request: HttpRequest,
  pending: Pending,
  decision: string,
  token: string | undefined,
  context: OAuthContext,
): Promise<HttpResponse> => {
  const { signIn } = context;
  const session = signIn.sessions.read(request);
  const owner = await signIn.currentOwner(request, session, context);
  if (owner === undefined || !signIn.sessions.isFormToken(token, session, consentPurpose(owner, pending.request)))
    throw formExpired();
  if (decision === 'switch' && signIn.isBuiltIn) return signIn.switchOwner(destinationOf(pending, context));
  if (decision !== 'approve' && decision !== 'deny')
    throw new PageError(400, 'Choose whether to allow or to deny the request.');

  const { client, request: asked } = pending;
  const { code, isFirst } = await decideOnce(decision, { client, request: asked, owner, session }, context);
  if (isFirst) {
    context.emit?.({
      type: 'consent.decided',
      decision,
      client_id: client.client_id,
      sub: owner.sub,
      scope: formatScope(asked.scope),
    });
  }
  if (decision === 'deny') throw new RedirectError('access_denied', 'The resource owner denied the request.', asked);
  if (isFirst) await rememberConsent(pending, owner.sub, context);
  return code === undefined
    ? answerWithToken(pending, owner, 303, context)
    : authorizationResponse(asked, { code }, 303);
};

/** What was allowed before leads to the client without a question. */
const approve = async (
  pending: Pending,
  owner: Owner,
  status: 302 | 303,
  context: OAuthContext,
): Promise<HttpResponse> => {
  const { client, request } = pending;
  if (request.response_type === 'token') return answerWithToken(pending, owner, status, context);
  const { tokens } = context;
  const grant = await tokens.createGrant(client, owner, formatScope(request.scope), request.resources);
  const code = tokens.secret(grant.id);
  await saveCode(code, grant, pending, context);
  return authorizationResponse(request, { code }, status);
};

/** The implicit grant (RFC 6749 §4.2). */
const answerWithToken = async (
  { client, request }: Pending,
  owner: Owner,
  status: 302 | 303,
  context: OAuthContext,
): Promise<HttpResponse> => {
  const { tokens } = context;
  const scope = formatScope(request.scope);
  const grant = await tokens.createGrant(client, owner, scope, request.resources);
  const { access_token, token_type, expires_in } = await tokens.issueAccess(grant, scope, request.resources);
  context.emit?.({
    type: 'token.issued',
    grant_type: 'implicit',
    client_id: client.client_id,
    sub: owner.sub,
    scope,
    grant_id: grant.id,
  });
  return authorizationResponse(request, { access_token, token_type, expires_in: String(expires_in), scope }, status);
};
