import { parseUrl } from '../../base/addresses/url.js';
import { defined } from '../../base/defined.js';
import type { HttpRequest } from '../../base/http/messages.js';
import type { HiddenFields } from '../../base/pages/forms.js';
import { PageError } from '../../base/pages/page-error.js';
import { pageResponse } from '../../base/pages/response.js';
import { PERSONAL_TOKENS } from '../../base/personal-tokens.js';
import type { Timer } from '../../base/ports.js';
import type { Records } from '../../base/records.js';
import { parseScope } from '../../base/scope.js';
import type { ClientFinder } from '../clients/client-finder.js';
import type { ReadForm } from '../facts/parameters.js';
import type { OAuthHooks } from '../kernel/hooks.js';
import { endAfterQuestion, linksBeside, readEnded, readPageForm, senderOf, visitorOf } from '../kernel/owner-pages.js';
import type { PageScope } from '../kernel/page-scope.js';
import type { Answer } from '../kernel/server-endpoint.js';
import type { AccessViews } from '../pages/access-views.js';
import { GRANTS_PAGE } from '../pages/built-in-pages.js';
import type { Ending } from '../pages/endings.js';
import { accountView, clientView } from '../pages/party-views.js';
import type { ConnectedAppView } from '../pages/views.js';
import type { Owner } from '../records/owner.js';
import { type Destination, SIGN_IN_FIELDS, type SignIn } from '../sign-in/sign-in.js';
import type { Disconnect } from './ended-grants.js';
import { appsOf, type FoundApp } from './listed-grants.js';

const GRANTS_PAGE_PARAMETERS = {
  ...SIGN_IN_FIELDS,
  disconnect: 'vschar',
  decision: 'vschar',
  confirmed: 'vschar',
} as const;

interface GrantsPageServices {
  readonly readForm: ReadForm;
  readonly signIn: SignIn;
  readonly records: Records;
  readonly clients: ClientFinder;
  /** Ends what an application has of an owner. @returns the rest of the work. */
  readonly disconnect: Disconnect;
  readonly views: AccessViews;
  readonly pagePaths: { readonly grants: string };
  readonly hooks: Pick<OAuthHooks, 'accountPages'>;
  readonly timer: Timer;
  readonly onError: (error: unknown) => void;
  issuer(request: HttpRequest): string;
}

/** A request for this page. */
interface Page extends PageScope {
  readonly services: GrantsPageServices;
}

const destinationOf = ({ pages, services }: Page): Destination => {
  const action = pages.address(services.pagePaths.grants);
  return { action, returnTo: action, hidden: {} };
};

const purposeOf = (owner: Owner): readonly string[] => ['grants', owner.sub];

const applicationsOf = async (sub: string, services: GrantsPageServices): Promise<readonly FoundApp[]> =>
  (await appsOf(sub, services)).filter(({ app }) => app.client_id !== PERSONAL_TOKENS);

/** The part of an issuer that owners know. */
const hostOf = (issuer: string): string => parseUrl(issuer)?.host ?? issuer;

const appView = ({ app, client }: FoundApp, { request, pages, services }: Page): ConnectedAppView => {
  const { client_id, client_name, scope, claims, resource, created, last_used, issuers, own } = app;
  const { logoUri } = client === undefined ? {} : clientView(client, services.issuer(request));
  return {
    clientId: client_id,
    clientName: client_name,
    scopes: services.views.scopes(parseScope(scope) ?? [], pages.locale, claims),
    resources: services.views.resources(resource),
    ...defined({ logoUri, created, lastUsed: last_used, connectedBy: issuers?.map(hostOf), isAlsoOwn: own }),
  };
};

/** `GET`: the page that shows owners their connected applications. */
export const grantsPage =
  (services: GrantsPageServices): Answer<PageScope> =>
  async ({ request, emit, pages }) => {
    const page: Page = { request, emit, pages, services };
    const { signIn, pagePaths } = services;
    const visitor = await visitorOf(request, destinationOf(page), { signIn, emit, pages });
    if ('response' in visitor) return visitor.response;
    const { owner, session } = visitor;
    const apps = await applicationsOf(owner.sub, services);
    const shown = await pages.show(GRANTS_PAGE, {
      action: pages.address(pagePaths.grants),
      hidden: { form_token: signIn.sessions.formToken(session, purposeOf(owner)) },
      ...accountView(owner),
      apps: apps.map((found) => appView(found, page)),
      done: readEnded(request, visitor, services),
      canSignOut: signIn.isBuiltIn,
      accountPages: linksBeside(pagePaths.grants, request, pages, services.hooks),
    });
    return pageResponse(shown, { cookie: signIn.sessions.setCookie(session) });
  };

/** What a button ends: one application by its name, or all by their number. */
const endingOf = async (client_id: string | undefined, sub: string, services: GrantsPageServices): Promise<Ending> => {
  if (client_id === undefined) return { kind: 'disconnect_all', of: (await applicationsOf(sub, services)).length };
  const client = await services.clients.find(client_id);
  return { kind: 'disconnect', of: client?.name ?? client_id };
};

/** `POST`: a button of the page, which asks first; or the built-in sign-in form. Afterwards, the page shows what is left. */
export const grantsForm =
  (services: GrantsPageServices): Answer<PageScope> =>
  async ({ request, emit, pages }) => {
    const page: Page = { request, emit, pages, services };
    const { signIn, disconnect, pagePaths, onError } = services;
    const destination = destinationOf(page);
    const form = await readPageForm(request, GRANTS_PAGE_PARAMETERS, services);
    const sender = await senderOf(request, form, destination, purposeOf, { signIn, emit, pages });
    if ('response' in sender) return sender.response;
    const { form_token, owner } = sender;
    const { sub } = owner;
    const client_id = form.get('disconnect');
    if (client_id === undefined && form.get('decision') !== 'disconnect_all')
      throw new PageError('nothing_chosen', { back: { href: destination.returnTo } });
    const chosen: HiddenFields = client_id === undefined ? { decision: 'disconnect_all' } : { disconnect: client_id };
    const end = async (): Promise<void> => {
      const of = client_id === undefined ? { sub, except: PERSONAL_TOKENS } : { sub, client_id };
      const tidy = await disconnect(of, { reason: 'owner', by: sub }, emit);
      tidy().catch(onError);
    };
    const ending = await endingOf(client_id, sub, services);
    const asked = { ending, address: pagePaths.grants, hidden: { form_token, ...chosen }, end };
    return endAfterQuestion(form, sender, asked, page, services);
  };
