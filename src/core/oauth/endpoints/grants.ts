import type { HttpRequest, HttpResponse } from '../../base/http/messages.js';
import { redirect } from '../../base/http/responses.js';
import { parseScope } from '../../base/scope.js';
import type { OAuthContext } from '../context.js';
import { disconnect } from '../owners/ended-grants.js';
import { connectedApps } from '../owners/listed-grants.js';
import { PageError } from '../pages/page-error.js';
import { pageResponse } from '../pages/render.js';
import { scopeViews } from '../pages/scope-views.js';
import { readForm } from '../parameters.js';
import type { Owner } from '../records/owner.js';
import { type Destination, formExpired, SIGN_IN_FIELDS } from '../sign-in/sign-in.js';

export const GRANTS_PAGE_PARAMETERS = { ...SIGN_IN_FIELDS, disconnect: 'vschar', decision: 'vschar' } as const;

/** Where the page is. */
export const grantsPath = ({ basePath, config, pages }: OAuthContext): string =>
  pages.address(basePath + config.paths.grants[0]);

const destinationOf = (context: OAuthContext): Destination => {
  const action = grantsPath(context);
  return { action, returnTo: action, hidden: {} };
};

const purposeOf = (owner: Owner): readonly string[] => ['grants', owner.sub];

/** `GET`: the page that shows owners their connected applications. */
export const grantsPage = async (request: HttpRequest, context: OAuthContext): Promise<HttpResponse> => {
  const { signIn, config, pages } = context;
  const known = signIn.sessions.read(request);
  const owner = await signIn.currentOwner(request, known, context);
  if (owner === undefined) return signIn.ask(known, destinationOf(context), context);
  const session = known ?? signIn.sessions.begin();
  const apps = await connectedApps(owner.sub, context);
  const page = await pages.grants({
    action: grantsPath(context),
    hidden: { form_token: signIn.sessions.formToken(session, purposeOf(owner)) },
    username: owner.username ?? owner.sub,
    apps: apps.map(({ client_id, client_name, scope, created, last_used }) => ({
      clientId: client_id,
      clientName: client_name,
      scopes: scopeViews(parseScope(scope) ?? [], config, pages.locale),
      ...(created === undefined ? {} : { created }),
      ...(last_used === undefined ? {} : { lastUsed: last_used }),
    })),
    canSignOut: signIn.isBuiltIn,
  });
  return pageResponse(page, { cookie: signIn.sessions.setCookie(session) });
};

/** `POST`: a button of the page, or the built-in sign-in form. Afterwards, the page shows what is left. */
export const grantsForm = async (request: HttpRequest, context: OAuthContext): Promise<HttpResponse> => {
  const { signIn } = context;
  const form = await readForm(request, GRANTS_PAGE_PARAMETERS, context);
  if (form.firstProblem !== undefined) throw new PageError('invalid_request', { explanation: form.firstProblem });
  const destination = destinationOf(context);
  if (form.get('username') !== undefined || form.get('password') !== undefined)
    return signIn.submit(request, form, destination, context);
  const session = signIn.sessions.read(request);
  const owner = await signIn.currentOwner(request, session, context);
  if (owner === undefined) return redirect(destination.returnTo, 303);
  if (!signIn.sessions.isFormToken(form.get('form_token'), session, purposeOf(owner)))
    throw formExpired(destination.returnTo);

  const { sub } = owner;
  const client_id = form.get('disconnect');
  const decision = form.get('decision');
  if (decision === 'sign_out' && signIn.isBuiltIn) return signIn.signOut(session, destination, context);
  if (client_id === undefined && decision !== 'disconnect_all')
    throw new PageError('nothing_to_disconnect', { back: { href: destination.returnTo } });
  const of = client_id === undefined ? { sub } : { sub, client_id };
  const tidy = await disconnect(of, { reason: 'owner', by: sub }, context);
  tidy().catch(context.onError);
  return redirect(destination.returnTo, 303);
};
