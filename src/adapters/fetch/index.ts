/**
 * The authorization server, the guards and the query API as functions from `Request` to `Response`.
 *
 * @module oauth-query/fetch
 */

import type { HttpResponse, Route } from '../../core/base/http/messages.js';
import type { MaybePromise } from '../../core/base/ports.js';
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
  Check,
  Facade,
  Guard,
  Places,
  RemoteFacade,
} from '../facade.js';
import { calledWith, mountServer, guardsBy, withoutHandler, wrongFramework } from '../facade.js';
import type { RouteTable } from '../route-table.js';
import { FetchRequest, partsOf, toResponse, withHeaders } from './message.js';

/** Options of `oauthQuery`, all optional. `owner` receives the `Request`. */
export interface OAuthQueryOptions<
  S extends FeatureScopes = FeatureScopes,
  F extends readonly Feature[] = readonly Feature[],
  C extends object = Claims,
> extends AdapterOptions<Request, S, F, C> {
  /**
   * The address of the caller, for rate limits. A `Request` does not contain it: without this option all callers share
   * one limit.
   */
  readonly address?: ((request: Request) => string) | undefined;
}

interface Answers {
  /**
   * Handles requests below the path of the issuer, and for the metadata at the root of the host.
   * Returns `undefined` synchronously for all other requests: `oauth.fetch(request) ?? app.fetch(request)`.
   */
  readonly fetch: (request: Request) => Promise<Response> | undefined;
  /** Like `fetch`, but responds to all other requests with 404. */
  readonly handler: (request: Request) => Promise<Response>;
}

/** A `Request`, or only its headers, for example those of `next/headers`. */
type HeadedRequest = Pick<Request, 'headers'>;

/** The functions of a server. They can be used without their object. */
export interface OAuthQuery<Scope extends string = string, C extends object = {}>
  extends Answers, Facade<FetchGuarded<C>, HeadedRequest, Scope, C> {}

/** Answers a request with what the handler returns if its token is valid, else with the error. */
export type FetchGuarded<C extends object = {}> = (
  request: Request,
  handler: (auth: AuthorizationWith<C>) => MaybePromise<Response>,
) => Promise<Response>;

type FetchGuard = Guard<FetchGuarded>;

/** A guard for routes in a different process from the authorization server. */
export type RemoteGuard = FetchGuard & RemoteFacade<Answers['fetch']>;

const cookiesOf = ({ headers }: HeadedRequest): string | undefined => headers.get('cookie') ?? undefined;

const notFound = (): Response =>
  new Response('Not Found', { status: 404, headers: { 'content-type': 'text/plain; charset=utf-8' } });

const answers =
  (address: OAuthQueryOptions['address']) =>
  (table: RouteTable): Answers => {
    const answer = async (route: Route, request: Request): Promise<Response> => {
      const send = (response: HttpResponse): Response => toResponse(response, request.method);
      return (await table.answer(route, new FetchRequest(request, address), send)) ?? Response.error();
    };
    const fetch = (request: Request): Promise<Response> | undefined => {
      const route = table.find(partsOf(request.url).path);
      return route === undefined ? undefined : answer(route, request);
    };
    return { fetch, handler: async (request) => fetch(request) ?? notFound() };
  };

const protect =
  (check: Check): FetchGuarded =>
  (request, handler) => {
    // Frameworks whose hooks get a request of their own would ignore the Response.
    if (typeof request.headers?.get !== 'function') throw wrongFramework('fetch');
    if (typeof handler !== 'function') throw withoutHandler('guard(scope)(request, (auth) => response)');
    const send = (response: HttpResponse): Response => toResponse(response, request.method);
    const pass = (authorization: Authorization, headers?: HttpResponse['headers']): MaybePromise<Response> =>
      headers === undefined ? handler(authorization) : withHeaders(handler(authorization), headers);
    return check(new FetchRequest(request), send, pass).then((response) => response ?? Response.error());
  };

const EXAMPLE = 'oauthQuery({ … }).fetch(request)';

/**
 * An OAuth 2.0 authorization server, its guard and the query API, as functions from `Request` to
 * `Response`.
 *
 * @throws TypeError with a sentence that names the invalid option and the remedy.
 */
export const oauthQuery = <
  S extends FeatureScopes = FeatureScopes,
  const F extends readonly Feature[] = readonly [],
  C extends object = {},
>(
  options: OAuthQueryOptions<S, F, C> = {},
): OAuthQuery<(keyof S & string) | ScopesOf<F>, ClaimsOf<F, C>> => {
  const { address, ...rest } = calledWith(options, EXAMPLE);
  const mount = ({ whole }: Places): Answers => answers(address)(whole);
  return mountServer(oauthQuery<S, F, C>, rest, { example: EXAMPLE, mount, protect, cookiesOf });
};

/** Creates guards for the tokens of another authorization server, which a verifier of `oauth-query/guard` checks. */
export const remoteGuard: (verifier: Verifier) => RemoteGuard = guardsBy({
  protect,
  serve: (table) => answers(undefined)(table).fetch,
});
