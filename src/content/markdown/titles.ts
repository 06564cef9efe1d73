import type { Site } from '../../core/query/index.js';
import { normalizeText, parseTitle } from '../../core/query/toolkit.js';
import { FILE, titleId } from '../keys.js';
import type { ContentTitle } from '../source.js';
import { WIKI_SCHEME } from './peers.js';

/** The target of a link: a page of this folder, and a section. */
export interface Target extends ContentTitle {
  /** With its namespace. */
  readonly prefixed: string;
  /** Empty without one. */
  readonly fragment: string;
}

/** Why a path is not a valid title. */
interface NoTitle {
  readonly reason: string;
}

const MARKDOWN = /\.(?:md|markdown)$/i;
const PAGE = /\.(?:md|markdown|html?)$/i;
const OTHER_FILE = /\.[a-z][a-z0-9]{0,7}$/i;
const MAX_PATH_LENGTH = 4_096;
/** The names of the page of a folder; the first wins. */
const FOLDER_PAGES = ['index', '_index', 'readme'];

/** Whether a file is a page. */
export const isMarkdown = (name: string): boolean => MARKDOWN.test(name);

const nameOf = (path: string): string => (path.split('/').at(-1) ?? '').replace(MARKDOWN, '').toLowerCase();

/** Which of two files with one title is the page: the lower number, else the first path. */
export const rankOf = (path: string): number => Math.max(0, FOLDER_PAGES.indexOf(nameOf(path)));

/** A page or a file of the folder. */
interface Known {
  readonly title: Target;
  readonly path: string;
}

/** Maps the files of a folder to titles. */
export class Titles {
  readonly #site: Site;
  readonly #folders: ReadonlyMap<string, number>;
  /** The pages and files of the folder by title, and by the last part of their titles. */
  #known: ReadonlyMap<string, Known> = new Map();
  #byName: ReadonlyMap<string, readonly Known[]> = new Map();

  constructor(site: Site, namespaceFolders: Readonly<Record<string, number>>) {
    this.#site = site;
    this.#folders = new Map(Object.entries(namespaceFolders));
  }

  /**
   * `guides/start.md` is `Guides/start`; `guides/index.md`, `_index.md` and `README.md` are `Guides`; those of the root are
   * the main page.
   */
  ofFile(path: string): Target | NoTitle {
    return this.#ofPath(path.replace(MARKDOWN, ''));
  }

  /** `img/boat.png` is `File:Img/boat.png`. */
  ofMedia(path: string): Target | NoTitle {
    const title = this.#parse(path, FILE);
    if ('reason' in title) return title;
    return title.ns === FILE && !path.includes('#') ? title : { reason: 'It would be in another namespace.' };
  }

  /** Parses a title, such as a tag; `undefined` if it is not valid. */
  read(text: string, ns = 0): Target | undefined {
    const title = this.#parse(text, ns);
    return 'reason' in title ? undefined : title;
  }

  /** Takes what is in the folder, for the short names of wiki links. Returns whether it is something else than before. */
  know(all: readonly Known[]): boolean {
    const before = this.#known;
    const byName = new Map<string, Known[]>();
    for (const known of all) {
      const name = this.#nameId(known.title);
      if (name === undefined) continue;
      const named = byName.get(name);
      if (named) named.push(known);
      else byName.set(name, [known]);
    }
    this.#known = new Map(all.map((known) => [titleId(known.title), known]));
    this.#byName = byName;
    return before.size !== this.#known.size || [...this.#known].some(([id, { path }]) => before.get(id)?.path !== path);
  }

  /**
   * The page that a link in a file refers to: a wiki link, or a relative URL. `undefined` for an external URL, another
   * file, a path outside the folder, or a short name of several pages.
   */
  ofLink(href: string, from: string): Target | undefined {
    if (href.startsWith(WIKI_SCHEME)) return this.#ofWiki(href, 0);
    const parts = partsOf(href, from);
    if (!parts || (OTHER_FILE.test(parts.path) && !PAGE.test(parts.path))) return undefined;
    const title = this.#ofPath(parts.path.replace(PAGE, ''));
    return 'reason' in title ? undefined : { ...title, fragment: parts.fragment };
  }

  /** The file of an image in this folder, as a title of namespace 6. */
  ofImage(href: string, from: string): Target | undefined {
    if (href.startsWith(WIKI_SCHEME)) return this.#ofWiki(href, FILE);
    const path = pathOfHref(href, from) ?? '';
    const title = path === '' ? undefined : this.read(path, FILE);
    return title?.ns === FILE ? title : undefined;
  }

  /** The path of an image in this folder. */
  pathOfImage(href: string, from: string): string | undefined {
    if (!href.startsWith(WIKI_SCHEME)) return pathOfHref(href, from);
    const title = this.#ofWiki(href, FILE);
    return (title && this.#known.get(titleId(title))?.path) ?? href.slice(WIKI_SCHEME.length);
  }

  /** The pages or files that a wiki link may mean by its short name, if that is not clear. */
  several(href: string, ns: number): readonly Known[] {
    const title = href.startsWith(WIKI_SCHEME) ? this.#written(href, ns) : undefined;
    const named = title && !this.#known.has(titleId(title)) ? (this.#byName.get(titleId(title)) ?? []) : [];
    return named.length > 1 ? named : [];
  }

  /** What a wiki link names: the page of this title, else the only one whose last part is this name, as in Obsidian. */
  #ofWiki(href: string, ns: number): Target | undefined {
    const title = this.#written(href, ns);
    if (!title || this.#known.has(titleId(title))) return title;
    const named = this.#byName.get(titleId(title)) ?? [];
    const [only] = named;
    if (named.length > 1) return undefined;
    return only ? { ...only.title, fragment: title.fragment } : title;
  }

  /** A wiki link as it is written, without the block of Obsidian: `[[Page^block]]`, `[[Page#^block]]`. */
  #written(href: string, ns: number): Target | undefined {
    return this.read(href.slice(WIKI_SCHEME.length).replace(/#?\^[^#^]*$/, ''), ns);
  }

  /** The id of the last part of a title, as a title; `undefined` if it has one part, or is in a namespace that is not linked to by name. */
  #nameId({ ns, title }: Target): string | undefined {
    const slash = title.lastIndexOf('/');
    const name = slash < 0 || (ns !== 0 && ns !== FILE) ? undefined : this.read(title.slice(slash + 1), ns);
    return name && titleId(name);
  }

  #ofPath(path: string): Target | NoTitle {
    const names = (normalizeText(path, 'NFC', MAX_PATH_LENGTH) ?? path).split('/');
    if (FOLDER_PAGES.includes(nameOf(path))) names.pop();
    const ns = names.length > 1 ? (this.#folders.get(names[0] ?? '') ?? 0) : 0;
    if (ns !== 0) names.shift();
    const name = names.join('/');
    if (name === '') return this.#parse(this.#site.mainPage, 0);
    const title = this.#parse(name, ns);
    if ('reason' in title) return title;
    if (title.fragment !== '' || name.includes('#')) {
      return { reason: 'The requested page title contains invalid characters: "#".' };
    }
    return title.ns === ns ? title : { reason: `The title would be in another namespace: "${title.prefixed}".` };
  }

  #parse(text: string, ns: number): Target | NoTitle {
    const normal = normalizeText(text, 'NFC', MAX_PATH_LENGTH);
    if (normal === undefined) return { reason: 'The title is too long.' };
    const title = parseTitle(normal, this.#site, ns);
    if (title.kind === 'invalid') return title;
    if (title.kind === 'interwiki') return { reason: `"${title.prefix}:" is the prefix of another site.` };
    if (title.text === '' || title.ns < 0) return { reason: 'The requested page title names no page.' };
    const { ns: number, text: name, prefixed, fragment } = title;
    return { ns: number, title: name, prefixed, fragment };
  }
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/**
 * Resolves a relative URL to a path in the folder; `undefined` if it has a scheme or host, or is outside the folder.
 */
const partsOf = (href: string, from: string): { readonly path: string; readonly fragment: string } | undefined => {
  if (/^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(href)) return undefined;
  const [, path = '', fragment = ''] = /^([^?#]*)(?:\?[^#]*)?(?:#(.*))?$/s.exec(href) ?? [];
  if (path === '') return undefined;
  // Zola writes a path from the top with a sign before it.
  const isFromTop = path.startsWith('/') || path.startsWith('@/');
  const names = isFromTop ? [] : from.split('/').slice(0, -1);
  for (const name of decoded(path.replace(/^@(?=\/)/, '')).split('/')) {
    if (name === '..' && names.length === 0) return undefined;
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return { path: names.join('/'), fragment: decoded(fragment) };
};

/** The path of a file in the folder that a relative URL refers to; `undefined` for other URLs. */
const pathOfHref = (href: string, from: string): string | undefined => partsOf(href, from)?.path;

/**
 * The URL of a file in the folder.
 *
 * @param fileUrl - Of the folder, absolute or a path, with a slash at the end.
 * @param server - The origin of the site; empty if not known.
 */
export const fileAddress = (fileUrl: string, path: string, server = ''): string =>
  (fileUrl.startsWith('/') ? server : '') + fileUrl + path.split('/').map(encodeURIComponent).join('/');
