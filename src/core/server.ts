import { randomBytes } from 'node:crypto';
import type { Authorization } from './authorization.js';
import { routesOf } from './boundary.js';
import { type Config, resolveOptions, secretsOf } from './config.js';
import { BearerError } from './errors.js';
import type { HttpRequest, HttpResponse, Route } from './http.js';
import { withDeadlines } from './host-deadline.js';
import { Limiter } from './limiter.js';
import { admit, bearerTokenOf, type GuardRequirement, ownAuthorization, requiredBearerToken } from './oauth/bearer.js';
import type { OAuthContext } from './oauth/context.js';
import { metadata } from './oauth/endpoints/metadata.js';
import type { EventListener } from './oauth/events.js';
import { endpointsOf, wellKnownPaths } from './oauth/index.js';
import { JwtAccessTokens } from './oauth/jwt/access-token.js';
import { generateKey, KeyRing } from './oauth/jwt/signing-keys.js';
import { BUILT_IN_PAGES } from './oauth/pages/index.js';
import { forgetConsent } from './oauth/remembered-consent.js';
import { parseScope } from './oauth/scope.js';
import { Sessions } from './oauth/sessions.js';
import { SignIn } from './oauth/sign-in.js';
import { Tokens } from './oauth/tokens.js';
import { isLoopbackHost } from './option-checks.js';
import { openApiRoute } from './openapi.js';
import type { ServerOptions } from './options.js';
import type { Clock } from './ports.js';
import { createQuery, queryTokenKey } from './query/index.js';
import { RateLimit } from './rate-limit.js';
import { Records } from './records.js';
import { errorResponse } from './responses.js';
import { Seal } from './seal.js';
import { deriveKey, RandomSource, sha256 } from './secrets.js';

/** Either what the token stands for, or the finished answer of a refusal. */
export type GuardResult =
  | {
      /** What the token says: the request may pass. */
      readonly authorization: Authorization;
    }
  | {
      /** The answer to send instead. */
      readonly response: HttpResponse;
    };

/** An authorization server, waiting for an adapter to put it behind a framework's router. */
export interface Server {
  /** Everything below the mount point. */
  readonly routes: readonly Route[];
  /** The metadata at the root of the host, where RFC 8414 §3 wants it for an issuer that has a path. */
  readonly wellKnown: readonly Route[];
  /** The issuer's path: what the mount point adds in front of every path. */
  readonly basePath: string;
  /** Asks whether a request may pass. Never rejects: what cannot be known is a refusal. */
  guard(request: HttpRequest, requirement: GuardRequirement): Promise<GuardResult>;
  /** Ends a grant with all its tokens; its id comes with the events. */
  revokeGrant(grantId: string): Promise<void>;
  /** Ends a remembered approval: the owner is asked again. What was issued lives on until its grant is revoked. */
  forgetConsent(sub: string, client_id: string): Promise<void>;
}

const TEN_MINUTES = 600;

/** An event listener of the host must not be able to break a request. */
const listener = ({ onEvent }: ServerOptions, onError: (error: unknown) => void): EventListener | undefined => {
  if (onEvent === undefined) return undefined;
  return (event) => {
    try {
      onEvent(event);
    } catch (error) {
      onError(error);
    }
  };
};

const warn = (options: ServerOptions, config: Config): void => {
  const missing = [
    ...(options.issuer === undefined ? ['issuer (taken from each request, on loopback only)'] : []),
    ...(options.clients === undefined ? ['clients (nobody can get a token)'] : []),
    ...(config.jwt !== undefined && config.jwt.keys === undefined
      ? ['accessTokens.keys (made at start: tokens end with the process)']
      : []),
    ...(options.secret === undefined
      ? ['secret (made at start: sign-ins end with the process and are not shared)']
      : []),
  ];
  if (missing.length > 0) options.onWarning?.(`Options that are missing: ${missing.join('; ')}.`);
  for (const grant of ['password', 'implicit']) {
    if (config.grants.has(grant))
      options.onWarning?.(
        `The ${grant} grant is switched on. It is discouraged (RFC 9700 §2); use it only for clients that know no other.`,
      );
  }
};

/** Without a configured issuer a request names it, and only on loopback: elsewhere anybody could name any host. */
const issuerOf = (config: Config): OAuthContext['issuer'] => {
  const { issuer } = config;
  if (issuer !== undefined) return () => issuer;
  return (request) => {
    const url = `http://${request.header('host') ?? ''}`;
    if (!URL.canParse(url) || !isLoopbackHost(new URL(url).hostname)) {
      throw new TypeError('options.issuer is missing. Without it only requests to a loopback address are answered.');
    }
    return new URL(url).origin;
  };
};

/** Without keys of the host a pair is made, which nobody else knows and which ends with the process. */
const keyRingOf = (
  { jwt, lifetimes }: Config,
  clock: Clock,
  onError: (error: unknown) => void,
): KeyRing | undefined => {
  if (jwt === undefined) return undefined;
  const { algorithm, keys = [{ key: generateKey(algorithm) }] } = jwt;
  return new KeyRing({ source: keys, algorithm, clock, tokenLifetime: lifetimes.accessToken * 1000, onError });
};

const createContext = (options: ServerOptions, config: Config): OAuthContext => {
  const { clock } = options;
  const bytes = options.random ?? randomBytes;
  const onError = options.onError ?? (() => undefined);
  const emit = listener(options, onError);
  const given = secretsOf(options.secret);
  const secrets = given.length === 0 ? [Buffer.from(bytes(32)).toString('base64url')] : given;
  const [secret = ''] = secrets;
  // Names what belongs to this server, where several share a store or a host.
  const instance = sha256(config.issuer ?? '').slice(0, 8);
  const records = new Records(options.store, clock, `${instance}:`);
  const random = new RandomSource(bytes);
  const limiterKey = deriveKey(secret, 'limiter');
  const limiter = (name: string, max: number, window: number): Limiter =>
    new Limiter(records, clock, limiterKey, { name, max, window }, emit);
  // Servers of different issuers may share a secret; what one of them gives to a browser means nothing to the others.
  const browserSecrets = secrets.map((text) => `${text} ${config.issuer ?? ''}`);
  const sessions = new Sessions({
    seal: new Seal(browserSecrets, 'session', clock, bytes),
    formKeys: browserSecrets.map((text) => deriveKey(text, 'form')),
    clock,
    random,
    lifetime: config.lifetimes.session,
    instance,
    secure: config.issuer?.startsWith('https:') ?? false,
  });
  const pages = { ...BUILT_IN_PAGES, ...options.pages };
  const keyRing = keyRingOf(config, clock, onError);
  const jwt = keyRing === undefined ? undefined : new JwtAccessTokens(keyRing, config.issuer ?? '', clock);
  return {
    config,
    records,
    random,
    clock,
    emit,
    onError,
    pages,
    tokens: new Tokens({ records, random, clock, clients: config.clients, lifetimes: config.lifetimes, jwt, emit }),
    keyRing,
    issuer: issuerOf(config),
    basePath: config.issuer === undefined ? '' : new URL(config.issuer).pathname.replace(/\/$/, ''),
    limiters: {
      client: limiter('client', config.limits.clientFailures, 60),
      login: limiter('login', config.limits.loginFailures, TEN_MINUTES),
      userCode: limiter('user code', config.limits.userCodeFailures, TEN_MINUTES),
      device: new RateLimit(clock, config.limits.deviceRequests, 60),
    },
    userCodeKey: deriveKey(secret, 'user code'),
    consentKey: deriveKey(secret, 'consent'),
    queryKey: queryTokenKey(secret),
    requestSeal: new Seal(browserSecrets, 'authorization request', clock, bytes),
    signIn: new SignIn(options, pages, sessions),
    allowLocalhostRedirects: options.allowLocalhostRedirects ?? false,
    validateGrant: options.validateGrant ?? (() => true),
  };
};

/** The bearer token of a query, as the query API wants it. Every way in which a token can be wrong is one to its clients. */
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

/** Where a page of the query API can send people to sign in. */
const signInPlaces = ({ grants, paths, issuer }: Config) =>
  grants.has('authorization_code')
    ? { authorize: paths.authorize[0], token: paths.token[0], revoke: paths.revoke[0], issuer }
    : undefined;

/** The only place where the two halves meet: the tokens of the one tell the other who is asking and what they may. */
const queryRoutes = (
  { query, rights, random = randomBytes }: ServerOptions,
  context: OAuthContext,
): readonly Route[] => {
  if (query === undefined) return [];
  const { config, clock, onError, queryKey } = context;
  const rightsOf = async (authorization: Authorization): Promise<readonly string[]> => {
    const scopes = parseScope(authorization.scope) ?? [];
    const ofScopes = scopes.flatMap((scope) => config.scopes.get(scope)?.rights ?? []);
    return [...new Set([...ofScopes, ...((await rights?.(authorization)) ?? [])])];
  };
  const { routes, description } = createQuery(query, {
    identify: (request) => identify(request, context),
    rights: rightsOf,
    clock,
    random,
    secret: queryKey,
    onError,
    base: config.issuer ?? '',
    paths: config.paths.api,
    signIn: signInPlaces(config),
    maxBodyBytes: config.limits.queryBodyBytes,
  });
  // Loaded when somebody asks: what describes the server is no part of what most processes need.
  const describe = async () => (await import('./server-description.js')).describeServer(config, description);
  return [...routes, openApiRoute(`${description.path}/openapi.json`, describe, onError)];
};

/**
 * Makes an authorization server of checked options.
 *
 * @throws TypeError with a sentence that names the option and the remedy.
 */
export const createServer = (given: ServerOptions): Server => {
  const options = withDeadlines(given);
  const config = resolveOptions(options);
  const context = createContext(options, config);
  warn(options, config);
  const wellKnown = { paths: wellKnownPaths(config), methods: { GET: metadata }, pages: [], cors: true };
  return {
    routes: [
      ...endpointsOf(config).flatMap((endpoint) => routesOf(endpoint, context)),
      ...queryRoutes(options, context),
    ],
    wellKnown: routesOf(wellKnown, context),
    basePath: context.basePath,
    guard: async (request, requirement) => {
      try {
        const iss = context.issuer(request);
        const { scopes, audience = [iss] } = requirement;
        const live = await context.tokens.find(requiredBearerToken(request));
        return { authorization: admit(ownAuthorization(live, iss), { scopes, audience }) };
      } catch (error) {
        return { response: errorResponse(error, context.onError) };
      }
    },
    revokeGrant: (grantId) => context.tokens.revokeGrant(grantId, 'host'),
    forgetConsent: (sub, client_id) => forgetConsent(sub, client_id, context),
  };
};
