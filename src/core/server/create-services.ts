import type { KeyServices, PublishedKeys } from '../../outbound/published-keys.js';
import { isLoopbackHost } from '../base/addresses/loopback.js';
import { parseUrl } from '../base/addresses/url.js';
import type { Authorization } from '../base/authorization.js';
import type { HttpRequest } from '../base/http/messages.js';
import type { ProofChecker } from '../base/key-proofs.js';
import { Frame } from '../base/pages/frame.js';
import type { Clock } from '../base/ports.js';
import { Records } from '../base/records.js';
import type { EnforcedRules } from '../base/rules.js';
import { fail } from '../base/schema.js';
import { ownKeys, ownSecrets, Seal } from '../base/seal.js';
import { deriveKey, RandomSource, sha256 } from '../base/secrets.js';
import { Standstills } from '../base/standstill.js';
import type { ReadPublishedKeys } from '../feature/keys.js';
import type { Verification } from '../feature/verify.js';
import { AuthorizationRequests } from '../oauth/code/authorization-request.js';
import { ConsentDecisions } from '../oauth/code/consent-decision.js';
import { RememberedConsents } from '../oauth/code/remembered-consent.js';
import type { Emit } from '../oauth/events/events.js';
import { DeploymentWarnings } from '../oauth/facts/deployment-warnings.js';
import { formReader } from '../oauth/facts/parameters.js';
import {
  type AuthenticateClient,
  ClientAuthentication,
  type ClientAuthenticationServices,
} from '../oauth/kernel/client-authentication.js';
import type { OAuthConfig } from '../oauth/kernel/config.js';
import type { OAuthHooks } from '../oauth/kernel/hooks.js';
import { replayEnding, type ReplayServices } from '../oauth/kernel/replay.js';
import { RequestedAccess, type RequestedAccessServices } from '../oauth/kernel/requested-access.js';
import { JwtAccessTokens } from '../oauth/keys/access-token.js';
import { generateKey, KeyRing } from '../oauth/keys/signing-keys.js';
import { disconnect, type Disconnect, type EndServices } from '../oauth/owners/ended-grants.js';
import { PersonalTokens } from '../oauth/owners/personal-tokens.js';
import { accessViews } from '../oauth/pages/access-views.js';
import { Pages } from '../oauth/pages/render.js';
import { keys } from '../oauth/records/stored-records.js';
import type { Timekeeper } from '../oauth/records/window.js';
import { Sessions } from '../oauth/sign-in/sessions.js';
import { SignIn } from '../oauth/sign-in/sign-in.js';
import { Chains } from '../oauth/tokens/chains.js';
import { Codes } from '../oauth/tokens/codes.js';
import { Connections } from '../oauth/tokens/connections.js';
import { RefreshTokens } from '../oauth/tokens/refresh-tokens.js';
import { Peppers } from '../oauth/tokens/successor.js';
import { TokenAdditions } from '../oauth/tokens/token-additions.js';
import { TokenUses } from '../oauth/tokens/token-uses.js';
import { Tokens } from '../oauth/tokens/tokens.js';
import { requestDeadline } from './boundary.js';
import { KINDS } from './capabilities.js';
import { limitersOf } from './limiters.js';
import type { Observer } from './observer.js';
import type { CheckedOptions } from './options/server-table.js';

type IssuerOf = (request: HttpRequest) => string;
type OnError = (error: unknown) => void;

/** The name of a process, so that two never have the same. */
const PROCESS_NAME_BYTES = 9;

/** Without a configured issuer, the request determines it, on loopback only: elsewhere any caller could name any host. */
const issuerOf = (config: OAuthConfig): IssuerOf => {
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
  (issuer: IssuerOf) =>
  (request: HttpRequest): string | undefined => {
    try {
      return new URL(issuer(request)).host;
    } catch {
      return undefined;
    }
  };

/** If no keys are configured, a pair is generated, which is private to this process and ends with it. */
const keyRingOf = ({ jwt, lifetimes, rules }: OAuthConfig, clock: Clock, onError: OnError): KeyRing | undefined => {
  if (jwt === undefined) return undefined;
  const source = jwt === true ? [{ key: generateKey('ES256') }] : jwt;
  return new KeyRing({ source, clock, tokenLifetimeMs: lifetimes.accessToken * 1000, onError, limit: rules.signing });
};

/** Keys of other servers, one memory of them for clients and all features. It is loaded when keys are needed. */
const publishedKeys = (given: KeyServices): ReadPublishedKeys => {
  let made: Promise<PublishedKeys> | undefined;
  return async (from, isLacking) => {
    made ??= import('../../outbound/published-keys.js').then((module) => new module.PublishedKeys(given));
    return (await made).of(from, isLacking);
  };
};

/** What tokens need besides the configuration. */
interface TokenServices {
  readonly records: Records;
  readonly random: RandomSource;
  readonly clock: Clock;
  readonly onError: OnError;
  readonly additions: TokenAdditions;
  readonly own: Timekeeper;
  readonly jwt: JwtAccessTokens | undefined;
}

/** Issues tokens and codes, and finds them again. */
const tokensIn = ({ secret = [] }: CheckedOptions, config: OAuthConfig, services: TokenServices) => {
  const shared = { ...config, ...services };
  const { records, random, onError } = services;
  // Without a secret, the keys of connections must be the same after a restart.
  const connectionKeys = (secret.length === 0 ? [''] : secret).map((text) => deriveKey(text, 'connection'));
  const connections = new Connections({ ...shared, connectionKeys });
  const tokens = new Tokens({ ...shared, connections, uses: new TokenUses(services) });
  const chains = new Chains(records, random);
  const peppers = new Peppers(secret);
  const refreshTokens = new RefreshTokens({ ...shared, chains, tokens, peppers, canList: records.canList });
  return { tokens, codes: new Codes({ chains, tokens, refreshTokens, onError }), refreshTokens };
};

/** What features check of tokens. */
interface TokenChecks {
  readonly proofs: ProofChecker | undefined;
  readonly checkToken: ((authorization: Authorization) => Promise<void>) | undefined;
}

/**
 * What features check of tokens: proofs of keys, if tokens may be bound to keys, and more.
 *
 * @throws TypeError if the options of a feature do not fit.
 */
const verificationsOf = (
  { features, issuer, secret, runtime }: CheckedOptions,
  rules: EnforcedRules,
  secrets: readonly string[],
  records: Records,
): TokenChecks => {
  const { clock } = runtime;
  const origins = issuer === undefined ? [] : [issuer];
  const remember = (name: string, exp: number): Promise<boolean> => records.add(keys.proof(name), { exp });
  const found = features.flatMap(({ name, verify }) => {
    if (verify === undefined) return [];
    if (issuer === undefined)
      fail(
        `${name}() needs options.issuer: what it checks names the address of a request, which must not come from the request itself.`,
      );
    if (secret === undefined)
      fail(`${name}() needs options.secret: what it derives must be the same in every process.`);
    const keysFor = (purpose: string): readonly string[] => ownKeys(secrets, issuer, purpose);
    return [verify({ name: `${name}()`, clock, keys: keysFor, issuer, rules, origins, remember })];
  });
  const [proofs] = found.flatMap((one) => one.proofs ?? []);
  const checks = found.flatMap(({ check }) => check ?? []);
  const issuing = features.find(({ client }) => client !== undefined);
  if (proofs?.required === true && issuing !== undefined)
    return fail(
      `The feature ${issuing.name} cannot be combined with dpop({ required: true }): its tokens are copied, so no key binds them. Omit one of both.`,
    );
  return { proofs, checkToken: checks.length === 0 ? undefined : allOf(checks) };
};

const allOf =
  (checks: readonly NonNullable<Verification['check']>[]): NonNullable<TokenChecks['checkToken']> =>
  async (authorization) => {
    for (const check of checks) await check(authorization);
  };

/** The sessions of browsers, which are cookies. */
const sessionsOf = (
  { issuer, lifetimes }: OAuthConfig,
  secrets: readonly string[],
  seal: Seal,
  { clock, random }: { readonly clock: Clock; readonly random: RandomSource },
): Sessions =>
  new Sessions({
    seal,
    formKeys: secrets.map((text) => deriveKey(text, 'form')),
    clock,
    random,
    lifetime: lifetimes.session,
    // Cookie names are short.
    instance: sha256(issuer ?? '').slice(0, 8),
    secure: issuer?.startsWith('https:') ?? false,
  });

/** What reads and checks the requests of clients. */
const checksOf = (
  given: ClientAuthenticationServices & RequestedAccessServices & ReplayServices & { onError: OnError },
) => {
  const authentication = new ClientAuthentication(given);
  const authenticate: AuthenticateClient = (scope, form) => authentication.authenticate(scope, form);
  return {
    /** When a response must be ready. */
    deadline: requestDeadline(given),
    readForm: formReader(given.limitAt),
    authenticate,
    requested: new RequestedAccess(given),
    endAsReplay: replayEnding(given),
  };
};

/** What features add, known when they have started, which is before the first request. */
export interface Added {
  readonly hooks: OAuthHooks;
  readonly additions: TokenAdditions;
}

type Given<Maker extends abstract new (given: never) => unknown> = ConstructorParameters<Maker>[0];

/** What asks owners, and what they have allowed. */
const ownersIn = (
  given: Given<typeof SignIn> &
    Given<typeof AuthorizationRequests> &
    Given<typeof RememberedConsents> &
    Omit<Given<typeof ConsentDecisions>, 'remembered' | 'signIn'> &
    Given<typeof PersonalTokens> &
    EndServices &
    Parameters<typeof accessViews>[0] &
    Pick<OAuthConfig, 'paths'> & { readonly basePath: string },
) => {
  const { records, basePath, paths } = given;
  const signIn = new SignIn(given);
  const remembered = new RememberedConsents(given);
  const end: Disconnect = (of, why, emit) => disconnect(of, why, { ...given, emit });
  const pathOf = ([path]: readonly [string, ...string[]]): string => basePath + path;
  const grants = pathOf(paths.grants);
  return {
    signIn,
    requests: new AuthorizationRequests(given),
    remembered,
    decisions: new ConsentDecisions({ ...given, remembered, signIn }),
    personal: new PersonalTokens(given),
    disconnect: end,
    views: accessViews(given),
    pagePaths: {
      authorize: pathOf(paths.authorize),
      grants,
      listedGrants: records.canList ? grants : undefined,
    },
  };
};

/** What the capabilities are made of. Each names the few of these that it needs; only this file and the table of endpoints know them all. */
export type Services = ReturnType<typeof createServices>;

/** Creates what the capabilities are made of. */
export const createServices = (
  options: CheckedOptions,
  config: OAuthConfig,
  secrets: readonly [string, ...string[]],
  observer: Observer,
  { hooks, additions }: Added,
) => {
  const { clock, random: bytes, timer } = options.runtime;
  const { onError = () => undefined } = options;
  const emit: Emit = (occurrence) => observer.tell(occurrence);
  const [secret] = secrets;
  const records = new Records(options.store, clock, config.issuer, KINDS);
  const random = new RandomSource(bytes);
  const browserSecrets = ownSecrets(secrets, config.issuer);
  const sealFor = (purpose: string): Seal => new Seal(browserSecrets, purpose, clock, bytes);
  const issuer = issuerOf(config);
  const basePath = config.issuer === undefined ? '' : new URL(config.issuer).pathname.replace(/\/$/, '');
  const frame = Frame.of({ branding: options.branding, languages: config.languages, hostOf: hostIn(issuer) });
  const keyRing = keyRingOf(config, clock, onError);
  const jwt = keyRing === undefined ? undefined : new JwtAccessTokens(keyRing, config.issuer ?? '', clock);
  const own = { clock, process: random.string(PROCESS_NAME_BYTES) };
  const given = {
    ...config,
    /** For features. */
    config,
    /** The issuer of the options; {@link issuer} also knows one on loopback. */
    configuredIssuer: config.issuer,
    issuer,
    basePath,
    records,
    random,
    ...own,
    timer,
    /** Tells of what the application causes; what a request causes is told by its scope. */
    emit,
    onError,
    hooks,
    warnings: new DeploymentWarnings(options.onWarning, config.issuer),
    frame,
    pages: new Pages(frame, options.template),
    standstills: new Standstills(),
    ...tokensIn(options, config, { records, random, clock, own, jwt, onError, additions }),
    keyRing,
    publishedKeys: publishedKeys({ clock, timer, onError }),
    limitAt: options.sharedAddresses,
    // As many as secrets.
    deriveKeys: (purpose: string) => secrets.map((text) => deriveKey(text, purpose)) as [string, ...string[]],
    ...limitersOf({ records, clock, key: deriveKey(secret, 'limiter') }, (event, request) =>
      observer.tell(event, request),
    ),
    validateGrant: options.validateGrant ?? (() => true),
    ...verificationsOf(options, config.rules, secrets, records),
    allowLocalhostRedirects: options.allowLocalhostRedirects,
  };
  const browser = {
    owner: options.owner,
    loginUrl: options.loginUrl,
    sessions: sessionsOf(config, browserSecrets, sealFor('session'), { clock, random }),
    requestSeal: sealFor('authorization request'),
    consentKey: deriveKey(secret, 'consent'),
  };
  const checks = checksOf(given);
  return { ...given, ...checks, ...ownersIn({ ...given, ...checks, ...browser }) };
};
