import type { JWTPayload } from 'jose';
import * as errors from 'jose/errors';
import { jwtVerify } from 'jose/jwt/verify';
import { isActor } from '../core/base/actor.js';
import { type Authorization, claimsIn, isAudience, signInOf, usageOf } from '../core/base/authorization.js';
import { defined } from '../core/base/defined.js';
import { UnavailableError } from '../core/base/errors.js';
import { fromCaller } from '../core/base/mistakes.js';
import type { Clock } from '../core/base/ports.js';
import { allowedBy, contradiction, joinRules } from '../core/base/rules.js';
import { fail, listOf, orElse, refined, required, type Schema, text } from '../core/base/schema.js';
import { sha256 } from '../core/base/secrets.js';
import type { AnyDefinition } from '../core/feature/feature.js';
import { fetchKeys } from './discovery.js';
import { doubter } from './doubter.js';
import { HttpClient } from './http-client.js';
import { ALGORITHMS, COMMON_OPTIONS, type CommonOptions, verifierOptions, issuer, url } from './option-checks.js';
import { type KeySet, RemoteKeys } from './remote-keys.js';
import { type Verifier, tokenVerifier } from './verifier.js';

/** Options of `jwtVerifier`. */
export interface JwtVerifierOptions extends CommonOptions {
  /** The authorization server's issuer: every token must name it, and its keys are discovered there (RFC 8414). */
  readonly issuer: string;
  /** The URL of the keys, to override the metadata. */
  readonly jwksUri?: string | undefined;
  /** Accepted signature algorithms; default: `['ES256', 'EdDSA', 'RS256', 'PS256']`. Use asymmetric algorithms only. */
  readonly algorithms?: readonly string[] | undefined;
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
  algorithms: orElse(algorithms, [...ALGORITHMS]),
  ...COMMON_OPTIONS,
} satisfies Schema<JwtVerifierOptions>;

const resolve = verifierOptions('jwtVerifier', JWT_OPTIONS);

/** The accepted algorithms, as features limit them. @param named - Those of the option itself. */
const algorithmsOf = (
  {
    algorithms: all,
    features,
  }: { readonly algorithms: readonly string[]; readonly features: readonly AnyDefinition[] },
  named: readonly string[] | undefined,
): readonly string[] => {
  const { signing: rule } = joinRules(features);
  const other = named?.find((name) => rule?.value.includes(name) === false);
  if (rule !== undefined && other !== undefined)
    fail(contradiction(`jwtVerifier: options.algorithms has ${other}`, rule, rule.value.join(', '), 'Remove it.'));
  return allowedBy(rule, all);
};

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
    act,
  }: Readonly<Record<string, unknown>> = payload;
  if (typeof iss !== 'string' || typeof sub !== 'string' || typeof exp !== 'number' || typeof iat !== 'number')
    return undefined;
  if (typeof jti !== 'string' || typeof client_id !== 'string' || typeof scope !== 'string') return undefined;
  if (!isAudience(aud) || (act !== undefined && !isActor(act))) return undefined;
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
    ...defined({ act, claims: claimsIn(payload) }),
  };
};

const UNKNOWN_KEY = Symbol('unknown key');

/** Why a token is not accepted, as the end of a sentence. */
interface Rejected {
  readonly reason: string;
}

const NO_JWT = {
  reason:
    'was not a JWT. Set options.jwt of the authorization server, or use introspectionVerifier, which takes opaque tokens.',
};

const EXPIRED = { reason: 'had expired. Compare the clocks of both machines.' };

const reasonOf = (error: errors.JOSEError, issuer: string): Rejected => {
  if (error instanceof errors.JWTExpired) return EXPIRED;
  if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'iss')
    return { reason: `was from another issuer than ${issuer}.` };
  if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'typ')
    return { reason: 'was no access token: its typ must be at+jwt (RFC 9068). ID tokens are for the client.' };
  return { reason: 'did not pass: its signature, its algorithm or its form was wrong.' };
};

/** Verifies tokens of one issuer (RFC 9068 §4). */
const verifier =
  (issuer: string, algorithms: readonly string[], clock: Clock) =>
  async (token: string, keys: KeySet): Promise<Authorization | Rejected | typeof UNKNOWN_KEY> => {
    try {
      const { payload } = await jwtVerify(token, keys.find, {
        algorithms: [...algorithms],
        issuer,
        typ: 'at+jwt',
        requiredClaims: ['exp'],
        clockTolerance: LEEWAY,
        currentDate: new Date(clock()),
      });
      return authorizationOf(payload) ?? { reason: 'lacked a claim that RFC 9068 §2.2 requires.' };
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey) return UNKNOWN_KEY;
      if (error instanceof errors.JOSEError) return reasonOf(error, issuer);
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
  const { issuer, jwksUri, timeout, clock } = resolved;
  const algorithms = fromCaller(jwtVerifier, () => algorithmsOf(resolved, options.algorithms));
  const http = new HttpClient(timeout);
  const verify = verifier(issuer, algorithms, clock);
  const remoteKeys = new RemoteKeys(() => fetchKeys(http, issuer, jwksUri), resolved);

  const note = doubter(
    resolved.onError,
    (tokens, last: string) =>
      `jwtVerifier: none of the first ${tokens} tokens was accepted. If they are valid, a setting is wrong: the last one ${last}`,
  );
  const decide = async (token: string): Promise<Authorization | Rejected> => {
    if (!JWT.test(token)) return NO_JWT;
    let keys = await remoteKeys.current();
    const id = sha256(token);
    const known = keys.verified.get(id);
    if (known !== undefined) return clock() < (known.exp + LEEWAY) * 1000 ? known : EXPIRED;
    let found = await verify(token, keys);
    if (found === UNKNOWN_KEY) {
      keys = await remoteKeys.renewed();
      found = await verify(token, keys);
    }
    if (found === UNKNOWN_KEY)
      return { reason: 'was signed with a key that the authorization server does not publish.' };
    if (!('reason' in found)) keys.verified.set(id, found);
    return found;
  };
  const lookUp = async (token: string): Promise<Authorization | undefined> => {
    const found = await decide(token);
    const isRejected = 'reason' in found;
    note(isRejected ? found.reason : undefined);
    return isRejected ? undefined : found;
  };

  return tokenVerifier(lookUp, resolved, () => http.close());
};
