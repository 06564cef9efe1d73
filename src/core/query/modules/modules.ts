import { catalogue, type ModuleName } from '../catalogue/index.js';
import { forSite } from '../catalogue/for-site.js';
import type { ModuleDescriptor } from '../descriptor.js';
import type { AnyHandler, ModuleHandlers, OwnModule } from './handlers.js';
import { compileModule, type ModuleParser, type Role } from '../parameters/parse.js';
import { PAGE_RULES, type PageRule, type Rule, RULES } from '../rules/index.js';
import { LOOSE_ENUMS } from '../rules/log.js';
import type { Site } from '../site/site.js';
import type { TypedParameter } from '../types/index.js';

/** A module with everything that is needed to run it. */
export interface QueryModule {
  readonly descriptor: ModuleDescriptor;
  readonly name: string;
  readonly path: string;
  readonly group: ModuleDescriptor['group'];
  readonly handler: AnyHandler | undefined;
  readonly rules: readonly Rule[];
  readonly pageRule: PageRule | undefined;
  /** The parameter with which it goes on, if it ever does. */
  readonly continueParameter: string | undefined;
  /** One for each way of using it; a generator only where it can be one. */
  readonly uses: { readonly module: ModuleUse; readonly generator: ModuleUse | undefined };
}

/** A module in one of its roles, with its names on the wire. */
export interface ModuleUse {
  readonly role: Role;
  readonly wirePrefix: string;
  readonly parser: ModuleParser;
  readonly limit: TypedParameter | undefined;
}

/** Parameters that say where to go on, the most telling first. */
const CONTINUE_PARAMETERS = ['continue', 'offset', 'from', 'users', 'prop'];

/** Prepares every module: those of the catalogue as the site has them, and the host's own. */
export function compileModules(
  handlers: ModuleHandlers,
  own: readonly OwnModule[],
  site: Site,
): ReadonlyMap<string, QueryModule> {
  const modules = new Map<string, QueryModule>();
  for (const descriptor of forSite<ModuleDescriptor>(Object.values(catalogue), site)) {
    const handler = isCatalogued(descriptor.name) ? handlers[descriptor.name] : undefined;
    modules.set(descriptor.name, prepare(descriptor, handler, site));
  }
  for (const { descriptor, handler } of own) {
    if (modules.has(descriptor.name)) {
      throw new TypeError(`query.own: there is a module "${descriptor.name}" already; give your own another name.`);
    }
    modules.set(descriptor.name, prepare(descriptor, handler, site));
  }
  const unknown = Object.keys(handlers).find((name) => !modules.has(name));
  if (unknown !== undefined) {
    throw new TypeError(`query.modules: there is no module "${unknown}"; describe it in query.own if it is yours.`);
  }
  return modules;
}

const isCatalogued = (name: string): name is ModuleName => Object.hasOwn(catalogue, name);

function prepare(descriptor: ModuleDescriptor, handler: unknown, site: Site): QueryModule {
  const { name, group } = descriptor;
  const parsed = loosened(descriptor);
  return {
    descriptor,
    name,
    group,
    path: `query+${name}`,
    handler: isHandler(handler) ? handler : undefined,
    rules: isCatalogued(name) ? (RULES[name] ?? []) : [],
    pageRule: isCatalogued(name) ? PAGE_RULES[name] : undefined,
    continueParameter: CONTINUE_PARAMETERS.find((parameter) => parameter in descriptor.parameters),
    uses: {
      module: useOf(parsed, 'module', site),
      generator: descriptor.generator ? useOf(parsed, 'generator', site) : undefined,
    },
  };
}

/** The descriptor as it is parsed: values that a rule judges are just text until then. */
function loosened(descriptor: ModuleDescriptor): ModuleDescriptor {
  const loose = isCatalogued(descriptor.name) ? LOOSE_ENUMS.get(descriptor.name) : undefined;
  const parameter = loose === undefined ? undefined : descriptor.parameters[loose];
  if (loose === undefined || !parameter) return descriptor;
  return { ...descriptor, parameters: { ...descriptor.parameters, [loose]: { ...parameter, type: 'string' } } };
}

const isHandler = (handler: unknown): handler is AnyHandler => typeof handler === 'function';

function useOf(module: ModuleDescriptor, role: Role, site: Site): ModuleUse {
  const wirePrefix = (role === 'generator' ? 'g' : '') + module.prefix;
  const { limit } = module.parameters;
  return {
    role,
    wirePrefix,
    parser: compileModule(module, site, role),
    limit: limit && {
      descriptor: limit,
      wireName: `${wirePrefix}limit`,
      modulePath: `query+${module.name}`,
      moduleName: module.name,
      feature: `action=query&${module.group}=${module.name}`,
      site,
    },
  };
}
