import { namespaceIds } from '../descriptor/descriptor-facts.js';
import type { ParamDescriptor } from '../descriptor/descriptor.js';
import type { Site } from '../site/site.js';
import { type ModuleNode, type NodeGroup } from './module-tree.js';
import { byNaturalOrder } from './natural-order.js';

/** A parameter of a module, as used by all descriptions. */
export interface DescribedParameter {
  readonly node: ModuleNode;
  readonly name: string;
  readonly wireName: string;
  readonly declared: ParamDescriptor;
  /** The modules named by its values, if they are modules. */
  readonly modules: readonly ModuleNode[] | undefined;
  /** The allowed values in display order; `undefined` if the type is not a list. */
  readonly values: readonly string[] | undefined;
}

const inGroup =
  (group: NodeGroup) =>
  (node: ModuleNode): boolean =>
    node.group === group;

/** The parameters whose values are modules, by module and name, with a test for these modules. */
const SUBMODULES: ReadonlyMap<string, (node: ModuleNode) => boolean> = new Map([
  ['main:action', inGroup('action')],
  ['main:format', inGroup('format')],
  ['query:prop', inGroup('prop')],
  ['query:list', inGroup('list')],
  ['query:meta', inGroup('meta')],
  ['query:generator', (node: ModuleNode) => node.module.generator === true],
]);

const modulesOf = (node: ModuleNode, parameter: string): readonly ModuleNode[] | undefined => {
  const meant = SUBMODULES.get(`${node.path}:${parameter}`);
  return meant && node.submodules.filter(meant).sort((a, b) => byNaturalOrder(a.name, b.name));
};

/** The values in natural order, deprecated ones last. */
const shownValues = ({ type, deprecatedvalues = [] }: ParamDescriptor): readonly string[] | undefined => {
  if (typeof type === 'string') return undefined;
  const rank = (value: string): number => (deprecatedvalues.includes(value) ? 1 : 0);
  return [...type].sort((a, b) => rank(a) - rank(b) || byNaturalOrder(a, b));
};

/** The parameters of a module, in declaration order. */
export const parametersOf = (node: ModuleNode): readonly DescribedParameter[] =>
  Object.entries(node.module.parameters).map(([name, declared]) => {
    const modules = modulesOf(node, name);
    const values = modules ? modules.map((module) => module.name) : shownValues(declared);
    return { node, name, wireName: node.module.prefix + name, declared, modules, values };
  });

/** The namespaces that a parameter accepts, with their names. */
export const namespacesOf = (
  declared: ParamDescriptor,
  site: Site,
): readonly { readonly id: number; readonly label: string }[] =>
  namespaceIds(declared, site).map((id) => {
    const name = site.namespace(id)?.name ?? String(id);
    return { id, label: name === '' ? '(Main)' : name };
  });
