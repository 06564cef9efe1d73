import { OAuthError, PageError } from '../errors.js';
import type { HttpRequest, HttpResponse } from '../http.js';
import type { ServerOptions } from '../options.js';
import { redirect } from '../responses.js';
import type { OAuthContext } from './context.js';
import { authenticateOwner, checkOwner, tooManyAttempts } from './owner.js';
import { pageResponse } from './pages/render.js';
import type { HiddenFields, LoginView, Pages } from './pages/views.js';
import type { Parameters } from './parameters.js';
import type { Session, Sessions } from './sessions.js';
import type { Owner } from './tokens.js';

/** Where somebody comes from who has to sign in first, and where they go on. */
export interface Destination {
  /** A path with a query, on this host. */
  readonly returnTo: string;
  /** Where the built-in sign-in form posts to. */
  readonly action: string;
  /** What that form carries along. */
  readonly hidden: HiddenFields;
  readonly clientName?: string;
  /** Whether signing in alone can end at the client, because the owner has decided before. */
  readonly leadsToClient?: boolean;
}

/** What the pages read from their forms, beside what each of them needs. */
export const SIGN_IN_FIELDS = { username: 'text', password: 'text', form_token: 'vschar' } as const;

const LOGIN = ['login'];

/** Finds out who is in front of the browser: the host knows, or the built-in page asks. */
export class SignIn {
  readonly #options: ServerOptions;
  readonly #pages: Pages;
  readonly sessions: Sessions;

  constructor(options: ServerOptions, pages: Pages, sessions: Sessions) {
    this.#options = options;
    this.#pages = pages;
    this.sessions = sessions;
  }

  /** Whether the built-in page signs people in, and can sign them out again. */
  get isBuiltIn(): boolean {
    return this.#options.owner === undefined;
  }

  /** Who is signed in, if anybody is and may still be. */
  async currentOwner(
    request: HttpRequest,
    session: Session | undefined,
    context: OAuthContext,
  ): Promise<Owner | undefined> {
    const { owner } = this.#options;
    if (owner !== undefined) {
      const found = await owner(request.native);
      return found === undefined || found === null || found === false ? undefined : checkOwner(found);
    }
    const known = session?.owner;
    if (known === undefined) return undefined;
    return (await (context.config.users?.isActive?.(known.sub) ?? true)) ? known : undefined;
  }

  /** Sends somebody who is not signed in to the host's page, or shows the built-in one. */
  async ask(session: Session | undefined, destination: Destination, context: OAuthContext): Promise<HttpResponse> {
    const { loginUrl } = this.#options;
    if (loginUrl !== undefined) {
      const { returnTo } = destination;
      if (typeof loginUrl === 'function') return redirect(loginUrl(returnTo), 302);
      return redirect(`${loginUrl}${loginUrl.includes('?') ? '&' : '?'}return_to=${encodeURIComponent(returnTo)}`, 302);
    }
    if (context.config.users === undefined) {
      context.onError(new TypeError('Nobody can sign in: give options.users, or options.owner and options.loginUrl.'));
      throw new OAuthError('server_error', 'The server has no way to sign in.');
    }
    return this.#loginPage(session ?? this.sessions.begin(), destination, {});
  }

  /** Handles the built-in sign-in form. */
  async submit(
    request: HttpRequest,
    form: Parameters,
    destination: Destination,
    context: OAuthContext,
  ): Promise<HttpResponse> {
    const session = this.sessions.read(request);
    const username = form.get('username') ?? '';
    const signedIn = session?.owner;
    if (!this.sessions.isFormToken(form.get('form_token'), session, LOGIN)) {
      // The second press of a double click comes with the session that the first one began. Nobody is signed in by this.
      const isSamePress = signedIn !== undefined && (signedIn.username ?? signedIn.sub) === username;
      if (isSamePress) return redirect(destination.returnTo, 303);
      throw formExpired();
    }
    const attempt = await authenticateOwner(username, form.get('password') ?? '', request, context);
    if ('retryAfter' in attempt) throw tooManyAttempts(attempt.retryAfter);
    if (attempt.result === undefined) {
      return this.#loginPage(session, destination, { username, problem: 'The user name or the password is wrong.' });
    }
    return redirect(destination.returnTo, 303, {
      'set-cookie': this.sessions.setCookie(this.sessions.begin(attempt.result)),
    });
  }

  /** Forgets who signed in with the built-in page. */
  switchOwner(destination: Destination): HttpResponse {
    return redirect(destination.returnTo, 303, { 'set-cookie': this.sessions.setCookie(this.sessions.begin()) });
  }

  async #loginPage(
    session: Session,
    destination: Destination,
    state: { readonly username?: string; readonly problem?: string },
  ): Promise<HttpResponse> {
    const view: LoginView = {
      action: destination.action,
      hidden: { ...destination.hidden, form_token: this.sessions.formToken(session, LOGIN) },
      username: state.username ?? '',
      ...(destination.clientName === undefined ? {} : { clientName: destination.clientName }),
      ...(state.problem === undefined ? {} : { problem: state.problem }),
    };
    return pageResponse(await this.#pages.login(view), {
      status: state.problem === undefined ? 200 : 400,
      leadsToClient: destination.leadsToClient ?? false,
      cookie: this.sessions.setCookie(session),
    });
  }
}

/** A form that this session was not shown, or that somebody else's browser sends. */
export const formExpired = (): PageError =>
  new PageError(403, 'This form has expired, or it was not shown in this browser. Go back and start again.');
