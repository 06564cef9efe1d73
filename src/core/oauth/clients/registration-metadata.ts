import { OAuthError } from '../../base/errors.js';
import { MAX_LENGTH, normalizeText } from '../../base/text.js';
import { redirectUriProblem } from '../authorization/redirect-uri.js';
import type { ClientMetadata, Registrations } from './registrations.js';

type Given = Readonly<Record<string, unknown>>;

const MAX_URIS = 10;
const MAX_URI_LENGTH = 512;
/** Characters as perceived by users. */
const MAX_NAME_LENGTH = 100;

const invalid = (description: string): OAuthError => new OAuthError('invalid_client_metadata', description);
const invalidUri = (description: string): OAuthError => new OAuthError('invalid_redirect_uri', description);

/** An own member; `null` counts as absent. */
const member = (given: Given, name: string): unknown =>
  Object.hasOwn(given, name) && given[name] !== null ? given[name] : undefined;

const textOf = (given: Given, name: string): string | undefined => {
  const value = member(given, name);
  if (value !== undefined && typeof value !== 'string') throw invalid(`${name} must be text.`);
  return value;
};

const textsOf = (given: Given, name: string): readonly string[] | undefined => {
  const value = member(given, name);
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || !value.every((item): item is string => typeof item === 'string'))
    throw invalid(`${name} must be an array of strings.`);
  return value;
};

/** Control characters, direction marks, and everything else that is invisible. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** A name without invisible characters, which could distort the text around it. */
const nameOf = (given: Given): string | undefined => {
  const text = textOf(given, 'client_name');
  if (text === undefined) return undefined;
  const name = normalizeText(text, 'NFC', MAX_LENGTH.name)?.replace(/\s+/gu, ' ').replace(INVISIBLE, '').trim();
  if (name === undefined || [...name].length > MAX_NAME_LENGTH)
    throw invalid(`client_name must have at most ${MAX_NAME_LENGTH} characters.`);
  return name === '' ? undefined : name;
};

const APP_OR_WEB = /^(?:https?|[a-z][a-z0-9+.-]*):/i;

const checkUri = (uri: unknown, schemes: readonly string[]): string => {
  if (typeof uri !== 'string' || uri.length > MAX_URI_LENGTH)
    throw invalidUri(`Each of redirect_uris must be text of at most ${MAX_URI_LENGTH} characters.`);
  const problem = redirectUriProblem(uri);
  if (problem !== undefined) throw invalidUri(`One of redirect_uris ${problem}.`);
  const scheme = (APP_OR_WEB.exec(uri)?.[0] ?? '').slice(0, -1).toLowerCase();
  if (!['http', 'https', ...schemes].includes(scheme))
    throw invalidUri('One of redirect_uris has a scheme that this server does not allow; use https or a loopback URL.');
  return uri;
};

const redirectUrisOf = (given: Given, { redirectSchemes }: Registrations): readonly string[] => {
  const uris: unknown = member(given, 'redirect_uris');
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > MAX_URIS)
    throw invalidUri(`redirect_uris must be an array of 1 to ${MAX_URIS} URIs.`);
  return [...new Set(uris.map((uri) => checkUri(uri, redirectSchemes)))];
};

/** A client may list more than the server supports, but it must be able to use what it gets. */
const grantTypesOf = (given: Given, { refreshes }: Registrations): ClientMetadata['grant_types'] => {
  const { grants, responses } = {
    grants: textsOf(given, 'grant_types') ?? ['authorization_code', 'refresh_token'],
    responses: textsOf(given, 'response_types') ?? ['code'],
  };
  if (!grants.includes('authorization_code'))
    throw invalid('grant_types must contain authorization_code, the only grant of registered clients.');
  if (!responses.includes('code')) throw invalid('response_types must contain code.');
  return refreshes && grants.includes('refresh_token')
    ? ['authorization_code', 'refresh_token']
    : ['authorization_code'];
};

const scopeOf = (given: Given, registrations: Registrations): string | undefined => {
  const words = textOf(given, 'scope')?.split(' ') ?? [];
  const known = registrations.knownScopes([...new Set(words)]);
  return known.length === 0 ? undefined : known.join(' ');
};

/**
 * Reads client metadata. Unsupported values are omitted, as RFC 7591 §2 allows; values that the client could not work
 * with, or that owners could not read, are rejected.
 *
 * @throws OAuthError `invalid_redirect_uri` or `invalid_client_metadata` (RFC 7591 §3.2.2).
 */
export const readClientMetadata = (body: unknown, registrations: Registrations): ClientMetadata => {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalid('The request body must be a JSON object.');
  const given = body as Given;
  const redirect_uris = redirectUrisOf(given, registrations);
  const client_name = nameOf(given);
  const scope = scopeOf(given, registrations);
  // It becomes a public client, whatever it requested; but the value must be valid.
  textOf(given, 'token_endpoint_auth_method');
  return {
    ...(client_name !== undefined && { client_name }),
    redirect_uris,
    grant_types: grantTypesOf(given, registrations),
    ...(scope !== undefined && { scope }),
  };
};
