const SECRET_BYTES = 32;
const ID_BYTES = 16;
const SECRET_LENGTH = 43;
const ID_LENGTH = 22;
/** Characters of a connection's id, with which the ids of its grants begin. */
export const CONNECTION_ID_LENGTH = 12;
const EXPIRY_LENGTH = 7;
/** Where the family begins in a refresh token. */
const FAMILY_AT = ID_LENGTH + EXPIRY_LENGTH;
const TOKEN_SHAPE = /^[A-Za-z0-9_-]{43}(?:[A-Za-z0-9_-]{22})?(?:\.[os][A-Za-z0-9_-]{43}){0,8}~?$/;
const REFRESH_TOKEN_SHAPE = /^[A-Za-z0-9_-]{22}[0-9a-z]{7}[A-Za-z0-9_-]{22}[A-Za-z0-9_-]{43}~?$/;

/** The end of a token or code that is bound to a key: versions without such keys do not take it for one of theirs. */
const BOUND_MARK = '~';

export const isMarkedAsBound = (token: string): boolean => token.endsWith(BOUND_MARK);

/** @param jkt - The thumbprint of the key; `undefined` for a token that is not bound. */
export const markedAsBound = (token: string, jkt: string | undefined): string =>
  jkt === undefined || isMarkedAsBound(token) ? token : token + BOUND_MARK;

/** In front of each ancestor of a token that was derived from others: versions without such tokens do not take it for one of theirs. */
export const ANCESTOR_MARK = '.';

/** The longest line of ancestors of a token. */
export const MAX_ANCESTORS = 8;

/** Whether a token was derived from others. */
export const isDerived = (token: string): boolean => token.includes(ANCESTOR_MARK);

/** Random bytes in a token, in the id of a family, in the part of a grant's id that is its own, and in the generation of a connection. */
export const TOKEN_BYTES = { secret: SECRET_BYTES, id: ID_BYTES, grant: 7, generation: 9 } as const;

/**
 * Whether a text could be one of our access tokens or codes; for all others, the store is not read.
 */
export const isTokenShaped = (text: string): boolean => TOKEN_SHAPE.test(text);

/**
 * A token or code of a grant begins with the grant's id, so that both records can be read at the same time. A
 * client's own token only has the secret part. The length distinguishes the kinds: 43, 65 and 94 characters, without the mark of a bound one and
 * without ancestors.
 */
export const grantIdOf = (token: string): string | undefined => {
  const end = token.indexOf(ANCESTOR_MARK);
  const length = end === -1 ? token.length - (isMarkedAsBound(token) ? 1 : 0) : end;
  return length === ID_LENGTH + SECRET_LENGTH ? token.slice(0, ID_LENGTH) : undefined;
};

const GRANT_ID_SHAPE = /^[A-Za-z0-9_-]{22}$/;

/** Whether a text could be the id of a grant; for all others, the store is not read. */
export const isGrantId = (text: string): boolean => GRANT_ID_SHAPE.test(text);

/** The id of the connection that a grant depends on, so that both records can be read at the same time. */
export const connectionIdOf = (grant: string): string => grant.slice(0, CONNECTION_ID_LENGTH);

/** The parts of a refresh token in front of its secret. */
interface RefreshTokenParts {
  /** The id of the grant. */
  readonly grant: string;
  /** Seconds since the epoch. */
  readonly exp: number;
  /** Random, and the same in all refresh tokens of a grant: proves that its holder had one, long after its hash was forgotten. */
  readonly family: string;
}

/** A refresh token: the id of the grant, the expiry in base 36, the family, and the secret. */
export const refreshTokenText = ({ grant, exp, family }: RefreshTokenParts, secret: string): string =>
  grant + exp.toString(36).padStart(EXPIRY_LENGTH, '0') + family + secret;

/** Parses a refresh token; `undefined` for every other text. */
export const parseRefreshToken = (text: string): RefreshTokenParts | undefined => {
  if (!REFRESH_TOKEN_SHAPE.test(text)) return undefined;
  const exp = Number.parseInt(text.slice(ID_LENGTH, FAMILY_AT), 36);
  return { grant: text.slice(0, ID_LENGTH), exp, family: text.slice(FAMILY_AT, FAMILY_AT + ID_LENGTH) };
};
