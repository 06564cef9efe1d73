import { BlockList, isIPv6 } from 'node:net';
import type { Item } from 'oauth-query';
import type { Database } from '../database.js';
import { type Handler, idsOf, listOf, type PageRow, readKey } from '../handler.js';
import { commentItem, userItem } from '../revision-item.js';
import { afterPrefix, direction, type Sql, sql, when } from '../sql.js';
import { showTitle } from '../titles.js';

interface ContributionRow extends PageRow {
  readonly revid: number;
  readonly parent: number;
  readonly timestamp: string;
  readonly user: string;
  readonly user_id: number;
  readonly minor: number;
  readonly comment: string | null;
  readonly size: number;
  readonly oldsize: number;
  readonly top: number;
}

/** What users have written, latest first. */
export const usercontribs =
  (database: Database): Handler<'usercontribs'> =>
  ({ params, limit, continue: next, site }) => {
    const { order, from, to } = direction(params.dir === 'older');
    const shows = (name: string): boolean => params.show?.some((shown) => shown === name) ?? false;
    const rows = database.all<ContributionRow>(sql`
      SELECT page.id, ns, title, revision.id AS revid, revision.parent, revision.timestamp, revision.user,
        revision.user_id, revision.minor, revision.comment, revision.size, coalesce(old.size, 0) AS oldsize,
        revision.id = latest AS top
      FROM revision JOIN page ON page.id = revision.page LEFT JOIN revision AS old ON old.id = revision.parent
      WHERE ${byWhom(database, params)}
        ${when(readKey(next, 'time', 'number'), ([time, id]) => sql`AND (revision.timestamp, revision.id) ${from} (${time}, ${id})`)}
        ${when(params.start, (time) => sql`AND revision.timestamp ${from} ${time}`)}
        ${when(params.end, (time) => sql`AND revision.timestamp ${to} ${time}`)}
        ${when(params.namespace, (list) => sql`AND ns IN ${list}`)}
        ${when(shows('minor'), () => sql`AND revision.minor`)}
        ${when(shows('!minor'), () => sql`AND NOT revision.minor`)}
        ${when(shows('new'), () => sql`AND revision.parent = 0`)}
        ${when(shows('!new'), () => sql`AND revision.parent <> 0`)}
        ${when(shows('top') || params.toponly, () => sql`AND revision.id = latest`)}
        ${when(shows('!top'), () => sql`AND revision.id <> latest`)}
        ${when(params.tag, () => sql`AND 0`)}
      ORDER BY revision.timestamp ${order}, revision.id ${order} LIMIT ${limit + 1}`);
    return listOf(rows, {
      limit,
      key: ({ timestamp, revid }) => [timestamp, revid],
      item: (row) => contributionItem(row, params.prop, showTitle(row.ns, row.title, site)),
    });
  };

interface Contributors {
  readonly user?: readonly string[];
  readonly userids?: readonly number[];
  readonly userprefix?: string;
  readonly iprange?: string;
}

function byWhom(database: Database, { user, userids, userprefix, iprange }: Contributors): Sql {
  if (user) return sql`revision.user IN ${user}`;
  if (userids) return sql`revision.user IN (SELECT name FROM user WHERE id IN ${userids})`;
  if (userprefix !== undefined)
    return sql`revision.user >= ${userprefix} AND revision.user < ${afterPrefix(userprefix)}`;
  return sql`revision.user IN ${addressesIn(database, iprange ?? '')}`;
}

function addressesIn(database: Database, range: string): readonly string[] {
  const [network = '', bits = ''] = range.split('/');
  const family = (address: string): 'ipv4' | 'ipv6' => (isIPv6(address) ? 'ipv6' : 'ipv4');
  const list = new BlockList();
  if (bits === '') list.addAddress(network, family(network));
  else list.addSubnet(network, Number(bits), family(network));
  const rows = database.all<{ name: string }>(sql`SELECT name FROM user WHERE id = 0`);
  return rows.map(({ name }) => name).filter((name) => list.check(name, family(name)));
}

function contributionItem(row: ContributionRow, props: readonly string[], title: string): Item {
  const wants = (prop: string): boolean => props.includes(prop);
  return {
    ...userItem(row, { user: true, userid: true }),
    ...(wants('ids') ? { pageid: row.id, revid: row.revid, parentid: row.parent } : {}),
    ...(wants('title') ? { ns: row.ns, title } : {}),
    ...(wants('timestamp') ? { timestamp: row.timestamp } : {}),
    ...(wants('flags') ? { new: row.parent === 0, minor: row.minor === 1, top: row.top === 1 } : {}),
    ...commentItem(row.comment, { comment: wants('comment'), parsedcomment: wants('parsedcomment') }),
    ...(wants('size') ? { size: row.size } : {}),
    ...(wants('sizediff') ? { sizediff: row.size - row.oldsize } : {}),
    ...(wants('tags') ? { tags: [] } : {}),
  };
}

/** Who has written the pages: those with an account by name, the others as a number. Nobody is in a group. */
export const contributors =
  (database: Database): Handler<'contributors'> =>
  ({ params, limit, continue: next, pages }) => {
    const start = readKey(next, 'number', 'number');
    const nobody = [...(params.group ?? []), ...(params.rights ?? [])].length > 0;
    const rows = database.all<{ page: number; userid: number; name: string }>(sql`
      SELECT DISTINCT page, user.id AS userid, name FROM revision JOIN user ON name = revision.user
      WHERE page IN ${idsOf(pages)} AND user.id > 0
        ${when(start, ([page, id]) => sql`AND (page, user.id) >= (${page}, ${id})`)}
        ${when(nobody, () => sql`AND 0`)}
      ORDER BY page, user.id LIMIT ${limit + 1}`);
    const shown = new Map<number, { anoncontributors?: number; contributors?: Item[] }>();
    for (const { page, userid, name } of rows.slice(0, limit)) {
      const entry = shown.get(page) ?? {};
      shown.set(page, { ...entry, contributors: [...(entry.contributors ?? []), { userid, name }] });
    }
    // The number is said once, with the first of them.
    if (start === undefined) {
      const counts = database.all<{ page: number; n: number }>(sql`
        SELECT page, count(DISTINCT user) AS n FROM revision
        WHERE page IN ${idsOf(pages)} AND user IN (SELECT name FROM user WHERE id = 0) GROUP BY page`);
      for (const { page, n } of counts) shown.set(page, { anoncontributors: n, ...shown.get(page) });
    }
    const more = rows[limit];
    return { pages: shown, continue: more && [more.page, more.userid] };
  };
