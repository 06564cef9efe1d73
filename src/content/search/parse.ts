import { termsIn } from '../../core/query/index.js';
import { BREAK } from '../../core/query/toolkit.js';
import type { ContentTerms } from '../source.js';
import { MAX_PREFIXES, MAX_WORDS } from './bounds.js';

/** A search as terms. */
interface ParsedSearch {
  readonly terms: ContentTerms;
  readonly without: ContentTerms;
  /** The code and the sentence of each warning about what is ignored. */
  readonly notices: readonly (readonly [code: string, sentence: string])[];
}

type Terms = Readonly<Record<keyof ContentTerms, Set<string>>>;

const noTerms = (): Terms => ({ words: new Set(), phrases: new Set(), prefixes: new Set() });
const listed = ({ words, phrases, prefixes }: Terms): ContentTerms => ({
  words: [...words],
  phrases: [...phrases],
  prefixes: [...prefixes],
});

/** Letters of scripts without spaces that count as one word. */
const LETTERS = 4;

/** The beginning of a text that has so many words, and how many all of it has. Where words have no spaces, four letters count as one. */
const firstWords = (
  text: string,
  most: number,
): { readonly start: string; readonly words: number; readonly inRun: boolean } => {
  let [words, letters, end] = [0, 0, 0];
  let inRun = false;
  for (const term of termsIn(text)) {
    if (term.form === BREAK) continue;
    letters = term.isLetter ? letters + 1 : 0;
    if (letters % LETTERS === (term.isLetter ? 1 : 0)) words += 1;
    if (words <= most) end = term.end;
    inRun = term.isLetter;
  }
  return { start: text.slice(0, end), words, inRun };
};

/** Parses a search: words, "phrases", prefixes*, and -excluded words. */
export const parseSearch = (text: string): ParsedSearch => {
  const wanted = noTerms();
  const excluded = noTerms();
  const prefixes = new Set<string>();
  let count = 0;
  for (const [, minus, phrase, word = ''] of text.matchAll(/(-?)(?:"([^"]*)"|([^\s"]+))/g)) {
    const bare = (phrase ?? word).replace(/^intitle:/i, '');
    const left = Math.max(0, MAX_WORDS - count);
    const { start, words, inRun } = firstWords(bare, left);
    if (words === 0) continue;
    count += words;
    if (left === 0) break;
    // Where words have no spaces, the beginning of one is found anyway.
    const isPrefix = phrase === undefined && bare.endsWith('*') && words <= left && !inRun;
    if (isPrefix) prefixes.add(start);
    const kind = isPrefix && prefixes.size <= MAX_PREFIXES ? 'prefixes' : phrase === undefined ? 'words' : 'phrases';
    (minus === '-' ? excluded : wanted)[kind].add(start);
  }
  const notices: [string, string][] = [];
  if (count > MAX_WORDS) notices.push(['searchwords', `Only the first ${MAX_WORDS} words are searched for.`]);
  if (prefixes.size > MAX_PREFIXES) {
    notices.push(['searchprefixes', `Only the first ${MAX_PREFIXES} prefixes are searched for.`]);
  }
  return { terms: listed(wanted), without: listed(excluded), notices };
};
