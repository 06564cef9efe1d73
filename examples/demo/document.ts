import { html, pageLayout } from 'oauth-query/pages';
import type { Page } from './app.js';
import { BRAND } from './site.js';

/** Markup made by the tag `html`. */
export type Markup = ReturnType<typeof html>;

const STYLE = `
.wide header, .wide main { max-width: 72rem; }
.lead { max-width: 44rem; font-size: 1.15rem; }
h1 { font-size: clamp(1.7rem, 4vw, 2.5rem); }
pre { margin: 0; padding: 0.9rem 1.1rem; max-height: 22rem; overflow: auto; white-space: pre-wrap; background: var(--note-back); border-radius: 0.6rem; font: 0.9rem/1.5 ui-monospace, monospace; }
.people, .steps { display: grid; gap: 1.25rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 16rem), 1fr)); }
.steps { grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); }
.people p, .steps section { min-width: 0; padding: 1.1rem 1.25rem; border: 1px solid var(--edge); border-radius: 0.9rem; }
.people p { display: flex; align-items: center; gap: 0.9rem; }
.steps section { align-content: start; } .steps h2 { gap: 0.75rem; }
.steps .mark { border-radius: 50%; }
.steps div { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 1.25rem; }
`;

/** Runs the step of a button, and shows its response below it. */
const BUTTONS = `
const shown = (response, body) => response.status + ' ' + response.statusText + '\\n' + JSON.stringify(body, null, 2);
for (const button of document.querySelectorAll('[data-step]')) {
  button.hidden = false;
  button.onclick = async () => {
    const output = button.closest('section').querySelector('pre');
    const text = await STEPS[button.dataset.step]().catch((error) => String(error));
    output.hidden = false;
    output.textContent = text;
  };
}
`;

/** A step with a button, which needs the script of the page, and its response. */
export const step = (
  number: number,
  title: string,
  name: string,
  press: string,
  body: Markup,
  further?: Markup,
): Markup =>
  html`<section><h2><span class="mark" aria-hidden="true">${number}</span>${title}</h2>
${body}
<div><button type="button" data-step="${name}" hidden>${press}</button>
${further}</div>
<pre role="status" tabindex="0" aria-label="${title}: response" hidden></pre></section>
`;

/**
 * A page of the demo, in the frame of all pages.
 *
 * @param script - Defines `STEPS`: by name, a function that resolves with the text to show. It may use `shown(response, body)`.
 */
export const demoDocument = (title: string, body: Markup, script: string): Page => {
  const site = { ...BRAND, home: '/', links: [] };
  const { source } = pageLayout({ locale: 'en', dir: 'ltr', site }, { title, isWide: true, body });
  return {
    type: 'text/html',
    body: source
      .replace('</style>', () => `${STYLE}</style>`)
      .replace('</body>', () => `<script type="module">${script}${BUTTONS}</script>\n</body>`),
  };
};
