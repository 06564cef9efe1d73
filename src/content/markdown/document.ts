import { Html } from '../../core/base/html.js';
import { urlTarget } from '../keys.js';
import { LinkSet } from '../link-set.js';
import type { ContentLink, ContentTitle } from '../source.js';
import { readFrontMatter } from './front-matter.js';
import { type Peers, WIKI_SCHEME } from './peers.js';
import type { Target, Titles } from './titles.js';

/** What is to be put right in a file. */
export interface DocumentProblem {
  /** The line in the file, from 1 on. */
  readonly line?: number;
  /** One sentence. */
  readonly message: string;
}

/** What a file says about its page and others. */
export interface Document {
  readonly links: readonly ContentLink[];
  /** Where it leads, if it is a redirect. */
  readonly redirect: Target | undefined;
  /** Titles that lead here. */
  readonly aliases: readonly ContentTitle[];
  /** Who wrote it. */
  readonly author: string | undefined;
  /** When it was first written: milliseconds since the epoch. */
  readonly date: number | undefined;
  readonly problems: readonly DocumentProblem[];
}

const USER = 2;
const CATEGORY = 14;

/** Names that front matter has for the same. */
const TAGS = ['tags', 'tag', 'categories', 'category', 'keywords'];
const ALIASES = ['redirect_from', 'aliases', 'alias'];
const AUTHOR = ['author', 'authors'];

/** Reads the text of a file. Nothing in it makes it fail: what cannot be read is a problem, and the rest counts. */
export function readDocument(text: string, path: string, titles: Titles, peers: Peers): Document {
  const { fields, body, problem } = readFrontMatter(text, peers.yaml);
  const problems: DocumentProblem[] = problem ? [problem] : [];
  const links = new LinkSet();
  const heading = addLinks(body, path, links, titles, peers.markdown);
  const of = (names: readonly string[]): readonly string[] => names.flatMap((name) => fields.get(name) ?? []);
  const named = (names: readonly string[], ns: number): readonly Target[] =>
    names.flatMap((name) => {
      const title = titles.read(name, ns);
      const isTitle = !('reason' in title) && title.ns === ns && !name.includes('#');
      if (!isTitle) problems.push({ message: `The front matter names ${JSON.stringify(name)}, which is no title.` });
      return isTitle ? [title] : [];
    });

  for (const { title } of named(of(TAGS).flatMap(commaSeparated), CATEGORY)) links.add('category', CATEGORY, title);
  const displayTitle = of(['title'])[0] ?? heading;
  // Clients show it as HTML.
  if (displayTitle !== undefined) links.add('property', 0, 'displaytitle', Html.content(displayTitle).source);
  const description = of(['description', 'summary'])[0];
  if (description !== undefined) links.add('property', 0, 'description', description);

  const leads = (name: string): Target | undefined => titles.ofHref(encodeURI(name), path);
  const redirect = of(['redirect_to'])[0];
  const target = redirect === undefined ? undefined : leads(redirect);
  if (redirect !== undefined && !target) {
    problems.push({ message: `redirect_to names ${JSON.stringify(redirect)}, which is no page of this folder.` });
  }
  if (target) {
    links.add('redirect', target.ns, target.title, target.fragment);
    links.add('link', target.ns, target.title);
  }
  const aliases = of(ALIASES).flatMap((name) => {
    const alias = leads(name.startsWith('.') ? name : name.replace(/^\/*/, '/'));
    if (!alias)
      problems.push({ message: `redirect_from names ${JSON.stringify(name)}, which is no page of this folder.` });
    return alias ? [{ ns: alias.ns, title: alias.title }] : [];
  });
  const date = Date.parse(of(['date'])[0] ?? '');
  const [author] = named(of(AUTHOR).slice(0, 1), USER);
  return {
    links: links.all,
    redirect: target,
    aliases,
    author: author?.title,
    date: Number.isNaN(date) ? undefined : date,
    problems,
  };
}

const commaSeparated = (text: string): readonly string[] =>
  text.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));

/** Adds where a text leads, and gives back its first heading. */
function addLinks(
  body: string,
  path: string,
  links: LinkSet,
  titles: Titles,
  markdown: Peers['markdown'],
): string | undefined {
  let heading: string | undefined;
  let isHeading = false;
  for (const { type, tag, content, children } of markdown.parse(body, {})) {
    if (type === 'heading_open') isHeading = tag === 'h1';
    if (type !== 'inline') continue;
    if (isHeading && heading === undefined && content.trim() !== '') heading = plain(children ?? []);
    isHeading = false;
    for (const token of children ?? []) {
      if (token.type === 'link_open') addLink(String(token.attrGet('href') ?? ''), path, links, titles);
      else if (token.type === 'image') addImage(String(token.attrGet('src') ?? ''), path, links, titles);
    }
  }
  return heading;
}

/** A line without its markup and its images. */
export const plain = (tokens: readonly { readonly type: string; readonly content: string }[]): string =>
  tokens.map(({ type, content }) => (type.endsWith('break') ? ' ' : type === 'image' ? '' : content)).join('');

function addLink(href: string, path: string, links: LinkSet, titles: Titles): void {
  if (href.startsWith(WIKI_SCHEME)) {
    const title = titles.read(href.slice(WIKI_SCHEME.length));
    if (!('reason' in title)) links.add('link', title.ns, title.title);
    return;
  }
  const url = urlTarget(href);
  if (url !== undefined) return links.add('url', 0, url, href);
  const target = titles.ofHref(href, path);
  if (target) links.add('link', target.ns, target.title);
}

function addImage(source: string, path: string, links: LinkSet, titles: Titles): void {
  const url = urlTarget(source);
  if (url !== undefined) return links.add('url', 0, url, source);
  const target = titles.ofImage(source, path);
  if (target) links.add('file', target.ns, target.title);
}
