import { OAUTH_ERRORS } from '../../errors.js';
import { ref, type Schema } from '../../openapi.js';

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
    scope: text('What was granted, separated by spaces.'),
    refresh_token: text('Only for clients that may refresh.'),
  },
};

const DEVICE_AUTHORIZATION: Schema = {
  type: 'object',
  description: 'RFC 8628 §3.2.',
  required: ['device_code', 'user_code', 'verification_uri', 'expires_in', 'interval'],
  properties: {
    device_code: text('For the device alone: who knows it can ask for the token.'),
    user_code: text('For the owner, who types it at verification_uri.'),
    verification_uri: { type: 'string', format: 'uri' },
    verification_uri_complete: { type: 'string', format: 'uri' },
    expires_in: seconds('Seconds.'),
    interval: seconds('Seconds to wait between two polls.'),
  },
};

const INTROSPECTION: Schema = {
  description: 'RFC 7662 §2.2. What the caller may not see is as inactive as what there is not.',
  oneOf: [
    { type: 'object', required: ['active'], properties: { active: { enum: [false] } }, additionalProperties: false },
    {
      type: 'object',
      required: ['active', 'sub', 'client_id', 'scope', 'aud', 'iss', 'exp', 'iat'],
      properties: {
        active: { enum: [true] },
        sub: text('The owner, or client:<client_id> for the token of a client by itself.'),
        username: text('Absent for the token of a client by itself.'),
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
  description: 'RFC 6750 §3.1. Empty where no token was shown.',
  properties: {
    error: { type: 'string', enum: ['invalid_request', 'invalid_token', 'insufficient_scope'] },
    error_description: TEXT,
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

/** The schema of a document whose fields say by themselves what they are: text, list of texts, or flag. */
export const schemaOfDocument = (document: object): Schema => {
  const fields = Object.entries(document);
  const schemaOf = (value: unknown): Schema => {
    if (Array.isArray(value)) return { type: 'array', items: TEXT };
    if (typeof value === 'boolean') return { type: 'boolean' };
    return { type: 'string', ...(URL.canParse(String(value)) ? { format: 'uri' } : {}) };
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
  'Retry-After': { description: 'Seconds after which to try again.', schema: NUMBER },
  Location: { description: 'Where the browser goes on.', schema: { type: 'string', format: 'uri-reference' } },
} as const;

const header = (name: keyof typeof OAUTH_HEADERS): object => ({ [name]: ref('headers', name) });

/** A successful JSON answer. */
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
  BadRequest: refusal('The request is refused; error says why.'),
  InvalidClient: refusal('The client is not known or did not prove who it is.', header('WWW-Authenticate')),
  Unauthenticated: {
    description: 'The caller is not known, or its token is not valid.',
    headers: header('WWW-Authenticate'),
    content: { 'application/json': { schema: { anyOf: ['OAuthError', 'BearerError'].map((s) => ref('schemas', s)) } } },
  },
  BodyTooLarge: refusal('The body is too large.'),
  TooManyRequests: refusal('Too many failed attempts.', header('Retry-After')),
  ServerError: refusal('The server could not handle the request.'),
  Unavailable: refusal('The store cannot be asked at the moment.', header('Retry-After')),
  Page: page('A page for the person in front of the browser: signing in, deciding, or what came of it.'),
  ErrorPage: page('A page that says what is wrong.'),
  TooManyAttemptsPage: page('A page that says when to try again.', header('Retry-After')),
  Redirect: { description: 'The browser goes on: to the client, or to sign in.', headers: header('Location') },
};

const byStatus = (names: Readonly<Record<string, string>>): Readonly<Record<string, object>> =>
  Object.fromEntries(Object.entries(names).map(([status, name]) => [status, ref('responses', name)]));

/** What every endpoint for programs may answer beside its success. */
export const PROGRAM_REFUSALS = byStatus({
  400: 'BadRequest',
  401: 'InvalidClient',
  413: 'BodyTooLarge',
  429: 'TooManyRequests',
  500: 'ServerError',
  503: 'Unavailable',
});

export const INTROSPECTION_REFUSALS = { ...PROGRAM_REFUSALS, ...byStatus({ 401: 'Unauthenticated' }) };

/** What every page for people may answer. */
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
