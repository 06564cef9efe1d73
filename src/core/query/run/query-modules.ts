import { mistake } from '../../base/mistakes.js';
import { forSite } from '../catalogue/for-site.js';
import { catalogue, type ModuleName } from '../catalogue/index.js';
import type { ModuleDescriptor } from '../descriptor/descriptor.js';
import { compileModule, type ModuleParser, type Role } from '../parameters/parse.js';
import type { TypedParameter } from '../parameters/types/index.js';
import type { Site } from '../site/site.js';
import type { AnyHandler, CustomModule, ModuleHandlers } from './handlers.js';

/** A compiled module with its handler. */
export interface QueryModule {
  readonly descriptor: ModuleDescriptor;
  readonly name: string;
  readonly path: string;
  readonly group: ModuleDescriptor['group'];
  readonly handler: AnyHandler | undefined;
  /** The parameter for continuation, if it has one. */
  readonly continueParameter: string | undefined;
  /** One for each role; `generator` only if it can be one. */
  readonly uses: { readonly module: ModuleUse; readonly generator: ModuleUse | undefined };
}

/** A module in one role, with its names on the wire. */
export interface ModuleUse {
  readonly role: Role;
  readonly wirePrefix: string;
  readonly parser: ModuleParser;
  readonly limit: TypedParameter | undefined;
}

/** Compiles all modules: those of the catalogue, adapted to the site, and custom ones. */
export const compileModules = (
  handlers: ModuleHandlers,
  own: readonly CustomModule[],
  site: Site,
): ReadonlyMap<string, QueryModule> => {
  const modules = new Map<string, QueryModule>();
  for (const descriptor of forSite<ModuleDescriptor>(Object.values(catalogue), site)) {
    const handler = isCatalogued(descriptor.name) ? handlers[descriptor.name] : undefined;
    modules.set(descriptor.name, prepare(descriptor, handler, site));
  }
  for (const { descriptor, handler } of own) {
    if (modules.has(descriptor.name)) {
      throw mistake(
        `options.query.customModules: the module "${descriptor.name}" exists already. Choose a different name.`,
        'OQ100',
      );
    }
    for (const adapted of forSite([descriptor], site)) modules.set(descriptor.name, prepare(adapted, handler, site));
  }
  return modules;
};

const isCatalogued = (name: string): name is ModuleName => Object.hasOwn(catalogue, name);

const prepare = (descriptor: ModuleDescriptor, handler: unknown, site: Site): QueryModule => {
  const { name, group, parameters, continueWith } = descriptor;
  return {
    descriptor,
    name,
    group,
    path: `query+${name}`,
    handler: isHandler(handler) ? handler : undefined,
    continueParameter: continueWith ?? ('continue' in parameters ? 'continue' : undefined),
    uses: {
      module: useOf(descriptor, 'module', site),
      generator: descriptor.generator ? useOf(descriptor, 'generator', site) : undefined,
    },
  };
};

const isHandler = (handler: unknown): handler is AnyHandler => typeof handler === 'function';

const useOf = (module: ModuleDescriptor, role: Role, site: Site): ModuleUse => {
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
};
