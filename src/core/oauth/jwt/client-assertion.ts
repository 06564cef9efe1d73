import { createPublicKey } from 'node:crypto';
import type { JSONWebKeySet, JWTPayload } from 'jose';
import type { Client } from '../client.js';
import type { OAuthContext } from '../context.js';
import { keys } from '../records.js';
import type { Jwk } from './signing-keys.js';

export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Only asymmetric ones: a client has no secret that an HMAC could be made with. */
export const ASSERTION_ALGORITHMS: readonly string[] = ['ES256', 'ES384', 'EdDSA', 'Ed25519', 'PS256', 'RS256'];

/** Seconds that an assertion may live at most, for its `jti` has to be remembered so long. */
const MAX_LIFETIME = 600;

/** Seconds by which the clock of a client may differ from ours. */
const LEEWAY = 10;

/** What is wrong with the public keys of a registration, as the end of a sentence. */
export const publicKeysProblem = (keys: readonly Jwk[]): string | undefined => {
  for (const [index, key] of keys.entries()) {
    const problem = publicKeyProblem(key);
    if (problem !== undefined) return `jwks.keys[${index}] ${problem}`;
  }
  return undefined;
};

const publicKeyProblem = (jwk: Jwk): string | undefined => {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPublicKey({ key: { ...jwk }, format: 'jwk' });
    if (asymmetricKeyType === 'rsa')
      return (asymmetricKeyDetails?.modulusLength ?? 0) < 2048 ? 'has fewer than 2048 bits' : undefined;
    const known =
      asymmetricKeyType === 'ed25519' ||
      (asymmetricKeyType === 'ec' && (jwk['crv'] === 'P-256' || jwk['crv'] === 'P-384'));
    return known ? undefined : `must be for one of ${ASSERTION_ALGORITHMS.join(', ')}`;
  } catch {
    return 'cannot be read as a JWK';
  }
};

/** Who an assertion claims to come from. Nothing of it is believed yet. */
export const claimedClientId = async (assertion: string): Promise<string | undefined> => {
  const { decodeJwt, errors } = await import('jose');
  try {
    const { iss }: { readonly iss?: unknown } = decodeJwt(assertion);
    return typeof iss === 'string' ? iss : undefined;
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined;
    throw error;
  }
};

/**
 * Whether a client signed this assertion, for this server, recently and for this one use.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc7523#section-3 | RFC 7523 §3}
 */
export const assertionMatches = async (
  assertion: string,
  client: Client,
  issuer: string,
  context: OAuthContext,
): Promise<boolean> => {
  const payload = await verify(assertion, client, issuer, context);
  const jti: unknown = payload?.jti;
  if (payload?.exp === undefined || typeof jti !== 'string' || jti === '') return false;
  // An assertion for several audiences could be passed on to us by one of the others.
  if (Array.isArray(payload.aud) && payload.aud.length !== 1) return false;
  if (payload.exp > context.tokens.now() + MAX_LIFETIME) return false;
  return context.records.add(keys.assertion(client.client_id, jti), { exp: payload.exp + LEEWAY });
};

const verify = async (
  assertion: string,
  client: Client,
  issuer: string,
  context: OAuthContext,
): Promise<JWTPayload | undefined> => {
  const { createLocalJWKSet, errors, jwtVerify } = await import('jose');
  try {
    const { payload } = await jwtVerify(assertion, createLocalJWKSet(client.jwks as unknown as JSONWebKeySet), {
      algorithms: [...ASSERTION_ALGORITHMS],
      issuer: client.client_id,
      subject: client.client_id,
      audience: issuer,
      requiredClaims: ['exp', 'jti'],
      clockTolerance: LEEWAY,
      currentDate: new Date(context.clock()),
    });
    return payload;
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined;
    throw error;
  }
};
