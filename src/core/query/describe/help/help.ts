import { type Html, html } from '../../../base/html.js';
import type { Site } from '../../site/site.js';
import type { HelpParams } from '../describing-actions.js';
import { examplesOf } from '../examples.js';
import {
  descendantsOf,
  findModule,
  helpQuery,
  type ModuleNode,
  needsReadRights,
  submodulesOf,
} from '../module-tree.js';
import { parametersOf } from '../parameters.js';
import { GROUP_TITLES, textOfModule } from '../texts/help-text.js';
import { factList, helpDocument } from './page.js';
import { parameterEntry } from './parameter-entry.js';

export { HELP_STYLE } from './page.js';

export interface HelpAnswer {
  /** The complete HTML document. */
  readonly page: string;
  /** Only its content, for `wrap`. */
  readonly content: string;
}

/** The module as a request names it. */
const titleOf = ({ name, group }: ModuleNode): string => {
  if (group === 'main') return 'Main module';
  return `${group}=${name}`;
};

const marksOf = ({ module, unanswered }: ModuleNode): readonly Html[] => [
  ...(module.deprecated === true ? [html`<span class="mark">deprecated</span>`] : []),
  ...(unanswered === true ? [html`<span class="mark">not available on this site</span>`] : []),
];

/** The submodules by group, each with its description. */
const indexOf = (node: ModuleNode): readonly Html[] =>
  GROUP_TITLES.map(([group, title]) => {
    const members = submodulesOf(node).filter((child) => child.group === group);
    if (members.length === 0) return html``;
    return html`<h3>${title}</h3>
<dl class="modules">${members.map(
      (child) => html`<dt><a href="${helpQuery(child)}"><code>${titleOf(child)}</code></a>${marksOf(child)}</dt>
<dd>${textOfModule(child).text}</dd>
`,
    )}</dl>
`;
  });

const factsOf = (node: ModuleNode): readonly (Html | string)[] => {
  const { module, group } = node;
  return [
    ...(module.prefix === '' || group === 'action' ? [] : [html`Parameter prefix: <code>${module.prefix}</code>`]),
    ...(module.generator === true
      ? [
          html`Can be used as a generator: <code>generator=${module.name}</code>. Its parameters are then prefixed with <code>g</code>.`,
        ]
      : []),
    ...(needsReadRights(node) ? ['Requires read rights.'] : []),
  ];
};

const examplesBlock = (node: ModuleNode): Html => {
  const suffix =
    node.group === 'format' || node.name === 'help' || node.group === 'main' ? '' : '&format=json&formatversion=2';
  return html`<h3>Examples</h3>
<ul>${examplesOf(node).map(
    ({ query, text }) => html`<li><a href="?${query}${suffix}"><code>${query}</code></a><br>${text.text}</li>
`,
  )}</ul>
`;
};

const moduleSection = (node: ModuleNode, site: Site): Html => {
  const parameters = parametersOf(node);
  return html`<section aria-labelledby="${node.path}">
<h2 id="${node.path}">${titleOf(node)}${marksOf(node)}</h2>
<p>${textOfModule(node).text}</p>
${factList(factsOf(node))}
${indexOf(node)}
${examplesBlock(node)}
<h3>Parameters</h3>
${
  parameters.length === 0
    ? html`<p>This module has no parameters.</p>`
    : html`<dl>${parameters.map((parameter) => parameterEntry(parameter, site))}</dl>`
}
</section>
`;
};

const contentsOf = (nodes: readonly ModuleNode[]): Html => html`<nav aria-label="Contents"><ul>${nodes.map(
  (node) => html`<li><a href="#${node.path}">${titleOf(node)}</a></li>
`,
)}</ul></nav>
`;

/**
 * Renders the help page. Links are relative, so that they work at every path of the endpoint.
 *
 * @throws ApiError `badmodule` if the module does not exist.
 */
export const renderHelp = (
  tree: ModuleNode,
  site: Site,
  params: Pick<HelpParams, 'modules' | 'submodules' | 'recursivesubmodules' | 'toc'>,
): HelpAnswer => {
  const chosen = params.modules.map((path) => findModule(tree, path));
  const below = params.recursivesubmodules ? descendantsOf : params.submodules ? submodulesOf : () => [];
  const nodes = new Set(chosen.flatMap((node) => [node, ...below(node)]));
  const first = chosen.length === 1 ? chosen[0] : undefined;
  const title = first && first !== tree ? `${titleOf(first)} – API help of ${site.name}` : `API help of ${site.name}`;
  const content = html`<h1>${title}</h1>
${params.toc ? contentsOf([...nodes]) : undefined}
${[...nodes].map((node) => moduleSection(node, site))}`;
  return { page: helpDocument(title, content), content: content.source };
};
