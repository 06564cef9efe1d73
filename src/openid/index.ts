/**
 * Who signed in: a document about the owner of a token.
 *
 * @module oauth-query/openid
 */

export type { OAuthFeature } from '../core/oauth/oauth-feature.js';
export type { SignInWishes } from '../core/oauth/sign-in/asked-sign-in.js';
export {
  mediaWikiProfile,
  type MediaWikiProfileOptions,
  type MediaWikiUser,
  profileResource,
  type ProfileOptions,
} from './profile-resource.js';
