import { MAX_ORDERED, MAX_TITLED } from '../search/bounds.js';
import type { ContentSearch, ContentSearchResult, SearchHit } from '../source.js';
import type { ContentDatabase } from './database.js';
import { PAGE, pageOf, type PageRow } from './rows.js';
import { planSearch, type SearchPlan } from './search-plan.js';
import { type Sql, sql } from './sql.js';
import { WordCounts } from './word-counts.js';

/** Searches the index. The plan bounds what that costs, however large the site is and whatever the words are. */
export const searchIn = (database: ContentDatabase, query: ContentSearch): ContentSearchResult => {
  const plan = planSearch(query, new WordCounts(database));
  const { all, parts, isLoose } = plan;
  const first = matches(database, all, sql`LIMIT ${MAX_ORDERED + 1}`);
  const isLong = first.length > MAX_ORDERED;
  const count = isLong ? countOf(database, all) : first.length;
  const head = headOf(database, query, plan, isLong ? first.slice(0, MAX_ORDERED) : first, isLong);
  const end = query.offset + query.limit;
  const ids = head.ids.slice(query.offset, end);
  if (isLong && end > head.ids.length) {
    const skipped = Math.max(0, query.offset - head.ids.length);
    // Those that are in the head already come before the last one of it, or are in the list.
    const others = sql`AND rowid > ${first[MAX_ORDERED - 1] ?? 0} AND rowid NOT IN ${[...head.titled]}`;
    ids.push(...matches(database, all, sql`${others} LIMIT ${query.limit - ids.length} OFFSET ${skipped}`));
  }
  const next = query.offset + ids.length;
  return {
    rows: hitsOf(database, ids),
    total: parts.length === 0 ? { exact: count } : isLoose ? { about: count } : { atLeast: count },
    ...(next < count && { next }),
    ...(parts.length > 0 && { parts }),
  };
};

/** The hits that are in order: all, or the first ones by id and those with the words in their titles. */
const headOf = (
  database: ContentDatabase,
  query: ContentSearch,
  plan: SearchPlan,
  first: readonly number[],
  isLong: boolean,
): { readonly ids: readonly number[]; readonly titled: ReadonlySet<number> } => {
  // Without those after its page.
  if (first.length === 0) return { ids: [], titled: new Set() };
  const ranking = first.length > 1 ? plan.ranking(first.length) : undefined;
  const needsTitles = !query.titles && first.length > 1 && (isLong || ranking === undefined);
  const titled = new Set(needsTitles ? matches(database, plan.titled, sql`LIMIT ${MAX_TITLED}`) : []);
  const ids = [...new Set([...titled, ...first])];
  const scores = ranking === undefined ? new Map<number, number>() : scoresOf(database, ids, ranking);
  const rank = (id: number): number => (titled.has(id) ? -Infinity : 0);
  const score = (id: number): number => scores.get(id) ?? 0;
  return { titled, ids: ids.sort((a, b) => compare(rank(a), rank(b)) || score(a) - score(b) || a - b) };
};

const compare = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1);

/** The ids of pages that match, in their order. As one row: drivers need longer for thousands of rows than the search itself. */
const matches = (database: ContentDatabase, expression: string, range: Sql): readonly number[] => {
  const { found = '[]' } =
    database.first<{ readonly found: string }>(sql`
      SELECT json_group_array(id) AS found
      FROM (SELECT rowid AS id FROM page_text WHERE page_text MATCH ${expression} ${range})`) ?? {};
  // Written by the database itself.
  return JSON.parse(found) as number[];
};

const countOf = (database: ContentDatabase, expression: string): number =>
  database.first<{ readonly n: number }>(sql`SELECT count(*) AS n FROM page_text WHERE page_text MATCH ${expression}`)
    ?.n ?? 0;

/** The relevance of pages (BM25), the least of which is the best. Rounded, so that versions of the database agree. */
const scoresOf = (database: ContentDatabase, ids: readonly number[], words: string): ReadonlyMap<number, number> => {
  const scores = new Map<number, number>();
  // A list of ids as a condition would be a search for each.
  const rows = database.each<{ readonly id: number; readonly score: number | null }>(sql`
    SELECT rowid AS id,
      CASE WHEN +rowid IN ${ids} THEN round(bm25(page_text, 8.0, 1.0, 0.0), 6) END AS score
    FROM page_text WHERE page_text MATCH ${words}`);
  for (const { id, score } of rows) {
    if (score !== null) scores.set(id, score);
    if (scores.size === ids.length) break;
  }
  return scores;
};
const hitsOf = (database: ContentDatabase, ids: readonly number[]): readonly SearchHit[] =>
  database
    .all<PageRow & { readonly words: number }>(
      sql`
      SELECT ${PAGE}, words FROM (SELECT value AS wanted, key AS place FROM json_each(${JSON.stringify(ids)}))
      JOIN page ON page.id = wanted ORDER BY place`,
    )
    .map(({ words, ...row }) => ({ page: pageOf(row), wordcount: words }));
