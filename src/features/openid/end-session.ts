import {
  type Call,
  type FeatureHost,
  type FeatureRoute,
  type Form,
  OAuthError,
  redirect,
  type Visit,
} from '../../core/feature/index.js';
import { PageError } from '../../core/pages.js';
import type { IdTokens } from './id-token.js';
import { type CheckedOpenIdOptions, OPENID_PATHS } from './options.js';

type HttpResponse = ReturnType<typeof redirect>;

/** Seconds that the question, or the page of the application, may take. */
const LIFETIME = 600;

/** Characters of a request that travels through a browser: with the rest of the URL, it fits into the 8 KB that many proxies allow. */
const MAX_IN_BROWSER = 5000;

/** The parameters of the request (RP-Initiated Logout 1.0 §2). */
const REQUEST = {
  id_token_hint: 'vschar',
  client_id: 'client_id',
  post_logout_redirect_uri: 'uri',
  state: 'vschar',
  ui_locales: 'vschar',
} as const;

const PARAMETERS = { ...REQUEST, hint: 'vschar', resume: 'vschar', form_token: 'vschar' } as const;

/** What an ID token says. In place of one that is too long for a URL, it travels encrypted. */
interface Hint {
  readonly sub: string;
  readonly client_id: string;
}

/** What a client asks for. It travels encrypted, like an authorization request. */
interface AskedLogout {
  readonly client_id: string | undefined;
  /** Where the browser goes afterwards: to the client, or to the home page. */
  readonly goTo: string;
  /** Whether the operator registered the client. */
  readonly isListed: boolean;
  /** Whether it asks for another address, which is not followed: the owner learns that the browser does not go back. */
  readonly isElsewhere?: true;
}

/** A browser in which an owner is signed in. */
type SignedIn = Visit & { readonly owner: NonNullable<Visit['owner']> };

const isSignedIn = (visit: Visit): visit is SignedIn => visit.owner !== undefined;

/** Signs owners out at the request of a client. */
export class EndSession {
  readonly #idTokens: IdTokens;
  readonly #options: CheckedOpenIdOptions;
  readonly #host: FeatureHost;
  readonly #seal: ReturnType<FeatureHost['seal']>;
  readonly #hintSeal: ReturnType<FeatureHost['seal']>;
  readonly #logoutUrl: ((returnTo: string) => unknown) | undefined;

  constructor(idTokens: IdTokens, options: CheckedOpenIdOptions, host: FeatureHost) {
    this.#idTokens = idTokens;
    this.#options = options;
    this.#host = host;
    this.#seal = host.seal('logout');
    this.#hintSeal = host.seal('logout hint');
    const { logoutUrl } = options;
    this.#logoutUrl =
      typeof logoutUrl === 'string'
        ? (returnTo) => `${logoutUrl}${logoutUrl.includes('?') ? '&' : '?'}return_to=${encodeURIComponent(returnTo)}`
        : logoutUrl && host.bound('openIdConnect: options.logoutUrl', logoutUrl);
  }

  get route(): FeatureRoute {
    const answer = (call: Call): Promise<HttpResponse> => this.#answer(call);
    return { path: OPENID_PATHS.endSession, GET: answer, POST: answer, isPage: true, isStep: true };
  }

  #path(query: string): string {
    return `${this.#host.basePath}${OPENID_PATHS.endSession}${query}`;
  }

  async #answer(call: Call): Promise<HttpResponse> {
    const isPost = call.request.method === 'POST';
    const form = await this.#host.read(call, PARAMETERS);
    if (form.firstProblem !== undefined) throw new OAuthError('invalid_request', form.firstProblem);
    const query = isPost ? await this.#shortQuery(form) : queryOf(form);
    if (query.length > MAX_IN_BROWSER)
      throw new OAuthError('invalid_request', 'The request is too long to be sent through a browser.');
    const sealed = form.get('resume');
    // A form from another site comes without our cookie; a link comes with it.
    if (sealed === undefined && isPost) return redirect(this.#path(`?${query}`), 303);
    const visit = await this.#host.owners.visit(call);
    if (sealed !== undefined) return this.#resume(sealed, form, visit, call);
    // One that cannot be verified, for example because its key is no longer published, counts as none.
    const hint = (await this.#idTokens.read(form.get('id_token_hint'))) ?? this.#sealedHint(form);
    const asked = await readLogout(form, hint?.client_id, this.#host);
    if (!isSignedIn(visit)) return withoutAsking(asked);
    const isCertain = hint?.sub === visit.owner.sub && asked.isElsewhere !== true;
    return isCertain ? this.#end(visit, asked, call) : this.#ask(visit, asked);
  }

  /** RP-Initiated Logout 1.0 §2: a form may have what a URL cannot. */
  async #shortQuery(form: Form): Promise<string> {
    const query = queryOf(form);
    if (query.length <= MAX_IN_BROWSER) return query;
    const hint = await this.#idTokens.read(form.get('id_token_hint'));
    const sealed = hint && this.#hintSeal.seal(hint, this.#expiry());
    return queryOf(form, { id_token_hint: undefined, hint: sealed });
  }

  #sealedHint(form: Form): Hint | undefined {
    const sealed = form.get('hint');
    return sealed === undefined ? undefined : (this.#hintSeal.open(sealed) as Hint | undefined); // Only our own key can encrypt it.
  }

  /** Milliseconds since the epoch. */
  #expiry(): number {
    return this.#host.clock() + LIFETIME * 1000;
  }

  #sealed(asked: AskedLogout): string {
    return this.#seal.seal(asked, this.#expiry());
  }

  /** Without the question, any page could sign anyone out with a link. */
  #ask({ owner, ask }: SignedIn, asked: AskedLogout): Promise<HttpResponse> {
    return ask({
      path: OPENID_PATHS.endSession,
      hidden: { resume: this.#sealed(asked) },
      purpose: purposeOf(owner),
      cancelPath: HOME,
      ending: { kind: 'sign_out', of: owner.username ?? owner.sub },
      leadsToClient: true,
    });
  }

  /** The button of the question, or the way back from the page of the application. */
  async #resume(sealed: string, form: Form, visit: Visit, call: Call): Promise<HttpResponse> {
    const opened = this.#seal.open(sealed);
    if (opened === undefined) throw new PageError('expired_request');
    const asked = opened as AskedLogout; // Only our own key can encrypt it, for this purpose alone.
    if (call.request.method !== 'POST' || !isSignedIn(visit)) return withoutAsking(asked);
    if (!visit.isFormToken(form.get('form_token'), purposeOf(visit.owner)))
      throw visit.formExpired(OPENID_PATHS.endSession);
    return this.#end(visit, asked, call);
  }

  async #end({ owner, session, signOut }: SignedIn, asked: AskedLogout, call: Call): Promise<HttpResponse> {
    const { client_id, goTo } = asked;
    const { sub } = owner;
    const { owners } = this.#host;
    const revoke = async (): Promise<void> => {
      if (this.#options.revokeAtLogout && client_id !== undefined) await owners.disconnect(sub, client_id, call);
    };
    await revoke(); // While the owner can still repeat it.
    if (signOut !== undefined) {
      const answer = await signOut(goTo);
      await revoke(); // What was allowed in the meantime.
      return answer;
    }
    const tell = await owners.ends(session === undefined ? { sub } : { sub, session }, call.emit);
    const address = await this.#logoutUrl?.(this.#path(`?resume=${this.#sealed(asked)}`));
    if (typeof address !== 'string')
      throw new TypeError('openIdConnect: options.logoutUrl must return the URL of a page.');
    tell();
    return redirect(address, 303);
  }
}

/** The front page of the site. */
const HOME = '/';

/** Anyone can register a client, and link to this page to redirect browsers (RFC 9700 §4.11.2), also with what is encrypted: they get it for themselves. */
const withoutAsking = ({ isListed, goTo }: AskedLogout): HttpResponse => redirect(isListed ? goTo : HOME, 303);

const purposeOf = ({ sub }: SignedIn['owner']): readonly string[] => ['logout', sub];

const queryOf = (form: Form, instead: Readonly<Record<string, string | undefined>> = {}): string =>
  new URLSearchParams(
    [...Object.keys(REQUEST), 'hint'].flatMap((name): [string, string][] => {
      const value = Object.hasOwn(instead, name) ? instead[name] : form.get(name);
      return value === undefined ? [] : [[name, value]];
    }),
  ).toString();

/** Only a registered address of the named client is followed. */
const readLogout = async (form: Form, hinted: string | undefined, { clients }: FeatureHost): Promise<AskedLogout> => {
  const named = form.get('client_id');
  if (named !== undefined && hinted !== undefined && named !== hinted)
    throw new OAuthError('invalid_request', 'The client_id is not that of the id_token_hint.');
  const client_id = named ?? hinted;
  const client = client_id === undefined ? undefined : await clients.find(client_id);
  if (named !== undefined && client === undefined) throw new PageError('unknown_client');
  const address = form.get('post_logout_redirect_uri');
  const isRegistered = address !== undefined && clients.isRegistered(address, client?.openId.post_logout_redirect_uris);
  const goTo = isRegistered ? withState(address, form.get('state')) : HOME;
  const isElsewhere = address !== undefined && !isRegistered;
  return {
    client_id: client?.client_id,
    goTo,
    isListed: client?.origin === 'operator',
    ...(isElsewhere && { isElsewhere }),
  };
};

/** The registered text is unchanged. */
const withState = (address: string, state: string | undefined): string => {
  if (state === undefined) return address;
  const before = !address.includes('?') ? '?' : /[?&]$/.test(address) ? '' : '&';
  return `${address}${before}${new URLSearchParams({ state }).toString()}`;
};
