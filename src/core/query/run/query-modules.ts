import { fail } from '../../base/schema.js';
import { forSite } from '../catalogue/for-site.js';
import { catalogue, type ModuleName } from '../catalogue/index.js';
import type { ModuleDescriptor } from '../descriptor/descriptor.js';
import { compileModule, type ModuleParser } from '../parameters/parse.js';
import type { Site } from '../site/site.js';
import type { AnyHandler, CustomModule, ModuleHandlers } from './handlers.js';

/** A compiled module with its handler. */
export interface QueryModule {
  readonly descriptor: ModuleDescriptor;
  readonly name: string;
  /** `query+allpages` */
  readonly path: string;
  readonly group: ModuleDescriptor['group'];
  readonly handler: AnyHandler | undefined;
  /** The parameter for continuation, if it has one. */
  readonly continueParameter: string | undefined;
  readonly parser: ModuleParser;
  /** Its parser as a generator, if it can be one. */
  readonly generator: ModuleParser | undefined;
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
      fail(`query: options.customModules: the module "${descriptor.name}" exists already. Choose a different name.`);
    }
    for (const adapted of forSite([descriptor], site)) modules.set(descriptor.name, prepare(adapted, handler, site));
  }
  return modules;
};

const isCatalogued = (name: string): name is ModuleName => Object.hasOwn(catalogue, name);

const prepare = (descriptor: ModuleDescriptor, handler: unknown, site: Site): QueryModule => {
  const { name, group, parameters, continueWith } = descriptor;
  const parser = compileModule(descriptor, site);
  return {
    descriptor,
    name,
    group,
    parser,
    path: parser.path,
    handler: isHandler(handler) ? handler : undefined,
    continueParameter: continueWith ?? ('continue' in parameters ? 'continue' : undefined),
    generator: descriptor.generator && compileModule(descriptor, site, 'generator'),
  };
};

const isHandler = (handler: unknown): handler is AnyHandler => typeof handler === 'function';
