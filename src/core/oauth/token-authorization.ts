import type { Authorization } from '../authorization.js';
import type { TokenRecord } from './records.js';

/** What a token record tells a resource server. */
export const authorizationOf = (record: TokenRecord, iss: string): Authorization => ({
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

/** A token that was asked for without a resource is for the issuer itself. */
export const audienceOf = (record: { readonly aud: readonly string[] }, iss: string): string | readonly string[] => {
  const [first] = record.aud;
  return record.aud.length > 1 ? record.aud : (first ?? iss);
};
