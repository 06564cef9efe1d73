import { OWNER_GRANTS } from '../clients/client.js';
import type { OAuthConfig } from '../config.js';

/** Whether owners can see their grants on a page: they can if any enabled grant involves them in a browser. */
export const hasGrantsPage = ({ grants }: OAuthConfig): boolean => OWNER_GRANTS.some((name) => grants.has(name));
