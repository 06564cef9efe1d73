import { upperFirst } from '../../core/query/toolkit.js';
import { exportedTime } from '../dates.js';
import { timeOf } from '../keys.js';
import type { NewRevision } from '../sqlite/write-pages.js';
import { BrokenExport, type ExportSource, type ReadProgress, textOf } from './bytes.js';
import { type Element, Structure, type StructureListener } from './structure.js';
import { XmlError, XmlReader } from './xml.js';

/** The site of an export. */
export interface ExportedSite {
  readonly name: string;
  readonly database: string;
  /** The URL of the main page. */
  readonly base: string;
  readonly language: string;
  readonly namespaces: readonly {
    readonly id: number;
    readonly name: string;
    readonly case: string;
    readonly aliases?: readonly string[];
  }[];
}

export interface ExportedPage {
  readonly title: string;
  /** `undefined` before version 0.6, in which the prefix of the title says it. */
  readonly ns: number | undefined;
  /** 0 if it has none. */
  readonly id: number;
}

/** A revision. An id of 0 is none. */
export type ExportedRevision = Omit<NewRevision, 'parent' | 'model' | 'format'> & {
  /** `undefined` before version 0.8, in which it is the revision before. */
  readonly parent: number | undefined;
  /** `undefined` if the title decides. */
  readonly model: string | undefined;
  readonly format: string | undefined;
};

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

/** What is wrong in an export, by kind. */
export type ProblemKind =
  | 'pages skipped'
  | 'pages broken off'
  | 'revisions skipped'
  | 'files skipped'
  | 'titles changed'
  | 'numbers changed'
  | 'other';

/** Receives the content in the order of the file. */
export interface ExportListener {
  /** @param exported - `undefined` if the export does not describe its site. */
  site(exported: ExportedSite | undefined, language: string): void;
  revision(revision: ExportedRevision): void;
  upload(upload: ExportedUpload): void;
  /** The page of the revisions and files since the last call; `undefined` if it cannot be used. */
  page(page: ExportedPage | undefined, line: () => number): void;
  problem(kind: ProblemKind, sentence: string, line: () => number): void;
}

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
  const records = new Records(listener, () => xml.place()[0]);
  const structure = new Structure(records, (root) => {
    throw new BrokenExport(`${name} is not a MediaWiki export: its root element is <${root}>.`);
  });
  const xml = new XmlReader(structure);
  let bytes = 0;
  try {
    for await (const text of textOf(source, (count) => (bytes += count))) {
      xml.write(text);
      onProgress?.({ bytes, totalBytes });
    }
    xml.end(() => structure.isOpen);
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    if (error.kind === 'none') throw new BrokenExport(`${name} is not XML.`);
    const where = `line ${error.line}, column ${error.column}`;
    if (error.kind === 'doctype') {
      throw new BrokenExport(
        `${name} has a document type at ${where}. Exports have none, and nothing is read from it.`,
      );
    }
    if (structure.page) records.endsIn(structure.page);
    throw new BrokenExport(`${name} is incomplete: it ends at ${where}.`);
  }
};

/** A page, revision or file has a value that cannot be used. */
class Unusable extends Error {}

/** Text of the file in a message. */
export const shownText = (text: string): string => JSON.stringify(text.slice(0, 100));

const NUMBER = /^\d{1,16}$/;

/** Interprets the elements of an export. */
class Records implements StructureListener {
  readonly #listener: ExportListener;
  readonly #place: () => number;
  readonly #reported = new Set<string>();
  #language = 'en';
  #site: 'awaited' | 'read' | 'too late' = 'awaited';
  #namespaces: ExportedSite['namespaces'][number][] = [];
  #aliases: { readonly id: number; readonly name: string }[] = [];

  constructor(listener: ExportListener, place: () => number) {
    this.#listener = listener;
    this.#place = place;
  }

  root({ 'xml:lang': language }: Element['attributes']): void {
    if (this.#site === 'awaited' && language) this.#language = language;
  }

  pageBegins(): void {
    if (this.#site === 'awaited') {
      this.#listener.site(undefined, this.#language);
      this.#report('other', 'It does not say which site it is of: namespaces have their English names.');
    }
    this.#site = 'too late';
  }

  ended(element: Element, parent: Element | undefined): void {
    const { name, leaves } = element;
    if (name === 'namespace' || name === 'namespacealias') this.#addNamespace(element, parent);
    else if (name === 'siteinfo') this.#endSite(element);
    else if (name === 'revision')
      this.#skipUnless('revisions skipped', () => this.#listener.revision(this.#revisionOf(element, parent)));
    else if (name === 'upload') {
      // Earlier versions have the name of an archive.
      if (!leaves.has('archivename'))
        this.#skipUnless('files skipped', () => this.#listener.upload(this.#uploadOf(element, parent)));
    } else if (name === 'content') {
      const role = leaves.get('role')?.text ?? '';
      this.#once(`The slot ${shownText(role)} of revisions is not read.`);
    } else if (name === 'contributor' && parent) {
      for (const [key, leaf] of leaves) parent.leaves.set(`contributor ${key}`, leaf);
      parent.leaves.set('contributor', { text: '', attributes: element.attributes });
    }
  }

  pageEnds(page: Element, isBroken: boolean): void {
    const title = page.leaves.get('title')?.text ?? '';
    const what = title === '' ? 'A page without a title' : `The page ${shownText(title)}`;
    if (isBroken) {
      const rest = `is broken off: ${page.fault}. Its complete revisions are kept; all else up to the next page is skipped.`;
      this.#report('pages broken off', `${what} ${rest}`);
    }
    let usable: ExportedPage | undefined;
    if (!isBroken || title !== '')
      this.#skipUnless('pages skipped', () => {
        if (page.fault !== undefined && !isBroken) throw new Unusable(`${what} is skipped: ${page.fault}.`);
        usable = this.#pageOf(page);
      });
    this.#listener.page(usable, this.#place);
  }

  odd(name: string, parent: string): void {
    this.#once(`<${printableName(name)}> in <${printableName(parent)}> is skipped: it has no meaning there.`);
  }

  lost(what: string, title?: string): void {
    if (title !== undefined)
      this.#report('pages skipped', `The page ${shownText(title)} is skipped: its <page> is missing.`);
    else if (what.endsWith('ends nothing')) this.#once(`${what}.`);
    else this.#report('other', `${upperFirst(what, 'en')}. All is skipped up to the next page.`);
  }

  /** The file ends in a page. */
  endsIn(page: Element): void {
    const title = page.leaves.get('title')?.text ?? '';
    this.#report('pages skipped', `The page ${shownText(title)} is skipped: the file ends in it.`);
  }

  #report(kind: ProblemKind, sentence: string): void {
    this.#listener.problem(kind, sentence, this.#place);
  }

  /** Reports once what may be in every page. */
  #once(sentence: string): void {
    if (this.#reported.has(sentence) || this.#reported.size >= MAX_KINDS) return;
    this.#reported.add(sentence);
    this.#report('other', sentence);
  }

  /** One unusable page or revision does not end an import of millions. */
  #skipUnless(kind: ProblemKind, work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      this.#report(kind, upperFirst(error.message, 'en'));
    }
  }

  #addNamespace({ name: element, attributes, text }: Element, parent: Element | undefined): void {
    const id = Number(attributes['key']?.trim() || Number.NaN);
    if (!Number.isSafeInteger(id) || this.#namespaces.length >= MAX_NAMESPACES) {
      return this.#report(
        'other',
        `The namespace ${shownText(text)} is skipped: it has no number, or there are too many.`,
      );
    }
    if (parent?.name === 'namespacealiases' || element === 'namespacealias') this.#aliases.push({ id, name: text });
    // Empty until 0.5, in which namespaces have their own.
    else this.#namespaces.push({ id, name: text, case: attributes['case'] ?? '' });
  }

  #endSite({ leaves }: Element): void {
    const of = (name: string): string | undefined => leaves.get(name)?.text.trim() || undefined;
    const namespaces = this.#namespaces.map(({ id, name, case: letters }) => {
      const aliases = this.#aliases
        .filter((alias) => alias.id === id && alias.name.trim() !== '')
        .map((alias) => alias.name);
      return { id, name, case: letters || (of('case') ?? 'first-letter'), ...(aliases.length > 0 && { aliases }) };
    });
    [this.#namespaces, this.#aliases] = [[], []];
    if (this.#site !== 'awaited') return this.#once('A second <siteinfo>, or one after pages, is skipped.');
    this.#site = 'read';
    const site = { name: of('sitename') ?? 'Site', database: of('dbname') ?? 'site', base: of('base') ?? '' };
    this.#listener.site({ ...site, language: this.#language, namespaces }, this.#language);
  }

  #pageOf({ leaves }: Element): ExportedPage {
    const title = (leaves.get('title')?.text ?? '').trim();
    const id = this.#numberOf(leaves.get('id')?.text, `the id of the page ${shownText(title)}`) ?? 0;
    if (title === '')
      throw new Unusable(`${id > 0 ? `The page with id ${id}` : 'A page'} is skipped: it has no title.`);
    const written = leaves.get('ns')?.text.trim();
    const ns = written && /^-?\d{1,9}$/.test(written) ? Number(written) : undefined;
    if (written !== undefined && (ns === undefined || ns < 0)) {
      this.#report('numbers changed', `The namespace of ${shownText(title)} is not used: it is ${shownText(written)}.`);
    }
    return { title, ns: ns !== undefined && ns < 0 ? undefined : ns, id };
  }

  /** A number from 1 on; `undefined` if there is none. */
  #numberOf(text: string | undefined, what: string): number | undefined {
    const number = NUMBER.test(text?.trim() ?? '') ? Number(text) : 0;
    if (number > 0 && number <= Number.MAX_SAFE_INTEGER) return number;
    if (text !== undefined)
      this.#report('numbers changed', `${upperFirst(what, 'en')} is not used: it is ${shownText(text)}.`);
    return undefined;
  }

  #uploadOf({ leaves, fault }: Element, page: Element | undefined): ExportedUpload {
    const where = `a file of ${titleOf(page)}`;
    if (fault !== undefined) throw new Unusable(`${where} is skipped: ${fault}.`);
    const url = leaves.get('src')?.text.trim() ?? '';
    if (!/^https?:\/\/[^\s<>"]+$/i.test(url))
      throw new Unusable(`${where} is skipped: its address is ${shownText(url)}.`);
    const size = leaves.get('size')?.text.trim() ?? '0';
    if (!NUMBER.test(size)) throw new Unusable(`${where} is skipped: its size is ${shownText(size)}.`);
    const sha1 = leaves.get('sha1base36')?.text ?? '';
    return {
      timestamp: timeIn(leaves, where),
      user: userIn(leaves).user,
      url,
      size: Number(size),
      sha1: /^[\da-z]{1,31}$/.test(sha1) ? hexadecimal(sha1) : undefined,
    };
  }

  #revisionOf({ leaves, fault }: Element, page: Element | undefined): ExportedRevision {
    const where = `a revision of ${titleOf(page)}`;
    if (fault !== undefined) throw new Unusable(`${where} is skipped: ${fault}.`);
    const [text, comment, parent] = [leaves.get('text'), leaves.get('comment'), leaves.get('parentid')?.text];
    if (!text) throw new Unusable(`${where} is skipped: it has no text.`);
    const isStub = text.text === '' && isStubText(text.attributes);
    if (isStub && !('deleted' in text.attributes)) {
      this.#once('It is an export of stubs, without texts: its revisions have hidden texts.');
    }
    return {
      id: this.#numberOf(leaves.get('id')?.text, `the id of ${where}`) ?? 0,
      parent: parent?.trim() === '0' ? 0 : this.#numberOf(parent, `the parent of ${where}`),
      timestamp: timeIn(leaves, where),
      ...userIn(leaves),
      minor: leaves.has('minor'),
      comment: comment && 'deleted' in comment.attributes ? undefined : (comment?.text ?? ''),
      model: leaves.get('model')?.text.trim() || undefined,
      format: leaves.get('format')?.text.trim() || undefined,
      text: 'deleted' in text.attributes || isStub ? undefined : text.text,
    };
  }
}

const MAX_NAMESPACES = 1_000;
/** How many kinds of odd elements are reported, and remembered. */
const MAX_KINDS = 100;
const MAX_NAME_LENGTH = 60;

const printableName = (name: string): string => name.slice(0, MAX_NAME_LENGTH);

const titleOf = (page: Element | undefined): string => {
  const title = page?.leaves.get('title')?.text;
  return title === undefined ? 'a page' : shownText(title);
};

/** A text that is elsewhere: in the database that wrote the export. */
const isStubText = ({ bytes, id, location }: Element['attributes']): boolean =>
  bytes === undefined ? id !== undefined || location !== undefined : Number(bytes) > 0;

const UNKNOWN_USER = 'Unknown user';

const userIn = (leaves: Element['leaves']): { readonly user: string | undefined; readonly userId: number } => {
  if ('deleted' in (leaves.get('contributor')?.attributes ?? {})) return { user: undefined, userId: 0 };
  const [name, address, id = ''] = ['username', 'ip', 'id'].map((key) => leaves.get(`contributor ${key}`)?.text.trim());
  if (!name) return { user: address || UNKNOWN_USER, userId: 0 };
  return { user: name, userId: NUMBER.test(id) && Number.isSafeInteger(Number(id)) ? Number(id) : 0 };
};

const timeIn = (leaves: Element['leaves'], what: string): string => {
  const text = leaves.get('timestamp')?.text ?? '';
  const time = exportedTime(text);
  if (time === undefined) throw new Unusable(`${what} is skipped: its time is ${shownText(text)}.`);
  return timeOf(time);
};

/** A SHA-1 hash as exports write it, in base 36. */
const hexadecimal = (sha1: string): string => {
  let number = 0n;
  for (const digit of sha1) number = number * 36n + BigInt(Number.parseInt(digit, 36));
  return number.toString(16).padStart(40, '0');
};
