/**
 * Who signed in: OpenID Connect, and a document about the owner of a token.
 *
 * @module oauth-query/openid
 */

export type { SignInWishes } from '../../core/feature/index.js';
export { openIdConnect } from './open-id-connect.js';
export type { OpenIdOptions } from './options.js';
export { mediaWikiProfile, profileResource, type ProfileOptions } from './profile-resource.js';
