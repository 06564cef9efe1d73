const SECRET_BYTES = 32;
const GRANT_ID_BYTES = 16;
const SECRET_LENGTH = 43;
const GRANT_ID_LENGTH = 22;
const NUMBER_LENGTH = 6;
const TOKEN_SHAPE = /^[A-Za-z0-9_-]{43}(?:[A-Za-z0-9_-]{22})?$/;
const REFRESH_TOKEN_SHAPE = /^([A-Za-z0-9_-]{22})([0-9a-z]{6})[A-Za-z0-9_-]{43}$/;

/** Random bytes in a token, and in the id of a grant. */
export const TOKEN_BYTES = { secret: SECRET_BYTES, grantId: GRANT_ID_BYTES } as const;

/**
 * Whether a text could be one of our access tokens or codes; for all others, the store is not read.
 */
export const isTokenShaped = (text: string): boolean => TOKEN_SHAPE.test(text);

/**
 * A token or code of a grant begins with the grant's id, so that both records can be read at the same time. A
 * client's own token only has the secret part. The length distinguishes the kinds: 43, 65 and 71 characters.
 */
export const grantIdOf = (token: string): string | undefined =>
  token.length === GRANT_ID_LENGTH + SECRET_LENGTH ? token.slice(0, GRANT_ID_LENGTH) : undefined;

/** The n-th refresh token of a grant: the id, n in base 36, and the secret. */
export const refreshTokenText = (grant: string, n: number, secret: string): string =>
  grant + n.toString(36).padStart(NUMBER_LENGTH, '0') + secret;

/** Parses a refresh token; `undefined` for every other text. */
export const parseRefreshToken = (text: string): { readonly grant: string; readonly n: number } | undefined => {
  const [, grant, number] = REFRESH_TOKEN_SHAPE.exec(text) ?? [];
  if (grant === undefined || number === undefined) return undefined;
  const n = Number.parseInt(number, 36);
  return n === 0 ? undefined : { grant, n };
};
