import { defined } from '../defined.js';
/** The colours of the light and the dark palette. */
export const PALETTES = {
  light: {
    text: '#1a1c22',
    soft: '#545966',
    back: '#eff1f5',
    card: '#ffffff',
    edge: '#d9dce4',
    line: '#757b8a',
    accent: '#2350c5',
    'on-accent': '#ffffff',
    good: '#1c6b3a',
    bad: '#a3122a',
    'bad-back': '#fdeef0',
    'note-back': '#f3f5fa',
  },
  dark: {
    text: '#eceef3',
    soft: '#b2b7c4',
    back: '#121418',
    card: '#1c1f26',
    edge: '#323743',
    line: '#8b91a0',
    accent: '#a3bcff',
    'on-accent': '#10131c',
    good: '#8fdcab',
    bad: '#ffa3b0',
    'bad-back': '#35191f',
    'note-back': '#252933',
  },
} as const;

/** The colour of buttons and links in each palette. */
export interface AccentColors {
  /** In the light palette, such as `#2350c5`. */
  readonly light: string;
  /** In the dark palette, such as `#a3bcff`. */
  readonly dark: string;
}

const variables = (palette: Readonly<Record<string, string>>, accent: string | undefined): string =>
  Object.entries({ ...palette, ...defined({ accent }) })
    .map(([name, color]) => `--${name}:${color};`)
    .join('');

/** The same rules in fewer bytes: every page contains them. For our own rules, which have no comments and no strings with such signs. */
export const compact = (rules: string): string =>
  rules
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([{};,>]) ?|(?<=[a-z]:) /g, '$1')
    .replaceAll(';}', '}')
    .replaceAll(/(?<=[ :,(])0\./g, '.')
    .trim();

const RULES = compact(`
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; min-height: 100vh; display: grid; align-content: center; justify-items: center; gap: 1.25rem; padding: 1.5rem 1rem; background: var(--back) linear-gradient(color-mix(in srgb, var(--accent) 9%, var(--back)), var(--back) 26rem) no-repeat; color: var(--text); font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
header, main, footer { width: 100%; max-width: 28rem; min-width: 0; }
header { display: flex; align-items: center; gap: 0.75rem; padding: 0 0.25rem; }
header a { color: inherit; font-weight: 700; text-decoration: none; }
header a:hover { text-decoration: underline; }
header div { min-width: 0; line-height: 1.35; }
header div span { display: block; color: var(--soft); font-size: 0.9rem; }
header img { max-width: 9rem; max-height: 2.75rem; }
.mark { flex: none; display: grid; place-items: center; width: 2.75rem; height: 2.75rem; overflow: hidden; border-radius: 0.75rem; background: var(--accent); color: var(--on-accent); font-size: 1.35rem; font-weight: 700; line-height: 1; }
main { padding: 2rem; display: grid; gap: 1.25rem; background: var(--card); border: 1px solid var(--edge); border-radius: 1.1rem; box-shadow: 0 1px 2px #0000000d, 0 12px 32px #00000012; }
footer { display: flex; flex-wrap: wrap; gap: 0 1.25rem; padding: 0 0.25rem; font-size: 0.9rem; }
footer a { color: var(--soft); padding: 0.65rem 0; }
main > *, form > *, section > *, section > form > * { min-width: 0; }
h1, h2, p, ul, dl, dd, fieldset { margin: 0; }
h1 { font-size: min(1.55rem, 9vw); line-height: 1.25; letter-spacing: -0.012em; text-wrap: balance; }
:lang(ar) h1, :lang(fa) h1, :lang(ur) h1, :lang(ja) h1, :lang(zh) h1 { letter-spacing: 0; }
:lang(ja), :lang(zh) { word-break: auto-phrase; line-break: strict; }
h2 { font-size: 1.15rem; line-height: 1.3; }
h1 bdi, h2 bdi, button bdi { display: inline-block; max-width: 100%; }
[dir=rtl] :is(h1, h2) bdi { text-align: right; }
section { display: grid; gap: 0.75rem; padding-top: 1.25rem; border-top: 1px solid var(--edge); }
section h2 { display: flex; align-items: center; gap: 0.65rem; }
section h2 img, section h2 .mark { width: 2rem; height: 2rem; object-fit: contain; border-radius: 0.5rem; font-size: 1rem; }
section > button { justify-self: start; }
a { color: var(--accent); text-underline-offset: 0.2em; }
.pair { display: flex; align-items: center; gap: 0.6rem; }
.pair::before { content: ""; order: 1; width: 2.5rem; border-top: 3px dotted var(--line); }
.pair > :last-child { order: 2; }
.pair .mark, .pair img { width: 3.5rem; height: 3.5rem; border-radius: 0.9rem; font-size: 1.6rem; object-fit: contain; }
.account { display: flex; align-items: center; gap: 0.75rem; }
.account div { min-width: 0; }
.account .mark { width: 2.5rem; height: 2.5rem; border-radius: 50%; font-size: 1.1rem; }
.mark.other { background: var(--note-back); color: var(--text); border: 1px solid var(--edge); }
.good h1::before, .bad h1::before { display: grid; place-items: center; width: 3rem; height: 3rem; margin-bottom: 1rem; border: 2px solid; border-radius: 50%; font-size: 1.4rem; line-height: 1; }
.good h1::before { content: "✓"; content: "✓" / ""; color: var(--good); }
.bad h1::before { content: "!"; content: "!" / ""; color: var(--bad); }
ul { padding: 0.9rem 1.1rem; display: grid; gap: 0.5rem; list-style: none; background: var(--note-back); border-radius: 0.6rem; }
li { padding-inline-start: 1.25rem; }
li::before { content: ""; float: inline-start; width: 0.45rem; height: 0.45rem; margin-top: 0.55rem; margin-inline-start: -1.25rem; border-radius: 50%; background: var(--accent); }
.links { display: flex; flex-wrap: wrap; gap: 0 1.25rem; }
.links a { padding: 0.65rem 0; }
form { display: grid; gap: 1.1rem; }
label, legend { display: block; margin-bottom: 0.35rem; padding: 0; font-weight: 600; }
fieldset { border: 0; padding: 0; }
input, select, textarea { display: block; width: 100%; min-height: 2.75rem; padding: 0.6rem 0.8rem; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 0.5rem; }
input::placeholder { color: var(--soft); opacity: 1; }
input[aria-invalid], textarea[aria-invalid] { border: 2px solid var(--bad); }
fieldset[aria-invalid] { padding-inline-start: 1rem; border-inline-start: 4px solid var(--bad); }
.choices { display: grid; gap: 0 1.25rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); }
.choice { display: flex; gap: 0.7rem; margin: 0; padding: 0.6rem 0; font-weight: 400; }
.choice input { flex: none; width: 1.25rem; height: 1.25rem; min-height: 0; margin: 0.15rem 0 0; accent-color: var(--accent); }
.field { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: baseline; gap: 0 1rem; }
.field input { order: 1; }
button, a.button { min-height: 2.75rem; padding: 0.6rem 1.25rem; font: inherit; font-weight: 600; color: var(--on-accent); background: var(--accent); border: 1px solid var(--accent); border-radius: 0.5rem; cursor: pointer; }
button:hover { box-shadow: inset 0 0 0 2px var(--on-accent); }
button.plain, a.button { color: var(--text); background: transparent; border-color: var(--line); }
a.button { display: grid; place-items: center; text-decoration: none; }
button.plain:hover, a.button:hover { background: var(--note-back); box-shadow: none; }
button.danger { background: var(--bad); border-color: var(--bad); }
button.link { justify-self: start; min-height: 0; padding: 0.25rem 0; font-weight: 400; text-align: start; color: var(--accent); background: none; border: 0; border-radius: 0.2rem; text-decoration: underline; text-underline-offset: 0.2em; }
button.link.danger { color: var(--bad); }
button.link:hover { box-shadow: none; text-decoration-thickness: 2px; }
a:focus-visible, input:focus-visible, select:focus-visible, textarea:focus-visible, button:focus-visible, summary:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.actions { display: flex; flex-wrap: wrap; gap: 0.75rem; margin-top: 0.25rem; }
.actions button, .actions a.button { flex: 1 1 8rem; min-width: fit-content; }
.cards { display: grid; gap: 1.25rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 22rem), 1fr)); }
.cards:empty { display: none; }
.cards section { align-content: start; padding: 1.1rem 1.25rem; border: 1px solid var(--edge); border-radius: 0.9rem; }
.wide .column > * { max-width: 28rem; }
.copy { display: flex; align-items: center; gap: 1rem; }
.soft, dt { color: var(--soft); }
.hint { margin-top: 0.35rem; font-size: 0.9rem; }
.problem, .note, .notice { padding: 0.75rem 1rem; border-inline-start: 4px solid; border-radius: 0.3rem; }
.problem { color: var(--bad); background: var(--bad-back); }
.note { background: var(--note-back); border-color: var(--bad); }
.notice { background: var(--note-back); border-color: var(--good); }
.code { font: 600 1.3rem/1.4 ui-monospace, monospace; letter-spacing: 0.08em; }
input.code { text-align: center; text-transform: uppercase; }
.secret { padding: 1.1rem; border: 2px solid var(--good); border-radius: 0.6rem; }
.secret .code { font-size: 1rem; letter-spacing: 0; user-select: all; word-break: break-all; }
dl { display: grid; gap: 0.75rem; } dl > div { min-width: 0; }
a.button.accent { color: var(--on-accent); background: var(--accent); border-color: var(--accent); }
textarea { min-height: 5rem; resize: vertical; font: 0.95rem/1.5 ui-monospace, monospace; }
code { font: 0.92em ui-monospace, monospace; }
.bad-text { color: var(--bad); }
.row { display: flex; flex-wrap: wrap; align-items: end; gap: 0.75rem 1rem; }
.row > div, .row > p { flex: 1 1 14rem; min-width: 0; }
.row button.link { min-height: 2.75rem; }
.wide header, .wide main, .wide footer { max-width: 58rem; }
@media (max-width: 30rem) { body { align-content: start; padding: min(0.75rem, 3vw); } main { padding: 1.5rem min(1.25rem, 5vw); } }
`);

/** The style sheet of all pages; the content security policy contains its hash. */
export const styleSheet = (accent?: AccentColors): string =>
  `:root{color-scheme:light dark;${variables(PALETTES.light, accent?.light)}}@media(prefers-color-scheme:dark){:root{${variables(PALETTES.dark, accent?.dark)}}}${RULES}`;

/** Rules that pages of the API add to those of all pages. */
const APPLICATION_RULES = compact(`
.application { align-content: start; }
.application header, .application footer { max-width: 90rem; flex-wrap: wrap; }
header nav { display: flex; flex-wrap: wrap; gap: 0 1.25rem; margin-inline-start: auto; }
header nav a { padding: 0.65rem 0; color: var(--accent); font-weight: 400; text-decoration: underline; }
header nav [aria-current] { color: inherit; font-weight: 700; text-decoration: none; }
.application ul { padding: 0; display: block; background: none; }
.application li { padding: 0; } .application li::before { content: none; }
.application section { align-content: start; }
h3 { margin: 0; font-size: 1.05rem; }
.facts { color: var(--soft); font-size: 0.95rem; }
[dir=rtl] .columns :is(p, dd, div, ul, span)[dir=ltr], [dir=rtl] .notes [dir=ltr] { text-align: right; }
.flag { margin-inline-start: 0.5rem; color: var(--bad); font-weight: 600; font-size: 0.9em; } .flag.soft { color: var(--soft); font-weight: 400; }
`);

/** The style sheet of a page of the API. @param own - Rules of this page. */
export const applicationSheet = (accent: AccentColors | undefined, own: string): string =>
  styleSheet(accent) + APPLICATION_RULES + own;
