import { prefixedTitle } from '../../../core/query/index.js';
import type { Handler } from '../../answers/answer.js';
import type { ContentTitle } from '../../source.js';
import type { ContentDatabase } from '../database.js';
import { QUERY_PAGES } from '../query-pages.js';
import { sql } from '../sql.js';

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
      items: rows.slice(0, limit).map(({ ns, title, value }) => ({ value, ns, title: prefixedTitle(ns, title, site) })),
      continue: rows.length > limit ? offset + limit : undefined,
    };
  };
