import { deriveKey } from '../base/secrets.js';

/** The key that authenticates the tokens of `meta=tokens`, derived from the `secret` option of the server. */
export const queryTokenKey = (secret: string): Uint8Array => deriveKey(secret, 'query tokens');
