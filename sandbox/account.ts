import { button, element, freshId } from './dom.js';
import { SignIn, type SignInSettings } from './sign-in.js';
import { say } from './texts.js';

/** How the account uses the rest of the page. */
export interface AccountHooks {
  /** The state of the form, to be restored after signing in. */
  readonly fragment: () => string;
  /** The name of the owner of a token. */
  readonly nameOf: (token: string) => Promise<string | undefined>;
  /** Called after a sign-in or sign-out. */
  readonly onChange: () => void;
  readonly announce: (text: string) => void;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Shows whether the user is signed in, and signs in and out. */
export class Account {
  readonly #section: HTMLElement;
  readonly #hooks: AccountHooks;
  readonly #signIn: SignIn;
  readonly #scope = element('input', { type: 'text', autocomplete: 'off', spellcheck: 'false' });

  constructor(section: HTMLElement, settings: SignInSettings, hooks: AccountHooks) {
    this.#section = section;
    this.#hooks = hooks;
    this.#signIn = new SignIn(settings, () => this.#lost(say('sessionExpired')));
  }

  get token(): string | undefined {
    return this.#signIn.token;
  }

  /** Completes a sign-in that has redirected the browser back to this page. Returns the previous state of the form. */
  async open(): Promise<string> {
    const { search, hash } = location;
    if (!SignIn.isReturn(search)) {
      this.#anonymous();
      return hash;
    }
    const { fragment, problem } = await this.#signIn.finish(search);
    if (problem === undefined) await this.#signedIn();
    else this.#anonymous(problem);
    return fragment;
  }

  /** Called when the API rejects the token. */
  refused(): void {
    this.#signIn.forget();
    this.#lost(say('sessionRevoked'));
  }

  #lost(problem: string): void {
    this.#anonymous(problem);
    this.#hooks.announce(problem);
    this.#hooks.onChange();
  }

  #anonymous(problem?: string): void {
    const complaint = problem === undefined ? undefined : element('p', { class: 'complaint', role: 'alert' }, problem);
    const text = element('p', {}, say('anonymous'));
    this.#section.replaceChildren(...(complaint ? [complaint] : []), text, this.#entrance());
  }

  #entrance(): HTMLElement {
    this.#scope.id = freshId('scope');
    const scope = element(
      'details',
      {},
      element('summary', {}, say('scope')),
      element(
        'div',
        { class: 'parameter' },
        element('label', { for: this.#scope.id }, say('requestedScope')),
        this.#scope,
      ),
      element('p', { class: 'facts' }, say('scopeHint')),
    );
    const form = element('form', {}, element('button', { type: 'submit' }, say('signIn')), scope);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#begin();
    });
    return form;
  }

  async #begin(): Promise<void> {
    try {
      await this.#signIn.begin(this.#hooks.fragment(), this.#scope.value.trim());
    } catch (error) {
      this.#anonymous(messageOf(error));
    }
  }

  async #signedIn(): Promise<void> {
    const name = this.token === undefined ? undefined : await this.#hooks.nameOf(this.token);
    const text = element('p', {}, name === undefined ? say('signedIn') : say('signedInAs', { user: name }));
    this.#section.replaceChildren(
      text,
      button(say('signOut'), () => void this.#end(), { class: 'plain' }),
    );
    this.#hooks.announce(text.textContent ?? '');
  }

  async #end(): Promise<void> {
    try {
      await this.#signIn.end();
      this.#anonymous();
      this.#hooks.announce(say('signedOut'));
    } catch (error) {
      this.#anonymous(messageOf(error));
    }
    this.#hooks.onChange();
  }
}
