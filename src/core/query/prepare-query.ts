import type { HttpRequest, HttpResponse, Route } from '../base/http.js';
import { onDemand } from '../base/on-demand.js';
import { errorResponse } from '../base/responses.js';
import { object } from '../base/schema.js';
import { MODULE_NAMES } from './catalogue/names.js';
import type { createQuery } from './create-query.js';
import type { QueryDescription } from './describe/openapi/query-openapi.js';
import { sandboxPath, sandboxSignIn } from './describe/sandbox/sandbox.js';
import { QUERY_OPTIONS } from './option-table.js';
import type { QueryEnvironment, QueryOptions } from './options.js';
import { descriptionPath, isDescribable } from './reader/description-document.js';
import type { CustomModule } from './run/handlers.js';
import { siteOf } from './site/site-of.js';

/**
 * The key under which a custom module carries `createQuery`. Programs that make one have loaded the query API, so its
 * descriptor is checked against the catalogue at once.
 */
export const CREATE_QUERY: unique symbol = Symbol('createQuery');

/** The query API of a server, before it is loaded. */
export interface PreparedQuery {
  readonly routes: readonly Route[];
  /** The path of the action endpoint, below the mount point. */
  readonly path: string;
  /** The input of the OpenAPI document. */
  describe(): Promise<QueryDescription>;
}

const TABLE = object(QUERY_OPTIONS);

type Creator = typeof createQuery;

const creatorOf = (modules: readonly CustomModule[]): Creator | undefined => {
  let create: Creator | undefined;
  for (const [index, module] of modules.entries()) {
    const { [CREATE_QUERY]: carried }: CustomModule & { readonly [CREATE_QUERY]?: Creator } = module;
    if (carried === undefined)
      throw new TypeError(`options.query.customModules[${index}] must be made with customModule.`);
    create = carried;
  }
  return create;
};

/** The paths of the routes of `createQuery`, for a site without custom modules. */
const pathsOf = (given: QueryOptions, { base, paths, mcp, signIn }: QueryEnvironment): readonly string[] => {
  const options = TABLE.read(given, 'options.query');
  const site = siteOf(given.site, base);
  sandboxSignIn(options.sandbox, signIn);
  const [path = '/api'] = paths;
  const isSearchable = options.modules?.prefixsearch !== undefined && isDescribable({ site, endpoint: base + path });
  return [
    ...(options.mcp && mcp ? mcp.paths : []),
    ...paths.flatMap((each) => [each, ...[...MODULE_NAMES].map((name) => `${each}/query+${name}`)]),
    ...(options.sandbox === false ? [] : [sandboxPath(path)]),
    ...(isSearchable ? [descriptionPath(path)] : []),
  ];
};

/** A route that is created when the query API is loaded. */
const laterRoute = (path: string, find: () => Promise<Route>, onError: (error: unknown) => void): Route => {
  let route: Route | undefined;
  const wait = async (request: HttpRequest): Promise<HttpResponse> => {
    try {
      route = await find();
    } catch (error) {
      return errorResponse(error, onError);
    }
    return route.handle(request);
  };
  return { path, handle: (request) => (route === undefined ? wait(request) : route.handle(request)) };
};

/**
 * Checks the options of the query API and starts to load it, because most servers have none. Requests that arrive before
 * it is loaded wait for it.
 *
 * @throws TypeError for an invalid option, with a message that names it.
 */
export const prepareQuery = (options: QueryOptions, environment: QueryEnvironment): PreparedQuery => {
  const [path = '/api'] = environment.paths;
  const { onError } = environment;
  const create = creatorOf(options.customModules ?? []);
  if (create !== undefined) {
    const { routes, description } = create(options, environment);
    return { routes, path, describe: async () => description };
  }
  const paths = pathsOf(options, environment);
  const load = onDemand(async () => {
    const query = (await import('./create-query.js')).createQuery(options, environment);
    return { ...query, routes: new Map(query.routes.map((route) => [route.path, route])) };
  });
  load().catch(onError);
  const find = async (wanted: string): Promise<Route> => {
    const route = (await load()).routes.get(wanted);
    if (route === undefined) throw new Error(`The query API has no route ${wanted}.`);
    return route;
  };
  return {
    routes: paths.map((each) => laterRoute(each, () => find(each), onError)),
    path,
    describe: async () => (await load()).description,
  };
};
