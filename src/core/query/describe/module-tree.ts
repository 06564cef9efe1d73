import { ApiError } from '../answer/api-error.js';
import { checkDescriptors } from '../catalogue/check-descriptors.js';
import { message } from '../answer/messages.js';
import type { Described } from '../parameters/parse.js';

export type NodeGroup = Described['group'] | 'format';

/** A module in its place below `main`. */
export interface ModuleNode {
  readonly name: string;
  /** `main`, `query`, `query+allpages` */
  readonly path: string;
  readonly group: NodeGroup;
  readonly module: Omit<Described, 'group'>;
  /** This site has nothing that answers it. */
  readonly unanswered?: true;
  /** By name; empty for a module without submodules. */
  readonly children: ReadonlyMap<string, ModuleNode>;
}

/** What hangs below `main`: actions, output formats, and the modules of `query`. */
export interface TreeParts {
  readonly main: Described;
  readonly actions: readonly Described[];
  readonly formats: readonly Omit<Described, 'group'>[];
  /** Those of `query`, as the site has them. */
  readonly modules: readonly Described[];
}

/** What the site has something to answer with. */
export interface Answers {
  /** Whether the module at a path is answered. */
  isAnswered(path: string): boolean;
  /** Whether those without an answer are listed, with a mark. */
  readonly listUnanswered: boolean;
}

const ALL_ANSWERED: Answers = { isAnswered: () => true, listUnanswered: true };

const byName = (nodes: readonly ModuleNode[]): ReadonlyMap<string, ModuleNode> =>
  new Map(nodes.map((node) => [node.name, node]));

const NONE: ReadonlyMap<string, ModuleNode> = new Map();

/**
 * Puts all modules in their places.
 *
 * @throws TypeError when a description contradicts itself or another one.
 */
export const buildTree = (
  { main, actions, formats, modules }: TreeParts,
  { isAnswered, listUnanswered }: Answers = ALL_ANSWERED,
): ModuleNode => {
  checkDescriptors(modules, main);
  const marked = (node: ModuleNode): readonly ModuleNode[] => {
    if (isAnswered(node.path)) return [node];
    return listUnanswered ? [{ ...node, unanswered: true }] : [];
  };
  const queried = byName(
    modules.flatMap((module) => {
      const { name, group } = module;
      return marked({ name, path: `query+${name}`, group, module, children: NONE });
    }),
  );
  const children = [
    ...actions.flatMap((module): readonly ModuleNode[] => {
      const { name } = module;
      return marked({ name, path: name, group: 'action', module, children: name === 'query' ? queried : NONE });
    }),
    ...formats.map((module): ModuleNode => {
      const { name } = module;
      return { name, path: name, group: 'format', module, children: NONE };
    }),
  ];
  return { name: 'main', path: 'main', group: 'main', module: main, children: byName(children) };
};

/**
 * The module at a path.
 *
 * @throws ApiError `badmodule` when there is none.
 */
export const findModule = (tree: ModuleNode, path: string): ModuleNode => {
  if (path === 'main') return tree;
  // A plus that is typed into an address arrives as a space.
  const names = path.includes('+') ? path.split('+') : path.split(' ');
  let node = tree;
  for (const name of names) {
    if (node.children.size === 0) {
      throw new ApiError('badmodule', message('apierror-badmodule-nosubmodules', { plaintext: node.path }));
    }
    const child = node.children.get(name);
    if (!child) {
      throw new ApiError(
        'badmodule',
        message('apierror-badmodule-badsubmodule', { plaintext: node.path }, { plaintext: name }),
      );
    }
    node = child;
  }
  return node;
};

/** The modules directly below this one, sorted by name. */
export const submodulesOf = (node: ModuleNode): readonly ModuleNode[] =>
  [...node.children.values()].sort((a, b) => (a.name < b.name ? -1 : 1));

/** All modules below this one: each sorted in by name, and followed by those below it. */
export const descendantsOf = (node: ModuleNode): readonly ModuleNode[] =>
  submodulesOf(node).flatMap((child) => [child, ...descendantsOf(child)]);

/** Whether the module answers below `query`, and is no action or format. */
export const isQueryModule = ({ path }: ModuleNode): boolean => path.startsWith('query+');

/** Whether the module shows content, which on a private site is for those with a token. */
export const needsReadRights = ({ group, module }: ModuleNode): boolean =>
  group !== 'main' && group !== 'format' && module.readrights !== false;

/** The address of the page that describes a module for people, without that of the endpoint. */
export const helpQuery = ({ path }: ModuleNode): string => `?action=help&modules=${encodeURIComponent(path)}`;

/**
 * The modules that a selector means: a path, or a path with `+*` (all directly below) or `+**` (all below) behind it;
 * `*` and `**` alone start at `main`.
 *
 * @throws ApiError `badmodule` when it means none.
 */
export const selectModules = (tree: ModuleNode, selector: string): readonly ModuleNode[] => {
  const [, path, stars] = /^(?:(.*)[+ ])?(\*\*?)$/s.exec(selector) ?? [];
  if (stars === undefined) return [findModule(tree, selector)];
  const parent = findModule(tree, path ?? 'main');
  if (parent.children.size === 0) {
    throw new ApiError('badmodule', message('apierror-badmodule-nosubmodules', { plaintext: parent.path }));
  }
  return stars === '**' ? descendantsOf(parent) : submodulesOf(parent);
};
