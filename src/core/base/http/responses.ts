import { BearerError, OAuthError, UnavailableError } from '../errors.js';
import type { HttpResponse } from './messages.js';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Tokens, and errors about them, are for one reader only. RFC 6749 §5.1 requires both headers. */
const NO_STORE = {
  'content-type': JSON_TYPE,
  'cache-control': 'no-store',
  pragma: 'no-cache',
} as const;

/** A JSON response that must not be cached. */
export const json = (status: number, value: object, headers?: Readonly<Record<string, string>>): HttpResponse => ({
  status,
  headers: headers === undefined ? NO_STORE : { ...NO_STORE, ...headers },
  body: JSON.stringify(value),
});

/** A JSON document that is the same for all callers. */
export const publicJson = (value: object, maxAge: number): HttpResponse => ({
  status: 200,
  headers: { 'content-type': JSON_TYPE, 'cache-control': `public, max-age=${maxAge}` },
  body: JSON.stringify(value),
});

/** Redirects the browser. 303 turns any method into a GET (RFC 9700 §4.12). */
export const redirect = (
  location: string,
  status: 302 | 303,
  headers?: Readonly<Record<string, string | readonly string[]>>,
): HttpResponse => ({
  status,
  headers: {
    location,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    ...headers,
  },
  body: '',
});

/** RFC 6749 §5.2 allows printable ASCII without the quotation mark and the backslash. */
const asDescription = (text: string): string => text.replace(/["\\]/g, "'").replace(/[^\x20-\x7e]/g, '?');

const asQuotedString = (text: string): string => `"${text.replace(/[^\x20-\x7e]/g, '?').replace(/["\\]/g, '\\$&')}"`;

/** An OAuth error as JSON (RFC 6749 §5.2). */
export const oauthErrorResponse = (error: OAuthError): HttpResponse =>
  json(error.status, { error: error.code, error_description: asDescription(error.message) }, error.headers);

/** The response to an unexpected error, without any of its details. */
export const serverError = (): OAuthError =>
  new OAuthError('server_error', 'The server could not handle this request.');

/** The response while the store cannot be reached. */
export const unavailable = (): OAuthError =>
  new OAuthError('temporarily_unavailable', 'The server cannot answer this right now. Try again later.', {
    headers: { 'retry-after': '5' },
  });

/** A challenge for the WWW-Authenticate header (RFC 9110 §11.6.1). */
export const challenge = (scheme: string, parameters: Readonly<Record<string, string | undefined>>): string =>
  `${scheme} ${Object.entries(parameters)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${asQuotedString(value)}`]))
    .join(', ')}`;

const REALM = 'oauth';

/** The route that rejected a request. */
interface RefusedRoute {
  /** The URL of the metadata, if the route belongs to a resource that has one. */
  readonly metadata?: string | undefined;
  /** The scopes a token needs there. */
  readonly scopes: readonly string[];
}

/**
 * The response to a rejected bearer token (RFC 6750 §3). Without a token there is no error information for clients, only a message for the people who write them. For a resource it contains the URL of
 * the metadata (RFC 9728 §5.1), and scripts may read it.
 */
const bearerErrorResponse = (error: BearerError, { metadata, scopes }: RefusedRoute): HttpResponse => {
  const text = asDescription(error.message);
  const description = error.code === undefined ? undefined : text;
  const needed = metadata === undefined || error.status !== 401 || scopes.length === 0 ? undefined : scopes.join(' ');
  const header = challenge('Bearer', {
    ...(metadata === undefined ? { realm: REALM } : { resource_metadata: metadata }),
    error: error.code,
    error_description: description,
    scope: error.scope ?? needed,
  });
  return json(
    error.status,
    error.code === undefined ? { message: text } : { error: error.code, error_description: description },
    {
      'www-authenticate': header,
      ...(metadata !== undefined && { 'access-control-expose-headers': 'www-authenticate' }),
    },
  );
};

/** Converts an error to one of the protocol. Errors that are not part of it are passed to the application in full, and to the client not at all. */
export const protocolError = (error: unknown, onError: (error: unknown) => void): OAuthError | BearerError => {
  if (error instanceof OAuthError || error instanceof BearerError) return error;
  onError(error);
  return error instanceof UnavailableError ? unavailable() : serverError();
};

/** An error as JSON. */
export const errorResponse = (
  error: unknown,
  onError: (error: unknown) => void,
  route: RefusedRoute = { scopes: [] },
): HttpResponse => {
  const known = protocolError(error, onError);
  return known instanceof BearerError ? bearerErrorResponse(known, route) : oauthErrorResponse(known);
};
