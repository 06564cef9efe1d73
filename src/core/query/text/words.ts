import { endOfPiece, foldPiece, type LetterKind } from './letters.js';

/**
 * The number of the rules in this folder. It increases when a text gives other terms than before, because an index and a search must have the same.
 */
export const TEXT_RULES = 1;

/**
 * Stands between two runs that do not touch each other, so that a run of a search does not match across it. It is no letter, so that no search contains it
 * as a word.
 */
export const BREAK = '\u{e001}';

/** A term of a text: what an index stores, and what a search looks for. */
export interface Term {
  /** A folded word, a letter of a run, a pictograph, or {@link BREAK}. Without spaces and ASCII punctuation. */
  readonly form: string;
  /** Whether it is a letter of a run, which stands without spaces. */
  readonly isLetter: boolean;
  /** Where it begins in the text, in UTF-16 code units. */
  readonly start: number;
  /** Where it ends, with its marks. */
  readonly end: number;
}

/**
 * The terms of a text, in order. A word is a run of letters, marks and numbers, folded: without case, without the marks that are not part of a letter. In scripts
 * without spaces each letter is a term, and a run is found by the letters that follow each other: pairs of letters would be found faster, but need
 * twice the index. A text matches a phrase if it has its terms next to each other.
 */
export const termsIn = (text: string): readonly Term[] => {
  const terms: Term[] = [];
  let last: LetterKind | undefined;
  read(text, (form, kind, joined, start, end) => {
    if (isBreak(kind, joined, last)) terms.push({ form: BREAK, isLetter: false, start, end: start });
    terms.push({ form, isLetter: isRun(kind), start, end });
    last = kind;
  });
  return terms;
};

/** A text as an index stores it, and how many words it has. */
interface FoldedText {
  /** The forms of its terms between spaces: an index cuts it there, and at nothing else. */
  readonly folded: string;
  /** As readers count them: each letter of Han and Hiragana is one, and each unbroken row of another script without spaces. */
  readonly words: number;
}

/** Both in one pass, because an import does this for each text. */
export const foldText = (text: string): FoldedText => {
  let folded = '';
  let words = 0;
  let last: LetterKind | undefined;
  read(text, (form, kind, joined) => {
    if (folded !== '') folded += isBreak(kind, joined, last) ? ` ${BREAK} ` : ' ';
    folded += form;
    if (!(joined && kind === last) || kind === 'Han' || kind === 'Hiragana') words += 1;
    last = kind;
  });
  return { folded, words };
};

/** Whether the letters of a kind stand together without spaces. */
const isRun = (kind: LetterKind): boolean => kind !== 'letter' && kind !== 'picture';

/** Whether a term begins a run right after another one that it does not touch. */
const isBreak = (kind: LetterKind, joined: boolean, last: LetterKind | undefined): boolean =>
  isRun(kind) && last !== undefined && isRun(last) && !joined;

/**
 * Receives a term.
 *
 * @param kind - A word is of the kind `letter`, whatever its script.
 * @param joined - Whether it touches the letter of a run before it.
 */
type Receive = (form: string, kind: LetterKind, joined: boolean, start: number, end: number) => void;

/** Cuts a text into terms, in one pass. */
const read = (text: string, receive: Receive): void => {
  const word = { form: '', isArabic: false, start: 0, end: 0 };
  let inRun = false;
  const endWord = (): void => {
    if (word.form !== '') receive(word.form, 'letter', false, word.start, word.end);
    word.form = '';
  };
  const add = (form: string, isArabic: boolean, start: number, end: number): void => {
    if (word.form === '') word.start = start;
    word.form += form;
    word.end = end;
    word.isArabic = isArabic;
    inRun = false;
  };
  const gap = (): void => {
    endWord();
    inRun = false;
  };
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = start;
    while (isPlain(text.charCodeAt(end))) end += 1;
    // The last letter of a stretch of ASCII may have a mark.
    if (end > start + 1 && text.charCodeAt(end) > 0x7f) end -= 1;
    if (end > start && !(text.charCodeAt(end) > 0x7f)) {
      add(text.slice(start, end).toLowerCase(), false, start, end);
      continue;
    }
    while (isSeparator(text.charCodeAt(end))) end += 1;
    if (end > start && text.charCodeAt(end) > 0x7f) end -= 1;
    if (end > start) {
      gap();
      continue;
    }
    end = endOfPiece(text, start);
    const piece = text.slice(start, end);
    if (piece < '\u0080' && !isPlain(piece.charCodeAt(0))) gap();
    // No run ends here.
    else if (piece.startsWith('\u200b') || (piece.startsWith('\u200c') && word.isArabic)) endWord();
    else if (!piece.startsWith('\u200c')) {
      for (const { form, kind } of foldPiece(piece)) {
        if (kind === 'letter' || kind === 'arabic') add(form, kind === 'arabic', start, end);
        else if (kind === 'gap') gap();
        else {
          endWord();
          receive(form, kind, inRun, start, end);
          inRun = kind !== 'picture';
        }
      }
    }
  }
  endWord();
};

/** Whether a UTF-16 code unit is ASCII, and neither a letter nor a digit. */
const isSeparator = (code: number): boolean => code < 0x80 && !isPlain(code);

/** Whether a UTF-16 code unit is an ASCII letter or digit. */
const isPlain = (code: number): boolean =>
  (code > 0x60 && code < 0x7b) || (code > 0x40 && code < 0x5b) || (code > 0x2f && code < 0x3a);
