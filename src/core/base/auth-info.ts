import { parseUrl } from './addresses/url.js';
import type { Authorization } from './authorization.js';
import { defined } from './defined.js';
import { anyTokenIn } from './http/bearer.js';

/** The authorization of a request, in the format of the official MCP SDK (`@modelcontextprotocol/sdk`). */
export interface AuthInfo {
  /** The access token itself. */
  token: string;
  /** The client the token was issued to. */
  clientId: string;
  /** What the token allows. */
  scopes: string[];
  /** Seconds since the epoch. */
  expiresAt: number;
  /** The resource the token is for; absent if there are several, or if it is not a URL. */
  resource?: URL;
  /** The complete authorization, with the names of an introspection response: `sub`, `username` and so on. */
  extra: Record<string, unknown>;
}

/** Headers as provided by Node. */
interface HeadersWithAuthorization {
  /** Carries the token. */
  readonly authorization?: string | undefined;
}

/** A request that passed a guard. */
export interface AuthorizedRequest {
  /** The authorization set by the guard. */
  readonly auth: Authorization | undefined;
  /** Node headers, or those of a `Request`. */
  readonly headers: HeadersWithAuthorization | Pick<Headers, 'get'>;
}

/**
 * Converts a guard's authorization to the format the official MCP SDK reads from `req.auth`.
 *
 * @throws TypeError if the request has not passed a guard.
 */
export const authInfo = ({ auth, headers }: AuthorizedRequest): AuthInfo => {
  const header = 'get' in headers && typeof headers.get === 'function' ? headers.get('authorization') : undefined;
  const token = anyTokenIn(header ?? (headers as HeadersWithAuthorization).authorization ?? '');
  if (auth === undefined || token === undefined)
    throw new TypeError(
      'authInfo(request): the request has no authorization. Put oauth.guard(…) in front of the handler.',
    );
  const { client_id, scope, exp, aud } = auth;
  const resource = typeof aud === 'string' ? parseUrl(aud) : undefined;
  return {
    token,
    clientId: client_id,
    scopes: scope === '' ? [] : scope.split(' '),
    expiresAt: exp,
    ...defined({ resource }),
    extra: { ...auth },
  };
};
