/**
 * A remote MCP server with the modules of the query API: tools for assistants.
 *
 * @module oauth-query/mcp
 */
import { object } from '../core/base/schema.js';
import type { QueryExtension } from '../core/query/index.js';
import { mcpRoutes } from './endpoint.js';
import { MCP_OPTIONS, type McpOptions } from './options.js';

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
    start: (query) => mcpRoutes({ options, resource: query.host.resource(path), query }),
  };
};
