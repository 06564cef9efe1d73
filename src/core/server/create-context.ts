import { isLoopbackHost } from '../base/addresses/loopback.js';
import { parseUrl } from '../base/addresses/url.js';
import type { HttpRequest } from '../base/http/messages.js';
import type { ProofChecker } from '../base/key-proofs.js';
import { Budget } from '../base/limits/budget.js';
import { Frame } from '../base/pages/frame.js';
import type { Clock } from '../base/ports.js';
import { Records } from '../base/records.js';
import { fail } from '../base/schema.js';
import { ownSecrets, Seal } from '../base/seal.js';
import { deriveKey, RandomSource, sha256 } from '../base/secrets.js';
import { Standstills } from '../base/standstill.js';
import { AUTHORIZE_PARAMETERS } from '../oauth/code/authorize.js';
import type { Emit } from '../oauth/events/events.js';
import { DeploymentWarnings } from '../oauth/facts/deployment-warnings.js';
import { LIMITS } from '../oauth/facts/limits.js';
import type { OAuthConfig } from '../oauth/kernel/config.js';
import type { OAuthContext } from '../oauth/kernel/context.js';
import { JwtAccessTokens } from '../oauth/keys/access-token.js';
import { generateKey, KeyRing } from '../oauth/keys/signing-keys.js';
import { Pages } from '../oauth/pages/render.js';
import { KINDS } from '../oauth/records/kinds.js';
import { keys } from '../oauth/records/stored-records.js';
import type { Timekeeper } from '../oauth/records/window.js';
import { Sessions } from '../oauth/sign-in/sessions.js';
import { SignIn } from '../oauth/sign-in/sign-in.js';
import { Chains } from '../oauth/tokens/chains.js';
import { Codes } from '../oauth/tokens/codes.js';
import { Connections } from '../oauth/tokens/connections.js';
import { RefreshTokens } from '../oauth/tokens/refresh-tokens.js';
import { Peppers } from '../oauth/tokens/successor.js';
import { TokenUses } from '../oauth/tokens/token-uses.js';
import { Tokens } from '../oauth/tokens/tokens.js';
import { limitersOf } from './limiters.js';
import type { Observer } from './observer.js';
import type { CheckedOptions } from './options/server-table.js';

/** The name of a process, so that two never have the same. */
const PROCESS_NAME_BYTES = 9;

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
  const source = jwt === true ? [{ key: generateKey('ES256') }] : jwt;
  return new KeyRing({ source, clock, tokenLifetimeMs: lifetimes.accessToken * 1000, onError });
};

/** What tokens need besides the configuration. */
interface TokenServices extends Pick<OAuthContext, 'records' | 'random' | 'clock' | 'onError'> {
  readonly own: Timekeeper;
  readonly jwt: JwtAccessTokens | undefined;
}

/** Issues tokens and codes, and finds them again. */
const tokensIn = (
  { secret = [] }: CheckedOptions,
  config: OAuthConfig,
  services: TokenServices,
): Pick<OAuthContext, 'tokens' | 'codes' | 'refreshTokens'> => {
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

/** Checks proofs of keys, if tokens may be bound to keys. */
const proofsOf = (
  { dpop, issuer, secret, runtime, tokens }: CheckedOptions,
  secrets: readonly string[],
  records: Records,
): ProofChecker | undefined => {
  if (dpop === undefined) return undefined;
  if (issuer === undefined)
    return fail(
      'options.dpop needs options.issuer: proofs name the address of a request, which must not come from the request itself.',
    );
  if (secret === undefined)
    return fail('options.dpop needs options.secret: nonces are derived from it, in every process the same.');
  const { clock } = runtime;
  const remember = (name: string, exp: number): Promise<boolean> => records.add(keys.proof(name), { exp });
  const checker = dpop.start({ name: 'options.dpop', clock, secrets, issuer, origins: [issuer], remember });
  if (checker.required && tokens !== undefined)
    return fail(
      'options.tokens cannot be combined with dpop({ required: true }): personal tokens are copied, so no key binds them. Leave out one of both.',
    );
  return checker;
};

/** Creates what all endpoints share. */
export const createContext = (
  options: CheckedOptions,
  config: OAuthConfig,
  secrets: readonly [string, ...string[]],
  observer: Observer,
): OAuthContext => {
  const { clock, random: bytes, timer } = options.runtime;
  const onError = options.onError ?? (() => undefined);
  const emit: Emit = (occurrence) => observer.tell(occurrence);
  const [secret, ...older] = secrets;
  const records = new Records(options.store, clock, config.issuer, KINDS);
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
  const frame = Frame.of({ branding: options.branding, languages: config.languages, hostOf: hostIn(issuer) });
  const keyRing = keyRingOf(config, clock, onError);
  const jwt = keyRing === undefined ? undefined : new JwtAccessTokens(keyRing, config.issuer ?? '', clock);
  const own = { clock, process: random.string(PROCESS_NAME_BYTES) };
  return {
    config,
    records,
    random,
    clock,
    timer,
    emit,
    onError,
    frame,
    pages: new Pages(frame, options.template),
    process: own.process,
    standstills: new Standstills(),
    ...tokensIn(options, config, { records, random, clock, own, jwt, onError }),
    keyRing,
    issuer,
    basePath: config.issuer === undefined ? '' : new URL(config.issuer).pathname.replace(/\/$/, ''),
    limitAt: options.sharedAddresses,
    limiters: limitersOf({ records, clock, key: deriveKey(secret, 'limiter') }, (event, request) =>
      observer.tell(event, request),
    ),
    deviceBudget: new Budget(clock, LIMITS.unprovenRecords / 2),
    userCodeKeys: [deriveKey(secret, 'user code'), ...older.map((text) => deriveKey(text, 'user code'))],
    consentKey: deriveKey(secret, 'consent'),
    requestSeal: new Seal(browserSecrets, 'authorization request', clock, bytes),
    warnings: new DeploymentWarnings(options.onWarning, config.issuer),
    signIn: new SignIn(options, sessions, config.keepsSignIn),
    allowLocalhostRedirects: options.allowLocalhostRedirects,
    validateGrant: options.validateGrant ?? (() => true),
    hooks: {},
    authorizeParameters: AUTHORIZE_PARAMETERS,
    proofs: proofsOf(options, secrets, records),
  };
};
