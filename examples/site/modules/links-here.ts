import type { Database } from '../database.js';
import { byPage, type Handler, idsOf, only, readKey } from '../handler.js';
import { sql, when } from '../sql.js';
import { showTitle } from '../titles.js';
import type { LinkKind } from '../wikitext.js';

interface LinkingRow {
  /** The page that is linked to. */
  readonly page: number;
  readonly id: number;
  readonly ns: number;
  readonly title: string;
  readonly redirect: number;
  readonly fragment: string;
}

type LinkingHandler = Handler<'linkshere'> & Handler<'redirects'>;

/** The pages that link to the given ones, include them, show them or lead to them. */
const linkingPages =
  (database: Database, kind: LinkKind): LinkingHandler =>
  ({ params, limit, continue: next, pages, site, role }) => {
    const show: readonly string[] = params.show ?? [];
    const start = readKey(next, 'number', 'number');
    const rows = database.all<LinkingRow>(sql`
      SELECT target.id AS page, source.id, source.ns, source.title, source.redirect_to IS NOT NULL AS redirect, link.fragment
      FROM page AS target
      JOIN link ON link.kind = ${kind} AND link.ns = target.ns AND link.title = target.title
      JOIN page AS source ON source.id = link.page
      WHERE target.id IN ${idsOf(pages)}
        ${when(start, ([page, id]) => sql`AND (target.id, link.page) >= (${page}, ${id})`)}
        ${when(params.namespace, (list) => sql`AND source.ns IN ${list}`)}
        ${when(show.includes('redirect'), () => sql`AND source.redirect_to IS NOT NULL`)}
        ${when(show.includes('!redirect'), () => sql`AND source.redirect_to IS NULL`)}
        ${when(show.includes('fragment'), () => sql`AND link.fragment <> ''`)}
        ${when(show.includes('!fragment'), () => sql`AND link.fragment = ''`)}
      ORDER BY target.id, link.page LIMIT ${limit + 1}`);
    const wanted: readonly string[] = role === 'generator' ? ['pageid'] : params.prop;
    const item = ({ id, ns, title, redirect, fragment }: LinkingRow) => ({
      pageid: id,
      ns,
      title: showTitle(ns, title, site),
      redirect: redirect === 1,
      fragment: fragment === '' ? undefined : fragment,
    });
    return byPage(rows, {
      limit,
      key: ({ page, id }) => [page, id],
      item: (row) =>
        only(
          item(row),
          SHOWN.filter((name) => wanted.includes(name === 'ns' ? 'title' : name)),
        ),
    });
  };

/** In the order in which they are shown; a title brings its namespace along. */
const SHOWN = ['pageid', 'ns', 'title', 'redirect', 'fragment'] as const;

export const linkshere = (database: Database): Handler<'linkshere'> => linkingPages(database, 'link');
export const transcludedin = (database: Database): Handler<'transcludedin'> => linkingPages(database, 'template');
export const fileusage = (database: Database): Handler<'fileusage'> => linkingPages(database, 'file');
export const redirects = (database: Database): Handler<'redirects'> => linkingPages(database, 'redirect');
