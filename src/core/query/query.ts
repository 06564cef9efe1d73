import type { Feature } from '../base/feature.js';
import { fromCaller } from '../base/mistakes.js';
import { object } from '../base/schema.js';
import { createQuery } from './create-query.js';
import { QUERY_OPTIONS } from './option-table.js';
import type { QueryOptions } from './options.js';

const TABLE = object(QUERY_OPTIONS, {
  moved: { mcp: 'mcp() in options.query.extensions', sandbox: 'sandbox() in options.query.extensions' },
});

/**
 * The query API, for the option `query` of the server: `oauthQuery({ query: query({ modules: { … } }) })`. Without handlers, its
 * responses are empty.
 *
 * @throws TypeError for an invalid option, with a sentence that names it and the remedy.
 */
export const query = (given: QueryOptions = {}): Feature => {
  const options = fromCaller(query, () => TABLE.read(given, 'options.query'));
  const { extensions, site = {} } = options;
  return {
    resources: Object.assign({}, ...extensions.map(({ resources }) => resources?.(site))),
    start: (host) => createQuery(options, host),
  };
};
