import { defined } from '../../base/defined.js';
import { OAuthError, UnavailableError } from '../../base/errors.js';
import type { HttpRequest, HttpResponse } from '../../base/http/messages.js';
import { redirect } from '../../base/http/responses.js';
import type { Attempt } from '../../base/limits/guess-limiter.js';
import { mistake } from '../../base/mistakes.js';
import type { HiddenFields } from '../../base/pages/forms.js';
import { PageError } from '../../base/pages/page-error.js';
import { pageResponse } from '../../base/pages/response.js';
import type { MaybePromise } from '../../base/ports.js';
import type { Call, EndedPart, OwnerSession, Parts } from '../../feature/parts.js';
import type { Emit } from '../events/events.js';
import type { Parameters } from '../facts/parameters.js';
import { LOGIN_PAGE } from '../pages/built-in-pages.js';
import type { Pages } from '../pages/render.js';
import type { LoginView } from '../pages/views.js';
import { checkOwner, type Owner } from '../records/owner.js';
import type { SignInWishes } from './asked-sign-in.js';
import { authenticateOwner, type OwnerAuthentication, tooManyAttempts } from './authenticate-owner.js';
import { endSession, endSessions, isEnded, lastSignOutOf, type OwnerSessionContext } from './owner-sessions.js';
import type { Session, Sessions } from './sessions.js';
import { foldedName } from './users.js';

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

/** What belongs to the request of a page. */
interface Visit {
  readonly emit: Emit | undefined;
  readonly pages: Pick<Pages, 'show'>;
}

/** What the sign-in depends on. */
interface SignInDependencies extends HostSignIn, OwnerAuthentication, OwnerSessionContext {
  readonly sessions: Sessions;
  /** Whether sessions contain when they began. */
  readonly keepsSignIn: boolean;
  readonly warnings: {
    /** @param returnTo - Of a user who is sent away to sign in; absent for one who is signed in. */
    signIn(returnTo: string | undefined): void;
    ownerFailed(error: unknown): void;
  };
  readonly hooks: EndedPart & Pick<Parts, 'began'>;
  readonly onError: (error: unknown) => void;
}

/** A session of an owner as features see it. */
export const ownerSessionOf = ({ id, owner, lastSignOut = null, expiresAt }: Session): OwnerSession | undefined =>
  owner && { id, sub: owner.sub, lastSignOut, exp: Math.ceil(expiresAt / 1000) };

/** Form fields shared by all pages. */
export const SIGN_IN_FIELDS = { username: 'text', password: 'text', form_token: 'vschar' } as const;

const LOGIN = ['login'];

/** RFC 8176: a password. */
const BUILT_IN_METHODS = ['pwd'];

/** Identifies the user of a browser, with the application's sign-in or the built-in one. */
export class SignIn {
  readonly #given: SignInDependencies;

  constructor(given: SignInDependencies) {
    this.#given = given;
  }

  get sessions(): Sessions {
    return this.#given.sessions;
  }

  /** Whether the built-in sign-in is used, which can also sign users out. */
  get isBuiltIn(): boolean {
    return this.#given.owner === undefined;
  }

  /** The signed-in owner, if there is one and the account is still active. */
  async currentOwner(request: HttpRequest, session: Session | undefined): Promise<Owner | undefined> {
    const { owner, warnings, keepsSignIn, clock } = this.#given;
    if (owner !== undefined) {
      let found: unknown;
      try {
        found = await owner(request.native);
      } catch (error) {
        warnings.ownerFailed(error);
        if (error instanceof UnavailableError) throw error;
        const text = error instanceof Error ? error.message : String(error);
        throw mistake(`options.owner failed: ${text}`, 'OQ401', error);
      }
      if (found === undefined || found === null || found === false) return undefined;
      warnings.signIn(undefined);
      return checkOwner(found, 'options.owner', keepsSignIn ? clock() : undefined);
    }
    return this.#ownerOf(session);
  }

  /** The session that an owner is signed in with, as features see it; `undefined` if the application does not name those of its own sign-in. */
  sessionOf({ sub, sid }: Owner, session: Session | undefined): { readonly id: string } | undefined {
    if (this.isBuiltIn) return session;
    return sid === undefined ? undefined : { id: JSON.stringify([sub, sid]) };
  }

  /**
   * The owner who is signed in with the built-in sign-in, for routes of the application.
   *
   * @param cookies - The `Cookie` header of the request.
   * @throws TypeError if the application has its own sign-in.
   */
  async builtInOwner(cookies: string | undefined): Promise<Owner | undefined> {
    if (!this.isBuiltIn)
      throw new TypeError(
        'oauth.owner: with options.owner you manage the sessions. Read the signed-in user where options.owner does.',
      );
    return this.#ownerOf(this.sessions.open(cookies));
  }

  async #ownerOf(session: Session | undefined): Promise<Owner | undefined> {
    const known = session?.owner;
    if (session === undefined || known === undefined) return undefined;
    const [isActive, isOver] = await Promise.all([
      this.#given.users?.isActive?.(known.sub) ?? true,
      this.isOver(session),
    ]);
    if (!isActive || isOver) return undefined;
    const { signedInAt } = session;
    return this.#given.keepsSignIn && signedInAt !== undefined
      ? { ...known, auth_time: Math.floor(signedInAt / 1000), amr: BUILT_IN_METHODS }
      : known;
  }

  /**
   * Whether an owner's session of the built-in sign-in has ended. A request that grants something checks again when the grant is
   * written, because whoever ended the session meanwhile may not have seen the new grant.
   */
  isOver(session: Session | undefined): MaybePromise<boolean> {
    return this.isBuiltIn && session?.owner !== undefined && isEnded(session.owner.sub, session, this.#given.records);
  }

  /** Sends a user who is not signed in to the application's page, or shows the built-in one. */
  async ask(session: Session | undefined, destination: Destination, { pages }: Visit): Promise<HttpResponse> {
    const { loginUrl, users, warnings, onError } = this.#given;
    if (loginUrl !== undefined) {
      const { returnTo, wishes } = destination;
      warnings.signIn(returnTo);
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
    if (users === undefined) {
      onError(new TypeError('Users cannot sign in. Set options.users, or options.owner and options.loginUrl.'));
      throw new OAuthError('server_error', 'The server has no way to sign in.');
    }
    return this.#loginPage(session ?? this.sessions.begin(), destination, {}, pages);
  }

  /** Handles the built-in sign-in form. */
  async submit(
    request: HttpRequest,
    form: Parameters,
    destination: Destination,
    { emit, pages }: Visit,
  ): Promise<HttpResponse> {
    const session = this.sessions.read(request);
    const username = form.get('username') ?? '';
    const signedIn = session?.owner;
    if (!this.sessions.isFormToken(form.get('form_token'), session, LOGIN)) {
      // The second press of a double click has the session that the first one started. This does not sign anyone in.
      const isSamePress =
        signedIn !== undefined && foldedName(signedIn.username ?? signedIn.sub) === foldedName(username);
      if (isSamePress) return redirect(destination.returnTo, 303);
      throw formExpired(destination.returnTo);
    }
    const prove = (): Promise<Attempt<Owner>> =>
      authenticateOwner(username, form.get('password') ?? '', { request, emit }, this.#given);
    const begun = await this.#begin(prove, session, destination, { request, emit });
    if (begun === undefined) {
      return this.#loginPage(session, destination, { username, problemCode: 'wrong_credentials' }, pages);
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
    call: Call,
  ): Promise<Session | undefined> {
    const { clock, hooks, keepsSignIn } = this.#given;
    const began = clock();
    const prove = async (): Promise<Owner | undefined> => {
      const proof = await attempt();
      if ('retryAfter' in proof) throw tooManyAttempts(proof.retryAfter, returnTo);
      return proof.result;
    };
    const owner = await prove();
    if (owner === undefined) return undefined;
    const { lastSignOut, isDoubtful } = await lastSignOutOf(owner.sub, began, this.#given);
    // The password may have been changed between its verification and the sign-out.
    const still = isDoubtful ? await prove() : owner;
    if (still?.sub !== owner.sub) return undefined;
    const replaced = before?.owner === undefined || (await this.isOver(before)) ? undefined : before;
    const isSame = replaced?.owner?.sub === owner.sub;
    if (replaced !== undefined && !isSame) await this.end(replaced, call.emit);
    const begun = this.sessions.begin({
      ...(replaced !== undefined && isSame && { id: replaced.id }),
      owner: still,
      lastSignOut,
      ...(keepsSignIn && { signedInAt: clock() }),
    });
    const known = ownerSessionOf(begun);
    if (known !== undefined) await hooks.began?.(known, call);
    return begun;
  }

  /** Signs out an owner of the built-in sign-in: from now on, every process rejects the cookie. */
  async signOut(session: Session, destination: Destination, { emit }: Pick<Visit, 'emit'>): Promise<HttpResponse> {
    await this.end(session, emit);
    return redirect(destination.returnTo, 303, { 'set-cookie': this.sessions.setCookie(this.sessions.begin()) });
  }

  /** Ends one session, wherever its browser is. */
  async end(session: Pick<Session, 'id' | 'owner' | 'expiresAt'>, emit: Emit | undefined): Promise<void> {
    if (session.owner === undefined) return;
    const { sub } = session.owner;
    const { hooks, records } = this.#given;
    const tell = await hooks.beforeSignOut?.({ sub, session }, emit);
    await endSession(sub, session.id, this.sessions.lastEnd(session), records);
    emit?.({ type: 'owner.signed_out', sub, by: sub });
    tell?.();
  }

  /**
   * Ends all other sessions of an owner, whose own goes on under its id.
   *
   * @returns the session as it goes on. If it ended at the same moment, it stays ended.
   */
  async endOthers(session: Session, { sub }: Owner, emit: Emit | undefined): Promise<Session> {
    const { hooks } = this.#given;
    const tell = await hooks.beforeSignOut?.({ sub }, emit);
    const done = await endSessions(sub, this.#given);
    emit?.({ type: 'owner.signed_out', sub, by: sub });
    tell?.();
    // After a sign-out that this session did not survive, it must not begin again.
    const goesOn = done !== undefined && (done.after === null || done.after === session.lastSignOut);
    return goesOn ? { ...session, lastSignOut: done.rev } : session;
  }

  async #loginPage(
    session: Session,
    destination: Destination,
    state: Pick<LoginView, 'problemCode'> & { readonly username?: string },
    pages: Visit['pages'],
  ): Promise<HttpResponse> {
    const { action, clientId, clientName, wishes, continueAs } = destination;
    const page = await pages.show(LOGIN_PAGE, {
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
