import type { SiteOptions } from '../../core/query/index.js';
import { backlinksPerPage, linksPerPage } from '../per-page.js';
import type { ContentPage, ContentRange, ContentSource } from '../source.js';
import { memberType } from '../keys.js';
import { compareKeys } from '../text-order.js';
import { type MemoryPage, Store } from './store.js';

export type { MemoryPage, MemoryRevision } from './store.js';

/** Options of `memoryContent`. */
export interface MemoryContentOptions {
  /** The site: its name, language, namespaces. */
  readonly site?: SiteOptions;
}

/**
 * A content source of pages in memory: for tests, small sites, and as an example of a source.
 *
 * @throws TypeError if two pages have the same title or id.
 */
export const memoryContent = (pages: readonly MemoryPage[], options: MemoryContentOptions = {}): ContentSource => {
  const store = new Store(pages);
  return {
    ...(options.site && { site: options.site }),
    ...pageFunctions(store),
    ...revisionFunctions(store),
    ...linkFunctions(store),
    ...categoryFunctions(store),
    ...userFunctions(store),
    search: (query) => store.search(query),
    files: (titles) => titles.flatMap((title) => store.files.get(title) ?? []),
  };
};

type Functions<K extends keyof ContentSource> = Required<Pick<ContentSource, K>>;

/** A range of texts as a range of keys with a single part. */
const byText = ({ from, to, descending, limit }: ContentRange<string>): ContentRange<readonly [string]> => ({
  from: from === undefined ? undefined : [from],
  to: to === undefined ? undefined : [to],
  descending,
  limit,
});

const pageFunctions = (store: Store): Functions<'pages' | 'pageRange' | 'shuffled'> => ({
  pages: ({ titles, ids, revids }) => {
    const found = new Map<number, ContentPage>();
    const add = (page: ContentPage | undefined): void => void (page && found.set(page.id, page));
    for (const { ns, title } of titles) add(store.byTitle.get(`${ns}:${title}`));
    for (const id of ids) add(store.byId.get(id));
    for (const revid of revids) {
      const page = store.byId.get(store.revisions.get(revid)?.page ?? 0);
      if (page) found.set(page.id, { ...page, revids: [...(found.get(page.id)?.revids ?? []), revid] });
    }
    return [...found.values()];
  },
  pageRange: (range) => store.titles.range(byText(range), [range.ns]),
  shuffled: (range) => store.shuffled.range(range),
});

const revisionFunctions = (store: Store): Functions<'revisions' | 'history'> => ({
  revisions: ({ ids }) => ids.flatMap((id) => store.revisions.get(id) ?? []),
  history: ({ page, users, ...range }) => {
    if (page !== undefined) return store.historyOf.range(range, [page]);
    if (!users) return store.history.range(range);
    const sign = range.descending ? -1 : 1;
    return [...new Set(users)]
      .flatMap((user) => store.byUser.range(range, [user]))
      .sort((a, b) => sign * compareKeys([a.timestamp, a.id], [b.timestamp, b.id]))
      .slice(0, range.limit);
  },
});

const linkFunctions = (store: Store): Functions<'links' | 'backlinks' | 'targets'> => ({
  links: (range) => {
    const { kind, descending } = range;
    return linksPerPage(range, (page, from, limit) => store.links.range({ from, descending, limit }, [kind, page]));
  },
  backlinks: (range) => {
    const { kind, descending } = range;
    return backlinksPerPage(range, (target, from, limit) => {
      const piece = { from: from === undefined ? undefined : [from], descending, limit };
      const rows = store.backlinks.range(piece, [kind, target.ns, target.title]);
      return rows.map(({ of, text = '' }) => ({ target, page: of, text }));
    });
  },
  targets: ({ kind, ns, unique, from, to, descending, limit }) => {
    if (!unique) return store.backlinks.range({ from, to, descending, limit }, [kind, ns]);
    const names = store.targets.range(byText({ from: from?.[0], to: to?.[0], descending, limit }), [kind, ns]);
    return names.map(({ title }) => ({ ns, title, page: 0 }));
  },
});

const categoryFunctions = (store: Store): Functions<'members' | 'sizes'> => ({
  members: (query) => {
    const { category, ...range } = query;
    return range.by === 'time' ? store.membersByTime.range(range, [category]) : store.members.range(range, [category]);
  },
  sizes: (categories) =>
    categories.map((title) => {
      const rows = store.members.range({ descending: false, limit: Infinity }, [title]);
      const count = (type: number): number => rows.filter(({ page }) => memberType(page.ns) === type).length;
      return { title, pages: count(0), subcats: count(1), files: count(2) };
    }),
});

const userFunctions = (store: Store): Functions<'users' | 'userRange'> => ({
  users: ({ names, ids }) => {
    const named = names.flatMap((name) => store.users.get(name) ?? []);
    return [...new Set([...named, ...ids.flatMap((id) => store.userIds.get(id) ?? [])])];
  },
  userRange: ({ since, ...range }) =>
    store.userNames
      .range(byText(range))
      .map((user) => (since === undefined ? user : { ...user, recent: store.since(user.name, since) })),
});
