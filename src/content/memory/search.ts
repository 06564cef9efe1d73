import type { ContentPage, ContentSearch } from '../source.js';

/** A page in the search index. */
export interface Document {
  readonly page: ContentPage;
  readonly title: readonly string[];
  readonly text: readonly string[];
  readonly wordcount: number;
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

export const documentOf = ({ text, ...page }: ContentPage & { readonly text: string }): Document => {
  const words = wordsOf(text);
  return { page, title: wordsOf(page.title), text: words, wordcount: words.length };
};

/** Counts occurrences of a phrase. Its last word may be a prefix. */
const timesIn = (words: readonly string[], phrase: readonly string[], isStart: boolean): number => {
  let times = 0;
  for (let at = 0; at + phrase.length <= words.length; at += 1) {
    const matches = phrase.every((word, index) => {
      const found = words[at + index] ?? '';
      return isStart && index === phrase.length - 1 ? found.startsWith(word) : found === word;
    });
    if (matches) times += 1;
  }
  return times;
};

/** The documents with all the words and none of the excluded ones, by relevance (BM25). */
export const ranked = (documents: readonly Document[], query: ContentSearch): readonly Document[] => {
  const count = (term: string) => {
    const phrase = wordsOf(term);
    return documents.map(({ title, text }) => {
      const inTitle = timesIn(title, phrase, term.endsWith('*'));
      return query.titles ? inTitle : inTitle + timesIn(text, phrase, term.endsWith('*'));
    });
  };
  const lengths = documents.map(({ title, text }) => title.length + text.length);
  const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, documents.length);
  const scores = documents.map(() => 0);
  const isOut = documents.map(({ page }) => !query.namespaces.includes(page.ns));
  for (const term of query.words) {
    const times = count(term);
    const having = times.filter((n) => n > 0).length;
    const weight = Math.max(1e-6, Math.log((documents.length - having + 0.5) / (having + 0.5)));
    for (const [index, n] of times.entries()) {
      if (n === 0) isOut[index] = true;
      const length = (lengths[index] ?? 0) / average;
      scores[index] = (scores[index] ?? 0) + (weight * n * 2.2) / (n + 1.2 * (0.25 + 0.75 * length));
    }
  }
  for (const term of query.without) {
    for (const [index, n] of count(term).entries()) if (n > 0) isOut[index] = true;
  }
  return documents
    .map((document, index) => ({ document, score: scores[index] ?? 0, index }))
    .filter(({ index }) => !isOut[index])
    .sort((a, b) => b.score - a.score || a.document.page.id - b.document.page.id)
    .map(({ document }) => document);
};
