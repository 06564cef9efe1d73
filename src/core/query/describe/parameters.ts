import { namespaceIds } from '../descriptor/descriptor-facts.js';
import type { ParamDescriptor } from '../descriptor/descriptor.js';
import type { Site } from '../site/site.js';
import type { ModuleNode, NodeGroup } from './module-tree.js';

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

const leadingDigits = (text: string): string | undefined => /^[0-9]+/.exec(text)?.[0];

/** Compares texts by code units, and numbers in them by value: `v2` before `v10`, `A` before `a`. */
const byNaturalOrder = (a: string, b: string): number => {
  let same = 0;
  while (same < a.length && a[same] === b[same]) same += 1;
  // A number that starts in the common prefix is compared as a whole.
  const start = a.slice(0, same).replace(/[0-9]+$/, '').length;
  const left = leadingDigits(a.slice(start));
  const right = leadingDigits(b.slice(start));
  if (left !== undefined && right !== undefined && Number(left) !== Number(right)) return Number(left) - Number(right);
  return a < b ? -1 : a > b ? 1 : 0;
};

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
