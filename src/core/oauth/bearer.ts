import type { Authorization } from '../authorization.js';
import { BearerError } from '../errors.js';
import type { HttpRequest } from '../http.js';
import { hasRepeatedAuthorization } from './client-authentication.js';
import { hasScopes } from './scope.js';
import type { TokenRecord } from './records.js';
import { authorizationOf } from './token-authorization.js';

/** What a route asks of a token. */
export interface GuardRequirement {
  /** All of these. */
  readonly scopes: readonly string[];
  /** The token must be for one of these; the issuer if absent. */
  readonly audience?: readonly string[] | undefined;
}

const BEARER = /^bearer(?: +|$)/i;

/**
 * The bearer token of a request, from the one place where it may stand (RFC 6750 §2.1).
 *
 * @returns `undefined` when there is none, or another scheme.
 * @throws BearerError `invalid_request` when there are several.
 */
export const bearerTokenOf = (request: HttpRequest): string | undefined => {
  const header = request.header('authorization');
  if (header === undefined) return undefined;
  if (hasRepeatedAuthorization(request.rawHeaders))
    throw new BearerError('invalid_request', 'The Authorization header must not be repeated.');
  const scheme = BEARER.exec(header)?.[0];
  if (scheme === undefined) return undefined;
  const token = header.slice(scheme.length).trimEnd();
  if (token === '') return undefined;
  // RFC 6750 §2: a client must not use more than one method. A token in the query is never read.
  if (request.query.includes('access_token=') && new URLSearchParams(request.query).has('access_token')) {
    throw new BearerError('invalid_request', 'The token must only stand in the Authorization header.');
  }
  return token;
};

const invalidToken = (): BearerError => new BearerError('invalid_token', 'The access token is not valid.');

/** Whether a token is for one of these resources. */
const isFor = ({ aud }: Authorization, audience: readonly string[]): boolean => {
  const resources = typeof aud === 'string' ? [aud] : aud;
  return audience.some((resource) => resources.includes(resource));
};

/**
 * The bearer token that a protected route cannot do without.
 *
 * @throws BearerError
 */
export const requiredBearerToken = (request: HttpRequest): string => {
  const token = bearerTokenOf(request);
  if (token === undefined) throw new BearerError(undefined);
  return token;
};

/**
 * Lets pass what a token stands for, if it is a live access token for this audience and has all these scopes.
 *
 * @param authorization - `undefined` for everything that is no live access token.
 * @throws BearerError `invalid_token`, `insufficient_scope`
 * @see {@link https://www.rfc-editor.org/rfc/rfc6750#section-3.1 | RFC 6750 §3.1}
 */
export const admit = (
  authorization: Authorization | undefined,
  { scopes, audience }: GuardRequirement,
): Authorization => {
  if (authorization === undefined) throw invalidToken();
  if (audience !== undefined && !isFor(authorization, audience)) throw invalidToken();
  if (!hasScopes(authorization.scope, scopes)) {
    throw new BearerError(
      'insufficient_scope',
      'The access token lacks a scope that this request needs.',
      scopes.join(' '),
    );
  }
  return authorization;
};

/** What a token of this server stands for; a refresh token stands for nothing at a resource. */
export const ownAuthorization = (live: TokenRecord | undefined, iss: string): Authorization | undefined =>
  live?.kind === 'access' ? authorizationOf(live, iss) : undefined;
