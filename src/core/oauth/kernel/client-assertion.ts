import type { JSONWebKeySet, JWTPayload } from 'jose';
import { decodeProtectedHeader } from 'jose/decode/protected_header';
import * as errors from 'jose/errors';
import { createLocalJWKSet } from 'jose/jwks/local';
import { decodeJwt } from 'jose/jwt/decode';
import { jwtVerify } from 'jose/jwt/verify';
import type { Clock } from '../../base/ports.js';
import { ASSERTION_ALGORITHMS } from '../../base/public-keys.js';
import { allowedBy, type EnforcedRules } from '../../base/rules.js';
import type { Client } from '../clients/client.js';
import { type Grammar, GRAMMARS } from '../facts/parameters.js';
import type { Jwk } from '../keys/jwk.js';
import { keys as recordKeys } from '../records/stored-records.js';
import { secondsOf } from '../records/window.js';

export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Maximum lifetime of an assertion in seconds, because its `jti` must be remembered that long. */
const MAX_LIFETIME = 600;

/** Seconds by which the clock of a client may differ from ours. */
const LEEWAY = 10;

/** Seconds by which the iat of an assertion may be ahead. */
const MAX_AHEAD = 60;

/** Seconds by which iat and nbf may be ahead if a rule limits both: a clock that is just as far ahead as it may be is a little further when the assertion arrives. */
const SPARE = 5;

/** Text that would also be valid in a form parameter. */
const isText = (value: unknown, grammar: Grammar): value is string =>
  typeof value === 'string' && value !== '' && GRAMMARS[grammar].test(value);

/** What checks an assertion. */
export interface AssertionServices {
  /** Remembers assertions, because each works once. */
  readonly records: { add(key: string, record: { readonly exp: number }): Promise<boolean> };
  readonly clock: Clock;
  /** The limits of all features. */
  readonly rules: EnforcedRules;
}

/** How far iat and nbf of an assertion may be ahead, in seconds. */
const aheadOf = ({ clockAheadLeast: least, clockAheadMost: most }: EnforcedRules) => {
  if (least === undefined && most === undefined) return { iat: MAX_AHEAD, nbf: LEEWAY };
  const ahead = Math.min((least?.value ?? LEEWAY) + SPARE, most?.value ?? MAX_AHEAD);
  return { iat: ahead, nbf: ahead };
};

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
  keys: readonly Jwk[],
  issuer: string,
  { records, clock, rules }: AssertionServices,
): Promise<boolean> => {
  const payload = await verify(assertion, { client, keys }, issuer, { clock, rules });
  const jti: unknown = payload?.jti;
  if (payload?.exp === undefined || !isText(jti, 'vschar')) return false;
  // An assertion with several audiences could be passed on to us by one of the others.
  if (Array.isArray(payload.aud) && (payload.aud.length !== 1 || rules.audienceIsText !== undefined)) return false;
  const now = secondsOf(clock);
  const ahead = aheadOf(rules);
  if (payload.exp > now + MAX_LIFETIME || (payload.iat ?? 0) > now + ahead.iat) return false;
  if ((payload.nbf ?? 0) > now + ahead.nbf || payload.exp <= now - LEEWAY) return false;
  return records.add(recordKeys.assertion(client.client_id, jti), { exp: Math.ceil(payload.exp) + LEEWAY });
};

/** Both names are of one algorithm (RFC 9864 §2.2): a key that says `EdDSA` also signs as `Ed25519`. */
const edwards = (key: Jwk): Jwk => (key['crv'] === 'Ed25519' ? { ...key, alg: undefined } : key);

const verify = async (
  assertion: string,
  { client, keys }: { readonly client: Client; readonly keys: readonly Jwk[] },
  issuer: string,
  { clock, rules }: Pick<AssertionServices, 'clock' | 'rules'>,
): Promise<JWTPayload | undefined> => {
  const named = client.assertionAlgorithm;
  try {
    const { payload } = await jwtVerify(
      assertion,
      createLocalJWKSet({ keys: keys.map(edwards) } as unknown as JSONWebKeySet),
      {
        algorithms: [...allowedBy(rules.signing, named === undefined ? ASSERTION_ALGORITHMS : [named])],
        issuer: client.client_id,
        subject: client.client_id,
        audience: issuer,
        requiredClaims: ['exp', 'jti'],
        // How far nbf may be ahead is checked afterwards, and exp has the usual leeway.
        clockTolerance: Math.max(LEEWAY, aheadOf(rules).nbf),
        currentDate: new Date(clock()),
      },
    );
    return payload;
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined;
    throw error;
  }
};
