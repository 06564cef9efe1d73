import type { Route } from '../base/http/messages.js';
import { FORMATS } from './answer/print.js';
import { builtinHandlers } from './builtin/index.js';
import { helpModule, paraminfoModule } from './describe/describing-actions.js';
import type { ApiFrame } from './describe/help/page.js';
import { buildTree, type ModuleNode } from './describe/module-tree.js';
import { API_TEXTS } from './describe/texts/api-texts.js';
import type { ModuleDescriptor } from './descriptor/descriptor.js';
import {
  compareAction,
  helpAction,
  openSearchAction,
  paraminfoAction,
  parseAction,
  queryAction,
} from './endpoint/actions.js';
import { createEndpoint, type EndpointParts, routesOf } from './endpoint/endpoint.js';
import { formatModules, jsonModule, mainModule, xmlModule } from './endpoint/main-parameters.js';
import type { QueryEnvironment } from './environment.js';
import type { QuerySettings } from './option-table.js';
import { compileModule } from './parameters/parse.js';
import type { QueryInternals } from './query-parts.js';
import { compareModule } from './reader/compare/descriptor.js';
import { openSearchRoutes } from './reader/description-document.js';
import { openSearchModule, parseModule } from './reader/descriptors.js';
import { createSubqueryRunner } from './reader/subquery.js';
import { CallerLimiter } from './run/caller-limits.js';
import { compileModules } from './run/query-modules.js';
import { queryModule } from './run/query-parameters.js';
import type { QueryService } from './run/query-run.js';
import { siteOf } from './site/site-of.js';
import { SIZES } from './sizes.js';

/** Actions that are answered by a module of `query`. */
const ANSWERED_BY: ReadonlyMap<string, string> = new Map([
  [openSearchModule.name, 'prefixsearch'],
  [parseModule.name, 'revisions'],
  [compareModule.name, 'revisions'],
]);

/**
 * Creates the query API from validated options.
 *
 * @throws TypeError for a module that collides with another one, with a message that names it.
 */
export const createQuery = (
  options: QuerySettings,
  environment: QueryEnvironment,
): { readonly routes: readonly Route[]; readonly parts: QueryInternals } => {
  const { secret, base } = environment;
  const [path] = options.path;
  const limiter = options.limits && new CallerLimiter(options.limits, environment);
  const site = siteOf(options.site, base);
  const handlers = { ...builtinHandlers({ secret, limiter, languages: options.languages }), ...options.modules };
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
    { isAnswered, listUnanswered: options.unanswered === 'listed' },
  );
  const documentation = base + path;
  const service = serviceOf({ options, environment, modules, site, limiter });
  const frame = environment.frame.with('api', API_TEXTS);
  const sandbox = options.extensions.some(({ isSandbox }) => isSandbox === true)
    ? `${base === '' ? '' : new URL(base).pathname.replace(/\/$/, '')}${path}/sandbox`
    : undefined;
  const actions = actionsOf({ described, service, tree, documentation, frame, sandbox, options });
  const { private: isPrivate, timeout, cors } = options;
  const body = { bytes: SIZES.request, timer: environment.timer, request: environment.requestTimeout };
  const handle = createEndpoint({
    options: { ...options, body },
    environment,
    actions,
    limiter,
    documentation,
    site,
    main: compileModule(mainModule, site),
    printers: { json: compileModule(jsonModule, site), xml: compileModule(xmlModule, site) },
  });
  const settings = { path, origins: cors, private: isPrivate, timeout, body };
  return {
    routes: [
      ...routesOf(handle, options.path, modules.values()),
      ...(isAnswered('opensearch') ? openSearchRoutes({ site, path, endpoint: documentation }) : []),
    ],
    parts: { ...settings, limiter, site, frame, tree, action: actions.query, environment },
  };
};

interface ServiceParts extends Pick<QueryService, 'modules' | 'site' | 'limiter'> {
  readonly options: QuerySettings;
  readonly environment: QueryEnvironment;
}

const serviceOf = ({ options, environment, ...parts }: ServiceParts): QueryService => ({
  ...parts,
  clock: environment.clock,
  seal: environment.seal,
  resolver: options.resolvePages ?? (() => []),
  resolveUsers: options.resolveUsers,
  unanswered: options.unanswered,
  verifyWatchlistToken: options.verifyWatchlistToken,
  onError: environment.onError,
});

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
  compare: compareModule,
});

interface ActionParts {
  readonly described: ReturnType<typeof describedActions>;
  readonly service: QueryService;
  readonly tree: ModuleNode;
  /** The full URL of the endpoint. */
  readonly documentation: string;
  readonly frame: ApiFrame;
  /** The path of the sandbox, if there is one. */
  readonly sandbox: string | undefined;
  readonly options: Pick<QuerySettings, 'render' | 'private'>;
}

const actionsOf = ({
  described,
  service,
  tree,
  documentation,
  frame,
  sandbox,
  options,
}: ActionParts): EndpointParts['actions'] => {
  const { site } = service;
  const queries = compileModule(described.query, site);
  const runSubquery = createSubqueryRunner(queries, service);
  const access = { isPrivate: options.private };
  return {
    query: queryAction(queries, { runSubquery, service }, access),
    opensearch: openSearchAction(compileModule(described.opensearch, site), { runSubquery, service }, access),
    parse: parseAction(compileModule(described.parse, site), { runSubquery, service, render: options.render }, access),
    compare: compareAction(compileModule(described.compare, site), { runSubquery, service }, access),
    paraminfo: paraminfoAction(compileModule(described.paraminfo, site), tree, documentation),
    help: helpAction(compileModule(described.help, site), { tree, site, sandbox }, frame),
  };
};
