import { Account } from './account.js';
import { answerView, summary } from './answers.js';
import { Catalogue } from './catalogue.js';
import { button, byId, element, isAnswered } from './dom.js';
import { type Exchange, send } from './exchange.js';
import { Preview } from './preview.js';
import { continuationOf, type Problem, problemsOf, rejectsToken } from './problems.js';
import { type Change, QueryForm } from './query-form.js';
import { type ApiRequest, continued, fragmentOf, type Pairs, readFragment, type Values, withBase } from './request.js';
import type { SignInSettings } from './sign-in.js';

/** How many answers are fetched at one press, so that a long list cannot run away. */
const MAX_AT_ONCE = 20;

/** An address that the page has been given, in full. */
const absolute = (address: string | undefined): string => new URL(address ?? '', location.href).href;

const { dataset } = document.body;
const endpoint = absolute(dataset['api']);
const helpOf = (path: string): string => `${endpoint}?${new URLSearchParams({ action: 'help', modules: path })}`;

const signInSettings = (): SignInSettings | undefined => {
  const { clientId, authorize, token, revoke, issuer } = dataset;
  if (clientId === undefined) return undefined;
  return {
    client_id: clientId,
    authorize: absolute(authorize),
    token: absolute(token),
    revoke: absolute(revoke),
    issuer: issuer ?? location.origin,
  };
};

const status = byId('status');
const announce = (text: string): void => {
  status.textContent = text;
};

/** Asks the API something for the page itself. */
const ask = async (values: Pairs, token?: string): Promise<unknown> => {
  const request = { endpoint, values, sensitive: new Set<string>(), signedIn: token !== undefined };
  const { answer, status: code } = await send(request, token, AbortSignal.timeout(30_000));
  if (answer === undefined) throw new Error(`The API answered with status ${code} and without JSON.`);
  return answer;
};

const nameOf = async (token: string): Promise<string | undefined> => {
  const query: Pairs = [
    ['action', 'query'],
    ['meta', 'userinfo'],
    ['format', 'json'],
    ['formatversion', '2'],
  ];
  // The form of the answer is that of the module; a name of another form is left out.
  const answer = (await ask(query, token).catch(() => undefined)) as
    | { readonly query?: { readonly userinfo?: { readonly name?: unknown } } }
    | undefined;
  const name = answer?.query?.userinfo?.name;
  return typeof name === 'string' ? name : undefined;
};

/** Sends what the form says and shows what comes back. */
class Sandbox {
  readonly #form: QueryForm;
  readonly #account: Account;
  readonly #preview: Preview;
  readonly #answers = byId('answers');
  readonly #again = button('Continue', () => void this.#run(1), { class: 'plain', hidden: true });
  readonly #all = button(`Continue to the end (at most ${MAX_AT_ONCE} more)`, () => void this.#run(MAX_AT_ONCE), {
    class: 'plain',
    hidden: true,
  });
  readonly #stop = button('Stop', () => this.#underWay?.abort(), { class: 'plain', hidden: true });
  #underWay: AbortController | undefined;
  /** What has been sent, and what the last answer said about going on. */
  #sent: Values = [];
  #next: Readonly<Record<string, unknown>> | undefined;
  #count = 0;

  constructor(form: QueryForm, account: Account) {
    this.#form = form;
    this.#account = account;
    this.#preview = new Preview(byId('request'), announce);
    byId('form').addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#begin();
    });
  }

  get fragment(): string {
    return fragmentOf(this.#form.values, this.#form.sensitive);
  }

  /** Shows the request of a fragment and lets it be sent from then on. */
  async open(fragment: string): Promise<void> {
    await this.restore(fragment);
    byId('actions').append(
      // It belongs to the form, so that Enter in a field sends too.
      element('button', { type: 'submit', form: 'form' }, 'Send'),
      this.#again,
      this.#all,
      this.#stop,
    );
  }

  /** Shows the request of a fragment. */
  async restore(fragment: string): Promise<void> {
    const unknown = await this.#form.write(readFragment(fragment));
    this.refresh();
    if (unknown.length > 0) announce(`The address names what this site does not have: ${unknown.join(', ')}.`);
  }

  /** The form has changed: so have the request and the address, and what was under way does not go on. */
  changed(change: Change): void {
    const address = `#${this.fragment}`;
    if (address !== (location.hash || '#')) {
      if (change === 'modules') history.pushState(null, '', address);
      else history.replaceState(history.state, '', address);
    }
    this.refresh();
  }

  refresh(): void {
    this.#next = undefined;
    this.#underWay?.abort();
    this.#buttons();
    this.#preview.show(this.#request(this.#form.values));
  }

  #request(values: Values): ApiRequest {
    const { sensitive } = this.#form;
    return { endpoint, values: withBase(values), sensitive, signedIn: this.#account.token !== undefined };
  }

  #buttons(): void {
    this.#again.hidden = this.#all.hidden = this.#next === undefined || this.#underWay !== undefined;
    this.#stop.hidden = this.#underWay === undefined;
  }

  async #begin(): Promise<void> {
    this.#underWay?.abort();
    this.#count = 0;
    this.#next = undefined;
    this.#sent = this.#form.values;
    this.#answers.replaceChildren();
    await this.#run(1);
  }

  /** Sends up to so many requests, each going on where the answer before it has ended. */
  async #run(most: number): Promise<void> {
    const control = new AbortController();
    this.#underWay = control;
    this.#buttons();
    announce('Waiting for the answer …');
    try {
      for (let left = most; left > 0; left -= 1) {
        const request = this.#request(this.#next ? continued(this.#sent, this.#next) : this.#sent);
        this.#preview.show(request);
        const exchange = await send(request, this.#account.token, control.signal);
        if (!this.#show(exchange)) break;
      }
    } catch (error) {
      if (this.#underWay === control) announce(failure(error));
    } finally {
      if (this.#underWay === control) {
        const focused = document.activeElement === this.#stop;
        this.#underWay = undefined;
        this.#buttons();
        if (focused) (this.#again.hidden ? this.#answers : this.#again).focus();
      }
    }
  }

  /** Shows an answer; says whether there is more. */
  #show(exchange: Exchange): boolean {
    this.#count += 1;
    const names = ['prop', 'list', 'meta', ...this.#form.fields.map(({ name }) => name)];
    const problems = problemsOf(exchange.answer, names);
    this.#complain(problems);
    this.#next = continuationOf(exchange.answer);
    this.#answers.append(answerView(exchange, problems, this.#count, (name) => this.#form.show(name)));
    const sent = `${this.#count} request${this.#count === 1 ? '' : 's'} so far`;
    const failed = problems.some(({ kind }) => kind === 'error');
    const more = this.#next ? ', there is more' : failed ? '' : ', this is the end';
    announce(`${summary(exchange, problems)}; ${sent}${more}.`);
    if (rejectsToken(problems)) this.#account.refused();
    return this.#next !== undefined;
  }

  #complain(problems: readonly Problem[]): void {
    for (const { name, complain } of this.#form.fields) {
      complain(problems.filter(({ parameters }) => parameters.includes(name)).map(({ text }) => text));
    }
  }
}

const failure = (error: unknown): string => {
  if (error instanceof DOMException && error.name === 'AbortError') return 'Stopped.';
  return `The API cannot be reached: ${error instanceof Error ? error.message : String(error)}`;
};

const EXAMPLES = [
  ['meta=siteinfo', 'What the site says about itself'],
  ['list=allpages&aplimit=3', 'Three pages'],
  ['generator=allpages&gaplimit=3&prop=info', 'Facts about three pages'],
] as const;

/** The modules that a request names. */
const namedIn = (query: string): readonly string[] =>
  [...new URLSearchParams(query)].flatMap(([name, value]) =>
    /^(?:list|prop|meta|generator)$/.test(name) ? [value] : [],
  );

const start = async (): Promise<void> => {
  for (const part of document.querySelectorAll<HTMLElement>('[data-scripted]')) part.hidden = false;
  // The parts of the page speak of it before it is there.
  const page: { sandbox?: Sandbox } = {};
  const account = new Account(byId('account'), signInSettings(), {
    nameOf,
    announce,
    fragment: () => page.sandbox?.fragment ?? '',
    onChange: () => page.sandbox?.refresh(),
  });
  const fragment = await account.open();
  const places = {
    modules: byId('modules'),
    pages: byId('pages'),
    parameters: byId('parameters'),
    more: byId('more'),
  };
  const form = await QueryForm.open(new Catalogue(ask), places, helpOf, (change) => page.sandbox?.changed(change));
  const shown = new Sandbox(form, account);
  page.sandbox = shown;
  byId('examples').append(
    'Try: ',
    ...EXAMPLES.filter(([query]) => namedIn(query).every(isAnswered)).flatMap(([query, label], index) => [
      index === 0 ? '' : ' · ',
      element('a', { href: `#${query}` }, label),
    ]),
  );
  await shown.open(fragment);
  globalThis.addEventListener('popstate', () => void shown.restore(location.hash));
  document.querySelector('.skip')?.addEventListener('click', (event) => {
    // The part of the address behind # belongs to the form.
    event.preventDefault();
    byId('content').focus();
  });
};

start().catch((error: unknown) => announce(`This page does not work: ${failure(error)}`));
