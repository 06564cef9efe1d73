import { endOf } from '../keys.js';
import type { ContentDatabase } from './database.js';
import { groupPrefix, groupWord, LEVELS } from './schema.js';
import { sql } from './sql.js';

/** How often a word is in the index, or all words with a prefix. */
export interface WordCount {
  /** The pages with it. */
  readonly docs: number;
  /** Its places in all of them. */
  readonly places: number;
}

/** A word that begins with a prefix. */
interface CountedWord extends WordCount {
  readonly term: string;
}

const NOWHERE: WordCount = { docs: 0, places: 0 };

/**
 * Counts the words of the index. Searches need the numbers to know what they cost, and the index itself reads all places of a word to count it. Words
 * that were added since count as rare.
 */
export const countIndexWords = (database: ContentDatabase): void =>
  database.transaction(() => {
    database.run(sql`DELETE FROM word`);
    database.run(sql`INSERT INTO word (term, docs, places) SELECT term, doc, cnt FROM page_word`);
  });

/** The numbers of the words in the index. */
export class WordCounts {
  readonly #database: ContentDatabase;
  #groups: readonly { readonly group: number; readonly docs: number }[] | undefined;

  constructor(database: ContentDatabase) {
    this.#database = database;
  }

  /** A word. */
  word(form: string): WordCount {
    return this.#database.first<WordCount>(sql`SELECT docs, places FROM word WHERE term = ${form}`) ?? NOWHERE;
  }

  /** All words that begin with a prefix. */
  prefix(start: string): WordCount & { readonly words: number } {
    const row = this.#database.first<WordCount & { readonly words: number }>(sql`
      SELECT count(*) AS words, coalesce(sum(docs), 0) AS docs, coalesce(sum(places), 0) AS places
      FROM word WHERE term >= ${start} AND term < ${endOf(start)}`);
    return row ?? { ...NOWHERE, words: 0 };
  }

  /** The most frequent words that begin with a prefix. */
  mostFrequent(start: string, limit: number): readonly CountedWord[] {
    return this.#database.all<CountedWord>(sql`
      SELECT term, docs, places FROM word WHERE term >= ${start} AND term < ${endOf(start)}
      ORDER BY docs DESC, term LIMIT ${limit}`);
  }

  /** The number of pages. */
  get pages(): number {
    return this.#largest.reduce((sum, { docs }) => sum + docs, 0);
  }

  /** The first pages by id: the words of their groups, and how many they are. At most the wanted number, but one group of the smallest size. */
  firstPages(wanted: number): { readonly groups: readonly string[]; readonly pages: number } {
    const groups: string[] = [];
    let pages = 0;
    const take = (level: number, all: readonly { readonly group: number; readonly docs: number }[]): void => {
      for (const { group, docs } of all) {
        const isFirst = groups.length === 0 && level === 1;
        if (pages + docs <= wanted || isFirst) {
          groups.push(groupWord(level, group));
          pages += docs;
        } else {
          if (level > 1) take(level - 1, this.#within(level - 1, group));
          return;
        }
      }
    };
    take(LEVELS.length, this.#largest);
    return { groups, pages };
  }

  /** All groups of the largest size that have pages, by their ids. */
  get #largest(): readonly { readonly group: number; readonly docs: number }[] {
    const prefix = groupPrefix(LEVELS.length);
    this.#groups ??= this.#database
      .all<CountedWord>(sql`SELECT term, docs, places FROM word WHERE term >= ${prefix} AND term < ${endOf(prefix)}`)
      .map(({ term, docs }) => ({ group: Number(term.slice(prefix.length)), docs }))
      .sort((a, b) => a.group - b.group);
    return this.#groups;
  }

  /** The groups in one of the next size. */
  #within(level: number, group: number): readonly { readonly group: number; readonly docs: number }[] {
    return Array.from({ length: 16 }, (_, index) => group * 16 + index)
      .map((one) => ({ group: one, docs: this.word(groupWord(level, one)).docs }))
      .filter(({ docs }) => docs > 0);
  }
}
