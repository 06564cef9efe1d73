/** Receives the parts of an XML document. Nothing says that they fit each other. */
export interface XmlListener {
  /** Whether the text at this place is wanted. */
  readonly wantsText: boolean;
  /** @param attributes - As they are written, for {@link attributesOf}. */
  open(name: string, attributes: string): void;
  close(name: string): void;
  text(text: string): void;
  /** Markup that cannot be read. Reading continues with the next tag. */
  broken(what: string): void;
}

/** An error that ends the reading of an XML document. */
export class XmlError extends Error {
  readonly kind: 'none' | 'short' | 'doctype';
  readonly line: number;
  readonly column: number;

  constructor(kind: XmlError['kind'], line: number, column: number) {
    super(kind);
    this.kind = kind;
    this.line = line;
    this.column = column;
  }
}

/** Stands for a character or an entity that XML does not allow, and for bytes that are not UTF-8. XML does not allow it either. */
export const UNREADABLE = '\uffff';

const NAME = String.raw`[^\s<>/="'&!?][^\s<>/="']*`;
const TAG = new RegExp(String.raw`<(/?)(${NAME})((?:\s+${NAME}\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(/?)>`, 'y');
const ATTRIBUTE = new RegExp(String.raw`(${NAME})\s*=\s*(?:"([^"]*)"|'([^']*)')`, 'g');
const REFERENCE = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(lt|gt|amp|quot|apos));|&/gi;
const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
/** Characters that XML 1.0 does not allow, by number either. */
const FORBIDDEN = /[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]/;

const MAX_TAG_LENGTH = 65_536;
const MAX_REFERENCE_LENGTH = 12;

/** What is not markup up to its end. The text of character data is kept. */
const SECTIONS = [
  { begin: '<!--', end: '-->', isText: false },
  { begin: '<?', end: '?>', isText: false },
  { begin: '<![CDATA[', end: ']]>', isText: true },
] as const;

/** The attributes of an element by name. */
export const attributesOf = (written: string): Readonly<Record<string, string>> => {
  if (written === '') return {};
  const found = written.matchAll(ATTRIBUTE);
  return Object.fromEntries(Array.from(found, ([, key, double, single = '']) => [key, decode(double ?? single)]));
};

const decode = (text: string): string => {
  if (!text.includes('&')) return text;
  return text.replace(REFERENCE, (_all, decimal?: string, hexadecimal?: string, name?: string) => {
    const known = name === undefined ? undefined : NAMED[name.toLowerCase()];
    if (known !== undefined) return known;
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal);
    const letter = code <= 0x10ffff ? String.fromCodePoint(code) : UNREADABLE;
    return letter.length === 1 && FORBIDDEN.test(letter) ? UNREADABLE : letter;
  });
};

/**
 * A streaming reader of the part of XML that programs write: tags, text, comments and character data, without a
 * document type. It accepts chunks of any length, in linear time. The listener decides what may stand where.
 */
export class XmlReader {
  readonly #listener: XmlListener;
  #rest = '';
  #at = 0;
  /** A section that has begun, and not ended. */
  #section: (typeof SECTIONS)[number] | undefined;
  #isEmpty = true;
  /** The line of the place up to which lines are counted, and where it starts: before `#rest` if negative. */
  #line = 1;
  #lineStart = 0;
  #counted = 0;

  constructor(listener: XmlListener) {
    this.#listener = listener;
  }

  /** @throws XmlError `none` if it is not XML at all, `doctype`. */
  write(piece: string): void {
    this.#rest += piece;
    while (this.#at < this.#rest.length && this.#step());
    this.#forget();
  }

  /**
   * @param isOpen - Whether an element is still open.
   * @throws XmlError `short` if the document ends too early, `none` if it has no element.
   */
  end(isOpen: () => boolean): void {
    if (!this.#section && this.#rest[this.#at] !== '<') this.#text(this.#rest.length);
    if (isOpen() || this.#section || this.#at < this.#rest.length) this.#fail('short');
    if (this.#isEmpty) this.#fail('none');
  }

  /** The place that is being read: line and column, from 1. */
  place(): readonly [line: number, column: number] {
    for (
      let at = this.#rest.indexOf('\n', this.#counted);
      at >= 0 && at < this.#at;
      at = this.#rest.indexOf('\n', at + 1)
    ) {
      this.#line += 1;
      this.#lineStart = at + 1;
    }
    this.#counted = this.#at;
    return [this.#line, this.#at - this.#lineStart + 1];
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
    this.#isEmpty = false;
    if (slash === '/') this.#listener.close(name);
    else {
      this.#listener.open(name, attributes);
      if (isEmpty === '/') this.#listener.close(name);
    }
    this.#at += tag.length;
    return true;
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
    if (this.#isEmpty && /\S/.test(this.#rest.slice(this.#at, end))) this.#fail('none');
    if (this.#listener.wantsText) this.#listener.text(decode(this.#rest.slice(this.#at, end)));
    this.#at = end;
    return true;
  }

  /** Reads the start of a section, or a tag that is incomplete or invalid. */
  #other(): boolean {
    const section = SECTIONS.find(({ begin }) => this.#rest.startsWith(begin, this.#at));
    if (section) {
      this.#section = section;
      this.#at += section.begin.length;
      return true;
    }
    if (/^<!d/i.test(this.#rest.slice(this.#at, this.#at + 3))) this.#fail('doctype');
    const next = this.#rest.indexOf('<', this.#at + 1);
    const start = this.#rest.slice(this.#at, next < 0 ? undefined : next);
    const isWhole = start.includes('>') && (start.slice(0, start.indexOf('>')).match(/["']/g)?.length ?? 0) % 2 === 0;
    if (next < 0 && !isWhole && start.length <= MAX_TAG_LENGTH) return false;
    const isLong = start.length > MAX_TAG_LENGTH;
    this.#listener.broken(isLong ? `a tag has more than ${MAX_TAG_LENGTH} characters` : 'there is an invalid tag');
    this.#at += start.length;
    return true;
  }

  /** Reads up to the end of a section, or to where its end may begin. */
  #readSection({ end, isText }: (typeof SECTIONS)[number]): boolean {
    const found = this.#rest.indexOf(end, this.#at);
    const stop = found < 0 ? Math.max(this.#at, this.#rest.length - end.length + 1) : found;
    if (isText && this.#listener.wantsText) this.#listener.text(this.#rest.slice(this.#at, stop));
    this.#at = found < 0 ? stop : stop + end.length;
    if (found >= 0) this.#section = undefined;
    return found >= 0;
  }

  /** Discards the input that was read. */
  #forget(): void {
    this.place();
    this.#rest = this.#rest.slice(this.#at);
    this.#lineStart -= this.#at;
    this.#counted = 0;
    this.#at = 0;
  }

  #fail(kind: XmlError['kind']): never {
    throw new XmlError(kind, ...this.place());
  }
}
