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
import { say } from './texts.js';

/** The maximum number of requests per click, because a list can be very long. */
const MAX_AT_ONCE = 20;

/** The absolute form of a URL from the page. */
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

/** Sends a request of the page itself. */
const ask = async (values: Pairs, token?: string): Promise<unknown> => {
  const request = { endpoint, values, sensitive: new Set<string>(), signedIn: token !== undefined };
  const { answer, status: code } = await send(request, token, AbortSignal.timeout(30_000));
  if (answer === undefined) throw new Error(say('noJson', { status: String(code) }));
  return answer;
};

const nameOf = async (token: string): Promise<string | undefined> => {
  const query: Pairs = [
    ['action', 'query'],
    ['meta', 'userinfo'],
    ['format', 'json'],
    ['formatversion', '2'],
  ];
  // The application may answer this module itself, so the name is checked.
  const answer = (await ask(query, token).catch(() => undefined)) as
    | { readonly query?: { readonly userinfo?: { readonly name?: unknown } } }
    | undefined;
  const name = answer?.query?.userinfo?.name;
  return typeof name === 'string' ? name : undefined;
};

/** Sends the request in the form, and shows the responses. */
class Sandbox {
  readonly #form: QueryForm;
  readonly #account: Account | undefined;
  readonly #preview: Preview;
  readonly #answers = byId('answers');
  readonly #again = button(say('continue'), () => void this.#run(1), { class: 'plain', hidden: true });
  readonly #all = button(say('continueToEnd', { count: MAX_AT_ONCE }), () => void this.#run(MAX_AT_ONCE), {
    class: 'plain',
    hidden: true,
  });
  readonly #stop = button(say('stop'), () => this.#underWay?.abort(), { class: 'plain', hidden: true });
  #underWay: AbortController | undefined;
  /** The values that were sent, and the continuation in the last response. */
  #sent: Values = [];
  #next: Readonly<Record<string, unknown>> | undefined;
  #count = 0;

  constructor(form: QueryForm, account: Account | undefined) {
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

  /** Fills in the form from a fragment, and adds the buttons that send it. */
  async open(fragment: string): Promise<void> {
    await this.restore(fragment);
    byId('actions').append(
      // The button belongs to the form, so Enter in a field submits it too.
      element('button', { type: 'submit', form: 'form' }, say('send')),
      this.#again,
      this.#all,
      this.#stop,
    );
  }

  /** Fills in the form from a fragment. */
  async restore(fragment: string): Promise<void> {
    const unknown = await this.#form.write(readFragment(fragment));
    this.refresh();
    if (unknown.length > 0) announce(say('ignored', { names: unknown.join(', ') }));
  }

  /** Updates the request and the URL after a change of the form, and stops a running request. */
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
    return { endpoint, values: withBase(values), sensitive, signedIn: this.#account?.token !== undefined };
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

  /** Sends up to this many requests, each continuing the previous response. */
  async #run(most: number): Promise<void> {
    const control = new AbortController();
    this.#underWay = control;
    this.#buttons();
    announce(say('waiting'));
    try {
      for (let left = most; left > 0; left -= 1) {
        const request = this.#request(this.#next ? continued(this.#sent, this.#next) : this.#sent);
        this.#preview.show(request);
        const exchange = await send(request, this.#account?.token, control.signal);
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

  /** Shows a response. Returns whether there are more results. */
  #show(exchange: Exchange): boolean {
    this.#count += 1;
    const names = ['prop', 'list', 'meta', ...this.#form.fields.map(({ name }) => name)];
    const problems = problemsOf(exchange.answer, names);
    this.#complain(problems);
    this.#next = continuationOf(exchange.answer);
    this.#answers.append(answerView(exchange, problems, this.#count, (name) => this.#form.show(name)));
    const failed = problems.some(({ kind }) => kind === 'error');
    const more = this.#next ? [say('moreResults')] : failed ? [] : [say('noMoreResults')];
    announce([summary(exchange, problems), [say('sent', { count: this.#count }), ...more].join(', ')].join('; '));
    if (rejectsToken(problems)) this.#account?.refused();
    return this.#next !== undefined;
  }

  #complain(problems: readonly Problem[]): void {
    for (const { name, complain } of this.#form.fields) {
      complain(problems.filter(({ parameters }) => parameters.includes(name)).map(({ text }) => text));
    }
  }
}

const failure = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'AbortError') return say('stopped');
  const isUnreachable = error instanceof TypeError || error.name === 'TimeoutError';
  return isUnreachable ? say('unreachable', { reason: error.message }) : error.message;
};

const EXAMPLES = [
  ['meta=siteinfo', 'exampleSite'],
  ['list=allpages&aplimit=3', 'examplePages'],
  ['generator=allpages&gaplimit=3&prop=info', 'exampleInfo'],
] as const;

/** The modules that a request names. */
const namedIn = (query: string): readonly string[] =>
  [...new URLSearchParams(query)].flatMap(([name, value]) =>
    /^(?:list|prop|meta|generator)$/.test(name) ? [value] : [],
  );

const start = async (): Promise<void> => {
  for (const part of document.querySelectorAll<HTMLElement>('[data-scripted]')) part.hidden = false;
  // The parts use the sandbox, which is created after them.
  const page: { sandbox?: Sandbox } = {};
  const settings = signInSettings();
  const account =
    settings &&
    new Account(byId('account'), settings, {
      nameOf,
      announce,
      fragment: () => page.sandbox?.fragment ?? '',
      onChange: () => page.sandbox?.refresh(),
    });
  const fragment = (await account?.open()) ?? location.hash;
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
    `${say('examplesToTry')} `,
    ...EXAMPLES.filter(([query]) => namedIn(query).every(isAnswered)).flatMap(([query, label], index) => [
      index === 0 ? '' : ' · ',
      element('a', { href: `#${query}` }, say(label)),
    ]),
  );
  await shown.open(fragment);
  globalThis.addEventListener('popstate', () => void shown.restore(location.hash));
};

start().catch((error: unknown) => announce(say('unusable', { reason: failure(error) })));
