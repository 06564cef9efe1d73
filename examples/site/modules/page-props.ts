import type { Database } from '../database.js';
import { type Handler, idsOf, listOf, pageItem, type PageRow, readKey } from '../handler.js';
import { direction, sql, when } from '../sql.js';

/** What pages say about themselves with switches such as `__HIDDENCAT__`. */
export const pageprops =
  (database: Database): Handler<'pageprops'> =>
  ({ params, pages, continue: next }) => {
    const rows = database.all<{ page: number; name: string; value: string }>(sql`
      SELECT page, name, value FROM page_prop WHERE page IN ${idsOf(pages)}
        ${when(readKey(next, 'number'), ([page]) => sql`AND page >= ${page}`)}
        ${when(params.prop, (names) => sql`AND name IN ${names}`)}
      ORDER BY page, name`);
    const shown = new Map<number, Record<string, string>>();
    for (const { page, name, value } of rows) shown.set(page, { ...shown.get(page), [name]: value });
    return { pages: shown };
  };

/** The names of everything that some page says about itself. */
export const pagepropnames =
  (database: Database): Handler<'pagepropnames'> =>
  ({ limit, continue: next }) => {
    const rows = database.all<{ propname: string }>(sql`
      SELECT DISTINCT name AS propname FROM page_prop WHERE 1 ${when(next, (name) => sql`AND name >= ${name}`)}
      ORDER BY name LIMIT ${limit + 1}`);
    return listOf(rows, { limit, key: ({ propname }) => propname, item: ({ propname }) => ({ propname }) });
  };

/** The pages that say something about themselves. */
export const pageswithprop =
  (database: Database): Handler<'pageswithprop'> =>
  ({ params, limit, continue: next, site }) => {
    const { order, from } = direction(params.dir === 'descending');
    const rows = database.all<PageRow & { readonly value: string }>(sql`
      SELECT page.id, ns, title, value FROM page_prop JOIN page ON page.id = page WHERE name = ${params.propname}
        ${when(readKey(next, 'number'), ([page]) => sql`AND page ${from} ${page}`)}
      ORDER BY page ${order} LIMIT ${limit + 1}`);
    const wants = (prop: (typeof params.prop)[number]): boolean => params.prop.includes(prop);
    return listOf(rows, {
      limit,
      key: ({ id }) => id,
      item: (row) => {
        const { pageid, ns, title } = pageItem(row, site);
        return {
          ...(wants('ids') ? { pageid } : {}),
          ...(wants('title') ? { ns, title } : {}),
          ...(wants('value') ? { value: row.value } : {}),
        };
      },
      page: ({ id }) => ({ pageid: id }),
    });
  };
