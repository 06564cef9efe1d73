import { parseUrl } from '../../base/addresses/url.js';
import { Languages } from '../../base/pages/languages/languages.js';
import { fail, object } from '../../base/schema.js';
import { INTROSPECT, OFFLINE_ACCESS } from '../../base/scope.js';
import { ownSecrets, Seal } from '../../base/seal.js';
import type { ServerRules } from '../../oauth/clients/check-registration.js';
import { type ClientRegistry, type ClientSource, isRegistry } from '../../oauth/clients/client.js';
import { Clients } from '../../oauth/clients/clients.js';
import { personalClient } from '../../oauth/clients/personal-client.js';
import { Registrations } from '../../oauth/clients/registrations.js';
import { ImpliedScopes } from '../../oauth/facts/implied-scopes.js';
import { FIXED_PATHS, type OAuthConfig } from '../../oauth/kernel/config.js';
import type { OAuthFeature } from '../../oauth/kernel/oauth-feature.js';
import { directoryOf, type Directory, type UserDirectory } from '../../oauth/sign-in/users.js';
import { checkScopes, checkSelfDescribedScopes, resourcesOf } from './resources.js';
import { type CheckedOptions, SERVER_OPTIONS } from './server-table.js';

const TABLE = object(SERVER_OPTIONS, {
  takes: 'an object of options',
  moved: {
    pages: 'options.template, one function for all pages',
    templates: 'options.template, one function for all pages',
    timeouts: 'options.timeout',
    accessTokens: "options.jwt, the keys or true; leave it out for the format 'opaque'",
    policy: 'options.requirePkce, options.allowLocalhostRedirects and options.validateGrant',
  },
});

/**
 * Validates each option separately, and fills in the defaults.
 *
 * @throws TypeError with a sentence that names the option and the remedy.
 */
export const checkOptions = (options: unknown): CheckedOptions => {
  const checked = TABLE.read(options, 'options');
  const features = featuresOf(checked);
  return features.length === 0 ? checked : { ...checked, scopes: withFeatureScopes(checked.scopes, features) };
};

/** The features of the authorization server. */
export const featuresOf = ({ openid, profile, admin, par, stepUp }: CheckedOptions): readonly OAuthFeature[] =>
  [openid, profile, admin, par, stepUp].filter((feature) => feature !== undefined) as readonly OAuthFeature[]; // Made by entries of this package.

/** The application may describe a scope of a feature itself. */
const withFeatureScopes = (
  own: CheckedOptions['scopes'],
  features: readonly OAuthFeature[],
): CheckedOptions['scopes'] => Object.assign({}, ...features.map(({ scopes }) => scopes), own);

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

/** A page of another host would get a path of this one to return to. */
const checkLoginUrl = ({ loginUrl, issuer }: CheckedOptions): void => {
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

const checkTokens = ({ tokens, owner, users, jwt, scopes, store }: CheckedOptions): void => {
  if (tokens === undefined) return;
  if (owner === undefined && users === undefined)
    fail('options.tokens needs options.users, or options.owner and options.loginUrl: owners sign in to create tokens.');
  if (jwt !== undefined)
    fail(
      'options.tokens needs opaque access tokens, because a long-lived JWT stays valid after it is revoked. Leave out options.jwt, or options.tokens.',
    );
  if (store.list === undefined)
    fail('options.tokens needs a store that can list: docs/stores.md describes the function list.');
  checkScopes(tokens, scopes, 'options.tokens');
};

/** The clients of the options, and the one that personal tokens belong to. */
const clientsOf = ({ clients = [], tokens }: CheckedOptions): readonly ClientSource[] | ClientRegistry => {
  if (tokens === undefined) return clients;
  return [...(isRegistry(clients) ? [clients] : clients), personalClient(tokens)];
};

/** Self-registration of clients, if enabled. */
const registrationsOf = (options: CheckedOptions, rules: ServerRules): Registrations | undefined => {
  const { registration, secret, issuer, grants, runtime } = options;
  if (registration === undefined) return undefined;
  if (secret === undefined)
    fail(
      'options.registration needs options.secret: registrations are encrypted with it and would be lost when the process ends.',
      'OQ112',
    );
  if (!grants.includes('authorization_code'))
    fail(
      'options.registration needs the grant authorization_code in options.grants: self-registered clients can use no other.',
      'OQ112',
    );
  checkSelfDescribedScopes(registration, options.scopes, 'options.registration');
  const { clock, random } = runtime;
  const seal = new Seal(ownSecrets(secret ?? [], issuer), 'client registration', clock, random);
  return new Registrations({ ...registration, rules, seal });
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

/**
 * The configuration of the authorization server, with the rules between several options checked.
 *
 * @throws TypeError with a sentence that names the option and the remedy.
 */
export const configOf = (options: CheckedOptions): OAuthConfig => {
  const { jwt, issuer, requirePkce } = options;
  const paths = { ...options.paths, ...FIXED_PATHS };
  checkPaths(paths);
  checkSignIn(options);
  checkLoginUrl(options);
  if (jwt !== undefined && issuer === undefined)
    fail('options.jwt: JWTs name their issuer, so options.issuer is needed.', 'OQ112');
  const scopes = new Map(Object.entries(options.scopes));
  const impliedScopes = new ImpliedScopes(scopes);
  checkImplied(scopes);
  const features = featuresOf(options);
  const customGrants = new Map(Object.entries(options.customGrants));
  const grants = new Set([...options.grants, ...customGrants.keys()]);
  const rules = {
    scopes: new Set(scopes.keys()),
    impliedScopes,
    requirePkce,
    refreshTokens: grants.has('refresh_token'),
    customGrants: new Set(customGrants.keys()),
    neverByDefault: new Set(features.flatMap((feature) => Object.keys(feature.scopes))),
    ...(jwt !== undefined && { longestAccessToken: options.lifetimes.accessToken }),
  };
  const registrations = registrationsOf(options, rules);
  checkTokens(options);
  const clients = new Clients(clientsOf(options), rules, { ...options, registrations });
  for (const { client_id, mustPush } of clients.listed.values())
    if (mustPush && options.par === undefined)
      fail(`Client ${JSON.stringify(client_id)}: require_pushed_authorization_requests needs options.par.`);
  return {
    ...options,
    issuer,
    paths,
    scopes,
    impliedScopes,
    resources: resourcesOf(options),
    grants,
    customGrants,
    clients,
    registrations,
    users: directory(options),
    personalTokens: options.tokens,
    languages: Languages.of(options.languages),
    corsOrigins: new Set(options.cors),
    keepsSignIn: features.some(({ keepsSignIn }) => keepsSignIn),
    bindsTokens: options.dpop !== undefined,
  };
};
