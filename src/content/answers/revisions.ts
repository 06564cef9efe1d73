import { ApiError, type ParamsOf, type PropResult, type ResultItem } from '../../core/query/index.js';
import type { Asking, OfPage } from '../content.js';
import type { ContentRevision } from '../source.js';
import {
  accepts,
  type Answer,
  byPage,
  type Having,
  idsOf,
  listOf,
  readKey,
  type RequestOf,
  timeBounds,
  type TimeKey,
} from './answer.js';
import { revisionItem } from './revision-item.js';
import { howManyFit, mostTexts, withTexts } from './texts.js';

type Params = ParamsOf<'revisions'>;

const timeKey = ({ timestamp, id }: ContentRevision): TimeKey => [timestamp, id];

/** The latest revision of each page, those with given ids, or the history of one page. */
export const revisions: Answer<'revisions', 'revisions' | 'pages'> = async (content, request) => {
  const { params, pages, limit, continue: next } = request;
  if (params.parse || params.expandtemplates || params.generatexml) {
    request.warn('notparsed', 'This site returns texts as they are stored. Use action=parse for HTML.');
  }
  const named = pages.revids.size > 0;
  if (isHistory(params) && !named) return historyOf(content, request);
  const [start = 0] = readKey(next, 'number') ?? [];
  const known = named ? [] : [...(await content.byId(idsOf(pages), request)).values()];
  const ids = (named ? [...pages.revids.keys()] : known.flatMap(({ revid }) => revid ?? []))
    .filter((id) => id >= start)
    .sort((a, b) => a - b);
  const wanted = ids.slice(0, limit);
  // The sizes of the latest revisions are known, so one query reads as many texts as fit.
  const lengths = new Map(known.map(({ revid = 0, length = 0 }) => [revid, length]));
  const sizes = wanted.map((id) => lengths.get(id) ?? 0);
  const needsTexts = params.prop.includes('content');
  const asked = needsTexts ? wanted.slice(0, howManyFit(sizes, mostTexts(params))) : wanted;
  const query = { ids: asked, text: needsTexts && (!named || asked.length === 1) };
  const found = asked.length === 0 ? [] : await content.source.revisions(query, request);
  const rows = [...found].sort((a, b) => a.id - b.id);
  const listed = await withTexts(content, { rows, next: ids[asked.length] }, ({ id }) => id, request);
  return byPage(listed, (row) => revisionItem(row, request, content));
};

const isHistory = ({ user, excludeuser, limit, startid, endid, start, end, dir }: Params): boolean =>
  [user, excludeuser, limit, startid, endid, start, end].some((value) => value !== undefined) || dir === 'newer';

const historyOf = async (content: Having<'revisions'>, request: RequestOf<'revisions'>): Promise<PropResult> => {
  const { params, limit, continue: next, pages, warn } = request;
  const [page = 0] = idsOf(pages);
  const { source } = content;
  if (params.tag !== undefined) return { pages: new Map() };
  if (!source.history) {
    warn('nohistory', 'This site only has the latest revision of each page.');
    return { pages: new Map() };
  }
  const [start, end] = await Promise.all([
    placeOf(content, params.startid, 'startid', request),
    placeOf(content, params.endid, 'endid', request),
  ]);
  const { from, to, descending } = timeBounds(params, next);
  const query = { page, user: params.user, excludeUser: params.excludeuser, to: end ?? to, descending, text: false };
  const found = await content.collect<ContentRevision, TimeKey>(request, {
    limit,
    from: next === undefined ? (start ?? from) : from,
    read: async (place, size) => (await source.history?.({ ...query, from: place, limit: size }, request)) ?? [],
    key: timeKey,
    keep: isBy(params),
  });
  return byPage(await withTexts(content, found, timeKey, request), (row) => revisionItem(row, request, content));
};

/** @throws ApiError `badid_rvstartid`, `badid_rvendid` if the revision does not exist. */
const placeOf = async (
  content: Having<'revisions'>,
  id: number | undefined,
  name: string,
  asking: Asking,
): Promise<TimeKey | undefined> => {
  if (id === undefined) return undefined;
  const [found] = await content.source.revisions({ ids: [id], text: false }, asking);
  if (!found || (await content.byId([found.page], asking)).size === 0) {
    throw new ApiError(`badid_rv${name}`, `There is no revision with ID ${id}.`);
  }
  return [found.timestamp, id];
};

/** Filters of lists of revisions. */
const isBy =
  ({ user, excludeuser }: { readonly user?: string; readonly excludeuser?: string }) =>
  (row: ContentRevision): boolean =>
    (user === undefined || row.user === user) && (excludeuser === undefined || row.user !== excludeuser);

/** All revisions by time; consecutive ones of a page are grouped. */
export const allrevisions: Answer<'allrevisions', 'history' | 'pages' | 'revisions'> = async (content, request) => {
  const { params, limit, continue: next } = request;
  const { namespace, user } = params;
  const { from, ...bounds } = timeBounds(params, next);
  const by = isBy(params);
  const range = { ...bounds, user, excludeUser: params.excludeuser, namespaces: namespace, text: false };
  const rows = await content.collect<ContentRevision, TimeKey, OfPage<ContentRevision>>(request, {
    limit,
    from,
    read: (place, size) => content.source.history({ ...range, from: place, limit: size }, request),
    key: timeKey,
    open: (revisions) => content.withPages(revisions, request),
    keep: (row) => by(row) && accepts(namespace, row.of.ns),
  });
  const found = await withTexts(content, rows, timeKey, request);
  const list = listOf(found, {
    item: (row) => revisionItem(row, request, content),
    page: ({ page, id }) => (params.generatetitles ? { pageid: page } : { revid: id }),
  });
  const shown = new Map<number, ResultItem & { readonly revisions: ResultItem[] }>();
  for (const [index, { page, of }] of found.rows.entries()) {
    const item = list.items[index] ?? {};
    const entry = shown.get(page);
    if (entry) entry.revisions.push(item);
    else shown.set(page, { pageid: page, revisions: [item], ns: of.ns, title: content.show(of) });
  }
  return { ...list, items: [...shown.values()] };
};
