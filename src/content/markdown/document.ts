import { Html } from '../../core/query/toolkit.js';
import { writtenTime } from '../dates.js';
import { CATEGORY, FILE, titleId, urlTarget } from '../keys.js';
import { LinkSet } from '../link-set.js';
import type { ContentLink, ContentTitle } from '../source.js';
import { isDraft, readFrontMatter } from './front-matter.js';
import { type Peers, WIKI_SCHEME } from './peers.js';
import type { Target, Titles } from './titles.js';

/** The content of a file. */
export interface Document {
  readonly links: readonly ContentLink[];
  /** Its target, if it is a redirect. */
  readonly redirect: Target | undefined;
  /** Titles that redirect here. */
  readonly aliases: readonly ContentTitle[];
  /** The author. */
  readonly author: string | undefined;
  /** Whether it is not meant for readers. */
  readonly isDraft: boolean;
  /** When it was first written, and when last, by front matter or the name, in milliseconds since the epoch. */
  readonly date: number | undefined;
  readonly updated: number | undefined;
  /** Wiki links, with the pages or files that they lead to; these depend on what else is in the folder. */
  readonly wiki: readonly WikiLink[];
  /** Whether it has shortcodes, Liquid or MDX, which are text here. */
  readonly hasCode: boolean;
  /** Sentences with the path of the file, and the line if it is known. */
  readonly problems: readonly string[];
}

/** A wiki link: the namespace and its reference, and the key of what it leads to. */
interface WikiLink {
  readonly ns: number;
  readonly href: string;
  readonly to: string;
}

const USER = 2;
/** Fields of front matter with the same meaning. */
const TAGS = ['tags', 'tag', 'categories', 'category', 'keywords'];
const ALIASES = ['redirect_from', 'aliases', 'alias'];
const AUTHOR = ['author', 'authors'];
const UPDATED = ['lastmod', 'updated', 'last_modified_at'];

/** The date in the name of a post of Jekyll. */
const POST = /(?:^|\/)_posts\/(?:.*\/)?(\d{4}-\d\d?-\d\d?)-[^/]*$/;

/** Parses a file. Never throws: invalid parts are reported as problems, and the rest is used. */
export const readDocument = (text: string, path: string, titles: Titles, peers: Peers): Document => {
  const { fields, body, problem } = readFrontMatter(text, peers.yaml);
  const problems = problem ? [`${path}:${problem.line}: ${problem.message}`] : [];
  const links = new LinkSet();
  const { heading, wiki, hasCode } = addLinks(body, path, { links, problems, titles }, peers.markdown);
  const of = (names: readonly string[]): readonly string[] => names.flatMap((name) => fields.get(name) ?? []);
  const named = (names: readonly string[], ns: number): readonly Target[] =>
    names.flatMap((name) => {
      const title = titles.read(name, ns);
      if (title?.ns === ns && !name.includes('#')) return [title];
      problems.push(`${path}: The front matter contains ${JSON.stringify(name)}, which is not a valid title.`);
      return [];
    });
  /** The pages of paths from the top of the folder, or relative to this file if they start with a dot. */
  const pagesOf = (field: string, names: readonly string[]): readonly Target[] =>
    names.flatMap((name) => {
      const title = name.includes('/')
        ? titles.ofLink(encodeURI(name.startsWith('.') ? name : name.replace(/^\/*/, '/')), path)
        : // An alias of Obsidian may have a dot, which in a path would begin the type of another file.
          (titles.ofLink(encodeURI(`/${name}`), path) ?? titles.read(name));
      if (title) return [title];
      problems.push(`${path}: ${field} ${JSON.stringify(name)}, which is not a page of this folder.`);
      return [];
    });

  for (const { title } of named(of(TAGS).flatMap(tagsOf), CATEGORY)) links.add('category', CATEGORY, title);
  const displayTitle = of(['title'])[0] ?? heading;
  // Clients display it as HTML.
  if (displayTitle !== undefined) links.add('property', 0, 'displaytitle', Html.content(displayTitle).source);
  const description = of(['description', 'summary'])[0];
  if (description !== undefined) links.add('property', 0, 'description', description);
  const [redirect] = pagesOf('redirect_to is', of(['redirect_to']).slice(0, 1));
  if (redirect) {
    links.add('redirect', redirect.ns, redirect.title, redirect.fragment);
    links.add('link', redirect.ns, redirect.title);
  }
  const aliases = pagesOf('redirect_from contains', of(ALIASES)).map(({ ns, title }) => ({ ns, title }));
  const [author] = named(of(AUTHOR).slice(0, 1), USER);
  return {
    links: links.all,
    redirect,
    aliases,
    problems,
    wiki,
    hasCode,
    author: author?.title,
    ...timesOf(fields, path, problems),
    isDraft: isDraft(text, { fields, ...(problem && { problem }) }),
  };
};

const AS_DATE = 'Write it as 2024-01-31, or 2024-01-31 10:30 +02:00.';

const timesOf = (
  fields: ReadonlyMap<string, readonly string[]>,
  path: string,
  problems: string[],
): Pick<Document, 'date' | 'updated'> => {
  const read = (what: string, written: string | undefined): number | undefined => {
    const time = written === undefined ? undefined : writtenTime(written);
    if (written !== undefined && time === undefined) {
      problems.push(`${path}: ${what} is ${JSON.stringify(written.slice(0, 100))}. ${AS_DATE}`);
    }
    return time;
  };
  const times = UPDATED.map((name) => read(name, fields.get(name)?.[0]));
  return {
    date: read('date', fields.get('date')?.[0]) ?? read('The date in the name', POST.exec(path)?.[1]),
    updated: times.find((time) => time !== undefined),
  };
};

/** Obsidian writes tags with the sign that they have in a text. */
const tagsOf = (text: string): readonly string[] => commaSeparated(text).map((tag) => tag.replace(/^#+/, ''));

const commaSeparated = (text: string): readonly string[] =>
  text.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));

/** What a wiki link leads to, as a key; empty if nothing. */
export const wikiTarget = (href: string, ns: number, titles: Titles): string => {
  const target = ns === FILE ? titles.ofImage(href, '') : titles.ofLink(href, '');
  return target ? titleId(target) : '';
};

/** Shortcodes of Hugo and Zola and tags of Liquid, in a text; imports and components of MDX, at the start of a line. */
const CODE = /\{\{[<%]|\{%|\{\{\s*[\w.]|^(?:import\s.*\sfrom\s+['"]|<\/?[A-Z][\w.]*[\s/>])/m;

interface Out {
  readonly links: LinkSet;
  readonly problems: string[];
  readonly titles: Titles;
}

/** Adds the links of a text, and returns its first heading. */
const addLinks = (body: string, path: string, { links, problems, titles }: Out, markdown: Peers['markdown']) => {
  let heading: string | undefined;
  let isHeading = false;
  let hasCode = false;
  const wiki = new Map<string, WikiLink>();
  for (const { type, tag, content, children } of markdown.parse(body, {})) {
    if (type === 'heading_open') isHeading = tag === 'h1';
    if (type !== 'inline') continue;
    if (isHeading && heading === undefined && content.trim() !== '') heading = plain(children ?? []);
    isHeading = false;
    hasCode ||= (children ?? []).some((token) => token.type === 'text' && CODE.test(token.content));
    for (const token of children ?? []) {
      const isImage = token.type === 'image';
      if (!isImage && token.type !== 'link_open') continue;
      const href = String(token.attrGet(isImage ? 'src' : 'href') ?? '');
      const url = urlTarget(href);
      const target = isImage ? titles.ofImage(href, path) : titles.ofLink(href, path);
      if (url !== undefined) links.add('url', 0, url, href);
      else if (target) links.add(isImage ? 'file' : 'link', target.ns, target.title);
      const ns = isImage ? FILE : 0;
      if (href.startsWith(WIKI_SCHEME) && !wiki.has(`${ns} ${href}`)) {
        wiki.set(`${ns} ${href}`, { ns, href, to: target ? titleId(target) : '' });
        const several = titles.several(href, ns);
        if (several.length > 0) problems.push(`${path}: ${severalOf(href, several)}`);
      }
    }
  }
  return { heading, hasCode, wiki: [...wiki.values()] };
};

const severalOf = (href: string, several: ReturnType<Titles['several']>): string => {
  const some = several.slice(0, 3).map(({ title }) => title.prefixed);
  return `[[${href.slice(WIKI_SCHEME.length)}]] is no link, because ${several.length} have this name: ${some.join(', ')}. Write the whole path.`;
};

/** A line without markup and images. */
export const plain = (tokens: readonly { readonly type: string; readonly content: string }[]): string =>
  tokens.map(({ type, content }) => (type.endsWith('break') ? ' ' : type === 'image' ? '' : content)).join('');
