import { type Html, html, htmlDocument } from '../../../base/html.js';
import { PALETTES } from '../../../base/pages/style.js';

/** Help has the colours of the other pages. */
const variables = (palette: Readonly<Record<string, string>>): string =>
  Object.entries(palette)
    .map(([name, color]) => `--${name}: ${color};`)
    .join(' ');

/** The style of all help pages. The content security policy contains its hash. */
export const HELP_STYLE = `
:root { color-scheme: light dark; ${variables(PALETTES.light)} }
@media (prefers-color-scheme: dark) { :root { ${variables(PALETTES.dark)} } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--card); color: var(--text); font: 1rem/1.55 system-ui, sans-serif; }
header, main, footer { max-width: 56rem; margin: 0 auto; padding: 0.75rem 1rem; }
header { border-bottom: 1px solid var(--edge); }
footer { color: var(--soft); border-top: 1px solid var(--edge); }
h1, h2, h3, dt { overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; } h2 { font-size: 1.25rem; margin-top: 2.5rem; } h3 { font-size: 1.05rem; margin-top: 2rem; }
a { color: var(--accent); }
a:focus-visible, summary:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
code { background: var(--note-back); border-radius: 0.2rem; padding: 0.05em 0.3em; font: 0.95em/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
dt { margin-top: 1.25rem; font-weight: 600; } dd { margin: 0.25rem 0 0 1.25rem; }
.modules dt { margin-top: 0.6rem; } .modules dd { margin-top: 0; }
.facts, .values { list-style: none; margin: 0.3rem 0 0; padding: 0; }
.facts { color: var(--soft); } .values { display: flex; flex-wrap: wrap; gap: 0.25rem 0.4rem; }
.mark { margin-left: 0.5rem; color: var(--bad); font-weight: 600; font-size: 0.9em; }
.skip { position: absolute; left: -100vw; } .skip:focus { position: static; }
`;

/** The complete document. */
export const helpDocument = (title: string, content: Html): string =>
  htmlDocument({
    title,
    style: HELP_STYLE,
    robots: 'noindex, nofollow',
    body: html`<header><a class="skip" href="#content">Skip to the content</a> <nav aria-label="Help"><a href="?action=help">API help</a> ·
<a href="?action=help&amp;modules=query">Query modules</a></nav></header>
<main id="content">
${content}
</main>
<footer>Generated from the module descriptions. Programs use <code>action=paraminfo</code>.</footer>`,
  }).source;

/** A list of remarks; `undefined` if there are none. */
export const factList = (facts: readonly (Html | string)[]): Html | undefined =>
  facts.length === 0 ? undefined : html`<ul class="facts">${facts.map((fact) => html`<li>${fact}</li>`)}</ul>`;
