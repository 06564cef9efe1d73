/**
 * The authorization server, the guards and the query API for Express 4 and 5.
 *
 * @module oauth-query/express
 */

import type { IncomingMessage } from 'node:http';
import type { NextFunction, Request, RequestHandler, Response, Router } from 'express';
import type { RouteParameters } from 'express-serve-static-core';
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
import { cookiesOf, type HeadedRequest, NodeRequest, send, setHeaders } from '../node/message.js';
import type { RouteTable } from '../route-table.js';

declare const GUARDED: unique symbol;

/** The claims in the mark of a guard. */
type MarkedClaims<Locals> = Locals extends { readonly [GUARDED]?: (claims: infer C extends object) => void } ? C : {};

declare global {
  namespace Express {
    interface Request {
      /** The authorization of the access token, once the request has passed `oauth.guard(…)`. */
      auth?: (Omit<Authorization, 'claims'> & { readonly claims?: object }) | undefined;
    }
  }
}

declare module 'express-serve-static-core' {
  // All declarations of an interface must have identical type parameters.
  // oxlint-disable-next-line typescript/no-explicit-any
  interface Request<P, ResBody, ReqBody, ReqQuery, LocalsObj extends Record<string, any>> {
    /** The authorization of the access token; present behind `oauth.guard(…)`. */
    auth: typeof GUARDED extends keyof LocalsObj
      ? AuthorizationWith<MarkedClaims<LocalsObj>>
      : Authorization | undefined;
  }
}

/** `res.locals` behind a guard: unchanged, but tells the types of later handlers that `req.auth` is present. */
export type GuardedLocals<C extends object = {}> = Response['locals'] & {
  /** Never present. Takes the claims, so that a guard with more of them fits where one with fewer is asked for. */
  readonly [GUARDED]?: (claims: C) => void;
};

/** Adds handlers for requests to a path. */
type GuardedRoute<C extends object> = <Path extends string>(
  path: Path,
  ...handlers: readonly RequestHandler<
    RouteParameters<Path>,
    Parameters<Response['json']>[0],
    Request['body'],
    Request['query'],
    GuardedLocals<C>
  >[]
) => unknown;

interface GuardedRoutes<C extends object> {
  /** Handlers for every method. */
  readonly all: GuardedRoute<C>;
  /** Handlers for GET. */
  readonly get: GuardedRoute<C>;
  /** Handlers for POST. */
  readonly post: GuardedRoute<C>;
  /** Handlers for PUT. */
  readonly put: GuardedRoute<C>;
  /** Handlers for PATCH. */
  readonly patch: GuardedRoute<C>;
  /** Handlers for DELETE. */
  readonly delete: GuardedRoute<C>;
  /** Handlers for HEAD. */
  readonly head: GuardedRoute<C>;
  /** Handlers for OPTIONS. */
  readonly options: GuardedRoute<C>;
}

/**
 * A router behind a guard. `req.auth` is present in its handlers:
 * `const photos: GuardedRouter = Router(); photos.use(oauth.guard('photos.read'))`.
 */
export interface GuardedRouter<C extends object = {}>
  extends RequestHandler, Pick<Router, 'use' | 'param' | 'stack'>, GuardedRoutes<C> {}

/** Options of `oauthQuery`, all optional. `owner` receives Express's own `Request`. */
export interface OAuthQueryOptions<
  S extends FeatureScopes = FeatureScopes,
  F extends readonly Feature[] = readonly Feature[],
  C extends object = Claims,
> extends AdapterOptions<Request, S, F, C> {}

/** Middleware to mount with `app.use(…)`, at the root or below a path. */
export interface OAuthQuery<Scope extends string = string, C extends object = {}>
  extends RequestHandler, Facade<ExpressGuardHandler<C>, HeadedRequest, Scope, C> {
  /**
   * The metadata endpoint, for `app.use(oauth.wellKnown)` at the root of the host, where clients look for it if the issuer
   * has a path.
   *
   * @see {@link https://www.rfc-editor.org/rfc/rfc8414#section-3.1 | RFC 8414 §3.1}
   */
  readonly wellKnown: RequestHandler;
}

/** Fits any route without affecting Express's types of route parameters. */
export type ExpressGuardHandler<C extends object = {}> = (
  req: IncomingMessage & Express.Request,
  res: Response<Parameters<Response['json']>[0], GuardedLocals<C>>,
  next: NextFunction,
) => Promise<void>;

/** Requires a valid token with all these scopes, and puts its authorization on `req.auth`. */
type ExpressGuard = Guard<ExpressGuardHandler>;

/** A guard for routes in a different process from the authorization server. */
export type RemoteGuard = ExpressGuard & RemoteFacade<RequestHandler>;

class ExpressRequest extends NodeRequest<Request<unknown>> {
  get ip(): string {
    return this.native.ip ?? '';
  }

  protected get parsed(): unknown {
    return this.native.body;
  }
}

/** Serves the routes below its mount point, and passes all other requests on. */
const middleware =
  (table: RouteTable): RequestHandler =>
  (req, res, next) => {
    if (typeof next !== 'function') throw wrongFramework('express');
    // Fastify calls a plugin with a function for errors in the same place.
    if (typeof req.path !== 'string') return next(wrongFramework('express'));
    const route = table.find(req.path, req.baseUrl);
    if (route === undefined) next();
    else void table.answer(route, new ExpressRequest(req, req), (response) => send(res, response), req.baseUrl);
  };

const FRAMEWORK: Framework<
  RequestHandler & { readonly wellKnown: RequestHandler },
  ExpressGuardHandler,
  HeadedRequest
> = {
  cookiesOf,
  isFirst: true,
  example: 'app.use(oauthQuery({ … }))',
  mount: ({ routes, wellKnown }) => Object.assign(middleware(routes), { wellKnown: middleware(wellKnown) }),
  protect: (check) => (req, res, next) => {
    if (typeof next !== 'function' || typeof res.setHeader !== 'function') throw wrongFramework('express');
    return check(
      new ExpressRequest(req as Request, req), // Express only calls handlers with its own requests.
      (response) => send(res, response),
      (authorization, headers) => {
        req.auth = authorization;
        if (headers !== undefined) setHeaders(res, headers);
        next();
      },
    );
  },
};

/**
 * An OAuth 2.0 authorization server, its guard and the query API, as one middleware for Express 4 and 5.
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
