import { BlockList, isIP, isIPv6 } from 'node:net';
import type { GeneratedPage, ListResult, ResultItem } from '../../core/query/index.js';
import { canonicalAddress, defined } from '../../core/query/toolkit.js';
import type { Asking, Content, OfPage } from '../content.js';
import { compareKeys, compareText, LAST_ID } from '../keys.js';
import type { ContentLogEntry, ContentRange, ContentRevision, ContentUser } from '../source.js';
import {
  accepts,
  type Answer,
  type Having,
  hintOf,
  listOf,
  partsOf,
  passes,
  readKey,
  type RequestOf,
  timeBounds,
  type TimeKey,
  titleBounds,
} from './answer.js';
import { commentParts, userItem } from './revision-item.js';

/** A revision or a log entry. They share one sequence of ids: even for revisions, odd for entries. */
interface Change {
  readonly rcid: number;
  readonly timestamp: string;
  readonly page: number;
  readonly user: string | undefined;
  readonly userid: number;
  readonly revision: ContentRevision | undefined;
  readonly entry: ContentLogEntry | undefined;
}

const ofRevision = (revision: ContentRevision): Change => {
  const { id, timestamp, page, user, userid = 0 } = revision;
  return { rcid: id * 2, timestamp, page, user, userid, revision, entry: undefined };
};

const ofEntry = (entry: ContentLogEntry): Change => {
  const { id, timestamp, page, user } = entry;
  return { rcid: id * 2 + 1, timestamp, page, user, userid: 0, revision: undefined, entry };
};

const keyOf = ({ timestamp, rcid }: Change): TimeKey => [timestamp, rcid];

/** The sizes of the parent revisions, by id, if they are needed. */
const sizesBefore = async (
  content: Content,
  rows: readonly ContentRevision[],
  isNeeded: boolean,
  asking: Asking,
): Promise<ReadonlyMap<number, number>> => {
  const ids = isNeeded ? [...new Set(rows.flatMap(({ parent = 0 }) => (parent > 0 ? [parent] : [])))] : [];
  if (ids.length === 0 || !content.source.revisions) return new Map();
  const found = await content.source.revisions({ ids, text: false }, asking);
  return new Map(found.map(({ id, size }) => [id, size]));
};

/** The range and filters of a list of changes. */
interface ChangeFilter {
  readonly start?: string;
  readonly end?: string;
  readonly dir: string;
  readonly namespace?: readonly number[];
  readonly user?: string;
  readonly excludeuser?: string;
  readonly type: readonly string[];
  readonly show?: readonly string[];
  readonly prop: readonly string[];
  /** Only the latest revision of each page. */
  readonly latest: boolean;
  /** Only changes of this page. */
  readonly page?: number | undefined;
}

type Changes = Having<'history' | 'pages'>;

/** Revisions and log entries in one list, by time. */
export const changeList = async (
  content: Changes,
  request: RequestOf<'recentchanges' | 'watchlist'>,
  filter: ChangeFilter,
  pageOf: (change: Change) => GeneratedPage,
): Promise<ListResult> => {
  const { limit, continue: next } = request;
  const { namespace, user, excludeuser, type, show = [], latest, page, prop } = filter;
  // No change is by a bot.
  if (show.includes('bot')) return { items: [] };
  const bounds = timeBounds(filter, next);
  const found = await content.collect<Change, TimeKey, OfPage<Change>>(request, {
    limit,
    from: bounds.from,
    read: (from, size) => readChanges(content, request, filter, { ...bounds, from, limit: size }),
    key: keyOf,
    open: (rows) => content.withPages(rows, request),
    keep: (row) =>
      (row.entry !== undefined || type.includes((row.revision?.parent ?? 0) === 0 ? 'new' : 'edit')) &&
      (page === undefined || row.page === page) &&
      (user === undefined || row.user === user) &&
      (excludeuser === undefined || row.user !== excludeuser) &&
      accepts(namespace, row.of.ns) &&
      !(latest && row.revision && row.of.revid !== row.revision.id) &&
      passes(show, {
        minor: row.revision?.minor === true,
        anon: row.userid === 0 && !row.entry,
        redirect: row.of.redirect !== undefined,
        bot: false,
      }),
  });
  const revisions = found.rows.flatMap(({ revision }) => revision ?? []);
  const sizes = await sizesBefore(content, revisions, prop.includes('sizes'), request);
  return listOf(found, { item: (row) => changeItem(row, prop, content, sizes), page: pageOf });
};

/** Revisions and log entries are separate lists, which continue at the same position. */
const readChanges = async (
  { source }: Changes,
  asking: Asking,
  { type, user, excludeuser, page, latest, namespace, show = [] }: ChangeFilter,
  { from, to, descending, limit }: ContentRange<TimeKey>,
): Promise<readonly Change[]> => {
  const range = (place: (rcid: number) => number) => ({
    from: from && ([from[0], from[1] >= LAST_ID ? LAST_ID : place(from[1])] as const),
    to,
    descending,
    limit,
  });
  const wanted = {
    ...defined({ page }),
    user,
    latest,
    text: false,
    namespaces: namespace,
    excludeUser: excludeuser,
    first: type.includes('new') === type.includes('edit') ? undefined : type.includes('new'),
    minor: hintOf(show, 'minor'),
    anonymous: hintOf(show, 'anon'),
  };
  // An entry is neither minor nor anonymous.
  const hasEntries = type.includes('log') && !wanted.minor && !wanted.anonymous;
  // The id of an entry is one higher than that of the revision with the same id.
  const ofRevisions = range((rcid) => (descending ? Math.floor(rcid / 2) : Math.ceil(rcid / 2)));
  const ofEntries = range((rcid) => (descending ? Math.floor((rcid - 1) / 2) : Math.floor(rcid / 2)));
  const [made, logged] = await Promise.all([
    type.includes('edit') || type.includes('new') ? source.history({ ...ofRevisions, ...wanted }, asking) : [],
    hasEntries ? (source.log?.({ ...ofEntries, user, page }, asking) ?? []) : [],
  ]);
  const sign = descending ? -1 : 1;
  return [...made.map(ofRevision), ...logged.map(ofEntry)]
    .sort((a, b) => sign * compareKeys(keyOf(a), keyOf(b)))
    .slice(0, limit);
};

/** Recent changes, latest first. */
export const recentchanges: Answer<'recentchanges', 'history' | 'pages'> = async (content, request) => {
  const { params } = request;
  const title = params.title === undefined ? undefined : content.read(params.title);
  const [target] = title ? (await content.byTitle([title], request)).values() : [];
  if (params.tag !== undefined || (params.title !== undefined && !target)) return [];
  const filter = { ...params, latest: params.toponly, page: target?.id };
  return changeList(content, request, filter, ({ page, revision }) =>
    params.generaterevisions && revision ? { revid: revision.id } : { pageid: page },
  );
};

const changeItem = (
  row: OfPage<Change>,
  props: readonly string[],
  content: Content,
  sizes: ReadonlyMap<number, number>,
): ResultItem => {
  const { revision, entry, of, rcid, page, timestamp } = row;
  const { id: revid = 0, parent = 0, size = 0, sha1 = '', minor = false } = revision ?? {};
  const isNew = revision !== undefined && parent === 0;
  return {
    type: entry ? 'log' : isNew ? 'new' : 'edit',
    ...partsOf(props, {
      title: { ns: of.ns, title: content.show(of) },
      ids: { pageid: page, revid, old_revid: parent, rcid },
    }),
    ...userItem(row.user === undefined ? {} : { user: row.user, userid: row.userid }, props, entry !== undefined),
    ...partsOf(props, {
      flags: { bot: false, new: isNew, minor },
      sizes: { oldlen: sizes.get(parent) ?? 0, newlen: size },
      timestamp: { timestamp },
      ...commentParts((revision ?? entry)?.comment, props),
      redirect: { redirect: of.redirect !== undefined },
      sha1: revision && { sha1 },
      tags: { tags: [] },
      notificationtimestamp: { notificationtimestamp: '' },
      loginfo: entry && { logid: entry.id, logtype: entry.type, logaction: entry.action, logparams: entry.params },
    }),
  };
};

/** The log, latest first. */
export const logevents: Answer<'logevents', 'log' | 'pages'> = async (content, request) => {
  const { params, limit, continue: next } = request;
  const [type, action] = params.action?.split('/') ?? [params.type];
  const title = params.title === undefined ? undefined : content.read(params.title);
  const prefix = params.prefix === undefined ? undefined : content.read(params.prefix);
  const [target] = title ? (await content.byTitle([title], request)).values() : [];
  if (params.tag !== undefined || (params.title !== undefined && !target)) return [];
  const { from, ...bounds } = timeBounds(params, next);
  const wanted = { type, user: params.user, page: target?.id };
  const found = await content.collect<ContentLogEntry, TimeKey, OfPage<ContentLogEntry>>(request, {
    limit,
    from,
    read: (start, size) => content.source.log({ ...wanted, ...bounds, from: start, limit: size }, request),
    key: ({ timestamp, id }) => [timestamp, id],
    open: (rows) => content.withPages(rows, request),
    keep: (row) =>
      (type === undefined || row.type === type) &&
      (action === undefined || row.action === action) &&
      accepts(params.ids, row.id) &&
      (params.user === undefined || row.user === params.user) &&
      (target === undefined || row.page === target.id) &&
      (prefix === undefined || (row.of.ns === prefix.ns && row.of.title.startsWith(prefix.title))) &&
      (params.namespace === undefined || row.of.ns === params.namespace),
  });
  return listOf(found, {
    item: (row) =>
      Object.assign(
        params.prop.includes('ids') ? { logid: row.id } : {},
        partsOf(params.prop, {
          title: { ns: row.of.ns, title: content.show(row.of) },
          ids: { pageid: row.page, logpage: row.page },
          details: { params: row.params },
          type: { type: row.type, action: row.action },
          user: { user: row.user },
          userid: { userid: 0 },
          timestamp: { timestamp: row.timestamp },
          ...commentParts(row.comment, params.prop),
          tags: { tags: [] },
        }),
      ),
    page: ({ page }) => ({ pageid: page }),
  });
};

type UserKey = readonly [user: string, timestamp: string, id: number];

/** Contributions of each user in turn, latest first. */
export const usercontribs: Answer<'usercontribs', 'history' | 'pages'> = async (content, request) => {
  const { params, limit, continue: next } = request;
  if (params.tag !== undefined) return [];
  const { namespace, show = [], toponly, prop } = params;
  const { from: begin, to, descending } = timeBounds(params, undefined);
  const place = readKey(next, 'text', 'time', 'number');
  const users = await byWhom(content, params, { from: place?.[0], descending }, request);
  const filters = {
    ...{ namespaces: namespace, first: hintOf(show, 'new'), minor: hintOf(show, 'minor') },
    latest: toponly || show.includes('top'),
  };
  const hints = { ...filters, to, descending, text: false };
  const read = async (from: UserKey | undefined, size: number): Promise<readonly ContentRevision[]> => {
    const rows: ContentRevision[] = [];
    for (const user of users.names) {
      const order = from ? compareText(user, from[0]) * (descending ? -1 : 1) : 1;
      if (order < 0) continue;
      const start = from && order === 0 ? ([from[1], from[2]] as const) : begin;
      const range = { ...hints, user, from: start, limit: size - rows.length };
      rows.push(...(await content.source.history(range, request)));
      if (rows.length >= size) break;
    }
    return rows;
  };
  const found = await content.collect<ContentRevision, UserKey, OfPage<ContentRevision>>(request, {
    limit,
    from: place,
    read,
    key: ({ user = '', timestamp, id }) => [user, timestamp, id],
    open: (rows) => content.withPages(rows, request),
    keep: ({ of, id, minor = false, parent = 0 }) => {
      const facts = { minor, new: parent === 0, top: of.revid === id };
      return accepts(namespace, of.ns) && !(toponly && !facts.top) && passes(show, facts);
    },
  });
  const sizes = await sizesBefore(content, found.rows, prop.includes('sizediff'), request);
  const list = listOf(found, {
    item: (row) => contributionItem(row, prop, content, sizes),
    page: ({ page }) => ({ pageid: page }),
  });
  if (found.next !== undefined || users.next === undefined) return list;
  const further = [users.next, ...(begin ?? (descending ? [LAST_TIME, LAST_ID] : [FIRST_TIME, 0]))];
  // The next user may be known from hidden pages only.
  return { ...list, continue: content.isRestricted ? request.conceal(further) : further };
};

const FIRST_TIME = '0000-01-01T00:00:00Z';
const LAST_TIME = '9999-12-31T23:59:59Z';

interface Contributors {
  readonly user?: readonly string[];
  readonly userids?: readonly number[];
  readonly userprefix?: string;
  readonly iprange?: string;
}

/** The maximum number of users whose contributions a response lists, and of users read to find those of an IP range. */
const MAX_USERS = 1_500;
const MAX_USERS_READ = 2_500;
const USERS_PIECE = 250;

/** The users of a response in their order, and the first one of the next response. */
const byWhom = async (
  { source }: Content,
  { user, userids, userprefix = '', iprange }: Contributors,
  { from, descending }: { readonly from: string | undefined; readonly descending: boolean },
  asking: Asking,
): Promise<{ readonly names: readonly string[]; readonly next?: string | undefined }> => {
  const byIds = userids && ((await source.users?.({ names: [], ids: userids }, asking)) ?? []);
  const named = user ?? byIds?.map(({ name }) => name);
  if (named) return { names: [...new Set(named)].sort((a, b) => compareText(a, b) * (descending ? -1 : 1)) };
  const addresses = iprange === undefined ? undefined : addressesIn(iprange);
  const { from: first, ...bounds } = titleBounds(
    { prefix: addresses?.prefix ?? userprefix, dir: descending ? 'descending' : 'ascending' },
    (text) => text,
    from,
  );
  const names: string[] = [];
  let next = first;
  for (let read = 0; read < MAX_USERS_READ && names.length <= MAX_USERS - USERS_PIECE; read += USERS_PIECE) {
    const range = { ...bounds, accounts: addresses && false, brief: true, from: next, limit: USERS_PIECE + 1 };
    const users: readonly ContentUser[] = (await source.userRange?.(range, asking)) ?? [];
    for (const { name, id } of users.slice(0, USERS_PIECE)) {
      if (!addresses || (id === 0 && addresses.has(name))) names.push(name);
    }
    next = users[USERS_PIECE]?.name;
    if (next === undefined) break;
  }
  return { names, next };
};

/** The addresses in a range, and the beginning that their texts have in common. */
const addressesIn = (range: string): { readonly prefix: string; has(name: string): boolean } => {
  const [network = '', bits = ''] = range.split('/');
  const family = (address: string): 'ipv4' | 'ipv6' => (isIPv6(address) ? 'ipv6' : 'ipv4');
  const list = new BlockList();
  list.addSubnet(network, Number(bits), family(network));
  const [separator, size] = isIPv6(network) ? [':', 16] : ['.', 8];
  const parts = canonicalAddress(network)?.split(separator) ?? [];
  const common = parts.slice(0, Math.floor(Number(bits) / size));
  return {
    prefix: [...common, ...(common.length < parts.length ? [''] : [])].join(separator),
    has: (name) => isIP(name) !== 0 && list.check(name, family(name)),
  };
};

const contributionItem = (
  row: OfPage<ContentRevision>,
  props: readonly string[],
  content: Content,
  sizes: ReadonlyMap<number, number>,
): ResultItem => {
  const { of, parent = 0 } = row;
  // The source may not have the parent revision.
  const before = parent === 0 ? 0 : sizes.get(parent);
  return Object.assign(
    userItem(row, ['user', 'userid']),
    partsOf(props, {
      ids: { pageid: row.page, revid: row.id, parentid: parent },
      title: { ns: of.ns, title: content.show(of) },
      timestamp: { timestamp: row.timestamp },
      flags: { new: parent === 0, minor: row.minor === true, top: of.revid === row.id },
      ...commentParts(row.comment, props),
      size: { size: row.size },
      sizediff: before !== undefined && { sizediff: row.size - before },
      tags: { tags: [] },
    }),
  );
};
