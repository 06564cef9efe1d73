/** Languages in which the upper case of `i` is `İ`: those of MediaWiki's classes for Turkish (with those that fall back to it), Azerbaijani and Karakalpak. */
const DOTTED: ReadonlySet<string> = new Set(['tr', 'gag', 'kiu', 'lzz', 'az', 'kaa']);

/** Letters whose title case is not their upper case: the digraphs, by the title case. */
const DIGRAPHS = ['\u01c5', '\u01c8', '\u01cb', '\u01f2'] as const;

/** Georgian letters: their upper case is for whole words only. */
const GEORGIAN = /^[\u10d0-\u10fa\u10fd-\u10ff]$/;

/** Greek letters with an iota below or after them, whose upper case is two letters: those with further marks, and the three others. */
const MARKED_IOTA = /^[\u1f80-\u1f87\u1f90-\u1f97\u1fa0-\u1fa7]$/;
const IOTA = /^[\u1fb3\u1fc3\u1ff3]$/;

/**
 * A text whose first letter is in title case, as MediaWiki writes titles and the names of users. Only this function changes the case of a
 * title. One letter becomes one letter: `ß` stays, because its upper case is two.
 *
 * @param language - The code of the content language of the site: Turkish has `İ` for `i`.
 */
export const upperFirst = (text: string, language: string): string => {
  const code = text.codePointAt(0);
  if (code === undefined) return text;
  const letter = String.fromCodePoint(code);
  const upper = titleCase(letter, language);
  return upper === letter ? text : upper + text.slice(letter.length);
};

const titleCase = (letter: string, language: string): string => {
  if (letter === 'i' && DOTTED.has(language.toLowerCase())) return '\u0130';
  if (GEORGIAN.test(letter)) return letter;
  if (MARKED_IOTA.test(letter)) return shifted(letter, 8);
  if (IOTA.test(letter)) return shifted(letter, 9);
  const digraph = DIGRAPHS.find((one) => one.toLowerCase() === letter.toLowerCase());
  if (digraph !== undefined) return digraph;
  const upper = letter.toUpperCase();
  return [...upper].length > 1 ? letter : upper;
};

const shifted = (letter: string, by: number): string => String.fromCharCode(letter.charCodeAt(0) + by);
