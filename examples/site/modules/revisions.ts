import { ApiError, type Item, type ParamsOf } from 'oauth-query';
import type { Database } from '../database.js';
import { type Handler, idsOf, listOf, readKey } from '../handler.js';
import { type RevisionRow, revisionItem } from '../revision-item.js';
import { direction, type Sql, sql, when } from '../sql.js';
import { showTitle } from '../titles.js';

type Params = ParamsOf<'revisions'>;

/** The latest revision of each page, those with given ids, or the history of one page. */
export const revisions =
  (database: Database): Handler<'revisions'> =>
  (request) => {
    const { params, limit, continue: next, pages } = request;
    const history = isHistory(params) && pages.revids.size === 0;
    const rows = database.all<RevisionRow>(
      history
        ? historyOf(database, params, idsOf(pages)[0] ?? 0, next, limit)
        : sql`
          SELECT revision.* FROM revision JOIN page ON page.id = page
          WHERE ${pages.revids.size > 0 ? sql`revision.id IN ${[...pages.revids.keys()]}` : sql`page IN ${idsOf(pages)} AND revision.id = latest`}
            ${when(readKey(next, 'number'), ([id]) => sql`AND revision.id >= ${id}`)}
          ORDER BY revision.id LIMIT ${limit + 1}`,
    );
    const shown = new Map<number, Item[]>();
    for (const row of rows.slice(0, limit)) {
      shown.set(row.page, [...(shown.get(row.page) ?? []), revisionItem(row, request)]);
    }
    const more = rows[limit];
    return { pages: shown, continue: more && (history ? [more.timestamp, more.id] : more.id) };
  };

function isHistory({ user, excludeuser, limit, startid, endid, start, end, dir }: Params): boolean {
  return [user, excludeuser, limit, startid, endid, start, end].some((value) => value !== undefined) || dir === 'newer';
}

function historyOf(database: Database, params: Params, page: number, next: string | undefined, limit: number): Sql {
  const { order, from, to } = direction(params.dir === 'older');
  const place = (id: number, name: string): readonly [string, number] => {
    const row = database.first<{ timestamp: string }>(sql`SELECT timestamp FROM revision WHERE id = ${id}`);
    if (row) return [row.timestamp, id];
    throw new ApiError(`badid_rv${name}`, { key: 'apiwarn-handler', params: [`There is no revision with ID ${id}.`] });
  };
  const at = (id: number | undefined, name: string) => (id === undefined ? undefined : place(id, name));
  return sql`
    SELECT * FROM revision WHERE page = ${page}
      ${when(readKey(next, 'time', 'number'), ([time, id]) => sql`AND (timestamp, id) ${from} (${time}, ${id})`)}
      ${when(at(params.startid, 'startid'), ([time, id]) => sql`AND (timestamp, id) ${from} (${time}, ${id})`)}
      ${when(at(params.endid, 'endid'), ([time, id]) => sql`AND (timestamp, id) ${to} (${time}, ${id})`)}
      ${revisionBounds(params)}
    ORDER BY timestamp ${order}, id ${order} LIMIT ${limit + 1}`;
}

/** What lists of revisions can be bounded and filtered by. Nothing is tagged here. */
export function revisionBounds(params: {
  readonly start?: string;
  readonly end?: string;
  readonly dir: string;
  readonly user?: string;
  readonly excludeuser?: string;
  readonly tag?: string;
}): Sql {
  const { from, to } = direction(params.dir === 'older');
  return sql`
    ${when(params.start, (time) => sql`AND timestamp ${from} ${time}`)}
    ${when(params.end, (time) => sql`AND timestamp ${to} ${time}`)}
    ${when(params.user, (name) => sql`AND user = ${name}`)}
    ${when(params.excludeuser, (name) => sql`AND user IS NOT ${name}`)}
    ${when(params.tag, () => sql`AND 0`)}`;
}

interface AnyRevisionRow extends RevisionRow {
  readonly ns: number;
  readonly title: string;
}

/** All revisions by time; consecutive ones of a page stand together. */
export const allrevisions =
  (database: Database): Handler<'allrevisions'> =>
  (request) => {
    const { params, limit, continue: next, site } = request;
    const { order, from } = direction(params.dir === 'older');
    const rows = database.all<AnyRevisionRow>(sql`
      SELECT revision.*, ns, title FROM revision JOIN page ON page.id = page WHERE 1
        ${when(readKey(next, 'time', 'number'), ([time, id]) => sql`AND (timestamp, revision.id) ${from} (${time}, ${id})`)}
        ${when(params.namespace, (list) => sql`AND ns IN ${list}`)}
        ${revisionBounds(params)}
      ORDER BY timestamp ${order}, revision.id ${order} LIMIT ${limit + 1}`);
    const list = listOf(rows, {
      limit,
      key: ({ timestamp, id }) => [timestamp, id],
      item: (row) => revisionItem(row, request),
      page: ({ page, id }) => (params.generatetitles ? { pageid: page } : { revid: id }),
    });
    return { ...list, items: grouped(list.items, rows, (row) => showTitle(row.ns, row.title, site)) };
  };

function grouped(
  items: readonly Item[],
  rows: readonly AnyRevisionRow[],
  titleOf: (row: AnyRevisionRow) => string,
): Item[] {
  const pages = new Map<number, Item & { readonly revisions: Item[] }>();
  for (const [index, item] of items.entries()) {
    const row = rows[index];
    if (!row) continue;
    const page = pages.get(row.page);
    if (page) page.revisions.push(item);
    else pages.set(row.page, { pageid: row.page, revisions: [item], ns: row.ns, title: titleOf(row) });
  }
  return [...pages.values()];
}
