import { deriveKey } from '../base/secrets.js';

/** The purpose of the key that authenticates the tokens of `meta=tokens`. */
export const QUERY_TOKENS = 'query tokens';

/** That key, derived from the `secret` option of the server. */
export const queryTokenKey = (secret: string): string => deriveKey(secret, QUERY_TOKENS);
