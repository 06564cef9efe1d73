const SECRET_BYTES = 32;
const ID_BYTES = 16;
const SECRET_LENGTH = 43;
const ID_LENGTH = 22;
const NUMBER_LENGTH = 6;
const EXPIRY_LENGTH = 7;
const TOKEN_SHAPE = /^[A-Za-z0-9_-]{43}(?:[A-Za-z0-9_-]{22})?$/;
const REFRESH_TOKEN_SHAPE = /^([A-Za-z0-9_-]{22})([0-9a-z]{6})([0-9a-z]{7})([A-Za-z0-9_-]{22})[A-Za-z0-9_-]{43}$/;

/** Random bytes in a token, and in the id of a grant or a family. */
export const TOKEN_BYTES = { secret: SECRET_BYTES, id: ID_BYTES } as const;

/**
 * Whether a text could be one of our access tokens or codes; for all others, the store is not read.
 */
export const isTokenShaped = (text: string): boolean => TOKEN_SHAPE.test(text);

/**
 * A token or code of a grant begins with the grant's id, so that both records can be read at the same time. A
 * client's own token only has the secret part. The length distinguishes the kinds: 43, 65 and 100 characters.
 */
export const grantIdOf = (token: string): string | undefined =>
  token.length === ID_LENGTH + SECRET_LENGTH ? token.slice(0, ID_LENGTH) : undefined;

/** The parts of a refresh token in front of its secret. */
export interface RefreshTokenParts {
  /** The id of the grant. */
  readonly grant: string;
  /** 1 for the first refresh token of a grant. */
  readonly n: number;
  /** Seconds since the epoch. */
  readonly exp: number;
  /** Random, and the same in all refresh tokens of a grant: proves that its holder had one, when the records of that one are deleted. */
  readonly family: string;
}

/** A refresh token: the id of the grant, n and the expiry in base 36, the family, and the secret. */
export const refreshTokenText = ({ grant, n, exp, family }: RefreshTokenParts, secret: string): string =>
  grant + n.toString(36).padStart(NUMBER_LENGTH, '0') + exp.toString(36).padStart(EXPIRY_LENGTH, '0') + family + secret;

/** Parses a refresh token; `undefined` for every other text. */
export const parseRefreshToken = (text: string): RefreshTokenParts | undefined => {
  const [, grant, number, expiry, family] = REFRESH_TOKEN_SHAPE.exec(text) ?? [];
  if (grant === undefined || number === undefined || expiry === undefined || family === undefined) return undefined;
  const n = Number.parseInt(number, 36);
  return n === 0 ? undefined : { grant, n, exp: Number.parseInt(expiry, 36), family };
};
