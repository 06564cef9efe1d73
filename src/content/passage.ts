import { termsIn } from '../core/query/index.js';
import { normalizeText, type Term } from '../core/query/toolkit.js';
import { MAX_PHRASE } from './search/bounds.js';

/** The characters around matches. */
const MARKS = { before: '\u0001', after: '\u0002' } as const;

/** A word, phrase or prefix that is looked for. */
interface Sought {
  readonly forms: readonly string[];
  /** Whether the last form is the beginning of a word. */
  readonly isStart: boolean;
}

/** The terms of a search. */
type Matcher = readonly Sought[];

/** The forms of the words of a text, as an index has them. */
export const wordsIn = (text: string): readonly string[] => termsIn(text).map(({ form }) => form);

/** Reads a word, a phrase, or a prefix with its star. In a run without spaces a prefix is the run itself: the letters after it need no star. */
const soughtIn = (text: string): Sought => {
  const terms = termsIn(text);
  return { forms: terms.map(({ form }) => form), isStart: text.endsWith('*') && terms.at(-1)?.isLetter === false };
};

/** Finds the terms of a search, which are words, phrases and prefixes with `*`. The order of the last words of a long phrase does not matter. */
export const matcherOf = (terms: readonly string[]): Matcher =>
  terms
    .map(soughtIn)
    .flatMap(({ forms, isStart }) => [
      ...(forms.length > 0
        ? [{ forms: forms.slice(0, MAX_PHRASE), isStart: isStart && forms.length <= MAX_PHRASE }]
        : []),
      ...forms.slice(MAX_PHRASE).map((form) => ({ forms: [form], isStart: false })),
    ]);

/** A part of a text. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** The matches in a text, which do not overlap: at each place the longest one. */
const matchesIn = (terms: readonly Term[], matcher: Matcher): readonly Span[] => {
  const spans: Span[] = [];
  for (let at = 0; at < terms.length; at += 1) {
    let length = 0;
    for (const sought of matcher) {
      if (sought.forms.length > length && matchesAt(terms, at, sought)) length = sought.forms.length;
    }
    const [first, last] = [terms[at], terms[at + length - 1]];
    if (length === 0 || !first || !last) continue;
    spans.push({ start: first.start, end: last.end });
    at += length - 1;
  }
  return spans;
};

const matchesAt = (terms: readonly Term[], at: number, { forms, isStart }: Sought): boolean =>
  forms.every((form, index) => {
    const found = terms[at + index]?.form;
    return found === form || (isStart && index === forms.length - 1 && found?.startsWith(form) === true);
  });

const unmarked = (text: string): string => text.replace(/[\u0001\u0002]/g, '');

/** A text that is expensive to normalize is left as it is. */
const normalized = (text: string): string => normalizeText(text, 'NFC', text.length) ?? text;

/** A part of a text with marks around the matches in it. */
const withMarks = (text: string, { start, end }: Span, matches: readonly Span[]): string => {
  let shown = '';
  let at = start;
  for (const match of matches) {
    if (match.start < start || match.end > end) continue;
    shown += text.slice(at, match.start) + MARKS.before + text.slice(match.start, match.end) + MARKS.after;
    at = match.end;
  }
  return normalized(shown + text.slice(at, end));
};

/** A title with marks around matches. */
export const markedTitle = (title: string, matcher: Matcher): string => {
  const text = unmarked(title);
  return withMarks(text, { start: 0, end: text.length }, matchesIn(termsIn(text), matcher));
};

/** The letters before a match, and after it, where there are no spaces. */
const MAX_LETTERS = 75;

/** A passage of about 24 words around the first match, or the first words if there is none. Where there are no spaces, it has 75 letters on each side. */
export const passageOf = (text: string, matcher: Matcher): string => {
  const body = unmarked(text).trim();
  const terms = termsIn(body);
  const matches = matchesIn(terms, matcher);
  const first = matches[0] ?? { start: 0, end: 0 };
  const start = startOf(body, terms, first.start);
  const end = Math.max(first.end, endOf(body, terms, first));
  return `${start > 0 ? '…' : ''}${withMarks(body, { start, end }, matches)}${end < body.length ? '…' : ''}`;
};

/** A letter of a script without spaces, or a pictograph. */
const needsNoSpace = ({ isLetter, form }: Term): boolean => isLetter || /^\p{Extended_Pictographic}/u.test(form);

/** Whether a pictograph of several parts would be cut here. */
const isJoined = (body: string, at: number): boolean => body.charAt(at - 1) === '\u200d';

/** Where a passage before a match begins: between letters. */
const startOf = (body: string, terms: readonly Term[], match: number): number => {
  const before = terms.filter(({ end }) => end <= match).reverse();
  // A word may be as long as the text.
  const [words = ''] = /(?:\S+\s+){0,6}\S*$/.exec(body.slice(Math.max(0, match - 200), match)) ?? [];
  const at = Math.max(match - words.length, before.filter(needsNoSpace)[MAX_LETTERS - 1]?.start ?? 0);
  if (at === 0 || /\s/.test(body.charAt(at - 1))) return at;
  return before.findLast(({ start }) => start >= at && !isJoined(body, start))?.start ?? match;
};

/** Where a passage after a match ends: between letters. */
const endOf = (body: string, terms: readonly Term[], match: Span): number => {
  const after = terms.filter(({ start }) => start >= match.end);
  const [words = ''] = /^\S*(?:\s+\S+){0,18}/.exec(body.slice(match.start, match.start + 800)) ?? [];
  const letters = after.filter(needsNoSpace);
  const at = Math.min(match.start + words.length, letters[MAX_LETTERS]?.start ?? body.length);
  if (at === body.length || /\s/.test(body.charAt(at))) return at;
  return after.findLast(({ end }) => end <= at && !isJoined(body, end))?.end ?? match.end;
};
