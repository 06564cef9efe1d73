import { SEPARATOR } from '../parameters/multi-value.js';

/** Text that needs no look at its code points: printable ASCII, tab and line ends. */
const PLAIN = /^[\t\n\r -~]*$/;

/** C0 controls other than tab, line feed and carriage return; lone surrogates; the two code points that are not characters. */
const UNFIT = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\p{Surrogate}]/gu;

/**
 * Makes text valid: NFC, without controls. What cannot stay becomes U+FFFD.
 * A value that starts with U+001F keeps that character as its separator, and its pieces are cleaned one by one.
 */
export function cleanText(raw: string): string {
  if (PLAIN.test(raw)) return raw;
  if (!raw.startsWith(SEPARATOR)) return cleanPiece(raw);
  return raw.split(SEPARATOR).map(cleanPiece).join(SEPARATOR);
}

function cleanPiece(piece: string): string {
  return piece.replace(UNFIT, '\ufffd').normalize('NFC');
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lenientUtf8 = new TextDecoder('utf-8', { ignoreBOM: true });
const windows1252 = new TextDecoder('windows-1252');

/** What stands for bytes that are not UTF-8. */
export type Fallback = 'windows-1252' | 'replacement';

/** Text that came as bytes, and whether they were UTF-8. */
export interface DecodedText {
  readonly text: string;
  readonly malformed: boolean;
}

/** A name or value of a form: `+` is a space, `%XX` a byte, and the bytes are UTF-8. A stray `%` stays itself. */
export function decodeFormText(encoded: string, fallback: Fallback): DecodedText {
  const text = encoded.includes('+') ? encoded.replaceAll('+', ' ') : encoded;
  if (!text.includes('%')) return { text, malformed: false };
  try {
    return { text: decodeURIComponent(text), malformed: false };
  } catch {
    return decodeUtf8(percentBytes(text), fallback);
  }
}

/** Bytes as text; what is not UTF-8 is read the way old clients meant it, or marked with U+FFFD. */
export function decodeUtf8(bytes: Uint8Array, fallback: Fallback): DecodedText {
  try {
    return { text: strictUtf8.decode(bytes), malformed: false };
  } catch {
    return { text: (fallback === 'windows-1252' ? windows1252 : lenientUtf8).decode(bytes), malformed: true };
  }
}

function percentBytes(text: string): Uint8Array {
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
}

function hexByte(high: number | undefined, low: number | undefined): number {
  const left = hexDigit(high);
  const right = hexDigit(low);
  return left < 0 || right < 0 ? -1 : left * 16 + right;
}

function hexDigit(code: number | undefined): number {
  if (code === undefined) return -1;
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

/** Percent-encodes every byte but the unreserved ones: how a title is shown that was not valid text. */
export const percentEncode = (raw: string): string =>
  encodeURIComponent(raw.replace(/\p{Surrogate}/gu, '\ufffd')).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
