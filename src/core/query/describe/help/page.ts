import { Html, html } from '../../../base/html.js';
import { type Frame, hashSource } from '../../../base/pages/frame.js';
import type { PageTextName } from '../../../base/pages/languages/english.js';
import type { Translator } from '../../../base/pages/languages/translator.js';
import type { Page } from '../../../base/pages/response.js';
import { compact } from '../../../base/pages/style.js';
import { descendantsOf, type ModuleNode } from '../module-tree.js';
import type { ApiTextName } from '../texts/api-texts.js';
import { GROUP_TITLES } from '../texts/help-text.js';

/** The frame of help and the sandbox. */
export type ApiFrame = Frame<ApiTextName>;

/** The language of help and the sandbox. */
export type ApiLanguage = Translator<PageTextName | ApiTextName>;

const HELP_STYLE = compact(`
.columns { width: 100%; max-width: 90rem; display: grid; gap: 1.25rem; align-items: start; }
.columns main { max-width: none; } main section:first-child { padding: 0; border: 0; }
.columns code { background: var(--note-back); border-radius: 0.25rem; padding: 0.05em 0.3em; }
.columns .links a { padding: 0.35rem 0; }
dl { gap: 0.35rem; } dt { color: var(--text); font-weight: 600; } dd + dt { margin-top: 0.9rem; } dd { display: grid; gap: 0.35rem; padding-inline-start: 1.25rem; }
.application .values { display: flex; flex-wrap: wrap; gap: 0.3rem 0.4rem; margin-top: 0.3rem; }
#modules { padding: 0 1.25rem 1.25rem; background: var(--card); border: 1px solid var(--edge); border-radius: 1.1rem; }
#modules h2 { margin: 0.9rem 0 0.3rem; font-size: 1rem; } #modules li a { display: block; padding: 0.3rem 0.6rem; border-radius: 0.4rem; text-decoration: none; }
#modules li a:hover, #modules [aria-current] { background: var(--note-back); } #modules [aria-current] { font-weight: 700; }
#modules > div { position: sticky; top: 0; margin: 0 -1.25rem; padding: 1.25rem 1.25rem 0.75rem; background: var(--card); }
#modules code { background: none; padding: 0; }
@media (min-width: 60rem) {
  .columns { grid-template-columns: 17rem minmax(0, 1fr); }
  .columns main { grid-area: 1 / 2; }
  #modules { grid-area: 1 / 1; position: sticky; top: 1rem; max-height: calc(100vh - 2rem); overflow-y: auto; }
}
`);

/** Narrows the list of modules while the reader types. The page works without it. */
const HELP_SCRIPT = `{
const side = document.getElementById('modules'), field = document.getElementById('find');
const groups = [...side.querySelectorAll('ul')], here = side.querySelector('[aria-current]');
side.querySelector('[hidden]').hidden = false;
if (here) side.scrollTop = here.offsetTop - side.offsetTop - side.clientHeight / 2;
field.oninput = function () {
  const wanted = field.value.trim().toLowerCase();
  for (const group of groups) {
    const items = [...group.children];
    for (const item of items) item.hidden = !(item.textContent + item.firstChild.title).toLowerCase().includes(wanted);
    group.hidden = group.previousElementSibling.hidden = items.every(function (item) { return item.hidden; });
  }
  document.getElementById('no-module').hidden = groups.some(function (group) { return !group.hidden; });
};
}`;

/** All modules by group, beside the content. */
const side = (tree: ModuleNode, current: ModuleNode | undefined, language: ApiLanguage, links: HelpLinks): Html => {
  const all = descendantsOf(tree);
  const item = (node: ModuleNode): Html => {
    const mark = node === current ? html` aria-current="page"` : undefined;
    return html`<li><a href="${links.help(node)}" title="${node.text}"${mark}><code>${node.name}</code></a></li>
`;
  };
  return html`<nav id="modules" aria-label="${language.text('modules')}">
<div hidden><label for="find">${language.text('findModule')}</label>
<input id="find" type="search" autocomplete="off" dir="ltr"></div>
<p id="no-module" role="status" hidden>${language.text('noModule')}</p>
${GROUP_TITLES.map(
  ([group, title]) => html`<h2>${language.text(title)}</h2>
<ul>${all.filter((node) => node.group === group).map(item)}</ul>
`,
)}</nav>`;
};

/** The addresses that help links to, in the language of the reader. */
export interface HelpLinks {
  /** The page of a module. */
  help(node: ModuleNode): string;
  /** The sandbox with a query filled in; `undefined` without a sandbox. */
  sandbox(query: string): string | undefined;
}

/** What a page of help shows. */
interface HelpContent {
  readonly title: string;
  readonly content: Html;
  readonly tree: ModuleNode;
  /** The module that it is about, if it is only one. */
  readonly current: ModuleNode | undefined;
  readonly links: HelpLinks;
}

/** The complete page. */
export const helpPage = (frame: ApiFrame, { title, content, tree, current, links }: HelpContent): Page => {
  const { language } = frame;
  const sandbox = links.sandbox('');
  const page = frame.application({
    title,
    style: HELP_STYLE,
    links: [
      { href: links.help(tree), text: language.text('apiHelp'), isCurrent: current === tree },
      { href: '#modules', text: language.text('modules') },
      ...(sandbox === undefined ? [] : [{ href: sandbox, text: language.text('sandbox') }]),
    ],
    body: html`<div class="columns"><main id="content">
${content}
<p class="facts">${language.html('generated', { action: html`<code>action=paraminfo</code>` })}</p>
</main>
${side(tree, current, language, links)}</div>
<script>${Html.content(HELP_SCRIPT)}</script>`,
  });
  return { ...page, scriptSources: [hashSource(HELP_SCRIPT)] };
};

/** A list of remarks; `undefined` if there are none. */
export const factList = (facts: readonly (Html | string)[], attributes?: Html): Html | undefined =>
  facts.length === 0
    ? undefined
    : html`<ul class="facts"${attributes}>${facts.map((fact) => html`<li>${fact}</li>`)}</ul>`;
