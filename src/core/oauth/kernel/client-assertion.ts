import type { JSONWebKeySet, JWTPayload } from 'jose';
import { decodeProtectedHeader } from 'jose/decode/protected_header';
import * as errors from 'jose/errors';
import { createLocalJWKSet } from 'jose/jwks/local';
import { decodeJwt } from 'jose/jwt/decode';
import { jwtVerify } from 'jose/jwt/verify';
import { ASSERTION_ALGORITHMS } from '../../base/public-keys.js';
import type { Client } from '../clients/client.js';
import { type Grammar, GRAMMARS } from '../facts/parameters.js';
import { keys } from '../records/stored-records.js';
import type { OAuthContext } from './context.js';

export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Maximum lifetime of an assertion in seconds, because its `jti` must be remembered that long. */
const MAX_LIFETIME = 600;

/** Seconds by which the clock of a client may differ from ours. */
const LEEWAY = 10;

/** Seconds by which the iat of an assertion may be ahead. */
const MAX_AHEAD = 60;

/** Text that would also be valid in a form parameter. */
const isText = (value: unknown, grammar: Grammar): value is string =>
  typeof value === 'string' && value !== '' && GRAMMARS[grammar].test(value);

/** The client and the key an assertion claims. Both are unverified. */
export const claimOf = (
  assertion: string,
): { readonly client_id: string; readonly kid: string | undefined } | undefined => {
  try {
    const { iss }: { readonly iss?: unknown } = decodeJwt(assertion);
    const { kid }: { readonly kid?: unknown } = decodeProtectedHeader(assertion);
    return isText(iss, 'client_id') ? { client_id: iss, kid: typeof kid === 'string' ? kid : undefined } : undefined;
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined;
    throw error;
  }
};

/**
 * Whether a client signed this assertion, for this server, recently and for a single use.
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
  if (payload?.exp === undefined || !isText(jti, 'vschar')) return false;
  // An assertion with several audiences could be passed on to us by one of the others.
  if (Array.isArray(payload.aud) && payload.aud.length !== 1) return false;
  const now = context.tokens.now();
  if (payload.exp > now + MAX_LIFETIME || (payload.iat ?? 0) > now + MAX_AHEAD) return false;
  return context.records.add(keys.assertion(client.client_id, jti), { exp: payload.exp + LEEWAY });
};

const verify = async (
  assertion: string,
  client: Client,
  issuer: string,
  context: OAuthContext,
): Promise<JWTPayload | undefined> => {
  try {
    const { payload } = await jwtVerify(assertion, createLocalJWKSet(client.jwks as unknown as JSONWebKeySet), {
      algorithms: client.assertionAlgorithm === undefined ? [...ASSERTION_ALGORITHMS] : [client.assertionAlgorithm],
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
