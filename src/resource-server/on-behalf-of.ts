import { LRUCache } from 'lru-cache';
import type { AuthInfo, AuthorizedRequest } from '../core/base/auth-info.js';
import { OAuthError } from '../core/base/errors.js';
import { anyTokenIn } from '../core/base/http/bearer.js';
import { fromCaller } from '../core/base/mistakes.js';
import type { Clock } from '../core/base/ports.js';
import {
  ENVIRONMENT,
  fail,
  fromEnvironment,
  neverUndefined,
  object,
  oneLine,
  refined,
  required,
  type Schema,
  text,
} from '../core/base/schema.js';
import { sha256 } from '../core/base/secrets.js';
import { singleFlight } from '../core/base/single-flight.js';
import { type PrivateKey, privateKey } from './client-signer.js';
import { discover, endpointOf } from './discovery.js';
import { HttpClient, type JsonAnswer } from './http-client.js';
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
    readonly client_secret?: string | undefined;
    /** The private key of a client with `private_key_jwt`, instead of the secret: PKCS#8 PEM or a `KeyObject`. */
    readonly key?: PrivateKey;
    /** The `kid` of that key, if the client has registered several. */
    readonly kid?: string;
  };
  /**
   * A private key to which its tokens are bound (RFC 9449): EC, Ed25519 or RSA. Requests to the other service then need `Authorization: DPoP` and the
   * header `DPoP` with a proof, which `proof` of the result makes.
   */
  readonly dpopKey?: PrivateKey;
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
  /**
   * The header `DPoP` of a request with such a token.
   *
   * @param request - `nonce` is that of the last `DPoP-Nonce` of the service, if it sends any.
   * @throws TypeError without `dpopKey`.
   */
  proof(request: {
    readonly method: string;
    readonly url: string | URL;
    readonly token: string;
    readonly nonce?: string;
  }): Promise<string>;
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
    refined(
      object({
        client_id: required(text('the client_id of this service')),
        client_secret: fromEnvironment(oneLine(text('the secret of this service', /^[^]+$/, ENVIRONMENT))),
        key: neverUndefined(privateKey),
        kid: neverUndefined(text('the kid of the key')),
      }),
      ({ client_id, client_secret, key, kid }, path) => {
        if ((client_secret === undefined) === (key === undefined))
          fail(`${path} must have either client_secret or key.`);
        return { client_id, client_secret, key, kid };
      },
    ),
    'set it to { client_id, client_secret } of this service, or { client_id, key }',
  ),
  dpopKey: neverUndefined(privateKey),
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
  const { issuer: iss, credentials, dpopKey, cacheSize, timeout, clock } = fromCaller(onBehalfOf, () => read(options));
  const http = new HttpClient(timeout);
  const kept = new LRUCache<string, Kept>({ max: cacheSize });
  let endpoint: URL | undefined;
  const findEndpoint = singleFlight(async () => {
    const found = endpointOf(await discover(http, iss), 'token_endpoint', iss);
    endpoint = found;
    return found;
  });

  /** A server that wants a nonce in proofs says so in its first answer. */
  const post = async (url: URL, form: Readonly<Record<string, string>>, nonce?: string): Promise<JsonAnswer> => {
    const { client_id, client_secret, key, kid } = credentials;
    const own = await key?.authentication(client_id, iss, kid, clock());
    const authorization = client_secret === undefined ? undefined : basic({ client_id, client_secret });
    const proof = await dpopKey?.proof({ method: 'POST', url, nonce }, clock());
    const answer = await http.postForm(url, { ...form, ...own }, authorization, proof);
    const isAsked = answer.body['error'] === 'use_dpop_nonce' && nonce === undefined;
    return isAsked && answer.nonce !== undefined ? post(url, form, answer.nonce) : answer;
  };

  const ask = async (subject_token: string, resource: string, scope: string): Promise<Kept> => {
    const form = { grant_type: EXCHANGE, subject_token, subject_token_type: ACCESS_TOKEN, resource };
    const askedAt = clock();
    const url = endpoint ?? (await findEndpoint());
    const { status, body } = await post(url, { ...form, ...(scope !== '' && { scope }) }).catch((problem: unknown) => {
      endpoint = undefined; // It may have changed.
      throw problem;
    });
    const { access_token, token_type, expires_in, error, error_description: why } = body;
    const code = REFUSALS.find((known) => known === error);
    if (status === 400 && code !== undefined)
      throw new OAuthError(code, typeof why === 'string' ? why : 'The authorization server refused the exchange.');
    // A token of another kind than expected would be sent without what protects it.
    const isExpected = String(token_type).toLowerCase() === (dpopKey === undefined ? 'bearer' : 'dpop');
    if (status !== 200 || typeof access_token !== 'string' || !isExpected) {
      endpoint = undefined;
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
  const proof: OnBehalfOf['proof'] = async (request) => {
    if (dpopKey === undefined) throw new TypeError('onBehalfOf: its tokens are bound to no key. Set options.dpopKey.');
    return dpopKey.proof(request, clock());
  };
  return Object.assign(tokenFor, { proof, close: () => http.close() });
};
