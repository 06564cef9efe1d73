/**
 * A remote MCP server with the modules of the query API: tools for assistants.
 *
 * @module oauth-query/mcp
 */

import { fail, feature, option, type PlainFeature } from '../core/feature/index.js';
import { catalogue, query, type QueryApi } from '../core/query/index.js';
import { nearestName } from '../core/query/toolkit.js';
import { mcpRoutes } from './endpoint.js';
import { MCP_OPTIONS, type McpOptions, type McpSettings } from './options.js';

export type { McpOptions } from './options.js';

const TABLE = option.object(MCP_OPTIONS);

/**
 * Serves an MCP server with the same modules and callers as the query API: `features: [query({ … }), mcp()]`. It requires an `issuer`
 * and the package `@modelcontextprotocol/server`.
 *
 * @throws TypeError for an invalid option, with a sentence that names it and the remedy.
 */
export const mcp = (given: McpOptions = {}): PlainFeature<'mcp', never, 'query'> => {
  const options = TABLE.read(given, 'mcp');
  const [path] = options.path;
  const { scopes = [] } = options;
  return feature({
    name: 'mcp',
    needs: [query],
    resources: { [path]: { scopes } },
    start: (host) => {
      const api = host.use(query);
      checkModules(options, api);
      return { routes: mcpRoutes({ options, resource: host.resource(path, api.site.name), query: api, host }) };
    },
  });
};

/** @throws TypeError for a name that is neither in the catalogue nor one of the application's modules. */
const checkModules = ({ modules = [] }: McpSettings, { tree }: QueryApi): void => {
  if (modules === 'all') return;
  const known = [...Object.keys(catalogue), ...(tree.children.get('query')?.children.keys() ?? [])];
  const unknown = modules.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const near = nearestName(unknown, known);
  fail(
    `mcp.modules names ${JSON.stringify(unknown)}, which is not a module.${near === undefined ? '' : ` Did you mean ${near}?`}`,
  );
};
