import { button, element, freshId } from './dom.js';
import { SignIn, type SignInSettings } from './sign-in.js';

/** What the account needs to know of the rest of the page. */
export interface AccountHooks {
  /** What the form holds, to come back to. */
  readonly fragment: () => string;
  /** The name of whom a token belongs to. */
  readonly nameOf: (token: string) => Promise<string | undefined>;
  /** Called when somebody has signed in or is signed in no more. */
  readonly onChange: () => void;
  readonly announce: (text: string) => void;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Who asks, and how to become somebody. */
export class Account {
  readonly #section: HTMLElement;
  readonly #hooks: AccountHooks;
  readonly #signIn: SignIn | undefined;
  readonly #scope = element('input', { type: 'text', autocomplete: 'off', spellcheck: 'false' });

  constructor(section: HTMLElement, settings: SignInSettings | undefined, hooks: AccountHooks) {
    this.#section = section;
    this.#hooks = hooks;
    this.#signIn =
      settings &&
      new SignIn(settings, () => this.#lost('Your sign-in has come to its end. Sign in again to go on as yourself.'));
  }

  get token(): string | undefined {
    return this.#signIn?.token;
  }

  /** Takes up a sign-in that has sent the browser back here; answers with what the form held before. */
  async open(): Promise<string> {
    const { search, hash } = location;
    if (this.#signIn === undefined || !SignIn.isReturn(search)) {
      this.#anonymous();
      return hash;
    }
    const { fragment, problem } = await this.#signIn.finish(search);
    if (problem === undefined) await this.#signedIn();
    else this.#anonymous(problem);
    return fragment;
  }

  /** The API has refused the token. */
  refused(): void {
    this.#signIn?.forget();
    this.#lost('Your sign-in is no longer valid: it has ended or was revoked. Sign in again to go on as yourself.');
  }

  #lost(problem: string): void {
    this.#anonymous(problem);
    this.#hooks.announce(problem);
    this.#hooks.onChange();
  }

  #anonymous(problem?: string): void {
    const complaint = problem === undefined ? undefined : element('p', { class: 'complaint', role: 'alert' }, problem);
    const text = element('p', {}, "You're not signed in; requests are anonymous.");
    this.#section.replaceChildren(
      ...(complaint ? [complaint] : []),
      text,
      ...(this.#signIn ? this.#entrance() : [registration()]),
    );
  }

  #entrance(): readonly HTMLElement[] {
    this.#scope.id = freshId('scope');
    const scope = element(
      'details',
      {},
      element('summary', {}, 'Scope'),
      element('div', { class: 'field' }, element('label', { for: this.#scope.id }, 'Scope to ask for'), this.#scope),
      element('p', { class: 'facts' }, 'Several with a space between them. Empty: what this page is registered for.'),
    );
    const form = element('form', {}, element('button', { type: 'submit' }, 'Sign in'), scope);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#begin();
    });
    return [form];
  }

  async #begin(): Promise<void> {
    try {
      await this.#signIn?.begin(this.#hooks.fragment(), this.#scope.value.trim());
    } catch (error) {
      this.#anonymous(messageOf(error));
    }
  }

  async #signedIn(): Promise<void> {
    const name = this.token === undefined ? undefined : await this.#hooks.nameOf(this.token);
    const text = element('p', {}, name === undefined ? 'You are signed in.' : `You are signed in as ${name}.`);
    this.#section.replaceChildren(
      text,
      button('Sign out', () => void this.#end(), { class: 'plain' }),
    );
    this.#hooks.announce(text.textContent ?? '');
  }

  async #end(): Promise<void> {
    try {
      await this.#signIn?.end();
      this.#anonymous();
      this.#hooks.announce('You are signed out, and the token is revoked.');
    } catch (error) {
      this.#anonymous(messageOf(error));
    }
    this.#hooks.onChange();
  }
}

/** For who runs the site: how to let people sign in here. */
const registration = (): HTMLElement =>
  element(
    'details',
    {},
    element('summary', {}, 'Signing in is not set up'),
    element(
      'p',
      {},
      'Who runs this site can register a public client with the grant authorization_code and the redirect URI ',
      element('code', {}, location.origin + location.pathname),
      ', and name it in the option ',
      element('code', {}, 'query.sandbox.client_id'),
      '.',
    ),
  );
