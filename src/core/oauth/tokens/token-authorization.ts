import type { Authorization } from '../../base/authorization.js';
import type { TokenClaims } from '../records/stored-records.js';

/** The authorization in a token record, for a resource server. */
const authorizationOf = (record: TokenClaims, iss: string): Authorization => {
  const { sub, username, client_id, scope, exp, iat, auth_time, acr, jkt, act, claims } = record;
  const aud = audienceOf(record, iss);
  return {
    sub,
    ...(username !== null && { username }),
    client_id,
    scope,
    aud,
    iss,
    exp,
    iat,
    ...(jkt === undefined ? { token_type: 'Bearer' } : { token_type: 'DPoP', cnf: { jkt } }),
    ...(auth_time !== undefined && { auth_time }),
    ...(acr !== undefined && { acr }),
    ...(act !== undefined && { act }),
    ...(claims !== undefined && { claims }),
  };
};

/** A token requested without a resource is for the issuer itself. */
export const audienceOf = (record: { readonly aud: readonly string[] }, iss: string): string | readonly string[] => {
  const [first] = record.aud;
  return record.aud.length > 1 ? record.aud : (first ?? iss);
};

/** The authorization of an access token of this server. */
export const ownAuthorization = (live: TokenClaims | undefined, iss: string): Authorization | undefined =>
  live === undefined ? undefined : authorizationOf(live, iss);
