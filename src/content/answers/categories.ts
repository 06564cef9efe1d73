import { ApiError, message, type ParamsOf } from '../../core/query/index.js';
import type { Asking, Content } from '../content.js';
import { memberType, sortkeyOf } from '../keys.js';
import type { ContentSource, LinkRow, MemberRow } from '../source.js';
import { compareText } from '../text-order.js';
import { targetsOf } from './all-links.js';
import {
  asked,
  byPage,
  type Handler,
  type Having,
  idsOf,
  isDescending,
  listOf,
  pageItem,
  passes,
  readKey,
  timeBounds,
  titleBounds,
} from './answer.js';
import { targetOf } from './backlinks.js';
import { type LinkKey, linksFrom } from './links.js';

const CATEGORY = 14;

const hex = (text: string): string => Buffer.from(text).toString('hex');
const unhex = (text: string): string => Buffer.from(text, 'hex').toString();

/** Which of these categories are hidden. */
const hiddenAmong = async (
  content: Content,
  names: readonly string[],
  asking: Asking,
): Promise<ReadonlySet<string>> => {
  const { source } = content;
  if (!source.pages || !source.links || names.length === 0) return new Set();
  const pages = await content.byTitle(
    names.map((title) => ({ ns: CATEGORY, title })),
    asking,
  );
  const byId = new Map([...pages.values()].map(({ id, title }) => [id, title]));
  if (byId.size === 0) return new Set();
  const hidden = new Set<string>();
  let from: readonly [number, number, string] | undefined = [0, 0, ''];
  while (from) {
    const query = { kind: 'property', pages: [...byId.keys()], from, limit: 500, descending: false } as const;
    const found: Awaited<ReturnType<typeof linksFrom>> = await linksFrom(content as Having<'links'>, query, asking);
    for (const { page, title } of found.rows) if (title === 'hiddencat') hidden.add(byId.get(page) ?? '');
    from = found.next;
  }
  return hidden;
};

/** The categories of pages. */
export const categories =
  (content: Having<'links'>): Handler<'categories'> =>
  async (request) => {
    const { params, limit, continue: next, pages, role } = request;
    const show = params.show ?? [];
    const [page, title] = readKey(next, 'number', 'text') ?? [];
    const chosen = params.categories?.flatMap((text) => content.read(text)?.title ?? []);
    const wanted: readonly string[] = role === 'generator' ? [] : (params.prop ?? []);
    const needsHidden = show.length > 0 || wanted.includes('hidden');
    const found = await content.collect<LinkRow & { readonly hidden?: boolean }, LinkKey>(
      {
        limit,
        from: page === undefined ? undefined : [page, CATEGORY, title ?? ''],
        read: (from, size) => {
          const range = { pages: idsOf(pages), descending: isDescending(params.dir), from, limit: size };
          return range.pages.length === 0 ? [] : content.source.links({ kind: 'category', ...range }, request);
        },
        key: (row) => [row.page, CATEGORY, row.title],
        open: async (rows) => {
          const names = rows.map((row) => row.title);
          const hidden = needsHidden ? await hiddenAmong(content, [...new Set(names)], request) : new Set();
          return rows.map((row) => ({ ...row, hidden: hidden.has(row.title) }));
        },
        keep: (row) =>
          (!chosen || chosen.length === 0 || chosen.includes(row.title)) &&
          passes(show, { hidden: row.hidden === true }),
      },
      request,
    );
    const names =
      wanted.includes('sortkey') || wanted.includes('timestamp') ? await content.byId(idsOf(pages), request) : NO;
    const list = byPage(found, (row) => {
      const { text: prefix = '' } = row;
      const own = names.get(row.page);
      return {
        ns: CATEGORY,
        title: content.show({ ns: CATEGORY, title: row.title }),
        ...(wanted.includes('sortkey')
          ? { sortkey: hex(sortkeyOf(prefix, own?.title ?? '')), sortkeyprefix: prefix }
          : {}),
        ...(wanted.includes('timestamp') ? { timestamp: own?.touched ?? '' } : {}),
        ...(wanted.includes('hidden') ? { hidden: row.hidden === true } : {}),
      };
    });
    return { ...list, continue: found.next && [found.next[0], found.next[2]] };
  };

const NO: ReadonlyMap<number, { readonly title: string; readonly touched?: string }> = new Map();

interface Sizes {
  readonly size: number;
  readonly pages: number;
  readonly files: number;
  readonly subcats: number;
}

/** The sizes of categories, by title. */
const sizesOf = async (
  source: ContentSource,
  names: readonly string[],
  asking: Asking,
): Promise<ReadonlyMap<string, Sizes>> => {
  const found = names.length === 0 ? [] : ((await source.sizes?.(names, asking)) ?? []);
  return new Map(
    found.map(({ title, pages, files, subcats }) => [title, { size: pages + files + subcats, pages, files, subcats }]),
  );
};

/** Categories that have members, whether or not they have a page. Their sizes are included if all pages are public. */
export const allcategories =
  (content: Having<'targets' | 'pages'>): Handler<'allcategories'> =>
  async (request) => {
    const { params, limit, continue: next, warn } = request;
    const { min, max, prop } = params;
    const hasSizes = content.source.sizes !== undefined && !content.isRestricted;
    const needsSizes = min !== undefined || max !== undefined || prop.includes('size');
    if (needsSizes && !hasSizes) warn('nosizes', 'This site does not provide the sizes of categories.');
    const bounds = titleBounds(params, (text) => content.start(text, CATEGORY), next?.replaceAll('_', ' '));
    const sizes = new Map<string, Sizes>();
    const learn = async (rows: readonly { readonly title: string }[]): Promise<void> => {
      const names = rows.map(({ title }) => title);
      for (const [title, size] of await sizesOf(content.source, names, request)) sizes.set(title, size);
    };
    const keep = ({ title }: { readonly title: string }): boolean => {
      const { size = 0 } = sizes.get(title) ?? {};
      return !hasSizes || (size >= (min ?? 0) && size <= (max ?? Infinity));
    };
    const query = { ...bounds, kind: 'category', ns: CATEGORY, unique: true, limit, keep } as const;
    const { rows, next: more } = await targetsOf(
      content,
      { ...query, learn: needsSizes && hasSizes ? learn : undefined },
      request,
    );
    const from = more?.[0];
    const wantsHidden = prop.includes('hidden');
    const hidden = wantsHidden
      ? await hiddenAmong(
          content,
          rows.map(({ title }) => title),
          request,
        )
      : new Set();
    const list = listOf(
      { rows, next: from },
      {
        item: ({ title }) => ({
          category: title,
          ...(prop.includes('size') && hasSizes ? (sizes.get(title) ?? NO_MEMBERS) : {}),
          ...(wantsHidden ? { hidden: hidden.has(title) } : {}),
        }),
        page: ({ title }) => ({ title: content.show({ ns: CATEGORY, title }) }),
      },
    );
    return { ...list, continue: from?.replaceAll(' ', '_') };
  };

const NO_MEMBERS = { size: 0, pages: 0, files: 0, subcats: 0 };

/** The sizes of the given categories. */
export const categoryinfo =
  (content: Having<'sizes'>): Handler<'categoryinfo'> =>
  async (request) => {
    const { pages, continue: next } = request;
    const [start = ''] = readKey(next, 'text') ?? [];
    const found = [...pages.existing, ...pages.missing].filter(({ ns }) => ns === CATEGORY);
    const all = new Map(found.map(({ id, title }) => [content.read(title)?.title ?? '', id]));
    const ids = new Map([...all].filter(([title]) => compareText(title, start) >= 0));
    const names = [...ids.keys()];
    const [sizes, hidden] = await Promise.all([
      sizesOf(content.source, names, request),
      hiddenAmong(content, names, request),
    ]);
    const shown = [...sizes].map(
      ([title, size]) => [ids.get(title) ?? 0, { ...size, hidden: hidden.has(title) }] as const,
    );
    return { pages: new Map(shown.filter(([, { size }]) => size > 0)) };
  };

type Params = ParamsOf<'categorymembers'>;

/** In list order. */
const TYPES = ['page', 'subcat', 'file'] as const;

/** The pages, subcategories and files of a category. */
export const categorymembers =
  (content: Having<'members' | 'pages'>): Handler<'categorymembers'> =>
  async (request) => {
    const { params, role } = request;
    const target = await targetOf(content, params, request);
    if (target.ns !== CATEGORY) throw new ApiError('invalidcategory', message('apierror-invalidcategory'));
    const found = await (params.sort === 'timestamp' ? byTime : bySortkey)(content, target.title, request);
    const wanted: readonly string[] = role === 'generator' ? ['ids', 'title'] : params.prop;
    return listOf<MemberRow, readonly (string | number)[]>(found, {
      item: ({ page, sortkey, prefix, timestamp }) =>
        asked(
          {
            ...pageItem(page, content),
            sortkey: hex(sortkey),
            sortkeyprefix: prefix,
            type: TYPES[memberType(page.ns)],
            timestamp,
          },
          wanted,
        ),
    });
  };

type Members = Having<'members'>;
type MembersRequest = Parameters<Handler<'categorymembers'>>[0];

const inNamespace =
  ({ namespace }: Params) =>
  ({ page }: MemberRow): boolean =>
    !namespace || namespace.length === 0 || namespace.includes(page.ns);

const byTime = (content: Members, category: string, request: MembersRequest) => {
  const { params, limit, continue: next } = request;
  const { from, to, descending } = timeBounds(params, readKey(next, 'time', 'number'));
  return content.collect(
    {
      limit,
      from,
      read: (start, size) =>
        content.source.members({ by: 'time', category, from: start, to, descending, limit: size }, request),
      key: ({ timestamp, page }) => [timestamp, page.id] as const,
      open: content.openRows(({ page }) => page, request),
      keep: inNamespace(params),
    },
    request,
  );
};

type SortPlace = readonly [type: number, sortkey: string, page: number];

const bySortkey = async (content: Members, category: string, request: MembersRequest) => {
  const { params, limit, continue: next } = request;
  const descending = isDescending(params.dir);
  const key = readKey(next, 'number', 'text', 'number');
  const [first, last] = sortkeyBounds(params);
  const isInside = (sortkey: string): boolean => {
    const [least, most] = descending ? [last, first] : [first, last];
    return (
      (least === undefined || compareText(sortkey, least) >= 0) &&
      (most === undefined || compareText(sortkey, most) <= 0)
    );
  };
  const types = TYPES.flatMap((type, number) => (params.type.includes(type) ? [number] : []));
  if (descending) types.reverse();
  const [nothing, everything] = descending ? [Number.MAX_SAFE_INTEGER, 0] : [0, Number.MAX_SAFE_INTEGER];
  // Each type of member is a separate list that starts at the first sort key.
  const read = async (from: SortPlace | undefined, size: number): Promise<readonly MemberRow[]> => {
    const rows: MemberRow[] = [];
    for (const type of types) {
      if (from && (descending ? type > from[0] : type < from[0])) continue;
      const begins: SortPlace = from?.[0] === type ? from : [type, first ?? (descending ? '\u{10ffff}' : ''), nothing];
      const ends: SortPlace = [type, last ?? (descending ? '' : '\u{10ffff}'), everything];
      const range = { category, from: begins, to: ends, descending, limit: size - rows.length } as const;
      rows.push(...(await content.source.members({ by: 'sortkey', ...range }, request)));
      if (rows.length >= size) break;
    }
    return rows;
  };
  const keep = inNamespace(params);
  const found = await content.collect<MemberRow, SortPlace>(
    {
      limit,
      from: key && [key[0], unhex(key[1]), key[2]],
      read,
      key: ({ page, sortkey }) => [memberType(page.ns), sortkey, page.id],
      open: content.openRows(({ page }) => page, request),
      keep: (row) => keep(row) && isInside(row.sortkey),
    },
    request,
  );
  return { ...found, next: found.next && ([found.next[0], hex(found.next[1]), found.next[2]] as const) };
};

/** The bounds of a category: raw sort keys, sort key prefixes, or hexadecimal sort keys. */
const sortkeyBounds = (params: Params): readonly [first: string | undefined, last: string | undefined] => {
  const read = (hexadecimal: string | undefined, prefix: string | undefined, key: string | undefined) =>
    hexadecimal === undefined ? (prefix?.toUpperCase() ?? key) : unhex(hexadecimal);
  return [
    read(params.starthexsortkey, params.startsortkeyprefix, params.startsortkey),
    read(params.endhexsortkey, params.endsortkeyprefix, params.endsortkey),
  ];
};
