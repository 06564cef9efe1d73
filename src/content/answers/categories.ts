import { ApiError, type ParamsOf } from '../../core/query/index.js';
import { message } from '../../core/query/toolkit.js';
import type { Asking, Content } from '../content.js';
import { CATEGORY, compareText, endOf, LAST_ID, memberType, sortkeyOf, upperKey } from '../keys.js';
import type { ContentSource, LinkRow, MemberRow } from '../source.js';
import { targetsOf } from './all-links.js';
import {
  accepts,
  type Answer,
  asked,
  byPage,
  type Having,
  idsOf,
  isDescending,
  listOf,
  pageItem,
  partsOf,
  passes,
  readKey,
  type RequestOf,
  spanOf,
  timeBounds,
  type TimeKey,
  titleBounds,
} from './answer.js';
import { targetOf } from './backlinks.js';
import { linksOfPages, oneLinkEach } from './links.js';

const hex = (text: string): string => Buffer.from(text).toString('hex');
const unhex = (text: string): string => Buffer.from(text, 'hex').toString();

/** Which of these categories are hidden. */
const hiddenAmong = async (
  content: Content,
  rows: readonly { readonly title: string }[],
  asking: Asking,
): Promise<ReadonlySet<string>> => {
  const titles = rows.map(({ title }) => ({ ns: CATEGORY, title }));
  const pages = [...(await content.byTitle(titles, asking)).values()];
  const ids = pages.map(({ id }) => id);
  const hidden = await oneLinkEach(content.source, 'property', ids, asking, 'hiddencat');
  return new Set(pages.filter(({ id }) => hidden.has(id)).map(({ title }) => title));
};

/** The categories of pages. */
export const categories: Answer<'categories', 'links'> = async (content, request) => {
  const { params, continue: next, pages, role } = request;
  const show = params.show ?? [];
  const [page, title] = readKey(next, 'number', 'text') ?? [];
  const chosen = params.categories?.flatMap((text) => content.read(text)?.title ?? []);
  const props = role === 'generator' ? [] : (params.prop ?? []);
  const needsHidden = show.length > 0 || props.includes('hidden');
  const found = await linksOfPages<LinkRow & { readonly hidden: boolean }>(
    content,
    request,
    'category',
    {
      from: page === undefined ? undefined : [page, CATEGORY, title ?? ''],
      open: async (rows) => {
        const hidden = needsHidden ? await hiddenAmong(content, rows, request) : undefined;
        return rows.map((row) => ({ ...row, hidden: hidden?.has(row.title) === true }));
      },
      keep: (row) => (!chosen || chosen.includes(row.title)) && passes(show, { hidden: row.hidden }),
    },
    { targets: chosen?.map((name) => ({ ns: CATEGORY, title: name })) },
  );
  const needsPages = props.includes('sortkey') || props.includes('timestamp');
  const byId = await content.byId(needsPages ? idsOf(pages) : [], request);
  const list = byPage(found, ({ title: name, text: prefix = '', hidden, ...row }) => {
    const of = byId.get(row.page);
    return {
      ns: CATEGORY,
      title: content.show({ ns: CATEGORY, title: name }),
      ...partsOf(props, {
        sortkey: { sortkey: hex(sortkeyOf(prefix, of?.title ?? '')), sortkeyprefix: prefix },
        timestamp: { timestamp: of?.touched ?? '' },
        hidden: { hidden },
      }),
    };
  });
  return { ...list, continue: found.next && [found.next[0], found.next[2]] };
};

interface Sizes {
  readonly size: number;
  readonly pages: number;
  readonly files: number;
  readonly subcats: number;
}

const NO_MEMBERS: Sizes = { size: 0, pages: 0, files: 0, subcats: 0 };

/** The sizes of categories, by title. */
const sizesOf = async (
  source: ContentSource,
  rows: readonly { readonly title: string }[],
  asking: Asking,
): Promise<ReadonlyMap<string, Sizes>> => {
  const names = rows.map(({ title }) => title);
  const found = names.length === 0 ? [] : ((await source.sizes?.(names, asking)) ?? []);
  return new Map(
    found.map(({ title, pages, files, subcats }) => [title, { size: pages + files + subcats, pages, files, subcats }]),
  );
};

/** Categories that have members, whether or not they have a page. Their sizes are included if all pages are public. */
export const allcategories: Answer<'allcategories', 'targets' | 'pages'> = async (content, request) => {
  const { params, limit, continue: next, warn } = request;
  const { min = 0, max = Infinity, prop } = params;
  const hasSizes = content.source.sizes !== undefined && !content.isRestricted;
  const needsSizes = params.min !== undefined || params.max !== undefined || prop.includes('size');
  if (needsSizes && !hasSizes) warn('nosizes', 'This site does not provide the sizes of categories.');
  const bounds = titleBounds(params, (text) => content.start(text, CATEGORY), next?.replaceAll('_', ' '));
  const members = hasSizes ? spanOf(params.min, params.max) : undefined;
  const query = { ...bounds, members, kind: 'category', ns: CATEGORY, unique: true, limit } as const;
  const found = await targetsOf<LinkRow & { readonly sizes?: Sizes }>(
    content,
    {
      ...query,
      open: async (rows) => {
        if (!needsSizes || !hasSizes) return rows;
        const sizes = await sizesOf(content.source, rows, request);
        return rows.map((row) => ({ ...row, sizes: sizes.get(row.title) ?? NO_MEMBERS }));
      },
      keep: ({ sizes }) => !sizes || (sizes.size >= min && sizes.size <= max),
    },
    request,
  );
  const hidden = prop.includes('hidden') ? await hiddenAmong(content, found.rows, request) : undefined;
  return listOf(
    { rows: found.rows, next: found.next?.[0].replaceAll(' ', '_') },
    {
      item: ({ title, sizes }) => ({
        category: title,
        ...partsOf(prop, { size: sizes && { ...sizes }, hidden: { hidden: hidden?.has(title) } }),
      }),
      page: ({ title }) => ({ title: content.show({ ns: CATEGORY, title }) }),
    },
  );
};

/** The sizes of the given categories. */
export const categoryinfo: Answer<'categoryinfo', 'sizes'> = async (content, request) => {
  const { pages, continue: next } = request;
  const [start = ''] = readKey(next, 'text') ?? [];
  const named = [...pages.existing, ...pages.missing].filter(({ ns }) => ns === CATEGORY);
  const rows = named
    .map(({ id, title }) => ({ id, title: content.read(title)?.title ?? '' }))
    .filter(({ title }) => compareText(title, start) >= 0);
  const [sizes, hidden] = await Promise.all([
    sizesOf(content.source, rows, request),
    hiddenAmong(content, rows, request),
  ]);
  const shown = rows.flatMap(({ id, title }) => {
    const { size = 0, ...parts } = sizes.get(title) ?? {};
    return size === 0 ? [] : [[id, { size, ...parts, hidden: hidden.has(title) }] as const];
  });
  return { pages: new Map(shown) };
};

type Params = ParamsOf<'categorymembers'>;

/** In list order. */
const TYPES = ['page', 'subcat', 'file'] as const;

/** The pages, subcategories and files of a category. */
export const categorymembers: Answer<'categorymembers', 'members' | 'pages'> = async (content, request) => {
  const { params, role } = request;
  const target = await targetOf(content, params, request);
  if (target.ns !== CATEGORY) throw new ApiError('invalidcategory', message('apierror-invalidcategory'));
  const found = await (params.sort === 'timestamp' ? byTime : bySortkey)(content, target.title, request);
  const wanted: readonly string[] = role === 'generator' ? ['ids', 'title'] : params.prop;
  return listOf<MemberRow, readonly (string | number)[]>(found, {
    item: ({ page, sortkey, prefix, timestamp }) => {
      const type = TYPES[memberType(page.ns)];
      const item = pageItem(page, content, { sortkey: hex(sortkey), sortkeyprefix: prefix, type, timestamp });
      return asked(item, wanted);
    },
  });
};

type Members = Having<'members'>;
type MembersRequest = RequestOf<'categorymembers'>;

const byTime = (content: Members, category: string, request: MembersRequest) => {
  const { params, limit, continue: next } = request;
  const { from, ...bounds } = timeBounds(params, next);
  return content.collect<MemberRow, TimeKey>(request, {
    limit,
    from,
    read: (start, size) =>
      content.source.members(
        { ...bounds, by: 'time', category, namespaces: params.namespace, from: start, limit: size },
        request,
      ),
    key: ({ timestamp, page }) => [timestamp, page.id],
    open: (rows) => content.openRows(rows, ({ page }) => page, request),
    keep: ({ page }) => accepts(params.namespace, page.ns),
  });
};

type SortPlace = readonly [type: number, sortkey: string, page: number];

const bySortkey = async (content: Members, category: string, request: MembersRequest) => {
  const { params, limit, continue: next } = request;
  const descending = isDescending(params.dir);
  const key = readKey(next, 'number', 'text', 'number');
  const [first, last] = sortkeyBounds(params);
  const [least, most] = descending ? [last, first] : [first, last];
  const isInside = (sortkey: string): boolean =>
    (least === undefined || compareText(sortkey, least) >= 0) &&
    (most === undefined || compareText(sortkey, most) <= 0);
  const types = TYPES.flatMap((type, number) => (params.type.includes(type) ? [number] : []));
  if (descending) types.reverse();
  const lowest = { text: '', id: 0 };
  const highest = { text: endOf(''), id: LAST_ID };
  const [begin, end] = descending ? [highest, lowest] : [lowest, highest];
  // Each type of member is a separate list that starts at the first sort key.
  const read = async (from: SortPlace | undefined, size: number): Promise<readonly MemberRow[]> => {
    const rows: MemberRow[] = [];
    for (const type of types) {
      if (from && (descending ? type > from[0] : type < from[0])) continue;
      const begins: SortPlace = from?.[0] === type ? from : [type, first ?? begin.text, begin.id];
      const ends: SortPlace = [type, last ?? end.text, end.id];
      const piece = { from: begins, to: ends, descending, limit: size - rows.length };
      const range = { category, namespaces: params.namespace, ...piece } as const;
      rows.push(...(await content.source.members({ by: 'sortkey', ...range }, request)));
      if (rows.length >= size) break;
    }
    return rows;
  };
  const found = await content.collect<MemberRow, SortPlace>(request, {
    limit,
    from: key && [key[0], unhex(key[1]), key[2]],
    read,
    key: ({ page, sortkey }) => [memberType(page.ns), sortkey, page.id],
    open: (rows) => content.openRows(rows, ({ page }) => page, request),
    keep: ({ page, sortkey }) => accepts(params.namespace, page.ns) && isInside(sortkey),
  });
  return { ...found, next: found.next && ([found.next[0], hex(found.next[1]), found.next[2]] as const) };
};

/** The bounds of a category: raw sort keys, sort key prefixes, or hexadecimal sort keys. */
const sortkeyBounds = (params: Params): readonly [first: string | undefined, last: string | undefined] => {
  const read = (hexadecimal: string | undefined, prefix: string | undefined, key: string | undefined) =>
    hexadecimal === undefined ? (prefix === undefined ? key : upperKey(prefix)) : unhex(hexadecimal);
  return [
    read(params.starthexsortkey, params.startsortkeyprefix, params.startsortkey),
    read(params.endhexsortkey, params.endsortkeyprefix, params.endsortkey),
  ];
};
