import { decodeUrlencoded, withSpaces } from '../../base/http/urlencoded.js';
import { normalizeText } from '../../base/text.js';

/** Text that needs no cleaning: printable ASCII, tab and line ends. */
const PLAIN = /^[\t\n\r -~]*$/;

/** C0 controls other than tab, line feed and carriage return; lone surrogates; U+FFFE and U+FFFF. */
const INVALID_CHARACTERS = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\p{Surrogate}]/gu;

/** Replaces characters that text may not contain with U+FFFD. */
export const replaceInvalid = (raw: string): string => raw.replace(INVALID_CHARACTERS, '\ufffd');

/**
 * Normalizes a value to NFC, and replaces invalid characters with U+FFFD.
 *
 * @param most - The maximum length in UTF-16 code units.
 * @returns `undefined` if the value is longer, or has too many combining marks in a row.
 */
export const cleanText = (raw: string, most: number): string | undefined => {
  if (raw.length > most) return undefined;
  return PLAIN.test(raw) ? raw : normalizeText(replaceInvalid(raw), 'NFC', most);
};

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lenientUtf8 = new TextDecoder('utf-8', { ignoreBOM: true });
const windows1252 = new TextDecoder('windows-1252');

/** How bytes that are not UTF-8 are decoded. */
export type Fallback = 'windows-1252' | 'replacement';

/** Decoded text, and whether it was invalid UTF-8. */
export interface DecodedText {
  readonly text: string;
  readonly malformed: boolean;
}

/** Decodes a name or value of a form: `+` is a space, `%XX` a byte of UTF-8. A stray `%` is kept. */
export const decodeFormText = (encoded: string, fallback: Fallback): DecodedText => {
  const text = decodeUrlencoded(encoded);
  return text === undefined ? decodeUtf8(percentBytes(withSpaces(encoded)), fallback) : { text, malformed: false };
};

/** Decodes UTF-8. Invalid bytes are decoded as Windows-1252, or replaced with U+FFFD. */
export const decodeUtf8 = (bytes: Uint8Array, fallback: Fallback): DecodedText => {
  try {
    return { text: strictUtf8.decode(bytes), malformed: false };
  } catch {
    return { text: (fallback === 'windows-1252' ? windows1252 : lenientUtf8).decode(bytes), malformed: true };
  }
};

const percentBytes = (text: string): Uint8Array => {
  const source = Buffer.from(text, 'utf8');
  const bytes = Buffer.alloc(source.length);
  let length = 0;
  for (let i = 0; i < source.length; i += 1) {
    const byte = source[i] ?? 0;
    const value = byte === 0x25 ? hexByte(source[i + 1], source[i + 2]) : -1;
    if (value >= 0) i += 2;
    bytes[length] = value >= 0 ? value : byte;
    length += 1;
  }
  return bytes.subarray(0, length);
};

const hexByte = (high: number | undefined, low: number | undefined): number => {
  const left = hexDigit(high);
  const right = hexDigit(low);
  return left < 0 || right < 0 ? -1 : left * 16 + right;
};

const hexDigit = (code: number | undefined): number => {
  if (code === undefined) return -1;
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
};

/** Percent-encodes all bytes except unreserved ones, to show a title that was not valid text. */
export const percentEncode = (raw: string): string =>
  encodeURIComponent(raw.replace(/\p{Surrogate}/gu, '\ufffd')).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
