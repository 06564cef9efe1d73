import { createReadStream } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import { upperFirst } from '../../core/query/index.js';
import type { NewRevision } from '../sqlite/write-pages.js';
import { type Element, XmlError, type XmlListener, XmlReader } from './xml.js';

/** The site of an export. */
export interface ExportedSite {
  readonly name: string;
  readonly database: string;
  /** The URL of the main page. */
  readonly base: string;
  readonly language: string;
  readonly namespaces: readonly { readonly id: number; readonly name: string; readonly case: string }[];
}

export interface ExportedPage {
  readonly title: string;
  readonly ns: number;
  readonly id: number;
}

/** The current version of the file of a page. Its content is not read. */
export interface ExportedUpload {
  readonly timestamp: string;
  /** `undefined` if hidden. */
  readonly user: string | undefined;
  /** The URL of the file. */
  readonly url: string;
  readonly size: number;
  /** In hexadecimal. */
  readonly sha1: string | undefined;
}

/** Receives the content in the order of the file: the site, then every page with its revisions and files. */
export interface ExportListener {
  site(site: ExportedSite): void;
  page(page: ExportedPage): void;
  revision(revision: NewRevision): void;
  upload(upload: ExportedUpload): void;
  /** A page or revision that cannot be used, and is left out. */
  skipped(sentence: string): void;
  pageEnd(): void;
}

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
  open(onBytes: (count: number) => void): NodeJS.ReadableStream;
}

/**
 * Opens an export.
 *
 * @throws BrokenExport if it cannot be read.
 */
export const openExport = async (input: string | NodeJS.ReadableStream): Promise<ExportSource> => {
  if (typeof input !== 'string') {
    const open = (onBytes: (count: number) => void): NodeJS.ReadableStream =>
      input.on('data', (chunk: string | Buffer) => onBytes(chunk.length));
    return { name: 'the standard input', identity: undefined, totalBytes: undefined, open };
  }
  const { size, identity, isPacked } = await inspect(input);
  const open = (onBytes: (count: number) => void): NodeJS.ReadableStream => {
    const stream = createReadStream(input);
    stream.on('data', (chunk) => onBytes(chunk.length));
    const source = isPacked ? stream.pipe(createGunzip()) : stream;
    stream.on('error', (error) => source.destroy(error));
    return source;
  };
  return { name: input, identity, totalBytes: size, open };
};

/**
 * Reads a MediaWiki XML export as a stream, so that its size does not matter.
 *
 * @throws BrokenExport if it is damaged, with the position.
 */
export const readExport = async (
  source: ExportSource,
  listener: ExportListener,
  onProgress?: (progress: ReadProgress) => void,
): Promise<void> => {
  const { name, totalBytes } = source;
  let bytes = 0;
  const stream = source.open((count) => (bytes += count));
  stream.setEncoding('utf8');
  const parser = new XmlReader(new ElementReader(name, listener));
  try {
    for await (const chunk of stream) {
      parser.write(String(chunk));
      onProgress?.({ bytes, totalBytes });
    }
    parser.end();
  } catch (error) {
    if (error instanceof XmlError) throw brokenXml(name, error);
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code.startsWith('Z_')) throw new BrokenExport(`${name} cannot be decompressed: it is damaged or incomplete.`);
    throw error;
  }
};

/** The size and version of a file, and whether it is compressed with gzip. */
const inspect = async (
  file: string,
): Promise<{ readonly size: number; readonly identity: string; readonly isPacked: boolean }> => {
  try {
    const found = await stat(file);
    const { size, mtimeMs } = found;
    if (found.isDirectory()) throw new BrokenExport(`${file} is a directory. Specify the XML file in it.`);
    if (size === 0) throw new BrokenExport(`${file} is empty.`);
    const handle = await open(file);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
    await handle.close();
    const start = buffer.toString('hex', 0, bytesRead);
    const [, program] = OTHERS.find(([mark]) => start.startsWith(mark)) ?? [];
    if (program) throw new BrokenExport(`${file} is compressed. Decompress it first, with ${program}.`);
    const identity = JSON.stringify([await realpath(file), size, mtimeMs]);
    return { size, identity, isPacked: start.startsWith(GZIP) };
  } catch (error) {
    if (error instanceof BrokenExport) throw error;
    throw new BrokenExport(`${file} cannot be read: ${reasonOf(error)}.`);
  }
};

const reasonOf = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'the file does not exist';
  return code === 'EACCES' ? 'permission denied' : String(error);
};

const GZIP = '1f8b';
const OTHERS: readonly (readonly [start: string, program: string])[] = [
  ['425a68', 'bunzip2'],
  ['377abcaf', '7z x'],
  ['504b0304', 'unzip'],
  ['fd377a58', 'unxz'],
  ['28b52ffd', 'unzstd'],
];

/** The error for invalid XML. */
const brokenXml = (file: string, { kind, line, column, message }: XmlError): BrokenExport => {
  if (kind === 'none') return new BrokenExport(`${file} is not XML.`);
  const where = `at line ${line}, column ${column}`;
  return new BrokenExport(
    kind === 'short'
      ? `${file} is incomplete: it ends ${where}.`
      : `${file} is not well-formed XML ${where}: ${message}.`,
  );
};

/** A page or a revision has a value that cannot be used. */
class Unusable extends Error {}

/** Text of the file in a message. */
export const shownText = (text: string): string => JSON.stringify(text.slice(0, 100));

/** Interprets the elements of an export. */
class ElementReader implements XmlListener {
  /** The bytes of a file in base64. */
  readonly ignored = 'contents';
  readonly #file: string;
  readonly #listener: ExportListener;
  #language = 'en';
  /** The page being read: not yet reported, reported, or left out. */
  #page: 'new' | 'told' | 'skipped' = 'new';
  /** The title of the page, for messages. */
  #title = '';
  #namespaces: ExportedSite['namespaces'][number][] = [];

  constructor(file: string, listener: ExportListener) {
    this.#file = file;
    this.#listener = listener;
  }

  open(element: Element, parent: Element | undefined): void {
    if (!parent) {
      if (element.name !== 'mediawiki') {
        throw new BrokenExport(`${this.#file} is not a MediaWiki export: its root element is <${element.name}>.`);
      }
      this.#language = element.attributes['xml:lang'] ?? 'en';
    } else if (['revision', 'upload'].includes(element.name) && parent.name === 'page') this.#tellPage(parent);
  }

  /** A page is reported before its first revision or file. */
  #tellPage(element: Element): void {
    if (this.#page !== 'new') return;
    this.#page = 'skipped';
    this.#orSkip(() => {
      this.#title = element.children.get('title') ?? '';
      this.#listener.page(this.#pageOf(element));
      this.#page = 'told';
    });
  }

  /** One unusable page or revision does not end an import of millions. */
  #orSkip(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      this.#listener.skipped(error.message);
    }
  }

  close(element: Element, parent: Element | undefined): void {
    const text = element.texts.join('');
    if (element.name === 'namespace') {
      const { key = '', case: letters = 'first-letter' } = element.attributes;
      this.#namespaces.push({ id: Number(key), name: text, case: letters });
    } else if (element.name === 'siteinfo') this.#listener.site(this.#siteOf(element));
    else if (element.name === 'contributor') this.#addContributor(element, parent);
    else if (element.name === 'revision') {
      if (this.#page === 'told') this.#orSkip(() => this.#listener.revision(this.#revisionOf(element)));
    } else if (element.name === 'upload') {
      // Earlier versions have the name of an archive.
      const isCurrent = !element.children.has('archivename');
      if (this.#page === 'told' && isCurrent) this.#orSkip(() => this.#listener.upload(this.#uploadOf(element)));
    } else if (element.name === 'page') {
      this.#tellPage(element);
      this.#page = 'new';
      this.#listener.pageEnd();
    } else if ('deleted' in element.attributes) parent?.children.set(`${element.name} deleted`, '');
    else parent?.children.set(element.name, text);
  }

  #addContributor(element: Element, revision: Element | undefined): void {
    const { children } = element;
    const name = children.get('username') ?? children.get('ip');
    if (name !== undefined) revision?.children.set('user', name);
    revision?.children.set('user id', children.has('ip') ? '0' : (children.get('id') ?? '0'));
  }

  #siteOf({ children }: Element): ExportedSite {
    return {
      name: children.get('sitename') ?? 'Site',
      database: children.get('dbname') ?? 'site',
      base: children.get('base') ?? '',
      language: this.#language,
      namespaces: this.#namespaces,
    };
  }

  #pageOf({ children }: Element): ExportedPage {
    const title = children.get('title') ?? '';
    const id = numberIn(children.get('id'), 'the id of a page');
    if (title === '') throw new Unusable(`The page with id ${id} is skipped: it has no title.`);
    return { title, ns: numberIn(children.get('ns'), `the namespace of ${shownText(title)}`), id };
  }

  #uploadOf({ children }: Element): ExportedUpload {
    const where = `a file of ${shownText(this.#title)}`;
    const url = children.get('src') ?? '';
    if (!/^https?:\/\/[^\s<>"]+$/i.test(url))
      throw new Unusable(`${upperFirst(where, 'en')} is skipped: its address is ${shownText(url)}.`);
    const sha1 = children.get('sha1base36') ?? '';
    return {
      timestamp: timeIn(children, where),
      user: children.get('user'),
      url,
      size: numberIn(children.get('size'), where),
      sha1: /^[\da-z]{1,31}$/.test(sha1) ? hexadecimal(sha1) : undefined,
    };
  }

  #revisionOf({ children }: Element): NewRevision {
    const where = `a revision of ${shownText(this.#title)}`;
    const timestamp = timeIn(children, where);
    return {
      id: numberIn(children.get('id'), where),
      parent: numberIn(children.get('parentid'), where),
      timestamp,
      user: children.get('user'),
      userId: numberIn(children.get('user id'), where),
      minor: children.has('minor'),
      comment: children.has('comment deleted') ? undefined : (children.get('comment') ?? ''),
      model: children.get('model') ?? 'wikitext',
      format: children.get('format') ?? 'text/x-wiki',
      text: children.has('text deleted') ? undefined : (children.get('text') ?? ''),
    };
  }
}

const timeIn = (children: Element['children'], what: string): string => {
  const time = children.get('timestamp') ?? '';
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(time) && !Number.isNaN(Date.parse(time));
  if (!isTime) throw new Unusable(`${upperFirst(what, 'en')} is skipped: its time is ${shownText(time)}.`);
  return time;
};

/** A SHA-1 hash as exports write it, in base 36. */
const hexadecimal = (sha1: string): string => {
  let number = 0n;
  for (const digit of sha1) number = number * 36n + BigInt(Number.parseInt(digit, 36));
  return number.toString(16).padStart(40, '0');
};

const numberIn = (text = '0', what: string): number => {
  const number = Number(text);
  if (!Number.isSafeInteger(number))
    throw new Unusable(`${upperFirst(what, 'en')} is skipped: ${shownText(text)} is not a number.`);
  return number;
};
