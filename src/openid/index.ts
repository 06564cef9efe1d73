/**
 * Who signed in: a document about the owner of a token.
 *
 * @module oauth-query/openid
 */

export {
  mediaWikiProfile,
  type MediaWikiProfileOptions,
  type MediaWikiUser,
  profileResource,
  type ProfileOptions,
} from './profile-resource.js';
