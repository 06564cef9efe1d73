import { inTime } from '../base/deadline.js';
import type { FeatureHost } from '../base/feature.js';
import { undeclaredScope } from '../base/guard-requirement.js';
import type { CheckResult, GuardRequirement, GuardResult } from '../base/http/bearer.js';
import type { HttpRequest, Route } from '../base/http/messages.js';
import { guarded } from '../base/listeners.js';
import { type OnWarning, fromCaller } from '../base/mistakes.js';
import type { GivenProof } from '../base/possession.js';
import { printable } from '../base/printable.js';
import { fail } from '../base/schema.js';
import { INTROSPECT } from '../base/scope.js';
import { RandomSource } from '../base/secrets.js';
import { endpointsOf, resourceRoutes, wellKnownEndpoints } from '../oauth/index.js';
import { boundTokenHooks } from '../oauth/kernel/bound-tokens.js';
import type { OAuthConfig } from '../oauth/kernel/config.js';
import type { OAuthContext } from '../oauth/kernel/context.js';
import type { Endpoint } from '../oauth/kernel/endpoint.js';
import { joinHooks } from '../oauth/kernel/hooks.js';
import type { OAuthParts } from '../oauth/kernel/oauth-feature.js';
import { type Issue, issueIn } from '../oauth/owners/issue.js';
import { type OwnerGrants, ownerGrants } from '../oauth/owners/owner-grants.js';
import { type Owners, ownersOf } from '../oauth/owners/owners.js';
import type { Owner } from '../oauth/records/owner.js';
import { endpointRoutes, requestDeadline } from './boundary.js';
import { createContext } from './create-context.js';
import { featureHost } from './feature-host.js';
import { admission, checkToken, resourceRequirement } from './guard.js';
import { Observer } from './observer.js';
import { withDeadlines } from './options/host-functions.js';
import { checkOptions, configOf, featuresOf } from './options/resolve.js';
import type { ServerOptions } from './options/server-options.js';
import type { CheckedOptions } from './options/server-table.js';
import { warnAtStart } from './start-warnings.js';

/** An authorization server without a framework: an adapter connects its routes to a router. */
export interface Server {
  /** All routes below the mount point. */
  readonly routes: readonly Route[];
  /** The metadata at the root of the host, where RFC 8414 §3 requires it for an issuer with a path. */
  readonly wellKnown: readonly Route[];
  /** The issuer's path: the mount point, in front of every path. */
  readonly basePath: string;
  /** Reports a mistake to `options.onWarning`. */
  readonly warn: OnWarning;
  /** Warns if a guard requires a scope that no token of this server can have. */
  checkScopes(scopes: readonly string[]): void;
  /**
   * What the guards of a resource require, by its URL or its path in `options.resources`.
   *
   * @throws TypeError if it is not described there.
   */
  resourceRequirement(resource: string): Pick<GuardRequirement, 'audience' | 'metadata'>;
  /** Checks whether a request may pass. Never rejects: if the token cannot be checked, the request is refused. */
  guard(request: HttpRequest, requirement: GuardRequirement): Promise<GuardResult>;
  /**
   * The decision of a guard about a token, without a request.
   *
   * @throws TypeError without an issuer.
   */
  check(token: unknown, requirement: GuardRequirement, proof?: GivenProof): Promise<CheckResult>;
  /** Whether tokens may be bound to keys. */
  readonly bindsTokens: boolean;
  /** Whether tokens say when and how their owner signed in. */
  readonly keepsSignIn: boolean;
  /** The owner who is signed in with the built-in sign-in, by the `Cookie` header of a request. */
  owner(cookies: string | undefined): Promise<Owner | undefined>;
  /** Lists and revokes what owners have allowed. */
  readonly grants: OwnerGrants;
  /** Signs out, exports and erases owners. */
  readonly owners: Owners;
  /** Issues tokens without a request of a client. */
  readonly issue: Issue;
}

/** The application's listeners must not be able to break a request or the process. */
const withGuardedListeners = (options: CheckedOptions): CheckedOptions => {
  const { onEvent, onWarning } = options;
  const onError = options.onError && guarded(options.onError);
  return {
    ...options,
    ...(onError !== undefined && { onError }),
    ...(onEvent !== undefined && { onEvent: guarded(onEvent, onError) }),
    ...(onWarning !== undefined && {
      onWarning: guarded<Parameters<OnWarning>>(
        (sentence, code) => onWarning(`${printable(sentence)} (${code})`, code),
        onError,
      ),
    }),
  };
};

/** @throws TypeError if two routes have one path. */
const checkRoutes = (routes: readonly Route[]): void => {
  const paths = new Set<string>();
  for (const { path } of routes) {
    if (paths.has(path))
      fail(`Two endpoints have the path ${path}. Change one of them in options.paths or options.query.`);
    paths.add(path);
  }
};

/** The name of a route in traces: the key of its path in the options, whichever alias is used, or the path of a feature. */
const routeNames = ({ paths }: OAuthConfig): ((route: Route) => string) => {
  const names = new Map(Object.entries(paths).flatMap(([name, all]) => all.map((path) => [path, name] as const)));
  const isMetadata = (path: string): boolean => path.startsWith('/.well-known/');
  return ({ path }) => names.get(path) ?? (isMetadata(path) ? 'metadata' : path);
};

/** Starts the features of the authorization server. */
const withFeatures = (
  options: CheckedOptions,
  secrets: readonly [string, ...string[]],
  bare: OAuthContext,
  observer: Observer,
): { readonly context: OAuthContext; readonly parts: readonly OAuthParts[]; readonly host: FeatureHost } => {
  const host = featureHost(options, secrets, bare, observer);
  const parts = featuresOf(options).map((feature) => feature.start(bare, host));
  const { proofs } = bare;
  const hooks = joinHooks([
    ...(proofs === undefined ? [] : [boundTokenHooks(proofs)]),
    ...parts.map((part) => part.hooks),
  ]);
  const taken = Object.keys(hooks.metadata?.('') ?? {}).find((name) => Object.hasOwn(options.metadata, name));
  if (taken !== undefined) fail(`options.metadata.${taken} is set by the server. Leave it out.`);
  const authorizeParameters = { ...hooks.parameters, ...bare.authorizeParameters };
  return { context: { ...bare, hooks, authorizeParameters }, parts, host };
};

/**
 * Creates an authorization server from validated options.
 *
 * @throws TypeError with a sentence that names the option and the remedy.
 */
export const createServer = (options: ServerOptions): Server => fromCaller(createServer, () => serverOf(options));

const serverOf = (given: ServerOptions): Server => {
  const options = withDeadlines(withGuardedListeners(checkOptions(given)));
  const config = configOf(options);
  const { clock, random } = options.runtime;
  const observer = new Observer({ onEvent: options.onEvent, clock, random: new RandomSource(random) });
  const [secret = Buffer.from(random(32)).toString('base64url'), ...older] = options.secret ?? [];
  const secrets = [secret, ...older] as const;
  const { context, parts, host } = withFeatures(
    options,
    secrets,
    createContext(options, config, secrets, observer),
    observer,
  );
  const contextOf = observer.contexts(context);
  const nameOf = routeNames(config);
  warnAtStart(options, config);
  const declared = new Set([...config.scopes.keys(), INTROSPECT]);
  const routesOf = (endpoints: readonly Endpoint[]): readonly Route[] =>
    endpoints.flatMap((endpoint) => endpointRoutes(endpoint, config, contextOf));
  const { query } = options;
  const routes = [
    ...routesOf(endpointsOf(config, context.hooks)),
    ...routesOf(parts.flatMap(({ endpoints }) => endpoints)),
    ...resourceRoutes(config, context),
    ...(query?.start(host) ?? []),
  ];
  checkRoutes(routes);
  return {
    routes: routes.map((route) => observer.traced(nameOf(route), route)),
    wellKnown: [...routesOf(wellKnownEndpoints(config, context.hooks)), ...resourceRoutes(config, context)].map(
      (route) => observer.traced('metadata', route),
    ),
    basePath: context.basePath,
    warn: (sentence, code) => options.onWarning?.(sentence, code),
    checkScopes: (scopes) => {
      const sentence = undeclaredScope(scopes, declared);
      if (sentence !== undefined) options.onWarning?.(sentence, 'OQ208');
    },
    resourceRequirement: (name) => resourceRequirement(name, config, options.onWarning),
    guard: (request, requirement) =>
      observer.trace(
        'guard',
        request,
        () => admission(request, requirement, context),
        (result) => ('response' in result ? result.response.status : 200),
      ),
    check: (token, requirement, proof) => checkToken(token, requirement, proof, context),
    bindsTokens: context.proofs !== undefined,
    keepsSignIn: config.keepsSignIn,
    owner: async (cookies) => inTime(context.signIn.builtInOwner(cookies, context), requestDeadline(context)),
    grants: ownerGrants(context),
    owners: ownersOf(context),
    issue: issueIn(context),
  };
};
