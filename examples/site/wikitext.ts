import { CATEGORY, FILE, isLocal, readTitle, TEMPLATE, type TitleRules } from './titles.js';

export type LinkKind = 'link' | 'template' | 'file' | 'redirect';

export interface Link {
  readonly kind: LinkKind;
  readonly ns: number;
  readonly key: string;
  readonly fragment: string;
}

/** What a page says about other pages and about itself. */
export interface Facts {
  readonly links: readonly Link[];
  /** Sort key by category. */
  readonly categories: ReadonlyMap<string, string>;
  /** Titles on other sites; `language` when it is this page in another language. */
  readonly foreign: readonly { readonly language: boolean; readonly prefix: string; readonly text: string }[];
  readonly urls: ReadonlySet<string>;
  readonly props: ReadonlyMap<string, string>;
  /** Where a redirect leads, with the namespace or the prefix of the other site. */
  readonly redirect: { readonly to: string; readonly fragment: string } | undefined;
}

const HIDDEN = /<!--[\s\S]*?-->|<(nowiki|pre|syntaxhighlight|math)\b[^>]*>[\s\S]*?<\/\1\s*>/gi;
const REDIRECT = /^\s*#\w+\s*:?\s*\[\[([^\][|{}]+)(?:\|[^\]]*)?\]\]/iu;
const WIKI_LINK = /\[\[([^\][|{}\n]+)(?:\|([^\][]*))?/g;
const TEMPLATE_CALL = /(?<!\{)\{\{(?!\{)\s*([^{}|\n]+?)\s*(?=[|}\n])/g;
const URL = /\b(?:https?|ftp):\/\/[^\s<>"[\]{}|]*[^\s<>"[\]{}|.,;:!?')]/g;
const SWITCH = /__([A-Z]+)__/g;

/** Switches in a text that say something about the page. */
const SWITCHES = new Set([
  'hiddencat',
  'notoc',
  'forcetoc',
  'noindex',
  'index',
  'noeditsection',
  'nogallery',
  'newsectionlink',
]);

/** Words that look like templates and are not. */
const VARIABLE =
  /^(?:!|=|#.*|[a-z]+:.*|(?:FULL|SUB|BASE|ROOT|TALK|SUBJECT)?PAGENAMEE?|SITENAME|NAMESPACEE?|SERVER|(?:CURRENT|LOCAL|NUMBEROF|REVISION)[A-Z0-9]+)$/;

/** Reads a page's wikitext without expanding its templates: what it names itself is what it links to. */
export function readWikitext(source: string, rules: TitleRules): Facts {
  const text = source.includes('<') ? source.replace(HIDDEN, ' ') : source;
  const links = new Map<string, Link>();
  const categories = new Map<string, string>();
  const foreign = new Map<string, Facts['foreign'][number]>();
  const props = new Map<string, string>();
  const add = (kind: LinkKind, ns: number, key: string, fragment = ''): void => {
    const id = `${kind}:${ns}:${key}`;
    if (!links.has(id)) links.set(id, { kind, ns, key, fragment });
  };

  for (const [, target = '', label] of text.matchAll(WIKI_LINK)) {
    const title = readTitle(target, rules);
    const plain = !target.trimStart().startsWith(':');
    if (!title) continue;
    if (!isLocal(title)) {
      const language = plain && rules.interwiki.get(title.prefix)?.language !== undefined;
      foreign.set(`${language}:${title.prefix}:${title.text}`, { ...title, language });
    } else if (plain && title.ns === CATEGORY) categories.set(title.key, label ?? '');
    else if ((plain && title.ns === FILE) || title.ns === -2) add('file', FILE, title.key);
    else if (title.ns >= 0) add('link', title.ns, title.key);
  }
  for (const [, call = ''] of text.matchAll(TEMPLATE_CALL)) {
    const [word = '', ...value] = call.split(':');
    if (/^(?:DEFAULTSORT|DISPLAYTITLE)$/.test(word)) props.set(word.toLowerCase(), value.join(':').trim());
    else if (!VARIABLE.test(call)) {
      const title = readTitle(call.replace(/^(?:subst|msg):/i, ''), rules, TEMPLATE);
      if (title && isLocal(title) && title.ns >= 0) add('template', title.ns, title.key);
    }
  }
  for (const [, word = ''] of text.matchAll(SWITCH)) {
    if (SWITCHES.has(word.toLowerCase())) props.set(word.toLowerCase(), '');
  }
  const redirect = readRedirect(text, rules, add);
  const urls = new Set(Array.from(text.matchAll(URL), ([url]) => url));
  return { links: [...links.values()], categories, foreign: [...foreign.values()], urls, props, redirect };
}

function readRedirect(
  text: string,
  rules: TitleRules,
  add: (kind: LinkKind, ns: number, key: string, fragment: string) => void,
): Facts['redirect'] {
  const [, target] = REDIRECT.exec(text) ?? [];
  const title = target === undefined ? undefined : readTitle(target, rules);
  if (!title) return undefined;
  if (!isLocal(title)) return { to: `${title.prefix}:${title.text}`, fragment: '' };
  add('redirect', title.ns, title.key, title.fragment);
  const name = rules.namespace(title.ns)?.name ?? '';
  return { to: (name === '' ? '' : `${name}:`) + title.key.replaceAll('_', ' '), fragment: title.fragment };
}

/** A section of a text by its number: 0 is what stands before the first heading, others take their subsections along. */
export function sectionOf(text: string, number: number): string | undefined {
  const headings = [...text.matchAll(/^(={1,6})[^=\n].*?\1[ \t]*$/gm)];
  if (number === 0) return text.slice(0, headings[0]?.index ?? text.length).trimEnd();
  const heading = headings[number - 1];
  if (!heading) return undefined;
  const level = heading[1]?.length ?? 1;
  const next = headings.slice(number).find(([, marks = '']) => marks.length <= level);
  return text.slice(heading.index, next?.index ?? text.length).trimEnd();
}

/** The address as the list of addresses is sorted: protocol apart, host turned round. `undefined` without a host. */
export function urlKey(url: string): { readonly protocol: string; readonly key: string } | undefined {
  const [, protocol, host, rest] = /^([a-z]+):\/\/([^/?#]+)([\s\S]*)$/i.exec(url) ?? [];
  if (protocol === undefined || host === undefined) return undefined;
  const reversed = host.toLowerCase().split('.').reverse().join('.');
  return { protocol: protocol.toLowerCase(), key: `${reversed}.${rest || '/'}` };
}
