import type { OAuthContext } from '../context.js';

/** Where owners manage their personal tokens. */
export const tokensPath = ({ basePath, config, pages }: OAuthContext): string =>
  pages.address(basePath + config.paths.tokens[0]);

/** Where owners see their connected applications. */
export const grantsPath = ({ basePath, config, pages }: OAuthContext): string =>
  pages.address(basePath + config.paths.grants[0]);
