import type { Database } from '../database.js';
import { type Handler, listOf, readKey } from '../handler.js';
import { commentItem } from '../revision-item.js';
import { afterPrefix, direction, sql, titleList, when } from '../sql.js';
import { localTitle, showTitle } from '../titles.js';

interface LogRow {
  readonly id: number;
  readonly type: string;
  readonly action: string;
  readonly page: number;
  readonly ns: number;
  readonly title: string;
  readonly user: string;
  readonly timestamp: string;
  readonly comment: string;
  readonly params: string;
}

/** The log, latest first: which pages were brought here, and when. */
export const logevents =
  (database: Database): Handler<'logevents'> =>
  ({ params, limit, continue: next, site }) => {
    const { order, from, to } = direction(params.dir === 'older');
    const [type, action] = params.action?.split('/') ?? [params.type];
    const title = params.title === undefined ? undefined : [localTitle(params.title, site) ?? { ns: -1, key: '' }];
    const prefix = params.prefix === undefined ? undefined : localTitle(params.prefix, site);
    const rows = database.all<LogRow>(sql`
      SELECT * FROM log WHERE 1
        ${when(readKey(next, 'time', 'number'), ([time, id]) => sql`AND (timestamp, id) ${from} (${time}, ${id})`)}
        ${when(params.start, (time) => sql`AND timestamp ${from} ${time}`)}
        ${when(params.end, (time) => sql`AND timestamp ${to} ${time}`)}
        ${when(type, (name) => sql`AND type = ${name}`)}
        ${when(action, (name) => sql`AND action = ${name}`)}
        ${when(params.ids, (list) => sql`AND id IN ${list}`)}
        ${when(params.user, (name) => sql`AND user = ${name}`)}
        ${when(title, (list) => sql`AND (ns, title) IN ${titleList(list)}`)}
        ${when(prefix, ({ ns, key }) => sql`AND ns = ${ns} AND title >= ${key} AND title < ${afterPrefix(key)}`)}
        ${when(params.namespace, (ns) => sql`AND ns = ${ns}`)}
        ${when(params.tag, () => sql`AND 0`)}
      ORDER BY timestamp ${order}, id ${order} LIMIT ${limit + 1}`);
    const wants = (prop: (typeof params.prop)[number]): boolean => params.prop.includes(prop);
    return listOf(rows, {
      limit,
      key: ({ timestamp, id }) => [timestamp, id],
      item: (row) => ({
        ...(wants('ids') ? { logid: row.id } : {}),
        ...(wants('title') ? { ns: row.ns, title: showTitle(row.ns, row.title, site) } : {}),
        ...(wants('ids') ? { pageid: row.page, logpage: row.page } : {}),
        ...(wants('details') ? { params: JSON.parse(row.params) } : {}),
        ...(wants('type') ? { type: row.type, action: row.action } : {}),
        ...(wants('user') ? { user: row.user } : {}),
        ...(wants('userid') ? { userid: 0 } : {}),
        ...(wants('timestamp') ? { timestamp: row.timestamp } : {}),
        ...commentItem(row.comment, { comment: wants('comment'), parsedcomment: wants('parsedcomment') }),
        ...(wants('tags') ? { tags: [] } : {}),
      }),
    });
  };
