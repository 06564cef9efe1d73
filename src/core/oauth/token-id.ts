const SECRET_BYTES = 32;
const GRANT_ID_BYTES = 16;
const SECRET_LENGTH = 43;
const GRANT_ID_LENGTH = 22;
const TOKEN_SHAPE = /^[A-Za-z0-9_-]{43}(?:[A-Za-z0-9_-]{22})?$/;

/** Random bytes behind a token, and behind the id of a grant. */
export const TOKEN_BYTES = { secret: SECRET_BYTES, grantId: GRANT_ID_BYTES } as const;

/** Whether a text could be a token or code of ours at all; everything else is not worth a question to the store. */
export const isTokenShaped = (text: string): boolean => TOKEN_SHAPE.test(text);

/**
 * A token or code of a grant begins with the grant's id, so that both records can be asked for at the same time. A
 * client's own token is the secret part alone.
 */
export const grantIdOf = (token: string): string | undefined =>
  token.length === GRANT_ID_LENGTH + SECRET_LENGTH ? token.slice(0, GRANT_ID_LENGTH) : undefined;
