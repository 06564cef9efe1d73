import { StoredClientError } from '../clients/stored-client-error.js';
import type { StoredClients } from '../clients/stored-client.js';
import { defined } from '../core/base/defined.js';
import type { AuthorizationFeature } from '../core/base/feature.js';
import { type Html, html } from '../core/base/html.js';
import type { HttpRequest, HttpResponse } from '../core/base/http/messages.js';
import { redirect } from '../core/base/http/responses.js';
import { confirmContent, questionIn } from '../core/base/pages/forms.js';
import type { Frame } from '../core/base/pages/frame.js';
import type { PageContent } from '../core/base/pages/layout.js';
import type { PageResponseInit } from '../core/base/pages/response.js';
import type { MaybePromise } from '../core/base/ports.js';
import { isPosition } from '../core/base/records.js';
import { fn, having, object, path, required, type Schema } from '../core/base/schema.js';
import type { OAuthOccurrence } from '../core/oauth/events/events.js';
import type { Parameters } from '../core/oauth/facts/parameters.js';
import type { OAuthContext } from '../core/oauth/kernel/context.js';
import type { Endpoint } from '../core/oauth/kernel/endpoint.js';
import { featureOf } from '../core/oauth/kernel/oauth-feature.js';
import { readPageForm, senderOf, type Visitor, visitorOf } from '../core/oauth/kernel/owner-pages.js';
import { type GrantTarget, ownerGrants } from '../core/oauth/owners/owner-grants.js';
import { PageError } from '../core/oauth/pages/page-error.js';
import type { Owner } from '../core/oauth/records/owner.js';
import { type Destination, SIGN_IN_FIELDS } from '../core/oauth/sign-in/sign-in.js';
import { findClients } from './find-clients.js';
import { FIELDS, registrationOf, valuesOf } from './registration-form.js';
import { ADMIN_TEXTS, type AdminTextName } from './texts.js';
import {
  addPage,
  clientPage,
  listPage,
  notAdmin,
  OVERLAPS,
  linkTo,
  type Place,
  QUESTIONS,
  secretPage,
} from './views.js';

/** Options of the page. */
export interface AdminPageOptions {
  /** The clients to manage: the same object as in `options.clients`. */
  readonly clients: StoredClients;
  /** Whether a signed-in user may manage them. Called for every request. */
  readonly isAdmin: (owner: Owner) => MaybePromise<boolean>;
  /** Default: `/oauth/admin`. */
  readonly path?: string;
}

const OPTIONS = object({
  clients: required(having<StoredClients>('clients of storedClients', 'add', 'change', 'list', 'rotateSecret')),
  isAdmin: required(fn<AdminPageOptions['isAdmin']>('a function of the signed-in user')),
  path: path('/oauth/admin'),
} satisfies Schema<AdminPageOptions>);

const PARAMETERS = {
  ...SIGN_IN_FIELDS,
  ...FIELDS,
  client: 'vschar',
  grant: 'vschar',
  version: 'vschar',
  overlap: 'vschar',
  act: 'vschar',
  ui_locales: 'vschar',
  confirmed: 'vschar',
} as const;

type AdminFrame = Frame<AdminTextName>;

type Change = Extract<OAuthOccurrence, { type: 'client.changed' }>['change'];

/** What changes a client, and how the event names it. */
const CHANGES: ReadonlyMap<string, Change> = new Map([
  ['change', 'changed'],
  ['disable', 'disabled'],
  ['enable', 'enabled'],
  ['remove', 'removed'],
]);

/** A request of an administrator. */
interface Visit {
  readonly admin: Visitor;
  readonly frame: AdminFrame;
  readonly place: Place;
  readonly context: OAuthContext;
}

class AdminPages {
  readonly #clients: StoredClients;
  readonly #isAdmin: AdminPageOptions['isAdmin'];
  readonly #path: string;
  readonly #frame: AdminFrame;

  constructor(clients: StoredClients, isAdmin: AdminPageOptions['isAdmin'], at: string, frame: AdminFrame) {
    this.#clients = clients;
    this.#isAdmin = isAdmin;
    this.#path = at;
    this.#frame = frame;
  }

  /** `GET`: the list, a form for a new client, or a client. */
  async show(request: HttpRequest, context: OAuthContext): Promise<HttpResponse> {
    const frame = this.#frame.for(request);
    const admin = await visitorOf(request, this.#destination(frame, context), context);
    if ('response' in admin) return admin.response;
    if (!(await this.#isAdmin(admin.owner))) return respond(notAdmin(frame.language), { status: 403 }, frame);
    const query = new URLSearchParams(request.query);
    const name = query.get('client');
    const position = query.get('after') ?? '';
    const after = isPosition(position) ? position : undefined;
    const init = { cookie: context.signIn.sessions.setCookie(admin.session) };
    const visit = this.#visit(admin, frame, context);
    const { place } = visit;
    if (name !== null) {
      const content = await this.#client(name, { done: readDone(query, visit), after }, visit);
      return content === undefined ? redirect(linkTo(place), 303) : respond(content, init, frame);
    }
    if (query.has('new')) return respond(addPage(place, valuesOf(undefined)), init, frame);
    const search = query.get('search') ?? '';
    const found = await findClients(this.#clients, search, after);
    return respond(listPage(place, { ...found, search }), init, frame);
  }

  /** `POST`: a form of these pages, or the built-in sign-in form. */
  async submit(request: HttpRequest, context: OAuthContext): Promise<HttpResponse> {
    const form = await readPageForm(request, PARAMETERS, context);
    const frame = this.#frame.for(request, form.get('ui_locales'));
    const admin = await senderOf(request, form, this.#destination(frame, context), purposeOf, context);
    if ('response' in admin) return admin.response;
    if (!(await this.#isAdmin(admin.owner))) return respond(notAdmin(frame.language), { status: 403 }, frame);
    return this.#act(form, this.#visit(admin, frame, context));
  }

  async #act(form: Parameters, visit: Visit): Promise<HttpResponse> {
    const { frame, place } = visit;
    const act = form.get('act') ?? '';
    const client_id = form.get('client') ?? '';
    try {
      if (act === 'add') return await this.#add(form, visit);
      if (act === 'rotate') return await this.#rotate(client_id, form, visit);
      const question = Object.hasOwn(QUESTIONS, act) ? QUESTIONS[act as keyof typeof QUESTIONS] : undefined;
      if (question !== undefined && form.get('confirmed') === undefined) {
        const hidden = { ...place.hidden, act, client: client_id, grant: form.get('grant') ?? '', confirmed: 'yes' };
        const cancelPath = linkTo(place, { client: client_id });
        const asked = questionIn(frame.language, question, { client: client_id });
        return respond(confirmContent({ ...asked, action: place.path, hidden, cancelPath }), {}, frame);
      }
      await this.#change(act, client_id, form, visit);
      return redirect(donePath(act, client_id, visit), 303);
    } catch (error) {
      if (!(error instanceof StoredClientError)) throw error;
      const problem = html`<bdi lang="en" dir="ltr">${error.message}</bdi>`;
      const content =
        act === 'add'
          ? addPage(place, valuesOf(form), problem)
          : await this.#client(client_id, { problem, form }, visit);
      return respond(content ?? notAdmin(frame.language), { status: error.code === 'conflict' ? 409 : 400 }, frame);
    }
  }

  async #add(form: Parameters, visit: Visit): Promise<HttpResponse> {
    const isPublic = form.get('kind') === 'public';
    const named = (form.get('client_id') ?? '').trim();
    const fields = registrationOf(form);
    const grants = fields.grant_types ?? ['authorization_code', 'refresh_token'];
    const { client_id, client_secret } = await this.#clients.add(
      {
        ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)),
        ...(named !== '' && { client_id: named }),
        // Otherwise a public client gets no refresh tokens.
        ...(isPublic && grants.includes('refresh_token') && { refresh: 'rotating' as const }),
      },
      { generateSecret: !isPublic },
    );
    tell('added', client_id, visit);
    return client_secret === undefined
      ? redirect(donePath('add', client_id, visit), 303)
      : respond(secretPage(visit.place, client_id, client_secret), {}, visit.frame);
  }

  async #rotate(client_id: string, form: Parameters, visit: Visit): Promise<HttpResponse> {
    const chosen = OVERLAPS.find(({ seconds }) => String(seconds) === form.get('overlap'));
    const { client_secret = '' } = await this.#clients.rotateSecret(client_id, {
      overlap: chosen?.seconds ?? 0,
      version: Number(form.get('version')),
    });
    tell('secret_rotated', client_id, visit);
    return respond(secretPage(visit.place, client_id, client_secret), {}, visit.frame);
  }

  async #change(act: string, client_id: string, form: Parameters, visit: Visit): Promise<void> {
    const { admin, context } = visit;
    const clients = this.#clients;
    const revoke = (target: GrantTarget) => ownerGrants(context).revoke(target, { by: admin.owner.sub });
    if (act === 'end') await revoke({ grant_id: form.get('grant') ?? '' });
    else if (act === 'end_all') await revoke({ client_id });
    else if (act === 'change')
      await clients.change(client_id, registrationOf(form), { version: Number(form.get('version')) });
    else if (act === 'disable') await clients.disable(client_id);
    else if (act === 'enable') await clients.enable(client_id);
    else if (act === 'remove') {
      await revoke({ client_id });
      await clients.remove(client_id);
    } else throw new PageError('nothing_chosen', { back: { href: visit.place.path } });
    const change = CHANGES.get(act);
    if (change !== undefined) tell(change, client_id, visit);
  }

  async #client(
    client_id: string,
    {
      form,
      after,
      done,
      problem,
    }: {
      readonly done?: string | undefined;
      readonly after?: string | undefined;
      readonly problem?: Html;
      readonly form?: Parameters;
    },
    { place, context }: Visit,
  ): Promise<PageContent | undefined> {
    const client = await this.#clients.get(client_id);
    if (client === undefined) return undefined;
    const grants = await ownerGrants(context).list({ client_id }, { after, limit: 20 });
    return clientPage(place, { client, values: valuesOf(form ?? client.registration), grants, done, problem });
  }

  #visit(admin: Visitor, frame: AdminFrame, context: OAuthContext): Visit {
    const asked = defined({ ui_locales: frame.asked });
    const form_token = context.signIn.sessions.formToken(admin.session, purposeOf(admin.owner));
    const path = context.basePath + this.#path;
    const place = { path, asked, hidden: { form_token, ...asked }, language: frame.language };
    return { admin, frame, place, context };
  }

  #destination(frame: AdminFrame, context: OAuthContext): Destination {
    const action = context.basePath + this.#path;
    return { action, returnTo: frame.address(action), hidden: defined({ ui_locales: frame.asked }) };
  }
}

const purposeOf = ({ sub }: Owner): readonly string[] => ['admin', sub];
const donePurpose = ({ sub }: Owner, act: string, client_id: string): readonly string[] => [
  'admin done',
  sub,
  act,
  client_id,
];

/** After removing a client, the list; otherwise the client. Only this session can make the page say that something was done. */
const donePath = (act: string, client_id: string, { admin, place, context }: Visit): string => {
  if (act === 'remove') return linkTo(place);
  const proof = context.signIn.sessions.formToken(admin.session, donePurpose(admin.owner, act, client_id));
  return linkTo(place, { client: client_id, done: act, proof });
};

const readDone = (query: URLSearchParams, { admin: { owner, session }, context }: Visit): string | undefined => {
  const act = query.get('done') ?? '';
  const purpose = donePurpose(owner, act, query.get('client') ?? '');
  return act !== '' && context.signIn.sessions.isFormToken(query.get('proof') ?? '', session, purpose)
    ? act
    : undefined;
};

const tell = (change: Change, client_id: string, { admin, context }: Visit): void =>
  context.emit?.({ type: 'client.changed', change, client_id, by: admin.owner.sub });

const respond = (content: PageContent, init: PageResponseInit, frame: AdminFrame): HttpResponse =>
  frame.respond({ isWide: true, ...content }, init);

/**
 * A page for administrators over the clients of `storedClients`: list, search, add, change, rotate a secret, disable, remove, see grants and
 * end them. Each change is the event `client.changed`, with the administrator in `by`.
 *
 * @throws TypeError with a sentence that names the option.
 * @example
 * const clients = storedClients(store);
 * const oauth = oauthQuery({ store, clients, admin: adminPages({ clients, isAdmin: ({ sub }) => sub === 'alice' }) });
 */
export const adminPages = (options: AdminPageOptions): AuthorizationFeature => {
  const { clients, isAdmin, path: paths } = OPTIONS.read(options, 'adminPages');
  return featureOf(({ frame }, host) => {
    const bound = host.bound('The isAdmin of adminPages', async (owner: Owner) => (await isAdmin(owner)) === true);
    const pages = new AdminPages(clients, bound, paths[0], frame.with('admin', ADMIN_TEXTS));
    const endpoint: Endpoint = {
      paths,
      methods: {
        GET: (request, context) => pages.show(request, context),
        POST: (request, context) => pages.submit(request, context),
      },
      pageMethods: ['GET', 'POST'],
      start: paths[0],
      cors: false,
    };
    return { endpoints: [endpoint], hooks: {} };
  });
};
