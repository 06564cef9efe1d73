import type { StoredClientError, StoredClients } from '../../clients/index.js';
import {
  feature,
  type FeatureHost,
  type Form,
  type FormFields,
  option,
  type PlainFeature,
  redirect,
} from '../../core/feature/index.js';
import type { ClientRow, OAuthEvent, Owner } from '../../core/index.js';
import { confirmContent, COPY_SCRIPT, type PageContent, PageError, questionIn } from '../../core/pages.js';
import { findClients } from './find-clients.js';
import { FormError, type FormPart, type FormProblem, missingChoices, problemOf } from './form-problems.js';
import { linkTo, type Place, type Visit } from './place.js';
import {
  emptyForm,
  fieldsOf,
  filledForm,
  type FormValues,
  isPublicClient,
  type Offer,
  offerOf,
  registrationOf,
  sentForm,
} from './registration-form.js';
import { ADMIN_TEXTS } from './texts.js';
import {
  addPage,
  clientPage,
  type Configured,
  fullNameOf,
  listPage,
  nameOf,
  notAdmin,
  OVERLAPS,
  QUESTIONS,
  secretPage,
} from './views.js';

/** Options of the page. */
export interface AdminPageOptions {
  /** The clients to manage: the same object as in `options.clients`. */
  readonly clients: StoredClients;
  /** Whether a signed-in user may manage them. Called for every request. */
  readonly isAdmin: (owner: Owner) => boolean | Promise<boolean>;
  /** Default: `/oauth/admin`. */
  readonly path?: string | undefined;
}

const OPTIONS = option.object({
  clients: option.required(
    option.having<StoredClients>('clients of storedClients', 'add', 'change', 'list', 'rotateSecret'),
  ),
  isAdmin: option.required(option.fn<AdminPageOptions['isAdmin']>('a function of the signed-in user')),
  path: option.path('/oauth/admin'),
} satisfies option.Schema<AdminPageOptions>);

const FIELDS = {
  client: 'vschar',
  grant: 'vschar',
  version: 'vschar',
  overlap: 'vschar',
  act: 'vschar',
  confirmed: 'vschar',
} as const satisfies FormFields;

type Change = Extract<OAuthEvent, { type: 'client.changed' }>['change'];

/** What changes a client, and how the event names it. */
const CHANGES: ReadonlyMap<string, Change> = new Map([
  ['change', 'changed'],
  ['disable', 'disabled'],
  ['enable', 'enabled'],
  ['remove', 'removed'],
]);

/** A position in a list, as stores return them. */
const POSITION = /^[ -~]{1,200}$/;

/** The most clients of the configuration that the list names. */
const MAX_CONFIGURED = 100;

/** What an administrator has open. */
interface Shown extends Visit {
  readonly place: Place;
}

class AdminPages {
  readonly #clients: StoredClients;
  readonly #isAdmin: AdminPageOptions['isAdmin'];
  readonly #host: FeatureHost;
  readonly #offer: Offer;

  constructor({ clients, isAdmin }: Pick<AdminPageOptions, 'clients' | 'isAdmin'>, host: FeatureHost) {
    this.#clients = clients;
    this.#isAdmin = isAdmin;
    this.#host = host;
    this.#offer = offerOf(host);
  }

  /** The fields of all forms. */
  get fields(): FormFields {
    return { ...FIELDS, ...fieldsOf(this.#offer) };
  }

  /** `GET`: the list, a form for a new client, or a client. */
  async show(visit: Visit): Promise<Answer> {
    const { request, cookie } = visit;
    if (!(await this.#isAdmin(visit.owner))) return refuse(visit);
    const query = new URLSearchParams(request.query);
    const name = query.get('client');
    const position = query.get('after') ?? '';
    const after = POSITION.test(position) ? position : undefined;
    const shown = this.#shown(visit);
    const { place } = shown;
    const page = (content: PageContent): Answer => respond(content, { cookie }, shown);
    if (name !== null) {
      const content = await this.#client(name, { done: readDone(query, shown), after }, shown);
      return content === undefined ? redirect(linkTo(place), 303) : page(content);
    }
    if (query.has('new')) return page(addPage(place, { values: emptyForm(this.#offer), problems: [] }));
    const search = query.get('search') ?? '';
    const found = await findClients(this.#clients, search, after);
    const others = search === '' && after === undefined ? this.#configured() : [];
    return page(listPage(place, { ...found, search, others }));
  }

  /** `POST`: a form of these pages. */
  async submit(visit: Visit, form: Form): Promise<Answer> {
    if (!(await this.#isAdmin(visit.owner))) return refuse(visit);
    return this.#act(form, this.#shown(visit));
  }

  async #act(form: Form, visit: Shown): Promise<Answer> {
    const { frame, place } = visit;
    const act = form.get('act') ?? '';
    const client_id = form.get('client') ?? '';
    try {
      if (act === 'add') return await this.#add(form, visit);
      if (act === 'rotate') return await this.#rotate(client_id, form, visit);
      const question = Object.hasOwn(QUESTIONS, act) ? QUESTIONS[act as keyof typeof QUESTIONS] : undefined;
      if (question !== undefined && form.get('confirmed') === undefined) {
        const client = await this.#clients.get(client_id);
        // Removed meanwhile.
        if (client === undefined) return redirect(linkTo(place), 303);
        const hidden = { ...place.hidden, act, client: client_id, grant: form.get('grant') ?? '', confirmed: 'yes' };
        const cancelPath = linkTo(place, { client: client_id });
        const asked = questionIn(frame.language, question, { client: fullNameOf(client) });
        return respond(confirmContent({ ...asked, action: place.path, hidden, cancelPath }), {}, visit);
      }
      await this.#change(act, client_id, form, visit);
      return redirect(donePath(act, client_id, visit), 303);
    } catch (error) {
      const problems = problemsIn(error);
      if (problems === undefined) throw error;
      const sent = { values: sentForm(form, this.#offer), problems };
      const isForm = act === 'add' || act === 'change';
      const content =
        act === 'add' ? addPage(place, sent) : await this.#client(client_id, isForm ? { sent } : { problems }, visit);
      // Removed meanwhile.
      if (content === undefined) return redirect(linkTo(place), 303);
      return respond(content, { status: isConflict(error) ? 409 : 400 }, visit);
    }
  }

  /** Why the server would reject a registration. `storedClients` knows neither its scopes nor its grants. */
  #problemsOf(registration: ClientRow): readonly FormProblem[] {
    return this.#host.checkClient(registration).map(problemOf);
  }

  /** @throws FormError for a form that the server would reject. */
  #check(values: FormValues, registration: ClientRow): void {
    const missing = [
      ...missingChoices(values, this.#offer),
      // Without keys, whose address was removed, anyone could be the client.
      ...(isPublicClient(registration) === values.isPublic
        ? []
        : [{ part: 'jwks_uri', text: 'keysOrSecret' } as const]),
    ];
    const is = (part: FormPart): boolean => missing.some((problem) => problem.part === part);
    // Its other fields are checked without them.
    const others = {
      ...registration,
      ...(is('grants') && { grant_types: null }),
      ...(is('scopes') && { scope: null }),
    };
    const problems = [...missing, ...this.#problemsOf(others)];
    if (problems.length > 0) throw new FormError(problems);
  }

  #configured(): Configured {
    return [...this.#host.clients.listed.values()]
      .slice(0, MAX_CONFIGURED)
      .map(({ client_id, name }) => ({ client_id, name }));
  }

  async #add(form: Form, visit: Shown): Promise<Answer> {
    const values = sentForm(form, this.#offer);
    const named = values.typed.client_id.trim();
    const fields = Object.entries(registrationOf(values, this.#offer)).filter(([, value]) => value !== null);
    const registration = { ...Object.fromEntries(fields), ...(named !== '' && { client_id: named }) };
    // Stands for the identifier and the secret that are generated.
    const generateSecret = !values.isPublic && values.typed.jwks_uri.trim() === '';
    const placeholder = { client_id: 'new', ...(generateSecret && { client_secret: 'x'.repeat(43) }) };
    this.#check(values, { ...placeholder, ...registration });
    const added = await this.#clients.add(registration, { generateSecret });
    const { client_id, client_secret } = added;
    tell('added', client_id, visit);
    return client_secret === undefined
      ? redirect(donePath('add', client_id, visit), 303)
      : respond(secretPage(visit.place, client_id, nameOf(added), client_secret), {}, visit);
  }

  async #rotate(client_id: string, form: Form, visit: Shown): Promise<Answer> {
    const chosen = OVERLAPS.find(({ seconds }) => String(seconds) === form.get('overlap'));
    const rotated = await this.#clients.rotateSecret(client_id, {
      overlap: chosen?.seconds ?? 0,
      version: Number(form.get('version')),
    });
    tell('secret_rotated', client_id, visit);
    const { client_secret = '' } = rotated;
    return respond(secretPage(visit.place, client_id, nameOf(rotated), client_secret), {}, visit);
  }

  async #change(act: string, client_id: string, form: Form, visit: Shown): Promise<void> {
    const clients = this.#clients;
    const { revoke: revokeBy } = this.#host.ownerGrants(visit);
    const revoke = (target: Parameters<typeof revokeBy>[0]) => revokeBy(target, { by: visit.owner.sub });
    if (act === 'end') await revoke({ grant_id: form.get('grant') ?? '' });
    else if (act === 'end_all') await revoke({ client_id });
    else if (act === 'change') await this.#save(client_id, form);
    else if (act === 'disable') await clients.disable(client_id);
    else if (act === 'enable') await clients.enable(client_id);
    else if (act === 'remove') {
      await revoke({ client_id });
      await clients.remove(client_id);
    } else throw new PageError('nothing_chosen', { back: { href: visit.place.path } });
    const change = CHANGES.get(act);
    if (change !== undefined) tell(change, client_id, visit);
  }

  async #save(client_id: string, form: Form): Promise<void> {
    const client = await this.#clients.get(client_id);
    const before = client?.registration ?? { client_id };
    const values = { ...sentForm(form, this.#offer), isPublic: isPublicClient(before) };
    const changes = registrationOf(values, this.#offer, before);
    this.#check(values, { ...before, ...changes });
    await this.#clients.change(client_id, changes, { version: Number(form.get('version')) });
  }

  async #client(
    client_id: string,
    { sent, problems, after, done }: ShownClient,
    visit: Shown,
  ): Promise<PageContent | undefined> {
    const client = await this.#clients.get(client_id);
    if (client === undefined) return undefined;
    const { registration } = client;
    const saved = { values: filledForm(registration), problems: problems ?? this.#problemsOf(registration) };
    const grants = await this.#host.ownerGrants(visit).list({ client_id }, { after, limit: 20 });
    return clientPage(visit.place, { client, form: sent ?? saved, grants, done });
  }

  #shown(visit: Visit): Shown {
    const { path: at, hidden, account, frame } = visit;
    const { language, view } = frame;
    const { describeScopes } = this.#host;
    const place: Place = {
      path: at,
      asked: frame.asked === undefined ? {} : { ui_locales: frame.asked },
      hidden,
      language,
      account,
      home: { href: view.site.home, text: language.text('backTo', { name: view.site.name }) },
      offer: this.#offer,
      scopes: this.#offer.scopes.flatMap((scope) => describeScopes([scope], language.locale)),
    };
    return { ...visit, place };
  }
}

/** How the page of a client is shown. */
interface ShownClient {
  readonly done?: string | undefined;
  readonly after?: string | undefined;
  /** A form that was refused. */
  readonly sent?: { readonly values: FormValues; readonly problems: readonly FormProblem[] };
  /** Why something else was refused; otherwise, why the server rejects the client. */
  readonly problems?: readonly FormProblem[];
}

/** By its name, because the registry may be of another copy of the package. */
const isRegistryError = (error: unknown): error is StoredClientError =>
  error instanceof Error && error.name === 'StoredClientError';

const isConflict = (error: unknown): boolean => isRegistryError(error) && error.code === 'conflict';

/** Why a form was refused; `undefined` for other errors. */
const problemsIn = (error: unknown): readonly FormProblem[] | undefined => {
  if (error instanceof FormError) return error.problems;
  if (!isRegistryError(error)) return undefined;
  if (error.code === 'conflict') return [{ text: 'changedMeanwhile' }];
  if (error.code === 'exists') return [{ part: 'client_id', text: 'takenIdentifier' }];
  return error.problems.map(problemOf);
};

/** After removing a client, the list; otherwise the client. Only this session can make the page say that something was done. */
const donePath = (act: string, client_id: string, { place, proofOf }: Shown): string =>
  act === 'remove' ? linkTo(place) : linkTo(place, { client: client_id, done: act, proof: proofOf([act, client_id]) });

const readDone = (query: URLSearchParams, { isProof }: Visit): string | undefined => {
  const act = query.get('done') ?? '';
  const isDone = act !== '' && isProof(query.get('proof') ?? '', [act, query.get('client') ?? '']);
  return isDone ? act : undefined;
};

const tell = (change: Change, client_id: string, { owner, emit }: Visit): void =>
  emit?.({ type: 'client.changed', change, client_id, by: owner.sub });

type Answer = ReturnType<Visit['frame']['respond']>;

const respond = (content: PageContent, init: Parameters<Visit['frame']['respond']>[1], { frame }: Visit): Answer =>
  frame.respond({ isWide: true, ...content }, init, [COPY_SCRIPT]);

const refuse = (visit: Visit): Answer => respond(notAdmin(visit.frame.language), { status: 403 }, visit);

/**
 * A page for administrators over the clients of `storedClients`: list, search, add, change, rotate a secret, disable, remove, see grants and
 * end them. Each change is the event `client.changed`, with the administrator in `by`.
 *
 * @throws TypeError with a sentence that names the option.
 * @example
 * const clients = storedClients(store);
 * const oauth = oauthQuery({ store, clients, features: [adminPages({ clients, isAdmin: ({ sub }) => sub === 'alice' })] });
 */
export const adminPages = (options: AdminPageOptions): PlainFeature<'admin'> => {
  const { clients, isAdmin, path: paths } = OPTIONS.read(options, 'adminPages');
  return feature({
    name: 'admin',
    start: (host) => {
      const bound = host.bound('The isAdmin of adminPages', async (owner: Owner) => (await isAdmin(owner)) === true);
      const pages = new AdminPages({ clients, isAdmin: bound }, host);
      const { fields } = pages;
      return {
        routes: [
          host.ownerRoute({
            path: paths,
            texts: ADMIN_TEXTS,
            fields,
            GET: (visit) => pages.show(visit),
            POST: (visit, form) => pages.submit(visit, form),
          }),
        ],
      };
    },
  });
};
