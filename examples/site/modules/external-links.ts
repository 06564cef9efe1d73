import { ApiError } from 'oauth-query';
import type { Database } from '../database.js';
import { byPage, type Handler, idsOf, listOf, pageItem, type PageRow, readKey } from '../handler.js';
import { afterPrefix, type Sql, sql, when } from '../sql.js';
import { urlKey } from '../wikitext.js';

/**
 * The addresses that are looked for: `example.org/path` means what begins so, `*.example.org` the host and all below it.
 *
 * @throws ApiError `badquery` for what can be the beginning of no address.
 */
function addresses(protocol: string, query: string | undefined): Sql {
  const bare = query
    ?.replace(/^[a-z]+:\/\//i, '')
    .replace(/^\*\./, '')
    .replace(/\*$/, '');
  const { key } = bare === undefined || bare === '' ? {} : (urlKey(`http://${bare}`) ?? { key: '*' });
  if (key?.includes('*')) {
    throw new ApiError('badquery', { key: 'apiwarn-handler', params: ['Wildcards may only stand before a host.'] });
  }
  const below = query?.includes('*.') && key ? key.replace(/\/$/, '') : key;
  return sql`
    ${when(protocol !== '', () => sql`AND protocol = ${protocol}`)}
    ${when(below, (start) => sql`AND external_link.key >= ${start} AND external_link.key < ${afterPrefix(start)}`)}`;
}

/** The addresses that pages link to outside. */
export const extlinks =
  (database: Database): Handler<'extlinks'> =>
  ({ params, limit, continue: next, pages }) => {
    const rows = database.all<{ page: number; url: string }>(sql`
      SELECT page, url FROM external_link WHERE page IN ${idsOf(pages)}
        ${when(readKey(next, 'number', 'text'), ([page, url]) => sql`AND (page, url) >= (${page}, ${url})`)}
        ${addresses(params.protocol, params.query)}
      ORDER BY page, url LIMIT ${limit + 1}`);
    return byPage(rows, { limit, key: ({ page, url }) => [page, url], item: ({ url }) => ({ url }) });
  };

/** The pages that link to an address, or to any. */
export const exturlusage =
  (database: Database): Handler<'exturlusage'> =>
  ({ params, limit, continue: next, site }) => {
    const rows = database.all<PageRow & { readonly url: string; readonly key: string }>(sql`
      SELECT page.id, ns, title, url, key FROM external_link JOIN page ON page.id = page WHERE 1
        ${when(readKey(next, 'number', 'text'), ([page, url]) => sql`AND (page, url) >= (${page}, ${url})`)}
        ${when(params.namespace, (list) => sql`AND ns IN ${list}`)}
        ${addresses(params.protocol, params.query)}
      ORDER BY page, url LIMIT ${limit + 1}`);
    const wants = (prop: (typeof params.prop)[number]): boolean => params.prop.includes(prop);
    return listOf(rows, {
      limit,
      key: ({ id, url }) => [id, url],
      item: (row) => {
        const { pageid, ns, title } = pageItem(row, site);
        return {
          ...(wants('ids') ? { pageid } : {}),
          ...(wants('title') ? { ns, title } : {}),
          ...(wants('url') ? { url: row.url } : {}),
        };
      },
      page: ({ id }) => ({ pageid: id }),
    });
  };
