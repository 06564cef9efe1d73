/** The maximum number of UTF-16 code units in untrusted text before it is normalised, by kind. */
export const MAX_LENGTH = { title: 1024, name: 512, text: 8192 } as const;

/** Text that a normalisation form leaves unchanged, by its characters: none is a combining mark or is affected. */
const SETTLED = { NFC: /^[\0-\u02ff]*$/, NFD: /^[\0-\x7f]*$/, NFKC: /^[\0-\x7f]*$/ } as const;

const MAX_MARKS = 30;

/**
 * More combining marks in a row than the stream-safe text format allows. That format interrupts longer runs with the combining
 * grapheme joiner.
 */
const UNSAFE = /(?:(?!\u034f)\p{M}){31}/u;

/**
 * Normalises untrusted text. Normalisation takes quadratic time for a run of combining marks, so no
 * other code in this package may call `String.prototype.normalize`.
 *
 * @param most - The maximum number of UTF-16 code units: one of `MAX_LENGTH`.
 * @returns `undefined` if the text is longer, or has more than 30 combining marks in a row.
 * @see {@link https://www.unicode.org/reports/tr15/#Stream_Safe_Text_Format | UAX #15 §13}
 */
export const normalizeText = (text: string, form: 'NFC' | 'NFD' | 'NFKC', most: number): string | undefined => {
  if (text.length > most) return undefined;
  if (SETTLED[form].test(text)) return text;
  return text.length > MAX_MARKS && UNSAFE.test(text) ? undefined : text.normalize(form);
};

/** A code for people to read or type: in two halves. */
export const inHalves = (code: string): string => {
  const half = Math.ceil(code.length / 2);
  return `${code.slice(0, half)}-${code.slice(half)}`;
};

/** Escapes text for use in a regular expression. */
export const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
