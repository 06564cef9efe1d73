import type { RenderedContent, RenderedSection, Render, Site } from '../../core/query/index.js';
import { defined, pageAddress } from '../../core/query/toolkit.js';
import { plain } from './document.js';
import { readFrontMatter } from './front-matter.js';
import { lineStarts } from './markup.js';
import { bounded, type Peers, WIKI_SCHEME } from './peers.js';
import { fileAddress, type Titles } from './titles.js';

type Token = ReturnType<Peers['markdown']['parse']>[number];

/** Where files are. */
interface Files {
  /** The file of a page. */
  readonly pathOf: (page: number) => string;
  /** The URL of the folder, absolute or a path, with a slash at the end. */
  readonly fileUrl: string;
}

/**
 * Renders texts to HTML, which needs no sanitising: markdown-it escapes HTML, and does not link URLs that could run a
 * script.
 */
export const rendererOf =
  (titles: Titles, peers: Peers, { pathOf, fileUrl }: Files): Render =>
  ({ pageid, text }, { site }): RenderedContent => {
    const { fields, body } = readFrontMatter(text, peers.yaml);
    const tokens = peers.markdown.parse(body, bounded(body));
    const sections = withAnchors(tokens, body, text.length - body.length);
    const path = pathOf(pageid);
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      if (token.type === 'link_open') lead(token, path, titles, site);
      if (token.type === 'image') show(token, path, titles, { server: site.server, fileUrl });
    }
    const displaytitle = fields.get('title')?.[0] ?? sections.find(({ level }) => level === 1)?.line;
    const html = peers.markdown.renderer.render(tokens, peers.markdown.options, {});
    return { html, trusted: true, sections, ...defined({ displaytitle }) };
  };

/** Replaces a link to a file of the folder with a link to its page. */
const lead = (token: Token, path: string, titles: Titles, site: Site): void => {
  const href = String(token.attrGet('href') ?? '');
  const title = titles.ofLink(href, path);
  if (title) {
    const fragment = title.fragment === '' ? '' : `#${encodeURIComponent(title.fragment)}`;
    token.attrSet('href', pageAddress(title.prefixed, site) + fragment);
  } else if (href.startsWith(WIKI_SCHEME)) token.attrs = null;
};

/** Makes the address of an image in the folder absolute. */
const show = (token: Token, path: string, titles: Titles, at: Pick<Files, 'fileUrl'> & Pick<Site, 'server'>): void => {
  const file = titles.pathOfImage(String(token.attrGet('src') ?? ''), path);
  if (file !== undefined && file !== '') token.attrSet('src', fileAddress(at.fileUrl, file, at.server));
};

/** Adds an `id` to each heading, as GitHub does, and returns the headings. */
const withAnchors = (tokens: readonly Token[], body: string, before: number): readonly RenderedSection[] => {
  const starts = lineStarts(body);
  const used = new Map<string, number>();
  return tokens.flatMap((token, index) => {
    if (token.type !== 'heading_open') return [];
    const line = plain(tokens[index + 1]?.children ?? []);
    const slug = line
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-');
    const times = used.get(slug) ?? 0;
    used.set(slug, times + 1);
    const anchor = times === 0 ? slug : `${slug}-${times}`;
    token.attrSet('id', anchor);
    const offset = before + (starts[token.map?.[0] ?? 0] ?? 0);
    return [{ level: Number(token.tag.slice(1)), line, anchor, offset }];
  });
};
