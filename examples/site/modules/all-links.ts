import type { Database } from '../database.js';
import { type Handler, listOf, readKey } from '../handler.js';
import { afterPrefix, direction, sql, when } from '../sql.js';
import { FILE, showTitle, titleKey } from '../titles.js';
import type { LinkKind } from '../wikitext.js';

type AllLinksHandler = Handler<'alllinks'> & Handler<'allredirects'> & Handler<'allfileusages'>;

interface LinkRow {
  readonly page: number;
  readonly title: string;
  readonly fragment: string;
}

/** Every link of a kind, by its target; `unique` gives each target once. */
const allOf =
  (database: Database, kind: LinkKind): AllLinksHandler =>
  ({ params, limit, continue: next, site }) => {
    const namespace = 'namespace' in params ? params.namespace : FILE;
    const props: readonly string[] = params.prop;
    const { order, from, to } = direction(params.dir === 'descending');
    const key = (text: string): string => titleKey(text, namespace, site);
    const start = readKey(next, 'text', 'number');
    const rows = database.all<LinkRow>(sql`
      SELECT ${params.unique ? sql`DISTINCT title, 0 AS page, '' AS fragment` : sql`title, page, fragment`} FROM link
      WHERE kind = ${kind} AND ns = ${namespace}
        ${when(start, ([title, page]) =>
          params.unique ? sql`AND title ${from} ${title}` : sql`AND (title, page) ${from} (${title}, ${page})`,
        )}
        ${when(params.from, (text) => sql`AND title ${from} ${key(text)}`)}
        ${when(params.to, (text) => sql`AND title ${to} ${key(text)}`)}
        ${when(params.prefix, (text) => sql`AND title >= ${key(text)} AND title < ${afterPrefix(key(text))}`)}
      ORDER BY title ${order}, page ${order} LIMIT ${limit + 1}`);
    return listOf(rows, {
      limit,
      key: ({ title, page }) => [title, page],
      item: ({ title, page, fragment }) => ({
        ...(props.includes('ids') && !params.unique ? { fromid: page } : {}),
        ...(props.includes('title') ? { ns: namespace, title: showTitle(namespace, title, site) } : {}),
        ...(props.includes('fragment') && fragment !== '' ? { fragment } : {}),
      }),
      page: ({ title, page }) => (params.unique ? { title: showTitle(namespace, title, site) } : { pageid: page }),
    });
  };

export const alllinks = (database: Database): Handler<'alllinks'> => allOf(database, 'link');
export const alltransclusions = (database: Database): Handler<'alltransclusions'> => allOf(database, 'template');
export const allfileusages = (database: Database): Handler<'allfileusages'> => allOf(database, 'file');
export const allredirects = (database: Database): Handler<'allredirects'> => allOf(database, 'redirect');
