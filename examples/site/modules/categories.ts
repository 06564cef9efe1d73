import type { Database } from '../database.js';
import { byPage, type Handler, idsOf, listOf, only, readKey } from '../handler.js';
import { afterPrefix, direction, sql, titleList, when } from '../sql.js';
import { CATEGORY, localTitle, showTitle, titleKey } from '../titles.js';

const HIDDEN = sql`EXISTS (
  SELECT 1 FROM page JOIN page_prop ON page_prop.page = page.id AND name = 'hiddencat'
  WHERE ns = 14 AND title = category)`;

interface CategoryRow {
  readonly page: number;
  readonly category: string;
  readonly sortkey: string;
  readonly prefix: string;
  readonly timestamp: string;
  readonly hidden: number;
}

const hex = (text: string): string => Buffer.from(text).toString('hex');

/** The categories of pages. */
export const categories =
  (database: Database): Handler<'categories'> =>
  ({ params, limit, continue: next, pages, site, role }) => {
    const show = params.show ?? [];
    const { order, from } = direction(params.dir === 'descending');
    const start = readKey(next, 'number', 'text');
    const chosen = params.categories?.flatMap((title) => localTitle(title, site)?.key ?? []);
    const rows = database.all<CategoryRow>(sql`
      SELECT page, category, sortkey, prefix, timestamp, ${HIDDEN} AS hidden
      FROM category_member WHERE page IN ${idsOf(pages)}
        ${when(start, ([page, category]) => sql`AND (page, category) ${from} (${page}, ${category})`)}
        ${when(chosen !== undefined, () => sql`AND category IN ${chosen ?? []}`)}
        ${when(show.includes('hidden'), () => sql`AND hidden`)}
        ${when(show.includes('!hidden'), () => sql`AND NOT hidden`)}
      ORDER BY page ${order}, category ${order} LIMIT ${limit + 1}`);
    const wanted = role === 'generator' ? [] : (params.prop ?? []);
    return byPage(rows, {
      limit,
      key: ({ page, category }) => [page, category],
      item: ({ category, sortkey, prefix, timestamp, hidden }) => ({
        ns: CATEGORY,
        title: showTitle(CATEGORY, category, site),
        ...(wanted.includes('sortkey') ? { sortkey: hex(sortkey), sortkeyprefix: prefix } : {}),
        ...only(
          { timestamp, hidden: hidden === 1 },
          wanted.filter((name) => name !== 'sortkey'),
        ),
      }),
    });
  };

/** How many pages, files and subcategories a category has. */
const SIZES = sql`count(*) AS size, sum(type = 0) AS pages, sum(type = 2) AS files, sum(type = 1) AS subcats`;

interface SizeRow {
  readonly category: string;
  readonly size: number;
  readonly pages: number;
  readonly files: number;
  readonly subcats: number;
  readonly hidden: number;
}

/** Categories that have members, whether or not they have a page. */
export const allcategories =
  (database: Database): Handler<'allcategories'> =>
  ({ params, limit, continue: next, site }) => {
    const { order, from, to } = direction(params.dir === 'descending');
    const key = (text: string): string => titleKey(text, CATEGORY, site);
    const rows = database.all<SizeRow>(sql`
      SELECT category, ${SIZES}, ${HIDDEN} AS hidden FROM category_member WHERE 1
        ${when(next, (category) => sql`AND category ${from} ${category}`)}
        ${when(params.from, (text) => sql`AND category ${from} ${key(text)}`)}
        ${when(params.to, (text) => sql`AND category ${to} ${key(text)}`)}
        ${when(params.prefix, (text) => sql`AND category >= ${key(text)} AND category < ${afterPrefix(key(text))}`)}
      GROUP BY category HAVING 1
        ${when(params.min, (size) => sql`AND size >= ${size}`)}
        ${when(params.max, (size) => sql`AND size <= ${size}`)}
      ORDER BY category ${order} LIMIT ${limit + 1}`);
    return listOf(rows, {
      limit,
      key: ({ category }) => category,
      item: ({ category, size, pages, files, subcats, hidden }) => ({
        category: category.replaceAll('_', ' '),
        ...(params.prop.includes('size') ? { size, pages, files, subcats } : {}),
        ...(params.prop.includes('hidden') ? { hidden: hidden === 1 } : {}),
      }),
      page: ({ category }) => ({ title: showTitle(CATEGORY, category, site) }),
    });
  };

/** How many pages those of the given pages have that are categories. */
export const categoryinfo =
  (database: Database): Handler<'categoryinfo'> =>
  ({ pages, site, continue: next }) => {
    const [start] = readKey(next, 'number') ?? [];
    const found = [...pages.existing, ...pages.missing].filter(({ ns }) => ns === CATEGORY);
    const ids = new Map(found.map(({ id, title }) => [localTitle(title, site)?.key ?? '', id]));
    const keys = [...ids]
      .filter(([, id]) => start === undefined || id >= start)
      .map(([key]) => ({ ns: CATEGORY, key }));
    const rows = database.all<SizeRow>(sql`
      SELECT category, ${SIZES}, ${HIDDEN} AS hidden FROM category_member
      WHERE (14, category) IN ${titleList(keys)} GROUP BY category`);
    const shown = rows.map(({ category, hidden, ...sizes }) => {
      const { size, pages: members, files, subcats } = sizes;
      return [ids.get(category) ?? 0, { size, pages: members, files, subcats, hidden: hidden === 1 }] as const;
    });
    return { pages: new Map(shown) };
  };
