import type { OAuthConfig } from '../oauth/settings.js';
import { describeOAuth, tokenSecurity } from '../oauth/openapi/index.js';
import { joinParts } from '../base/openapi.js';
import { describeQuery, type QueryDescription } from '../query/describe/openapi/query-openapi.js';
import { VERSION } from '../query/site/site.js';

const DESCRIPTION =
  'An authorization server (OAuth 2.0) and a query API compatible with that of MediaWiki. ' +
  'Parameters with several values separate them with a bar, `style: pipeDelimited`; to send a value that contains a bar, put ' +
  'U+001F in front of every value instead. A boolean parameter is true if it is present. ' +
  'Callers with the right `apihighlimits` have higher limits.';

/** The OpenAPI document of the whole server: only enabled features. */
export const describeServer = (config: OAuthConfig, query: QueryDescription): object => {
  const base = config.issuer ?? '';
  return joinParts(
    {
      info: { title: `API of ${query.site.name}`, version: VERSION, description: DESCRIPTION },
      // Without an issuer the URL depends on the request, and references are resolved against the URL of this document.
      server: base === '' ? '/' : base,
      security: [{}, ...tokenSecurity(config)],
    },
    [describeOAuth(config, base), describeQuery(query)],
  );
};
