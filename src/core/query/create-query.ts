import type { Route } from '../http.js';
import { builtinHandlers } from './builtin/index.js';
import { createEndpoint, routesOf } from './endpoint/endpoint.js';
import { helpAction, paraminfoAction, queryAction } from './endpoint/actions.js';
import { FORMATS, formatModules, jsonModule, mainModule } from './endpoint/main-parameters.js';
import { buildTree } from './description/module-tree.js';
import { compileModules } from './modules/modules.js';
import type { QueryEnvironment, QueryOptions } from './options.js';
import type { QueryDescription } from './openapi/index.js';
import { helpModule, paraminfoModule } from './description/paraminfo.js';
import { compileModule } from './parameters/parse.js';
import { queryModule } from './modules/query-parameters.js';
import { sandboxRoutes } from './sandbox/sandbox.js';
import { resolveSite } from './site/site.js';

/**
 * Makes the query API. Everything that the descriptions say is prepared here, once.
 *
 * @throws TypeError when an option cannot be meant, with a sentence that names it.
 */
export function createQuery(
  options: QueryOptions,
  environment: QueryEnvironment,
): { readonly routes: readonly Route[]; readonly description: QueryDescription } {
  checkOptions(options);
  const { secret, base } = environment;
  const site = resolveSite({ ...(base !== '' && { server: new URL(base).origin }), ...options.site });
  const handlers = { ...builtinHandlers({ secret, languages: options.languages }), ...options.modules };
  const modules = compileModules(handlers, options.own ?? [], site);
  const descriptors = [...modules.values()].map(({ descriptor }) => descriptor);
  const described = {
    query: queryModule(descriptors),
    paraminfo: paraminfoModule(
      descriptors.map(({ name }) => name),
      FORMATS,
    ),
    help: helpModule,
  };
  const tree = buildTree({
    main: mainModule,
    actions: Object.values(described),
    formats: formatModules,
    modules: descriptors,
  });
  const documentation = base + (environment.paths[0] ?? '/api');
  const compile = (module: Parameters<typeof compileModule>[0]) => compileModule(module, site);
  const actions = new Map([
    ['query', queryAction(compile(described.query), { modules, site, options, environment })],
    ['paraminfo', paraminfoAction(compile(described.paraminfo), tree, documentation)],
    ['help', helpAction(compile(described.help), tree, site)],
  ]);
  const handle = createEndpoint({
    options,
    environment,
    actions,
    documentation,
    main: compile(mainModule),
    json: compile(jsonModule),
  });
  const description = { tree, site, path: environment.paths[0] ?? '/api' };
  const page = { endpoint: description.path, tree, site, signIn: environment.signIn };
  return {
    routes: [...routesOf(handle, environment.paths, modules.values()), ...sandboxRoutes(options.sandbox, page)],
    description,
  };
}

function checkOptions({ deadline, missing, origins = [] }: QueryOptions): void {
  if (deadline !== undefined && !(deadline > 0 && deadline <= 2 ** 31 - 1)) {
    throw new TypeError('query.deadline: give a number of milliseconds above 0.');
  }
  if (missing !== undefined && missing !== 'empty' && missing !== 'error') {
    throw new TypeError('query.missing: say "empty" or "error".');
  }
  for (const origin of origins) {
    if (origin.includes('://') && new URL(origin).origin !== origin) {
      throw new TypeError(`query.origins: "${origin}" is not an origin; leave out everything after the host and port.`);
    }
  }
}
