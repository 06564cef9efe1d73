import { sha256 } from '../../base/secrets.js';
import { keys } from '../records/stored-records.js';
import type { OAuthContext } from './context.js';

/** The key of an owner's remembered approval for a client. */
export const consentKeyOf = (sub: string, client_id: string): string =>
  keys.rememberedConsent(sha256(JSON.stringify([sub, client_id])));

/** Makes the server ask the owner again. */
export const forgetConsent = (sub: string, client_id: string, context: OAuthContext): Promise<void> =>
  context.records.delete(consentKeyOf(sub, client_id));
