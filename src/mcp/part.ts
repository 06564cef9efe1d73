/** The size of a text or data as JSON, in bytes of UTF-8. */
export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** Belongs to the character before it: marks, joiners, tones of skin, tags of flags. */
const ATTACHED = /^(?:\p{M}|\p{Emoji_Modifier}|[\u200d\u0e33\u0eb3\uff9e\uff9f]|[\u{e0020}-\u{e007f}])/u;
/** Belongs to the character after it: a joiner, the signs that join consonants of Indic scripts, signs before numbers. */
const ATTACHING = /(?:\u200d|\u094d|\u09cd|\u0acd|\u0b4d|\u0c4d|\u0d4d|[\u0600-\u0605\u06dd\u070f\u08e2])$/u;
/** Parts of one syllable of Hangul. */
const HANGUL = /^(?:[\u1100-\u115f][\u1100-\u11a7\uac00-\ud7a3]|[\u1160-\u11ff\uac00-\ud7a3][\u1160-\u11ff])/u;
/** Two of these are a flag. */
const isIndicator = (code: number | undefined): boolean => code !== undefined && code >= 0x1f1e6 && code <= 0x1f1ff;

/** No letter has so many marks that a reader could tell. */
const MAX_LETTER = 64;

/** Whether a text that begins at `from` can be cut here without splitting a letter from its marks, or a picture or flag from its parts. */
const isBetweenLetters = (text: string, from: number, at: number): boolean => {
  const before = text.slice(Math.max(from, at - 2), at);
  const after = text.slice(at, at + 2);
  if (/[\ud800-\udbff]$/.test(before) && /^[\udc00-\udfff]/.test(after)) return false;
  if (before.endsWith('\r') && after.startsWith('\n')) return false;
  if (ATTACHED.test(after) || ATTACHING.test(before) || HANGUL.test(before.slice(-1) + after)) return false;
  let indicators = 0;
  if (isIndicator(after.codePointAt(0)))
    while (isIndicator(text.codePointAt(at - 2 * (indicators + 1))) && at - 2 * (indicators + 1) >= from)
      indicators += 1;
  return indicators % 2 === 0;
};

/** The bytes of a code unit in JSON: half of a pair of surrogates has half of the pair's. */
const bytesAt = (text: string, at: number): number => {
  const unit = text.charCodeAt(at);
  if (unit === 0x22 || unit === 0x5c) return 2;
  if (unit < 0x20) return '\b\t\n\f\r'.includes(text.charAt(at)) ? 2 : 6;
  if (unit < 0x80) return 1;
  if (unit < 0x800) return 2;
  if (unit < 0xd800 || unit > 0xdfff) return 3;
  const code = text.codePointAt(unit < 0xdc00 ? at : at - 1) ?? 0;
  return code > 0xffff ? 2 : 6;
};

const END_OF_SENTENCE = /[.!?…؟।]["'”’)\]]*\s+|[。！？][」』”’）]*/g;

/** The end of the last line or, without one, of the last sentence; `undefined` without either. */
const endOfSense = (text: string): number | undefined => {
  const line = text.lastIndexOf('\n') + 1;
  if (line > 0) return line;
  const sentence = [...text.matchAll(END_OF_SENTENCE)].at(-1);
  return sentence && sentence.index + sentence[0].length;
};

/**
 * The part of a text that begins at `from` and has at most so many bytes as JSON. It ends between letters with their marks; with a line or a
 * sentence, if one ends in its last tenth.
 */
export const partOf = (text: string, from: number, maxBytes: number): string => {
  let end = from;
  for (let bytes = 0; end < text.length; end += 1) {
    bytes += bytesAt(text, end);
    if (bytes > maxBytes) break;
  }
  if (end === text.length) return text.slice(from);
  let cut = end;
  while (cut > from && end - cut < MAX_LETTER && !isBetweenLetters(text, from, cut)) cut -= 1;
  // A row of marks that no letter has.
  if (cut === from || end - cut === MAX_LETTER) cut = /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end - 1 : end;
  const tenth = from + Math.ceil((cut - from) * 0.9);
  const sense = tenth + (endOfSense(text.slice(tenth, cut)) ?? cut - tenth);
  return text.slice(from, isBetweenLetters(text, from, sense) ? sense : cut);
};
