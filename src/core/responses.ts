import { BearerError, OAuthError, UnavailableError } from './errors.js';
import type { HttpResponse } from './http.js';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Tokens and errors about them are for one reader only. RFC 6749 §5.1 asks for both headers. */
const NO_STORE = {
  'content-type': JSON_TYPE,
  'cache-control': 'no-store',
  pragma: 'no-cache',
} as const;

/** A JSON answer that no cache keeps. */
export const json = (status: number, value: object, headers?: Readonly<Record<string, string>>): HttpResponse => ({
  status,
  headers: headers === undefined ? NO_STORE : { ...NO_STORE, ...headers },
  body: JSON.stringify(value),
});

/** A JSON document that is the same for everybody. */
export const publicJson = (value: object, maxAge: number): HttpResponse => ({
  status: 200,
  headers: { 'content-type': JSON_TYPE, 'cache-control': `public, max-age=${maxAge}` },
  body: JSON.stringify(value),
});

/** Sends the browser on. 303 makes it a GET whatever it was before (RFC 9700 §4.12). */
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

/** The answer when something broke that the protocol has no name for: nothing of it reaches the client. */
export const serverError = (): OAuthError =>
  new OAuthError('server_error', 'The server could not handle this request.');

/** The answer while the store cannot be asked. */
export const unavailable = (): OAuthError =>
  new OAuthError('temporarily_unavailable', 'The server cannot answer this right now. Try again later.', {
    headers: { 'retry-after': '5' },
  });

/** A challenge for the WWW-Authenticate header (RFC 9110 §11.6.1). */
export const challenge = (scheme: string, parameters: Readonly<Record<string, string | undefined>>): string =>
  `${scheme} ${Object.entries(parameters)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${asQuotedString(value)}`]))
    .join(', ')}`;

/** A refused bearer token as RFC 6750 §3 wants it. Without a token the challenge carries no error. */
export const bearerErrorResponse = (error: BearerError, realm: string): HttpResponse => {
  const description = error.code === undefined ? undefined : asDescription(error.message);
  const header = challenge('Bearer', {
    realm,
    error: error.code,
    error_description: description,
    scope: error.scope,
  });
  return json(error.status, error.code === undefined ? {} : { error: error.code, error_description: description }, {
    'www-authenticate': header,
  });
};

const REALM = 'oauth';

/** What an error of ours means to a client; what is not ours is told to the host, whole, and to nobody else. */
export const protocolError = (error: unknown, onError: (error: unknown) => void): OAuthError | BearerError => {
  if (error instanceof OAuthError || error instanceof BearerError) return error;
  onError(error);
  return error instanceof UnavailableError ? unavailable() : serverError();
};

/** An error as a program reads it. */
export const errorResponse = (error: unknown, onError: (error: unknown) => void): HttpResponse => {
  const known = protocolError(error, onError);
  return known instanceof BearerError ? bearerErrorResponse(known, REALM) : oauthErrorResponse(known);
};
