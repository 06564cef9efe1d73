import { isOrigin, isPageAddress, urlProblem } from '../../base/addresses/request-addresses.js';
import { parseUrl } from '../../base/addresses/url.js';
import { KEY_SOURCE } from '../../base/key-source.js';
import { isNetwork, limitWith } from '../../base/limits/source.js';
import { movedFrom } from '../../base/moved.js';
import { BRANDING_OPTIONS } from '../../base/pages/branding.js';
import { LANGUAGES } from '../../base/pages/languages/languages.js';
import type { Store } from '../../base/ports.js';
import { RESOURCE_DEFINITION } from '../../base/resource-metadata.js';
import {
  type Checked,
  either,
  fail,
  flag,
  fn,
  fromEnvironment,
  having,
  isRecord,
  listOf,
  mapOf,
  neverUndefined,
  object,
  oneOf,
  orElse,
  path,
  refined,
  required,
  type Schema,
  text,
  value,
  wholeNumber,
} from '../../base/schema.js';
import { SECRETS } from '../../base/secret-option.js';
import { systemClock, systemRandom, systemTimer } from '../../base/system.js';
import type { ClaimsPart } from '../../feature/claims.js';
import type { Feature } from '../../feature/types.js';
import type { GrantName } from '../../oauth/clients/client.js';
import { DEVICE_CODE_GRANT, GRANT_NAMES, grantTypeOf } from '../../oauth/clients/client.js';
import type { ClientRegistry, ClientSource } from '../../oauth/clients/client.js';
import type { Lifetimes, PathName, ScopeDefinition, FixedPathName } from '../../oauth/facts/settings.js';
import { isServerMember } from '../../oauth/metadata/metadata.js';
import { MAX_SESSION_LIFETIME } from '../../oauth/sign-in/owner-sessions.js';
import { USER_LIST, type UserDirectory } from '../../oauth/sign-in/users.js';
import { readFeatures } from '../features.js';
import type { Runtime, ServerOptions, Template } from './server-options.js';

/** Whether JSON can represent the value without loss. */
const isJson = (given: unknown): boolean =>
  given === null ||
  ['string', 'boolean'].includes(typeof given) ||
  Number.isFinite(given) ||
  (Array.isArray(given) ? given.every(isJson) : isRecord(given) && Object.values(given).every(isJson));

type Option<Name extends keyof ServerOptions> = NonNullable<ServerOptions[Name]>;

const DAY = 86_400;

/** RFC 8414 §2. The text is used as written, because clients compare it as a string. */
const checkedIssuer = (issuer: string, path: string): string => {
  const problem = urlProblem(issuer);
  if (problem !== undefined) return fail(`${path} ${problem}.`);
  if (/[?#]/.test(issuer)) return fail(`${path} must have neither a query nor a fragment.`);
  if (issuer.endsWith('/'))
    return fail(`${path} must not end with a slash; clients compare it character by character.`);
  const { origin, pathname } = new URL(issuer);
  const usual = origin + (pathname === '/' ? '' : pathname);
  return issuer === usual
    ? issuer
    : fail(`${path} must be written as ${usual}; clients compare it character by character.`);
};

const issuer = refined(
  value<string>(
    'an absolute URL such as https://example.org',
    (given) => typeof given === 'string' && parseUrl(given) !== undefined,
  ),
  checkedIssuer,
);

/** An identifier without a metadata document. */
const identifier = value<string>(
  'an absolute URI without a fragment (RFC 8707 §2)',
  (given) => typeof given === 'string' && parseUrl(given) !== undefined && !given.includes('#'),
);

const resources = either(
  mapOf("an object of addresses or paths, such as { '/mcp': { scopes: ['notes.read'] } }", object(RESOURCE_DEFINITION)),
  listOf('an array of absolute URIs', identifier),
);

const grantName = refined(oneOf<GrantName>(...GRANT_NAMES), grantTypeOf);

/** Authorization code, device code, client credentials and refresh: all grants in which clients never see the owner's password. */
const DEFAULT_GRANTS = ['authorization_code', 'client_credentials', 'refresh_token', DEVICE_CODE_GRANT];

/** The fields of a scope. */
export const SCOPE_FIELDS = {
  description: required(text('one non-empty string; translations has the others'), 'it tells users what they allow'),
  translations: mapOf("an object of languages, such as { de: 'Ihre Fotos sehen' }", text('a non-empty string')),
  rights: listOf('an array of names', text('the name of a right')),
  implies: listOf('an array of scopes', text('the name of a scope')),
} satisfies Schema<ScopeDefinition>;

const scopes = mapOf(
  "an object of scopes and their descriptions, such as { 'photos.read': 'See your photos' }",
  refined(either(text('a description for the users who are asked to allow it'), object(SCOPE_FIELDS)), (given) =>
    typeof given === 'string' ? { description: given } : given,
  ),
  /^[\u0021\u0023-\u005b\u005d-\u007e]+$/,
  'contains a character that is not allowed in scopes (a space, a quotation mark, a backslash)',
);

const paths = {
  authorize: path('/oauth/authorize'),
  token: path('/oauth/token'),
  device: path('/oauth/device'),
  introspect: path('/oauth/introspect'),
  revoke: path('/oauth/revoke'),
} satisfies Schema<Record<PathName, string | readonly string[]>>;

/** The paths of all other endpoints. */
export const FIXED_PATHS = {
  deviceVerify: ['/oauth/device/verify'],
  grants: ['/oauth/grants'],
  jwks: ['/oauth/jwks'],
  metadata: ['/.well-known/oauth-authorization-server'],
} as const satisfies Record<FixedPathName, readonly [string]>;

const metadata = refined(
  value<Readonly<Record<string, unknown>>>(
    'an object of members with JSON values',
    (given) => isRecord(given) && isJson(given),
  ),
  (members, at) => {
    const own = Object.keys(members).find(isServerMember);
    return own === undefined
      ? members
      : fail(`${at}.${own} is set by the server. Change the corresponding option instead.`);
  },
);

const lifetimes = {
  authorizationCode: wholeNumber(60, 1, 600, 'seconds'),
  // An hour in milliseconds is more.
  accessToken: wholeNumber(3600, 1, 30 * DAY, 'seconds'),
  refreshTokenIdle: wholeNumber(14 * DAY, 1, 3650 * DAY, 'seconds'),
  refreshTokenAbsolute: wholeNumber(90 * DAY, 1, 3650 * DAY, 'seconds'),
  refreshGrace: wholeNumber(10, 0, 60, 'seconds'),
  codeReplayTolerance: wholeNumber(0, 0, 60, 'seconds'),
  deviceCode: wholeNumber(600, 60, 1800, 'seconds'),
  session: wholeNumber(3600, 60, MAX_SESSION_LIFETIME, 'seconds'),
  rememberedConsent: wholeNumber(0, 0, 3650 * DAY, 'seconds'),
} satisfies Schema<Lifetimes>;

const runtime = {
  clock: orElse(
    fn<NonNullable<Runtime['clock']>>('a function that returns milliseconds since the epoch, such as Date.now'),
    systemClock,
    '`Date.now`',
  ),
  random: orElse(
    fn<NonNullable<Runtime['random']>>('a function that returns a given number of random bytes'),
    systemRandom,
    '`crypto.randomBytes`',
  ),
  timer: orElse(
    fn<NonNullable<Runtime['timer']>>(
      'a function that calls another one later, and returns a function that cancels the call',
    ),
    systemTimer,
    '`setTimeout`',
  ),
} satisfies Schema<Runtime>;

const RUNTIME = object(runtime);

const origin = value<string>(
  "an origin such as 'https://app.example', without a path, or '*'",
  (given) => given === '*' || isOrigin(given),
);

const CLAIMS = object({
  names: required(listOf('an array of names', text('the name of a claim'))),
  of: required(fn<ClaimsPart['of']>('a function that returns the claims of a token')),
} satisfies Schema<ClaimsPart>);

/** Every option of the server: accepted values, default, check. The option reference is generated from it. */
export const SERVER_OPTIONS = {
  store: required(
    having<Store>(
      'a store with the functions add, swap, get and delete, such as memoryStore() of oauth-query/stores/memory or await openStore(url) of oauth-query/stores/open; docs/stores.md describes them',
      'add',
      'swap',
      'get',
      'delete',
    ),
  ),
  // One value, like a store: an adapter has it, and a test replaces its clock.
  runtime: orElse(
    refined(value<Runtime>('an object with clock, such as { clock: Date.now }', isRecord), RUNTIME.read),
    RUNTIME.read({}, 'options.runtime'),
    'that of Node',
  ),
  issuer,
  secret: fromEnvironment(SECRETS),
  clients: either(
    value<readonly ClientSource[]>('an array of clients', Array.isArray),
    having<ClientRegistry>('an object with find(client_id)', 'find'),
  ),
  scopes: orElse(scopes, {}, 'none'),
  resources: orElse(resources, [], 'none'),
  jwt: either(
    value<true>('true', (given) => given === true),
    KEY_SOURCE,
  ),
  grants: orElse(listOf('an array of grant types', grantName), DEFAULT_GRANTS, 'all but `password` and `implicit`'),
  owner: fn<Option<'owner'>>('a function of the request'),
  loginUrl: either(
    value<string>('the URL of the sign-in page, or its path such as /login', isPageAddress),
    fn<Extract<Option<'loginUrl'>, (...given: never[]) => unknown>>(
      'a function that returns it for a URL to return to',
    ),
  ),
  users: either(USER_LIST, having<UserDirectory>('an object with authenticate(username, password)', 'authenticate')),
  requirePkce: neverUndefined(flag(false)),
  allowLocalhostRedirects: flag(false),
  validateGrant: neverUndefined(fn<Option<'validateGrant'>>('a function of the grant')),
  features: orElse(
    refined(value<readonly Feature[]>('an array of features, such as [query({ … })]', Array.isArray), readFeatures),
    [],
    'none',
  ),
  claims: refined(
    value<ClaimsPart>("an object with names and of, such as { names: ['tenant'], of: ({ owner }) => … }", isRecord),
    CLAIMS.read,
  ),
  paths: object(paths, { moved: movedFrom('oauthQuery', 'paths.') }),
  metadata: orElse(metadata, {}, 'none'),
  lifetimes: object(lifetimes),
  timeout: wholeNumber(8000, 10, 600_000, 'milliseconds'),
  // Read as the limit at each address.
  sharedAddresses: orElse(
    refined(
      listOf(
        "an array of addresses or networks such as ['203.0.113.7']",
        value<string>(
          "an IP address, or a network such as '203.0.113.0/24'",
          (given) => typeof given === 'string' && isNetwork(given),
        ),
      ),
      limitWith,
    ),
    limitWith([]),
    'none',
  ),
  branding: object(BRANDING_OPTIONS),
  languages: LANGUAGES,
  template: fn<Template>('a function of the view that returns the HTML of the page, or undefined'),
  cors: orElse(listOf("an array of origins such as ['https://app.example']", origin), [], 'none'),
  onEvent: fn<Option<'onEvent'>>('a function of the event'),
  onError: fn<Option<'onError'>>('a function of the error'),
  onWarning: fn<Option<'onWarning'>>('a function of the message and its code'),
} satisfies Schema<ServerOptions>;

/** Options, validated and completed one by one. */
export type CheckedOptions = Checked<typeof SERVER_OPTIONS>;
