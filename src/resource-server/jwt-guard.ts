import type { JWTPayload } from 'jose';
import type { Authorization } from '../core/authorization.js';
import { UnavailableError } from '../core/errors.js';
import type { Clock } from '../core/ports.js';
import { sha256 } from '../core/secrets.js';
import { discover, endpointOf } from './discovery.js';
import { HttpClient } from './http-client.js';
import { type CommonOptions, isFilledText, OptionChecks, type ResolvedCommonOptions } from './option-checks.js';
import { type KeySet, RemoteKeys } from './remote-keys.js';
import { type TokenGuard, tokenGuard } from './token-guard.js';

/** What `jwtGuard` can be told. */
export interface JwtGuardOptions extends CommonOptions {
  /** The authorization server's issuer: every token must name it, and its keys are discovered there (RFC 8414). */
  readonly issuer: string;
  /** Where the keys are, if not where the metadata says. */
  readonly jwksUri?: string;
  /** The signatures that are accepted; `['ES256', 'EdDSA', 'RS256']` if absent. Only asymmetric ones make sense. */
  readonly algorithms?: readonly string[];
}

interface ResolvedJwtOptions extends ResolvedCommonOptions {
  readonly issuer: string;
  readonly jwksUri: URL | undefined;
  readonly algorithms: readonly string[];
}

/** Seconds by which the clock of the authorization server may differ from ours (RFC 9068 §4). */
const LEEWAY = 5;

const ASYMMETRIC = /^(?:ES(?:256|384|512)|(?:RS|PS)(?:256|384|512)|EdDSA|Ed25519)$/;

const checks = new OptionChecks('jwtGuard');

const resolve = (options: JwtGuardOptions): ResolvedJwtOptions => {
  checks.names(options, ['issuer', 'jwksUri', 'algorithms']);
  const issuer = checks.issuer(options.issuer);
  if (issuer === undefined)
    throw checks.error('issuer is missing: the authorization server whose tokens are accepted.');
  const algorithms: unknown = options.algorithms ?? ['ES256', 'EdDSA', 'RS256'];
  if (
    !Array.isArray(algorithms) ||
    algorithms.length === 0 ||
    !algorithms.every((name) => isFilledText(name) && ASYMMETRIC.test(name))
  ) {
    throw checks.error('algorithms must be an array of asymmetric signature algorithms such as ES256.');
  }
  return { ...checks.common(options), issuer, jwksUri: checks.url('jwksUri', options.jwksUri), algorithms };
};

/** What a verified token says; `undefined` when it lacks something that RFC 9068 §2.2 asks for. */
const authorizationOf = (payload: JWTPayload): Authorization | undefined => {
  const {
    iss,
    sub,
    aud,
    exp,
    iat,
    jti,
    client_id,
    scope = '',
    username,
    cnf,
  }: Readonly<Record<string, unknown>> = payload;
  if (typeof iss !== 'string' || typeof sub !== 'string' || typeof exp !== 'number' || typeof iat !== 'number')
    return undefined;
  if (typeof jti !== 'string' || typeof client_id !== 'string' || typeof scope !== 'string') return undefined;
  if (typeof aud !== 'string' && !(Array.isArray(aud) && aud.every((resource) => typeof resource === 'string')))
    return undefined;
  // A token that is bound to a key must not pass without a proof of it.
  if (cnf !== undefined) return undefined;
  return {
    sub,
    ...(typeof username === 'string' ? { username } : {}),
    client_id,
    scope,
    aud,
    iss,
    exp,
    iat,
    token_type: 'Bearer',
  };
};

const UNKNOWN_KEY = Symbol('unknown key');

/** Verifies tokens of one issuer (RFC 9068 §4). */
const verifier =
  (issuer: string, algorithms: readonly string[], clock: Clock) =>
  async (token: string, keys: KeySet): Promise<Authorization | undefined | typeof UNKNOWN_KEY> => {
    const { errors, jwtVerify } = await import('jose');
    try {
      const { payload } = await jwtVerify(token, keys.find, {
        algorithms: [...algorithms],
        issuer,
        typ: 'at+jwt',
        requiredClaims: ['exp'],
        clockTolerance: LEEWAY,
        currentDate: new Date(clock()),
      });
      return authorizationOf(payload);
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey) return UNKNOWN_KEY;
      if (error instanceof errors.JOSEError) return undefined;
      throw new UnavailableError('A key of the authorization server cannot be used.', { cause: error });
    }
  };

/** Nothing but three parts can be a signed JWT. */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Makes a guard that reads JWT access tokens by itself (RFC 9068): it asks the authorization server for its keys now and
 * then, and never about a token. A token that was revoked is therefore believed until it expires; where that is too
 * long, ask instead (see `introspectionGuard`).
 *
 * @throws TypeError with a sentence that names a wrong option and the remedy.
 */
export const createJwtGuard = (options: JwtGuardOptions): TokenGuard => {
  const resolved = resolve(options);
  const { issuer, jwksUri, algorithms, timeout, clock } = resolved;
  const http = new HttpClient(timeout);
  const verify = verifier(issuer, algorithms, clock);
  const remoteKeys = new RemoteKeys(async () => {
    const url = jwksUri ?? endpointOf(await discover(http, issuer), 'jwks_uri', issuer);
    const { status, body } = await http.get(url);
    if (status !== 200) throw new UnavailableError(`${url.origin}${url.pathname} answered ${status}.`);
    return body;
  }, resolved);

  const lookUp = async (token: string): Promise<Authorization | undefined> => {
    if (!JWT.test(token)) return undefined;
    let keys = await remoteKeys.current();
    const id = sha256(token);
    const known = keys.verified.get(id);
    if (known !== undefined) return clock() < (known.exp + LEEWAY) * 1000 ? known : undefined;
    let found = await verify(token, keys);
    if (found === UNKNOWN_KEY) {
      keys = await remoteKeys.renewed();
      found = await verify(token, keys);
    }
    if (found === UNKNOWN_KEY || found === undefined) return undefined;
    keys.verified.set(id, found);
    return found;
  };

  return tokenGuard(lookUp, resolved, () => http.close());
};
