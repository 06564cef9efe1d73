import type { ResultItem } from '../../core/query/index.js';
import { type Handler, idsOf, readKey } from '../answers/answer.js';
import type { ContentDatabase } from './database.js';
import { sql, when } from './sql.js';

/** The contributors of pages: users with an account by name, and the number of anonymous ones. There are no groups. */
export const contributors =
  (database: ContentDatabase): Handler<'contributors'> =>
  ({ params, limit, continue: next, pages }) => {
    const start = readKey(next, 'number', 'number');
    const isEmpty = [...(params.group ?? []), ...(params.rights ?? [])].length > 0;
    const rows = database.all<{ page: number; userid: number; name: string }>(sql`
      SELECT DISTINCT page, user.id AS userid, name FROM revision JOIN user ON name = revision.user
      WHERE page IN ${idsOf(pages)} AND user.id > 0
        ${when(start, ([page, id]) => sql`AND (page, user.id) >= (${page}, ${id})`)}
        ${when(isEmpty, () => sql`AND 0`)}
      ORDER BY page, user.id LIMIT ${limit + 1}`);
    const shown = new Map<number, { anoncontributors?: number; contributors?: ResultItem[] }>();
    // The number is only in the first response.
    if (start === undefined) {
      const counts = database.all<{ page: number; n: number }>(sql`
        SELECT page, count(DISTINCT user) AS n FROM revision
        WHERE page IN ${idsOf(pages)} AND user IN (SELECT name FROM user WHERE id = 0) GROUP BY page`);
      for (const { page, n } of counts) shown.set(page, { anoncontributors: n });
    }
    for (const { page, userid, name } of rows.slice(0, limit)) {
      const entry = shown.get(page) ?? {};
      (entry.contributors ??= []).push({ userid, name });
      shown.set(page, entry);
    }
    const more = rows[limit];
    return { pages: shown, continue: more && [more.page, more.userid] };
  };
