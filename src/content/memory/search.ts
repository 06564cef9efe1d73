import { countWords } from '../../core/query/index.js';
import { soughtIn, wordsIn } from '../passage.js';
import type { ContentPage, ContentSearch, ContentSearchResult } from '../source.js';

/** A page in the search index, as words between spaces. */
interface Document {
  readonly page: ContentPage;
  readonly title: string;
  readonly text: string;
  readonly wordcount: number;
  /** The number of words in its title and text. */
  readonly size: number;
  /** The numbers of its words, to skip pages without a word. */
  readonly words: Uint32Array;
}

type SearchedPage = ContentPage & { readonly text: string };

const spaced = (words: readonly string[]): string => ` ${words.join(' ')} `;

/** A number of a word, which few other words have (FNV-1a). */
const numberOf = (word: string): number => {
  let number = 0x811c9dc5;
  for (let at = 0; at < word.length; at += 1) number = Math.imul(number ^ word.charCodeAt(at), 0x01000193);
  return number >>> 0;
};

/** Whether a sorted array has a number. */
const includes = (numbers: Uint32Array, wanted: number): boolean => {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return numbers[low] === wanted;
};

/** Texts are split when they are first searched. */
const documents = new WeakMap<SearchedPage, Document>();

const documentOf = (page: SearchedPage): Document => {
  const known = documents.get(page);
  if (known) return known;
  const words = wordsIn(page.text);
  const inTitle = wordsIn(page.title);
  const numbers = new Uint32Array(new Set([...inTitle, ...words].map(numberOf))).sort();
  const made = {
    page,
    title: spaced(inTitle),
    text: spaced(words),
    wordcount: countWords(page.text),
    size: inTitle.length + words.length,
    words: numbers,
  };
  documents.set(page, made);
  return made;
};

/** Prepares pages for searches, so that the first one takes no longer than the others. */
export const indexPage = (page: SearchedPage): void => void documentOf(page);

/** The characters of texts with the words that a search reads. Pages after that are not found, so that no search takes long. */
const MAX_READ = 15_000_000;
/** Occurrences of a term in one text that are counted, because more make no difference to relevance. */
const MAX_COUNT = 5;

/** Counts occurrences of a term, up to the maximum. */
const timesIn = (text: string, term: string): number => {
  let times = 0;
  for (let at = text.indexOf(term); at >= 0 && times < MAX_COUNT; at = text.indexOf(term, at + term.length - 1)) {
    times += 1;
  }
  return times;
};

/** A term: a word, a phrase, or the beginning of a word. */
interface Term {
  /** As it occurs in the text of a document. */
  readonly form: string;
  /** The numbers of its complete words. */
  readonly words: readonly number[];
}

const termOf = (term: string): Term => {
  const { forms: words, isStart } = soughtIn(term);
  const form = isStart ? spaced(words).slice(0, -1) : spaced(words);
  return { form, words: (isStart ? words.slice(0, -1) : words).map(numberOf) };
};

/** The pages with all the words and none of the excluded ones, by relevance (BM25). */
export const searchIn = (pages: Iterable<SearchedPage>, query: ContentSearch): ContentSearchResult => {
  const words = query.words.map(termOf);
  const without = query.without.map(termOf);
  const found: { readonly document: Document; readonly times: readonly number[] }[] = [];
  let [count, length, read] = [0, 0, 0];
  const timesOf = ({ title, text, words: known }: Document, term: Term): number => {
    if (!term.words.every((word) => includes(known, word))) return 0;
    read += title.length + (query.titles ? 0 : text.length);
    return timesIn(title, term.form) + (query.titles ? 0 : timesIn(text, term.form));
  };
  /** The pages with each word, among those that have the words before it. */
  const having = words.map(() => 0);
  let isComplete = true;
  for (const page of pages) {
    if (!query.namespaces.includes(page.ns)) continue;
    if (read > MAX_READ) {
      isComplete = false;
      break;
    }
    const document = documentOf(page);
    count += 1;
    length += document.size;
    const times: number[] = [];
    for (const [index, word] of words.entries()) {
      const n = timesOf(document, word);
      if (n === 0) break;
      times.push(n);
      having[index] = (having[index] ?? 0) + 1;
    }
    if (times.length < words.length || without.some((word) => timesOf(document, word) > 0)) continue;
    found.push({ document, times });
  }
  const average = length / Math.max(1, count);
  const weights = having.map((n) => Math.max(1e-6, Math.log((count - n + 0.5) / (n + 0.5))));
  const scored = found.map(({ document, times }) => {
    const relative = document.size / average;
    const parts = times.map((n, index) => ((weights[index] ?? 0) * n * 2.2) / (n + 1.2 * (0.25 + 0.75 * relative)));
    return { document, score: parts.reduce((sum, part) => sum + part, 0) };
  });
  scored.sort((a, b) => b.score - a.score || a.document.page.id - b.document.page.id);
  const hits = scored
    .slice(query.offset, query.offset + query.limit)
    .map(({ document: { page, wordcount } }) => ({ page, wordcount }));
  return { hits, total: found.length, ...(isComplete ? {} : { isLowerBound: true }) };
};
