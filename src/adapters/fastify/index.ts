/**
 * The authorization server, the guards and the query API for Fastify 5.
 *
 * @module oauth-query/fastify
 */

import type { FastifyPluginAsync, FastifyReply, FastifyRequest, RouteGenericInterface } from 'fastify';
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
  Framework,
  Guard,
  RemoteFacade,
} from '../facade.js';
import { mountServer, guardsBy, wrongFramework } from '../facade.js';
import { cookiesOf, type HeadedRequest } from '../node/message.js';
import { FastifyMessage, type MountOptions, plugin, addHeaders, send } from './plugin.js';

export type { MountOptions } from './plugin.js';

declare const GUARDED: unique symbol;

/** The claims in the mark of a guard. */
type MarkedClaims<Route> = Route extends { readonly [GUARDED]?: (claims: infer C extends object) => void } ? C : {};

declare module 'fastify' {
  interface FastifyRequest<RouteGeneric extends RouteGenericInterface> {
    /** The authorization of the access token; present behind `oauth.guard(…)`. */
    auth: typeof GUARDED extends keyof RouteGeneric
      ? AuthorizationWith<MarkedClaims<RouteGeneric>>
      : Authorization | undefined;
  }
}

/** The type arguments of a route behind a guard. To add others: `app.get<{ Params: … } & GuardedRoute>(…)`. */
export interface GuardedRoute<C extends object = {}> extends RouteGenericInterface {
  /** Never present. Tells the type of the handler that there is an authorization, and its claims. */
  readonly [GUARDED]?: (claims: C) => void;
}

/** Options of `oauthQuery`, all optional. `owner` receives Fastify's own `FastifyRequest`. */
export interface OAuthQueryOptions<
  S extends FeatureScopes = FeatureScopes,
  F extends readonly Feature[] = readonly Feature[],
  C extends object = Claims,
> extends AdapterOptions<FastifyRequest, S, F, C> {}

/** A plugin to mount with `app.register(…)`, with a `prefix` unless it is mounted at the root. */
export interface OAuthQuery<Scope extends string = string, C extends object = {}>
  extends FastifyPluginAsync<MountOptions>, Facade<FastifyGuardHook<C>, HeadedRequest, Scope, C> {
  /** The metadata endpoint, for `app.register(oauth.wellKnown)` at the root, if the issuer has a path (RFC 8414 §3.1). */
  readonly wellKnown: FastifyPluginAsync<MountOptions>;
}

/** A hook for `onRequest`, `preValidation` or `preHandler`, of one route or of all. */
export interface FastifyGuardHook<C extends object = {}> {
  /** Fits every route, whatever its types. */
  (request: Pick<FastifyRequest, 'raw'>, reply: Pick<FastifyReply, 'raw'>): Promise<FastifyReply | undefined>;
  /** Tells a route without type arguments that `request.auth` is present. */
  (request: FastifyRequest<GuardedRoute<C>>, reply: FastifyReply): Promise<FastifyReply | undefined>;
}

/** Requires a valid token with all these scopes, and puts its authorization on `request.auth`. */
type FastifyGuard = Guard<FastifyGuardHook>;

/** A guard for routes in a different process from the authorization server. */
export type RemoteGuard = FastifyGuard & RemoteFacade<FastifyPluginAsync<MountOptions>>;

type Plugin = FastifyPluginAsync<MountOptions>;

const FRAMEWORK: Framework<Plugin & { readonly wellKnown: Plugin }, FastifyGuardHook, HeadedRequest> = {
  cookiesOf,
  isFirst: true,
  example: 'app.register(oauthQuery({ … }))',
  mount: ({ routes, wellKnown }) => Object.assign(plugin(routes), { wellKnown: plugin(wellKnown) }),
  protect: (check) =>
    ((request: FastifyRequest, reply: FastifyReply) => {
      if (typeof reply.code !== 'function') throw wrongFramework('fastify');
      const pass = (authorization: Authorization, headers: HttpResponse['headers'] = {}): true => {
        request.auth = authorization;
        addHeaders(reply, headers);
        return true;
      };
      const message = new FastifyMessage(request, request.raw);
      // A hook returns the reply if it has responded.
      return check(message, (response) => send(reply, response), pass).then((isPassed) =>
        isPassed ? undefined : reply,
      );
    }) as FastifyGuardHook, // Fastify only calls hooks with its own requests.
};

/**
 * An OAuth 2.0 authorization server, its guard and the query API, as one plugin for Fastify 5.
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
export const remoteGuard: (verifier: Verifier) => RemoteGuard = guardsBy({ protect: FRAMEWORK.protect, serve: plugin });
