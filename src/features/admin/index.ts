/**
 * A page on which administrators manage the clients of a server, as a feature.
 *
 * @module oauth-query/admin
 */

export { adminPages, type AdminPageOptions } from './admin-pages.js';
