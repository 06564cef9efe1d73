import { defined } from '../../base/defined.js';
import type { HttpRequest, HttpResponse } from '../../base/http/messages.js';
import type { HiddenFields } from '../../base/pages/forms.js';
import { pageResponse } from '../../base/pages/response.js';
import { parseScope } from '../../base/scope.js';
import { PERSONAL_TOKENS } from '../clients/personal-client.js';
import type { OAuthContext } from '../kernel/context.js';
import {
  endAfterQuestion,
  grantsPath,
  readEnded,
  readPageForm,
  senderOf,
  tokensPath,
  visitorOf,
} from '../kernel/owner-pages.js';
import { clientView } from '../pages/client-view.js';
import type { Ending } from '../pages/endings.js';
import { PageError } from '../pages/page-error.js';
import { resourceNames, scopeViews } from '../pages/scope-views.js';
import type { ConnectedAppView } from '../pages/views.js';
import type { Owner } from '../records/owner.js';
import { type Destination, SIGN_IN_FIELDS } from '../sign-in/sign-in.js';
import { disconnect } from './ended-grants.js';
import { appsOf, type FoundApp } from './listed-grants.js';

const GRANTS_PAGE_PARAMETERS = {
  ...SIGN_IN_FIELDS,
  disconnect: 'vschar',
  decision: 'vschar',
  confirmed: 'vschar',
} as const;

const destinationOf = (context: OAuthContext): Destination => {
  const action = grantsPath(context);
  return { action, returnTo: action, hidden: {} };
};

const purposeOf = (owner: Owner): readonly string[] => ['grants', owner.sub];

const applicationsOf = async (sub: string, context: OAuthContext): Promise<readonly FoundApp[]> =>
  (await appsOf(sub, context)).filter(({ app }) => app.client_id !== PERSONAL_TOKENS);

const appView = ({ app, client }: FoundApp, request: HttpRequest, context: OAuthContext): ConnectedAppView => {
  const { client_id, client_name, scope, resource, created, last_used } = app;
  const { logoUri } = client === undefined ? {} : clientView(client, context.issuer(request));
  return {
    clientId: client_id,
    clientName: client_name,
    scopes: scopeViews(parseScope(scope) ?? [], context.config, context.pages.locale),
    resources: resourceNames(resource, context.config),
    ...defined({ logoUri, created, lastUsed: last_used }),
  };
};

/** `GET`: the page that shows owners their connected applications. */
export const grantsPage = async (request: HttpRequest, context: OAuthContext): Promise<HttpResponse> => {
  const { signIn, pages } = context;
  const visitor = await visitorOf(request, destinationOf(context), context);
  if ('response' in visitor) return visitor.response;
  const { owner, session } = visitor;
  const apps = await applicationsOf(owner.sub, context);
  const page = await pages.show('grants', {
    action: grantsPath(context),
    hidden: { form_token: signIn.sessions.formToken(session, purposeOf(owner)) },
    username: owner.username ?? owner.sub,
    apps: apps.map((found) => appView(found, request, context)),
    done: readEnded(request, visitor, context),
    canSignOut: signIn.isBuiltIn,
    ...(context.config.personalTokens !== undefined && { tokensPath: tokensPath(context) }),
  });
  return pageResponse(page, { cookie: signIn.sessions.setCookie(session) });
};

/** What a button ends: one application by its name, or all by their number. */
const endingOf = async (client_id: string | undefined, sub: string, context: OAuthContext): Promise<Ending> => {
  if (client_id === undefined) return { kind: 'disconnect_all', of: (await applicationsOf(sub, context)).length };
  const client = await context.config.clients.find(client_id);
  return { kind: 'disconnect', of: client?.name ?? client_id };
};

/** `POST`: a button of the page, which asks first; or the built-in sign-in form. Afterwards, the page shows what is left. */
export const grantsForm = async (request: HttpRequest, context: OAuthContext): Promise<HttpResponse> => {
  const destination = destinationOf(context);
  const form = await readPageForm(request, GRANTS_PAGE_PARAMETERS, context);
  const sender = await senderOf(request, form, destination, purposeOf, context);
  if ('response' in sender) return sender.response;
  const { form_token, owner } = sender;
  const { sub } = owner;
  const client_id = form.get('disconnect');
  if (client_id === undefined && form.get('decision') !== 'disconnect_all')
    throw new PageError('nothing_chosen', { back: { href: destination.returnTo } });
  const chosen: HiddenFields = client_id === undefined ? { decision: 'disconnect_all' } : { disconnect: client_id };
  const page = { path: context.config.paths.grants[0], hidden: { form_token, ...chosen } };
  const end = async (): Promise<void> => {
    const of = client_id === undefined ? { sub, except: PERSONAL_TOKENS } : { sub, client_id };
    const tidy = await disconnect(of, { reason: 'owner', by: sub }, context);
    tidy().catch(context.onError);
  };
  return endAfterQuestion(request, form, sender, await endingOf(client_id, sub, context), page, end, context);
};
