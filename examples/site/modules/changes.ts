import type { Caller, Item, Site } from 'oauth-query';
import type { Database } from '../database.js';
import { type Handler, listOf, readKey } from '../handler.js';
import { commentItem, userItem } from '../revision-item.js';
import { direction, type Sql, sql, titleList, when } from '../sql.js';
import { localTitle, showTitle } from '../titles.js';

interface ChangeRow {
  readonly rcid: number;
  readonly type: 'edit' | 'new' | 'log';
  readonly timestamp: string;
  readonly page: number;
  readonly ns: number;
  readonly title: string;
  readonly redirect: number;
  readonly revid: number;
  readonly old_revid: number;
  readonly user: string | null;
  readonly user_id: number;
  readonly minor: number;
  readonly comment: string | null;
  readonly oldlen: number;
  readonly newlen: number;
  readonly sha1: string;
  readonly logid: number;
  readonly logtype: string;
  readonly logaction: string;
  readonly logparams: string;
}

/** The columns of a change that is a revision, and of one that is in the log. Both are numbered in one row. */
const EDIT = sql`
  SELECT revision.id * 2 AS rcid, CASE revision.parent WHEN 0 THEN 'new' ELSE 'edit' END AS type, revision.timestamp,
    page.id AS page, page.ns, page.title, redirect_to IS NOT NULL AS redirect, revision.id AS revid,
    revision.parent AS old_revid, revision.user, revision.user_id, revision.minor, revision.comment,
    coalesce(old.size, 0) AS oldlen, revision.size AS newlen, revision.sha1,
    0 AS logid, '' AS logtype, '' AS logaction, '{}' AS logparams
  FROM revision JOIN page ON page.id = revision.page LEFT JOIN revision AS old ON old.id = revision.parent`;

const LOG = sql`
  SELECT log.id * 2 + 1, 'log', log.timestamp, page.id, page.ns, page.title, redirect_to IS NOT NULL, 0, 0,
    log.user, 1, 0, log.comment, 0, 0, '', log.id, log.type, log.action, log.params
  FROM log JOIN page ON page.id = log.page`;

type Show = '!anon' | '!bot' | '!minor' | '!redirect' | 'anon' | 'bot' | 'minor' | 'redirect';

/** What both lists of changes can be bounded and filtered by. */
interface Filter {
  readonly start?: string;
  readonly end?: string;
  readonly dir: 'newer' | 'older';
  readonly namespace?: readonly number[];
  readonly user?: string;
  readonly excludeuser?: string;
  readonly title?: string;
  readonly tag?: string;
  readonly type: readonly string[];
  readonly show?: readonly string[];
  /** Only the latest revision of each page. */
  readonly latest: boolean;
  /** The pages whose watcher this is. */
  readonly watcher?: string;
}

function changes(filter: Filter, next: string | undefined, limit: number, site: Site): Sql {
  const { order, from, to } = direction(filter.dir === 'older');
  const start = readKey(next, 'time', 'number');
  const shows = (name: Show): boolean => filter.show?.includes(name) ?? false;
  const title = filter.title === undefined ? undefined : [localTitle(filter.title, site) ?? { ns: -1, key: '' }];
  const bounds = (table: Sql, id: Sql): Sql => sql`
    ${when(start, ([time, rcid]) => sql`AND (${table}.timestamp, ${id}) ${from} (${time}, ${rcid})`)}
    ${when(filter.start, (time) => sql`AND ${table}.timestamp ${from} ${time}`)}
    ${when(filter.end, (time) => sql`AND ${table}.timestamp ${to} ${time}`)}
    ${when(filter.namespace, (list) => sql`AND page.ns IN ${list}`)}
    ${when(filter.user, (name) => sql`AND ${table}.user = ${name}`)}
    ${when(filter.excludeuser, (name) => sql`AND ${table}.user IS NOT ${name}`)}
    ${when(title, (list) => sql`AND (page.ns, page.title) IN ${titleList(list)}`)}
    ${when(filter.watcher, (name) => sql`AND page.id IN (SELECT page FROM watch WHERE user = ${name})`)}
    ${when(shows('redirect'), () => sql`AND redirect_to IS NOT NULL`)}
    ${when(shows('!redirect'), () => sql`AND redirect_to IS NULL`)}
    ${when(filter.tag !== undefined || shows('bot'), () => sql`AND 0`)}
    ORDER BY ${table}.timestamp ${order}, ${table}.id ${order} LIMIT ${limit + 1}`;
  return sql`
    SELECT * FROM (${EDIT} WHERE 1
      ${when(!filter.type.includes('edit'), () => sql`AND revision.parent = 0`)}
      ${when(!filter.type.includes('new'), () => sql`AND revision.parent <> 0`)}
      ${when(filter.latest, () => sql`AND revision.id = latest`)}
      ${when(shows('minor'), () => sql`AND revision.minor`)}
      ${when(shows('!minor'), () => sql`AND NOT revision.minor`)}
      ${when(shows('anon'), () => sql`AND revision.user_id = 0`)}
      ${when(shows('!anon'), () => sql`AND revision.user_id <> 0`)}
      ${bounds(sql`revision`, sql`revision.id * 2`)})
    UNION ALL
    SELECT * FROM (${LOG} WHERE 1
      ${when(!filter.type.includes('log') || shows('minor') || shows('anon'), () => sql`AND 0`)}
      ${bounds(sql`log`, sql`log.id * 2 + 1`)})
    ORDER BY timestamp ${order}, rcid ${order} LIMIT ${limit + 1}`;
}

function changeItem(row: ChangeRow, props: readonly string[], site: Site): Item {
  const wants = (prop: string): boolean => props.includes(prop);
  const isLog = row.type === 'log';
  return {
    type: row.type,
    ...(wants('title') ? { ns: row.ns, title: showTitle(row.ns, row.title, site) } : {}),
    ...(wants('ids') ? { pageid: row.page, revid: row.revid, old_revid: row.old_revid, rcid: row.rcid } : {}),
    ...userItem(row, { user: wants('user'), userid: wants('userid') }),
    ...(wants('flags') ? { bot: false, new: row.type === 'new', minor: row.minor === 1 } : {}),
    ...(wants('sizes') ? { oldlen: row.oldlen, newlen: row.newlen } : {}),
    ...(wants('timestamp') ? { timestamp: row.timestamp } : {}),
    ...commentItem(row.comment, { comment: wants('comment'), parsedcomment: wants('parsedcomment') }),
    ...(wants('redirect') ? { redirect: row.redirect === 1 } : {}),
    ...(wants('sha1') && !isLog ? { sha1: row.sha1 } : {}),
    ...(wants('tags') ? { tags: [] } : {}),
    ...(wants('notificationtimestamp') ? { notificationtimestamp: '' } : {}),
    ...(wants('loginfo') && isLog
      ? { logid: row.logid, logtype: row.logtype, logaction: row.logaction, logparams: JSON.parse(row.logparams) }
      : {}),
  };
}

/** What has changed, latest first: revisions and log entries. */
export const recentchanges =
  (database: Database): Handler<'recentchanges'> =>
  ({ params, limit, continue: next, site }) => {
    const rows = database.all<ChangeRow>(changes({ ...params, latest: params.toponly }, next, limit, site));
    return listOf(rows, {
      limit,
      key: ({ timestamp, rcid }) => [timestamp, rcid],
      item: (row) => changeItem(row, params.prop, site),
      page: ({ page, revid }) => (params.generaterevisions && revid > 0 ? { revid } : { pageid: page }),
    });
  };

/** The name of a caller as contributions are signed with it: the first letter is a capital. */
const watcherOf = (caller: Caller | undefined): string => {
  const name = caller?.name ?? '';
  return name.charAt(0).toUpperCase() + name.slice(1);
};

/** What has changed on the pages that the caller watches: here, those that he or she has written on. */
export const watchlist =
  (database: Database): Handler<'watchlist'> =>
  ({ params, limit, continue: next, site, caller }) => {
    // Everything counts as seen: nobody is told of changes here.
    const unread = params.show?.includes('unread') ?? false;
    const filter = { ...params, latest: !params.allrev, watcher: watcherOf(caller), type: unread ? [] : params.type };
    const rows = database.all<ChangeRow>(changes(filter, next, limit, site));
    return listOf(rows, {
      limit,
      key: ({ timestamp, rcid }) => [timestamp, rcid],
      item: (row) => changeItem(row, params.prop, site),
      page: ({ page, revid }) => (params.allrev && revid > 0 ? { revid } : { pageid: page }),
    });
  };

/** The pages that the caller watches. */
export const watchlistraw =
  (database: Database): Handler<'watchlistraw'> =>
  ({ params, limit, continue: next, site, caller }) => {
    const { order, from, to } = direction(params.dir === 'descending');
    const first = params.fromtitle === undefined ? undefined : localTitle(params.fromtitle, site);
    const last = params.totitle === undefined ? undefined : localTitle(params.totitle, site);
    const rows = database.all<{ ns: number; title: string }>(sql`
      SELECT ns, title FROM page WHERE id IN (SELECT page FROM watch WHERE user = ${watcherOf(caller)})
        ${when(readKey(next, 'number', 'text'), ([ns, title]) => sql`AND (ns, title) ${from} (${ns}, ${title})`)}
        ${when(first, ({ ns, key }) => sql`AND (ns, title) ${from} (${ns}, ${key})`)}
        ${when(last, ({ ns, key }) => sql`AND (ns, title) ${to} (${ns}, ${key})`)}
        ${when(params.namespace, (list) => sql`AND ns IN ${list}`)}
        ${when(params.show?.includes('changed'), () => sql`AND 0`)}
      ORDER BY ns ${order}, title ${order} LIMIT ${limit + 1}`);
    return listOf(rows, {
      limit,
      key: ({ ns, title }) => [ns, title],
      item: ({ ns, title }) => ({ ns, title: showTitle(ns, title, site) }),
    });
  };
