import { parseUrl } from '../../base/addresses/url.js';
import { movedFrom } from '../../base/moved.js';
import { Languages } from '../../base/pages/languages/languages.js';
import { joinRules } from '../../base/rules.js';
import { fail, object } from '../../base/schema.js';
import { INTROSPECT, OFFLINE_ACCESS } from '../../base/scope.js';
import { type ClientRegistry, type ClientSource, isRegistry } from '../../oauth/clients/client.js';
import { Clients } from '../../oauth/clients/clients.js';
import { ImpliedScopes } from '../../oauth/facts/implied-scopes.js';
import type { OAuthConfig } from '../../oauth/kernel/config.js';
import { directoryOf, type Directory, type UserDirectory } from '../../oauth/sign-in/users.js';
import { remedyFor } from '../features.js';
import { checkRules } from './check-rules.js';
import { checkScopes, resourcesOf } from './resources.js';
import { FIXED_PATHS, type CheckedOptions, SERVER_OPTIONS } from './server-table.js';

const TABLE = object(SERVER_OPTIONS, { takes: 'an object of options', moved: movedFrom('oauthQuery') });

/**
 * Validates each option separately, and fills in the defaults.
 *
 * @throws TypeError with a sentence that names the option and the remedy.
 */
export const checkOptions = (options: unknown): CheckedOptions => {
  const checked = TABLE.read(options, 'options');
  return { ...checked, scopes: { ...scopesOfFeatures(checked), ...checked.scopes } };
};

/** Those that need no entry in `options.scopes`; the application may describe them itself. */
export const scopesOfFeatures = ({ features }: Pick<CheckedOptions, 'features'>): CheckedOptions['scopes'] =>
  Object.fromEntries(
    features.flatMap(({ scopes = {} }) =>
      Object.entries(scopes).map(([name, given]) => [name, typeof given === 'string' ? { description: given } : given]),
    ),
  );

const checkPaths = (paths: OAuthConfig['paths']): void => {
  const taken = new Map<string, string>();
  for (const [name, all] of Object.entries(paths)) {
    for (const path of all) {
      const other = taken.get(path);
      if (other !== undefined)
        fail(`options.paths: ${name} and ${other} are both ${path}. Give each endpoint its own path.`);
      taken.set(path, name);
    }
  }
};

/** An endpoint of this server would send users to itself. */
const checkOwnPage = (
  loginUrl: CheckedOptions['loginUrl'],
  issuer: string | undefined,
  paths: OAuthConfig['paths'],
): void => {
  if (typeof loginUrl !== 'string') return;
  const { pathname } = new URL(loginUrl, issuer ?? 'http://localhost');
  const base = issuer === undefined ? '' : new URL(issuer).pathname.replace(/\/$/, '');
  if (
    Object.values(paths)
      .flat()
      .some((path) => pathname === base + path)
  )
    fail(
      `options.loginUrl is ${pathname}, an endpoint of this server. It is the sign-in page of your application, such as /login; for the built-in one, leave out options.owner and options.loginUrl, and set options.users.`,
    );
};

/** A page of another host would get a path of this one to return to. */
const checkLoginUrl = ({ loginUrl, issuer }: CheckedOptions, paths: OAuthConfig['paths']): void => {
  checkOwnPage(loginUrl, issuer, paths);
  const login = typeof loginUrl === 'string' ? parseUrl(loginUrl) : undefined;
  if (login === undefined || issuer === undefined || login.origin === new URL(issuer).origin) return;
  fail(
    `options.loginUrl is on ${login.origin}, and options.issuer on ${new URL(issuer).origin}: that page would get a return_to which is only a path. Use a function that adds the host: (path) => '${login.origin}${login.pathname}?return_to=' + encodeURIComponent('${new URL(issuer).origin}' + path).`,
    'OQ109',
  );
};

const checkSignIn = ({ owner, users, loginUrl, grants }: CheckedOptions): void => {
  if (owner !== undefined && users !== undefined)
    fail(
      'options.owner and options.users exclude each other: use options.owner for your own sign-in, or options.users for the built-in page.',
      'OQ112',
    );
  if (owner !== undefined && loginUrl === undefined)
    fail('options.owner needs options.loginUrl: the page to which users who are not signed in are sent.', 'OQ112');
  if (owner === undefined && loginUrl !== undefined)
    fail('options.loginUrl needs options.owner: a function that returns the signed-in user.', 'OQ112');
  if (users === undefined && grants.includes('password'))
    fail('options.grants names password, which needs options.users: passwords are checked there.', 'OQ112');
};

const isList = (users: NonNullable<CheckedOptions['users']>): users is Exclude<typeof users, UserDirectory> =>
  Array.isArray(users);

const directory = ({ users, sharedAddresses }: CheckedOptions): Directory | undefined => {
  if (users === undefined) return undefined;
  if (isList(users)) return directoryOf(users, sharedAddresses);
  const { isActive }: { readonly isActive?: unknown } = users;
  if (isActive !== undefined && typeof isActive !== 'function')
    fail('options.users.isActive must be a function of the sub.');
  return users;
};

/** The clients of the options, and those of features. */
const clientsOf = (options: CheckedOptions): readonly ClientSource[] | ClientRegistry => {
  const { clients = [], features, scopes, jwt, lifetimes } = options;
  const own = features.flatMap(({ name, client }) => {
    // Nobody has written a registration of this client, so the sentences name the feature.
    checkScopes({ scopes: client?.scope?.split(' ') }, scopes, `features: ${name}`);
    if (jwt !== undefined && (client?.access_token_lifetime ?? 0) > lifetimes.accessToken)
      fail(
        `features: ${name} needs opaque access tokens: a long-lived JWT stays valid after it is revoked. Omit options.jwt, or the feature.`,
      );
    return client ?? [];
  });
  return own.length === 0 ? clients : [...(isRegistry(clients) ? [clients] : clients), ...own];
};

/** These two scopes do more than grant access to an API, so they must be requested by name. */
const checkImplied = (scopes: OAuthConfig['scopes']): void => {
  for (const [name, { implies = [] }] of scopes) {
    const special = implies.find((scope) => scope === INTROSPECT || scope === OFFLINE_ACCESS);
    if (special !== undefined)
      fail(
        `options.scopes[${JSON.stringify(name)}].implies names ${JSON.stringify(special)}, which cannot be implied. Let clients request it by name.`,
      );
  }
};

const has = (features: CheckedOptions['features'], name: string): boolean =>
  features.some((feature) => feature.name === name);

/**
 * The configuration of the authorization server, with the rules between several options checked.
 *
 * @throws TypeError with a sentence that names the option and the remedy.
 */
export const configOf = (options: CheckedOptions): OAuthConfig => {
  const { jwt, issuer, features } = options;
  const limits = joinRules(features);
  checkRules(options, limits);
  const paths = { ...options.paths, ...FIXED_PATHS };
  checkPaths(paths);
  checkSignIn(options);
  checkLoginUrl(options, paths);
  if (jwt !== undefined && issuer === undefined)
    fail('options.jwt: JWTs name their issuer, so options.issuer is needed.', 'OQ112');
  const scopes = new Map(Object.entries(options.scopes));
  const impliedScopes = new ImpliedScopes(scopes);
  checkImplied(scopes);
  const customGrants = new Set(features.flatMap(({ grantTypes = [] }) => grantTypes));
  const grants = new Set([...options.grants, ...customGrants]);
  const rules = {
    scopes: new Set(scopes.keys()),
    impliedScopes,
    limits,
    requirePkce: options.requirePkce || limits.challengeMethods !== undefined,
    refreshTokens: grants.has('refresh_token'),
    customGrants,
    vouchedClients: features.some(({ vouchesForClients = false }) => vouchesForClients),
    neverByDefault: new Set(Object.keys(scopesOfFeatures(options))),
    ...(jwt !== undefined && { longestAccessToken: options.lifetimes.accessToken }),
  };
  const ownClients: OAuthConfig['ownClients'] = new Map(
    features.flatMap(({ clientPrefix }) => (clientPrefix === undefined ? [] : [[clientPrefix, () => undefined]])),
  );
  const clients = new Clients(clientsOf(options), rules, { ...options, own: ownClients });
  for (const { client_id, mustPush, introspectionAlgorithm } of clients.listed.values()) {
    const needs = (field: string, name: string): void => {
      if (!has(features, name))
        fail(`Client ${JSON.stringify(client_id)}: ${field} needs ${remedyFor(name)} in options.features.`);
    };
    if (mustPush) needs('require_pushed_authorization_requests', 'par');
    if (introspectionAlgorithm !== undefined) needs('introspection_signed_response_alg', 'signed-introspection');
  }
  return {
    ...options,
    issuer,
    paths,
    scopes,
    impliedScopes,
    resources: resourcesOf(options),
    rules: limits,
    grants,
    customGrants: new Map(),
    vouchedClients: rules.vouchedClients,
    featureGrants: new Map(),
    clients,
    ownClients,
    users: directory(options),
    languages: Languages.of(options.languages),
    corsOrigins: new Set(options.cors),
    keepsSignIn: features.some(({ keepsSignIn = false }) => keepsSignIn),
    bindsTokens: has(features, 'dpop'),
  };
};
