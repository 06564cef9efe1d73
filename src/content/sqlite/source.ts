import type {
  BacklinkRow,
  CategorySizes,
  ContentLogEntry,
  ContentPage,
  ContentRevision,
  ContentSearch,
  ContentSource,
  ContentUser,
  LinkRow,
  MemberRow,
  SearchHit,
} from '../source.js';
import { backlinksPerPage, linksPerPage } from '../per-page.js';
import type { ContentDatabase } from './database.js';
import { MARKS, passageOf } from './passage.js';
import { between, type Sql, sql, titleList, when } from './sql.js';

interface PageRow {
  readonly id: number;
  readonly ns: number;
  readonly title: string;
  readonly latest: number;
  readonly length: number;
  readonly touched: string;
  readonly model: string;
  readonly redirect_to: string | null;
  readonly redirect_fragment: string;
}

const PAGE = sql`page.id, page.ns, page.title, latest, length, touched, page.model, redirect_to, redirect_fragment`;

const pageOf = (row: PageRow): ContentPage => {
  const { id, ns, title, latest: revid, length, touched, model, redirect_to: to, redirect_fragment: fragment } = row;
  const page = { id, ns, title, revid, length, touched, model };
  return to === null ? page : { ...page, redirect: fragment === '' ? { to } : { to, fragment } };
};

interface RevisionRow {
  readonly id: number;
  readonly page: number;
  readonly parent: number;
  readonly timestamp: string;
  readonly user: string | null;
  readonly user_id: number;
  readonly minor: number;
  readonly comment: string | null;
  readonly size: number;
  readonly sha1: string;
  readonly model: string;
  readonly format: string;
  readonly text?: string | null;
}

const REVISION = sql`id, page, parent, timestamp, user, user_id, minor, comment, size, sha1, model, format`;

const revisionOf = ({ user, user_id: userid, minor, comment, text, ...row }: RevisionRow): ContentRevision => ({
  ...row,
  userid,
  minor: minor === 1,
  ...(user === null ? {} : { user }),
  ...(comment === null ? {} : { comment }),
  ...(typeof text === 'string' ? { text } : {}),
});

const columns = (text: boolean): Sql => (text ? sql`${REVISION}, text` : REVISION);

/** What the texts of a source are. */
interface TextFormat {
  /** Where the body of a text begins, after front matter. */
  readonly bodyAt?: (text: string, model: string) => number;
}

/** The functions of a source. Each statement is prepared once. */
export const sqliteSource = (database: ContentDatabase, { bodyAt = () => 0 }: TextFormat = {}) =>
  ({
    ...pageFunctions(database),
    ...revisionFunctions(database),
    ...linkFunctions(database),
    ...categoryFunctions(database),
    ...userFunctions(database),
    search: (query: ContentSearch) => searchIn(database, query, bodyAt),
  }) satisfies ContentSource;

type Functions<K extends keyof ContentSource> = Required<Pick<ContentSource, K>>;

const pageFunctions = (database: ContentDatabase): Functions<'pages' | 'pageRange' | 'shuffled'> => ({
  pages: ({ titles, ids, revids }) => {
    const revisions =
      revids.length === 0
        ? sql`NULL`
        : sql`(SELECT json_group_array(id) FROM revision WHERE page = page.id AND id IN ${revids})`;
    const rows = database.all<PageRow & { readonly revids: string | null }>(sql`
      SELECT ${PAGE}, ${revisions} AS revids FROM page
      WHERE (page.ns, page.title) IN ${titleList(titles)} OR page.id IN ${ids}
        ${when(revids, (list) => sql`OR page.id IN (SELECT page FROM revision WHERE id IN ${list})`)}`);
    return rows.map((row) =>
      // Written by the database itself.
      row.revids === null ? pageOf(row) : { ...pageOf(row), revids: JSON.parse(row.revids) as number[] },
    );
  },
  pageRange: ({ ns, redirects, ...range }) =>
    database
      .all<PageRow>(
        sql`
        SELECT ${PAGE} FROM page WHERE ns = ${ns}
          ${when(redirects === true, () => sql`AND redirect_to IS NOT NULL`)}
          ${when(redirects === false, () => sql`AND redirect_to IS NULL`)} ${between([sql`title`], range)}`,
      )
      .map(pageOf),
  shuffled: (range) =>
    database
      .all<PageRow & { readonly random: number }>(
        sql`SELECT ${PAGE}, random FROM page WHERE 1 ${between([sql`random`, sql`id`], range)}`,
      )
      .map((row) => ({ ...pageOf(row), shuffle: row.random })),
});

const revisionFunctions = (database: ContentDatabase): Functions<'revisions' | 'history' | 'log'> => ({
  revisions: ({ ids, text }) =>
    database.all<RevisionRow>(sql`SELECT ${columns(text)} FROM revision WHERE id IN ${ids}`).map(revisionOf),
  history: ({ page, users, latest, text, ...range }) =>
    database
      .all<RevisionRow>(
        sql`
        SELECT ${columns(text)} FROM revision WHERE 1
          ${when(page, (id) => sql`AND page = ${id}`)}
          ${when(users, ([first = '', ...others]) => (others.length === 0 ? sql`AND user = ${first}` : sql`AND user IN ${[first, ...others]}`))}
          ${when(latest, () => sql`AND EXISTS (SELECT 1 FROM page WHERE latest = revision.id AND page.id = revision.page)`)}
          ${between([sql`timestamp`, sql`id`], range)}`,
      )
      .map(revisionOf),
  log: (range) =>
    database
      .all<Omit<ContentLogEntry, 'params'> & { readonly params: string }>(
        sql`SELECT id, type, action, page, user, timestamp, comment, params FROM log WHERE 1
          ${between([sql`timestamp`, sql`id`], range)}`,
      )
      // Written by the importer.
      .map((row) => ({ ...row, params: JSON.parse(row.params) as ContentLogEntry['params'] })),
});

const linkFunctions = (database: ContentDatabase): Functions<'links' | 'backlinks' | 'targets'> => ({
  links: (range) =>
    linksPerPage(range, (page, from, limit) =>
      database.all<LinkRow>(
        sql`SELECT page, ns, title, text FROM link WHERE page = ${page} AND kind = ${range.kind}
          ${between([sql`ns`, sql`title`], { from, descending: range.descending, limit })}`,
      ),
    ),
  backlinks: (range) =>
    backlinksPerPage(range, (target, from, limit) =>
      database
        .all<PageRow & { readonly text: string }>(
          sql`
          SELECT ${PAGE}, link.text FROM link JOIN page ON page.id = link.page
          WHERE kind = ${range.kind} AND link.ns = ${target.ns} AND link.title = ${target.title}
            ${between([sql`link.page`], { from, descending: range.descending, limit })}`,
        )
        .map((row): BacklinkRow => ({ target, page: pageOf(row), text: row.text })),
    ),
  targets: ({ kind, ns, unique, from, to, descending, limit }) => {
    if (!unique) {
      return database.all<LinkRow>(sql`
        SELECT page, ns, title, text FROM link WHERE kind = ${kind} AND ns = ${ns}
          ${between([sql`title`, sql`page`], { from, to, descending, limit })}`);
    }
    // Skips from one title to the next, because a category may have more members than there are categories.
    const next = (condition: Sql): Sql => sql`
      (SELECT title FROM link WHERE kind = ${kind} AND ns = ${ns} ${condition}
        ${when(to, ([last]) => (descending ? sql`AND title >= ${last}` : sql`AND title <= ${last}`))}
        ORDER BY title ${descending ? sql`DESC` : sql`ASC`} LIMIT 1)`;
    const first = when(from, ([title]) => (descending ? sql`AND title <= ${title}` : sql`AND title >= ${title}`));
    return database.all<LinkRow>(sql`
      WITH RECURSIVE found (name) AS (
        SELECT ${next(first)} UNION ALL
        SELECT ${next(descending ? sql`AND title < name` : sql`AND title > name`)} FROM found WHERE name IS NOT NULL
        LIMIT ${limit + 1})
      SELECT 0 AS page, ${ns} AS ns, name AS title FROM found WHERE name IS NOT NULL LIMIT ${limit}`);
  },
});

const categoryFunctions = (database: ContentDatabase): Functions<'members' | 'sizes'> => ({
  members: (query) => {
    const { category, ...range } = query;
    const order = range.by === 'time' ? [sql`timestamp`, sql`page.id`] : [sql`type`, sql`sortkey`, sql`page.id`];
    return database
      .all<PageRow & Omit<MemberRow, 'page'>>(
        sql`
        SELECT ${PAGE}, sortkey, prefix, timestamp FROM category_member JOIN page ON page.id = page
        WHERE category = ${category} ${between(order, range)}`,
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
    userRange: ({ since, ...range }) =>
      database.all<ContentUser>(sql`
        SELECT ${columns}, ${since === undefined ? sql`0` : sql`(SELECT count(*) FROM revision WHERE user = name AND timestamp >= ${since})`} AS recent
        FROM user WHERE 1 ${when(since, () => sql`AND recent > 0`)} ${between([sql`name`], range)}`),
  };
};

/** Further matches are neither ranked nor counted, because both take linear time and block the event loop. */
const MAX_RANKED = 5_000;
/** Pages with matching titles are always ranked, up to this number. */
const MAX_TITLES = 500;

interface FoundRow extends PageRow {
  readonly text: string;
  readonly snippet: string;
  /** The text with marks around matches, if it could begin with front matter. */
  readonly marked: string | null;
  readonly titlesnippet: string;
}

const searchIn = (database: ContentDatabase, query: ContentSearch, bodyAt: NonNullable<TextFormat['bodyAt']>) => {
  const term = (word: string): string => (word.endsWith('*') ? `${quoted(word.slice(0, -1))}*` : quoted(word));
  const wanted = query.words.map(term).join(' AND ');
  const unwanted = query.without.map((word) => ` NOT ${term(word)}`).join('');
  const inTitles = `title : (${wanted})${unwanted}`;
  const words = query.titles ? inTitles : `(${wanted})${unwanted}`;
  const scored = (match: string, most: number): Sql => sql`
    SELECT page.id AS id, bm25(page_text) AS score FROM page_text JOIN page ON page.id = page_text.rowid
    WHERE page_text MATCH ${match} AND page.ns IN ${query.namespaces} LIMIT ${most}`;
  const ranked = database.all<{ readonly id: number }>(sql`
    SELECT id FROM (SELECT * FROM (${scored(words, MAX_RANKED)}) UNION ALL SELECT * FROM (${scored(inTitles, MAX_TITLES)}))
    GROUP BY id ORDER BY min(score), id`);
  const wantedHits = ranked.slice(query.offset, query.offset + query.limit);
  const rows = new Map(
    database
      .all<FoundRow>(
        sql`
        SELECT ${PAGE}, page_text.text,
          snippet(page_text, 1, ${MARKS.before}, ${MARKS.after}, '…', 24) AS snippet,
          CASE WHEN page_text.text LIKE '---%' THEN highlight(page_text, 1, ${MARKS.before}, ${MARKS.after}) END AS marked,
          highlight(page_text, 0, ${MARKS.before}, ${MARKS.after}) AS titlesnippet
        FROM page_text JOIN page ON page.id = page_text.rowid
        WHERE page_text MATCH ${words} AND page_text.rowid IN ${wantedHits.map(({ id }) => id)}`,
      )
      .map((row) => [row.id, row]),
  );
  const hits = wantedHits.flatMap(({ id }): SearchHit[] => {
    const row = rows.get(id);
    if (row === undefined) return [];
    const { text, marked, snippet, titlesnippet } = row;
    const body = marked === null ? 0 : bodyAt(text, row.model);
    return [
      {
        page: pageOf(row),
        snippet: marked === null || body === 0 ? snippet : passageOf(marked, body),
        titlesnippet,
        wordcount: text.slice(body).match(/[\p{L}\p{N}]+/gu)?.length ?? 0,
      },
    ];
  });
  return ranked.length < MAX_RANKED ? { hits, total: ranked.length } : { hits };
};

const quoted = (word: string): string => `"${word.replaceAll('"', '')}"`;
