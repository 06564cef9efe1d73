import { OAUTH_ERRORS } from '../../base/errors.js';
import { ref, type Schema } from '../../base/openapi.js';
import { parseUrl } from '../../base/url.js';

/** What the endpoints of the authorization server answer. */

const TEXT: Schema = { type: 'string' };
const NUMBER: Schema = { type: 'integer' };

const text = (description: string): Schema => ({ type: 'string', description });
const seconds = (description: string): Schema => ({ type: 'integer', description });

const TOKEN_RESPONSE: Schema = {
  type: 'object',
  description: 'RFC 6749 §5.1.',
  required: ['access_token', 'token_type', 'expires_in', 'scope'],
  properties: {
    access_token: TEXT,
    token_type: { type: 'string', enum: ['Bearer'] },
    expires_in: seconds('Seconds.'),
    scope: text('The granted scopes, separated by spaces.'),
    refresh_token: text('Only for clients that may refresh.'),
  },
};

const DEVICE_AUTHORIZATION: Schema = {
  type: 'object',
  description: 'RFC 8628 §3.2.',
  required: ['device_code', 'user_code', 'verification_uri', 'expires_in', 'interval'],
  properties: {
    device_code: text('For the device only: it can be exchanged for the token.'),
    user_code: text('For the owner, who enters it at verification_uri.'),
    verification_uri: { type: 'string', format: 'uri' },
    verification_uri_complete: { type: 'string', format: 'uri' },
    expires_in: seconds('Seconds.'),
    interval: seconds('Minimum seconds between two polls.'),
  },
};

const TEXTS: Schema = { type: 'array', items: TEXT };

/** The metadata of a client: the registered part is returned. */
const METADATA_PROPERTIES: Readonly<Record<string, Schema>> = {
  client_name: text('At most 100 characters. Shown to owners.'),
  redirect_uris: { type: 'array', items: { type: 'string', maxLength: 512 }, minItems: 1, maxItems: 10 },
  grant_types: { ...TEXTS, description: 'authorization_code, and refresh_token for a client that refreshes.' },
  response_types: TEXTS,
  token_endpoint_auth_method: text('Becomes none.'),
  scope: text('The scope of requests that name none.'),
};

/** The body of a registration. */
export const CLIENT_METADATA: Schema = {
  type: 'object',
  description: 'RFC 7591 §2. Other members are ignored.',
  required: ['redirect_uris'],
  properties: METADATA_PROPERTIES,
};

export const REGISTRATION_SCHEMA: Readonly<Record<string, Schema>> = {
  RegisteredClient: {
    type: 'object',
    description: 'RFC 7591 §3.2.1.',
    required: [
      'client_id',
      'client_id_issued_at',
      'redirect_uris',
      'grant_types',
      'response_types',
      'token_endpoint_auth_method',
    ],
    properties: {
      client_id: text('At most 1,500 characters.'),
      client_id_issued_at: seconds('Seconds since the epoch.'),
      ...METADATA_PROPERTIES,
    },
  },
};

const INTROSPECTION: Schema = {
  description: 'RFC 7662 §2.2. Tokens the caller may not see are inactive, like unknown ones.',
  oneOf: [
    { type: 'object', required: ['active'], properties: { active: { enum: [false] } }, additionalProperties: false },
    {
      type: 'object',
      required: ['active', 'sub', 'client_id', 'scope', 'aud', 'iss', 'exp', 'iat'],
      properties: {
        active: { enum: [true] },
        sub: text("The owner, or client:<client_id> for a client's own token."),
        username: text("Absent for a client's own token."),
        client_id: TEXT,
        scope: text('Separated by spaces.'),
        aud: { anyOf: [TEXT, { type: 'array', items: TEXT }] },
        iss: { type: 'string', format: 'uri' },
        exp: seconds('Seconds since the epoch.'),
        iat: seconds('Seconds since the epoch.'),
        token_type: { type: 'string', enum: ['Bearer'], description: 'Absent for a refresh token.' },
      },
    },
  ],
};

const OAUTH_ERROR: Schema = {
  type: 'object',
  description: 'RFC 6749 §5.2.',
  required: ['error'],
  properties: {
    error: {
      type: 'string',
      enum: Object.keys(OAUTH_ERRORS),
      description: 'For programs.',
    },
    error_description: text('For developers, in printable ASCII.'),
  },
};

const BEARER_ERROR: Schema = {
  type: 'object',
  description: 'RFC 6750 §3.1. Only a message if the request had no token.',
  properties: {
    error: { type: 'string', enum: ['invalid_request', 'invalid_token', 'insufficient_scope'] },
    error_description: TEXT,
    message: TEXT,
  },
};

const KEY_SET: Schema = {
  type: 'object',
  description: 'RFC 7517 §5.',
  required: ['keys'],
  properties: {
    keys: {
      type: 'array',
      items: {
        type: 'object',
        required: ['kty', 'kid', 'alg', 'use'],
        properties: { kty: TEXT, kid: TEXT, alg: TEXT, use: TEXT },
      },
    },
  },
};

export const OAUTH_SCHEMAS: Readonly<Record<string, Schema>> = {
  TokenResponse: TOKEN_RESPONSE,
  DeviceAuthorization: DEVICE_AUTHORIZATION,
  Introspection: INTROSPECTION,
  OAuthError: OAUTH_ERROR,
  BearerError: BEARER_ERROR,
};

export const KEY_SET_SCHEMA: Readonly<Record<string, Schema>> = { KeySet: KEY_SET };

/** The schema of a document, derived from the types of its values: string, array of strings, or boolean. */
export const schemaOfDocument = (document: object): Schema => {
  const fields = Object.entries(document);
  const schemaOf = (value: unknown): Schema => {
    if (Array.isArray(value)) return { type: 'array', items: TEXT };
    if (typeof value === 'boolean') return { type: 'boolean' };
    return { type: 'string', ...(parseUrl(String(value)) !== undefined ? { format: 'uri' } : {}) };
  };
  return {
    type: 'object',
    description: 'RFC 8414 §2.',
    required: fields.map(([name]) => name),
    properties: Object.fromEntries(fields.map(([name, value]) => [name, schemaOf(value)])),
  };
};

export const OAUTH_HEADERS = {
  'WWW-Authenticate': { description: 'How to authenticate, and what was wrong.', schema: TEXT },
  'Retry-After': { description: 'Seconds until the next attempt.', schema: NUMBER },
  Location: { description: 'The next URL of the browser.', schema: { type: 'string', format: 'uri-reference' } },
} as const;

const header = (name: keyof typeof OAUTH_HEADERS): object => ({ [name]: ref('headers', name) });

/** A successful JSON response. */
export const jsonAnswer = (description: string, schema: Schema): object => ({
  description,
  content: { 'application/json': { schema } },
});

const refusal = (description: string, headers?: object): object => ({
  ...jsonAnswer(description, ref('schemas', 'OAuthError')),
  ...(headers === undefined ? {} : { headers }),
});

const page = (description: string, headers?: object): object => ({
  description,
  ...(headers === undefined ? {} : { headers }),
  content: { 'text/html': {} },
});

export const OAUTH_RESPONSES: Readonly<Record<string, object>> = {
  BadRequest: refusal('The request is rejected; error contains the reason.'),
  InvalidClient: refusal('The client is unknown or failed to authenticate.', header('WWW-Authenticate')),
  Unauthenticated: {
    description: 'The caller is unknown, or its token is not valid.',
    headers: header('WWW-Authenticate'),
    content: { 'application/json': { schema: { anyOf: ['OAuthError', 'BearerError'].map((s) => ref('schemas', s)) } } },
  },
  BodyTooLarge: refusal('The body is too large.'),
  TooManyRequests: refusal('Too many failed attempts.', header('Retry-After')),
  ServerError: refusal('The server could not handle the request.'),
  Unavailable: refusal('The store is currently unavailable.', header('Retry-After')),
  Page: page('A page for the user: sign-in, a decision, or its result.'),
  ErrorPage: page('A page that explains the error.'),
  TooManyAttemptsPage: page('A page that says when to try again.', header('Retry-After')),
  Redirect: {
    description: 'Redirects the browser, to the client or to the sign-in page.',
    headers: header('Location'),
  },
};

const byStatus = (names: Readonly<Record<string, string>>): Readonly<Record<string, object>> =>
  Object.fromEntries(Object.entries(names).map(([status, name]) => [status, ref('responses', name)]));

/** Registration needs no authentication. */
export const REGISTRATION_REFUSALS = byStatus({
  400: 'BadRequest',
  413: 'BodyTooLarge',
  429: 'TooManyRequests',
  500: 'ServerError',
  503: 'Unavailable',
});

/** Errors of every endpoint for programs. */
export const PROGRAM_REFUSALS = byStatus({
  400: 'BadRequest',
  401: 'InvalidClient',
  413: 'BodyTooLarge',
  429: 'TooManyRequests',
  500: 'ServerError',
  503: 'Unavailable',
});

export const INTROSPECTION_REFUSALS = { ...PROGRAM_REFUSALS, ...byStatus({ 401: 'Unauthenticated' }) };

/** Responses of every page. */
export const PAGE_RESPONSES = byStatus({
  200: 'Page',
  302: 'Redirect',
  303: 'Redirect',
  400: 'ErrorPage',
  413: 'ErrorPage',
  429: 'TooManyAttemptsPage',
  500: 'ErrorPage',
  503: 'ErrorPage',
});
