import { randomInt } from 'node:crypto';
import type { Database } from '../database.js';
import { type Handler, listOf, type PageRow, readKey } from '../handler.js';
import { type Sql, sql, when } from '../sql.js';
import { showTitle } from '../titles.js';

interface RandomRow extends PageRow {
  readonly random: number;
  readonly redirect: number;
  readonly lap: number;
}

const HIGHEST = 2 ** 31;

/**
 * Every page has a random number, and the list begins at one of them, goes up to the highest and on from the lowest. So it
 * gives no page twice, and says where to go on like any other list: by its start, its lap, and the next page.
 */
export const random =
  (database: Database): Handler<'random'> =>
  ({ params, limit, continue: next, site, role }) => {
    const [start, lap, from, id] = readKey(next, 'number', 'number', 'number', 'number') ?? [
      randomInt(HIGHEST),
      0,
      0,
      0,
    ];
    const redirects = params.redirect ? 'redirects' : params.filterredir;
    const chosen = sql`
      ${when(params.namespace, (list) => sql`AND ns IN ${list}`)}
      ${when(redirects === 'redirects', () => sql`AND redirect_to IS NOT NULL`)}
      ${when(redirects === 'nonredirects', () => sql`AND redirect_to IS NULL`)}
      ${when(params.minsize, (size) => sql`AND length >= ${size}`)}
      ${when(params.maxsize, (size) => sql`AND length <= ${size}`)}
      ${when(params.contentmodel, (model) => sql`AND model = ${model}`)}`;
    const half = (number: number, range: Sql): Sql => sql`
      SELECT * FROM (
        SELECT id, ns, title, random, redirect_to IS NOT NULL AS redirect, ${number} AS lap FROM page
        WHERE ${range} ${when(number === lap, () => sql`AND (random, id) >= (${from}, ${id})`)}
          ${when(number < lap, () => sql`AND 0`)} ${chosen}
        ORDER BY random, id LIMIT ${limit + 1})`;
    const rows = database.all<RandomRow>(sql`
      ${half(0, sql`random >= ${start}`)} UNION ALL ${half(1, sql`random < ${start}`)}
      ORDER BY lap, random, id LIMIT ${limit + 1}`);
    return listOf(rows, {
      limit,
      key: (row) => [start, row.lap, row.random, row.id],
      item: (row) => ({
        id: row.id,
        ns: row.ns,
        title: showTitle(row.ns, row.title, site),
        ...(role === 'module' && params.filterredir === 'all' ? { redirect: row.redirect === 1 } : {}),
      }),
    });
  };
