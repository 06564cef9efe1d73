import { findResource } from '../addresses/resource.js';
import type { Authorization, AuthorizationWith } from '../authorization.js';
import { BearerError } from '../errors.js';
import { hasScopes } from '../scope.js';
import { type HttpRequest, type HttpResponse, hasRepeatedAuthorization } from './messages.js';
import type { Refusal } from './responses.js';
import { hasParameter } from './urlencoded.js';

/** What a route requires of a token. */
export interface GuardRequirement {
  /** All of these are required. */
  readonly scopes: readonly string[];
  /** The token must be for one of these; the issuer if absent. */
  readonly audience?: readonly string[] | undefined;
  /** The URL of the resource's metadata (RFC 9728), which error responses then contain. */
  readonly metadata?: string | undefined;
  /** One of these authentication context classes (RFC 9470). */
  readonly acr?: readonly string[] | undefined;
  /** Seconds: how long ago the owner may have signed in (RFC 9470). */
  readonly maxAge?: number | undefined;
  /** `required`: the token must be bound to a key (RFC 9449). */
  readonly dpop?: 'required' | undefined;
  /** `refuse`: nobody may act for the owner (RFC 8693 §4.1). */
  readonly act?: 'refuse' | undefined;
}

/** A token that may pass. */
export interface Admitted {
  /** The contents of the token. */
  readonly authorization: Authorization;
  /** Headers to add to the response, such as a new nonce. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Either the authorization, or the error response to send. */
export type GuardResult =
  | Admitted
  | {
      /** The response to send instead. */
      readonly response: HttpResponse;
    };

/** Either the authorization of a token, or why it is rejected. */
export type CheckResult<C extends object = {}> =
  | {
      /** The contents of the token. */
      readonly authorization: AuthorizationWith<C>;
      /** Absent. */
      readonly refused?: undefined;
    }
  | {
      /** Absent. */
      readonly authorization?: undefined;
      /** Why the token is rejected. */
      readonly refused: Refusal;
    };

/** A token, and how it was sent. */
export interface PresentedToken {
  readonly token: string;
  readonly scheme: 'Bearer' | 'DPoP';
}

const BEARER = /^bearer(?: +|$)/i;
const DPOP = /^dpop(?: +|$)/i;

const afterScheme = (header: string, scheme: RegExp): string | undefined => {
  const start = scheme.exec(header)?.[0];
  const token = start === undefined ? '' : header.slice(start.length).trimEnd();
  return token === '' ? undefined : token;
};

/** The token in an `Authorization` header; `undefined` if there is none, or another scheme. */
export const tokenIn = (header: string): string | undefined => afterScheme(header, BEARER);

/** Like {@link tokenIn}, also for a token that is bound to a key. */
export const anyTokenIn = (header: string): string | undefined => tokenIn(header) ?? afterScheme(header, DPOP);

const presentedIn = (header: string, isBound: boolean): PresentedToken | undefined => {
  const token = tokenIn(header);
  if (token !== undefined) return { token, scheme: 'Bearer' };
  const bound = isBound ? afterScheme(header, DPOP) : undefined;
  return bound === undefined ? undefined : { token: bound, scheme: 'DPoP' };
};

/**
 * The access token of a request, from the only place where it is accepted (RFC 6750 §2.1, RFC 9449 §7.1).
 *
 * @param isBound - Whether tokens may be bound to keys; otherwise `DPoP` is another scheme.
 * @returns `undefined` if there is none, or another scheme.
 * @throws BearerError `invalid_request` if there are several.
 */
export const presentedToken = (request: HttpRequest, isBound: boolean): PresentedToken | undefined => {
  const header = request.header('authorization');
  if (header === undefined) return undefined;
  if (hasRepeatedAuthorization(request.rawHeaders))
    throw new BearerError('invalid_request', 'The Authorization header must not be repeated.');
  const presented = presentedIn(header, isBound);
  if (presented === undefined) return undefined;
  // RFC 6750 §2: a client must not use more than one method. A token in the query is never read.
  if (hasParameter(request.query, 'access_token')) {
    throw new BearerError('invalid_request', 'The token must only be sent in the Authorization header.');
  }
  return presented;
};

const boundToken = (): BearerError =>
  new BearerError(
    'invalid_token',
    'The access token is bound to a key. Send it as Authorization: DPoP ACCESS_TOKEN, with a proof in the header DPoP.',
  );

/** Whether a token is for one of these resources. */
const isFor = ({ aud }: Authorization, audience: readonly string[]): boolean => {
  const resources = typeof aud === 'string' ? [aud] : aud;
  return audience.some((resource) => findResource(resources, resource) !== undefined);
};

/**
 * The access token of a request to a protected route.
 *
 * @throws BearerError
 */
export const requiredToken = (request: HttpRequest, isBound: boolean): PresentedToken => {
  const presented = presentedToken(request, isBound);
  if (presented === undefined) throw missingToken();
  return presented;
};

const missingToken = (): BearerError =>
  new BearerError(undefined, 'This request requires an access token. Send it as Authorization: Bearer ACCESS_TOKEN.');

/** As long as a header may be in Node. */
const MAX_TOKEN_LENGTH = 16_384;

/**
 * A token that the application has taken from a message of its own.
 *
 * @throws BearerError
 */
export const givenToken = (token: unknown): string => {
  if (token === undefined || token === null || token === '') throw missingToken();
  if (typeof token !== 'string' || token.length > MAX_TOKEN_LENGTH)
    throw new BearerError('invalid_token', 'The access token is not valid.');
  return token;
};

/** A token without the time of a sign-in, such as that of a client itself, is too old. */
const isTooOld = ({ auth_time }: Authorization, maxAge: number | undefined, now: number): boolean =>
  maxAge !== undefined && (auth_time === undefined || now / 1000 - auth_time > maxAge);

/**
 * Returns the authorization if it belongs to a live access token for this audience with all these scopes.
 *
 * @param authorization - `undefined` unless the token is a live access token.
 * @param facts - Whether the key of a bound token was proved; without a proof, such a token never passes. The time in milliseconds since the epoch. The
 * audience, if the requirement has none.
 * @throws BearerError `invalid_token`, `insufficient_scope`
 * @see {@link https://www.rfc-editor.org/rfc/rfc6750#section-3.1 | RFC 6750 §3.1}
 */
export const admit = (
  authorization: Authorization | undefined,
  requirement: GuardRequirement,
  {
    isProven = false,
    now = 0,
    audience: usual,
  }: { readonly isProven?: boolean; readonly now?: number; readonly audience?: readonly string[] } = {},
): Authorization => {
  const { scopes, audience = usual, acr, maxAge, act } = requirement;
  if (authorization !== undefined && authorization.cnf !== undefined && !isProven) throw boundToken();
  if (authorization === undefined) throw new BearerError('invalid_token', 'The access token is not valid.');
  if (audience !== undefined && !isFor(authorization, audience)) {
    throw new BearerError(
      'invalid_token',
      `The access token is for another resource. Request one with resource=${audience.join(' or resource=')} (RFC 8707).`,
    );
  }
  if (!hasScopes(authorization.scope, scopes)) {
    throw new BearerError(
      'insufficient_scope',
      'The access token lacks a scope that this request requires.',
      scopes.join(' '),
    );
  }
  if (act === 'refuse' && authorization.act !== undefined)
    throw new BearerError(
      'insufficient_scope',
      'The access token is that of a service which acts for the user. This request needs a token that the user gave to the caller.',
      scopes.join(' '),
    );
  if (isTooOld(authorization, maxAge, now) || (acr !== undefined && !acr.includes(authorization.acr ?? '')))
    throw new BearerError(
      'insufficient_user_authentication',
      'The user must sign in again, or in a stronger way. Send the acr_values and max_age of this challenge with an authorization request.',
      undefined,
      {},
      { ...(acr && { acr_values: acr.join(' ') }), ...(maxAge !== undefined && { max_age: String(maxAge) }) },
    );
  return authorization;
};
