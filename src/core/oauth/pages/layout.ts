import type { HiddenFields, ScopeView } from './views.js';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text for HTML, in an element or between quotation marks. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

/** The one style sheet of all pages; its hash stands in the content security policy. */
export const STYLE = `
:root { color-scheme: light dark; --text: #1a1c22; --soft: #545966; --back: #eff1f5; --card: #ffffff; --edge: #d9dce4; --line: #757b8a; --accent: #2350c5; --on-accent: #ffffff; --good: #1c6b3a; --bad: #a3122a; --bad-back: #fdeef0; --note-back: #f3f5fa; }
@media (prefers-color-scheme: dark) { :root { --text: #eceef3; --soft: #b2b7c4; --back: #121418; --card: #1c1f26; --edge: #323743; --line: #8b91a0; --accent: #a3bcff; --on-accent: #10131c; --good: #8fdcab; --bad: #ffa3b0; --bad-back: #35191f; --note-back: #252933; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; background: var(--back); color: var(--text); font: 1rem/1.55 system-ui, sans-serif; }
main { width: 100%; max-width: 27rem; padding: 2rem; display: grid; gap: 1.25rem; background: var(--card); border: 1px solid var(--edge); border-radius: 1rem; box-shadow: 0 1px 2px #0000000d, 0 8px 24px #0000000d; overflow-wrap: anywhere; }
main > *, form > * { min-width: 0; }
h1, p, ul, dl, dd { margin: 0; }
h1 { font-size: 1.5rem; line-height: 1.25; letter-spacing: -0.01em; text-wrap: balance; }
.good h1::before, .bad h1::before { display: grid; place-items: center; width: 3rem; height: 3rem; margin-bottom: 1rem; border: 2px solid; border-radius: 50%; font-size: 1.4rem; line-height: 1; }
.good h1::before { content: "✓"; content: "✓" / ""; color: var(--good); }
.bad h1::before { content: "!"; content: "!" / ""; color: var(--bad); }
ul { padding: 0.9rem 1.1rem; display: grid; gap: 0.5rem; list-style: none; background: var(--note-back); border-radius: 0.6rem; }
li { padding-left: 1.6rem; }
li::before { content: "✓"; content: "✓" / ""; float: left; margin-left: -1.6rem; color: var(--accent); font-weight: 700; }
form { display: grid; gap: 1.1rem; }
label { display: block; margin-bottom: 0.35rem; font-weight: 600; }
input { display: block; width: 100%; padding: 0.65rem 0.8rem; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 0.5rem; }
input[aria-invalid] { border: 2px solid var(--bad); }
button { min-height: 2.75rem; padding: 0.6rem 1.25rem; font: inherit; font-weight: 600; color: var(--on-accent); background: var(--accent); border: 1px solid var(--accent); border-radius: 0.5rem; cursor: pointer; }
button:hover { filter: brightness(1.08); }
button.plain { color: var(--text); background: transparent; border-color: var(--line); }
button.link { justify-self: start; min-height: 0; padding: 0.25rem 0; font-weight: 400; text-align: start; color: var(--accent); background: none; border: 0; border-radius: 0.2rem; text-decoration: underline; text-underline-offset: 0.2em; }
input:focus-visible, button:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.actions { display: flex; flex-wrap: wrap; gap: 0.75rem; margin-top: 0.25rem; }
.actions button { flex: 1 1 8rem; }
.soft, dt { color: var(--soft); }
.problem { padding: 0.75rem 1rem; color: var(--bad); background: var(--bad-back); border-left: 4px solid; border-radius: 0.3rem; }
.note { padding: 0.75rem 1rem; background: var(--note-back); border-left: 4px solid var(--bad); border-radius: 0.3rem; }
.code { font: 600 1.3rem/1.4 ui-monospace, monospace; letter-spacing: 0.08em; }
input.code { text-align: center; text-transform: uppercase; }
dl { display: grid; gap: 0.75rem; } dl > div { min-width: 0; }
@media (max-width: 30rem) { body { place-items: start center; padding: min(0.75rem, 3vw); } main { padding: 1.5rem min(1.25rem, 5vw); } }
`;

/** A whole document. Title and body are HTML already; an end that is good or bad shows a sign for it. */
export const layout = (title: string, body: string, end?: 'good' | 'bad'): string => `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body${end === undefined ? '' : ` class="${end}"`}>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;

export const hiddenInputs = (fields: HiddenFields): string =>
  Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`)
    .join('\n');

export const problemText = (problem: string | undefined): string =>
  problem === undefined ? '' : `<p class="problem" role="alert" id="problem">${escapeHtml(problem)}</p>`;

/** Attributes of the field that a problem is about. */
export const invalid = (problem: string | undefined): string =>
  problem === undefined ? '' : ' aria-invalid="true" aria-describedby="problem"';

export const scopeList = (scopes: readonly ScopeView[]): string =>
  scopes.length === 0
    ? '<p>It asks for nothing but to know that you have signed in.</p>'
    : `<ul>\n${scopes.map(({ description }) => `<li>${escapeHtml(description)}</li>`).join('\n')}\n</ul>`;
