/**
 * A remote MCP server with the modules of the query API: tools for assistants.
 *
 * @module oauth-query/mcp
 */
import { fail, object } from '../core/base/schema.js';
import { catalogue, nearestName, type QueryExtension, type QueryParts } from '../core/query/index.js';
import { mcpRoutes } from './endpoint.js';
import { MCP_OPTIONS, type McpOptions, type McpSettings } from './options.js';

export type { McpOptions } from './options.js';

const TABLE = object(MCP_OPTIONS);

/**
 * Serves an MCP server with the same modules and callers as the query API: `query({ extensions: [mcp()] })`. It requires an `issuer` and
 * the package `@modelcontextprotocol/server`.
 *
 * @throws TypeError for an invalid option, with a sentence that names it and the remedy.
 */
export const mcp = (given: McpOptions = {}): QueryExtension => {
  const options = TABLE.read(given, 'mcp');
  const [path] = options.path;
  const { scopes = [] } = options;
  return {
    resources: ({ name }) => ({ [path]: { scopes, ...(name !== undefined && { name }) } }),
    start: (query) => {
      checkModules(options, query);
      return mcpRoutes({ options, resource: query.host.resource(path), query });
    },
  };
};

/** @throws TypeError for a name that is neither in the catalogue nor one of the application's modules. */
const checkModules = ({ modules = [] }: McpSettings, { tree }: QueryParts): void => {
  if (modules === 'all') return;
  const known = [...Object.keys(catalogue), ...(tree.children.get('query')?.children.keys() ?? [])];
  const unknown = modules.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const near = nearestName(unknown, known);
  fail(
    `mcp.modules names ${JSON.stringify(unknown)}, which is not a module.${near === undefined ? '' : ` Did you mean ${near}?`}`,
  );
};
