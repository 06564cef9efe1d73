import type { Site } from '../../core/query/index.js';
import { parseTitle } from '../../core/query/toolkit.js';
import { CATEGORY, FILE, TEMPLATE, urlTarget } from '../keys.js';
import { LinkSet } from '../link-set.js';
import type { ContentLink } from '../source.js';
import { withoutElements } from './markup.js';

/** The links, redirect and properties of a page. */
interface Facts {
  /** At most one link of a kind to each target. */
  readonly links: readonly ContentLink[];
  /** The target of a redirect, with its namespace or interwiki prefix. */
  readonly redirect: { readonly to: string; readonly fragment?: string } | undefined;
}

const HIDDEN = ['nowiki', 'pre', 'syntaxhighlight', 'math'];
const REDIRECT = /^\s*#\w+\s*(?::\s*)?\[\[([^\][|{}]+)(?:\|[^\]]*)?\]\]/iu;
const WIKI_LINK = /\[\[([^\][|{}\n]+)(?:\|([^\][]*))?/g;
const TEMPLATE_CALL = /(?<!\{)\{\{(?!\{)\s*([^{}|\s][^{}|\n]*)(?=[|}\n])/g;
const URL = /\b(?:https?|ftp):\/\/[^\s<>"[\]{}|]*[^\s<>"[\]{}|.,;:!?')]/g;
const SWITCH = /__([A-Z]+)__/g;

/** Behaviour switches, which set page properties. */
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

/** Variables, which look like templates. */
const VARIABLE =
  /^(?:!|=|#.*|[a-z]+:.*|(?:FULL|SUB|BASE|ROOT|TALK|SUBJECT)?PAGENAMEE?|SITENAME|NAMESPACEE?|SERVER|(?:CURRENT|LOCAL|NUMBEROF|REVISION)[A-Z0-9]+)$/;

/** Parses wikitext without expanding templates, so links inside templates are not found. */
export const readWikitext = (source: string, site: Site): Facts => {
  const text = withoutElements(source, HIDDEN, ' ');
  const links = new LinkSet();
  let sortkey = '';
  for (const [, found = ''] of text.matchAll(TEMPLATE_CALL)) {
    const call = found.trimEnd();
    const [word = '', ...value] = call.split(':');
    if (/^(?:DEFAULTSORT|DISPLAYTITLE)$/.test(word)) {
      const given = value.join(':').trim();
      if (word === 'DEFAULTSORT') sortkey = given;
      links.add('property', 0, word.toLowerCase(), given);
    } else if (!VARIABLE.test(call)) {
      const title = parseTitle(call.replace(/^(?:subst|msg):/i, ''), site, TEMPLATE);
      if (title.kind === 'local' && title.ns >= 0 && title.text !== '') links.add('template', title.ns, title.text);
    }
  }
  for (const [, target = '', label = ''] of text.matchAll(WIKI_LINK)) addLink(links, target, label, sortkey, site);
  for (const [, word = ''] of text.matchAll(SWITCH)) {
    if (SWITCHES.has(word.toLowerCase())) links.add('property', 0, word.toLowerCase());
  }
  const redirect = readRedirect(text, site, links);
  for (const [url] of text.matchAll(URL)) {
    const target = urlTarget(url);
    if (target !== undefined) links.add('url', 0, target, url);
  }
  return { links: links.all, redirect };
};

const addLink = (links: LinkSet, target: string, label: string, sortkey: string, site: Site): void => {
  const title = parseTitle(target, site);
  const plain = !target.trimStart().startsWith(':');
  if (title.kind === 'interwiki') {
    const kind = plain && title.interwiki.language !== undefined ? 'language' : 'interwiki';
    links.add(kind, 0, `${title.prefix}:${title.text}`);
  } else if (title.kind === 'local' && title.text !== '') {
    const { ns, text } = title;
    if (plain && ns === CATEGORY) links.add('category', ns, text, label === '' ? sortkey : label);
    else if ((plain && ns === FILE) || ns === -2) links.add('file', FILE, text);
    else if (ns >= 0) links.add('link', ns, text);
  }
};

const readRedirect = (text: string, site: Site, links: LinkSet): Facts['redirect'] => {
  const [, target] = REDIRECT.exec(text) ?? [];
  const title = target === undefined ? undefined : parseTitle(target, site);
  if (!title || title.kind === 'invalid') return undefined;
  if (title.kind === 'interwiki') return { to: `${title.prefix}:${title.text}` };
  const { ns, text: name, prefixed: to, fragment } = title;
  if (name === '') return undefined;
  links.add('redirect', ns, name, fragment);
  return fragment === '' ? { to } : { to, fragment };
};
