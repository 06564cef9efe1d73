import { normalizeText } from '../core/query/index.js';

/** The characters around matches. */
const MARKS = { before: '\u0001', after: '\u0002' } as const;

const LETTER = String.raw`[\p{L}\p{N}\p{M}]`;
/** Between the words of a phrase. Bounded, as all repetitions here: a text is hostile. */
const GAP = String.raw`[^\p{L}\p{N}\p{M}]{1,20}`;

/** A text that is expensive to normalize is left as it is. */
const normalized = (text: string, form: 'NFC' | 'NFD'): string => normalizeText(text, form, text.length) ?? text;

/** The words of a text as an index sees them: lower case, without diacritics. */
export const wordsIn = (text: string): readonly string[] =>
  normalized(text.toLowerCase(), 'NFD')
    .replace(/\p{M}/gu, '')
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** Finds the terms of a search, which are words, phrases and prefixes with `*`, in text in normalization form D. */
export const matcherOf = (terms: readonly string[]): RegExp => {
  const forms = terms.map((term) => {
    const words = wordsIn(term).map((word) => [...word].map((letter) => String.raw`${letter}\p{M}{0,4}`).join(''));
    return words.length > 0 && term.endsWith('*') ? `${words.join(GAP)}${LETTER}{0,40}` : words.join(GAP);
  });
  const any = forms.filter((form) => form !== '').join('|');
  return new RegExp(`(?<!${LETTER})(?:${any || '(?!)'})(?!${LETTER})`, 'giu');
};

const unmarked = (text: string): string => normalized(text, 'NFD').replace(/[\u0001\u0002]/g, '');

const withMarks = (text: string, matcher: RegExp): string =>
  normalized(text.replace(matcher, `${MARKS.before}$&${MARKS.after}`), 'NFC');

/** A title with marks around matches. */
export const markedTitle = (title: string, matcher: RegExp): string => withMarks(unmarked(title), matcher);

/** A passage of about 24 words around the first match, or the first words if there is none. */
export const passageOf = (text: string, matcher: RegExp): string => {
  const body = unmarked(text).trim();
  const match = Math.max(body.search(matcher), 0);
  // A word may be as long as the text.
  const [before = ''] = /(?:\S+\s+){0,6}\S*$/.exec(body.slice(Math.max(0, match - 200), match)) ?? [];
  const [after = ''] = /^\S*(?:\s+\S+){0,18}/.exec(body.slice(match, match + 800)) ?? [];
  const shown = withMarks(before + after, matcher);
  return `${before.length < match ? '…' : ''}${shown}${match + after.length < body.length ? '…' : ''}`;
};
