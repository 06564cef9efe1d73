import type { Config } from './config.js';
import { describeOAuth, tokenSecurity } from './oauth/openapi/index.js';
import { joinParts } from './openapi.js';
import { describeQuery, type QueryDescription } from './query/openapi/index.js';
import { VERSION } from './query/site/site.js';

const DESCRIPTION =
  'An authorization server (OAuth 2.0) and a query API whose requests and answers are those of a MediaWiki. ' +
  'Parameters with several values join them with a bar, `style: pipeDelimited`; a value that holds a bar itself is sent ' +
  'with U+001F in front of each value instead. A switch is on when it is there. ' +
  'Callers with the right `apihighlimits` have the raised limits.';

/** The whole server in one OpenAPI document: what is switched on, and nothing else. */
export const describeServer = (config: Config, query: QueryDescription): object => {
  const base = config.issuer ?? '';
  return joinParts(
    {
      info: { title: `API of ${query.site.name}`, version: VERSION, description: DESCRIPTION },
      // Without an issuer a request tells the address, and a reference is resolved against that of this document.
      server: base === '' ? '/' : base,
      security: [{}, ...tokenSecurity(config)],
    },
    [describeOAuth(config, base), describeQuery(query)],
  );
};
