import { type Html, html } from '../../../base/html.js';
import type { Page } from '../../../base/pages/response.js';
import type { Site } from '../../site/site.js';
import type { HelpParams } from '../describing-actions.js';
import { examplesOf } from '../examples.js';
import {
  descendantsOf,
  findModule,
  helpQuery,
  isQueryModule,
  type ModuleNode,
  needsReadRights,
} from '../module-tree.js';
import { parametersOf } from '../parameters.js';
import { GROUP_TITLES } from '../texts/help-text.js';
import { type ApiFrame, type ApiLanguage, factList, type HelpLinks, helpPage } from './page.js';
import { parameterEntry } from './parameter-entry.js';

interface HelpAnswer {
  /** The complete page. */
  readonly page: Page;
  /** Only its content, for `wrap`. */
  readonly content: string;
}

/** What all parts of a page need. */
interface Help {
  readonly tree: ModuleNode;
  readonly site: Site;
  readonly language: ApiLanguage;
  readonly links: HelpLinks;
}

/** A heading within a module. */
type Heading = (text: string) => Html;

/** The module as a request names it. */
const titleOf = ({ name, group }: ModuleNode, language: ApiLanguage): string =>
  group === 'main' ? language.text('mainModule') : `${group}=${name}`;

const flagsOf = ({ module, unanswered }: ModuleNode, language: ApiLanguage): readonly Html[] => [
  ...(module.deprecated === true ? [html` <span class="flag">${language.text('deprecated')}</span>`] : []),
  ...(unanswered === true ? [html` <span class="flag soft">${language.text('unavailable')}</span>`] : []),
];

/** The submodules by group, each with its description. */
const indexOf = (node: ModuleNode, { language, links }: Help, heading: Heading): readonly Html[] =>
  GROUP_TITLES.map(([group, title]) => {
    const members = node.submodules.filter((child) => child.group === group);
    if (members.length === 0) return html``;
    return html`${heading(language.text(title))}
<dl>${members.map(
      (
        child,
      ) => html`<dt><a href="${links.help(child)}"><code>${titleOf(child, language)}</code></a>${flagsOf(child, language)}</dt>
<dd${language.inEnglish}>${child.text}</dd>
`,
    )}</dl>
`;
  });

const factsOf = (node: ModuleNode, language: ApiLanguage): readonly (Html | string)[] => {
  const { module, group } = node;
  const code = (text: string): Html => html`<code>${text}</code>`;
  return [
    ...(module.prefix === '' || group === 'action' ? [] : [language.html('prefix', { prefix: code(module.prefix) })]),
    ...(module.generator === true
      ? [language.html('asGenerator', { name: code(`generator=${module.name}`), letter: code('g') })]
      : []),
    ...(needsReadRights(node) ? [language.text('readRights')] : []),
  ];
};

const examplesBlock = (node: ModuleNode, { language }: Help, heading: Heading): Html => {
  const suffix =
    node.group === 'format' || node.name === 'help' || node.group === 'main' ? '' : '&format=json&formatversion=2';
  const examples = examplesOf(node).map(({ query, text }) => {
    const link = html`<a href="?${query}${suffix}"><code>${query}</code></a>`;
    return html`<li>${link}<br><span${language.inEnglish}>${text.text}</span></li>
`;
  });
  return html`${heading(language.text('examples'))}
<ul>${examples}</ul>
`;
};

const tryIt = (node: ModuleNode, { language, links }: Help): Html | undefined => {
  const address =
    isQueryModule(node) && node.unanswered !== true ? links.sandbox(`${node.group}=${node.name}`) : undefined;
  return address === undefined
    ? undefined
    : html`<p class="links"><a href="${address}">${language.text('tryIt')}</a></p>\n`;
};

/** The heading of the first module is that of the page. */
const moduleSection = (node: ModuleNode, help: Help, isFirst: boolean): Html => {
  const { language, site } = help;
  const parameters = parametersOf(node);
  const heading: Heading = (text) => (isFirst ? html`<h2>${text}</h2>` : html`<h3>${text}</h3>`);
  const isOfApi = node === help.tree && isFirst;
  const name = isOfApi ? language.text('apiHelpOf', { site: site.name }) : titleOf(node, language);
  const title = html`<bdi>${name}</bdi>${flagsOf(node, language)}`;
  return html`<section aria-labelledby="${node.path}">
${isFirst ? html`<h1 id="${node.path}">${title}</h1>` : html`<h2 id="${node.path}">${title}</h2>`}
<p${language.inEnglish}>${node.text}</p>
${factList(factsOf(node, language))}
${tryIt(node, help)}${indexOf(node, help, heading)}
${examplesBlock(node, help, heading)}
${heading(language.text('parameters'))}
${
  parameters.length === 0
    ? html`<p>${language.text('noParameters')}</p>`
    : html`<dl>${parameters.map((parameter) => parameterEntry(parameter, site, help))}</dl>`
}
</section>
`;
};

const contentsOf = (
  nodes: readonly ModuleNode[],
  language: ApiLanguage,
): Html => html`<nav aria-label="${language.text('contents')}"><ul>${nodes.map(
  (node) => html`<li><a href="#${node.path}">${titleOf(node, language)}</a></li>
`,
)}</ul></nav>
`;

/**
 * Renders the help page. Links to help are relative, so that they work at every path of the endpoint.
 *
 * @param sandbox - The path of the sandbox, if there is one.
 * @throws ApiError `badmodule` if the module does not exist.
 */
export const renderHelp = (
  { tree, site, sandbox }: { readonly tree: ModuleNode; readonly site: Site; readonly sandbox?: string },
  params: Pick<HelpParams, 'modules' | 'submodules' | 'recursivesubmodules' | 'toc'>,
  frame: ApiFrame,
): HelpAnswer => {
  const { language } = frame;
  const chosen = params.modules.map((path) => findModule(tree, path));
  const below = (node: ModuleNode): readonly ModuleNode[] =>
    params.recursivesubmodules ? descendantsOf(node) : params.submodules ? node.submodules : [];
  const nodes = [...new Set(chosen.flatMap((node) => [node, ...below(node)]))];
  const links: HelpLinks = {
    help: (node) => frame.address(helpQuery(node)),
    sandbox: (query) => sandbox && frame.address(sandbox) + (query && `#${query}`),
  };
  const help = { tree, site, language, links };
  const content = html`${params.toc ? contentsOf(nodes, language) : undefined}${nodes.map((node, index) => moduleSection(node, help, index === 0))}`;
  const current = nodes.length === 1 ? nodes[0] : undefined;
  const about = language.text('apiHelpOf', { site: site.name });
  const title = current === undefined || current === tree ? about : `${titleOf(current, language)} · ${about}`;
  return { page: helpPage(frame, { title, content, tree, current, links }), content: content.source };
};
