/**
 * The authorization server, the guards and the query API for plain `node:http`, alone or in front of a framework.
 *
 * @module oauth-query/node
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
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
  Check,
  Facade,
  Guard,
  Places,
  RemoteFacade,
} from '../facade.js';
import { calledWith, mountServer, guardsBy, withoutHandler, wrongFramework } from '../facade.js';
import type { RouteTable } from '../route-table.js';
import { cookiesOf, type HeadedRequest, NodeRequest, pathOf, send, setHeaders } from './message.js';

export { drainable, type DrainOptions } from './drainable.js';

/** Options of `oauthQuery`, all optional. `owner` receives Node's own `IncomingMessage`. */
export interface OAuthQueryOptions<
  S extends FeatureScopes = FeatureScopes,
  F extends readonly Feature[] = readonly Feature[],
  C extends object = Claims,
> extends AdapterOptions<IncomingMessage, S, F, C> {
  /** The address of the caller, for rate limits; default: that of the connection. Set it behind a proxy. */
  readonly address?: ((request: IncomingMessage) => string) | undefined;
}

/**
 * Handles requests below the path of the issuer, and for the metadata at the root of the host. Also works as middleware
 * wherever `(req, res, next)` is expected.
 *
 * @param next - Called for all other requests; without it they get a 404.
 */
export type NodeListener = (req: IncomingMessage, res: ServerResponse, next?: () => void) => void;

/** Handles requests, and creates guards. */
export interface OAuthQuery<Scope extends string = string, C extends object = {}>
  extends NodeListener, Facade<NodeGuarded<C>, HeadedRequest, Scope, C> {}

/**
 * Calls the handler if the token of the request is valid, else sends the error. Resolves when either is done.
 *
 * @throws what the handler throws.
 */
export type NodeGuarded<C extends object = {}> = (
  req: IncomingMessage,
  res: ServerResponse,
  handler: (auth: AuthorizationWith<C>) => unknown,
) => Promise<void>;

type NodeGuard = Guard<NodeGuarded>;

/** A guard for routes in a different process from the authorization server. */
export type RemoteGuard = NodeGuard & RemoteFacade<NodeListener>;

/** Node's own request, with or without additions of a framework. */
class PlainRequest extends NodeRequest<IncomingMessage> {
  readonly #address: OAuthQueryOptions['address'];

  constructor(message: IncomingMessage, address?: OAuthQueryOptions['address']) {
    super(message, message);
    this.#address = address;
  }

  get ip(): string {
    return this.#address?.(this.native) ?? this.native.socket.remoteAddress ?? '';
  }

  /** Parsers for `(req, res, next)` put their result here. */
  protected get parsed(): unknown {
    return 'body' in this.native ? this.native.body : undefined;
  }
}

const NOT_FOUND = { status: 404, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: 'Not Found' };

const listener =
  (address: OAuthQueryOptions['address']) =>
  (table: RouteTable): NodeListener =>
  (req, res, next = () => send(res, NOT_FOUND)) => {
    const route = table.find(pathOf(req.url ?? ''));
    if (route === undefined) next();
    else void table.answer(route, new PlainRequest(req, address), (response) => send(res, response));
  };

/** The name of what a framework passes to a middleware, which would take an authorization for an error. */
const NEXT = 'next';

const protect =
  (check: Check): NodeGuarded =>
  (req, res, handler) => {
    // Thrown at once: old versions of Express wait for no promise. Fastify ignores what a hook resolves to.
    if (typeof res.setHeader !== 'function' || handler?.name === NEXT) throw wrongFramework('node');
    if (typeof handler !== 'function') throw withoutHandler('guard(scope)(req, res, (auth) => { … })');
    const pass = async (authorization: Authorization, headers: HttpResponse['headers'] = {}): Promise<void> => {
      setHeaders(res, headers);
      await handler(authorization);
    };
    // `then` only tells the compiler that the handler's promise is awaited.
    return check(new PlainRequest(req), (response) => send(res, response), pass).then((done) => done);
  };

const EXAMPLE = 'createServer(oauthQuery({ … }))';

/**
 * An OAuth 2.0 authorization server, its guard and the query API, as one listener for `node:http`.
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
  const mount = ({ whole }: Places): NodeListener => listener(address)(whole);
  return mountServer(oauthQuery<S, F, C>, rest, { example: EXAMPLE, mount, protect, cookiesOf });
};

/** Creates guards for the tokens of another authorization server, which a verifier of `oauth-query/guard` checks. */
export const remoteGuard: (verifier: Verifier) => RemoteGuard = guardsBy({ protect, serve: listener(undefined) });
