import { ApiError } from 'oauth-query';
import type { Item, Site } from 'oauth-query';
import type { Database } from '../database.js';
import { type Handler, listOf, pageItem, type PageRow, readKey } from '../handler.js';
import { direction, sql, when } from '../sql.js';
import { localTitle } from '../titles.js';
import type { LinkKind } from '../wikitext.js';

interface Target {
  readonly ns: number;
  readonly key: string;
}

/**
 * The page that a request is about, by title or id.
 *
 * @throws ApiError `nosuchpageid`; a title need not exist.
 */
export function targetOf(
  database: Database,
  { title, pageid }: { readonly title?: string; readonly pageid?: number },
  site: Site,
): Target {
  const target = title === undefined ? undefined : localTitle(title, site);
  if (target) return target;
  const id = pageid ?? 0;
  const page = database.first<Target>(sql`SELECT ns, title AS key FROM page WHERE id = ${id}`);
  if (!page) throw new ApiError('nosuchpageid', { key: 'apierror-nosuchpageid', params: [id] });
  return page;
}

/** No page has so high an id. */
const HIGHEST = 999_999_999_999_999;

interface BacklinkRow extends PageRow {
  readonly redirect: number;
  /** The page itself, or the redirect that it links through. */
  readonly first: number;
  readonly first_ns: number;
  readonly first_title: string;
  /** The page's own id when it links through a redirect; otherwise what sorts before all of those. */
  readonly second: number;
}

type BacklinksHandler = Handler<'backlinks'> & Handler<'embeddedin'>;

const backlinksBy =
  (database: Database, kind: LinkKind): BacklinksHandler =>
  ({ params, limit, continue: next, site }) => {
    const { ns, key } = targetOf(database, params, site);
    const descending = params.dir === 'descending';
    const { order, from } = direction(descending);
    const throughRedirects = 'redirect' in params && params.redirect === true;
    const start = readKey(next, 'number', 'number');
    const foremost = descending ? HIGHEST : 0;
    const columns = sql`source.id, source.ns, source.title, source.redirect_to IS NOT NULL AS redirect`;
    const chosen = sql`
      ${when(params.namespace, (list) => sql`AND source.ns IN ${list}`)}
      ${when(params.filterredir === 'redirects', () => sql`AND source.redirect_to IS NOT NULL`)}
      ${when(params.filterredir === 'nonredirects', () => sql`AND source.redirect_to IS NULL`)}`;
    const rows = database.all<BacklinkRow>(sql`
      SELECT * FROM (
        SELECT ${columns}, source.id AS first, source.ns AS first_ns, source.title AS first_title, ${foremost} AS second
        FROM link JOIN page AS source ON source.id = link.page
        WHERE link.kind = ${kind} AND link.ns = ${ns} AND link.title = ${key} ${throughRedirects ? sql`` : chosen}
        ${when(
          throughRedirects,
          () => sql`
          UNION ALL
          SELECT ${columns}, middle.id, middle.ns, middle.title, source.id
          FROM link AS redirect
          JOIN page AS middle ON middle.id = redirect.page
          JOIN link ON link.kind = ${kind} AND link.ns = middle.ns AND link.title = middle.title
          JOIN page AS source ON source.id = link.page
          WHERE redirect.kind = 'redirect' AND redirect.ns = ${ns} AND redirect.title = ${key} ${chosen}`,
        )}
      )
      ${when(start, ([first, second]) => sql`WHERE (first, second) ${from} (${first}, ${second})`)}
      ORDER BY first ${order}, second ${order} LIMIT ${limit + 1}`);
    const list = listOf(rows, {
      limit,
      key: ({ first, second }) => [first, second],
      item: (row) => ({ ...pageItem(row, site), ...(row.redirect === 1 ? { redirect: true } : {}) }),
      page: ({ id }) => ({ pageid: id }),
    });
    return throughRedirects ? { ...list, items: nested(list.items, rows, site) } : list;
  };

/** Puts the pages that link through a redirect below it; it is named again where the rest of them follows. */
function nested(items: readonly Item[], rows: readonly BacklinkRow[], site: Site): readonly Item[] {
  const shown = new Map<number, Item & { readonly redirlinks?: Item[] }>();
  for (const [index, item] of items.entries()) {
    const row = rows[index];
    if (!row) continue;
    const { first, first_ns: ns, first_title: title } = row;
    const above = shown.get(first);
    if (row.id === first && !above) shown.set(first, row.redirect === 1 ? { ...item, redirlinks: [] } : item);
    else if (above) above.redirlinks?.push(item);
    else shown.set(first, { ...pageItem({ id: first, ns, title }, site), redirect: true, redirlinks: [item] });
  }
  return [...shown.values()];
}

export const backlinks = (database: Database): Handler<'backlinks'> => backlinksBy(database, 'link');
export const imageusage = (database: Database): Handler<'imageusage'> => backlinksBy(database, 'file');
export const embeddedin = (database: Database): Handler<'embeddedin'> => backlinksBy(database, 'template');
