import { randomInt } from 'node:crypto';
import type { PageRecord, PageResolver } from '../../core/query/index.js';
import type { ContentPage } from '../source.js';
import { type Handler, type Having, listOf, pageItem, readKey, titleBounds } from './answer.js';

/** Finds the pages of a request by title, id or revision. */
export const findPages =
  (content: Having<'pages'>): PageResolver =>
  async (asked) => {
    const titles = asked.titles.flatMap((title) => content.read(title) ?? []);
    const { pageids, revids } = asked;
    const all = await content.source.pages({ titles, ids: pageids, revids }, asked);
    const found = await content.shown(all, asked);
    return found.map((page): PageRecord => {
      const { id, ns, redirect } = page;
      return { pageid: id, ns, title: content.show(page), ...(redirect && { redirect }), revids: page.revids ?? [] };
    });
  };

/** Which of these pages have language links. */
const withLanguageLinks = async (
  content: Having<'pageRange'>,
  ids: readonly number[],
  asking: Parameters<Handler<'allpages'>>[0],
): Promise<ReadonlySet<number>> => {
  const found = new Set<number>();
  let from: readonly [number, number, string] | undefined;
  // One link per page suffices, so it continues with the next page.
  for (;;) {
    const range = { kind: 'language', pages: ids, from, descending: false, limit: 500 } as const;
    const rows = (await content.source.links?.(range, asking)) ?? [];
    for (const { page } of rows) found.add(page);
    const last = rows.at(-1);
    if (!last || rows.length < 500) return found;
    from = [last.page + 1, 0, ''];
  }
};

/** All pages of a namespace, by title. No page is protected, so a filter for protected pages returns none. */
export const allpages =
  (content: Having<'pageRange'>): Handler<'allpages'> =>
  async (request) => {
    const { params, limit, continue: next } = request;
    const { namespace: ns, minsize, maxsize, filterredir, filterlanglinks } = params;
    if (params.prtype !== undefined || params.prexpiry !== 'all') return [];
    const { from, ...bounds } = titleBounds(params, (text) => content.start(text, ns), next?.replaceAll('_', ' '));
    const redirects = filterredir === 'all' ? undefined : filterredir === 'redirects';
    const found = await content.collect<ContentPage & { readonly hasLanguage?: boolean }, string>(
      {
        limit,
        from,
        read: (start, size) =>
          content.source.pageRange({ ...bounds, ns, redirects, from: start, limit: size }, request),
        key: ({ title }) => title,
        open: async (rows) => {
          const pages = await content.shown(rows, request);
          if (filterlanglinks === 'all') return pages;
          const linked = await withLanguageLinks(
            content,
            pages.map(({ id }) => id),
            request,
          );
          return pages.map((page) => ({ ...page, hasLanguage: linked.has(page.id) }));
        },
        keep: ({ redirect, hasLanguage, length = 0 }) =>
          (filterlanglinks === 'all' || hasLanguage === (filterlanglinks === 'withlanglinks')) &&
          (redirects === undefined || (redirect !== undefined) === redirects) &&
          length >= (minsize ?? 0) &&
          length <= (maxsize ?? Infinity),
      },
      request,
    );
    const list = listOf(found, { item: (page) => pageItem(page, content) });
    return { ...list, continue: found.next?.replaceAll(' ', '_') };
  };

const MAX_RANDOM = 2 ** 31;

/**
 * Every page has a random number. The list starts at a random one, goes up to the highest, and wraps around to the
 * lowest, so it contains no page twice. Its continue value consists of the start, the lap, and the next page.
 */
export const random =
  (content: Having<'shuffled'>): Handler<'random'> =>
  async (request) => {
    const { params, limit, continue: next, role } = request;
    const [begin, lap, number, id] = readKey(next, 'number', 'number', 'number', 'number') ?? [
      randomInt(MAX_RANDOM),
      0,
      0,
      0,
    ];
    type Place = readonly [lap: number, number: number, id: number];
    const read = async ([at, from, page]: Place, size: number) => {
      const rows = at === 0 ? await piece([Math.max(from, begin), from < begin ? 0 : page], undefined, size) : [];
      if (rows.length >= size || begin === 0) return rows;
      const second = await piece(
        at === 0 ? [0, 0] : [from, page],
        [begin - 1, Number.MAX_SAFE_INTEGER],
        size - rows.length,
      );
      return [...rows, ...second];
    };
    const piece = async (from: readonly [number, number], to: readonly [number, number] | undefined, size: number) =>
      content.source.shuffled({ from, to, descending: false, limit: size }, request);
    const redirects = params.redirect ? 'redirects' : params.filterredir;
    const { namespace, minsize = 0, maxsize = Infinity, contentmodel } = params;
    const found = await content.collect(
      {
        limit,
        from: [lap, number, id] as Place,
        read: (from, size) => read(from ?? [0, 0, 0], size),
        key: ({ shuffle, id: page }): Place => [shuffle >= begin ? 0 : 1, shuffle, page],
        open: content.openRows((page) => page, request),
        keep: ({ ns, redirect, length = 0, model = 'wikitext' }) =>
          (!namespace || namespace.length === 0 || namespace.includes(ns)) &&
          (redirects === 'all' || (redirect !== undefined) === (redirects === 'redirects')) &&
          length >= minsize &&
          length <= maxsize &&
          (contentmodel === undefined || model === contentmodel),
      },
      request,
    );
    return {
      items: found.rows.map((page) => ({
        id: page.id,
        ns: page.ns,
        title: content.show(page),
        ...(role === 'module' && params.filterredir === 'all' ? { redirect: page.redirect !== undefined } : {}),
      })),
      continue: found.next && [begin, ...found.next],
    };
  };
