import type { ResultItem, Site } from '../../core/query/index.js';
import { defined, upperFirst } from '../../core/query/toolkit.js';
import { type Content, USERS_AT_ONCE } from '../content.js';
import { timeOf } from '../keys.js';
import type { ContentUser } from '../source.js';
import { type Answer, listOf, titleBounds } from './answer.js';

const hasAccount = ({ id }: ContentUser): boolean => id > 0;

const userKey =
  ({ language }: Site) =>
  (text: string): string =>
    upperFirst(text.replaceAll('_', ' ').trim(), language);

/** Information about a user. A source has authors, but no groups. */
const FACTS: Readonly<Record<string, (user: ContentUser) => ResultItem>> = {
  editcount: ({ edits }) => defined({ editcount: edits }),
  registration: ({ registration }) => defined({ registration }),
  groups: () => ({ groups: ['*', 'user'] }),
  implicitgroups: () => ({ implicitgroups: ['*', 'user'] }),
  groupmemberships: () => ({ groupmemberships: [] }),
  rights: () => ({ rights: ['read'] }),
  emailable: () => ({ emailable: false }),
  gender: () => ({ gender: 'unknown' }),
  centralids: ({ id }) => ({ centralids: { local: id }, attachedlocal: { local: true } }),
};

/** What depends on all revisions, including those of pages that the caller may not see. */
const COUNTED: ReadonlySet<string> = new Set(['editcount', 'registration']);

const userItem = (content: Content, user: ContentUser, props: readonly string[] = []): ResultItem => ({
  userid: user.id,
  name: user.name,
  ...Object.assign(
    {},
    ...props.filter((prop) => !(content.isRestricted && COUNTED.has(prop))).map((prop) => FACTS[prop]?.(user)),
  ),
});

/** The requested users in order, including missing ones. */
export const users: Answer<'users', 'users'> = async (content, request) => {
  const { params } = request;
  const names = [...new Set((params.users ?? []).map(userKey(request.site)))];
  const ids = [...new Set(params.userids ?? [])];
  const all = await content.source.users({ names, ids }, request);
  const found = await content.openUsers(all.filter(hasAccount), request);
  const byName = new Map(found.map((user) => [user.name, user]));
  const byId = new Map(found.map((user) => [user.id, user]));
  return [
    ...names.map((name) => {
      const user = byName.get(name);
      if (user) return userItem(content, user, params.prop);
      return /[#<>[\]|{}/@:=]|^\d+(?:\.\d+){3}$|^$/.test(name)
        ? { name, invalid: true }
        : { name, missing: true, ...(params.prop?.includes('cancreate') && { cancreate: false }) };
    }),
    ...ids.map((userid) => {
      const user = byId.get(userid);
      return user ? userItem(content, user, params.prop) : { userid, missing: true };
    }),
  ];
};

/** How recently a user must have edited to count as active, in milliseconds. */
export const ACTIVE_MS = 30 * 24 * 3600 * 1000;

/** All users with an account who have edited. There are no groups. */
export const allusers: Answer<'allusers', 'userRange'> = async (content, request) => {
  const { params, limit, clock } = request;
  const { isRestricted } = content;
  const { activeusers, excludenamed, group = [], rights = [] } = params;
  if (excludenamed || group.length > 0 || rights.length > 0) return [];
  // It would also count revisions of pages with restricted access.
  if (activeusers && isRestricted) return [];
  const since = activeusers ? timeOf(clock() - ACTIVE_MS) : undefined;
  const { from, ...bounds } = titleBounds(params, userKey(request.site), undefined);
  const brief = isRestricted || !(params.prop ?? []).some((prop) => COUNTED.has(prop));
  const range = { ...bounds, since, brief, accounts: true };
  const found = await content.collect<ContentUser, string>(request, {
    limit,
    from,
    read: (start, size) => content.source.userRange({ ...range, from: start, limit: size }, request),
    key: ({ name }) => name,
    // Finding out whether the caller may see a user takes time, so those who are not listed are left out before.
    ...(isRestricted && {
      open: (rows) => content.openUsers(rows.filter(hasAccount), request),
      piece: USERS_AT_ONCE,
    }),
    keep: (user) => hasAccount(user) && (!activeusers || (user.recent ?? 0) > 0),
  });
  return listOf(found, {
    item: (user) =>
      Object.assign(userItem(content, user, params.prop), activeusers && { recentactions: user.recent ?? 0 }),
  });
};
