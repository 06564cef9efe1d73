import type { ParamsOf } from '../../core/query/index.js';
import type { ContentDatabase } from './database.js';
import { type Sql, sql } from './sql.js';

type QueryPage = ParamsOf<'querypage'>['page'];

const NOT_LINKED = (kind: string): Sql =>
  sql`NOT EXISTS (SELECT 1 FROM link WHERE kind = ${kind} AND link.ns = page.ns AND link.title = page.title)`;

const NO_CATEGORY = sql`NOT EXISTS (SELECT 1 FROM category_member WHERE page = page.id)`;
const NO_PAGE = sql`NOT EXISTS (SELECT 1 FROM page WHERE page.ns = link.ns AND page.title = link.title)`;
const NO_REVERSE = sql`redirect_to IS NULL`;
const BY_TITLE = sql`ORDER BY ns, title`;

const uncategorized = (ns: number): Sql =>
  sql`SELECT ns, title, title AS value FROM page WHERE ns = ${ns} AND ${NO_REVERSE} AND ${NO_CATEGORY} ${BY_TITLE}`;
const unused = (ns: number, kind: string): Sql =>
  sql`SELECT ns, title, title AS value FROM page WHERE ns = ${ns} AND ${NO_REVERSE} AND ${NOT_LINKED(kind)} ${BY_TITLE}`;
const wanted = (kind: string): Sql =>
  sql`SELECT ns, title, count(*) AS value FROM link WHERE kind = ${kind} AND ${NO_PAGE}
    GROUP BY ns, title ORDER BY value DESC, ns, title`;
const mostLinked = (kind: string): Sql =>
  sql`SELECT ns, title, count(*) AS value FROM link WHERE kind = ${kind} GROUP BY ns, title HAVING value > 1
    ORDER BY value DESC, ns, title`;
const most = (counted: Sql): Sql =>
  sql`SELECT ns, title, ${counted} AS value FROM page WHERE ns = 0 AND ${NO_REVERSE} AND value > 1
    ORDER BY value DESC, title`;
const byLength = (order: Sql): Sql =>
  sql`SELECT ns, title, length AS value FROM page WHERE ns = 0 AND ${NO_REVERSE} ORDER BY length ${order}, title`;
const byRevisions = (order: Sql): Sql =>
  sql`SELECT ns, title, (SELECT count(*) FROM revision WHERE page = page.id) AS value FROM page
    WHERE ns = 0 AND ${NO_REVERSE} ORDER BY value ${order}, title`;

/** Redirects with their targets. */
const REDIRECTS = sql`
  link JOIN page ON page.id = link.page AND kind = 'redirect'
  LEFT JOIN page AS target ON target.ns = link.ns AND target.title = link.title`;

/** The special pages that can be computed from the content of an export. */
export const QUERY_PAGES: { readonly [P in QueryPage]?: Sql } = {
  Ancientpages: sql`SELECT ns, title, touched AS value FROM page WHERE ns = 0 AND ${NO_REVERSE} ORDER BY touched, title`,
  BrokenRedirects: sql`SELECT page.ns, page.title, page.title AS value FROM ${REDIRECTS} WHERE target.id IS NULL
    ORDER BY page.ns, page.title`,
  Deadendpages: sql`SELECT ns, title, title AS value FROM page WHERE ns = 0 AND ${NO_REVERSE}
    AND NOT EXISTS (SELECT 1 FROM link WHERE kind = 'link' AND page = page.id) ${BY_TITLE}`,
  DoubleRedirects: sql`SELECT page.ns, page.title, page.title AS value FROM ${REDIRECTS}
    WHERE target.redirect_to IS NOT NULL ORDER BY page.ns, page.title`,
  Fewestrevisions: byRevisions(sql`ASC`),
  Listredirects: sql`SELECT ns, title, title AS value FROM page WHERE redirect_to IS NOT NULL ${BY_TITLE}`,
  Lonelypages: sql`SELECT ns, title, title AS value FROM page WHERE ns = 0 AND ${NO_REVERSE} AND ${NOT_LINKED('link')}
    AND ${NOT_LINKED('template')} ${BY_TITLE}`,
  Longpages: byLength(sql`DESC`),
  Mostcategories: most(sql`(SELECT count(*) FROM category_member WHERE page = page.id)`),
  Mostimages: mostLinked('file'),
  Mostinterwikis: most(sql`(SELECT count(*) FROM link WHERE kind = 'language' AND page = page.id)`),
  Mostlinked: mostLinked('link'),
  Mostlinkedcategories: sql`SELECT 14 AS ns, category AS title, count(*) AS value FROM category_member GROUP BY category
    ORDER BY value DESC, category`,
  Mostlinkedtemplates: sql`SELECT ns, title, count(*) AS value FROM link WHERE kind = 'template' GROUP BY ns, title
    ORDER BY value DESC, ns, title`,
  Mostrevisions: byRevisions(sql`DESC`),
  Shortpages: byLength(sql`ASC`),
  Uncategorizedcategories: uncategorized(14),
  Uncategorizedimages: uncategorized(6),
  Uncategorizedpages: uncategorized(0),
  Uncategorizedtemplates: uncategorized(10),
  Unusedcategories: sql`SELECT ns, title, title AS value FROM page WHERE ns = 14
    AND NOT EXISTS (SELECT 1 FROM category_member WHERE category = page.title) ${BY_TITLE}`,
  Unusedimages: unused(6, 'file'),
  Unusedtemplates: unused(10, 'template'),
  Wantedcategories: sql`SELECT 14 AS ns, category AS title, count(*) AS value FROM category_member
    WHERE NOT EXISTS (SELECT 1 FROM page WHERE ns = 14 AND page.title = category) GROUP BY category
    ORDER BY value DESC, category`,
  Wantedfiles: wanted('file'),
  Wantedpages: wanted('link'),
  Wantedtemplates: wanted('template'),
  Withoutinterwiki: sql`SELECT ns, title, title AS value FROM page WHERE ns = 0 AND ${NO_REVERSE}
    AND NOT EXISTS (SELECT 1 FROM link WHERE kind = 'language' AND page = page.id) ${BY_TITLE}`,
};

/** The rows that are stored of each list, as in MediaWiki. */
const MAX_ROWS = 5_000;

/** Computes and stores the lists. */
export function storeQueryPages(database: ContentDatabase): void {
  for (const [name, query] of Object.entries(QUERY_PAGES)) {
    database.transaction(() => {
      database.run(sql`DELETE FROM query_page WHERE name = ${name}`);
      database.run(sql`INSERT INTO query_page (name, place, ns, title, value)
        SELECT ${name}, row_number() OVER () - 1, ns, title, value FROM (${query} LIMIT ${MAX_ROWS})`);
    });
  }
}
