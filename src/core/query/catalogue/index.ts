import type { ModuleDescriptor } from '../descriptor/descriptor.js';
import type { ModuleParams } from '../descriptor/module-params.js';
import * as changes from './list-changes.js';
import * as other from './list-other.js';
import * as pages from './list-pages.js';
import * as users from './list-users.js';
import * as meta from './meta.js';
import * as prop from './prop.js';

/** The descriptors of all modules by name. */
export type Catalogue = typeof changes & typeof meta & typeof other & typeof pages & typeof prop & typeof users;

/** The modules of the catalogue by name. */
export const catalogue: Catalogue = { ...pages, ...changes, ...users, ...other, ...prop, ...meta };

/** The name of a module of the catalogue. */
export type ModuleName = keyof Catalogue;

/** The parsed parameters of every module of the catalogue. */
export type CatalogueParams = { readonly [N in ModuleName]: ModuleParams<Catalogue[N]> };

/**
 * The parsed parameters of a module: of the catalogue by its name, or of a custom module by the type of its descriptor.
 */
export type ParamsOf<M extends ModuleName | ModuleDescriptor> = M extends ModuleName
  ? CatalogueParams[M]
  : M extends ModuleDescriptor
    ? ModuleParams<M>
    : never;
