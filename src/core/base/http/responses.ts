import { BearerError, OAuthError, UnavailableError } from '../errors.js';
import type { HttpResponse } from './messages.js';

/** Why a token is rejected, for a program that responds in its own way. */
export interface Refusal {
  /** The HTTP status of a guard's response: 400, 401, 403, 429, 500 or 503. */
  readonly status: number;
  /** The error code, such as `invalid_token` (RFC 6750 §3.1); `undefined` without a token. */
  readonly error: string | undefined;
  /** For the people who write clients, in printable ASCII. */
  readonly message: string;
  /** Headers of a guard's response, by lower-case name, such as `www-authenticate`, `retry-after` and `cache-control`. */
  readonly headers: Readonly<Record<string, string>>;
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** Tokens, and errors about them, are for one reader only. RFC 6749 §5.1 requires both headers. */
const NO_STORE = { 'content-type': JSON_TYPE, 'cache-control': 'no-store', pragma: 'no-cache' } as const;

/** A JSON response that must not be cached. */
export const json = (status: number, value: object, headers?: Readonly<Record<string, string>>): HttpResponse => ({
  status,
  headers: headers === undefined ? NO_STORE : Object.assign({}, NO_STORE, headers),
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

/** RFC 6749 §4.1.2.1 and §5.2 allow printable ASCII without the quotation mark and the backslash. */
export const asDescription = (text: string): string => text.replace(/["\\]/g, "'").replace(/[^\x20-\x7e]/g, '?');

const asQuotedString = (text: string): string => `"${text.replace(/[^\x20-\x7e]/g, '?').replace(/["\\]/g, '\\$&')}"`;

/** An OAuth error as JSON (RFC 6749 §5.2). */
export const oauthErrorResponse = (error: OAuthError): HttpResponse => responseTo(oauthRefusal(error));

const oauthRefusal = (error: OAuthError): Refusal => ({
  status: error.status,
  error: error.code,
  message: asDescription(error.message),
  headers: error.headers,
});

/** Without an error code, the message is for people only (RFC 6750 §3.1). */
const responseTo = ({ status, error, message, headers }: Refusal): HttpResponse =>
  json(status, error === undefined ? { message } : { error, error_description: message }, headers);

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
export interface RefusedRoute {
  /** The URL of the metadata, if the route belongs to a resource that has one. */
  readonly metadata?: string | undefined;
  /** The scopes a token needs there. */
  readonly scopes: readonly string[];
  /** The algorithms of proofs, if tokens may be bound to keys. */
  readonly proofAlgorithms?: readonly string[] | undefined;
}

/**
 * Why a bearer token is rejected (RFC 6750 §3). Without a token there is no error information for clients, only a message for the people who write them. For a resource it contains the URL of
 * the metadata (RFC 9728 §5.1), and scripts may read it.
 */
const bearerRefusal = (error: BearerError, { metadata, scopes, proofAlgorithms }: RefusedRoute): Refusal => {
  const message = asDescription(error.message);
  const isAboutProof = error.code === 'invalid_dpop_proof' || error.code === 'use_dpop_nonce';
  const needed = metadata === undefined || error.status !== 401 || scopes.length === 0 ? undefined : scopes.join(' ');
  const problem = error.code && { error: error.code, error_description: message, ...error.signIn };
  const bearer = challenge('Bearer', {
    ...(metadata === undefined ? { realm: REALM } : { resource_metadata: metadata }),
    ...(!isAboutProof && problem),
    scope: error.scope ?? needed,
  });
  const isBearerAlone = proofAlgorithms === undefined || error.status !== 401;
  const all = isBearerAlone ? [bearer] : [bearer, challenge('DPoP', { ...problem, algs: proofAlgorithms.join(' ') })];
  // Some clients only read the first challenge: Bearer, unless they can repeat their proof with a nonce.
  const header = (error.code === 'use_dpop_nonce' ? all.toReversed() : all).join(', ');
  return {
    status: error.status,
    error: error.code,
    message,
    headers: {
      'www-authenticate': header,
      ...(metadata !== undefined && { 'access-control-expose-headers': 'www-authenticate' }),
      ...error.headers,
    },
  };
};

/** Converts an error to one of the protocol. Errors that are not part of it are passed to the application in full, and to the client not at all. */
export const protocolError = (error: unknown, onError: (error: unknown) => void): OAuthError | BearerError => {
  if (error instanceof OAuthError || error instanceof BearerError) return error;
  onError(error);
  return error instanceof UnavailableError ? unavailable() : serverError();
};

/** Why a request or a token is rejected. */
export const refusalOf = (
  error: unknown,
  onError: (error: unknown) => void,
  route: RefusedRoute = { scopes: [] },
): Refusal => {
  const known = protocolError(error, onError);
  const refusal = known instanceof BearerError ? bearerRefusal(known, route) : oauthRefusal(known);
  return { ...refusal, headers: { 'cache-control': NO_STORE['cache-control'], ...refusal.headers } };
};

/** An error as JSON. */
export const errorResponse = (error: unknown, onError: (error: unknown) => void, route?: RefusedRoute): HttpResponse =>
  responseTo(refusalOf(error, onError, route));
