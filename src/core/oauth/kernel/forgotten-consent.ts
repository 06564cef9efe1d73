import { sha256 } from '../../base/secrets.js';
import { keys } from '../records/stored-records.js';

/** The key of an owner's remembered approval for a client. */
export const consentKeyOf = (sub: string, client_id: string): string =>
  keys.rememberedConsent(sha256(JSON.stringify([sub, client_id])));

/** Where approvals are remembered. */
interface Forgetful {
  readonly records: { delete(key: string): Promise<void> };
}

/** Makes the server ask the owner again. */
export const forgetConsent = (sub: string, client_id: string, { records }: Forgetful): Promise<void> =>
  records.delete(consentKeyOf(sub, client_id));
