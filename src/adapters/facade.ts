import { isPublicIssuer } from '../core/base/addresses/loopback.js';
import type { Authorization } from '../core/base/authorization.js';
import { type GuardOptions, guardRequirement, type RequiredScope, scopesOf } from '../core/base/guard-requirement.js';
import type { GuardRequirement } from '../core/base/http/bearer.js';
import type { HttpRequest, HttpResponse, Route } from '../core/base/http/messages.js';
import { guarded } from '../core/base/listeners.js';
import { fromCaller, mistake } from '../core/base/mistakes.js';
import type { MaybePromise, Store } from '../core/base/ports.js';
import { isRecord } from '../core/base/schema.js';
import { checkOf, type TokenCheck } from '../core/base/token-check.js';
import type { Claims } from '../core/feature/claims.js';
import type { AllowedClaims, Complete, Feature, FeatureScopes } from '../core/feature/types.js';
import type { Issue } from '../core/oauth/owners/issue.js';
import type { OwnerGrants } from '../core/oauth/owners/owner-grants.js';
import type { Owners } from '../core/oauth/owners/owners.js';
import type { Owner } from '../core/oauth/records/owner.js';
import type { ServerOptions } from '../core/server/options/server-options.js';
import { createServer, type Server } from '../core/server/server.js';
import type { Verifier } from '../resource-server/verifier.js';
import { memoryStore } from '../stores/memory.js';
import { Mount, warnUnreached } from './mount.js';
import { RouteTable, type Send, sendBroken } from './route-table.js';

export type { Authorization, AuthorizationWith } from '../core/base/authorization.js';
export type { Claims } from '../core/feature/claims.js';
export type { ClaimsOf, Feature, FeatureScopes, ScopesOf } from '../core/feature/types.js';

/** Options whose types of scopes, features and claims do not matter any more. */
type AnyOptions<Native> = Omit<AdapterOptions<Native>, 'scopes' | 'features' | 'claims'>;

/** {@link ServerOptions} with the defaults of an adapter; `Native` is the request type of its framework. */
export interface AdapterOptions<
  Native,
  S extends FeatureScopes = FeatureScopes,
  F extends readonly Feature[] = readonly Feature[],
  C extends object = Claims,
> extends Omit<ServerOptions, 'store' | 'owner' | 'scopes' | 'features' | 'claims'> {
  /** Scope → its description for users, or a definition. Their names are those that `guard`, `check` and `issue` take. */
  readonly scopes?: S | undefined;
  /**
   * Features, in any order, such as `query({ … })` of `oauth-query/query` and `openIdConnect({ … })` of
   * `oauth-query/openid`.
   */
  readonly features?: (F & Complete<F>) | undefined;
  /**
   * Claims that the application adds to access tokens, such as `{ names: ['tenant'], of: ({ owner }) => ({ tenant: … })
   * }`: in introspection, in signed tokens, and in `req.auth.claims`.
   */
  readonly claims?: AllowedClaims<C> | undefined;
  /** Default: `memoryStore()`, for a single process; its data is lost when the process ends. */
  readonly store?: Store | undefined;
  /** Returns the signed-in user of the application. Needs `loginUrl`. */
  readonly owner?: ((request: Native) => MaybePromise<Owner | undefined | null | false>) | undefined;
}

/** Called with errors that are not reported to clients. */
type OnError = (error: unknown) => void;

/** Options completed for the core. */
interface MountedOptions extends ServerOptions {
  readonly onError: OnError;
}

/** Creates what lets a request pass if it has a valid token. */
export type Guard<Handler, Scope extends string = string> = GuardMethod<Handler, Scope>['guard'] & {
  /** Requires a valid token, whatever its scopes. */
  any(options?: GuardOptions): Handler;
};

/** A method, so that a guard of some scopes fits where any may be named. */
interface GuardMethod<Handler, Scope extends string> {
  /** @param scope - The scopes that the token must have, all of them: one, or a list. */
  guard(scope: RequiredScope<Scope>, options?: GuardOptions): Handler;
}

/** Offered by every adapter in addition to its way of mounting. `Headed` is what has the headers of a request. */
export interface Facade<Handler, Headed, Scope extends string = string, C extends object = {}> {
  /**
   * Creates guards for routes in this process. They read the store for each token, so a revoked token is rejected
   * immediately.
   */
  readonly guard: Guard<Handler, Scope>;
  /** Checks a token without a request, for WebSockets, subscriptions and jobs. */
  readonly check: TokenCheck<Scope, C>;
  /**
   * The owner who is signed in with the built-in sign-in, for pages of your own; `undefined` if there is none: no session, one that
   * has expired or ended, or an owner whose `users.isActive` is `false`. Reads only the `Cookie` header, and the store for each session.
   *
   * @throws TypeError if `options.owner` is set, because you manage the sessions then; UnavailableError if the store fails.
   */
  readonly owner: (request: Headed) => Promise<Owner | undefined>;
  /** Lists and revokes what owners have allowed. */
  readonly grants: OwnerGrants;
  /** Signs out, exports and erases owners. */
  readonly owners: Owners;
  /** Issues tokens without a request of a client: personal access tokens, and tokens for tests. */
  readonly issue: Issue<Scope>;
  /** Closes the features that have something to finish. Call it after the last request and before you close the store. Never rejects. */
  readonly close: () => Promise<void>;
}

/** Further members of a guard for the tokens of another process. `Served` is what its framework mounts. */
export interface RemoteFacade<Served> {
  /** Checks a token without a request, for WebSockets, subscriptions and jobs. */
  readonly check: TokenCheck;
  /** Closes idle connections. They do not keep the process running, so calling this is optional. */
  readonly close: () => void;
  /**
   * The metadata of the guard's `resource`, to be mounted at the root of the host. Without that option there is none, and reading
   * this property throws a TypeError.
   *
   * @see {@link https://www.rfc-editor.org/rfc/rfc9728#section-3 | RFC 9728 §3}
   */
  readonly metadata: Served;
}

/**
 * Checks whether a request may pass: returns the result of `pass`, which receives headers to add to the response, or of sending the error response; `undefined` if that fails. Only
 * rejects if `pass` throws.
 */
export type Check = <Sent, Passed>(
  request: HttpRequest,
  send: Send<Sent>,
  pass: (authorization: Authorization, headers: HttpResponse['headers'] | undefined) => Passed,
) => Promise<Sent | Passed | undefined>;

/** The routes of a server, for each way of mounting them. */
export interface Places {
  /** Below the mount point. */
  readonly routes: RouteTable;
  /** The metadata at the root of the host (RFC 8414 §3.1). */
  readonly wellKnown: RouteTable;
  /** All routes by their full path, including the path of the issuer. */
  readonly whole: RouteTable;
}

/** The framework-specific part of an adapter. */
export interface Framework<Mounted extends object, Handler, Headed> {
  /** How to mount the result of `oauthQuery`, for an error message. */
  readonly example: string;
  /** Whether a server that is mounted at the root is called before every route, or registered at the start. */
  readonly isFirst?: true;
  readonly mount: (places: Places) => Mounted;
  readonly protect: (check: Check) => Handler;
  /** The `Cookie` header of a request. */
  readonly cookiesOf: (request: Headed) => string | undefined;
}

/** The application's `onError`, which cannot break anything: if it throws, the error goes to the console. Options are validated elsewhere. */
const reporter = (onError: OnError = console.error): OnError =>
  typeof onError === 'function' ? guarded(onError, console.error) : onError;

/** @throws TypeError for a version of Node without what this package uses. */
const checkNode = (): void => {
  if (typeof process.getBuiltinModule !== 'function')
    throw mistake(
      `oauth-query requires Node.js 20.19 or later, but this is ${process.version}. Update Node.js.`,
      'OQ106',
    );
};

/** @throws TypeError if the adapter was passed to the framework without being called, so that its options are a request or an app. */
export const calledWith = <Options>(options: Options, example: string): Options => {
  const prototype: unknown =
    typeof options === 'object' && options !== null ? Object.getPrototypeOf(options) : undefined;
  if (prototype === Object.prototype || prototype === null) return options;
  throw mistake(`oauthQuery takes an object of options and returns what you mount. Call it: ${example}.`, 'OQ104');
};

/** Adds the defaults of the adapters: a memory store, and the console for errors and warnings. */
const serverOptions = <Native>(options: AnyOptions<Native>, example: string): MountedOptions => {
  const {
    owner,
    store,
    onError,
    onWarning = (sentence: string) => console.warn(sentence),
    ...rest
  } = calledWith(options, example);
  return {
    ...rest,
    // The adapter creates every HttpRequest, so `native` is a request of its own framework.
    ...(owner !== undefined && { owner: owner as NonNullable<ServerOptions['owner']> }),
    store: store ?? memoryStore({ clock: options.runtime?.clock }),
    onError: reporter(onError),
    onWarning,
  };
};

/** Whether this process is one of several of a cluster. Node returns the module itself, unlike its types. */
const isWorker = (): boolean =>
  (process.getBuiltinModule('node:cluster') as { readonly isWorker?: boolean } | undefined)?.isWorker === true;

/** Warns about a server in production, or in several processes, whose grants are kept in the memory of this process. */
const warnUnstored = (
  { store }: { readonly store?: unknown },
  { issuer }: { readonly issuer?: string | undefined },
  { warn }: Server,
): void => {
  const isPublic = isPublicIssuer(issuer);
  if (store !== undefined || !(isPublic || isWorker())) return;
  warn(
    'options.store is missing, so tokens are kept in memory: they are lost when this process ends, and other processes do not accept them. Use a store of oauth-query/stores, or set memoryStore() to confirm.',
    'OQ202',
  );
};

const placesOf = ({ routes, wellKnown, basePath, warn }: Server, { issuer, onError }: MountedOptions): Places => {
  const whole = routes.map((route) => ({ ...route, path: basePath + route.path }));
  const table = (all: readonly Route[], expected?: string): RouteTable =>
    new RouteTable(all, new Mount(all, { issuer, warn, expected }), onError);
  return {
    routes: table(routes, issuer === undefined ? undefined : basePath),
    wellKnown: table(wellKnown),
    whole: table([...whole, ...wellKnown]),
  };
};

const guardOf = <Handler>(
  server: Pick<Server, 'guard'> &
    Partial<Pick<Server, 'checkScopes' | 'resourceRequirement' | 'bindsTokens' | 'keepsSignIn'>>,
  protect: (check: Check) => Handler,
  onError: OnError,
  onRefused?: (request: HttpRequest) => void,
): Guard<Handler> => {
  const handlerOf = (requirement: GuardRequirement): Handler =>
    protect((request, send, pass) =>
      server.guard(request, requirement).then(
        (result) => {
          if (!('response' in result)) return pass(result.authorization, result.headers);
          try {
            onRefused?.(request);
            return send(result.response);
          } catch (error) {
            return sendBroken(send, error, onError);
          }
        },
        (error: unknown) => sendBroken(send, error, onError),
      ),
    );
  const guard = (scope: unknown, options: unknown = {}): Handler =>
    handlerOf(fromCaller(guard, () => guardRequirement(scopesOf(scope), options, server)));
  const any = (options: unknown = {}): Handler =>
    handlerOf(fromCaller(any, () => guardRequirement([], options, server)));
  return Object.assign(guard, { any });
};

const mounted = <Native, Mounted extends object, Handler, Headed>(
  options: AnyOptions<Native>,
  { example, mount, protect, cookiesOf, isFirst }: Framework<Mounted, Handler, Headed>,
): Mounted & Facade<Handler, Headed> => {
  checkNode();
  const complete = serverOptions(options, example);
  const server = createServer(complete);
  warnUnstored(options, complete, server);
  const places = placesOf(server, complete);
  return Object.assign(mount(places), {
    guard: guardOf(server, protect, complete.onError, warnUnreached(places, server, isFirst)),
    check: checkOf(server),
    owner: async (request: Headed) => server.owner(cookiesOf(request)),
    grants: server.grants,
    owners: server.owners,
    issue: server.issue,
    close: () => server.close(),
  });
};

/**
 * Creates a server, mounted in the way of its framework.
 *
 * @param publicFunction - The function of the adapter, at whose caller the stack of an error begins. Its result tells the types of scopes and claims.
 */
export const mountServer = <Native, Mounted extends object, Handler, Headed, Served>(
  publicFunction: (options: never) => Served,
  options: AnyOptions<Native>,
  framework: Framework<Mounted, Handler, Headed>,
): Served => fromCaller(publicFunction, () => mounted(options, framework) as unknown as Served);

/** The framework-specific part of an adapter, for guards without a server. */
interface RemoteFramework<Handler, Served> {
  readonly protect: (check: Check) => Handler;
  readonly serve: (table: RouteTable) => Served;
}

/** Guards for routes in a different process from the authorization server. */
export const guardsBy =
  <Handler, Served>({ protect, serve }: RemoteFramework<Handler, Served>) =>
  (verifier: Verifier): Guard<Handler> & RemoteFacade<Served> => {
    if (!isRecord(verifier) || typeof verifier.guard !== 'function')
      throw mistake(
        'remoteGuard(verifier) takes introspectionVerifier({ … }) or jwtVerifier({ … }) of oauth-query/guard, and returns guards by scope.',
        'OQ107',
      );
    const { documents, onError } = verifier;
    return Object.defineProperties(guardOf(verifier, protect, onError), {
      check: { value: verifier.check },
      close: { value: () => verifier.close() },
      metadata: {
        get: () => {
          if (documents.length === 0)
            throw new TypeError('guard.metadata needs options.resource, the URL of the resource.');
          // Any issuer will do: there is no mount path to compare with it.
          return serve(new RouteTable(documents, new Mount(documents, { issuer: '' }), onError));
        },
      },
    }) as Guard<Handler> & RemoteFacade<Served>; // Exactly its properties.
  };

/** The error if a guard is called as if it returned what a request may do, so that a forgotten `await` would let everyone in. */
export const withoutHandler = (example: string): TypeError =>
  mistake(`A guard takes the function that answers a request whose token is valid. Write: ${example}.`, 'OQ105');

/** The error if an adapter is called by another framework, whose arguments mean something else. It would fail later without a reason, and a guard might let everyone in. */
export const wrongFramework = (entry: string): TypeError =>
  mistake(
    `This server or guard was created with oauth-query/${entry}, but another framework called it. Import oauthQuery and remoteGuard from the entry for your framework: oauth-query/express, koa, fastify, node or fetch.`,
    'OQ105',
  );
