import type { Database } from '../database.js';
import { type Handler, listOf, pageItem, type PageRow } from '../handler.js';
import { afterPrefix, direction, sql, when } from '../sql.js';
import { titleKey } from '../titles.js';

/** Every page of a namespace, by title. Nothing is protected here, so who asks for protected pages gets none. */
export const allpages =
  (database: Database): Handler<'allpages'> =>
  ({ params, limit, continue: next, site }) => {
    const { namespace, prtype } = params;
    const { order, from, to } = direction(params.dir === 'descending');
    const key = (text: string): string => titleKey(text, namespace, site);
    const rows = database.all<PageRow>(sql`
      SELECT id, ns, title FROM page WHERE ns = ${namespace}
        ${when(next, (title) => sql`AND title ${from} ${title}`)}
        ${when(params.from, (text) => sql`AND title ${from} ${key(text)}`)}
        ${when(params.to, (text) => sql`AND title ${to} ${key(text)}`)}
        ${when(params.prefix, (text) => sql`AND title >= ${key(text)} AND title < ${afterPrefix(key(text))}`)}
        ${when(params.filterredir === 'redirects', () => sql`AND redirect_to IS NOT NULL`)}
        ${when(params.filterredir === 'nonredirects', () => sql`AND redirect_to IS NULL`)}
        ${when(params.filterlanglinks === 'withlanglinks', () => sql`AND id IN ${WITH_LANGUAGES}`)}
        ${when(params.filterlanglinks === 'withoutlanglinks', () => sql`AND id NOT IN ${WITH_LANGUAGES}`)}
        ${when(params.minsize, (size) => sql`AND length >= ${size}`)}
        ${when(params.maxsize, (size) => sql`AND length <= ${size}`)}
        ${when(prtype !== undefined || params.prexpiry !== 'all', () => sql`AND 0`)}
      ORDER BY title ${order} LIMIT ${limit + 1}`);
    return listOf(rows, { limit, key: ({ title }) => title, item: (row) => pageItem(row, site) });
  };

const WITH_LANGUAGES = sql`(SELECT page FROM foreign_link WHERE language = 1)`;
