import type { SiteOptions } from '../../core/query/index.js';
import { resolveSite } from '../../core/query/toolkit.js';
import { titleId } from '../keys.js';
import { pagesOf, readInOrder, targetsOf } from '../per-page.js';
import { placePage } from '../placed.js';
import type {
  ContentPage,
  ContentRange,
  ContentRevision,
  ContentSearch,
  ContentSource,
  LinkKind,
  MemberRow,
} from '../source.js';
import { groupOf, type MemoryPage, PageStore, type StoredLink } from './store.js';

export type { MemoryPage, MemoryRevision } from './store.js';

/** Each search reads the words of all pages. */
const MAX_PAGES = 20_000;

/** Options of `memoryContent`. */
export interface MemoryContentOptions {
  /** The site: its name, language, namespaces. */
  readonly site?: SiteOptions | undefined;
}

/**
 * A content source of pages in memory: for tests, small sites, and as an example of a source. Titles and names of users
 * are written as requests find them: in normalization form C, with the first letter of the language of the site.
 *
 * @throws TypeError if two pages have the same title or id; RangeError if there are more than 20,000 pages.
 */
export const memoryContent = (pages: readonly MemoryPage[], { site }: MemoryContentOptions = {}): ContentSource => {
  if (pages.length > MAX_PAGES)
    throw new RangeError(
      `memoryContent holds at most ${MAX_PAGES} pages, not ${pages.length}, because each search reads all of them. Use a database: importExport and exportContent of oauth-query/content/mediawiki-export, or a source of your own.`,
    );
  const store = new PageStore();
  const resolved = resolveSite(site ?? {});
  let firstId = 1;
  for (const [index, given] of pages.entries()) {
    const page = placePage(given, resolved);
    const added = store.add(page, page.id ?? index + 1, firstId);
    firstId = Math.max(firstId, (added.revid ?? 0) + 1);
  }
  return { ...(site && { site }), ...storedContent(store) };
};

/** The functions of a source for the pages of a store, which may change. */
export const storedContent = (store: PageStore) =>
  ({
    ...pageFunctions(store),
    ...revisionFunctions(store),
    ...linkFunctions(store),
    ...categoryFunctions(store),
    ...userFunctions(store),
    search: (query: ContentSearch) => store.words.search(query),
    files: (titles: readonly string[]) => titles.flatMap((title) => store.files.get(title) ?? []),
  }) satisfies ContentSource;

type Functions<K extends keyof ContentSource> = Required<Pick<ContentSource, K>>;

/** A range of texts as a range of keys with a single part. */
const byText = ({ from, to, descending, limit }: ContentRange<string>): ContentRange<readonly [string]> => ({
  from: from === undefined ? undefined : [from],
  to: to === undefined ? undefined : [to],
  descending,
  limit,
});

/** Filters of ranges; `undefined` passes everything, as does an empty list. */
const accepts = <T>(values: readonly T[] | undefined, value: T): boolean =>
  values === undefined || values.length === 0 || values.includes(value);
const is = (wanted: boolean | undefined, fact: boolean): boolean => wanted === undefined || wanted === fact;
const within = (span: readonly [number, number] | undefined, value = 0): boolean =>
  span === undefined || (value >= span[0] && value <= span[1]);

const pageFunctions = (store: PageStore): Functions<'pages' | 'pageRange' | 'shuffled'> => ({
  pages: ({ titles, ids, revids }) => {
    const found = new Map<number, ContentPage>();
    const add = (page: ContentPage | undefined): void => void (page && found.set(page.id, page));
    for (const title of titles) add(store.byTitle.get(titleId(title)));
    for (const id of ids) add(store.page(id));
    for (const revid of revids) {
      const page = store.page(store.revisions.get(revid)?.page ?? 0);
      if (page) found.set(page.id, { ...page, revids: [...(found.get(page.id)?.revids ?? []), revid] });
    }
    return [...found.values()];
  },
  pageRange: ({ ns, redirects, size, languages, file, ...range }) =>
    store.titles.range(String(ns), byText(range), (page) => {
      const found = file && store.files.get(page.title);
      return (
        is(redirects, page.redirect !== undefined) &&
        within(size, page.length) &&
        (languages === undefined || is(languages, store.links.all(groupOf.links('language', page.id)).length > 0)) &&
        (!file ||
          (found !== undefined &&
            within(file.size, found.size) &&
            accepts(file.mime, found.mime) &&
            (file.sha1 === undefined || file.sha1 === found.sha1)))
      );
    }),
  shuffled: ({ namespaces, redirects, size, model, ...range }) =>
    store.shuffled.range(
      range,
      (page) =>
        accepts(namespaces, page.ns) &&
        is(redirects, page.redirect !== undefined) &&
        within(size, page.length) &&
        (model === undefined || model === (page.model ?? 'wikitext')),
    ),
});

const revisionFunctions = (store: PageStore): Functions<'revisions' | 'history'> => ({
  revisions: ({ ids }) => ids.flatMap((id) => store.revisions.get(id) ?? []),
  history: ({ page, user, namespaces = [], first, minor, anonymous, excludeUser, latest, ...range }) => {
    const keep = (row: ContentRevision): boolean => {
      const of = store.page(row.page);
      return (
        (page === undefined || user === undefined || row.user === user) &&
        (excludeUser === undefined || row.user !== excludeUser) &&
        is(first, (row.parent ?? 0) === 0) &&
        is(minor, row.minor === true) &&
        is(anonymous, (row.userid ?? 0) === 0) &&
        !(latest && of?.revid !== row.id) &&
        (namespaces.length === 0 || (of !== undefined && namespaces.includes(of.ns)))
      );
    };
    if (page !== undefined) return store.historyOf.range(String(page), range, keep);
    return user === undefined ? store.history.range(range, keep) : store.byUser.range(user, range, keep);
  },
});

const linkFunctions = (store: PageStore): Functions<'links' | 'backlinks' | 'targets'> => {
  const rowsTo = (
    [kind, ns, title]: readonly [LinkKind, number, string],
    range: ContentRange<readonly [number]>,
    keep: (row: StoredLink) => boolean,
  ) => store.backlinks.range(groupOf.backlinks(kind, ns, title), range, keep);
  return {
    links: (range) => {
      const { kind, descending, limit, one, targets, namespaces, prefix = '', suffix = '' } = range;
      const wanted = targets && new Set(targets.map(titleId));
      const keep = (row: StoredLink): boolean =>
        (wanted?.has(titleId(row)) ?? true) &&
        accepts(namespaces, row.ns) &&
        row.title.startsWith(prefix) &&
        row.title.endsWith(suffix);
      return readInOrder(pagesOf(range), limit, ({ of, from }, remaining) => {
        const piece = { from, descending, limit: one === undefined ? remaining : 1 };
        return store.links.range(groupOf.links(kind, of), piece, keep);
      });
    },
    backlinks: (range) => {
      const { kind, descending, limit, namespaces, redirects, withText } = range;
      const keep = ({ of, text = '' }: StoredLink): boolean =>
        accepts(namespaces, of.ns) && is(redirects, of.redirect !== undefined) && is(withText, text !== '');
      return readInOrder(targetsOf(range), limit, ({ of: target, from }, remaining) => {
        const piece = { from: from === undefined ? undefined : ([from] as const), descending, limit: remaining };
        const rows = rowsTo([kind, target.ns, target.title], piece, keep);
        return rows.map(({ of, text = '' }) => ({ target, page: of, text }));
      });
    },
    targets: ({ kind, ns, unique, from, to, descending, limit, namespaces, suffix = '', members }) => {
      const range = byText({ from: from?.[0], to: to?.[0], descending, limit: unique ? limit : Infinity });
      const keepName = (title: string): boolean =>
        title.endsWith(suffix) && (members === undefined || within(members, store.members.count(title, [])));
      const names = store.targets.range(groupOf.targets(kind, ns), range, keepName);
      if (unique) return names.map((title) => ({ ns, title, page: 0 }));
      const keep = ({ of }: StoredLink): boolean => accepts(namespaces, of.ns);
      const pageOf = (bound: readonly [string, number] | undefined, title: string) =>
        bound?.[0] === title ? ([bound[1]] as const) : undefined;
      return readInOrder(names, limit, (title, remaining) => {
        const pages = { from: pageOf(from, title), to: pageOf(to, title), descending, limit: remaining };
        return rowsTo([kind, ns, title], pages, keep);
      });
    },
  };
};

const categoryFunctions = (store: PageStore): Functions<'members' | 'sizes'> => ({
  members: (query) => {
    const { category, namespaces, ...range } = query;
    const keep = ({ page }: MemberRow): boolean => accepts(namespaces, page.ns);
    return range.by === 'time'
      ? store.membersByTime.range(category, range, keep)
      : store.members.range(category, range, keep);
  },
  sizes: (categories) =>
    categories.map((title) => {
      const count = (type: number): number => store.members.count(title, [type]);
      return { title, pages: count(0), subcats: count(1), files: count(2) };
    }),
});

const userFunctions = (store: PageStore): Functions<'users' | 'userRange'> => ({
  users: ({ names, ids }) => {
    const all = new Set([...names, ...ids.flatMap((id) => store.userIds.get(id) ?? [])]);
    return [...all].flatMap((name) => store.user(name) ?? []);
  },
  userRange: ({ since, accounts, brief: _brief, ...range }) => {
    const recentOf = (name: string): number =>
      since === undefined ? 0 : store.byUser.range(name, { from: [since], descending: false, limit: Infinity }).length;
    const keep = (name: string): boolean =>
      (accounts === undefined || is(accounts, (store.user(name)?.id ?? 0) > 0)) &&
      (since === undefined || recentOf(name) > 0);
    return store.userNames.range(byText(range), keep).flatMap((name) => {
      const user = store.user(name);
      return user && since !== undefined ? { ...user, recent: recentOf(name) } : (user ?? []);
    });
  },
});
