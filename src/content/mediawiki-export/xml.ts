/** An element of an XML document. */
export class Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Its own text, in pieces. */
  readonly texts: string[] = [];
  /** The texts of its children by name, as the listener sets them. */
  readonly children = new Map<string, string>();

  constructor(name: string, attributes: Readonly<Record<string, string>>) {
    this.name = name;
    this.attributes = attributes;
  }
}

/** Receives the elements of an XML document. */
export interface XmlListener {
  /** The name of elements whose text is not kept. */
  readonly ignored: string;
  open(element: Element, parent: Element | undefined): void;
  close(element: Element, parent: Element | undefined): void;
}

/** An error in an XML document. */
export class XmlError extends Error {
  readonly kind: 'none' | 'short' | 'malformed';
  readonly line: number;
  readonly column: number;

  constructor(kind: XmlError['kind'], what: string, line: number, column: number) {
    super(what);
    this.kind = kind;
    this.line = line;
    this.column = column;
  }
}

const NAME = String.raw`[A-Za-z_][\w:.-]*`;
const TAG = new RegExp(String.raw`<(/?)(${NAME})((?:\s+${NAME}\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(/?)>`, 'y');
const ATTRIBUTE = new RegExp(String.raw`(${NAME})\s*=\s*(?:"([^"]*)"|'([^']*)')`, 'g');
const REFERENCE = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(lt|gt|amp|quot|apos));|&/gi;
const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** The maximum length of a tag, and the maximum depth of elements. */
const MAX_TAG_LENGTH = 65_536;
const MAX_DEPTH = 64;
const MAX_REFERENCE_LENGTH = 12;
/** The maximum length of a text in UTF-16 code units. MediaWiki's own limit is two million. */
const MAX_TEXT_LENGTH = 2 ** 26;

/** What is not markup up to its end. The text of character data is kept. */
const SECTIONS = [
  { begin: '<!--', end: '-->', isText: false },
  { begin: '<?', end: '?>', isText: false },
  { begin: '<![CDATA[', end: ']]>', isText: true },
] as const;

/**
 * A streaming parser for the part of XML that programs write: elements, attributes, text, comments and character data,
 * without a document type. It accepts chunks of any length, in linear time.
 */
export class XmlReader {
  readonly #listener: XmlListener;
  readonly #open: Element[] = [];
  /** The length of the text since the last element was opened. */
  #length = 0;
  #rest = '';
  #at = 0;
  /** A section that has begun, and not ended. */
  #section: (typeof SECTIONS)[number] | undefined;
  #hasRoot = false;
  #line = 1;
  /** The column at the start of `#rest`. */
  #column = 1;
  #isFirst = true;

  constructor(listener: XmlListener) {
    this.#listener = listener;
  }

  /** @throws XmlError `malformed`; `none` if it is not XML at all. */
  write(piece: string): void {
    this.#rest += this.#isFirst && piece.startsWith('\ufeff') ? piece.slice(1) : piece;
    this.#isFirst = false;
    while (this.#at < this.#rest.length && this.#step());
    this.#forget();
  }

  /** @throws XmlError `short` if an element is still open. */
  end(): void {
    const isText = this.#section === undefined && this.#rest[this.#at] !== '<';
    if (isText && this.#at < this.#rest.length) this.#text(this.#rest.length);
    if (this.#open.length > 0 || this.#section || this.#at < this.#rest.length)
      this.#fail('it ends within an element', 'short');
    if (!this.#hasRoot) this.#fail('it has no element', 'none');
  }

  /** Reads one token; `false` if it needs more input. */
  #step(): boolean {
    if (this.#section) return this.#readSection(this.#section);
    if (this.#rest[this.#at] !== '<') {
      const end = this.#rest.indexOf('<', this.#at);
      return end < 0 ? this.#openText() : this.#text(end);
    }
    TAG.lastIndex = this.#at;
    const [tag, slash, name = '', attributes = '', isEmpty] = TAG.exec(this.#rest) ?? [];
    if (tag === undefined) return this.#other();
    if (slash === '/') this.#close(name);
    else {
      this.#begin(name, attributes);
      if (isEmpty === '/') this.#close(name);
    }
    this.#at += tag.length;
    return true;
  }

  #begin(name: string, attributes: string): void {
    if (this.#open.length === 0 && this.#hasRoot) this.#fail('there is more than one root element');
    if (this.#open.length >= MAX_DEPTH) this.#fail(`elements are nested more than ${MAX_DEPTH} deep`);
    this.#hasRoot = true;
    const given: Record<string, string> = {};
    if (attributes !== '') {
      for (const [, key = '', double, single = ''] of attributes.matchAll(ATTRIBUTE))
        given[key] = this.#decode(double ?? single);
    }
    const element = new Element(name, given);
    this.#listener.open(element, this.#open.at(-1));
    this.#open.push(element);
    this.#length = 0;
  }

  #close(name: string): void {
    const element = this.#open.pop();
    if (!element) this.#fail(`</${name}> ends nothing`);
    if (element.name !== name) this.#fail(`</${name}> stands where </${element.name}> should`);
    this.#listener.close(element, this.#open.at(-1));
  }

  #keep(text: string): void {
    const element = this.#open.at(-1);
    if (!element || element.name === this.#listener.ignored) return;
    this.#length += text.length;
    if (this.#length > MAX_TEXT_LENGTH) this.#fail(`a text is longer than ${MAX_TEXT_LENGTH} characters`);
    element.texts.push(text);
  }

  /** Reads text up to the end of the input, except an incomplete reference. */
  #openText(): boolean {
    const reference = this.#rest.lastIndexOf('&');
    const isCut =
      reference >= this.#at &&
      this.#rest.length - reference < MAX_REFERENCE_LENGTH &&
      !this.#rest.includes(';', reference);
    const end = isCut ? reference : this.#rest.length;
    if (end > this.#at) this.#text(end);
    return false;
  }

  #text(end: number): true {
    const raw = this.#rest.slice(this.#at, end);
    if (this.#open.length > 0) this.#keep(this.#decode(raw));
    else if (/\S/.test(raw))
      this.#fail('there is text outside of the root element', this.#hasRoot ? 'malformed' : 'none');
    this.#at = end;
    return true;
  }

  /** Reads the start of a section, or of an incomplete tag. */
  #other(): boolean {
    const isAt = (begin: string): boolean => this.#rest.startsWith(begin, this.#at);
    const section = SECTIONS.find(({ begin, isText }) => isAt(begin) && (!isText || this.#open.length > 0));
    if (section) {
      this.#section = section;
      this.#at += section.begin.length;
      return true;
    }
    const start = this.#rest.slice(this.#at);
    const isBegun = SECTIONS.some(({ begin }) => start.length < begin.length && begin.startsWith(start));
    const end = start.indexOf('>');
    const quotes = start.slice(0, end < 0 ? undefined : end).match(/["']/g)?.length ?? 0;
    if (!isBegun && end >= 0 && quotes % 2 === 0) this.#fail('there is an invalid tag');
    if (start.length > MAX_TAG_LENGTH) this.#fail(`a tag is longer than ${MAX_TAG_LENGTH} characters`);
    return false;
  }

  /** Reads up to the end of a section, or to where its end may begin. */
  #readSection({ end, isText }: (typeof SECTIONS)[number]): boolean {
    const found = this.#rest.indexOf(end, this.#at);
    const stop = found < 0 ? Math.max(this.#at, this.#rest.length - end.length + 1) : found;
    if (isText) this.#keep(this.#rest.slice(this.#at, stop));
    this.#at = found < 0 ? stop : stop + end.length;
    if (found >= 0) this.#section = undefined;
    return found >= 0;
  }

  #decode(text: string): string {
    if (!text.includes('&')) return text;
    return text.replace(REFERENCE, (_all, decimal?: string, hexadecimal?: string, name?: string) => {
      const known = name === undefined ? undefined : NAMED[name.toLowerCase()];
      if (known !== undefined) return known;
      const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal);
      if (!(code > 0 && code <= 0x10ffff) || (code >= 0xd800 && code <= 0xdfff))
        this.#fail('there is an & that is not part of a reference');
      return String.fromCodePoint(code);
    });
  }

  /** Discards the input that was read, and updates line and column. */
  #forget(): void {
    [this.#line, this.#column] = this.#place();
    this.#rest = this.#rest.slice(this.#at);
    this.#at = 0;
  }

  #place(): readonly [line: number, column: number] {
    let line = this.#line;
    let last = -1;
    for (let at = this.#rest.indexOf('\n'); at >= 0 && at < this.#at; at = this.#rest.indexOf('\n', at + 1)) {
      line += 1;
      last = at;
    }
    return [line, last < 0 ? this.#column + this.#at : this.#at - last];
  }

  #fail(what: string, kind: XmlError['kind'] = 'malformed'): never {
    const [line, column] = this.#place();
    throw new XmlError(kind, what, line, column);
  }
}
