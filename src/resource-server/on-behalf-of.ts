import { LRUCache } from 'lru-cache';
import type { AuthInfo, AuthorizedRequest } from '../core/base/auth-info.js';
import { OAuthError } from '../core/base/errors.js';
import { anyTokenIn } from '../core/base/http/bearer.js';
import { fromCaller } from '../core/base/mistakes.js';
import type { Clock } from '../core/base/ports.js';
import { ENVIRONMENT, fromEnvironment, object, oneLine, required, type Schema, text } from '../core/base/schema.js';
import { sha256 } from '../core/base/secrets.js';
import { singleFlight } from '../core/base/single-flight.js';
import { discover, endpointOf } from './discovery.js';
import { HttpClient } from './http-client.js';
import { basic, problemOf } from './introspector.js';
import { COMMON_OPTIONS, issuer, verifierOptions } from './option-checks.js';

/** Options of {@link onBehalfOf}. */
export interface OnBehalfOfOptions {
  /** The authorization server, whose token endpoint is discovered (RFC 8414). */
  readonly issuer: string;
  /** The service as a client of that server, with the grant for token exchange. */
  readonly credentials: {
    /** Its client_id. */
    readonly client_id: string;
    /** Its secret. `undefined`, as from an unset environment variable, is rejected. */
    readonly client_secret: string | undefined;
  };
  /** Number of tokens that are kept; default 1000. */
  readonly cacheSize?: number | undefined;
  /** Milliseconds for one request to the authorization server; default 2000. */
  readonly timeout?: number | undefined;
  /** Default: `Date.now`. */
  readonly clock?: Clock | undefined;
}

/** What tools of the MCP SDK get, in either version: its types differ from {@link AuthInfo}. */
type ToolAuth = Pick<AuthInfo, 'token'>;

/** Gets tokens for the next service. */
export interface OnBehalfOf {
  /**
   * A token for the owner of a request, with which this service acts at another. It is kept until half a minute before its end, and simultaneous callers share
   * one exchange.
   *
   * @param request - A request that has passed a guard, or the `authInfo` of a tool of an MCP server.
   * @param resource - The URL of the other service.
   * @param scope - Separated by spaces; default: all that the token of the request has and this service may have.
   * @throws OAuthError if the authorization server refuses; UnavailableError if it cannot be asked.
   */
  (request: AuthorizedRequest | ToolAuth, resource: string, scope?: string): Promise<string>;
  /** Closes idle connections. */
  close(): void;
}

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';

/** Milliseconds before its end from which on a token is not used again: it must not expire in transit. */
const RENEW_BEFORE = 30_000;

const OPTIONS = {
  issuer: required(issuer, 'set it to the URL of the authorization server'),
  credentials: required(
    object({
      client_id: required(text('the client_id of this service')),
      client_secret: fromEnvironment(required(oneLine(text('the secret of this service', /^[^]+$/, ENVIRONMENT)))),
    }),
    'set it to { client_id, client_secret } of this service',
  ),
  cacheSize: COMMON_OPTIONS.cacheSize,
  timeout: COMMON_OPTIONS.timeout,
  clock: COMMON_OPTIONS.clock,
} satisfies Schema<OnBehalfOfOptions>;

const read = verifierOptions('onBehalfOf', OPTIONS);

/** What the token of a request can be refused for (RFC 8693 §2.2.2). All other errors are mistakes of this service. */
const REFUSALS = ['invalid_request', 'invalid_target', 'invalid_scope', 'invalid_grant'] as const;

const tokenOf = (given: AuthorizedRequest | ToolAuth): string => {
  if ('token' in given) return given.token;
  const { auth, headers } = given;
  const header = 'get' in headers && typeof headers.get === 'function' ? headers.get('authorization') : undefined;
  const token = anyTokenIn(header ?? (headers as { readonly authorization?: string }).authorization ?? ''); // Those of Node.
  if (auth === undefined || token === undefined)
    throw new TypeError('onBehalfOf: the request lacks an authorization. Put a guard in front of the handler.');
  return token;
};

/** A token, and the time in milliseconds since the epoch until which it is used. */
interface Kept {
  readonly token: string;
  readonly until: number;
}

/**
 * For a service that needs another: exchanges the token that it was called with (RFC 8693). A service never passes that token on.
 *
 * @throws TypeError with a sentence that names the invalid option and the remedy.
 */
export const onBehalfOf = (options: OnBehalfOfOptions): OnBehalfOf => {
  const { issuer: iss, credentials, cacheSize, timeout, clock } = fromCaller(onBehalfOf, () => read(options));
  const http = new HttpClient(timeout);
  const kept = new LRUCache<string, Kept>({ max: cacheSize });
  let endpoint: URL | undefined;
  const findEndpoint = singleFlight(async () => {
    const found = endpointOf(await discover(http, iss), 'token_endpoint', iss);
    endpoint = found;
    return found;
  });

  const ask = async (subject_token: string, resource: string, scope: string): Promise<Kept> => {
    const form = { grant_type: EXCHANGE, subject_token, subject_token_type: ACCESS_TOKEN, resource };
    const askedAt = clock();
    const { status, body } = await http.postForm(
      endpoint ?? (await findEndpoint()),
      { ...form, ...(scope !== '' && { scope }) },
      basic(credentials),
    );
    const { access_token, token_type, expires_in, error, error_description: why } = body;
    const code = REFUSALS.find((known) => known === error);
    if (status === 400 && code !== undefined)
      throw new OAuthError(code, typeof why === 'string' ? why : 'The authorization server refused the exchange.');
    const isBearer = typeof token_type === 'string' && token_type.toLowerCase() === 'bearer';
    if (status !== 200 || typeof access_token !== 'string' || !isBearer) {
      endpoint = undefined; // It may have changed.
      throw problemOf('token', { status, body });
    }
    const lifetime = typeof expires_in === 'number' ? expires_in * 1000 : 0;
    return { token: access_token, until: askedAt + lifetime - RENEW_BEFORE };
  };
  const exchange = singleFlight(async (asked: string): Promise<string> => {
    const [token, resource, scope] = JSON.parse(asked) as [string, string, string]; // As written below.
    const got = await ask(token, resource, scope);
    if (clock() < got.until) kept.set(sha256(asked), got);
    return got.token;
  });

  const tokenFor = async (
    request: AuthorizedRequest | ToolAuth,
    resource: string,
    scope: string = '',
  ): Promise<string> => {
    const asked = JSON.stringify([tokenOf(request), resource, scope]);
    const known = kept.get(sha256(asked));
    return known !== undefined && clock() < known.until ? known.token : exchange(asked);
  };
  return Object.assign(tokenFor, { close: () => http.close() });
};
