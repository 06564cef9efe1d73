import type { MaybePromise } from '../../base/ports.js';
import type { TokenRecord } from '../records/stored-records.js';

/** The answer of the token endpoint (RFC 6749 §5.1). */
export interface TokenResponse {
  /** The token, for the `Authorization` header. */
  readonly access_token: string;
  /** `Bearer` (RFC 6750), or `DPoP` for a token that is bound to a key (RFC 9449). */
  readonly token_type: 'Bearer' | 'DPoP';
  /** Seconds. */
  readonly expires_in: number;
  /** What it allows, separated by spaces. */
  readonly scope: string;
  /** Absent for a client that may not refresh. */
  readonly refresh_token?: string;
}

/** Further fields of a token response. */
export type ResponseFields = Readonly<Record<string, unknown>>;

/** The access token of a response. */
export interface IssuedToken {
  readonly access_token: string;
  /** Seconds since the epoch; in a repeated response, that of the first. */
  readonly iat: number;
}

/** Creates the further fields of a response. */
export type FieldsOf = (token: IssuedToken) => MaybePromise<ResponseFields>;

/** An access token that is not in the store yet. */
export interface MintedToken {
  /** The token itself, or the `jti` of a JWT. */
  readonly id: string;
  readonly record: TokenRecord;
  /** Includes the further fields. */
  readonly response: TokenResponse;
}

export const mintedOf = (id: string, record: TokenRecord, access_token: string): MintedToken => {
  const expires_in = record.exp - record.iat;
  const token_type = record.jkt === undefined ? 'Bearer' : 'DPoP';
  return { id, record, response: { access_token, token_type, expires_in, scope: record.scope } };
};

export const withFields = async (made: MaybePromise<MintedToken>, fieldsOf: FieldsOf): Promise<MintedToken> => {
  const { id, record, response } = await made;
  const fields = await fieldsOf({ access_token: response.access_token, iat: record.iat });
  return { id, record, response: { ...fields, ...response } };
};
