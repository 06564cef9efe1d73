import { BREAK } from '../../core/query/toolkit.js';
import { wordsIn } from '../passage.js';
import { MAX_EXPANSIONS, MAX_ORDERED, MAX_PHRASE, MAX_PRICE, MAX_RANKED_WORDS, MAX_RANKING } from '../search/bounds.js';
import type { ContentSearch } from '../source.js';
import { namespaceWord } from './schema.js';
import type { WordCount, WordCounts } from './word-counts.js';

/** A search as full-text expressions that cost no more than the bounds allow. */
export interface SearchPlan {
  /** Finds the pages. */
  readonly all: string;
  /** Finds those with the words in their titles. */
  readonly titled: string;
  /** Sentences about what is left out. Empty if all pages are found. */
  readonly parts: readonly string[];
  /** Whether pages with excluded words may be among the hits. */
  readonly isLoose: boolean;
  /** The words that order so many hits; `undefined` if that would cost too much. */
  ranking(hits: number): string | undefined;
}

/** A word, a phrase or a prefix. */
interface Term {
  readonly expression: string;
  /** In postings. */
  readonly price: number;
  /** The number of pages with it, at most. */
  readonly docs: number;
  /** What is left out. */
  readonly part?: string;
}

const quoted = (...words: readonly string[]): string => `"${words.join(' ').replaceAll('"', '')}"`;
const anyOf = (expressions: readonly string[]): string => `(${expressions.join(' OR ')})`;
const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

/** A number in a sentence: `85,000`. */
const shown = (number: number): string => String(number).replace(/\B(?=(\d{3})+$)/g, ',');

/** The prices of words, in postings. The index reads the pages of a word, and then its places. */
const PRICE = {
  word: ({ docs, places }: WordCount): number => docs + places / 10,
  /** All its places are compared with those of the next word. */
  inPhrase: ({ docs, places }: WordCount): number => docs + places / 4,
  /** The pages of several words are merged. */
  ofSeveral: ({ docs, places }: WordCount): number => 2 * docs + places / 10,
  /** The index reads all words with a prefix before it has the first page. */
  prefix: ({ docs, places, words }: WordCount & { readonly words: number }): number =>
    2 * docs + places / 4 + 10 * words,
  /** The index skips pages without the rarest word: so much per page with it. */
  besides: (rarest: number): number => 1_000 + 20 * rarest,
  /** The relevance of a page. */
  ofOrder: 30,
} as const;

/** The groups of pages to which a search is bound cost too. */
const SHARE_OF_GROUPS = 0.2;

/** Decides what a search looks for, by the numbers of its words. One that would cost too much looks at the first pages only. */
export const planSearch = (query: ContentSearch, counts: WordCounts): SearchPlan => {
  const { without } = query;
  const share = MAX_PRICE / 2 / Math.max(1, query.prefixes.length + without.prefixes.length);
  const phrase = (text: string): Term => phraseOf(text, counts);
  const prefix = (text: string): Term => prefixOf(text, counts, share);
  const plain = [...query.words, ...query.phrases].map(phrase);
  const prefixes = query.prefixes.map(prefix);
  const excluded = [...without.words, ...without.phrases].map(phrase);
  const excludedPrefixes = without.prefixes.map(prefix);
  const wanted = [...plain, ...prefixes];
  const places = query.namespaces.map((ns) => ({ word: namespaceWord(ns), docs: counts.word(namespaceWord(ns)).docs }));

  const most = PRICE.besides(Math.min(...wanted.map(({ docs }) => docs)));
  const prices = [...plain, ...excluded].map(({ price }) => price).concat(places.map(({ docs }) => docs));
  const price =
    sumOf(prices.map((one) => Math.min(one, most))) +
    sumOf([...prefixes, ...excludedPrefixes].map((term) => term.price));
  const all = counts.pages;
  const part =
    price > MAX_PRICE
      ? counts.firstPages(Math.floor((all * MAX_PRICE * (1 - SHARE_OF_GROUPS)) / price))
      : { groups: [], pages: all };

  const words = wanted.map(({ expression }) => expression).join(' AND ');
  const within = [places.map(({ word }) => word), part.groups]
    .filter((names) => names.length > 0)
    .map((names) => ` AND place : ${anyOf(names.map((name) => quoted(name)))}`)
    .join('');
  const not = [...excluded, ...excludedPrefixes].map(({ expression }) => ` NOT {title text} : ${expression}`).join('');
  const expression = (columns: string): string => `(${columns} : (${words})${within})${not}`;
  return {
    all: expression(query.titles ? 'title' : '{title text}'),
    titled: expression('title'),
    parts: [
      ...[...prefixes, ...excludedPrefixes].flatMap((term) => term.part ?? []),
      ...(part.groups.length > 0
        ? [
            `This search looked at the first ${shown(part.pages)} of ${shown(all)} pages. Fewer or rarer words search all.`,
          ]
        : []),
    ],
    isLoose: excludedPrefixes.some((term) => term.part !== undefined),
    ranking: (hits) => rankingOf(wanted, hits, all),
  };
};

/** A word, or a phrase: its first words in their order, the others anywhere. */
const phraseOf = (text: string, counts: WordCounts): Term => {
  const forms = wordsIn(text);
  const counted = forms.map((form) => counts.word(form));
  const [inOrder, others] = [forms.slice(0, MAX_PHRASE), forms.slice(MAX_PHRASE).filter((form) => form !== BREAK)];
  const price = forms.length > 1 ? PRICE.inPhrase : PRICE.word;
  return {
    expression: `(${[quoted(...inOrder), ...others.map((form) => quoted(form))].join(' AND ')})`,
    price: sumOf(counted.map(price)),
    docs: Math.min(...counted.map(({ docs }) => docs)),
  };
};

/** A prefix, after words that it follows: all words that begin with it, or the most frequent ones if all cost too much. */
const prefixOf = (text: string, counts: WordCounts, share: number): Term => {
  const forms = wordsIn(text);
  const start = forms.at(-1) ?? '';
  const before = forms.slice(0, -1).slice(0, MAX_PHRASE - 1);
  const beforePrice = sumOf(before.map((form) => PRICE.inPhrase(counts.word(form))));
  const all = counts.prefix(start);
  if (beforePrice + PRICE.prefix(all) <= share) {
    return {
      expression: `${quoted(...before, start)} *`,
      price: beforePrice + PRICE.prefix(all),
      docs: all.docs,
    };
  }
  const chosen: (WordCount & { readonly term: string })[] = [];
  let price = beforePrice;
  for (const word of counts.mostFrequent(start, MAX_EXPANSIONS)) {
    price += PRICE.ofSeveral(word);
    if (price > share && chosen.length > 0) break;
    chosen.push(word);
  }
  return {
    expression: anyOf(chosen.map(({ term }) => quoted(...before, term))),
    price,
    docs: sumOf(chosen.map(({ docs }) => docs)),
    part: `"${start}*" was searched as ${wordsShown(chosen.length)} of ${shown(all.words)}. A longer beginning searches all.`,
  };
};

const wordsShown = (number: number): string =>
  number === 1 ? 'its most frequent word' : `its ${number} most frequent words`;

/** The rarest terms: the others hardly affect the order, and words in most pages of a large site do not at all. */
const rankingOf = (terms: readonly Term[], hits: number, pages: number): string | undefined => {
  const chosen: Term[] = [];
  let price = PRICE.ofOrder * hits;
  for (const term of [...terms].sort((a, b) => a.docs - b.docs).slice(0, MAX_RANKED_WORDS)) {
    const isCommon = term.docs > Math.max(MAX_ORDERED, pages / 2);
    price += term.price;
    if (isCommon || price > MAX_RANKING) break;
    chosen.push(term);
  }
  return chosen.length > 0 ? `{title text} : (${chosen.map(({ expression }) => expression).join(' AND ')})` : undefined;
};
