import { DEVICE_CODE_GRANT } from '../client.js';
import { authorizationCode } from './authorization-code.js';
import { clientCredentials } from './client-credentials.js';
import { deviceCode } from './device-code.js';
import type { GrantHandler } from './grant-handler.js';
import { password } from './password.js';
import { refreshToken } from './refresh-token.js';

/** `grant_type` → what handles it. A Map, so that no name of Object.prototype is ever a grant. */
export const GRANT_HANDLERS: ReadonlyMap<string, GrantHandler> = new Map([
  ['authorization_code', authorizationCode],
  ['client_credentials', clientCredentials],
  ['refresh_token', refreshToken],
  [DEVICE_CODE_GRANT, deviceCode],
  ['password', password],
]);
