import { compareKeys, endOf } from '../keys.js';
import { pagesOf, targetsOf } from '../per-page.js';
import type {
  BacklinkRow,
  CategorySizes,
  ContentFile,
  ContentHistoryRange,
  ContentPageRange,
  ContentRange,
  ContentRevision,
  ContentSearch,
  ContentSource,
  ContentTargetRange,
  ContentUser,
  LinkRow,
  MemberRow,
} from '../source.js';
import type { ContentDatabase } from './database.js';
import { PAGE, pageOf, type PageRow } from './rows.js';
import { searchIn } from './search.js';
import { between, direction, pagesNamed, type Sql, sql, when } from './sql.js';

/** A row as stored: `NULL` is what a source leaves out. */
type Stored<Row> = { readonly [Column in keyof Row]: Row[Column] | null };

const withoutNulls = <Row extends object>(row: Stored<Row>): Row => {
  const found: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(row)) if (value !== null) found[name] = value;
  // Only the optional columns can be `NULL`.
  return found as Row;
};

type RevisionRow = Stored<Omit<ContentRevision, 'minor'> & { readonly minor: number }>;

const REVISION = sql`id, page, parent, timestamp, user, user_id AS userid, minor, comment, size, sha1, model, format`;

const revisionOf = (row: RevisionRow): ContentRevision =>
  withoutNulls<ContentRevision>({ ...row, minor: row.minor === 1 });

const revisionColumns = (text: boolean): Sql => (text ? sql`${REVISION}, text` : REVISION);

/** The functions of a source. Each statement is prepared once. */
export const sqliteSource = (database: ContentDatabase) =>
  ({
    ...pageFunctions(database),
    ...revisionFunctions(database),
    ...linkFunctions(database),
    ...categoryFunctions(database),
    ...userFunctions(database),
    files: (titles: readonly string[]) =>
      database
        .all<Stored<ContentFile>>(
          sql`SELECT title, url, size, mime, timestamp, user, sha1 FROM file WHERE title IN ${titles}`,
        )
        .map(withoutNulls<ContentFile>),
    search: (query: ContentSearch) => searchIn(database, query),
  }) satisfies ContentSource;

type Functions<K extends keyof ContentSource> = Required<Pick<ContentSource, K>>;

const ofRedirects = (wanted: boolean | undefined): Sql =>
  wanted === undefined ? sql`` : wanted ? sql`AND redirect_to IS NOT NULL` : sql`AND redirect_to IS NULL`;

const ofSize = (size: readonly [number, number] | undefined): Sql =>
  when(size, ([least, most]) => sql`AND length BETWEEN ${least} AND ${most}`);

type PageFilters = Omit<ContentPageRange, 'file'>;

/** Few pages may pass the filters, so they are read in an index that has what these need. */
const pagesByTitle = (database: ContentDatabase, { ns, redirects, size, languages, ...range }: PageFilters) => {
  const isFiltered = size !== undefined || languages !== undefined || redirects === false;
  return database.all<PageRow>(sql`
    SELECT ${PAGE} FROM page ${isFiltered ? sql`INDEXED BY page_by_filters` : sql``} WHERE ns = ${ns}
      ${ofRedirects(redirects)} ${ofSize(size)} ${isOrIsNot(sql`languages`, languages)}
      ${between([sql`title`], range)}`);
};

/** The pages of files: a site may have many pages of files that an export does not describe. */
const filePages = (
  database: ContentDatabase,
  { ns, redirects, size, languages, ...range }: PageFilters,
  { size: bytes, mime, sha1 }: NonNullable<ContentPageRange['file']>,
) =>
  database.all<PageRow>(sql`
    SELECT ${PAGE} FROM file CROSS JOIN page ON page.ns = ${ns} AND page.title = file.title WHERE 1
      ${when(bytes, ([least, most]) => sql`AND file.size BETWEEN ${least} AND ${most}`)}
      ${when(mime, (list) => sql`AND file.mime IN ${list}`)} ${when(sha1, (hash) => sql`AND file.sha1 = ${hash}`)}
      ${ofRedirects(redirects)} ${ofSize(size)} ${isOrIsNot(sql`languages`, languages)}
      ${between([sql`file.title`], range)}`);

/** A condition on a column that is 0 or 1. */
const isOrIsNot = (column: Sql, wanted: boolean | undefined): Sql =>
  wanted === undefined ? sql`` : sql`AND ${column} = ${Number(wanted)}`;

const pageFunctions = (database: ContentDatabase): Functions<'pages' | 'pageRange' | 'shuffled'> => ({
  pages: ({ titles, ids, revids }) => {
    const revisions =
      revids.length === 0
        ? sql`NULL`
        : sql`(SELECT json_group_array(id) FROM revision WHERE page = page.id AND id IN ${revids})`;
    const rows = database.all<PageRow & { readonly revids: string | null }>(sql`
      SELECT ${PAGE}, ${revisions} AS revids FROM page
      WHERE page.id IN ${pagesNamed(titles)} OR page.id IN ${ids}
        ${when(revids, (list) => sql`OR page.id IN (SELECT page FROM revision WHERE id IN ${list})`)}`);
    return rows.map((row) =>
      // Written by the database itself.
      row.revids === null ? pageOf(row) : { ...pageOf(row), revids: JSON.parse(row.revids) as number[] },
    );
  },
  pageRange: ({ file, ...range }) =>
    (file ? filePages(database, range, file) : pagesByTitle(database, range)).map(pageOf),
  shuffled: ({ namespaces, redirects, size, model, ...range }) =>
    database
      .all<PageRow & { readonly random: number }>(
        // The sign keeps the database from reading by the index of namespaces.
        sql`
        SELECT ${PAGE}, random FROM page WHERE 1 ${when(namespaces, (list) => sql`AND +ns IN ${list}`)}
          ${ofRedirects(redirects)} ${ofSize(size)} ${when(model, (name) => sql`AND model = ${name}`)}
          ${between([sql`random`, sql`id`], range)}`,
      )
      .map((row) => ({ ...pageOf(row), shuffle: row.random })),
});

const revisionFunctions = (database: ContentDatabase): Functions<'revisions' | 'history'> => ({
  revisions: ({ ids, text }) =>
    database.all<RevisionRow>(sql`SELECT ${revisionColumns(text)} FROM revision WHERE id IN ${ids}`).map(revisionOf),
  history: (range) => historyOf(database, range),
});

/** A user with more edits watches so many pages that most lists soon find enough of them. */
const MAX_WATCHED = 5_000;

/**
 * The condition that a page is watched by a user, who has edited it: as the list of all such pages if there are few,
 * otherwise looked up page by page.
 */
export const watchedBy = (
  database: ContentDatabase,
  user: string,
  page: Sql,
): { readonly few: boolean; readonly condition: Sql } => {
  const { n = 0 } = database.first<{ n: number }>(sql`SELECT n FROM edit_count WHERE user = ${user}`) ?? {};
  return n <= MAX_WATCHED
    ? { few: true, condition: sql`AND ${page} IN (SELECT page FROM revision WHERE user = ${user})` }
    : {
        few: false,
        condition: sql`AND EXISTS (
          SELECT 1 FROM revision AS own INDEXED BY revision_by_page WHERE own.page = ${page} AND own.user = ${user})`,
      };
};

/**
 * Revisions by time. One of the filters selects the index, so that the time does not depend on the revisions that it excludes.
 *
 * @param watcher - Only revisions of pages that this user has edited.
 */
export const historyOf = (
  database: ContentDatabase,
  range: ContentHistoryRange,
  watcher?: string,
): readonly ContentRevision[] => {
  const { page, user, latest, namespaces, first, minor, anonymous, excludeUser, text } = range;
  const bounds = { from: range.from, to: range.to, descending: range.descending, limit: range.limit };
  const isLatest = when(
    latest,
    () => sql`AND EXISTS (SELECT 1 FROM page WHERE latest = revision.id AND page.id = revision.page)`,
  );
  const watched = watcher === undefined ? undefined : watchedBy(database, watcher, sql`revision.page`);
  // The sign also keeps it from reading all revisions in the order of an index.
  const time = watched?.few ? [sql`+timestamp`, sql`+id`] : [sql`timestamp`, sql`id`];
  // The sign keeps the database from reading by another index than that of the condition, which has these columns too.
  const filters = sql`
    ${when(namespaces, (list) => sql`AND +ns IN ${list}`)} ${isOrIsNot(sql`(parent = 0)`, first)}
    ${isOrIsNot(sql`+minor`, minor)} ${isOrIsNot(sql`(user_id = 0)`, anonymous)}
    ${when(excludeUser, (name) => sql`AND user IS NOT ${name}`)} ${isLatest}`;
  const read = <Row>(selected: Sql, condition: Sql, limit: number): readonly Row[] =>
    database.all<Row>(sql`
      SELECT ${selected} FROM revision WHERE 1 ${condition} ${filters} ${watched?.condition ?? sql``}
        ${between(time, { ...bounds, limit })}`);
  const readAll = (condition: Sql): readonly ContentRevision[] =>
    read<RevisionRow>(revisionColumns(text), condition, bounds.limit).map(revisionOf);

  if (page !== undefined) return readAll(sql`AND page = ${page} ${when(user, (name) => sql`AND user = ${name}`)}`);
  if (user !== undefined) return readAll(sql`AND user = ${user}`);
  if (minor) return readAll(sql`AND minor = 1`);
  if (first) return readAll(sql`AND parent = 0`);
  if (anonymous) return readAll(sql`AND user_id = 0`);
  const lists = [...new Set(namespaces)].map((ns) => sql`AND ns = ${ns}`);
  if (lists.length <= 1) return readAll(lists[0] ?? sql``);
  const ids = firstOf(lists, bounds, (condition, limit) => read(sql`timestamp, id`, condition, limit));
  const rows = database.all<RevisionRow>(sql`SELECT ${revisionColumns(text)} FROM revision WHERE id IN ${ids}`);
  const places = new Map(ids.map((id, index) => [id, index]));
  return rows.map(revisionOf).sort((a, b) => (places.get(a.id) ?? 0) - (places.get(b.id) ?? 0));
};

interface Place {
  readonly timestamp: string;
  readonly id: number;
}

/** The ids of the first rows of several lists by time, which are read in parts: each has an index, all together have none. */
const firstOf = <List>(
  lists: readonly List[],
  { descending, limit }: Pick<ContentRange<unknown>, 'descending' | 'limit'>,
  read: (list: List, limit: number) => readonly Place[],
): readonly number[] => {
  const sign = descending ? -1 : 1;
  const order = (a: Place, b: Place) => sign * compareKeys([a.timestamp, a.id], [b.timestamp, b.id]);
  const parts = lists.map((list) => ({ list, size: 0, rows: [] as readonly Place[] }));
  let short = parts;
  for (let size = Math.ceil(limit / lists.length) + 1; ; size *= 4) {
    for (const part of short) Object.assign(part, { size, rows: read(part.list, Math.min(size, limit)) });
    const first = parts
      .flatMap(({ rows }) => rows)
      .sort(order)
      .slice(0, limit);
    const end = first.at(-1);
    // Those whose next row may be among the first.
    short = parts.filter(({ size: most, rows }) => {
      const last = rows.at(-1);
      return most < limit && rows.length === most && last && end && order(last, end) <= 0;
    });
    if (short.length === 0) return first.map(({ id }) => id);
  }
};

/** A key before all others in this direction. */
const end = (descending: boolean): number => (descending ? Number.MAX_SAFE_INTEGER : Number.MIN_SAFE_INTEGER);

/**
 * The rows of several lists, up to a common limit: `list` selects those of one, as JSON, from its start. A driver needs
 * longer for a statement than the database for a short list, so this is one for all.
 */
const rowsOf = <Row>(
  database: ContentDatabase,
  starts: readonly unknown[],
  limit: number,
  list: Sql,
): readonly Row[] => {
  const rows: Row[] = [];
  for (const { found } of database.each<{ readonly found: string }>(sql`
    SELECT (SELECT json_group_array(json(found)) FROM (${list})) AS found
    FROM json_each(${JSON.stringify(starts)}) AS start`)) {
    // Written by the database itself.
    rows.push(...(JSON.parse(found) as Row[]));
    if (rows.length >= limit) break;
  }
  return rows.slice(0, limit);
};

const fromNamespaces = (namespaces: readonly number[] | undefined): Sql =>
  when(namespaces, (list) => sql`AND from_ns IN ${list}`);

const endingWith = (suffix: string | undefined): Sql =>
  when(suffix || undefined, (end) => sql`AND substr(title, ${-[...end].length}) = ${end}`);

const targetRows = (
  database: ContentDatabase,
  { kind, ns, unique, from, to, descending, limit, namespaces, suffix, members }: ContentTargetRange,
): readonly LinkRow[] => {
  if (!unique) {
    return database.all<LinkRow>(sql`
        SELECT page, ns, title, text FROM link WHERE kind = ${kind} AND ns = ${ns}
          ${fromNamespaces(namespaces)} ${endingWith(suffix)}
          ${between([sql`title`, sql`page`], { from, to, descending, limit })}`);
  }
  if (members) {
    const titles = { from: from?.[0], to: to?.[0], descending, limit };
    return database.all<LinkRow>(sql`
        SELECT 0 AS page, ${ns} AS ns, title FROM (SELECT category AS title, sum(n) AS members FROM category_size GROUP BY category)
        WHERE members BETWEEN ${Math.max(1, members[0])} AND ${members[1]} ${between([sql`title`], titles)}`);
  }
  // Skips from one title to the next, because a category may have more members than there are categories.
  const range = direction(descending);
  const next = (condition: Sql): Sql => sql`
      (SELECT title FROM link WHERE kind = ${kind} AND ns = ${ns} ${condition}
        ${when(to, ([last]) => sql`AND title ${range.to} ${last}`)} ORDER BY title ${range.order} LIMIT 1)`;
  const first = when(from, ([title]) => sql`AND title ${range.from} ${title}`);
  return database.all<LinkRow>(sql`
      WITH RECURSIVE found (name) AS (
        SELECT ${next(first)} UNION ALL
        SELECT ${next(descending ? sql`AND title < name` : sql`AND title > name`)} FROM found WHERE name IS NOT NULL
        LIMIT ${limit + 1})
      SELECT 0 AS page, ${ns} AS ns, name AS title FROM found WHERE name IS NOT NULL LIMIT ${limit}`);
};

const linkFunctions = (database: ContentDatabase): Functions<'links' | 'backlinks' | 'targets'> => ({
  links: (range) => {
    const { kind, descending, limit, one, targets, namespaces, prefix, suffix } = range;
    const { order, from } = direction(descending);
    // Looked up one by one: a page may have far more links.
    const wanted = targets && JSON.stringify(targets.map(({ ns, title }) => [ns, title]));
    const starts = pagesOf(range).map(({ of, from: key = [end(descending), ''] }) => [of, ...key]);
    return rowsOf<LinkRow>(
      database,
      starts,
      limit,
      sql`
        SELECT json_object('page', page, 'ns', ns, 'title', title, 'text', text) AS found
        FROM ${wanted === undefined ? sql`link` : sql`json_each(${wanted}) AS wanted CROSS JOIN link`}
        WHERE page = start.value ->> 0 AND kind = ${kind} AND (ns, title) ${from} (start.value ->> 1, start.value ->> 2)
          ${when(wanted, () => sql`AND ns = wanted.value ->> 0 AND title = wanted.value ->> 1`)}
          ${when(namespaces, (list) => sql`AND +ns IN ${list}`)} ${endingWith(suffix)}
          ${when(prefix || undefined, (begin) => sql`AND ns = 0 AND title BETWEEN ${begin} AND ${endOf(begin)}`)}
        ORDER BY ns ${order}, title ${order} LIMIT ${one === undefined ? limit : 1}`,
    );
  },
  backlinks: (range) => {
    const { kind, descending, limit, namespaces, redirects, withText } = range;
    const { order, from } = direction(descending);
    const targets = targetsOf(range);
    const starts = targets.map(({ of, from: page = end(descending) }) => [of.ns, of.title, page]);
    const rows = rowsOf<{ readonly at: number; readonly id: number; readonly text: string }>(
      database,
      starts,
      limit,
      sql`
        SELECT json_object('at', start.key, 'id', page, 'text', text) AS found FROM link
        WHERE kind = ${kind} AND ns = start.value ->> 0 AND title = start.value ->> 1 AND page ${from} start.value ->> 2
          ${fromNamespaces(namespaces)} ${isOrIsNot(sql`from_redirect`, redirects)}
          ${isOrIsNot(sql`(text <> '')`, withText)}
        ORDER BY page ${order} LIMIT ${limit}`,
    );
    const pages = new Map(
      database
        .all<PageRow>(sql`SELECT ${PAGE} FROM page WHERE id IN ${[...new Set(rows.map(({ id }) => id))]}`)
        .map((row) => [row.id, pageOf(row)]),
    );
    return rows.flatMap(({ at, id, text }): BacklinkRow[] => {
      const [target, page] = [targets[at]?.of, pages.get(id)];
      return target && page ? [{ target, page, text }] : [];
    });
  },
  targets: (range) => targetRows(database, range),
});

const categoryFunctions = (database: ContentDatabase): Functions<'members' | 'sizes'> => ({
  members: (query) => {
    const { category, namespaces, ...range } = query;
    // The id of the page as the indexes have it: by the page's own, the members with the same key would be sorted.
    const order = range.by === 'time' ? [sql`timestamp`, sql`page`] : [sql`type`, sql`sortkey`, sql`page`];
    return database
      .all<PageRow & Omit<MemberRow, 'page'>>(
        sql`
        SELECT ${PAGE}, sortkey, prefix, timestamp FROM category_member JOIN page ON page.id = page
        WHERE category = ${category} ${when(namespaces, (list) => sql`AND member_ns IN ${list}`)} ${between(order, range)}`,
      )
      .map(({ sortkey, prefix, timestamp, ...row }) => ({ page: pageOf(row), sortkey, prefix, timestamp }));
  },
  sizes: (categories) =>
    database.all<CategorySizes>(sql`
      SELECT category AS title, sum(n * (type = 0)) AS pages, sum(n * (type = 1)) AS subcats, sum(n * (type = 2)) AS files
      FROM category_size WHERE category IN ${categories} GROUP BY category`),
});

const userFunctions = (database: ContentDatabase): Functions<'users' | 'userRange'> => {
  const columns = sql`
    name, id, coalesce((SELECT n FROM edit_count WHERE user = name), 0) AS edits,
    (SELECT min(timestamp) FROM revision WHERE user = name) AS registration`;
  return {
    users: ({ names, ids }) =>
      database.all<ContentUser>(sql`SELECT ${columns} FROM user WHERE name IN ${names} OR (id > 0 AND id IN ${ids})`),
    userRange: ({ since, accounts, brief, ...range }) => {
      const shown = brief ? sql`name, id` : columns;
      const hasAccount = when(accounts !== undefined, () => (accounts ? sql`AND id > 0` : sql`AND id = 0`));
      if (since === undefined)
        return database.all<ContentUser>(sql`
          SELECT ${shown} FROM user WHERE 1 ${hasAccount} ${between([sql`name`], range)}`);
      // The last edit of a user may be later than those that are left.
      return database.all<ContentUser>(sql`
        SELECT ${shown}, (SELECT count(*) FROM revision WHERE user = name AND timestamp >= ${since}) AS recent
        FROM edit_count CROSS JOIN user ON user.name = edit_count.user
        WHERE last >= ${since} ${hasAccount}
          AND EXISTS (SELECT 1 FROM revision WHERE revision.user = edit_count.user AND timestamp >= ${since})
          ${between([sql`edit_count.user`], range)}`);
    },
  };
};
