import type { AuthorizationFeature, FeatureHost } from '../../base/feature.js';
import type { ScopeDefinition } from '../facts/settings.js';
import type { OAuthContext } from './context.js';
import type { Endpoint } from './endpoint.js';
import type { OAuthHooks } from './hooks.js';

/** What a feature adds to the authorization server. */
export interface OAuthParts {
  readonly endpoints: readonly Endpoint[];
  readonly hooks: OAuthHooks;
}

/**
 * A feature of the authorization server that an entry of its own provides, as a value: `oauthQuery({ openid: openIdConnect({ … }) })`. The
 * core imports none of them.
 */
export interface OAuthFeature {
  /** Its scopes, which need no entry in `options.scopes`. They are never granted by default. */
  readonly scopes: Readonly<Record<string, ScopeDefinition>>;
  /** Whether the server keeps when and how owners sign in: `auth_time`, `acr`, `amr`. */
  readonly keepsSignIn: boolean;
  /**
   * Creates its parts, once, when the server is created.
   *
   * @throws TypeError if its options do not fit this server.
   */
  readonly start: (context: OAuthContext, host: FeatureHost) => OAuthParts;
}

/** A feature that, unless `more` says otherwise, defines no scope and reads nothing about sign-ins. */
export const featureOf = (
  start: OAuthFeature['start'],
  more: Partial<Omit<OAuthFeature, 'start'>> = {},
): AuthorizationFeature => {
  const feature: OAuthFeature = { scopes: {}, keepsSignIn: false, ...more, start };
  return feature;
};
