import type { FeatureHost } from '../core/base/feature.js';
import type { HttpRequest, HttpResponse } from '../core/base/http/messages.js';
import { redirect } from '../core/base/http/responses.js';
import { pageResponse } from '../core/base/pages/response.js';
import type { Client } from '../core/oauth/clients/client.js';
import { redirectUriMatches, withQuery } from '../core/oauth/clients/redirect-uri.js';
import { AUTHORIZATION_REQUEST_LIFETIME, MAX_IN_BROWSER } from '../core/oauth/code/authorization-request.js';
import { type Parameters, parseParameters, readForm } from '../core/oauth/facts/parameters.js';
import type { OAuthContext } from '../core/oauth/kernel/context.js';
import type { Endpoint } from '../core/oauth/kernel/endpoint.js';
import { endGrants } from '../core/oauth/owners/ended-grants.js';
import { PageError } from '../core/oauth/pages/page-error.js';
import type { Owner } from '../core/oauth/records/owner.js';
import type { Session } from '../core/oauth/sign-in/sessions.js';
import { formExpired } from '../core/oauth/sign-in/sign-in.js';
import type { IdTokens } from './id-token.js';
import { type CheckedOpenIdOptions, OPENID_PATHS } from './options.js';

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
  /** Whether the operator registered the client: anyone can register another, and link to this page to redirect browsers (RFC 9700 §4.11.2). */
  readonly isListed: boolean;
}

/** A signed-in owner and the session of the browser. */
interface Visitor {
  readonly owner: Owner;
  readonly session: Session | undefined;
}

/** Signs owners out at the request of a client. */
export class EndSession {
  readonly #idTokens: IdTokens;
  readonly #options: CheckedOpenIdOptions;
  readonly #seal: ReturnType<FeatureHost['seal']>;
  readonly #hintSeal: ReturnType<FeatureHost['seal']>;
  readonly #logoutUrl: ((returnTo: string) => unknown) | undefined;

  constructor(idTokens: IdTokens, options: CheckedOpenIdOptions, host: FeatureHost) {
    this.#idTokens = idTokens;
    this.#options = options;
    this.#seal = host.seal('logout');
    this.#hintSeal = host.seal('logout hint');
    const { logoutUrl } = options;
    this.#logoutUrl =
      typeof logoutUrl === 'string'
        ? (returnTo) => `${logoutUrl}${logoutUrl.includes('?') ? '&' : '?'}return_to=${encodeURIComponent(returnTo)}`
        : logoutUrl && host.bound('options.openid.logoutUrl', logoutUrl);
  }

  get endpoint(): Endpoint {
    const answer = (request: HttpRequest, context: OAuthContext): Promise<HttpResponse> =>
      this.#answer(request, context);
    return {
      paths: [OPENID_PATHS.endSession],
      methods: { GET: answer, POST: answer },
      pageMethods: ['GET', 'POST'],
      cors: false,
    };
  }

  #path({ basePath }: OAuthContext, query: string): string {
    return `${basePath}${OPENID_PATHS.endSession}${query}`;
  }

  async #answer(request: HttpRequest, context: OAuthContext): Promise<HttpResponse> {
    const isPost = request.method === 'POST';
    const form = isPost ? await readForm(request, PARAMETERS, context) : parseParameters(request.query, PARAMETERS);
    if (form.firstProblem !== undefined) throw new PageError('invalid_request', { explanation: form.firstProblem });
    const query = isPost ? await this.#shortQuery(form, context) : queryOf(form);
    if (query.length > MAX_IN_BROWSER)
      throw new PageError('invalid_request', { explanation: 'The request is too long to be sent through a browser.' });
    const sealed = form.get('resume');
    // A form from another site comes without our cookie; a link comes with it.
    if (sealed === undefined && isPost) return redirect(this.#path(context, `?${query}`), 303);
    const visitor = await this.#visitor(request, context);
    if (sealed !== undefined) return this.#resume(sealed, form, isPost ? visitor : 'returned', context);
    // One that cannot be verified, for example because its key is no longer published, counts as none.
    const hint = (await this.#idTokens.read(form.get('id_token_hint'))) ?? this.#sealedHint(form);
    const asked = await readLogout(form, hint?.client_id, context);
    if (visitor === undefined) return redirect(asked.isListed ? asked.goTo : HOME, 302);
    return hint?.sub === visitor.owner.sub ? this.#end(visitor, asked, context) : this.#ask(visitor, asked, context);
  }

  /** RP-Initiated Logout 1.0 §2: a form may have what a URL cannot. */
  async #shortQuery(form: Parameters, { clock }: OAuthContext): Promise<string> {
    const query = queryOf(form);
    if (query.length <= MAX_IN_BROWSER) return query;
    const hint = await this.#idTokens.read(form.get('id_token_hint'));
    const sealed = hint && this.#hintSeal.seal(hint, clock() + AUTHORIZATION_REQUEST_LIFETIME * 1000);
    return queryOf(form, { id_token_hint: undefined, hint: sealed });
  }

  #sealedHint(form: Parameters): Hint | undefined {
    const sealed = form.get('hint');
    return sealed === undefined ? undefined : (this.#hintSeal.open(sealed) as Hint | undefined); // Only our own key can encrypt it.
  }

  async #visitor(request: HttpRequest, context: OAuthContext): Promise<Visitor | undefined> {
    const session = context.signIn.sessions.read(request);
    const owner = await context.signIn.currentOwner(request, session, context);
    return owner && { owner, session };
  }

  #sealed(asked: AskedLogout, { clock }: OAuthContext): string {
    return this.#seal.seal(asked, clock() + AUTHORIZATION_REQUEST_LIFETIME * 1000);
  }

  /** Without the question, any page could sign anyone out with a link. */
  async #ask({ owner, session: known }: Visitor, asked: AskedLogout, context: OAuthContext): Promise<HttpResponse> {
    const { sessions } = context.signIn;
    const session = known ?? sessions.begin();
    const page = await context.pages.show('confirm', {
      action: context.pages.address(this.#path(context, '')),
      hidden: { resume: this.#sealed(asked, context), form_token: sessions.formToken(session, purposeOf(owner)) },
      cancelPath: HOME,
      ending: { kind: 'sign_out', of: owner.username ?? owner.sub },
    });
    return pageResponse(page, { leadsToClient: true, cookie: sessions.setCookie(session) });
  }

  /** The button of the question, or the way back from the page of the application. */
  async #resume(
    sealed: string,
    form: Parameters,
    visitor: Visitor | undefined | 'returned',
    context: OAuthContext,
  ): Promise<HttpResponse> {
    const opened = this.#seal.open(sealed);
    if (opened === undefined) throw new PageError('expired_request');
    const asked = opened as AskedLogout; // Only our own key can encrypt it, for this purpose alone.
    if (visitor === 'returned' || visitor === undefined) return redirect(asked.goTo, 303);
    const { owner, session } = visitor;
    if (!context.signIn.sessions.isFormToken(form.get('form_token'), session, purposeOf(owner)))
      throw formExpired(this.#path(context, ''));
    return this.#end(visitor, asked, context);
  }

  async #end({ owner, session }: Visitor, asked: AskedLogout, context: OAuthContext): Promise<HttpResponse> {
    const { client_id, goTo } = asked;
    const { sub } = owner;
    const revoke = async (): Promise<void> => {
      if (this.#options.revokeAtLogout && client_id !== undefined)
        await endGrants({ sub, client_id }, { reason: 'owner', by: sub }, context);
    };
    await revoke(); // While the owner can still repeat it.
    if (context.signIn.isBuiltIn && session !== undefined) {
      const answer = await context.signIn.signOut(session, { returnTo: goTo, action: '', hidden: {} }, context);
      await revoke(); // What was allowed in the meantime.
      return answer;
    }
    const tell = await context.hooks.beforeSignOut?.({ sub }, context.emit);
    const address = await this.#logoutUrl?.(this.#path(context, `?resume=${this.#sealed(asked, context)}`));
    if (typeof address !== 'string') throw new TypeError('options.openid.logoutUrl must return the URL of a page.');
    tell?.();
    return redirect(address, 303);
  }
}

/** The front page of the site. */
const HOME = '/';

const purposeOf = ({ sub }: Owner): readonly string[] => ['logout', sub];

const queryOf = (form: Parameters, instead: Readonly<Record<string, string | undefined>> = {}): string =>
  new URLSearchParams(
    [...Object.keys(REQUEST), 'hint'].flatMap((name): [string, string][] => {
      const value = Object.hasOwn(instead, name) ? instead[name] : form.get(name);
      return value === undefined ? [] : [[name, value]];
    }),
  ).toString();

/** Only a registered address of the named client is followed. */
const readLogout = async (
  form: Parameters,
  hinted: string | undefined,
  context: OAuthContext,
): Promise<AskedLogout> => {
  const named = form.get('client_id');
  if (named !== undefined && hinted !== undefined && named !== hinted)
    throw new PageError('invalid_request', { explanation: 'The client_id is not that of the id_token_hint.' });
  const client_id = named ?? hinted;
  const client = client_id === undefined ? undefined : await context.config.clients.find(client_id);
  if (named !== undefined && client === undefined) throw new PageError('unknown_client');
  const address = form.get('post_logout_redirect_uri');
  const goTo = goToOf(address, form.get('state'), client, context);
  return { client_id: client?.client_id, goTo, isListed: client?.origin === 'operator' };
};

const goToOf = (
  address: string | undefined,
  state: string | undefined,
  client: Client | undefined,
  { allowLocalhostRedirects }: OAuthContext,
): string => {
  const isRegistered =
    address !== undefined &&
    client?.openId.post_logout_redirect_uris?.some((uri) => redirectUriMatches(address, uri, allowLocalhostRedirects));
  if (!isRegistered) return HOME;
  return state === undefined ? address : withQuery(address, new URLSearchParams({ state }));
};
