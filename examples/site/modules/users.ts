import type { Item } from 'oauth-query';
import type { Database } from '../database.js';
import { type Handler, listOf } from '../handler.js';
import { afterPrefix, direction, sql, when } from '../sql.js';

interface UserRow {
  readonly name: string;
  readonly id: number;
  readonly editcount: number;
  readonly registration: string;
}

const COLUMNS = sql`
  name, id, (SELECT count(*) FROM revision WHERE user = name) AS editcount,
  (SELECT min(timestamp) FROM revision WHERE user = name) AS registration`;

const userKey = (text: string): string => {
  const name = text.replaceAll('_', ' ').trim();
  return name.charAt(0).toUpperCase() + name.slice(1);
};

/** What is known about a user: an export says who wrote, and nothing about groups. */
const FACTS: Readonly<Record<string, (user: UserRow) => Item>> = {
  editcount: ({ editcount }) => ({ editcount }),
  registration: ({ registration }) => ({ registration }),
  groups: () => ({ groups: ['*', 'user'] }),
  implicitgroups: () => ({ implicitgroups: ['*', 'user'] }),
  groupmemberships: () => ({ groupmemberships: [] }),
  rights: () => ({ rights: ['read'] }),
  emailable: () => ({ emailable: false }),
  gender: () => ({ gender: 'unknown' }),
  centralids: ({ id }) => ({ centralids: { local: id }, attachedlocal: { local: true } }),
};

const userItem = (user: UserRow, props: readonly string[] = []): Item => ({
  userid: user.id,
  name: user.name,
  ...Object.assign({}, ...props.map((prop) => FACTS[prop]?.(user))),
});

/** The users that are named, in that order; those that are not there too. */
export const users =
  (database: Database): Handler<'users'> =>
  ({ params }) => {
    const names = (params.users ?? []).map(userKey);
    const ids = params.userids ?? [];
    const found = database.all<UserRow>(
      sql`SELECT ${COLUMNS} FROM user WHERE id > 0 AND (name IN ${names} OR id IN ${ids})`,
    );
    const byName = new Map(found.map((user) => [user.name, user]));
    const byId = new Map(found.map((user) => [user.id, user]));
    const cancreate = params.prop?.includes('cancreate') ? { cancreate: false } : {};
    return [
      ...[...new Set(names)].map((name) => {
        const user = byName.get(name);
        if (user) return userItem(user, params.prop);
        return /[#<>[\]|{}/@:=]|^\d+(?:\.\d+){3}$|^$/.test(name)
          ? { name, invalid: true }
          : { name, missing: true, ...cancreate };
      }),
      ...[...new Set(ids)].map((userid) => {
        const user = byId.get(userid);
        return user ? userItem(user, params.prop) : { userid, missing: true };
      }),
    ];
  };

/** How long ago somebody may have written last to count as active. */
const ACTIVE_MS = 30 * 24 * 3600 * 1000;

/** Everybody with an account who has written something. Nobody is in a group. */
export const allusers =
  (database: Database): Handler<'allusers'> =>
  ({ params, limit, clock }) => {
    const { order, from, to } = direction(params.dir === 'descending');
    const since = new Date(clock() - ACTIVE_MS).toISOString();
    const recent = sql`(SELECT count(*) FROM revision WHERE user = name AND timestamp >= ${since})`;
    const grouped = [...(params.group ?? []), ...(params.rights ?? [])].length > 0;
    const rows = database.all<UserRow & { readonly recentactions: number }>(sql`
      SELECT ${COLUMNS}, ${params.activeusers ? recent : sql`0`} AS recentactions FROM user WHERE id > 0
        ${when(params.from, (text) => sql`AND name ${from} ${userKey(text)}`)}
        ${when(params.to, (text) => sql`AND name ${to} ${userKey(text)}`)}
        ${when(params.prefix, (text) => sql`AND name >= ${userKey(text)} AND name < ${afterPrefix(userKey(text))}`)}
        ${when(params.activeusers, () => sql`AND recentactions > 0`)}
        ${when(grouped || params.excludenamed, () => sql`AND 0`)}
      ORDER BY name ${order} LIMIT ${limit + 1}`);
    return listOf(rows, {
      limit,
      key: ({ name }) => name,
      item: (user) => ({
        ...userItem(user, params.prop),
        ...(params.activeusers ? { recentactions: user.recentactions } : {}),
      }),
    });
  };
