import { defined } from '../../base/defined.js';
import { OAuthError, UnavailableError } from '../../base/errors.js';
import type { HttpRequest, HttpResponse } from '../../base/http/messages.js';
import { redirect } from '../../base/http/responses.js';
import type { Attempt } from '../../base/limits/guess-limiter.js';
import { mistake } from '../../base/mistakes.js';
import type { HiddenFields } from '../../base/pages/forms.js';
import { pageResponse } from '../../base/pages/response.js';
import type { MaybePromise } from '../../base/ports.js';
import type { DeploymentWarnings } from '../facts/deployment-warnings.js';
import type { Parameters } from '../facts/parameters.js';
import { PageError } from '../pages/page-error.js';
import type { Pages } from '../pages/render.js';
import type { LoginView } from '../pages/views.js';
import { checkOwner, type Owner } from '../records/owner.js';
import type { SignInWishes } from './asked-sign-in.js';
import { authenticateOwner, type OwnerAuthentication, tooManyAttempts } from './authenticate-owner.js';
import { type BeforeSignOut, endSession, isEnded, lastSignOutOf, type OwnerSessionContext } from './owner-sessions.js';
import type { Session, Sessions } from './sessions.js';
import { countedName } from './users.js';

/** Returns the signed-in user of the application; without it, the built-in page is used. */
interface HostSignIn {
  readonly owner?: ((native: unknown) => MaybePromise<Owner | undefined | null | false>) | undefined;
  readonly loginUrl?: string | ((returnTo: string, wishes?: SignInWishes) => MaybePromise<string>) | undefined;
}

/** The place of a sign-in within a flow: where it started, and where it continues. */
export interface Destination {
  /** A path with a query, on this host. */
  readonly returnTo: string;
  /** The action of the built-in sign-in form. */
  readonly action: string;
  /** Hidden fields of that form. */
  readonly hidden: HiddenFields;
  readonly clientId?: string;
  readonly clientName?: string;
  /** Whether signing in may lead directly to the client, because the owner has decided before. */
  readonly leadsToClient?: boolean;
  /** What the request wants from the sign-in page. */
  readonly wishes?: SignInWishes | undefined;
  /** The signed-in owner, who may continue without signing in again. */
  readonly continueAs?: Owner | undefined;
}

/** Dependencies of the sign-in. */
export interface SignInContext extends OwnerAuthentication, OwnerSessionContext {
  readonly pages: Pick<Pages, 'show'>;
  readonly warnings: DeploymentWarnings;
  readonly hooks: { readonly beforeSignOut?: BeforeSignOut };
  readonly onError: (error: unknown) => void;
}

/** Form fields shared by all pages. */
export const SIGN_IN_FIELDS = { username: 'text', password: 'text', form_token: 'vschar' } as const;

const LOGIN = ['login'];

/** RFC 8176: a password. */
const BUILT_IN_METHODS = ['pwd'];

/** Identifies the user of a browser, with the application's sign-in or the built-in one. */
export class SignIn {
  readonly #options: HostSignIn;
  readonly #keepsSignIn: boolean;
  readonly sessions: Sessions;

  /** @param keepsSignIn - Whether sessions contain when they began. */
  constructor(options: HostSignIn, sessions: Sessions, keepsSignIn: boolean) {
    this.#options = options;
    this.sessions = sessions;
    this.#keepsSignIn = keepsSignIn;
  }

  /** Whether the built-in sign-in is used, which can also sign users out. */
  get isBuiltIn(): boolean {
    return this.#options.owner === undefined;
  }

  /** The signed-in owner, if there is one and the account is still active. */
  async currentOwner(
    request: HttpRequest,
    session: Session | undefined,
    context: SignInContext,
  ): Promise<Owner | undefined> {
    const { owner } = this.#options;
    if (owner !== undefined) {
      const found = await this.#ask(owner, request, context);
      if (found === undefined || found === null || found === false) return undefined;
      context.warnings.signIn(undefined);
      return checkOwner(found, 'options.owner', this.#keepsSignIn ? context.clock() : undefined);
    }
    return this.#ownerOf(session, context);
  }

  /**
   * The owner who is signed in with the built-in sign-in, for routes of the application.
   *
   * @param cookies - The `Cookie` header of the request.
   * @throws TypeError if the application has its own sign-in.
   */
  async builtInOwner(cookies: string | undefined, context: SignInContext): Promise<Owner | undefined> {
    if (!this.isBuiltIn)
      throw new TypeError(
        'oauth.owner: with options.owner you manage the sessions. Read the signed-in user where options.owner does.',
      );
    return this.#ownerOf(this.sessions.open(cookies), context);
  }

  async #ownerOf(session: Session | undefined, context: SignInContext): Promise<Owner | undefined> {
    const known = session?.owner;
    if (session === undefined || known === undefined) return undefined;
    const [isActive, isOver] = await Promise.all([
      context.config.users?.isActive?.(known.sub) ?? true,
      this.isOver(session, context),
    ]);
    if (!isActive || isOver) return undefined;
    const { signedInAt } = session;
    return this.#keepsSignIn && signedInAt !== undefined
      ? { ...known, auth_time: Math.floor(signedInAt / 1000), amr: BUILT_IN_METHODS }
      : known;
  }

  /**
   * Whether an owner's session of the built-in sign-in has ended. A request that grants something checks again when the grant is
   * written, because whoever ended the session meanwhile may not have seen the new grant.
   */
  isOver(session: Session | undefined, { records }: Pick<SignInContext, 'records'>): MaybePromise<boolean> {
    return this.isBuiltIn && session?.owner !== undefined && isEnded(session.owner.sub, session, records);
  }

  async #ask(owner: NonNullable<HostSignIn['owner']>, request: HttpRequest, context: SignInContext): Promise<unknown> {
    try {
      return await owner(request.native);
    } catch (error) {
      context.warnings.ownerFailed(error);
      if (error instanceof UnavailableError) throw error;
      throw mistake(`options.owner failed: ${error instanceof Error ? error.message : String(error)}`, 'OQ401', error);
    }
  }

  /** Sends a user who is not signed in to the application's page, or shows the built-in one. */
  async ask(session: Session | undefined, destination: Destination, context: SignInContext): Promise<HttpResponse> {
    const { loginUrl } = this.#options;
    if (loginUrl !== undefined) {
      const { returnTo, wishes } = destination;
      context.warnings.signIn(returnTo);
      if (typeof loginUrl === 'function') {
        const address: unknown = await (wishes === undefined ? loginUrl(returnTo) : loginUrl(returnTo, wishes));
        if (typeof address !== 'string')
          throw new TypeError('options.loginUrl must return the URL of the sign-in page.');
        return redirect(address, 302);
      }
      const added = Object.entries({ return_to: returnTo, ...wishes }).map(
        ([name, value]) => `${name}=${encodeURIComponent(value)}`,
      );
      return redirect(`${loginUrl}${loginUrl.includes('?') ? '&' : '?'}${added.join('&')}`, 302);
    }
    if (context.config.users === undefined) {
      context.onError(new TypeError('Users cannot sign in. Set options.users, or options.owner and options.loginUrl.'));
      throw new OAuthError('server_error', 'The server has no way to sign in.');
    }
    return this.#loginPage(session ?? this.sessions.begin(), destination, {}, context);
  }

  /** Handles the built-in sign-in form. */
  async submit(
    request: HttpRequest,
    form: Parameters,
    destination: Destination,
    context: SignInContext,
  ): Promise<HttpResponse> {
    const session = this.sessions.read(request);
    const username = form.get('username') ?? '';
    const signedIn = session?.owner;
    if (!this.sessions.isFormToken(form.get('form_token'), session, LOGIN)) {
      // The second press of a double click has the session that the first one started. This does not sign anyone in.
      const isSamePress =
        signedIn !== undefined && countedName(signedIn.username ?? signedIn.sub) === countedName(username);
      if (isSamePress) return redirect(destination.returnTo, 303);
      throw formExpired(destination.returnTo);
    }
    const prove = (): Promise<Attempt<Owner>> =>
      authenticateOwner(username, form.get('password') ?? '', request, context);
    const begun = await this.#begin(prove, session, destination, context);
    if (begun === undefined) {
      return this.#loginPage(session, destination, { username, problemCode: 'wrong_credentials' }, context);
    }
    return redirect(destination.returnTo, 303, { 'set-cookie': this.sessions.setCookie(begun) });
  }

  /**
   * Starts a session after checking user name and password. If its owner is signed out meanwhile, the session starts ended. A browser has
   * one session: that of the same owner goes on under its id, that of another one ends.
   */
  async #begin(
    attempt: () => Promise<Attempt<Owner>>,
    before: Session | undefined,
    { returnTo }: Destination,
    context: SignInContext,
  ): Promise<Session | undefined> {
    const began = context.clock();
    const prove = async (): Promise<Owner | undefined> => {
      const proof = await attempt();
      if ('retryAfter' in proof) throw tooManyAttempts(proof.retryAfter, returnTo);
      return proof.result;
    };
    const owner = await prove();
    if (owner === undefined) return undefined;
    const { lastSignOut, isDoubtful } = await lastSignOutOf(owner.sub, began, context);
    // The password may have been changed between its verification and the sign-out.
    const still = isDoubtful ? await prove() : owner;
    if (still?.sub !== owner.sub) return undefined;
    const replaced = before?.owner === undefined || (await this.isOver(before, context)) ? undefined : before;
    const isSame = replaced?.owner?.sub === owner.sub;
    if (replaced !== undefined && !isSame) await this.#end(replaced, context);
    return this.sessions.begin({
      ...(replaced !== undefined && isSame && { id: replaced.id }),
      owner: still,
      lastSignOut,
      ...(this.#keepsSignIn && { signedInAt: context.clock() }),
    });
  }

  /** Signs out an owner of the built-in sign-in: from now on, every process rejects the cookie. */
  async signOut(session: Session, destination: Destination, context: SignInContext): Promise<HttpResponse> {
    await this.#end(session, context);
    return redirect(destination.returnTo, 303, { 'set-cookie': this.sessions.setCookie(this.sessions.begin()) });
  }

  async #end(session: Session, context: SignInContext): Promise<void> {
    if (session.owner === undefined) return;
    const { sub } = session.owner;
    const tell = await context.hooks.beforeSignOut?.({ sub, session }, context.emit);
    await endSession(sub, session.id, this.sessions.lastEnd(session), context.records);
    context.emit?.({ type: 'owner.signed_out', sub, by: sub });
    tell?.();
  }

  async #loginPage(
    session: Session,
    destination: Destination,
    state: Pick<LoginView, 'problemCode'> & { readonly username?: string },
    { pages }: SignInContext,
  ): Promise<HttpResponse> {
    const { action, clientId, clientName, wishes, continueAs } = destination;
    const page = await pages.show('login', {
      action,
      hidden: { ...destination.hidden, form_token: this.sessions.formToken(session, LOGIN) },
      username: state.username ?? wishes?.login_hint ?? '',
      ...defined({ clientId, clientName, problemCode: state.problemCode }),
      ...(continueAs !== undefined && { continueAs: continueAs.username ?? continueAs.sub }),
    });
    return pageResponse(page, {
      status: state.problemCode === undefined ? 200 : 400,
      leadsToClient: destination.leadsToClient ?? false,
      cookie: this.sessions.setCookie(session),
    });
  }
}

/**
 * A form that was not shown in this session, or that another browser sent.
 *
 * @param start - The URL of a new form.
 */
export const formExpired = (start: string): PageError =>
  new PageError('form_expired', { status: 403, back: { href: start } });
