import { randomInt } from 'node:crypto';
import type { PageRecord, PageResolver } from '../../core/query/index.js';
import { LAST_ID } from '../keys.js';
import type { ContentPage, ShuffledPage } from '../source.js';
import {
  accepts,
  type Answer,
  type Having,
  listOf,
  pageItem,
  passesRedirects,
  readKey,
  type RedirectFilter,
  redirectHint,
  spanOf,
  titleBounds,
} from './answer.js';
import { oneLinkEach } from './links.js';

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

/** The filters of lists of pages. */
interface PageFilter {
  readonly filterredir?: RedirectFilter;
  readonly minsize?: number;
  readonly maxsize?: number;
}

const isMeant = (page: ContentPage, { filterredir, minsize = 0, maxsize = Infinity }: PageFilter): boolean => {
  const { length = 0 } = page;
  return passesRedirects(page, filterredir) && length >= minsize && length <= maxsize;
};

/** All pages of a namespace, by title. No page is protected, so a filter for protected pages returns none. */
export const allpages: Answer<'allpages', 'pageRange'> = async (content, request) => {
  const { params, limit, continue: next } = request;
  const { namespace: ns, filterredir, filterlanglinks } = params;
  if (params.prtype !== undefined || params.prexpiry !== 'all') return [];
  const { from, ...bounds } = titleBounds(params, (text) => content.start(text, ns), next?.replaceAll('_', ' '));
  const filters = {
    redirects: redirectHint(filterredir),
    size: spanOf(params.minsize, params.maxsize),
    languages: filterlanglinks === 'all' ? undefined : filterlanglinks === 'withlanglinks',
  };
  const range = { ...bounds, ...filters, ns };
  const found = await content.collect<ContentPage, string, ContentPage & { readonly hasLanguage?: boolean }>(request, {
    limit,
    from,
    read: (start, size) => content.source.pageRange({ ...range, from: start, limit: size }, request),
    key: ({ title }) => title,
    open: async (rows) => {
      const pages = await content.shown(rows, request);
      if (filterlanglinks === 'all') return pages;
      const ids = pages.map(({ id }) => id);
      const linked = await oneLinkEach(content.source, 'language', ids, request);
      return pages.map((page) => ({ ...page, hasLanguage: linked.has(page.id) }));
    },
    keep: (page) =>
      (filterlanglinks === 'all' || page.hasLanguage === (filterlanglinks === 'withlanglinks')) &&
      isMeant(page, params),
  });
  const list = listOf(found, { item: (page) => pageItem(page, content) });
  return { ...list, continue: found.next?.replaceAll(' ', '_') };
};

const MAX_RANDOM = 2 ** 31;

/** The first lap leads from the start to the highest number, the second one from the lowest to the start. */
const FIRST_LAP = 0;
const SECOND_LAP = 1;

/** A page, by its random number and its id, which decides between equal numbers. */
type Position = readonly [number: number, id: number];
type Place = readonly [lap: number, ...Position];

const LOWEST: Position = [0, 0];

/**
 * Every page has a random number. The list starts at a random one, goes up to the highest, and wraps around to the
 * lowest, so it contains no page twice. Its continue value consists of the start, the lap, and the next page.
 */
export const random: Answer<'random', 'shuffled'> = async (content, request) => {
  const { params, limit, continue: next, role } = request;
  const place = readKey(next, 'number', 'number', 'number', 'number') ?? [randomInt(MAX_RANDOM), 0, 0, 0];
  const [begin, ...start] = place;
  const filter = { ...params, filterredir: params.redirect ? ('redirects' as const) : params.filterredir };
  const filters = {
    namespaces: params.namespace,
    redirects: redirectHint(filter.filterredir),
    size: spanOf(params.minsize, params.maxsize),
    model: params.contentmodel,
  };
  const range = (from: Position, to: Position | undefined, size: number) =>
    content.source.shuffled({ ...filters, from, to, descending: false, limit: size }, request);
  const firstLap = (from: Position, size: number) => range(from[0] < begin ? [begin, 0] : from, undefined, size);
  const secondLap = (from: Position, size: number) => range(from, [begin - 1, LAST_ID], size);
  const read = async ([lap, ...from]: Place, size: number): Promise<readonly ShuffledPage[]> => {
    if (lap !== FIRST_LAP) return begin === 0 ? [] : secondLap(from, size);
    const rows = await firstLap(from, size);
    if (rows.length >= size || begin === 0) return rows;
    return [...rows, ...(await secondLap(LOWEST, size - rows.length))];
  };
  const found = await content.collect<ShuffledPage, Place>(request, {
    limit,
    from: start,
    read: (from = [FIRST_LAP, ...LOWEST], size) => read(from, size),
    key: ({ shuffle, id }) => [shuffle >= begin ? FIRST_LAP : SECOND_LAP, shuffle, id],
    open: (rows) => content.shown(rows, request),
    keep: (page) =>
      accepts(params.namespace, page.ns) &&
      isMeant(page, filter) &&
      (params.contentmodel === undefined || params.contentmodel === (page.model ?? 'wikitext')),
  });
  return {
    items: found.rows.map((page) => ({
      id: page.id,
      ns: page.ns,
      title: content.show(page),
      ...(role === 'module' && params.filterredir === 'all' && { redirect: page.redirect !== undefined }),
    })),
    continue: found.next && [begin, ...found.next],
  };
};
