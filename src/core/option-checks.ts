import type { Config } from './config.js';
import { DEVICE_CODE_GRANT, GRANT_TYPES } from './oauth/client.js';
import { isScopeToken } from './oauth/scope.js';
import { checkUsers, directoryOf, type UserDirectory } from './oauth/users.js';
import type { DeviceOptions, Lifetimes, Limits, PathName, ScopeDefinition, ServerOptions } from './options.js';

/** Code, device and refresh are on, and so is everything that has no password of the owner in it. */
const DEFAULT_GRANTS = ['authorization_code', 'client_credentials', 'refresh_token', DEVICE_CODE_GRANT] as const;

const DEFAULT_PATHS: Readonly<Record<PathName, string>> = {
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  device: '/oauth/device',
  deviceVerify: '/oauth/device/verify',
  introspect: '/oauth/introspect',
  revoke: '/oauth/revoke',
  jwks: '/oauth/jwks',
  metadata: '/.well-known/oauth-authorization-server',
  api: '/api',
};

const DAY = 86_400;

type Bounds<T> = { readonly [K in keyof T]-?: readonly [fallback: number, min: number, max: number] };

export const LIFETIMES: Bounds<Lifetimes> = {
  authorizationCode: [60, 1, 600],
  accessToken: [3600, 1, 365 * DAY],
  refreshTokenIdle: [14 * DAY, 1, 3650 * DAY],
  refreshTokenAbsolute: [90 * DAY, 1, 3650 * DAY],
  refreshGrace: [10, 0, 60],
  codeReplayTolerance: [0, 0, 60],
  deviceCode: [600, 60, 1800],
  session: [3600, 60, 30 * DAY],
  authorizationRequest: [600, 60, 3600],
  rememberedConsent: [0, 0, 3650 * DAY],
};

export const LIMITS: Bounds<Limits> = {
  failedVerifiers: [3, 1, 10],
  clientFailures: [10, 1, 1000],
  userCodeFailures: [5, 1, 100],
  loginFailures: [10, 1, 1000],
  deviceRequests: [1000, 1, 1_000_000],
  hostTimeout: [10_000, 10, 600_000],
  bodyBytes: [65_536, 1024, 1_048_576],
  bodyFields: [100, 10, 1000],
  queryBodyBytes: [1_048_576, 1024, 67_108_864],
};

export const fail = (problem: string): never => {
  throw new TypeError(problem);
};

/** A name that is not known is a typing error more often than not, and would be without effect. */
export const checkNames = (option: string, given: unknown, known: readonly string[]): void => {
  if (given === undefined) return;
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return fail(`${option} must be an object with ${known.join(', ')}.`);
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined) fail(`${option}.${unknown} is not known; known are ${known.join(', ')}.`);
};

export const checkFlag = (option: string, value: unknown): void => {
  if (value !== undefined && typeof value !== 'boolean') fail(`${option} must be true or false.`);
};

export const bounded = <T extends object>(
  option: string,
  unit: string,
  given: Readonly<Partial<T>> | undefined,
  bounds: Bounds<T>,
): T => {
  const values: Record<string, number> = {};
  const known: Readonly<Record<string, readonly [number, number, number]>> = bounds;
  checkNames(`options.${option}`, given, Object.keys(known));
  for (const [name, [fallback, min, max]] of Object.entries(known)) {
    const value: unknown = given?.[name as keyof T] ?? fallback; // The names of the bounds are those of T.
    if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) {
      return fail(`options.${option}.${name} must be a whole number${unit} from ${min} to ${max}.`);
    }
    values[name] = value;
  }
  return values as T; // Every name of the bounds is there by now, and each is a number.
};

const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]']);

export const isLoopbackHost = (hostname: string): boolean => LOOPBACK_HOSTS.has(hostname);

/** RFC 8414 §2. The text is used as it is written, because clients compare it as a string. */
export const checkIssuer = (issuer: string | undefined): string | undefined => {
  if (issuer === undefined) return undefined;
  if (typeof issuer !== 'string' || !URL.canParse(issuer))
    return fail('options.issuer must be an absolute URL such as https://example.org.');
  const url = new URL(issuer);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopbackHost(url.hostname))) {
    return fail('options.issuer must begin with https://; http:// is only for loopback addresses.');
  }
  if (issuer.includes('?') || issuer.includes('#'))
    return fail('options.issuer must have neither a query nor a fragment.');
  if (url.username !== '' || url.password !== '')
    return fail('options.issuer must have neither a user name nor a password.');
  if (issuer.endsWith('/'))
    return fail('options.issuer must not end with a slash; clients compare it character by character.');
  const usual = url.origin + (url.pathname === '/' ? '' : url.pathname);
  if (issuer !== usual)
    return fail(`options.issuer must be written as ${usual}; clients compare it character by character.`);
  return issuer;
};

export const checkScopes = (
  given: ServerOptions['scopes'],
  introspectionScope: string,
): ReadonlyMap<string, ScopeDefinition> => {
  const scopes = new Map<string, ScopeDefinition>();
  if (given !== undefined && (typeof given !== 'object' || given === null || Array.isArray(given))) {
    return fail(
      "options.scopes must be an object of scopes and their descriptions, such as { 'photos.read': 'See your photos' }.",
    );
  }
  for (const [name, value] of Object.entries(given ?? {})) {
    if (!isScopeToken(name))
      fail(
        `options.scopes: ${JSON.stringify(name)} has a character that a scope must not have (a space, a quotation mark, a backslash).`,
      );
    const definition: ScopeDefinition = typeof value === 'string' ? { description: value } : value;
    if (typeof definition?.description !== 'string' || definition.description === '') {
      fail(`options.scopes.${name} needs a description for the people who are asked to allow it.`);
    }
    checkNames(`options.scopes.${name}`, definition, ['description', 'rights']);
    if (
      definition.rights !== undefined &&
      !(Array.isArray(definition.rights) && definition.rights.every((right) => typeof right === 'string'))
    ) {
      fail(`options.scopes.${name}.rights must be an array of names.`);
    }
    scopes.set(name, definition);
  }
  if (typeof introspectionScope !== 'string' || !isScopeToken(introspectionScope))
    fail("options.introspectionScope must be the name of one scope, such as 'introspect'.");
  return scopes;
};

export const checkResources = (given: readonly string[] | undefined): ReadonlySet<string> => {
  if (given !== undefined && !Array.isArray(given)) return fail('options.resources must be an array of absolute URIs.');
  for (const resource of given ?? []) {
    if (typeof resource !== 'string' || !URL.canParse(resource) || resource.includes('#')) {
      fail(`options.resources: ${JSON.stringify(resource)} must be an absolute URI without a fragment (RFC 8707 §2).`);
    }
  }
  return new Set(given);
};

export const checkGrants = (given: ServerOptions['grants']): ReadonlySet<string> => {
  if (given === undefined) return new Set(DEFAULT_GRANTS);
  if (!Array.isArray(given)) return fail('options.grants must be an array of grant types.');
  const names = (given as readonly string[]).map((name) => (name === 'device_code' ? DEVICE_CODE_GRANT : name));
  const known: readonly string[] = GRANT_TYPES;
  for (const name of names) {
    if (!known.includes(name))
      fail(`options.grants names ${JSON.stringify(name)}; known are ${known.join(', ')}, device_code.`);
  }
  return new Set(names);
};

export const checkPaths = (given: ServerOptions['paths']): Config['paths'] => {
  const paths: Record<string, readonly [string, ...string[]]> = {};
  const taken = new Map<string, string>();
  checkNames('options.paths', given, Object.keys(DEFAULT_PATHS));
  for (const [name, fallback] of Object.entries(DEFAULT_PATHS)) {
    const value: string | readonly string[] = given?.[name as PathName] ?? fallback; // The names are DEFAULT_PATHS' own.
    if (typeof value !== 'string' && !Array.isArray(value))
      return fail(`options.paths.${name} must be a path or an array of paths.`);
    const [first, ...aliases]: readonly string[] = typeof value === 'string' ? [value] : value;
    if (first === undefined) return fail(`options.paths.${name} is an empty list; leave it out for ${fallback}.`);
    for (const path of [first, ...aliases]) {
      if (typeof path !== 'string' || !/^\/[A-Za-z0-9\-._~!$&'()+,;=@/]*$/.test(path) || path === '/') {
        fail(
          `options.paths.${name} must begin with a slash and name a path without placeholders, query or percent escapes, such as ${fallback}.`,
        );
      }
      const other = taken.get(path);
      if (other !== undefined)
        fail(`options.paths: ${name} and ${other} are both ${path}; each address needs its own.`);
      taken.set(path, name);
    }
    paths[name] = [first, ...aliases];
  }
  return paths as Config['paths']; // Filled from every name of DEFAULT_PATHS.
};

export const checkDevice = (given: ServerOptions['device']): DeviceOptions => {
  const device: DeviceOptions = {
    interval: 5,
    userCodeLength: 8,
    userCodeAlphabet: 'BCDFGHJKLMNPQRSTVWXZ',
    verificationUriComplete: false,
    ...given,
  };
  checkNames('options.device', given, ['interval', 'userCodeLength', 'userCodeAlphabet', 'verificationUriComplete']);
  checkFlag('options.device.verificationUriComplete', device.verificationUriComplete);
  if (!Number.isInteger(device.interval) || device.interval < 1 || device.interval > 60)
    fail('options.device.interval must be a whole number of seconds from 1 to 60.');
  const { userCodeAlphabet: alphabet, userCodeLength: length } = device;
  if (
    typeof alphabet !== 'string' ||
    !/^[A-Z0-9]{2,36}$/.test(alphabet) ||
    new Set(alphabet).size !== alphabet.length
  ) {
    fail('options.device.userCodeAlphabet must be text of capital letters and digits, each once.');
  }
  if (!Number.isInteger(length) || length < 4 || length > 32 || length * Math.log2(alphabet.length) < 34) {
    fail(
      'options.device.userCodeLength must be a whole number from 4 to 32, and with userCodeAlphabet give at least 2^34 codes (RFC 8628 §5.1); with the usual alphabet that is 8.',
    );
  }
  return device;
};

export const checkOwner = (options: ServerOptions): UserDirectory | undefined => {
  const { owner, users, loginUrl } = options;
  if (owner !== undefined && typeof owner !== 'function') fail('options.owner must be a function of the request.');
  if (owner !== undefined && users !== undefined)
    fail(
      'options.owner and options.users exclude each other: either the host signs people in, or the built-in page does.',
    );
  if (owner !== undefined && loginUrl === undefined)
    fail('options.owner needs options.loginUrl: where to send somebody who is not signed in yet.');
  if (owner === undefined && loginUrl !== undefined)
    fail('options.loginUrl needs options.owner: how to know who is signed in.');
  if (loginUrl !== undefined && (typeof loginUrl !== 'string' || loginUrl === '') && typeof loginUrl !== 'function') {
    fail(
      'options.loginUrl must be the address of the sign-in page, or a function that makes it of the address to come back to.',
    );
  }
  if (users === undefined) {
    const needs = checkGrants(options.grants).has('password');
    if (needs) fail('options.grants names password, which needs options.users: that is where passwords are checked.');
    return undefined;
  }
  if (Array.isArray(users)) {
    checkUsers(users);
    return directoryOf(users);
  }
  const directory = users as UserDirectory;
  if (typeof directory?.authenticate !== 'function')
    fail('options.users must be an array of users or an object with authenticate(username, password).');
  if (directory.isActive !== undefined && typeof directory.isActive !== 'function')
    fail('options.users.isActive must be a function of the sub.');
  return directory;
};

export const checkCors = (cors: ServerOptions['cors']): ReadonlySet<string> => {
  checkNames('options.cors', cors, ['origins']);
  if (cors !== undefined && !Array.isArray(cors.origins))
    fail('options.cors.origins must be an array of origins such as https://app.example.');
  for (const origin of cors?.origins ?? []) {
    if (origin !== '*' && (!URL.canParse(origin) || new URL(origin).origin !== origin)) {
      fail(
        `options.cors.origins: ${JSON.stringify(origin)} is not an origin; write it like https://app.example, without a path.`,
      );
    }
  }
  return new Set(cors?.origins);
};

export const checkAccessTokens = ({ accessTokens, issuer }: ServerOptions): Config['jwt'] => {
  const format: unknown = accessTokens?.format;
  checkNames('options.accessTokens', accessTokens, ['format', 'algorithm', 'keys']);
  if (accessTokens === undefined || accessTokens.format === 'opaque') return undefined;
  if (format !== 'jwt') return fail("options.accessTokens.format must be 'opaque' or 'jwt'.");
  if (issuer === undefined) return fail('options.accessTokens: JWTs name their issuer, so options.issuer is needed.');
  const { algorithm = 'ES256', keys } = accessTokens;
  if (!['ES256', 'EdDSA', 'RS256'].includes(algorithm))
    return fail('options.accessTokens.algorithm must be ES256, EdDSA or RS256.');
  if (keys !== undefined && typeof keys !== 'function' && !Array.isArray(keys)) {
    return fail('options.accessTokens.keys must be an array of keys, or a function that gives one.');
  }
  return { algorithm, keys };
};
