import { type Bound, inTime } from '../base/deadline.js';
import { defined } from '../base/defined.js';
import { undeclaredScope } from '../base/guard-requirement.js';
import type { CheckResult, GuardRequirement, GuardResult } from '../base/http/bearer.js';
import type { HttpRequest, HttpResponse, Route } from '../base/http/messages.js';
import { guarded } from '../base/listeners.js';
import { type OnWarning, fromCaller } from '../base/mistakes.js';
import type { GivenProof } from '../base/possession.js';
import { printable } from '../base/printable.js';
import { fail } from '../base/schema.js';
import { INTROSPECT } from '../base/scope.js';
import { RandomSource } from '../base/secrets.js';
import type { ClaimsPart } from '../feature/claims.js';
import type { FeatureHost } from '../feature/host.js';
import type { Answer, FeatureRoute } from '../feature/parts.js';
import { OWNER_GRANTS } from '../oauth/clients/client.js';
import { boundTokenParts } from '../oauth/kernel/bound-tokens.js';
import type { OAuthConfig } from '../oauth/kernel/config.js';
import { type AccountPage, joinHooks } from '../oauth/kernel/hooks.js';
import type { RequestScope } from '../oauth/kernel/request-scope.js';
import type { ServerEndpoint } from '../oauth/kernel/server-endpoint.js';
import { type Issue, issueIn } from '../oauth/owners/issue.js';
import { type OwnerGrants, ownerGrants } from '../oauth/owners/owner-grants.js';
import { type Owners, ownersOf } from '../oauth/owners/owners.js';
import type { Owner } from '../oauth/records/owner.js';
import { type ClaimsSource, TokenAdditions } from '../oauth/tokens/token-additions.js';
import { endpointRoutes } from './boundary.js';
import { type Added, createServices, type Services } from './create-services.js';
import { endpointsOf, resourceRoutes, wellKnownEndpoints } from './endpoints.js';
import { featureHost, recordsOf } from './feature-host.js';
import { claimNames, type Started, startFeatures } from './features.js';
import { admission, checkToken, resourceRequirement } from './guard.js';
import { Observer } from './observer.js';
import { boundGrant, hostDeadline, withDeadlines } from './options/host-functions.js';
import { checkOptions, configOf } from './options/resolve.js';
import type { ServerOptions } from './options/server-options.js';
import type { CheckedOptions } from './options/server-table.js';
import { ownerRoute } from './owner-route.js';
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
  /** Closes the features, once, those that others need last. Never rejects: `onError` receives what fails. */
  close(): Promise<void>;
}

/** The application's listeners must not be able to break a request or the process. */
const withGuardedListeners = (options: CheckedOptions): CheckedOptions => {
  const { onEvent, onWarning } = options;
  const onError = options.onError && guarded(options.onError);
  return {
    ...options,
    ...(onError !== undefined && { onError }),
    ...(onEvent !== undefined && {
      onEvent: guarded(onEvent, (cause) => {
        const reason = cause instanceof Error ? cause.message : String(cause);
        onError?.(new Error(`options.onEvent failed: ${reason}`, { cause }));
      }),
    }),
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
      fail(`Two endpoints have the path ${path}. Change one of them in options.paths, or the path of a feature.`);
    paths.add(path);
  }
};

/** The name of a route in traces: the key of its path in the options, whichever alias is used, or the path of a feature. */
const routeNames = ({ paths }: OAuthConfig): ((route: Route) => string) => {
  const names = new Map(Object.entries(paths).flatMap(([name, all]) => all.map((path) => [path, name] as const)));
  const isMetadata = (path: string): boolean => path.startsWith('/.well-known/');
  return ({ path }) => names.get(path) ?? (isMetadata(path) ? 'metadata' : path);
};

/** Starts the features, and fills what the services have of them: what they add to requests, to tokens and to grants. */
const withFeatures = (
  options: CheckedOptions,
  host: Omit<FeatureHost, 'use' | 'records' | 'ownerRoute'>,
  services: Services,
  { hooks, additions }: Added,
): readonly Started[] => {
  const bound = hostDeadline(options);
  const started = startFeatures(options.features, ({ name }, use) => ({
    ...host,
    records: recordsOf(name, services),
    use,
    ownerRoute: (route) => ownerRoute(name, route, services),
  }));
  const { proofs, config } = services;
  const own = proofs === undefined ? [] : [boundTokenParts(proofs)];
  const ownerData = started.flatMap(({ definition: { name }, parts: { owners } }) =>
    owners === undefined ? [] : [{ feature: name, ...owners }],
  );
  Object.assign(hooks, joinHooks([...own, ...started.map(({ parts }) => parts)]), {
    ownerData,
    accountPages: accountPagesOf(started, services),
  });
  const taken = Object.keys(hooks.metadata?.('') ?? {}).find((name) => Object.hasOwn(options.metadata, name));
  if (taken !== undefined) fail(`options.metadata.${taken} is set by the server. Leave it out.`);
  additions.use(
    claimsSources(options, bound),
    started.flatMap(({ parts }) => parts.tokens?.fields ?? []),
  );
  for (const { parts } of started)
    for (const [name, grant] of Object.entries(parts.grants ?? {}))
      if ('decide' in grant) config.featureGrants.set(name, grant);
      else config.customGrants.set(name, boundGrant(name, grant, bound));
  for (const {
    definition: { clientPrefix },
    parts,
  } of started)
    if (clientPrefix !== undefined && parts.clients?.find) config.ownClients.set(clientPrefix, parts.clients.find);
  return started;
};

/** The pages of an owner's account. */
const accountPagesOf = (started: readonly Started[], services: Services): readonly AccountPage[] => {
  const { frame, pagePaths, basePath, grants } = services;
  const apps: AccountPage = {
    path: pagePaths.grants,
    text: (request) => frame.for(request).language.text('connectedApps'),
  };
  const ofFeatures = started
    .flatMap(({ parts }) => parts.routes ?? [])
    .flatMap((route): readonly AccountPage[] =>
      isWhole(route) || route.link === undefined
        ? []
        : [{ path: basePath + (pathsOf(route)[0] ?? ''), text: route.link }],
    );
  return [...(OWNER_GRANTS.some((name) => grants.has(name)) ? [apps] : []), ...ofFeatures];
};

/** Where the claims of tokens come from: the application, and its features. */
const claimsSources = ({ claims, features }: CheckedOptions, bound: Bound): readonly ClaimsSource[] => {
  const sourceOf = (from: string, part: ClaimsPart | undefined): readonly ClaimsSource[] =>
    part === undefined ? [] : [{ from, names: new Set(claimNames(part, from)), of: bound(`${from}.of`, part.of) }];
  const all = [
    ...sourceOf('options.claims', claims),
    ...features.flatMap(({ name, claims: own }) => sourceOf(`feature ${name}: claims`, own)),
  ];
  const names = new Map<string, string>();
  for (const source of all) {
    for (const name of source.names) {
      const other = names.get(name);
      if (other !== undefined)
        fail(`${source.from} has ${JSON.stringify(name)}, and so has ${other}. Leave one of them out.`);
      names.set(name, source.from);
    }
  }
  return all;
};

const pathsOf = ({ path }: FeatureRoute): readonly string[] => (typeof path === 'string' ? [path] : path);

/** A path of a feature as an endpoint. */
const endpointOf = (route: FeatureRoute): ServerEndpoint => {
  const { GET, POST, isPage = false, isStep = false, cors = false } = route;
  const paths = pathsOf(route);
  const answers = defined({ GET: answered(GET), POST: answered(POST) });
  if (!isPage) return { paths, programs: answers, cors };
  return { paths, pages: answers, ...(paths[0] !== undefined && !isStep && { start: paths[0] }), cors };
};

const answered = (answer: Answer | undefined): ((call: RequestScope) => Promise<HttpResponse>) | undefined =>
  answer && (async ({ request, emit }) => answer({ request, emit }));

/** Closes features in the reverse order of their start. What one of them throws stops no other. */
const closing = (started: readonly Started[], onError: (error: unknown) => void): (() => Promise<void>) => {
  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    for (const { parts } of started.toReversed()) {
      try {
        await parts.close?.();
      } catch (error) {
        onError(error);
      }
    }
  };
  return () => (closed ??= close());
};

const statusOf = (result: GuardResult): number => ('response' in result ? result.response.status : 200);

const isWhole = (route: FeatureRoute | Route): route is Route => 'handle' in route;

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
  const added = { hooks: {}, additions: new TokenAdditions() };
  const services = createServices(options, config, secrets, observer, added);
  const host = featureHost(options, secrets, services, observer);
  const started = withFeatures(options, host, services, added);
  const nameOf = routeNames(config);
  warnAtStart(options, config);
  const declared = new Set([...config.scopes.keys(), INTROSPECT]);
  const scopeOf = (request: HttpRequest): RequestScope => observer.scopeOf(request);
  const routesOf = (endpoints: readonly ServerEndpoint[]): readonly Route[] =>
    endpoints.flatMap((endpoint) => endpointRoutes(endpoint, scopeOf, services));
  const featureRoutes = started.flatMap(({ parts }) => parts.routes ?? []);
  const routes = [
    ...routesOf(endpointsOf(services)),
    ...resourceRoutes(services),
    ...routesOf(featureRoutes.filter((route) => !isWhole(route)).map(endpointOf)),
    ...featureRoutes.filter(isWhole),
  ];
  checkRoutes(routes);
  return {
    routes: routes.map((route) => observer.traced(nameOf(route), route)),
    wellKnown: [...routesOf(wellKnownEndpoints(services)), ...resourceRoutes(services)].map((route) =>
      observer.traced('metadata', route),
    ),
    basePath: services.basePath,
    warn: (sentence, code) => options.onWarning?.(sentence, code),
    checkScopes: (scopes) => {
      const sentence = undeclaredScope(scopes, declared);
      if (sentence !== undefined) options.onWarning?.(sentence, 'OQ208');
    },
    resourceRequirement: (name) => resourceRequirement(name, config, options.onWarning),
    guard: (request, requirement) => {
      services.warnings.guardedPreflight(request);
      return observer.trace('guard', request, () => admission(request, requirement, services), statusOf);
    },
    check: (token, requirement, proof) => checkToken(token, requirement, proof, services),
    bindsTokens: services.proofs !== undefined,
    keepsSignIn: config.keepsSignIn,
    owner: async (cookies) => inTime(services.signIn.builtInOwner(cookies), services.deadline),
    grants: ownerGrants(services),
    owners: ownersOf(services),
    issue: issueIn(services),
    close: closing(started, services.onError),
  };
};
