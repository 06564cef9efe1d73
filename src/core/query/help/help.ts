import { textOfModule } from './descriptions.js';
import { examplesOf } from './examples.js';
import { factList, type Html, markup } from './html.js';
import { helpDocument } from './page.js';
import { parameterEntry } from './parameter-entry.js';
import { findModule, type ModuleNode, submodulesOf } from '../description/module-tree.js';
import type { Site } from '../site/site.js';

export { HELP_STYLE } from './page.js';

/** The parsed parameters of `action=help`. */
export interface HelpParams {
  readonly modules: readonly string[];
  readonly submodules: boolean;
  readonly recursivesubmodules: boolean;
  readonly toc: boolean;
}

export interface HelpAnswer {
  /** A whole HTML document. */
  readonly page: string;
  /** Its content alone, for `wrap`. */
  readonly content: string;
}

const linkTo = (node: ModuleNode): string => `?action=help&modules=${encodeURIComponent(node.path)}`;

/** How a request names the module. */
const titleOf = ({ name, group }: ModuleNode): string => {
  if (group === 'main') return 'Main module';
  return `${group}=${name}`;
};

const marksOf = ({ module }: ModuleNode): readonly Html[] => [
  ...(module.deprecated === true ? [markup`<span class="mark">deprecated</span>`] : []),
];

/** What modules are sorted by, where people read about them. */
export const GROUP_TITLES = [
  ['action', 'Actions'],
  ['list', 'Lists'],
  ['prop', 'Facts about pages'],
  ['meta', 'Facts about the site and the caller'],
  ['format', 'Output formats'],
] as const;

/** The modules below this one, by group, each with its sentence. */
const indexOf = (node: ModuleNode): readonly Html[] =>
  GROUP_TITLES.map(([group, title]) => {
    const members = submodulesOf(node, false).filter((child) => child.group === group);
    if (members.length === 0) return markup``;
    return markup`<h3>${title}</h3>
<dl class="modules">${members.map(
      (child) => markup`<dt><a href="${linkTo(child)}"><code>${titleOf(child)}</code></a>${marksOf(child)}</dt>
<dd>${textOfModule(child).text}</dd>
`,
    )}</dl>
`;
  });

const factsOf = ({ module, group }: ModuleNode): readonly (Html | string)[] => [
  ...(module.prefix === '' || group === 'action'
    ? []
    : [markup`Prefix of its parameters: <code>${module.prefix}</code>`]),
  ...(module.generator === true
    ? [
        markup`Can be used as a generator: <code>generator=${module.name}</code>, with a <code>g</code> in front of its parameters.`,
      ]
    : []),
  ...(['list', 'prop', 'meta'].includes(group) && module.readrights !== false ? ['Needs the right to read.'] : []),
];

const examplesBlock = (node: ModuleNode): Html => {
  const suffix =
    node.group === 'format' || node.name === 'help' || node.group === 'main' ? '' : '&format=json&formatversion=2';
  return markup`<h3>Examples</h3>
<ul>${examplesOf(node).map(
    ({ query, text }) => markup`<li><a href="?${query}${suffix}"><code>${query}</code></a><br>${text.text}</li>
`,
  )}</ul>
`;
};

const moduleSection = (node: ModuleNode, site: Site): Html => {
  const parameters = Object.entries(node.module.parameters);
  return markup`<section aria-labelledby="${node.path}">
<h2 id="${node.path}">${titleOf(node)}${marksOf(node)}</h2>
<p>${textOfModule(node).text}</p>
${factList(factsOf(node))}
${indexOf(node)}
${examplesBlock(node)}
<h3>Parameters</h3>
${
  parameters.length === 0
    ? markup`<p>This module takes no parameters.</p>`
    : markup`<dl>${parameters.map(([name, p]) => parameterEntry(node, name, p, site))}</dl>`
}
</section>
`;
};

const contentsOf = (nodes: readonly ModuleNode[]): Html => markup`<nav aria-label="Contents"><ul>${nodes.map(
  (node) => markup`<li><a href="#${node.path}">${titleOf(node)}</a></li>
`,
)}</ul></nav>
`;

/**
 * Describes modules for people. Links go to the address at hand, so that they work under every name of the endpoint.
 *
 * @throws ApiError `badmodule` when there is no such module.
 */
export const renderHelp = (tree: ModuleNode, site: Site, params: HelpParams): HelpAnswer => {
  const chosen = params.modules.map((path) => findModule(tree, path));
  const nodes = new Set(
    chosen.flatMap((node) =>
      params.submodules || params.recursivesubmodules
        ? [node, ...submodulesOf(node, params.recursivesubmodules)]
        : [node],
    ),
  );
  const first = chosen.length === 1 ? chosen[0] : undefined;
  const title = first && first !== tree ? `${titleOf(first)} – API help of ${site.name}` : `API help of ${site.name}`;
  const content = markup`<h1>${title}</h1>
${params.toc ? contentsOf([...nodes]) : undefined}
${[...nodes].map((node) => moduleSection(node, site))}`;
  return { page: helpDocument(title, content), content: content.source };
};
