/** The text of a file, with a sentence if something is wrong with it; or why it is no text. */
type DecodedText = { readonly text: string; readonly problem?: Problem } | { readonly reason: string };

interface Problem {
  readonly line?: number;
  readonly message: string;
}

const UTF_8 = new TextDecoder();
const UTF_16 = new TextDecoder('utf-16le');
const LITTLE_ENDIAN = Buffer.from([0xff, 0xfe]);
const BIG_ENDIAN = Buffer.from([0xfe, 0xff]);
const UTF_8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** A file with a larger part of other bytes has another encoding, and would be hard to read. */
const MOST_INVALID = 0.01;

/** Decodes UTF-8, and UTF-16 that begins with a byte order mark, which is not part of the text. */
export const decodeText = (bytes: Buffer): DecodedText => {
  const start = bytes.subarray(0, 2);
  if (start.equals(LITTLE_ENDIAN) || start.equals(BIG_ENDIAN)) return decodeUtf16(bytes, start.equals(BIG_ENDIAN));
  if (bytes.includes(0)) return NUL;
  const text = UTF_8.decode(bytes);
  const source = bytes.subarray(0, 3).equals(UTF_8_MARK) ? bytes.subarray(3) : bytes;
  const again = Buffer.from(text);
  if (again.equals(source)) return { text };
  const invalid = text.split('\ufffd').length - occurrences(source, REPLACEMENT) - 1;
  if (invalid > source.length * MOST_INVALID) return { reason: 'Skipped: the file is not UTF-8. Save it as UTF-8.' };
  const first = source.findIndex((byte, index) => byte !== again[index]);
  const message = 'The file is not valid UTF-8. Invalid bytes are replaced with U+FFFD.';
  return { text, problem: { line: occurrences(source.subarray(0, first), LINE_FEED) + 1, message } };
};

const NUL = { reason: 'Skipped: the file contains NUL, so it is not a text.' };
const REPLACEMENT = Buffer.from('\ufffd');
const LINE_FEED = Buffer.from('\n');

const decodeUtf16 = (bytes: Buffer, isSwapped: boolean): DecodedText => {
  const even = Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2)));
  const text = UTF_16.decode(isSwapped ? even.swap16() : even);
  return text.includes('\0') ? NUL : { text, problem: { message: 'The file is UTF-16. Save it as UTF-8.' } };
};

const occurrences = (bytes: Buffer, part: Buffer): number => {
  let count = 0;
  for (let at = bytes.indexOf(part); at >= 0; at = bytes.indexOf(part, at + part.length)) count += 1;
  return count;
};
