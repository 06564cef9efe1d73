import type { Route } from '../base/http.js';
import { builtinHandlers } from './builtin/index.js';
import { createEndpoint, type EndpointParts, routesOf } from './endpoint/endpoint.js';
import { helpAction, openSearchAction, paraminfoAction, parseAction, queryAction } from './endpoint/actions.js';
import { FORMATS, formatModules, jsonModule, mainModule } from './endpoint/main-parameters.js';
import { buildTree, type ModuleNode } from './describe/module-tree.js';
import type { ModuleDescriptor } from './descriptor.js';
import { compileModules } from './run/query-modules.js';
import type { QueryService } from './run/query-run.js';
import type { QueryEnvironment, QueryOptions } from './options.js';
import type { QueryDescription } from './describe/openapi/query-openapi.js';
import { helpModule, paraminfoModule } from './describe/describing-actions.js';
import { compileModule } from './parameters/parse.js';
import { createSubqueryRunner } from './reader/subquery.js';
import { openSearchRoutes } from './reader/description-document.js';
import { openSearchModule, parseModule } from './reader/descriptors.js';
import { queryModule } from './run/query-parameters.js';
import { mcpRoutes } from './mcp/endpoint.js';
import { sandboxRoutes } from './describe/sandbox/sandbox.js';
import { QUERY_OPTIONS } from './option-table.js';
import { object } from '../base/schema.js';
import { siteOf } from './site/site-of.js';

const TABLE = object(QUERY_OPTIONS);

/** Actions that are answered by a module of `query`. */
const ANSWERED_BY: ReadonlyMap<string, string> = new Map([
  [openSearchModule.name, 'prefixsearch'],
  [parseModule.name, 'revisions'],
]);

/**
 * Creates the query API.
 *
 * @throws TypeError for an invalid option, with a message that names it.
 */
export const createQuery = (
  given: QueryOptions,
  environment: QueryEnvironment,
): { readonly routes: readonly Route[]; readonly description: QueryDescription } => {
  const options = TABLE.read(given, 'options.query');
  const { secret, base } = environment;
  const site = siteOf(given.site, base);
  const handlers = { ...builtinHandlers({ secret, languages: options.languages }), ...options.modules };
  const modules = compileModules(handlers, options.customModules ?? [], site);
  const descriptors = [...modules.values()].map(({ descriptor }) => descriptor);
  const described = describedActions(descriptors);
  const isAnswered = (path: string): boolean => {
    const name = ANSWERED_BY.get(path) ?? path.replace(/^query\+/, '');
    return !modules.has(name) || modules.get(name)?.handler !== undefined;
  };
  const tree = buildTree(
    {
      main: mainModule,
      actions: Object.values(described),
      formats: formatModules,
      modules: descriptors,
    },
    { isAnswered, listUnanswered: options.listUnanswered },
  );
  const documentation = base + (environment.paths[0] ?? '/api');
  const service: QueryService = {
    modules,
    site,
    clock: environment.clock,
    resolver: options.resolvePages ?? (() => []),
    resolveUsers: options.resolveUsers,
    missing: options.missing,
    verifyWatchlistToken: options.verifyWatchlistToken,
    onError: environment.onError,
  };
  const actions = actionsOf({ described, service, tree, documentation, options });
  const handle = createEndpoint({
    options,
    environment,
    actions,
    documentation,
    site,
    main: compileModule(mainModule, site),
    json: compileModule(jsonModule, site),
  });
  const description = { tree, site, path: environment.paths[0] ?? '/api' };
  const page = { endpoint: description.path, tree, site, signIn: environment.signIn };
  const { mcp } = options;
  const server = mcp && environment.mcp;
  const parts = { options, environment, site, tree, action: actions.query };
  return {
    routes: [
      ...(mcp && server ? mcpRoutes({ ...parts, mcp, server }) : []),
      ...routesOf(handle, environment.paths, modules.values()),
      ...sandboxRoutes(options.sandbox, page),
      ...(isAnswered('opensearch') ? openSearchRoutes({ site, path: description.path, endpoint: documentation }) : []),
    ],
    description,
  };
};

/** The descriptions of the actions. */
const describedActions = (modules: readonly ModuleDescriptor[]) => ({
  query: queryModule(modules),
  paraminfo: paraminfoModule(
    modules.map(({ name }) => name),
    FORMATS,
  ),
  help: helpModule,
  opensearch: openSearchModule,
  parse: parseModule,
});

interface ActionParts {
  readonly described: ReturnType<typeof describedActions>;
  readonly service: QueryService;
  readonly tree: ModuleNode;
  /** The full URL of the endpoint. */
  readonly documentation: string;
  readonly options: Pick<QueryOptions, 'render'> & { readonly private: boolean };
}

const actionsOf = ({ described, service, tree, documentation, options }: ActionParts): EndpointParts['actions'] => {
  const { site } = service;
  const queries = compileModule(described.query, site);
  const runSubquery = createSubqueryRunner(queries, service);
  const renderer = typeof options.render === 'function' ? { render: options.render } : options.render;
  const access = { isPrivate: options.private };
  return {
    query: queryAction(queries, service, access),
    opensearch: openSearchAction(compileModule(described.opensearch, site), { runSubquery, service }, access),
    parse: parseAction(compileModule(described.parse, site), { runSubquery, service, renderer }, access),
    paraminfo: paraminfoAction(compileModule(described.paraminfo, site), tree, documentation),
    help: helpAction(compileModule(described.help, site), tree, site),
  };
};
