import { roomWith } from '../base/limits/body-room.js';
import type { FeatureHost } from '../feature/host.js';
import type { Parts } from '../feature/parts.js';
import { FORMATS } from './answer/print.js';
import { builtinHandlers } from './builtin/index.js';
import { createQueryApi } from './create-query-api.js';
import { helpModule, paraminfoModule } from './describe/describing-actions.js';
import { buildTree } from './describe/module-tree.js';
import { API_TEXTS } from './describe/texts/api-texts.js';
import { createActions } from './endpoint/actions.js';
import { createEndpoint, routesOf } from './endpoint/endpoint.js';
import { formatModules, mainModule } from './endpoint/main-parameters.js';
import type { QuerySettings } from './option-table.js';
import type { QueryApi } from './query-api.js';
import { compareModule } from './reader/compare/descriptor.js';
import { openSearchRoutes } from './reader/description-document.js';
import { openSearchModule, parseModule } from './reader/descriptors.js';
import { resourceLoaderRoutes, scriptPathOf } from './reader/resource-loader.js';
import { CallerLimiter } from './run/caller-limits.js';
import { compileModules } from './run/query-modules.js';
import { queryModule } from './run/query-parameters.js';
import type { QueryService } from './run/query-run.js';
import { siteOf } from './site/site-of.js';
import { SIZES } from './sizes.js';
import { QUERY_TOKENS } from './token-key.js';

/** Actions that are answered by a module of `query`. */
const ANSWERED_BY: ReadonlyMap<string, string> = new Map([
  [openSearchModule.name, 'prefixsearch'],
  [parseModule.name, 'revisions'],
  [compareModule.name, 'revisions'],
]);

/**
 * Creates the routes of the query API, and what it provides to other features.
 *
 * @throws TypeError for a module that collides with another one, with a message that names it.
 */
export const createQuery = (options: QuerySettings, host: FeatureHost): Parts<QueryApi> => {
  const service = serviceOf(options, host);
  const { path, site, modules, documentation } = service;
  const descriptors = [...modules.values()].map(({ descriptor }) => descriptor);
  const described = {
    query: queryModule(descriptors),
    paraminfo: paraminfoModule(
      descriptors.map(({ name }) => name),
      FORMATS,
    ),
    help: helpModule,
    opensearch: openSearchModule,
    parse: parseModule,
    compare: compareModule,
  };
  const isAnswered = (modulePath: string): boolean => {
    const name = ANSWERED_BY.get(modulePath) ?? modulePath.replace(/^query\+/, '');
    return !modules.has(name) || modules.get(name)?.handler !== undefined;
  };
  const tree = buildTree(
    { main: mainModule, actions: Object.values(described), formats: formatModules, modules: descriptors },
    { isAnswered, listUnanswered: options.unanswered === 'listed' },
  );
  const frame = host.frame.with('api', API_TEXTS);
  const links: { sandbox?: string } = {};
  const linkSandbox = (page: string): void => void (links.sandbox = basePathOf(host.issuer) + page);
  const actions = createActions(service, described, { tree, frame, links, reader: options });
  return {
    routes: [
      ...routesOf(createEndpoint(service, actions), options.path, modules.values()),
      ...resourceLoaderRoutes(options.path),
      ...(isAnswered('opensearch') ? openSearchRoutes({ site, path, endpoint: documentation }) : []),
    ],
    provide: createQueryApi(service, { frame, tree, linkSandbox, action: actions.query }),
  };
};

const basePathOf = (issuer = ''): string => (issuer === '' ? '' : new URL(issuer).pathname.replace(/\/$/, ''));

const serviceOf = (options: QuerySettings, host: FeatureHost): QueryService => {
  const { issuer = '', timer, requestTimeout: request, limitAt } = host;
  const [path] = options.path;
  const site = siteOf(options.site, issuer);
  const scriptPath = basePathOf(issuer) + (scriptPathOf(options.path) ?? '');
  const limiter = options.limits && new CallerLimiter(options.limits, host);
  const builtin = builtinHandlers({
    secret: host.key(QUERY_TOKENS),
    limiter,
    languages: options.languages,
    scriptPath,
  });
  const further = options.rights && host.bound('query: options.rights', options.rights);
  return {
    options,
    host,
    path,
    site,
    limiter,
    modules: compileModules({ ...builtin, ...options.modules }, options.customModules ?? [], site),
    documentation: issuer + path,
    body: { bytes: SIZES.request, timer, request, room: roomWith(limitAt) },
    seal: host.seal('query positions'),
    rightsOf: async (authorization) => [...host.rightsOf(authorization), ...((await further?.(authorization)) ?? [])],
  };
};
