import type { FeatureHost, FeatureRoute } from '../../core/feature/index.js';
import type { ClaimSource } from './claims.js';
import { OPENID_PATHS } from './options.js';
import { OPENID } from './scopes.js';

/**
 * Claims about the owner of an access token.
 *
 * @see {@link https://openid.net/specs/openid-connect-core-1_0.html#UserInfo | OpenID Connect Core 1.0 §5.3}
 */
export const userinfoRoute = (claims: ClaimSource, host: FeatureHost): FeatureRoute =>
  host.tokenRoute({
    path: OPENID_PATHS.userinfo,
    scopes: [OPENID],
    takesForm: true,
    answer: async ({ authorization: { sub, client_id, scope }, username, client, claims: granted }) => {
      const found = await claims.find({
        sub,
        client_id,
        scope,
        use: 'userinfo',
        single: claims.allowed(granted?.names ?? [], client),
        ...(username !== undefined && { username }),
      });
      return { ...found, sub };
    },
  });
