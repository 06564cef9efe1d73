import { normalizeText } from '../../base/text.js';

/** The scripts in which words stand together without spaces. */
const WITHOUT_SPACES = ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Thai', 'Lao', 'Khmer', 'Myanmar'] as const;

/** What a letter is to a search: `gap` is between words, `picture` a word by itself, and the scripts are those without spaces. */
export type LetterKind = 'gap' | 'letter' | 'arabic' | 'picture' | (typeof WITHOUT_SPACES)[number];

/** A letter with its marks, folded. */
interface FoldedLetter {
  /** The letter; empty for a gap. */
  readonly form: string;
  readonly kind: LetterKind;
}

/** Marks that are not part of a letter, by its script. Other scripts keep theirs. */
const MARKS: readonly (readonly [script: RegExp, dropped: RegExp])[] = [
  [/^[\p{Script=Latin}\p{Script=Greek}]/u, /\p{M}+/gu],
  [/^\u0435/, /[\u0300\u0301\u0308]+/g],
  [/^\p{Script=Cyrillic}/u, /[\u0300\u0301]+/g],
  [/^\p{Script=Hebrew}/u, /[\u0591-\u05c7]+/g],
  [/^\p{Script=Arabic}/u, /[\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed]+/g],
];

/** Letters that count as others, in pairs. */
const SAME: ReadonlyMap<string, string> = new Map(
  'ς:σ ß:ss ı:i ø:o ł:l đ:d ð:d ħ:h ŧ:t þ:th æ:ae œ:oe ى:ي ی:ي ک:ك ة:ه ۀ:ه ہ:ه'.split(' ').map((pair) => {
    const [letter = '', other = ''] = pair.split(':');
    return [letter, other];
  }),
);

/** Nothing at all: soft hyphens, joiners, variation selectors, tones of skin, marks of direction, the line that stretches Arabic words. */
const NOTHING = String.raw`\u00ad\u034f\u061c\u0640\u06e5\u06e6\u200d-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufe00-\ufe0f\ufeff\u{1f3fb}-\u{1f3ff}`;
const ALL_NOTHING = new RegExp(`[${NOTHING}\u200c]+`, 'gu');

/** Belongs to the letter before it: marks, those of half width too, two vowels that contain a mark, and what is nothing. */
const ATTACHED = String.raw`(?:[\p{M}\uff9e\uff9f\u0e33\u0eb3${NOTHING}]|\u200c(?=\p{M})){0,30}`;

/** Letters of Hangul in parts, which are composed: an initial, a vowel, a final. The others are those for typing, and those of half width. */
const INITIAL = String.raw`[\u1100-\u1112\u3131-\u314e\uffa1-\uffbe]`;
const VOWEL = String.raw`[\u1161-\u1175\u314f-\u3163\uffc2-\uffdc]`;
const FINAL = String.raw`[\u11a8-\u11c2]`;

const PIECE = new RegExp(`(?:${INITIAL}${VOWEL}${FINAL}?|[\\uac00-\\ud7a3]${FINAL}|[^])${ATTACHED}`, 'uy');

/** What may follow a letter in its piece, and the parts of Hangul. A character of these or outside the first plane is looked at more closely. */
const JOINS = new RegExp(
  `^(?:${INITIAL}|${VOWEL}|${FINAL}|\\p{Surrogate}|\u200c|[\\p{M}\uff9e\uff9f\u0e33\u0eb3${NOTHING}])$`,
  'u',
);
/** 1 if a character is not one of those, 2 if it is. */
const joining = new Uint8Array(0x1_0000);

const joins = (code: number): boolean => {
  if (joining[code] === 0) joining[code] = JOINS.test(String.fromCharCode(code)) ? 2 : 1;
  return joining[code] === 2;
};

/** The end of the piece that begins here: of one letter with its marks. */
export const endOfPiece = (text: string, start: number): number => {
  if (!joins(text.charCodeAt(start)) && (start + 1 === text.length || !joins(text.charCodeAt(start + 1))))
    return start + 1;
  PIECE.lastIndex = start;
  return PIECE.test(text) ? PIECE.lastIndex : start + 1;
};

const GAP: readonly FoldedLetter[] = [{ form: '', kind: 'gap' }];

/** What has been folded: most texts have few letters. It is emptied when it is full. */
const known = new Map<string, readonly FoldedLetter[]>();
const MAX_KNOWN = 20_000;
const MAX_KNOWN_LENGTH = 8;

/** Folds a piece that is not ASCII only: one letter, or several if it is a sign for several; none if it is nothing. */
export const foldPiece = (piece: string): readonly FoldedLetter[] => {
  const folded = known.get(piece) ?? fold(piece);
  if (piece.length <= MAX_KNOWN_LENGTH) {
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(piece, folded);
  }
  return folded;
};

const fold = (piece: string): readonly FoldedLetter[] => {
  // The signs of a trade mark are not letters of the name.
  if (/^[\u2120\u2122]/.test(piece)) return GAP;
  const bare = piece.replace(ALL_NOTHING, '');
  const composed = normalized(bare, 'NFKC').replace(ALL_NOTHING, '').toLowerCase();
  return (composed.match(/\P{M}\p{M}*/gu) ?? []).map(foldLetter);
};

const foldLetter = (composed: string): FoldedLetter => {
  const [, dropped] = SAME.has(composed) ? [] : marksOf(composed);
  const letter = dropped ? normalized(normalized(composed, 'NFD').replace(dropped, ''), 'NFC') : composed;
  const form = SAME.get(letter) ?? letter;
  const kind = kindOf(form);
  if (kind === 'gap') return { form: '', kind };
  return { form: kind === 'letter' ? form.replace(/\p{Nd}/gu, digit) : form, kind };
};

const marksOf = (composed: string): readonly [script?: RegExp, dropped?: RegExp] => {
  const [base = ''] = normalized(composed, 'NFD');
  return MARKS.find(([script]) => script.test(base)) ?? [];
};

const IS_SCRIPT = WITHOUT_SPACES.map((script) => [script, new RegExp(`^\\p{Script=${script}}`, 'u')] as const);

const kindOf = (form: string): LetterKind => {
  if (/^(?![©®™])\p{Extended_Pictographic}/u.test(form)) return 'picture';
  if (!/^[\p{L}\p{N}]/u.test(form)) return 'gap';
  if (/^\p{Nd}/u.test(form)) return 'letter';
  if (form.startsWith('\u30fc')) return 'Katakana';
  if (/^\p{Script=Arabic}/u.test(form)) return 'arabic';
  return IS_SCRIPT.find(([, script]) => script.test(form))?.[0] ?? 'letter';
};

/** The digits of a script follow each other, and begin at a code point that ends with 0 or 6 in hexadecimal. */
const digit = (letter: string): string => {
  const code = letter.codePointAt(0) ?? 0;
  const place = code & 0xf;
  const beginsRow = /\p{Nd}/u.test(String.fromCodePoint(code - place));
  return String(beginsRow ? place : place - 6);
};

/** A piece has so few marks that it can be normalised. */
const normalized = (text: string, form: 'NFC' | 'NFD' | 'NFKC'): string => normalizeText(text, form, text.length) ?? '';
