import type { Authorization } from '../../base/authorization.js';
import type { TokenClaims } from '../stored-records.js';

/** The authorization in a token record, for a resource server. */
export const authorizationOf = (record: TokenClaims, iss: string): Authorization => ({
  sub: record.sub,
  ...(record.username === null ? {} : { username: record.username }),
  client_id: record.client_id,
  scope: record.scope,
  aud: audienceOf(record, iss),
  iss,
  exp: record.exp,
  iat: record.iat,
  token_type: 'Bearer',
});

/** A token requested without a resource is for the issuer itself. */
export const audienceOf = (record: { readonly aud: readonly string[] }, iss: string): string | readonly string[] => {
  const [first] = record.aud;
  return record.aud.length > 1 ? record.aud : (first ?? iss);
};

/** The authorization of an access token of this server. */
export const ownAuthorization = (live: TokenClaims | undefined, iss: string): Authorization | undefined =>
  live === undefined ? undefined : authorizationOf(live, iss);
