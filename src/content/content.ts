import type { MaybePromise } from '../core/base/ports.js';
import { parseTitle, prefixedTitle } from '../core/query/pages/title.js';
import type { Caller, Site } from '../core/query/index.js';
import type {
  ContentCall,
  ContentMarkup,
  ContentPage,
  ContentRevision,
  ContentSource,
  ContentTitle,
  LinkKind,
} from './source.js';
import { plainText } from './wikitext/plain-text.js';
import { sectionOf } from './wikitext/wikitext.js';

/** Who asks, and until when. */
export interface Asking extends ContentCall {
  /** `undefined` without a bearer token. */
  readonly caller: Caller | undefined;
}

/**
 * Which of these pages the caller may see: those that come back. A page that does not come back is in no list, no search and no
 * count, and who asks for it is told that it does not exist.
 */
export type VisiblePages = (pages: readonly ContentPage[], asking: Asking) => MaybePromise<readonly ContentPage[]>;

/** A list as a source gives it, piece by piece. */
export interface Listing<Row, Key> {
  /** How many rows may be given. */
  readonly limit: number;
  /** Where reading begins; `undefined` for the beginning. */
  readonly from: Key | undefined;
  read(from: Key | undefined, limit: number): MaybePromise<readonly Row[]>;
  readonly key: (row: Row) => Key;
  /** Where to go on behind a row, for lists that pass over the rows that follow it. At the row itself unless told. */
  readonly after?: (row: Row) => Key;
  /** The rows that the caller may see. All of them unless told. */
  readonly open?: (rows: readonly Row[]) => MaybePromise<readonly Row[]>;
  /** Whether a row is wanted. Every one unless told. */
  readonly keep?: (row: Row) => boolean;
}

/** What was found of a list, and where the rest begins. */
export interface Found<Row, Key> {
  readonly rows: readonly Row[];
  readonly next: Key | undefined;
}

/** So many rows are looked at for one answer: who wants few of many gets short answers, and goes on. */
const MOST_LOOKED_AT = 1_000;
const PIECE = 500;

const WIKITEXT: ContentMarkup = { section: sectionOf, plainText };

/** A source with what a request needs of it: its titles as the site writes them, and nothing that the caller may not see. */
export class Content<S extends ContentSource = ContentSource> {
  readonly source: S;
  readonly site: Site;
  readonly #visible: VisiblePages | undefined;

  constructor(source: S, site: Site, visible: VisiblePages | undefined) {
    this.source = source;
    this.site = site;
    this.#visible = visible;
  }

  /** How the text of a revision is read. */
  markupOf({ model = 'wikitext' }: ContentRevision): ContentMarkup {
    return this.source.markup?.(model) ?? WIKITEXT;
  }

  /** Whether some pages have restricted access. */
  get isRestricted(): boolean {
    return this.#visible !== undefined;
  }

  /** A title of this site; `undefined` for what cannot be one. */
  read(text: string): ContentTitle | undefined {
    const title = parseTitle(text, this.site);
    return title.kind === 'local' && title.text !== '' ? { ns: title.ns, title: title.text } : undefined;
  }

  /** As people read it: with its namespace. */
  show({ ns, title }: ContentTitle): string {
    return prefixedTitle(ns, title, this.site);
  }

  /** The beginning of a title in a namespace, as the site writes it. */
  start(text: string, ns: number): string {
    const title = parseTitle(prefixedTitle(ns, `${text}x`, this.site), this.site);
    const name = title.kind === 'local' && title.ns === ns ? title.text.slice(0, -1) : text.replaceAll('_', ' ');
    // A space at the end says something here: "New " is the beginning of "New York" alone.
    return name;
  }

  /** Those of the pages that the caller may see. */
  async shown<P extends ContentPage>(pages: readonly P[], asking: Asking): Promise<readonly P[]> {
    if (!this.#visible || pages.length === 0) return pages;
    const visible = await this.#visible(pages, asking);
    const ids = new Set(visible.map(({ id }) => id));
    return pages.filter(({ id }) => ids.has(id));
  }

  /** Rows whose page the caller may see. */
  openRows<Row>(pageOf: (row: Row) => ContentPage, asking: Asking): (rows: readonly Row[]) => Promise<readonly Row[]> {
    return async (rows) => {
      if (!this.#visible) return rows;
      const ids = new Set((await this.shown(rows.map(pageOf), asking)).map(({ id }) => id));
      return rows.filter((row) => ids.has(pageOf(row).id));
    };
  }

  /** The pages with these ids that the caller may see. */
  async byId(ids: Iterable<number>, asking: Asking): Promise<ReadonlyMap<number, ContentPage>> {
    const wanted = [...new Set(ids)];
    if (wanted.length === 0 || !this.source.pages) return NO_PAGES;
    const pages = await this.source.pages({ titles: [], ids: wanted, revids: [] }, asking);
    return new Map((await this.shown(pages, asking)).map((page) => [page.id, page]));
  }

  /** The pages with these titles that exist, by {@link titleId}: those that the caller may see. */
  async byTitle(titles: readonly ContentTitle[], asking: Asking): Promise<ReadonlyMap<string, ContentPage>> {
    const found = await this.#named(titles, asking);
    return new Map((await this.shown(found, asking)).map((page) => [titleId(page), page]));
  }

  /** Rows whose title is not that of a page which the caller may not see. A title without a page is seen by all. */
  async openTitles<Row extends ContentTitle>(
    rows: readonly Row[],
    asking: Asking,
    kind: LinkKind = 'link',
  ): Promise<readonly Row[]> {
    if (!this.#visible || ELSEWHERE.has(kind)) return rows;
    const found = await this.#named(rows, asking);
    const visible = new Set((await this.shown(found, asking)).map(({ id }) => id));
    const hidden = new Set(found.filter(({ id }) => !visible.has(id)).map(titleId));
    return rows.filter((row) => !hidden.has(titleId(row)));
  }

  async #named(titles: readonly ContentTitle[], asking: Asking): Promise<readonly ContentPage[]> {
    const wanted = [...new Map(titles.map(({ ns, title }) => [titleId({ ns, title }), { ns, title }])).values()];
    if (wanted.length === 0 || !this.source.pages) return [];
    return this.source.pages({ titles: wanted, ids: [], revids: [] }, asking);
  }

  /**
   * Reads a list until the answer is full, and leaves out what is not wanted and what the caller may not see. It looks at so
   * many rows and no more, but never goes on at a row that the caller may not see: its key would tell of it.
   */
  async collect<Row, Key>(listing: Listing<Row, Key>, asking: ContentCall): Promise<Found<Row, Key>> {
    const { limit, read, key, after, open = (rows) => rows, keep = () => true } = listing;
    const rows: Row[] = [];
    let { from } = listing;
    let first: Row | undefined;
    for (let seen = 0; ;) {
      const size = Math.min(PIECE, seen === 0 ? limit + 1 : Math.max(PIECE, limit + 1));
      // One row more says where the next piece begins.
      const piece = await read(from, size + 1);
      const visible = await open(piece.slice(0, size));
      first ??= visible[0];
      rows.push(...visible.filter(keep));
      if (rows.length > limit) return { rows: rows.slice(0, limit), next: key(rows[limit] as Row) };
      const more = piece[size];
      if (more === undefined) return { rows, next: undefined };
      seen += size;
      const last = visible.at(-1);
      if (seen >= MOST_LOOKED_AT && last !== undefined && after) return { rows, next: after(last) };
      if (seen >= MOST_LOOKED_AT && last !== undefined && last !== first) {
        if (rows.at(-1) === last) rows.pop();
        return { rows, next: key(last) };
      }
      from = key(more);
      if (seen >= MOST_LOOKED_AT) asking.signal.throwIfAborted();
    }
  }
}

/** Kinds of links whose targets are no pages of this site. */
const ELSEWHERE: ReadonlySet<LinkKind> = new Set(['url', 'language', 'interwiki', 'property']);

const NO_PAGES: ReadonlyMap<number, ContentPage> = new Map();

/** A title as the key of a map. */
export const titleId = ({ ns, title }: ContentTitle): string => `${ns}:${title}`;

/** No text with this beginning comes after it. */
export const endOf = (prefix: string): string => `${prefix}\u{10ffff}`;

/** No id comes after it. */
export const LAST_ID = Number.MAX_SAFE_INTEGER;
