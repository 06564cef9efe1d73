import { StoredClientError } from '../clients/stored-client-error.js';
import type { StoredClients } from '../clients/stored-client.js';
import { defined } from '../core/base/defined.js';
import type { AuthorizationFeature } from '../core/base/feature.js';
import { type Html, html } from '../core/base/html.js';
import type { HttpRequest, HttpResponse } from '../core/base/http/messages.js';
import { redirect } from '../core/base/http/responses.js';
import { confirmContent } from '../core/base/pages/forms.js';
import type { Frame } from '../core/base/pages/frame.js';
import type { PageContent } from '../core/base/pages/layout.js';
import type { PageResponseInit } from '../core/base/pages/response.js';
import type { MaybePromise } from '../core/base/ports.js';
import { fail, fn, having, object, orElse, path, required, type Schema } from '../core/base/schema.js';
import type { OAuthContext } from '../core/oauth/context.js';
import type { OAuthFeature } from '../core/oauth/oauth-feature.js';
import { ownerGrants } from '../core/oauth/owners/owner-grants.js';
import { PageError } from '../core/oauth/pages/page-error.js';
import { type Parameters, readForm } from '../core/oauth/parameters.js';
import type { Owner } from '../core/oauth/records/owner.js';
import type { Session } from '../core/oauth/sign-in/sessions.js';
import { type Destination, formExpired, SIGN_IN_FIELDS } from '../core/oauth/sign-in/sign-in.js';
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
  path: orElse(path('/oauth/admin'), ['/oauth/admin'] as const),
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

/** An administrator in front of the page. */
interface Admin {
  readonly owner: Owner;
  readonly session: Session;
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
    const { signIn } = context;
    const frame = this.#frame.for(request);
    const known = signIn.sessions.read(request);
    const owner = await signIn.currentOwner(request, known, context);
    if (owner === undefined) return signIn.ask(known, this.#destination(frame, context), context);
    if (!(await this.#isAdmin(owner))) return respond(notAdmin(frame.language), { status: 403 }, frame);
    const admin = { owner, session: known ?? signIn.sessions.begin() };
    const query = new URLSearchParams(request.query);
    const name = query.get('client');
    const init = { cookie: signIn.sessions.setCookie(admin.session) };
    const place = this.#place(admin, frame, context);
    if (name !== null) {
      const after = query.get('after') ?? undefined;
      const done = this.#readDone(query, admin, context);
      const content = await this.#client(name, { done, after }, place, context);
      return content === undefined ? redirect(linkTo(place), 303) : respond(content, init, frame);
    }
    if (query.has('new')) return respond(addPage(place, valuesOf(undefined)), init, frame);
    const search = query.get('search') ?? '';
    const found = await findClients(this.#clients, search, query.get('after') ?? undefined);
    return respond(listPage(place, { ...found, search }), init, frame);
  }

  /** `POST`: a form of these pages, or the built-in sign-in form. */
  async submit(request: HttpRequest, context: OAuthContext): Promise<HttpResponse> {
    const { signIn } = context;
    const form = await readForm(request, PARAMETERS, context);
    if (form.firstProblem !== undefined) throw new PageError('invalid_request', { explanation: form.firstProblem });
    const frame = this.#frame.for(request, form.get('ui_locales'));
    const destination = this.#destination(frame, context);
    if (form.get('username') !== undefined || form.get('password') !== undefined)
      return signIn.submit(request, form, destination, context);
    const session = signIn.sessions.read(request);
    const owner = await signIn.currentOwner(request, session, context);
    if (owner === undefined) return redirect(destination.returnTo, 303);
    if (!signIn.sessions.isFormToken(form.get('form_token'), session, purposeOf(owner)))
      throw formExpired(destination.returnTo);
    if (!(await this.#isAdmin(owner))) return respond(notAdmin(frame.language), { status: 403 }, frame);
    return this.#act(form, { owner, session }, frame, context);
  }

  async #act(form: Parameters, admin: Admin, frame: AdminFrame, context: OAuthContext): Promise<HttpResponse> {
    const act = form.get('act') ?? '';
    const place = this.#place(admin, frame, context);
    const client_id = form.get('client') ?? '';
    try {
      if (act === 'add') return await this.#add(form, admin, frame, context);
      if (act === 'rotate') return await this.#rotate(form, admin, frame, context);
      const question = Object.hasOwn(QUESTIONS, act) ? QUESTIONS[act as keyof typeof QUESTIONS] : undefined;
      if (question !== undefined && form.get('confirmed') === undefined) {
        const hidden = { ...place.hidden, act, client: client_id, grant: form.get('grant') ?? '', confirmed: 'yes' };
        const cancelPath = linkTo(place, { client: client_id });
        const { language } = frame;
        const asked = {
          title: language.text(question.ask, { client: client_id }),
          question: language.html(question.ask, { client: client_id }),
          explanation: language.text(question.explain),
          confirm: language.html(question.press),
          cancel: language.text('cancel'),
        };
        return respond(confirmContent({ ...asked, action: place.path, hidden, cancelPath }), {}, frame);
      }
      await this.#change(act, client_id, form, admin.owner.sub, context);
      return redirect(this.#donePath(act, client_id, admin, place, context), 303);
    } catch (error) {
      if (!(error instanceof StoredClientError)) throw error;
      const problem = html`<bdi lang="en" dir="ltr">${error.message}</bdi>`;
      const content =
        act === 'add'
          ? addPage(place, valuesOf(form), problem)
          : await this.#client(client_id, { problem, form }, place, context);
      return respond(content ?? notAdmin(frame.language), { status: error.code === 'conflict' ? 409 : 400 }, frame);
    }
  }

  async #add(form: Parameters, admin: Admin, frame: AdminFrame, context: OAuthContext): Promise<HttpResponse> {
    const isPublic = form.get('kind') === 'public';
    const client_id = form.get('client_id') ?? '';
    const fields = registrationOf(form);
    const grants = fields.grant_types ?? ['authorization_code', 'refresh_token'];
    const added = await this.#clients.add(
      {
        ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)),
        ...(client_id !== '' && { client_id }),
        // Otherwise a public client gets no refresh tokens.
        ...(isPublic && grants.includes('refresh_token') && { refresh: 'rotating' as const }),
      },
      { generateSecret: !isPublic },
    );
    tell('added', added.client_id, admin, context);
    const place = this.#place(admin, frame, context);
    return added.client_secret === undefined
      ? redirect(this.#donePath('add', added.client_id, admin, place, context), 303)
      : respond(secretPage(place, added.client_id, added.client_secret), {}, frame);
  }

  async #rotate(form: Parameters, admin: Admin, frame: AdminFrame, context: OAuthContext): Promise<HttpResponse> {
    const chosen = OVERLAPS.find(({ seconds }) => String(seconds) === form.get('overlap'));
    const overlap = chosen?.seconds ?? 0;
    const rotated = await this.#clients.rotateSecret(form.get('client') ?? '', { overlap });
    tell('secret_rotated', rotated.client_id, admin, context);
    const place = this.#place(admin, frame, context);
    return respond(secretPage(place, rotated.client_id, rotated.client_secret ?? ''), {}, frame);
  }

  async #change(act: string, client_id: string, form: Parameters, by: string, context: OAuthContext): Promise<void> {
    const admin = { owner: { sub: by } };
    const grants = ownerGrants(context);
    if (act === 'change') {
      await this.#clients.change(client_id, registrationOf(form), { version: Number(form.get('version')) });
      tell('changed', client_id, admin, context);
    } else if (act === 'disable') {
      await this.#clients.disable(client_id);
      tell('disabled', client_id, admin, context);
    } else if (act === 'enable') {
      await this.#clients.enable(client_id);
      tell('enabled', client_id, admin, context);
    } else if (act === 'remove') {
      await grants.revoke({ client_id }, { by });
      await this.#clients.remove(client_id);
      tell('removed', client_id, admin, context);
    } else if (act === 'end_all') {
      await grants.revoke({ client_id }, { by });
    } else if (act === 'end') {
      await grants.revoke({ grant_id: form.get('grant') ?? '' }, { by });
    } else throw new PageError('nothing_chosen', { back: { href: context.basePath + this.#path } });
  }

  async #client(
    client_id: string,
    state: {
      readonly done?: string | undefined;
      readonly after?: string | undefined;
      readonly problem?: Html;
      readonly form?: Parameters;
    },
    place: Place,
    context: OAuthContext,
  ): Promise<PageContent | undefined> {
    const client = await this.#clients.get(client_id);
    if (client === undefined) return undefined;
    const grants = await ownerGrants(context).list({ client_id }, { after: state.after, limit: 20 });
    const values = valuesOf(state.form ?? client.registration);
    return clientPage(place, { client, values, grants, done: state.done, problem: state.problem });
  }

  #place(admin: Admin, { language, asked: ui_locales }: AdminFrame, context: OAuthContext): Place {
    const { sessions } = context.signIn;
    const asked = defined({ ui_locales });
    return {
      path: context.basePath + this.#path,
      asked,
      hidden: { form_token: sessions.formToken(admin.session, purposeOf(admin.owner)), ...asked },
      language,
    };
  }

  #destination(frame: AdminFrame, context: OAuthContext): Destination {
    const action = context.basePath + this.#path;
    return { action, returnTo: frame.address(action), hidden: defined({ ui_locales: frame.asked }) };
  }

  /** After removing a client, the list; otherwise the client. Only this session can make the page say that something was done. */
  #donePath(act: string, client_id: string, admin: Admin, place: Place, { signIn }: OAuthContext): string {
    if (act === 'remove') return linkTo(place);
    const proof = signIn.sessions.formToken(admin.session, donePurpose(admin.owner, act, client_id));
    return linkTo(place, { client: client_id, done: act, proof });
  }

  #readDone(query: URLSearchParams, { owner, session }: Admin, { signIn }: OAuthContext): string | undefined {
    const act = query.get('done') ?? '';
    const proof = query.get('proof') ?? '';
    const purpose = donePurpose(owner, act, query.get('client') ?? '');
    return act !== '' && signIn.sessions.isFormToken(proof, session, purpose) ? act : undefined;
  }
}

const purposeOf = ({ sub }: Owner): readonly string[] => ['admin', sub];
const donePurpose = ({ sub }: Owner, act: string, client_id: string): readonly string[] => [
  'admin done',
  sub,
  act,
  client_id,
];

type Change = 'added' | 'changed' | 'secret_rotated' | 'disabled' | 'enabled' | 'removed';

const tell = (
  change: Change,
  client_id: string,
  { owner }: { readonly owner: { readonly sub: string } },
  { emit }: OAuthContext,
): void => emit?.({ type: 'client.changed', change, client_id, by: owner.sub });

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
  const { clients, isAdmin, path: paths } = OPTIONS.read(options, 'adminPages') ?? fail('adminPages needs options.');
  const feature: OAuthFeature = {
    scopes: {},
    keepsSignIn: false,
    start: ({ frame }, host) => {
      const bound = host.bound('The isAdmin of adminPages', async (owner: Owner) => (await isAdmin(owner)) === true);
      const pages = new AdminPages(clients, bound, paths[0], frame.with('admin', ADMIN_TEXTS));
      return {
        endpoints: [
          {
            paths,
            methods: {
              GET: (request, context) => pages.show(request, context),
              POST: (request, context) => pages.submit(request, context),
            },
            pageMethods: ['GET', 'POST'],
            start: paths[0],
            cors: false,
          },
        ],
        hooks: {},
      };
    },
  };
  return feature;
};
