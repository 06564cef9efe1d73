import { type ModuleNode, type NodeGroup, submodulesOf } from './module-tree.js';
import { naturally } from './natural-order.js';

/** The allowed values as they are shown: deprecated ones last, each part in natural order. */
export const shownValues = (values: readonly string[], deprecated: readonly string[] = []): readonly string[] => {
  const rank = (value: string): number => (deprecated.includes(value) ? 1 : 0);
  return [...values].sort((a, b) => rank(a) - rank(b) || naturally(a, b));
};

const inGroup =
  (group: NodeGroup) =>
  (node: ModuleNode): boolean =>
    node.group === group;

/** The parameters whose values are modules, by module and name, with the modules that they mean. */
const SUBMODULES: ReadonlyMap<string, (node: ModuleNode) => boolean> = new Map([
  ['main:action', inGroup('action')],
  ['main:format', inGroup('format')],
  ['query:prop', inGroup('prop')],
  ['query:list', inGroup('list')],
  ['query:meta', inGroup('meta')],
  ['query:generator', (node: ModuleNode) => node.module.generator === true],
]);

/** The names that a parameter can have whose values are modules; `undefined` for any other parameter. */
export const moduleNamesOf = (node: ModuleNode, parameter: string): readonly string[] | undefined => {
  const meant = SUBMODULES.get(`${node.path}:${parameter}`);
  return (
    meant &&
    shownValues(
      submodulesOf(node, false)
        .filter(meant)
        .map(({ name }) => name),
    )
  );
};
