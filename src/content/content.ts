import { setImmediate } from 'node:timers/promises';
import type { Caller, Site } from '../core/query/index.js';
import { parseTitle, prefixedTitle } from '../core/query/toolkit.js';
import { titleId } from './keys.js';
import type {
  ContentCall,
  ContentMarkup,
  ContentPage,
  ContentRevision,
  ContentSource,
  ContentTitle,
  ContentUser,
} from './source.js';
import { WIKITEXT } from './wikitext/markup.js';

/** The caller and the deadline of a request. */
export interface Asking extends ContentCall {
  /** `undefined` without a bearer token. */
  readonly caller: Caller | undefined;
}

/** Returns which of these pages the caller may see. Other pages are treated as if they did not exist. */
export type VisiblePages = (
  pages: readonly ContentPage[],
  asking: Asking,
) => readonly ContentPage[] | Promise<readonly ContentPage[]>;

/** A list that is read from a source in batches. `Open` is a row with what `open` adds to it. */
export interface Listing<Row, Key, Open extends Row = Row> {
  /** The maximum number of rows to return. */
  readonly limit: number;
  /** The first key; `undefined` for the start. */
  readonly from: Key | undefined;
  read(from: Key | undefined, limit: number): readonly Row[] | Promise<readonly Row[]>;
  readonly key: (row: Row) => Key;
  /** The key to continue with after a row, for lists that skip the following rows. Default: that of the next row. */
  readonly after?: (row: Row) => Key;
  /** The maximum number of rows to read at once. */
  readonly piece?: number;
  /** The rows that the caller may see. Default: all. */
  readonly open?: (rows: readonly Row[]) => readonly Open[] | Promise<readonly Open[]>;
  /** Filters rows. Default: all. */
  readonly keep?: (row: Open) => boolean;
}

/** A row with its page. */
export type OfPage<Row> = Row & { readonly of: ContentPage };

/** The rows found, and the key of the next one. */
export interface FoundRows<Row, Key> {
  readonly rows: readonly Row[];
  readonly next: Key | undefined;
}

/**
 * The maximum number of rows read for one response. A request whose filters pass few of the rows that a source returns
 * gets short results, and continues. On a site that hides pages, the response then ends with a concealed position,
 * because the next row may be hidden.
 */
const MAX_ROWS_READ = 5_000;

/** On such a site, so many rows that the caller may see end a response too: how many are hidden has no effect until there are thousands. */
const MAX_SEEN = 2_500;

/** The maximum number of rows of a response, also for callers with high limits: what follows takes longer for each row than reading it. */
const MAX_ROWS = 1_000;
const PIECE = 500;

/** After so many rows, other requests run. */
const OTHERS_TURN = 1_000;

/** A source with normalized titles, without pages that the caller may not see. */
export class Content<S extends ContentSource = ContentSource> {
  readonly source: S;
  /** For titles only: unlike the site of a request, it may not have the origin of the issuer. */
  readonly #site: Site;
  readonly #visible: VisiblePages | undefined;
  /** The rows that requests have read, on a site that hides pages. */
  readonly #read = new WeakMap<ContentCall, number>();
  readonly #ends = new WeakSet<ContentCall>();

  constructor(source: S, site: Site, visible: VisiblePages | undefined) {
    this.source = source;
    this.#site = site;
    this.#visible = visible;
  }

  /** The markup of a revision's text. */
  markupOf({ model = 'wikitext' }: ContentRevision): ContentMarkup {
    return this.source.markup?.(model) ?? WIKITEXT;
  }

  /** Whether some pages have restricted access. */
  get isRestricted(): boolean {
    return this.#visible !== undefined;
  }

  /** Counts rows of a request. Returns whether it may read further ones. */
  mayReadOn(asking: ContentCall, rows: number): boolean {
    if (!this.#visible) return true;
    const all = (this.#read.get(asking) ?? 0) + rows;
    this.#read.set(asking, all);
    return all < MAX_ROWS_READ;
  }

  /** Whether the position at which a response ends may be that of a row that the caller may not see. */
  mustConceal(asking: ContentCall): boolean {
    return this.#ends.has(asking);
  }

  /** Parses a title of this site; `undefined` if it is invalid. */
  read(text: string): ContentTitle | undefined {
    const title = parseTitle(text, this.#site);
    return title.kind === 'local' && title.text !== '' ? { ns: title.ns, title: title.text } : undefined;
  }

  /** A title with its namespace. */
  show({ ns, title }: ContentTitle): string {
    return prefixedTitle(ns, title, this.#site);
  }

  /** Normalizes the beginning of a title. */
  start(text: string, ns: number): string {
    const title = parseTitle(prefixedTitle(ns, `${text}x`, this.#site), this.#site);
    // A trailing space is significant: "New " is a prefix of "New York", but not of "Newark".
    return title.kind === 'local' && title.ns === ns ? title.text.slice(0, -1) : text.replaceAll('_', ' ');
  }

  /** The pages that the caller may see. */
  async shown<P extends ContentPage>(pages: readonly P[], asking: Asking): Promise<readonly P[]> {
    return this.openRows(pages, (page) => page, asking);
  }

  /** The rows whose page the caller may see. */
  async openRows<Row>(
    rows: readonly Row[],
    pageOf: (row: Row) => ContentPage,
    asking: Asking,
  ): Promise<readonly Row[]> {
    if (!this.#visible || rows.length === 0) return rows;
    const ids = new Set((await this.#visible(rows.map(pageOf), asking)).map(({ id }) => id));
    return rows.filter((row) => ids.has(pageOf(row).id));
  }

  /** The pages with these ids that the caller may see. */
  async byId(ids: Iterable<number>, asking: Asking): Promise<ReadonlyMap<number, ContentPage>> {
    const wanted = [...new Set(ids)];
    if (wanted.length === 0 || !this.source.pages) return new Map();
    const pages = await this.source.pages({ titles: [], ids: wanted, revids: [] }, asking);
    return new Map((await this.shown(pages, asking)).map((page) => [page.id, page]));
  }

  /** Adds the page to each row, and omits rows of pages that the caller may not see. */
  async withPages<Row extends { readonly page: number }>(
    rows: readonly Row[],
    asking: Asking,
  ): Promise<readonly OfPage<Row>[]> {
    const ids = rows.map(({ page }) => page);
    const pages = await this.byId(ids, asking);
    return rows.flatMap((row) => {
      const of = pages.get(row.page);
      return of ? [{ ...row, of }] : [];
    });
  }

  /** The pages with these titles that exist, by {@link titleId}: those that the caller may see. */
  async byTitle(titles: readonly ContentTitle[], asking: Asking): Promise<ReadonlyMap<string, ContentPage>> {
    const found = await this.#named(titles, asking);
    return new Map((await this.shown(found, asking)).map((page) => [titleId(page), page]));
  }

  /** Omits titles of pages that exist and that the caller may not see. */
  async openTitles<Row extends ContentTitle>(rows: readonly Row[], asking: Asking): Promise<readonly Row[]> {
    if (!this.#visible) return rows;
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
   * Users who have written a revision of a page that the caller may see. Only the latest revisions of a user are looked
   * at: who has hidden ones only among them counts as unknown.
   */
  async openUsers(users: readonly ContentUser[], asking: Asking): Promise<readonly ContentUser[]> {
    if (!this.#visible) return users;
    const open = new Set<string>();
    for (let first = 0; first < users.length; first += USERS_AT_ONCE) {
      if (first > 0 && !this.mayReadOn(asking, 0)) break;
      let undecided = users.slice(first, first + USERS_AT_ONCE).map(({ name }) => name);
      for (const limit of LATEST_REVISIONS) {
        const range = { descending: true, text: false, limit };
        const histories = await Promise.all(
          undecided.map(async (user) => (await this.source.history?.({ ...range, user }, asking)) ?? []),
        );
        const pages = histories.flatMap((rows) => rows.map(({ page }) => page));
        this.mayReadOn(asking, pages.length);
        const shown = await this.byId(pages, asking);
        const isOpen = histories.map((rows) => rows.some(({ page }) => shown.has(page)));
        for (const [index, name] of undecided.entries()) if (isOpen[index]) open.add(name);
        undecided = undecided.filter((_, index) => !isOpen[index] && histories[index]?.length === limit);
      }
      await othersTurn(asking);
    }
    return users.filter(({ name }) => open.has(name));
  }

  /**
   * Reads a list until the limit is reached, without rows that are filtered out or not visible. The number of visible
   * rows that it reads is limited. Rows that the caller may not see have no effect on where a response ends, because
   * that would reveal them, unless there are thousands.
   */
  async collect<Row, Key, Open extends Row = Row>(
    asking: ContentCall,
    listing: Listing<Row, Key, Open>,
  ): Promise<FoundRows<Open, Key>> {
    const { read, key, after, piece: most = PIECE, keep = () => true } = listing;
    const limit = Math.min(listing.limit, MAX_ROWS);
    // Without `open`, rows remain as they are.
    const { open = (all) => all as readonly Open[] } = listing;
    const mostVisible = this.#visible ? MAX_SEEN : MAX_ROWS_READ;
    const rows: Open[] = [];
    let visible = 0;
    let last: Row | undefined;
    let fetched = 0;
    let next = listing.from;
    for (;;) {
      const size = Math.min(most, fetched === 0 ? limit + 1 : PIECE);
      // The additional row is the start of the next batch.
      const batch = await read(next, size + 1);
      for (const row of await open(batch.slice(0, size))) {
        if (visible === mostVisible) return { rows, next: after && last ? after(last) : key(row) };
        visible += 1;
        last = row;
        if (!keep(row)) continue;
        if (rows.length === limit) return { rows, next: key(row) };
        rows.push(row);
      }
      const following = batch[size];
      if (following === undefined) return { rows, next: undefined };
      next = key(following);
      fetched += size;
      if (!this.mayReadOn(asking, size)) break;
      if (fetched >= OTHERS_TURN) await othersTurn(asking);
    }
    this.#ends.add(asking);
    return { rows, next };
  }
}

/** Users whose revisions are read at once, and how many of each: more if no page of the first ones is visible. */
export const USERS_AT_ONCE = 10;
const LATEST_REVISIONS = [2, 10, 100] as const;

/** Lets other requests run, and ends one that has taken too long. */
export const othersTurn = async ({ signal }: ContentCall): Promise<void> => {
  await setImmediate();
  signal.throwIfAborted();
};
