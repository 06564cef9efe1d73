import { BREAK } from '../../core/query/index.js';
import { endOf } from '../keys.js';
import { soughtIn, wordsIn } from '../passage.js';
import type { ContentSearch, ContentSearchResult, SearchHit } from '../source.js';
import type { ContentDatabase } from './database.js';
import { PAGE, pageOf, type PageRow } from './rows.js';
import { groupWord, LEVELS, namespaceWord } from './schema.js';
import { sql } from './sql.js';

/** Further matches are neither ranked nor counted. */
const MAX_MATCHES = 5_000;
/** If not all matches are found, pages with matching titles come first, up to this number. */
const MAX_TITLES = 500;
/** Milliseconds of processor time for finding and ranking matches. The steps check it, so a search may take a little more. */
const BUDGET = 30;

/** The ids that are searched first. Further windows are as large as the time allows: ids have gaps, and pages any size. */
const FIRST_WINDOW = 16;

/** The size of a small database in bytes: of the texts in it, no search takes long. */
const SMALL = 8 * 2 ** 20;

/** The words of all phrases together that must follow each other: each is looked for in all its places. */
const MAX_PHRASES = 8;

/** The words that the prefixes of a search stand for: the most frequent ones of the index, among the first so many. */
const MAX_EXPANSIONS = 32;
const MAX_WORDS_READ = 256;

/** Ranking considers so many words, the rarest ones. One with further matches is common: ranking by it would read all of them. */
const MAX_RANKED_WORDS = 4;

/** Processor time of one request. A database call cannot be interrupted, so work that may take long is done in steps. */
class SearchBudget {
  readonly #start = process.cpuUsage();
  readonly #most: number;

  /** @param most - In milliseconds. */
  constructor(most: number) {
    this.#most = most;
  }

  /** The milliseconds since it was created. */
  get spent(): number {
    const { user, system } = process.cpuUsage(this.#start);
    return (user + system) / 1000;
  }

  /** Whether a share of it is spent. */
  isSpent(share = 1): boolean {
    return this.spent >= this.#most * share;
  }
}

/** A term as a full-text expression. */
interface Term {
  readonly expression: string;
  /** Whether all words that it stands for are in the expression. */
  readonly complete: boolean;
  /** Its words for ranking. A page that matches has all of them. */
  readonly parts: readonly Part[];
}

interface Part {
  readonly expression: string;
  /** The number of pages with it, if it is known. */
  readonly pages?: number;
}

const quoted = (word: string): string => `"${word.replaceAll('"', '')}"`;
const anyOf = (words: readonly string[]): string => `(${words.map(quoted).join(' OR ')})`;

/** Searches in steps, so that the time is bounded however large the site is and whatever the words are. */
export const searchIn = (database: ContentDatabase, query: ContentSearch): ContentSearchResult => {
  const budget = new SearchBudget(BUDGET);
  const prefixes = [...query.words, ...query.without].filter((word) => word.endsWith('*')).length;
  const phrases = { left: MAX_PHRASES };
  const term = (word: string): Term =>
    soughtIn(word).isStart ? prefixOf(database, word, prefixes) : wordsOf(word, phrases);
  const wanted = query.words.map(term);
  const unwanted = query.without.map(term);
  const words = wanted.map(({ expression }) => expression).join(' AND ');
  const without = unwanted.map(({ expression }) => ` NOT {title text} : ${expression}`).join('');
  const within = ` AND place : ${anyOf(query.namespaces.map(namespaceWord))}`;
  const expression =
    (columns: string) =>
    (groups: readonly string[]): string =>
      `(${columns} : (${words})${within}${groups.length > 0 ? ` AND place : ${anyOf(groups)}` : ''})${without}`;
  const found = matches(database, expression(query.titles ? 'title' : '{title text}'), MAX_MATCHES, budget, 0.6);
  const isComplete = found.complete && wanted.every(({ complete }) => complete);
  const titled =
    found.complete || query.titles || found.ids.length === 0
      ? []
      : matches(database, expression('title'), MAX_TITLES, new SearchBudget(BUDGET), 0.6).ids;
  const ids = [...new Set([...titled, ...found.ids])];
  const ranked = ranking(database, ids, new Set(titled), wanted, budget);
  const hits = hitsOf(database, ranked.slice(query.offset, query.offset + query.limit));
  return { hits, total: ids.length, ...(isComplete ? {} : { isLowerBound: true }) };
};

/** A word, or a phrase: its first words in their order if that is still allowed, the others anywhere. */
const wordsOf = (text: string, phrases: { left: number }): Term => {
  const parts = wordsIn(text);
  // Beyond the first words the order does not matter, and neither does where a run ends.
  const inOrder = parts.length > 1 ? Math.max(1, Math.min(parts.length, phrases.left)) : 1;
  if (inOrder > 1) phrases.left -= inOrder;
  const all = [parts.slice(0, inOrder).join(' ') || text, ...parts.slice(inOrder).filter((part) => part !== BREAK)].map(
    quoted,
  );
  return {
    expression: `(${all.join(' AND ')})`,
    complete: true,
    parts: parts.filter((part) => part !== BREAK).map((part) => ({ expression: quoted(part) })),
  };
};

/** A prefix stands for the most frequent words of the index that begin with it: the index itself would read all their places. */
const prefixOf = (database: ContentDatabase, word: string, prefixes: number): Term => {
  const parts = wordsIn(word);
  const start = parts.at(-1) ?? '';
  const most = Math.max(1, Math.floor(MAX_EXPANSIONS / prefixes));
  const found: { term: string; doc: number }[] = [];
  const budget = new SearchBudget((0.3 * BUDGET) / prefixes);
  let isRead = true;
  // The database counts the pages of a word when it is read.
  for (const row of database.each<{ term: string; doc: number }>(
    sql`SELECT term, doc FROM page_word WHERE term >= ${start} AND term < ${endOf(start)}`,
  )) {
    found.push(row);
    isRead = found.length * prefixes < MAX_WORDS_READ && !budget.isSpent();
    if (!isRead) break;
  }
  found.sort((a, b) => b.doc - a.doc);
  const chosen = found.slice(0, most);
  const before = parts.slice(0, -1).map((part): Part => ({ expression: quoted(part) }));
  const any = anyOf(chosen.length > 0 ? chosen.map(({ term }) => term) : [start]);
  const all = [...before, { expression: any, pages: chosen.reduce((sum, { doc }) => sum + doc, 0) }];
  return {
    expression: `(${all.map(({ expression }) => expression).join(' AND ')})`,
    parts: all,
    complete: isRead && found.length <= most,
  };
};

/** A window of ids: some groups of the same size, the largest that it can begin with. */
const windowFrom = (from: number, size: number): { readonly end: number; readonly groups: readonly string[] } => {
  const level = LEVELS.findLast((one) => 16 ** one <= size && from % 16 ** one === 0) ?? 1;
  const first = from / 16 ** level;
  const last = first + Math.min(Math.max(1, Math.floor(size / 16 ** level)), 16 - (first % 16));
  const groups = Array.from({ length: last - first }, (_, index) => groupWord(level, first + index));
  return { end: last * 16 ** level, groups };
};

/**
 * The ids of the pages that match, in windows of ids, until there are enough of them or the time is spent. A small
 * database is searched at once.
 */
const matches = (
  database: ContentDatabase,
  expression: (groups: readonly string[]) => string,
  most: number,
  budget: SearchBudget,
  share: number,
): { readonly ids: readonly number[]; readonly complete: boolean } => {
  const { last = 0, bytes = 0 } =
    database.first<{ last: number; bytes: number }>(sql`
      SELECT coalesce((SELECT max(id) FROM page), 0) AS last, page_count * page_size AS bytes
      FROM pragma_page_count, pragma_page_size`) ?? {};
  const isSmall = bytes <= SMALL;
  const ids: number[] = [];
  for (let from = 0, size = FIRST_WINDOW; from <= last;) {
    const before = budget.spent;
    const { end, groups } = isSmall ? { end: last + 1, groups: [] } : windowFrom(from, size);
    // As one row: drivers need longer for thousands of rows than the search itself.
    const { found = '[]' } =
      database.first<{ readonly found: string }>(sql`
        SELECT json_group_array(id) AS found FROM (
          SELECT rowid AS id FROM page_text WHERE page_text MATCH ${expression(groups)} LIMIT ${most + 1 - ids.length})`) ??
      {};
    // Written by the database itself.
    ids.push(...(JSON.parse(found) as number[]));
    if (ids.length > most) return { ids: ids.slice(0, most), complete: false };
    from = end;
    if (from <= last && budget.isSpent(share)) return { ids, complete: false };
    const step = budget.spent - before;
    size = step < 2 ? size * 4 : step > 5 ? Math.ceil(size / 2) : size;
  }
  return { ids, complete: true };
};

/** Orders pages by relevance (BM25): by the rarest words, because the others hardly matter. */
const ranking = (
  database: ContentDatabase,
  ids: readonly number[],
  titled: ReadonlySet<number>,
  terms: readonly Term[],
  budget: SearchBudget,
): readonly number[] => {
  const words = ids.length > 1 ? rarest(database, terms, budget) : undefined;
  if (words === undefined) return ids;
  const scores = new Map<number, number>();
  const within = JSON.stringify(ids);
  const rows = database.each<{ readonly id: number; readonly score: number | null }>(sql`
    SELECT rowid AS id,
      CASE WHEN rowid IN (SELECT value FROM json_each(${within})) THEN bm25(page_text, 8.0, 1.0, 0.0) END AS score
    FROM page_text WHERE page_text MATCH ${words}`);
  for (const { id, score } of rows) {
    if (score !== null) scores.set(id, score);
    if (scores.size === ids.length || budget.isSpent()) break;
  }
  const rank = (id: number): number => (titled.has(id) ? -Infinity : (scores.get(id) ?? 0));
  return [...ids].sort((a, b) => (rank(a) === rank(b) ? a - b : rank(a) - rank(b)));
};

/** The words to rank by; `undefined` if all are common, or if there is no time. */
const rarest = (database: ContentDatabase, terms: readonly Term[], budget: SearchBudget): string | undefined => {
  const counted = new Map<string, number>();
  for (const { expression, pages } of terms.flatMap(({ parts }) => parts)) {
    if (budget.isSpent(0.8)) return undefined;
    const match = `{title text} : ${expression}`;
    const count = () =>
      database.first<{ n: number }>(sql`
        SELECT count(*) AS n FROM (SELECT 1 FROM page_text WHERE page_text MATCH ${match} LIMIT ${MAX_MATCHES})`);
    if (!counted.has(expression)) counted.set(expression, pages ?? count()?.n ?? 0);
  }
  const rare = [...counted].filter(([, n]) => n < MAX_MATCHES).sort(([, a], [, b]) => a - b);
  const chosen = rare.slice(0, MAX_RANKED_WORDS).map(([expression]) => expression);
  return chosen.length > 0 ? `{title text} : (${chosen.join(' AND ')})` : undefined;
};

const hitsOf = (database: ContentDatabase, ids: readonly number[]): readonly SearchHit[] =>
  database
    .all<PageRow & { readonly words: number }>(
      sql`
      SELECT ${PAGE}, words FROM (SELECT value AS wanted, key AS place FROM json_each(${JSON.stringify(ids)}))
      JOIN page ON page.id = wanted ORDER BY place`,
    )
    .map((row) => ({ page: pageOf(row), wordcount: row.words }));
