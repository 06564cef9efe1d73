import { attributesOf, UNREADABLE, type XmlListener } from './xml.js';

/** Elements that contain others, and which: all versions of the format, 0.3 to 0.11. Elsewhere, an element has no meaning. */
const CONTENTS: Readonly<Record<string, readonly string[]>> = {
  mediawiki: ['siteinfo', 'page', 'logitem'],
  siteinfo: ['sitename', 'dbname', 'base', 'generator', 'case', 'namespaces', 'namespacealiases'],
  namespaces: ['namespace'],
  namespacealiases: ['namespacealias', 'namespace'],
  page: ['title', 'ns', 'id', 'redirect', 'restrictions', 'discussionthreadinginfo', 'logitem', 'revision', 'upload'],
  revision: [
    ...['id', 'parentid', 'timestamp', 'contributor', 'minor', 'comment'],
    ...['origin', 'model', 'format', 'text', 'sha1', 'content'],
  ],
  contributor: ['username', 'id', 'ip'],
  content: ['role', 'origin', 'model', 'format', 'text', 'sha1'],
  upload: [
    ...['timestamp', 'contributor', 'comment', 'filename', 'src', 'size'],
    ...['sha1base36', 'archivename', 'rel', 'contents', 'text'],
  ],
};

/** Elements that may stand more than once in one parent. */
const REPEATED = new Set(['page', 'logitem', 'revision', 'upload', 'content', 'namespace', 'namespacealias']);

/** Elements that are read over with all that is in them, without a report. */
const IGNORED = new Set(['logitem', 'restrictions', 'discussionthreadinginfo']);

/** Elements whose text is not kept: the bytes of a file. */
const BYTES = 'contents';

const MAX_DEPTH = 64;
/** In UTF-16 code units. MediaWiki's own limit is two million. */
const MAX_TEXT_LENGTH = 2 ** 24;
const MAX_SHOWN_LENGTH = 300;

/** An element. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Its own text; empty if it has elements. */
  readonly text: string;
  /** The elements in it that have no elements, by name. */
  readonly leaves: Map<string, { readonly text: string; readonly attributes: Element['attributes'] }>;
  /** The names of all elements in it. */
  readonly names: Set<string>;
  /** Why nothing of it can be used. */
  fault: string | undefined;
}

/** Receives the elements of an export, each in a place where it has a meaning. */
export interface StructureListener {
  root(attributes: Element['attributes']): void;
  pageBegins(): void;
  /** An element that has others, or may stand more than once, has ended. */
  ended(element: Element, parent: Element | undefined): void;
  /** A page has ended; it has a `fault` if it broke off. */
  pageEnds(page: Element, isBroken: boolean): void;
  /** An element stands where it has no meaning; it is read over. */
  odd(name: string, parent: string): void;
  /** Markup between pages that does not fit, and the title of a page that is in it. */
  lost(what: string, title?: string): void;
}

const NO_ATTRIBUTES: Element['attributes'] = {};
const NO_LEAVES: Element['leaves'] = new Map();
const NO_NAMES: Element['names'] = new Set();

interface Open extends Element {
  readonly isKept: boolean;
  readonly wantsText: boolean;
  readonly pieces: string[];
  length: number;
}

/**
 * Puts tags together to elements. A `<page>` begins a page wherever it stands; what is open then has ended, and so has
 * a page in which tags do not fit. Until the next `<page>`, all is read over, so that nothing becomes part of another
 * page.
 */
export class Structure implements XmlListener {
  readonly #listener: StructureListener;
  readonly #refuse: (root: string) => never;
  #hasRoot = false;
  #isInRoot = false;
  #open: Open[] = [];
  /** Whether the next page is awaited. */
  #isLost = false;
  /** A title in what is lost. */
  #lostTitle: string | undefined;

  /** @param refuse - Throws the error for another root element. */
  constructor(listener: StructureListener, refuse: (root: string) => never) {
    this.#listener = listener;
    this.#refuse = refuse;
  }

  get wantsText(): boolean {
    return this.#isLost ? this.#lostTitle !== undefined : (this.#open.at(-1)?.wantsText ?? false);
  }

  /** Whether the document is not complete. */
  get isOpen(): boolean {
    return this.#isInRoot;
  }

  /** The page that is being read. */
  get page(): Element | undefined {
    return this.#open.find(({ name }) => name === 'page');
  }

  open(name: string, written: string): void {
    if (name === 'mediawiki') {
      this.#endAll('another export begins in it');
      this.#isInRoot = true;
      this.#hasRoot = true;
      return this.#listener.root(attributesOf(written));
    }
    if (!this.#hasRoot) this.#refuse(name);
    if (name === 'page') {
      this.#endAll('another page begins in it');
      this.#listener.pageBegins();
    } else if (!this.#isLost && this.#open.length === 0 && CONTENTS['page']?.includes(name) && !IGNORED.has(name)) {
      this.broken(`there is no <page> before <${name}>`);
    }
    if (this.#isLost) this.#lostTitle = name === 'title' ? '' : undefined;
    else this.#push(name, written);
  }

  #push(name: string, written: string): void {
    const parent = this.#open.at(-1);
    const parentName = parent?.name ?? 'mediawiki';
    const isInKept = parent?.isKept ?? true;
    const isKept = isInKept && !IGNORED.has(name) && (CONTENTS[parentName]?.includes(name) ?? false);
    if (!isKept && isInKept && !IGNORED.has(name)) this.#listener.odd(name, parentName);
    if (isKept && parent?.names.has(name) && !REPEATED.has(name)) {
      const what = `it has more than one <${name}>`;
      // Perhaps the end of one page and the beginning of another are missing.
      if (parent.name === 'page') {
        this.broken(what);
        this.#lostTitle = name === 'title' ? '' : undefined;
        return;
      }
      parent.fault ??= what;
    }
    if (this.#open.length >= MAX_DEPTH) return this.broken(`elements are nested more than ${MAX_DEPTH} deep`);
    if (parent && !parent.wantsText) parent.names.add(name);
    const wantsText = isKept && !(name in CONTENTS) && name !== BYTES;
    const attributes = isKept && written !== '' ? attributesOf(written) : NO_ATTRIBUTES;
    // Most elements are leaves, which have no others: a map for each would cost a tenth of an import.
    const [leaves, names] = wantsText ? [NO_LEAVES, NO_NAMES] : [new Map(), new Set<string>()];
    const element: Open = {
      name,
      attributes,
      text: '',
      leaves,
      names,
      fault: undefined,
      isKept,
      wantsText,
      pieces: [],
      length: 0,
    };
    this.#open.push(element);
  }

  text(text: string): void {
    if (this.#lostTitle !== undefined) {
      this.#lostTitle += text.slice(0, MAX_SHOWN_LENGTH - this.#lostTitle.length);
      return;
    }
    const element = this.#open.at(-1);
    if (!element) return;
    element.pieces.push(text);
    element.length += text.length;
    if (element.length > MAX_TEXT_LENGTH) this.broken(`a text has more than ${MAX_TEXT_LENGTH} characters`);
  }

  close(name: string): void {
    if (name === 'mediawiki') {
      this.#endAll('the export ends in it');
      this.#isInRoot = false;
    } else if (this.#isLost) this.#closeLost(name);
    else if (this.#open.at(-1)?.name === name) this.#pop();
    else if (this.#open.length > 0) {
      this.broken(`</${name}> stands where </${this.#open.at(-1)?.name}> should`);
      this.#isLost = name !== 'page';
    } else this.#listener.lost(`</${name}> ends nothing`);
  }

  #closeLost(name: string): void {
    if (name === 'title' && this.#lostTitle !== undefined) this.#listener.lost('', this.#lostTitle);
    this.#lostTitle = undefined;
    if (name === 'page') this.#isLost = false;
  }

  #pop(): void {
    const element = this.#open.pop();
    if (!element?.isKept) return;
    const parent = this.#open.at(-1);
    if (element.name === 'page') return this.#listener.pageEnds(element, false);
    if (element.name in CONTENTS) {
      if (element.name === 'contributor' && parent) parent.fault ??= element.fault;
      return this.#listener.ended(element, parent);
    }
    const text = element.pieces.length === 1 ? (element.pieces[0] ?? '') : element.pieces.join('');
    if (!parent) return;
    if (text.includes(UNREADABLE)) {
      parent.fault ??= `its <${element.name}> has bytes that are not UTF-8, or characters or entities that XML does not allow`;
    }
    if (REPEATED.has(element.name)) this.#listener.ended({ ...element, text }, parent);
    else if (!parent.leaves.has(element.name))
      parent.leaves.set(element.name, { text, attributes: element.attributes });
  }

  /** Ends all that is open, which is incomplete. */
  #endAll(what: string): void {
    if (this.#open.length > 0) this.broken(what);
    this.#isLost = false;
    this.#lostTitle = undefined;
  }

  broken(what: string): void {
    if (this.#isLost) return;
    const [page] = this.#open;
    this.#open = [];
    this.#isLost = true;
    this.#lostTitle = undefined;
    if (page?.name === 'page') this.#listener.pageEnds({ ...page, fault: what }, true);
    else this.#listener.lost(what);
  }
}
