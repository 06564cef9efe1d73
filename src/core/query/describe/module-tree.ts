import { ApiError } from '../answer/api-error.js';
import { message } from '../answer/messages.js';
import { checkDescriptors } from '../catalogue/check-descriptors.js';
import type { Described } from '../parameters/parse.js';
import { ACTION_MODULE_TEXTS } from './texts/action-texts.js';
import { moduleText } from './texts/catalogue-texts.js';

export type NodeGroup = Described['group'] | 'format';

/** A module in the tree below `main`. */
export interface ModuleNode {
  readonly name: string;
  /** `main`, `query`, `query+allpages` */
  readonly path: string;
  readonly group: NodeGroup;
  readonly module: Omit<Described, 'group'>;
  /** What it does, in English; empty if nobody described it. */
  readonly text: string;
  /** The site has no handler for it. */
  readonly unanswered?: true;
  /** By name; empty for a module without submodules. */
  readonly children: ReadonlyMap<string, ModuleNode>;
  /** The same, sorted by name. */
  readonly submodules: readonly ModuleNode[];
}

/** The modules of the tree: actions, output formats, and the modules of `query`. */
interface TreeParts {
  readonly main: Described;
  readonly actions: readonly Described[];
  readonly formats: readonly Omit<Described, 'group'>[];
  /** The modules of `query`. */
  readonly modules: readonly Described[];
}

/** Which modules the site answers. */
interface Answers {
  /** Whether the module at a path is answered. */
  isAnswered(path: string): boolean;
  /** Whether unanswered modules are listed, with a mark. */
  readonly listUnanswered: boolean;
}

const ALL_ANSWERED: Answers = { isAnswered: () => true, listUnanswered: true };

const nodeOf = (
  path: string,
  group: NodeGroup,
  module: Omit<Described, 'group'>,
  below: readonly ModuleNode[] = [],
): ModuleNode => {
  const { name, description } = module;
  const known = path.startsWith(IN_QUERY) ? moduleText(name) : ACTION_MODULE_TEXTS[name];
  return {
    name,
    path,
    group,
    module,
    text: description ?? known ?? '',
    children: new Map(below.map((node) => [node.name, node])),
    submodules: below.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  };
};

const IN_QUERY = 'query+';

/**
 * Builds the tree of all modules.
 *
 * @throws TypeError if a description contradicts itself or another one.
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
  const queried = modules.flatMap((module) => marked(nodeOf(IN_QUERY + module.name, module.group, module)));
  return nodeOf('main', 'main', main, [
    ...actions.flatMap((module) =>
      marked(nodeOf(module.name, 'action', module, module.name === 'query' ? queried : [])),
    ),
    ...formats.map((module) => nodeOf(module.name, 'format', module)),
  ]);
};

/**
 * The module at a path.
 *
 * @throws ApiError `badmodule` if there is none.
 */
export const findModule = (tree: ModuleNode, path: string): ModuleNode => {
  if (path === 'main') return tree;
  // An unescaped plus in a URL arrives as a space.
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

/** All modules below this one, depth first, sorted by name. */
export const descendantsOf = (node: ModuleNode): readonly ModuleNode[] =>
  node.submodules.flatMap((child) => [child, ...descendantsOf(child)]);

/** Whether the module is a submodule of `query`, not an action or format. */
export const isQueryModule = ({ path }: ModuleNode): boolean => path.startsWith(IN_QUERY);

/** Whether the module returns content, which requires a token on a private site. */
export const needsReadRights = ({ group, module }: ModuleNode): boolean =>
  group !== 'main' && group !== 'format' && module.readrights !== false;

/** The query string of a module's help page. */
export const helpQuery = ({ path }: ModuleNode): string => `?action=help&modules=${encodeURIComponent(path)}`;

/**
 * The modules of a selector: a path, or a path followed by `+*` (submodules) or `+**` (all descendants); `*` and `**`
 * alone start at `main`.
 *
 * @throws ApiError `badmodule` if it selects none.
 */
export const selectModules = (tree: ModuleNode, selector: string): readonly ModuleNode[] => {
  const [, path, stars] = /^(?:(.*)[+ ])?(\*\*?)$/s.exec(selector) ?? [];
  if (stars === undefined) return [findModule(tree, selector)];
  const parent = findModule(tree, path ?? 'main');
  if (parent.children.size === 0) {
    throw new ApiError('badmodule', message('apierror-badmodule-nosubmodules', { plaintext: parent.path }));
  }
  return stars === '**' ? descendantsOf(parent) : parent.submodules;
};
