import { Clients } from './oauth/clients.js';
import type { KeySource, SigningAlgorithm } from './oauth/jwt/signing-keys.js';
import type { UserDirectory } from './oauth/users.js';
import {
  bounded,
  checkAccessTokens,
  checkCors,
  checkDevice,
  checkFlag,
  checkGrants,
  checkIssuer,
  checkNames,
  checkOwner,
  checkPaths,
  checkResources,
  checkScopes,
  fail,
  LIFETIMES,
  LIMITS,
} from './option-checks.js';
import type { DeviceOptions, Lifetimes, Limits, PathName, ScopeDefinition, ServerOptions } from './options.js';
import type { Store } from './ports.js';

/** Options that have been checked and completed. */
export interface Config {
  readonly issuer: string | undefined;
  readonly scopes: ReadonlyMap<string, ScopeDefinition>;
  readonly introspectionScope: string;
  readonly resources: ReadonlySet<string>;
  readonly grants: ReadonlySet<string>;
  readonly clients: Clients;
  readonly users: UserDirectory | undefined;
  readonly paths: Readonly<Record<PathName, readonly [string, ...string[]]>>;
  readonly lifetimes: Lifetimes;
  readonly limits: Limits;
  readonly device: DeviceOptions;
  readonly corsOrigins: ReadonlySet<string>;
  /** How JWTs are signed, if access tokens are JWTs. */
  readonly jwt: { readonly algorithm: SigningAlgorithm; readonly keys: KeySource | undefined } | undefined;
}

const OPTION_NAMES: Readonly<Record<keyof ServerOptions, true>> = {
  store: true,
  issuer: true,
  secret: true,
  clients: true,
  scopes: true,
  introspectionScope: true,
  resources: true,
  grants: true,
  accessTokens: true,
  requirePkce: true,
  allowLocalhostRedirects: true,
  owner: true,
  loginUrl: true,
  users: true,
  validateGrant: true,
  paths: true,
  lifetimes: true,
  limits: true,
  device: true,
  pages: true,
  cors: true,
  clock: true,
  random: true,
  onEvent: true,
  onError: true,
  onWarning: true,
  query: true,
  rights: true,
};

const checkQuery = (query: ServerOptions['query']): void => {
  if (query !== undefined && (typeof query !== 'object' || query === null))
    fail('options.query must be an object; {} switches the query API on.');
};

const checkFunctions = (options: ServerOptions): void => {
  for (const name of ['validateGrant', 'rights', 'clock', 'random', 'onEvent', 'onError', 'onWarning'] as const) {
    const value: unknown = options[name];
    if (typeof value !== 'function' && (value !== undefined || name === 'clock'))
      fail(`options.${name} must be a function.`);
  }
  checkFlag('options.requirePkce', options.requirePkce);
  checkFlag('options.allowLocalhostRedirects', options.allowLocalhostRedirects);
  checkNames('options.pages', options.pages, [
    'login',
    'consent',
    'deviceCode',
    'deviceConsent',
    'deviceDone',
    'error',
  ]);
  for (const [name, render] of Object.entries(options.pages ?? {})) {
    if (typeof render !== 'function') fail(`options.pages.${name} must be a function that renders the page.`);
  }
};

const checkClients = (clients: ServerOptions['clients']): void => {
  if (clients === undefined || Array.isArray(clients)) return;
  const registry: unknown = clients;
  if (
    typeof registry !== 'object' ||
    registry === null ||
    !('find' in registry) ||
    typeof registry.find !== 'function'
  ) {
    fail('options.clients must be an array of clients or an object with find(client_id).');
  }
};

/** At least 32 characters each: keys are derived from them, and nobody must guess them. */
export const secretsOf = (secret: ServerOptions['secret']): readonly string[] => {
  const secrets: readonly unknown[] = secret === undefined ? [] : Array.isArray(secret) ? secret : [secret];
  if (secret !== undefined && secrets.length === 0)
    fail('options.secret is an empty list; give at least one text of 32 characters, or leave it out.');
  return secrets.map((text) =>
    typeof text === 'string' && text.length >= 32
      ? text
      : fail('options.secret must have at least 32 characters; is the environment variable set?'),
  );
};

const checkStore = (store: Partial<Store> | null | undefined): void => {
  for (const verb of ['add', 'get', 'delete'] as const) {
    if (typeof store?.[verb] !== 'function') {
      fail(
        'options.store must be a store with the functions add, get and delete, such as memoryStore() of oauth-query/stores/memory.',
      );
    }
  }
};

/**
 * Checks all options and completes them.
 *
 * @throws TypeError with a sentence that names the option and the remedy.
 */
export const resolveOptions = (options: ServerOptions): Config => {
  checkNames('options', options, Object.keys(OPTION_NAMES));
  checkStore(options.store);
  checkFunctions(options);
  checkQuery(options.query);
  checkClients(options.clients);
  const introspectionScope = options.introspectionScope ?? 'introspect';
  const scopes = checkScopes(options.scopes, introspectionScope);
  const grants = checkGrants(options.grants);
  return {
    issuer: checkIssuer(options.issuer),
    scopes,
    introspectionScope,
    resources: checkResources(options.resources),
    grants,
    clients: new Clients(options.clients ?? [], {
      scopes: new Set(scopes.keys()),
      introspectionScope,
      requirePkce: options.requirePkce ?? false,
      refreshTokens: grants.has('refresh_token'),
    }),
    users: checkOwner(options),
    paths: checkPaths(options.paths),
    lifetimes: bounded<Lifetimes>('lifetimes', ' of seconds', options.lifetimes, LIFETIMES),
    limits: bounded<Limits>('limits', '', options.limits, LIMITS),
    device: checkDevice(options.device),
    corsOrigins: checkCors(options.cors),
    jwt: checkAccessTokens(options),
  };
};
