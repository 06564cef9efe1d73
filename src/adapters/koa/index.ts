/**
 * The authorization server, the guards and the query API for Koa 2 and 3.
 *
 * @module oauth-query/koa
 */

import type { Context, Middleware } from 'koa';
import type { HttpResponse } from '../../core/base/http/messages.js';
import type { Verifier } from '../../resource-server/verifier.js';
import type {
  AdapterOptions,
  AuthorizationWith,
  Claims,
  ClaimsOf,
  Feature,
  FeatureScopes,
  ScopesOf,
  Authorization,
  Facade,
  Guard,
  Framework,
  RemoteFacade,
} from '../facade.js';
import { mountServer, guardsBy, wrongFramework } from '../facade.js';
import { cookiesOf, type HeadedRequest, NodeRequest, pathOf, setHeaders, whenSent } from '../node/message.js';
import type { RouteTable } from '../route-table.js';

/** Options of `oauthQuery`, all optional. `owner` receives Koa's own `Context`. */
export interface OAuthQueryOptions<
  S extends FeatureScopes = FeatureScopes,
  F extends readonly Feature[] = readonly Feature[],
  C extends object = Claims,
> extends AdapterOptions<Context, S, F, C> {}

/** Middleware to mount with `app.use(…)` at the root, or with koa-mount below a path. */
export interface OAuthQuery<Scope extends string = string, C extends object = {}>
  extends Middleware, Facade<Middleware<AuthorizedState<C>>, HeadedRequest, Scope, C> {
  /**
   * The metadata endpoint, for `app.use(oauth.wellKnown)` at the root of the host, where clients look for it if the issuer
   * has a path.
   *
   * @see {@link https://www.rfc-editor.org/rfc/rfc8414#section-3.1 | RFC 8414 §3.1}
   */
  readonly wellKnown: Middleware;
}

/** The state of a request that has passed `oauth.guard(…)`. */
export interface AuthorizedState<C extends object = {}> {
  /** The authorization of the access token. */
  auth: AuthorizationWith<C>;
}

/** Requires a valid token with all these scopes, and puts its authorization on `ctx.state.auth`. */
type KoaGuard = Guard<Middleware<AuthorizedState>>;

/** A guard for routes in a different process from the authorization server. */
export type RemoteGuard = KoaGuard & RemoteFacade<Middleware>;

class KoaRequest extends NodeRequest<Context> {
  /** A mounted application has a shorter `url`; the context keeps the original. */
  override get path(): string {
    return pathOf(this.native.originalUrl);
  }

  get ip(): string {
    return this.native.ip;
  }

  /** All body parsers for Koa put their result here, but Koa's types do not declare it. */
  protected get parsed(): unknown {
    const { request } = this.native;
    return 'body' in request ? request.body : undefined;
  }
}

/** Sets the response that Koa will write, so that outer middleware can still inspect it. */
const send = (ctx: Context, response: HttpResponse): void => {
  if (ctx.headerSent) return;
  const { status, headers, body } = response;
  ctx.status = status;
  setHeaders(ctx.res, headers);
  ctx.body = body;
  whenSent(ctx.res, response);
  // Koa sets `text/plain` on any text without a type, even on empty text.
  if (headers['content-type'] === undefined) ctx.remove('content-type');
};

/** Serves the routes below its mount point, and passes all other requests on. */
const middleware =
  (table: RouteTable): Middleware =>
  (ctx, next) => {
    if (typeof next !== 'function') throw wrongFramework('koa');
    const whole = pathOf(ctx.originalUrl);
    // What koa-mount removed, however often.
    const at = whole.endsWith(ctx.path) ? whole.slice(0, -ctx.path.length) : '';
    const route = table.find(ctx.path, at);
    if (route === undefined) return next();
    return table.answer(route, new KoaRequest(ctx, ctx.req), (response) => send(ctx, response), at);
  };

const FRAMEWORK: Framework<
  Middleware & { readonly wellKnown: Middleware },
  Middleware<AuthorizedState>,
  HeadedRequest
> = {
  cookiesOf,
  isFirst: true,
  example: 'app.use(oauthQuery({ … }))',
  mount: ({ routes, wellKnown }) => Object.assign(middleware(routes), { wellKnown: middleware(wellKnown) }),
  protect: (check) => (ctx, next) => {
    if (typeof next !== 'function') throw wrongFramework('koa');
    const pass = (authorization: Authorization, headers: HttpResponse['headers'] = {}): true => {
      ctx.state.auth = authorization;
      setHeaders(ctx.res, headers);
      return true;
    };
    return check(new KoaRequest(ctx, ctx.req), (response) => send(ctx, response), pass).then((isPassed) =>
      isPassed ? next() : undefined,
    );
  },
};

/**
 * An OAuth 2.0 authorization server, its guard and the query API, as one middleware for Koa 2 and 3.
 *
 * @throws TypeError with a sentence that names the invalid option and the remedy.
 */
export const oauthQuery = <
  S extends FeatureScopes = FeatureScopes,
  const F extends readonly Feature[] = readonly [],
  C extends object = {},
>(
  options: OAuthQueryOptions<S, F, C> = {},
): OAuthQuery<(keyof S & string) | ScopesOf<F>, ClaimsOf<F, C>> => mountServer(oauthQuery<S, F, C>, options, FRAMEWORK);

/** Creates guards for the tokens of another authorization server, which a verifier of `oauth-query/guard` checks. */
export const remoteGuard: (verifier: Verifier) => RemoteGuard = guardsBy({
  protect: FRAMEWORK.protect,
  serve: middleware,
});
