import { isPicture, urlProblem } from '../../base/addresses/request-addresses.js';
import { ASSERTION_ALGORITHMS, isSecretKey } from '../../base/public-keys.js';
import {
  condition,
  either,
  fromEnvironment,
  integer,
  isRecord,
  listOf,
  neverUndefined,
  oneOf,
  type Schema,
  type Table,
  text,
  unknownName,
  value,
} from '../../base/schema.js';
import { GRAMMARS } from '../facts/parameters.js';
import { SIGNING_ALGORITHMS } from '../keys/jwk.js';
import { NAME_TAKES, shownName } from './client-metadata.js';
import { ADDRESS, OPENID_FIELDS } from './client-openid.js';
import {
  type AuthenticationMethod,
  type ClientRegistration,
  type CustomGrantName,
  GRANT_NAMES,
  type GrantName,
} from './client.js';
import type { ChallengeMethod } from './pkce.js';
import type { Report } from './registered-scopes.js';

export const isClientId = (given: unknown): given is string =>
  typeof given === 'string' && given !== '' && GRAMMARS.client_id.test(given);

export const CLIENT_ID_TAKES = 'printable ASCII, at most 512 characters';
/** A private key in a registration is a mistake; a symmetric one would be a secret. */
const isPublicJwks = (given: unknown): boolean =>
  isRecord(given) &&
  Array.isArray(given['keys']) &&
  given['keys'].length > 0 &&
  given['keys'].every((key) => isRecord(key) && 'kty' in key && !isSecretKey(key));

const texts = listOf('an array of strings', text('a string', /^/));
const DAY = 86_400;

/** The year 5138 in seconds, or 1973 in milliseconds. */
const LOOKS_LIKE_MILLISECONDS = 1e11;

const picture = value<string>(
  'an https address, an http one on loopback, or a data: URL of a picture (at most 64 KiB)',
  (given) => isPicture(given) || urlProblem(given) === undefined,
);

/** All fields of a registration. Secrets are validated separately. */
export const CLIENT_FIELDS = {
  client_id: value<string>(CLIENT_ID_TAKES, isClientId),
  client_secret: fromEnvironment(value<NonNullable<ClientRegistration['client_secret']>>('a string', () => true)),
  jwks: neverUndefined(
    value<NonNullable<ClientRegistration['jwks']>>(
      'an object with an array of public keys, without any private member',
      isPublicJwks,
    ),
  ),
  jwks_uri: ADDRESS,
  client_name: value<string>(NAME_TAKES, (given) => typeof given === 'string' && shownName(given) !== undefined),
  redirect_uris: texts,
  grant_types: listOf(
    'an array of grant types',
    either(
      oneOf<GrantName>(...GRANT_NAMES),
      value<CustomGrantName>('the URI of a custom grant', (given) => typeof given === 'string' && given.includes(':')),
    ),
  ),
  scope: neverUndefined(text('a string of scopes separated by spaces', /^/)),
  default_scope: text('a string of scopes separated by spaces', /^/),
  token_endpoint_auth_method: oneOf<AuthenticationMethod>(
    'client_secret_basic',
    'client_secret_post',
    'private_key_jwt',
    'none',
  ),
  token_endpoint_auth_signing_alg: oneOf(...ASSERTION_ALGORITHMS),
  code_challenge_methods: listOf('an array of challenge methods', oneOf<ChallengeMethod>('S256', 'plain')),
  require_pkce: condition,
  refresh: oneOf('rotating', 'reusable'),
  dpop_bound_access_tokens: condition,
  require_pushed_authorization_requests: condition,
  introspection_signed_response_alg: oneOf(...SIGNING_ALGORITHMS),
  introspect: condition,
  audience: either(text('a string', /^/), texts),
  exchange_resources: texts,
  disabled: condition,
  tokens_valid_after: value<number>(
    'a whole number of seconds since the epoch, not milliseconds',
    (given) => Number.isSafeInteger(given) && Number(given) >= 0 && Number(given) < LOOKS_LIKE_MILLISECONDS,
  ),
  generation: value<number>('a whole number', (given) => Number.isSafeInteger(given) && Number(given) >= 0),
  consent: oneOf('ask', 'skip'),
  // Within the bounds of the corresponding options.
  access_token_lifetime: integer(1, 365 * DAY, 'seconds'),
  refresh_token_idle_lifetime: integer(1, 3650 * DAY, 'seconds'),
  refresh_token_lifetime: integer(1, 3650 * DAY, 'seconds'),
  refresh_grace: integer(0, 60, 'seconds'),
  logo_uri: picture,
  client_uri: ADDRESS,
  policy_uri: ADDRESS,
  tos_uri: ADDRESS,
  contacts: texts,
  ...OPENID_FIELDS,
} satisfies Schema<ClientRegistration>;

const TABLE: Table = CLIENT_FIELDS;

/** Fields of RFC 7591 that restrict access: ignoring them in a row would grant access. */
export const NOT_IGNORED: Readonly<Record<string, string>> = {
  client_secret_expires_at: 'is not supported; give the client_secret an expiresAt, in milliseconds',
  introspection_encrypted_response_alg: 'is not supported: introspection responses are signed, not encrypted',
  introspection_encrypted_response_enc: 'is not supported: introspection responses are signed, not encrypted',
};

export const unknownField = (name: string): string =>
  Object.hasOwn(NOT_IGNORED, name) ? `${name} ${NOT_IGNORED[name]}` : unknownName(name, '', TABLE);

/** Fields that determine the meaning of others: if one of these is invalid, the others cannot be checked. */
const DECISIVE: ReadonlySet<string> = new Set([
  'client_secret',
  'grant_types',
  'jwks',
  'jwks_uri',
  'redirect_uris',
  'scope',
]);

/**
 * Validates the types of a registration, which may come from JavaScript, so that mistakes do not surface in a later request.
 *
 * @returns the registration without its invalid fields; `undefined` if one of them is decisive.
 */
export const checkTypes = (registration: ClientRegistration, report: Report): ClientRegistration | undefined => {
  const wrong = new Set<string>();
  for (const [name, given] of Object.entries(registration)) {
    try {
      const field = Object.hasOwn(TABLE, name) ? TABLE[name] : undefined;
      if (field === undefined) report(unknownField(name));
      else if (given === undefined && field.refusesUndefined !== undefined)
        report(`${name} is undefined.${field.refusesUndefined}`);
      else field.read(given, name);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      report(error.message);
      wrong.add(name);
    }
  }
  if (wrong.size === 0) return registration;
  if ([...wrong].some((name) => DECISIVE.has(name))) return undefined;
  const { client_id, ...others } = registration;
  return { client_id, ...Object.fromEntries(Object.entries(others).filter(([name]) => !wrong.has(name))) };
};
