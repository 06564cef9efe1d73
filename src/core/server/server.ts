import type { Authorization } from '../base/authorization.js';
import { endpointRoutes, requestDeadline } from './boundary.js';
import { Budget } from '../base/budget.js';
import { concludedInTime, inTime } from '../base/deadline.js';
import { BearerError } from '../base/errors.js';
import { undeclaredScope } from '../base/guard-requirement.js';
import type { HttpRequest, Route } from '../base/http.js';
import { guarded } from '../base/listeners.js';
import { limitersOf } from './limiters.js';
import { Observer } from './observer.js';
import { isLoopbackHost } from '../base/loopback.js';
import { admit, bearerTokenOf, type GuardRequirement, type GuardResult, requiredBearerToken } from '../base/bearer.js';
import { ownAuthorization } from '../oauth/tokens/token-authorization.js';
import type { OAuthContext } from '../oauth/context.js';
import type { Emit } from '../oauth/events.js';
import type { TokenClaims } from '../oauth/stored-records.js';
import { DeploymentWarnings } from '../oauth/deployment-warnings.js';
import { type Endpoint, endpointsOf, resourceRoutes, wellKnownEndpoints } from '../oauth/index.js';
import { JwtAccessTokens } from '../oauth/jwt/access-token.js';
import { generateKey, KeyRing } from '../oauth/jwt/signing-keys.js';
import { createPages } from '../oauth/pages/render.js';
import { RefreshTokens } from '../oauth/tokens/refresh-tokens.js';
import { parseScope } from '../base/scope.js';
import { Sessions } from '../oauth/sign-in/sessions.js';
import type { OAuthConfig } from '../oauth/settings.js';
import { type Issue, issueIn } from '../oauth/issue.js';
import { type OwnerGrants, ownerGrants } from '../oauth/owners/owner-grants.js';
import { type Owners, ownersOf } from '../oauth/owners/owners.js';
import type { Owner } from '../oauth/sign-in/owner.js';
import { SignIn } from '../oauth/sign-in/sign-in.js';
import { Peppers } from '../oauth/tokens/successor.js';
import { Tokens } from '../oauth/tokens/tokens.js';
import { openApiRoute } from '../base/openapi.js';
import { withDeadlines } from './options/host-functions.js';
import { checkOptions, configOf } from './options/resolve.js';
import { mcpResource } from './options/resources.js';
import type { ServerOptions } from './options/server-options.js';
import type { CheckedOptions } from './options/server-table.js';
import type { Clock } from '../base/ports.js';
import type { McpEnvironment } from '../query/options.js';
import { prepareQuery } from '../query/prepare-query.js';
import { queryTokenKey } from '../query/token-key.js';
import { Records } from '../base/records.js';
import { resourceMetadataAddress } from '../base/resource.js';
import { errorResponse } from '../base/responses.js';
import { ownSecrets, Seal } from '../base/seal.js';
import { deriveKey, RandomSource, sha256 } from '../base/secrets.js';
import { nearestName } from '../base/spelling.js';
import { processName } from '../base/system.js';
import { parseUrl } from '../base/url.js';
import { warnAtStart } from './start-warnings.js';

/** An authorization server without a framework: an adapter connects its routes to a router. */
export interface Server {
  /** All routes below the mount point. */
  readonly routes: readonly Route[];
  /** The metadata at the root of the host, where RFC 8414 §3 requires it for an issuer with a path. */
  readonly wellKnown: readonly Route[];
  /** The issuer's path: the mount point, in front of every path. */
  readonly basePath: string;
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
    ...(onWarning !== undefined && { onWarning: guarded(onWarning, onError) }),
  };
};

/** Without a configured issuer, the request determines it, on loopback only: elsewhere any caller could name any host. */
const issuerOf = (config: OAuthConfig): OAuthContext['issuer'] => {
  const { issuer } = config;
  if (issuer !== undefined) return () => issuer;
  return (request) => {
    const url = parseUrl(`http://${request.header('host') ?? ''}`);
    if (url === undefined || !isLoopbackHost(url.hostname)) {
      throw new TypeError('options.issuer is missing. Without it, only requests to a loopback address are answered.');
    }
    return url.origin;
  };
};

/** The host shown to users, if the issuer is known. */
const hostIn =
  (issuer: OAuthContext['issuer']) =>
  (request: HttpRequest): string | undefined => {
    try {
      return new URL(issuer(request)).host;
    } catch {
      return undefined;
    }
  };

/** If no keys are configured, a pair is generated, which is private to this process and ends with it. */
const keyRingOf = (
  { jwt, lifetimes }: OAuthConfig,
  clock: Clock,
  onError: (error: unknown) => void,
): KeyRing | undefined => {
  if (jwt === undefined) return undefined;
  const { algorithm, keys = [{ key: generateKey(algorithm) }] } = jwt;
  return new KeyRing({ source: keys, algorithm, clock, tokenLifetimeMs: lifetimes.accessToken * 1000, onError });
};

const createContext = (options: CheckedOptions, config: OAuthConfig, observer: Observer): OAuthContext => {
  const { clock, random: bytes, timer } = options.runtime;
  const onError = options.onError ?? (() => undefined);
  const emit: Emit = (occurrence) => observer.tell(occurrence);
  const secrets = options.secret ?? [Buffer.from(bytes(32)).toString('base64url')];
  const [secret = '', ...older] = secrets;
  const records = new Records(options.store, clock, config.issuer);
  const random = new RandomSource(bytes);
  const browserSecrets = ownSecrets(secrets, config.issuer);
  const sessions = new Sessions({
    seal: new Seal(browserSecrets, 'session', clock, bytes),
    formKeys: browserSecrets.map((text) => deriveKey(text, 'form')),
    clock,
    random,
    lifetime: config.lifetimes.session,
    // Cookie names are short.
    instance: sha256(config.issuer ?? '').slice(0, 8),
    secure: config.issuer?.startsWith('https:') ?? false,
  });
  const issuer = issuerOf(config);
  const pages = createPages({ ...options, languages: config.languages, hostOf: hostIn(issuer) });
  const keyRing = keyRingOf(config, clock, onError);
  const jwt = keyRing === undefined ? undefined : new JwtAccessTokens(keyRing, config.issuer ?? '', clock);
  const shared = { records, random, clients: config.clients, lifetimes: config.lifetimes };
  const tokens = new Tokens({ ...shared, clock, impliedScopes: config.impliedScopes, jwt }, emit);
  const own = { clock, process: processName() };
  return {
    config,
    records,
    random,
    clock,
    timer,
    emit,
    onError,
    pages,
    process: own.process,
    tokens,
    refreshTokens: new RefreshTokens(
      { ...shared, own, peppers: new Peppers(options.secret ?? []), onError },
      tokens,
      emit,
    ),
    keyRing,
    issuer,
    basePath: config.issuer === undefined ? '' : new URL(config.issuer).pathname.replace(/\/$/, ''),
    limiters: limitersOf(config.limits, { records, clock, key: deriveKey(secret, 'limiter') }, (event, request) =>
      observer.tell(event, request),
    ),
    deviceBudget: new Budget(clock, config.limits.unprovenRecords / 2),
    userCodeKeys: [deriveKey(secret, 'user code'), ...older.map((text) => deriveKey(text, 'user code'))],
    consentKey: deriveKey(secret, 'consent'),
    queryKey: queryTokenKey(secret),
    requestSeal: new Seal(browserSecrets, 'authorization request', clock, bytes),
    warnings: new DeploymentWarnings(options.onWarning),
    signIn: new SignIn(options, sessions),
    allowLocalhostRedirects: options.policy.allowLocalhostRedirects,
    validateGrant: options.policy.validateGrant ?? (() => true),
  };
};

/** The bearer token of a query, in the query API's terms: its clients have a single error for invalid tokens. */
const identify = async (request: HttpRequest, context: OAuthContext): Promise<Authorization | undefined> => {
  try {
    const token = bearerTokenOf(request);
    if (token === undefined) return undefined;
    const iss = context.issuer(request);
    return admit(ownAuthorization(await context.tokens.find(token), iss), { scopes: [], audience: [iss] });
  } catch (error) {
    throw error instanceof BearerError ? new BearerError('invalid_token', error.message) : error;
  }
};

/** Where a page of the query API can send users to sign in. */
const signInPlaces = ({ grants, paths, issuer }: OAuthConfig) =>
  grants.has('authorization_code')
    ? { authorize: paths.authorize[0], token: paths.token[0], revoke: paths.revoke[0], issuer }
    : undefined;

/** The MCP server only accepts tokens for its own resource. */
const mcpEnvironment = (options: CheckedOptions, context: OAuthContext): McpEnvironment | undefined => {
  const { query, paths, issuer = '', runtime } = options;
  if (query?.mcp === undefined) return undefined;
  const { secret = [Buffer.from(runtime.random(32)).toString('base64url')] } = options;
  const resource = context.config.resources.find(mcpResource(options)) ?? mcpResource(options);
  const requirement = {
    scopes: query.mcp.scopes ?? [],
    audience: [resource],
    metadata: resourceMetadataAddress(resource),
  };
  return {
    paths: paths.mcp,
    issuer,
    resource,
    cursorSeal: new Seal(ownSecrets(secret, issuer), 'mcp cursor', context.clock, runtime.random),
    guard: (request) => admission(request, requirement, context),
  };
};

/** The only place where the two halves meet: the query API gets its callers and their rights from the tokens. */
const queryRoutes = (options: CheckedOptions, context: OAuthContext): readonly Route[] => {
  const { query, runtime } = options;
  if (query === undefined) return [];
  const { config, clock, onError, queryKey } = context;
  const { routes, path, describe } = prepareQuery(query, {
    identify: (request) => identify(request, context),
    scopeRights: ({ scope }) => (parseScope(scope) ?? []).flatMap((name) => config.scopes.get(name)?.rights ?? []),
    clock,
    random: runtime.random,
    timer: runtime.timer,
    secret: queryKey,
    onError,
    base: config.issuer ?? '',
    paths: config.paths.api,
    signIn: signInPlaces(config),
    maxBodyBytes: config.limits.queryBodyBytes,
    timeout: config.timeouts.handlers,
    mcp: mcpEnvironment(options, context),
  });
  // Loaded on demand: most processes never generate the document.
  const document = async () => (await import('./server-description.js')).describeServer(config, await describe());
  return [...routes, openApiRoute(`${path}/openapi.json`, document, onError)];
};

/** Whether a request may pass a guard of this server. */
const admission = (
  request: HttpRequest,
  requirement: GuardRequirement,
  context: OAuthContext,
): Promise<GuardResult> => {
  const refused = (error: unknown): GuardResult => ({ response: errorResponse(error, context.onError, requirement) });
  try {
    const iss = context.issuer(request);
    const { scopes, audience = [iss] } = requirement;
    const work = context.tokens.find(requiredBearerToken(request));
    const admitted = (live: TokenClaims | undefined): GuardResult => ({
      authorization: admit(ownAuthorization(live, iss), { scopes, audience }),
    });
    return concludedInTime(work, requestDeadline(context), admitted, refused);
  } catch (error) {
    return Promise.resolve(refused(error));
  }
};

/** What the guards of a resource require. */
const resourceRequirement = (
  name: string,
  { resources, issuer = '' }: OAuthConfig,
  onWarning: CheckedOptions['onWarning'],
): Pick<GuardRequirement, 'audience' | 'metadata'> => {
  const described = resources.describe(name);
  if (described !== undefined) {
    const metadata = resourceMetadataAddress(described.resource);
    if (new URL(metadata).origin !== new URL(issuer).origin)
      onWarning?.(
        `guard(scope, { resource: ${JSON.stringify(name)} }) sends clients to ${metadata}, which is not on the host of options.issuer, so this server does not serve it.`,
      );
    return { audience: [described.resource], metadata };
  }
  const names = resources.described.map(({ resource }) => resource);
  const near = nearestName(name, [...names, ...names.map((address) => new URL(address).pathname)]);
  const advice =
    near === undefined ? `Add it there: { ${JSON.stringify(name)}: {} }.` : `Did you mean ${JSON.stringify(near)}?`;
  throw new TypeError(
    `guard(scope, { resource }): options.resources does not describe ${JSON.stringify(name)}. ${advice}`,
  );
};

/** The name of a route in traces: the key of its path in the options, whichever alias is used. */
const routeNames = ({ paths }: OAuthConfig): ((route: Route) => string) => {
  const names = new Map(Object.entries(paths).flatMap(([name, all]) => all.map((path) => [path, name] as const)));
  const isMetadata = (path: string): boolean => path.startsWith('/.well-known/');
  return ({ path }) => names.get(path) ?? (isMetadata(path) ? 'metadata' : 'api');
};

/**
 * Creates an authorization server from validated options.
 *
 * @throws TypeError with a sentence that names the option and the remedy.
 */
export const createServer = (given: ServerOptions): Server => {
  const options = withDeadlines(withGuardedListeners(checkOptions(given)));
  const config = configOf(options);
  const { clock, random } = options.runtime;
  const observer = new Observer({ onEvent: options.onEvent, clock, random: new RandomSource(random) });
  const context = createContext(options, config, observer);
  const contextOf = observer.contexts(context);
  const nameOf = routeNames(config);
  warnAtStart(options, config);
  const declared = new Set([...config.scopes.keys(), config.introspectionScope]);
  const routesOf = (endpoints: readonly Endpoint[]): readonly Route[] =>
    endpoints.flatMap((endpoint) => endpointRoutes(endpoint, config, contextOf));
  return {
    routes: [...routesOf(endpointsOf(config)), ...resourceRoutes(config), ...queryRoutes(options, context)].map(
      (route) => observer.traced(nameOf(route), route),
    ),
    wellKnown: [...routesOf(wellKnownEndpoints(config)), ...resourceRoutes(config)].map((route) =>
      observer.traced('metadata', route),
    ),
    basePath: context.basePath,
    checkScopes: (scopes) => {
      const sentence = undeclaredScope(scopes, declared);
      if (sentence !== undefined) options.onWarning?.(sentence);
    },
    resourceRequirement: (name) => resourceRequirement(name, config, options.onWarning),
    guard: (request, requirement) =>
      observer.trace(
        'guard',
        request,
        () => admission(request, requirement, context),
        (result) => ('response' in result ? result.response.status : 200),
      ),
    owner: async (cookies) => inTime(context.signIn.builtInOwner(cookies, context), requestDeadline(context)),
    grants: ownerGrants(context),
    owners: ownersOf(context),
    issue: issueIn(context),
  };
};
