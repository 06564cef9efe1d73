import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { type Duplex, pipeline, Readable } from 'node:stream';
import zlib from 'node:zlib';
import { UNREADABLE } from './xml.js';

/** The progress of reading. */
export interface ReadProgress {
  /** Bytes of the file, compressed or not. */
  readonly bytes: number;
  /** `undefined` for a stream, whose length is not known. */
  readonly totalBytes: number | undefined;
}

/** The export is invalid or damaged. The message is written for end users. */
export class BrokenExport extends Error {
  /** Always `BrokenExport`. */
  override readonly name = 'BrokenExport';
}

/** An opened export. */
export interface ExportSource {
  /** The name for error messages. */
  readonly name: string;
  /** Identifies a file and its version. */
  readonly identity: string | undefined;
  readonly totalBytes: number | undefined;
  readonly bytes: AsyncIterable<string | Uint8Array>;
}

/**
 * Opens an export.
 *
 * @throws BrokenExport if it cannot be read.
 */
export const openExport = async (input: string | NodeJS.ReadableStream): Promise<ExportSource> => {
  if (typeof input !== 'string') {
    return { name: 'the standard input', identity: undefined, totalBytes: undefined, bytes: input };
  }
  try {
    const found = await stat(input);
    const { size, mtimeMs } = found;
    if (found.isDirectory()) throw new BrokenExport(`${input} is a directory. Specify the XML file in it.`);
    const identity = JSON.stringify([await realpath(input), size, mtimeMs]);
    return { name: input, identity, totalBytes: size, bytes: createReadStream(input) };
  } catch (error) {
    if (error instanceof BrokenExport) throw error;
    throw new BrokenExport(`${input} cannot be read: ${reasonOf(error)}.`);
  }
};

/**
 * The text of an export in pieces, whether it is compressed or not, with line breaks as XML reads them. A character
 * that XML does not allow, and bytes that are not UTF-8, are {@link UNREADABLE}.
 *
 * @throws BrokenExport if it is something else, or its encoding is not supported.
 */
export async function* textOf(
  { name, bytes }: ExportSource,
  onBytes: (count: number) => void,
): AsyncGenerator<string, void, undefined> {
  const decoder = new Decoder(name);
  let start = '';
  let isKnown = false;
  try {
    for await (const chunk of unpacked(name, bytes, onBytes)) {
      const text = decoder.write(chunk);
      if (isKnown) yield text;
      else if ((start += text).length >= START_LENGTH) {
        check(name, start);
        isKnown = true;
        yield start;
      }
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code.startsWith('Z_') || code.startsWith('ERR_ZSTD') || code.startsWith('ZSTD')) {
      throw new BrokenExport(`${name} cannot be decompressed: it is damaged or incomplete.`);
    }
    if (code === 'EACCES') throw new BrokenExport(`${name} cannot be read: ${reasonOf(error)}.`);
    throw error;
  }
  const rest = decoder.end();
  if (!isKnown) check(name, (start += rest));
  yield isKnown ? rest : start;
}

/** As much of the text as shows what the file is. */
const START_LENGTH = 1_000;

const reasonOf = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'the file does not exist';
  return code === 'EACCES' ? 'permission denied' : String(error);
};

/** The compressions that are read, by the first bytes. */
const PACKED: readonly (readonly [start: string, decompress: () => Duplex | undefined])[] = [
  ['1f8b', () => zlib.createGunzip()],
  // Since Node 22.15, and not in the installed types, which are those of the oldest supported Node.
  ['28b52ffd', () => (zlib as { createZstdDecompress?: () => Duplex }).createZstdDecompress?.()],
];

/** Others, with the program that decompresses them. `bzcat` reads a multistream file whole. */
const OTHERS: readonly (readonly [start: string, program: string])[] = [
  ['425a68', 'bzcat'],
  ['377abcaf', '7z x'],
  ['504b0304', 'unzip'],
  ['fd377a58', 'unxz'],
  ['28b52ffd', 'unzstd'],
];

async function* unpacked(
  name: string,
  source: ExportSource['bytes'],
  onBytes: (count: number) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  const all = (async function* () {
    for await (const chunk of source) {
      onBytes(chunk.length);
      yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    }
  })();
  let first = Buffer.alloc(0);
  while (first.length < 4) {
    const { value, done } = await all.next();
    if (done) break;
    first = Buffer.concat([first, value]);
  }
  if (first.length === 0) throw new BrokenExport(`${name} is empty.`);
  const start = first.toString('hex', 0, 4);
  const packed = PACKED.find(([mark]) => start.startsWith(mark))?.[1]();
  const [, program] = OTHERS.find(([mark]) => start.startsWith(mark)) ?? [];
  if (!packed && program) throw new BrokenExport(`${name} is compressed. Decompress it first, with ${program}.`);
  const whole = (async function* () {
    yield first;
    yield* all;
  })();
  // An error of the source is one of the stream that is read.
  if (packed) yield* pipeline(Readable.from(whole), packed, () => undefined) as AsyncIterable<Uint8Array>;
  else yield* whole;
}

const NOT_EXPORTS: readonly (readonly [start: RegExp, what: string])[] = [
  [/^<(?:!doctype\s+html|html)\b/i, 'HTML'],
  [/^[{[]/, 'JSON'],
  [/^(?:--|\/\*|(?:insert|create|drop|set)\s)/i, 'SQL'],
  [/^\d+:\d+:/, 'the index of a multistream dump: import the dump itself'],
  [/^page_(?:title|namespace)\b/, 'a list of titles'],
];

/** @throws BrokenExport if the beginning shows that it cannot be read. */
const check = (name: string, start: string): void => {
  const [, what] = NOT_EXPORTS.find(([pattern]) => pattern.test(start.trimStart())) ?? [];
  if (what) throw new BrokenExport(`${name} is not a MediaWiki export: it is ${what}.`);
  const [, encoding] = /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([\w.:-]{1,40})/.exec(start) ?? [];
  if (encoding !== undefined && !/^(?:utf-?8|us-ascii|utf-16(?:le|be)?)$/i.test(encoding))
    throw inEncoding(name, encoding);
};

const inEncoding = (name: string, encoding: string): BrokenExport =>
  new BrokenExport(`${name} is in ${encoding}. Convert it to UTF-8: iconv -f ${encoding} -t UTF-8.`);

/** Decodes UTF-8, and UTF-16 with a byte order mark. */
class Decoder {
  readonly #name: string;
  #utf16: InstanceType<typeof TextDecoder> | undefined;
  /** Bytes of a character that is not complete. */
  #tail: Buffer = Buffer.alloc(0);
  #isFirst = true;
  #endsWithReturn = false;

  constructor(name: string) {
    this.#name = name;
  }

  write(chunk: Uint8Array): string {
    const bytes =
      this.#tail.length === 0
        ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
        : Buffer.concat([this.#tail, chunk]);
    if (this.#isFirst && bytes.length < 3) {
      this.#tail = bytes;
      return '';
    }
    const start = bytes.toString('hex', 0, 3);
    let from = 0;
    if (this.#isFirst) {
      this.#isFirst = false;
      if (/^(?:003c|3c00)/.test(start)) throw inEncoding(this.#name, start.startsWith('00') ? 'UTF-16BE' : 'UTF-16LE');
      if (/^(?:feff|fffe)/.test(start)) this.#utf16 = new TextDecoder(start.startsWith('fe') ? 'utf-16be' : 'utf-16le');
      else if (start === 'efbbbf') from = 3;
    }
    if (this.#utf16) {
      this.#tail = Buffer.alloc(0);
      return this.#clean(this.#utf16.decode(bytes, { stream: true }).replaceAll('\ufffd', UNREADABLE));
    }
    const end = completeEnd(bytes);
    this.#tail = Buffer.from(bytes.subarray(end));
    return this.#clean(utf8(bytes.subarray(from, end)));
  }

  end(): string {
    return this.#clean(this.#utf16?.decode() ?? utf8(this.#tail));
  }

  /** XML 1.0 §2.11: line breaks are `\n`. */
  #clean(text: string): string {
    let lines = text;
    if (this.#endsWithReturn && lines.startsWith('\n')) lines = lines.slice(1);
    if (text !== '') this.#endsWithReturn = text.endsWith('\r');
    if (lines.includes('\r')) lines = lines.replace(/\r\n?/g, '\n');
    return lines.replace(FORBIDDEN_CHARACTERS, UNREADABLE);
  }
}

const FORBIDDEN_CHARACTERS = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe]/g;

/** Where a character begins that continues after the end; the end itself if there is none. */
const completeEnd = (bytes: Buffer): number => {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
};

const REPLACEMENT = Buffer.from('\ufffd');

/** Decodes UTF-8. U+FFFD in the text stays; that of an invalid sequence is {@link UNREADABLE}. */
const utf8 = (bytes: Buffer): string => {
  if (isUtf8(bytes)) return bytes.toString();
  let text = '';
  for (let at = 0, end = 0; end >= 0; at = end + REPLACEMENT.length) {
    end = bytes.indexOf(REPLACEMENT, at);
    text += bytes.toString('utf8', at, end < 0 ? undefined : end).replaceAll('\ufffd', UNREADABLE);
    if (end >= 0) text += '\ufffd';
  }
  return text;
};
