import type { ParamsOf } from '../../core/query/index.js';
import { prefixedTitle } from '../../core/query/toolkit.js';
import type { Handler } from '../answers/answer.js';
import type { ContentTitle } from '../source.js';
import type { ContentDatabase } from './database.js';
import { type Sql, sql } from './sql.js';

type QueryPage = ParamsOf<'querypage'>['page'];

/** Pages by title, unless there is another order. */
const pages = (condition: Sql, value = sql`title`, order = sql`ns, title`): Sql =>
  sql`SELECT ns, title, ${value} AS value FROM page WHERE ${condition} ORDER BY ${order}`;

const OWN = sql`redirect_to IS NULL`;
const ARTICLE = sql`ns = 0 AND ${OWN}`;
const NO_CATEGORY = sql`NOT EXISTS (SELECT 1 FROM category_member WHERE page = page.id)`;
const linksNowhere = (kind: string): Sql =>
  sql`NOT EXISTS (SELECT 1 FROM link WHERE kind = ${kind} AND page = page.id)`;
const isUnused = (kind: string): Sql =>
  sql`NOT EXISTS (SELECT 1 FROM link WHERE kind = ${kind} AND link.ns = page.ns AND link.title = page.title)`;

const uncategorized = (ns: number): Sql => pages(sql`ns = ${ns} AND ${OWN} AND ${NO_CATEGORY}`);
const most = (counted: Sql): Sql => pages(sql`${ARTICLE} AND value > 1`, counted, sql`value DESC, title`);
const byLength = (order: Sql): Sql => pages(ARTICLE, sql`length`, sql`length ${order}, title`);
const byRevisions = (order: Sql): Sql =>
  pages(ARTICLE, sql`(SELECT count(*) FROM revision WHERE page = page.id)`, sql`value ${order}, title`);

/** The targets of links by the number of links, among those with at least so many. */
const targets = (kind: string, least: number, condition = sql`1`): Sql =>
  sql`SELECT ns, title, count(*) AS value FROM link WHERE kind = ${kind} AND ${condition}
    GROUP BY ns, title HAVING value >= ${least} ORDER BY value DESC, ns, title`;

const NO_PAGE = sql`NOT EXISTS (SELECT 1 FROM page WHERE page.ns = link.ns AND page.title = link.title)`;
const wanted = (kind: string): Sql => targets(kind, 1, NO_PAGE);

/** Redirects by a condition on their targets. */
const redirects = (condition: Sql): Sql =>
  sql`SELECT page.ns, page.title, page.title AS value
    FROM link JOIN page ON page.id = link.page AND kind = 'redirect'
    LEFT JOIN page AS target ON target.ns = link.ns AND target.title = link.title
    WHERE ${condition} ORDER BY page.ns, page.title`;

/** The special pages that can be computed from the content of an export. */
const QUERY_PAGES: { readonly [P in QueryPage]?: Sql } = {
  Ancientpages: pages(ARTICLE, sql`touched`, sql`touched, title`),
  BrokenRedirects: redirects(sql`target.id IS NULL`),
  Deadendpages: pages(sql`${ARTICLE} AND ${linksNowhere('link')}`),
  DoubleRedirects: redirects(sql`target.redirect_to IS NOT NULL`),
  Fewestrevisions: byRevisions(sql`ASC`),
  Listredirects: pages(sql`redirect_to IS NOT NULL`),
  Lonelypages: pages(sql`${ARTICLE} AND ${isUnused('link')} AND ${isUnused('template')}`),
  Longpages: byLength(sql`DESC`),
  Mostcategories: most(sql`(SELECT count(*) FROM category_member WHERE page = page.id)`),
  Mostimages: targets('file', 2),
  Mostinterwikis: most(sql`(SELECT count(*) FROM link WHERE kind = 'language' AND page = page.id)`),
  Mostlinked: targets('link', 2),
  Mostlinkedcategories: targets('category', 1),
  Mostlinkedtemplates: targets('template', 1),
  Mostrevisions: byRevisions(sql`DESC`),
  Shortpages: byLength(sql`ASC`),
  Uncategorizedcategories: uncategorized(14),
  Uncategorizedimages: uncategorized(6),
  Uncategorizedpages: uncategorized(0),
  Uncategorizedtemplates: uncategorized(10),
  Unusedcategories: pages(sql`ns = 14 AND ${isUnused('category')}`),
  Unusedimages: pages(sql`ns = 6 AND ${OWN} AND ${isUnused('file')}`),
  Unusedtemplates: pages(sql`ns = 10 AND ${OWN} AND ${isUnused('template')}`),
  Wantedcategories: wanted('category'),
  Wantedfiles: wanted('file'),
  Wantedpages: wanted('link'),
  Wantedtemplates: wanted('template'),
  Withoutinterwiki: pages(sql`${ARTICLE} AND ${linksNowhere('language')}`),
};

/** Lists whose values are times: their rows also have a `timestamp`. */
const OF_TIMES: ReadonlySet<QueryPage> = new Set(['Ancientpages']);

/** The rows that are stored of each list, as in MediaWiki. */
const MAX_ROWS = 5_000;

/** Computes and stores the lists. */
export const storeQueryPages = (database: ContentDatabase): void => {
  for (const [name, query] of Object.entries(QUERY_PAGES)) {
    database.transaction(() => {
      database.run(sql`DELETE FROM query_page WHERE name = ${name}`);
      database.run(sql`INSERT INTO query_page (name, place, ns, title, value)
        SELECT ${name}, row_number() OVER () - 1, ns, title, value FROM (${query} LIMIT ${MAX_ROWS})`);
    });
  }
};

/** The lists of special pages, which are ranked and continued by offset. */
export const querypage =
  (database: ContentDatabase): Handler<'querypage'> =>
  ({ params, limit, site }) => {
    const { page, offset } = params;
    if (!QUERY_PAGES[page]) return { items: [], extra: { disabled: true } };
    const rows = database.all<ContentTitle & { readonly value: string }>(sql`
      SELECT ns, title, value FROM query_page WHERE name = ${page} AND place >= ${offset}
      ORDER BY place LIMIT ${limit + 1}`);
    return {
      items: rows.slice(0, limit).map(({ ns, title, value }) => ({
        value,
        ...(OF_TIMES.has(page) && { timestamp: value }),
        ns,
        title: prefixedTitle(ns, title, site),
      })),
      continue: rows.length > limit ? offset + limit : undefined,
    };
  };
