import { Html } from '../../core/query/index.js';
import { CATEGORY, urlTarget } from '../keys.js';
import { LinkSet } from '../link-set.js';
import type { ContentLink, ContentTitle } from '../source.js';
import { readFrontMatter } from './front-matter.js';
import { type Peers, WIKI_SCHEME } from './peers.js';
import type { Target, Titles } from './titles.js';

/** A problem in a file. */
export interface DocumentProblem {
  /** The line in the file, 1 or higher. */
  readonly line?: number;
  /** One sentence. */
  readonly message: string;
}

/** The content of a file. */
export interface Document {
  readonly links: readonly ContentLink[];
  /** Its target, if it is a redirect. */
  readonly redirect: Target | undefined;
  /** Titles that redirect here. */
  readonly aliases: readonly ContentTitle[];
  /** The author. */
  readonly author: string | undefined;
  /** The date in front matter, in milliseconds since the epoch. */
  readonly date: number | undefined;
  readonly problems: readonly DocumentProblem[];
}

const USER = 2;
/** Fields of front matter with the same meaning. */
const TAGS = ['tags', 'tag', 'categories', 'category', 'keywords'];
const ALIASES = ['redirect_from', 'aliases', 'alias'];
const AUTHOR = ['author', 'authors'];

/** Parses a file. Never throws: invalid parts are reported as problems, and the rest is used. */
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
      if (!isTitle)
        problems.push({ message: `The front matter contains ${JSON.stringify(name)}, which is not a valid title.` });
      return isTitle ? [title] : [];
    });

  for (const { title } of named(of(TAGS).flatMap(commaSeparated), CATEGORY)) links.add('category', CATEGORY, title);
  const displayTitle = of(['title'])[0] ?? heading;
  // Clients display it as HTML.
  if (displayTitle !== undefined) links.add('property', 0, 'displaytitle', Html.content(displayTitle).source);
  const description = of(['description', 'summary'])[0];
  if (description !== undefined) links.add('property', 0, 'description', description);

  /** The page of a path from the top of the folder, or relative to this file if it starts with a dot. */
  const leads = (name: string): Target | undefined =>
    titles.ofHref(encodeURI(name.startsWith('.') ? name : name.replace(/^\/*/, '/')), path);
  const redirect = of(['redirect_to'])[0];
  const target = redirect === undefined ? undefined : leads(redirect);
  if (redirect !== undefined && !target) {
    problems.push({ message: `redirect_to is ${JSON.stringify(redirect)}, which is not a page of this folder.` });
  }
  if (target) {
    links.add('redirect', target.ns, target.title, target.fragment);
    links.add('link', target.ns, target.title);
  }
  const aliases = of(ALIASES).flatMap((name) => {
    const alias = leads(name);
    if (!alias)
      problems.push({ message: `redirect_from contains ${JSON.stringify(name)}, which is not a page of this folder.` });
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

/** Adds the links of a text, and returns its first heading. */
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

/** A line without markup and images. */
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
