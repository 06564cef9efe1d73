import type { JWTPayload } from 'jose';
import * as errors from 'jose/errors';
import { jwtVerify } from 'jose/jwt/verify';
import { type Authorization, isAudience, signInOf, usageOf } from '../core/base/authorization.js';
import { UnavailableError } from '../core/base/errors.js';
import { fromCaller } from '../core/base/mistakes.js';
import type { Clock } from '../core/base/ports.js';
import { fail, listOf, orElse, refined, required, type Schema, text } from '../core/base/schema.js';
import { sha256 } from '../core/base/secrets.js';
import { discover, endpointOf } from './discovery.js';
import { HttpClient } from './http-client.js';
import { COMMON_OPTIONS, type CommonOptions, verifierOptions, issuer, url } from './option-checks.js';
import { type KeySet, RemoteKeys } from './remote-keys.js';
import { type Verifier, tokenVerifier } from './verifier.js';

/** Options of `jwtVerifier`. */
export interface JwtVerifierOptions extends CommonOptions {
  /** The authorization server's issuer: every token must name it, and its keys are discovered there (RFC 8414). */
  readonly issuer: string;
  /** The URL of the keys, to override the metadata. */
  readonly jwksUri?: string;
  /** Accepted signature algorithms; default: `['ES256', 'EdDSA', 'RS256']`. Use asymmetric algorithms only. */
  readonly algorithms?: readonly string[];
}

/** Seconds by which the clock of the authorization server may differ from ours (RFC 9068 §4). */
const LEEWAY = 5;

const algorithm = text(
  "an asymmetric signature algorithm such as 'ES256'",
  /^(?:ES(?:256|384|512)|(?:RS|PS)(?:256|384|512)|EdDSA|Ed25519)$/,
);

const algorithms = refined(listOf('an array of algorithms', algorithm), (names, path) =>
  names.length > 0 ? names : fail(`${path} is an empty list. Name an algorithm, or leave it out.`),
);

const JWT_OPTIONS = {
  issuer: required(issuer, 'name the authorization server whose tokens are accepted'),
  jwksUri: url,
  algorithms: orElse(algorithms, ['ES256', 'EdDSA', 'RS256']),
  ...COMMON_OPTIONS,
} satisfies Schema<JwtVerifierOptions>;

const resolve = verifierOptions('jwtVerifier', JWT_OPTIONS);

/** The authorization of a verified token; `undefined` if it lacks a claim required by RFC 9068 §2.2. */
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
  if (!isAudience(aud)) return undefined;
  // A token bound to a key must not pass without proof of possession.
  const usage = usageOf(cnf);
  if (usage === undefined) return undefined;
  return {
    sub,
    ...(typeof username === 'string' ? { username } : {}),
    client_id,
    scope,
    aud,
    iss,
    exp,
    iat,
    ...signInOf(payload),
    ...usage,
  };
};

const UNKNOWN_KEY = Symbol('unknown key');

/** Verifies tokens of one issuer (RFC 9068 §4). */
const verifier =
  (issuer: string, algorithms: readonly string[], clock: Clock) =>
  async (token: string, keys: KeySet): Promise<Authorization | undefined | typeof UNKNOWN_KEY> => {
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
      throw new UnavailableError('A key of the authorization server is unusable.', { cause: error });
    }
  };

/** A signed JWT has exactly three parts. */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Creates a verifier that checks JWT access tokens locally (RFC 9068): it fetches the authorization server's keys from time to
 * time, and never asks about a token. A revoked token is therefore accepted until it expires; if that is too
 * long, use `introspectionVerifier`.
 *
 * @throws TypeError with a sentence that names the invalid option and the remedy.
 */
export const jwtVerifier = (options: JwtVerifierOptions): Verifier => {
  const resolved = fromCaller(jwtVerifier, () => resolve(options));
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

  return tokenVerifier(lookUp, resolved, () => http.close());
};
