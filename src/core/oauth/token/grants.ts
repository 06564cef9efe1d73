import { DEVICE_CODE_GRANT } from '../clients/client.js';
import { authorizationCode } from '../code/authorization-code.js';
import { deviceCode } from '../device/device-code.js';
import type { CustomGrant } from '../kernel/custom-grant.js';
import type { GrantHandler } from '../kernel/grant-handler.js';
import { clientCredentials } from './client-credentials.js';
import { customHandler } from './custom-handler.js';
import { password } from './password.js';
import { refreshToken } from './refresh-token.js';

/** Handlers by `grant_type`. A Map, so that no name of Object.prototype is a grant. */
const GRANT_HANDLERS: ReadonlyMap<string, GrantHandler> = new Map([
  ['authorization_code', authorizationCode],
  ['client_credentials', clientCredentials],
  ['refresh_token', refreshToken],
  [DEVICE_CODE_GRANT, deviceCode],
  ['password', password],
]);

/** The handler of a grant, built-in or custom. */
export const handlerOf = (
  grant_type: string,
  { customGrants }: { readonly customGrants: ReadonlyMap<string, CustomGrant> },
): GrantHandler | undefined => {
  const custom = customGrants.get(grant_type);
  return custom === undefined ? GRANT_HANDLERS.get(grant_type) : customHandler(grant_type, custom);
};
