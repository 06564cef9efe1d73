import { defined } from '../../base/defined.js';
import { replacing } from '../../base/replacing.js';
import { entryName, KEY_ATTRIBUTES, xmlName } from './xml-names.js';

/** Characters that XML 1.0 §2.2 does not allow, escaped or not. */
const FORBIDDEN = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/;
const ALL_FORBIDDEN = new RegExp(`${FORBIDDEN.source}|\\p{Surrogate}`, 'gu');
const SURROGATE = /[\uD800-\uDFFF]/;

/** Most texts have none of them, and a search is faster than a replacement. */
const allowed = (text: string): string =>
  FORBIDDEN.test(text) || SURROGATE.test(text) ? text.replace(ALL_FORBIDDEN, '\uFFFD') : text;

const IN_TEXT = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' };
const escapeText = replacing(IN_TEXT);
const escapeAttribute = replacing({ ...IN_TEXT, '"': '&quot;', "'": '&#039;', '\n': '&#10;', '\t': '&#9;' });

/** Text between two tags. A parser would read a bare carriage return as a line feed. */
export const xmlText = (text: string): string => escapeText(allowed(text));

const attribute = (name: string, value: unknown): string => ` ${name}="${escapeAttribute(allowed(String(value)))}"`;

/** Keys with text that is an element, not an attribute, although formatversion 1 has it as plain text. */
const ELEMENTS: ReadonlySet<string> = new Set(['help>help']);

/** An element that is being written. */
interface Place {
  /** The name of the element. */
  readonly name: string;
  /** The key of the data, which determines the names of entries; for an entry the key of its list. */
  readonly key: string;
  /** The key around it. */
  readonly parent: string;
  /** Further attributes, in XML. */
  readonly attributes?: string;
}

/** The members of an object, by their form in XML. */
interface Members {
  attributes: string;
  content: string | number | undefined;
  readonly children: [Place, unknown][];
  readonly entries: [Place, unknown][];
}

const DECLARATION = '<?xml version="1.0"?>';

/**
 * Writes a result as MediaWiki does: numbers and texts are attributes, the content (`*`) is the text of its element,
 * lists have named entries, and the keys of an object with numbers for keys are `_idx`.
 */
class XmlWriter {
  readonly #parts = [DECLARATION];
  readonly #isIndented: boolean;

  constructor(isIndented: boolean) {
    this.#isIndented = isIndented;
  }

  get text(): string {
    return this.#parts.join('');
  }

  write(place: Place, value: unknown, depth: number): void {
    const { name, attributes = '' } = place;
    if (value === '' || !isPrinted(value)) return this.#line(`<${name}${attributes} />`, depth);
    if (typeof value === 'string' || typeof value === 'number') {
      return this.#line(`<${name}${attributes}>${xmlText(String(value))}</${name}>`, depth);
    }
    const members = membersOf(place, value);
    const all = attributes + members.attributes;
    if (members.content !== undefined) {
      const text = xmlText(String(members.content));
      const space = ' xml:space="preserve"';
      return this.#line(text === '' ? `<${name}${all}${space} />` : `<${name}${all}${space}>${text}</${name}>`, depth);
    }
    const inner = [...members.children, ...members.entries];
    if (inner.length === 0) return this.#line(`<${name}${all} />`, depth);
    this.#line(`<${name}${all}>`, depth);
    for (const [child, each] of inner) this.write(child, each, depth + 1);
    return this.#line(`</${name}>`, depth);
  }

  #line(text: string, depth: number): void {
    this.#parts.push(this.#isIndented ? `\n${'  '.repeat(depth)}${text}` : text);
  }
}

/** Texts, numbers, lists and objects. Others are empty elements. */
const isPrinted = (value: unknown): value is string | number | object =>
  typeof value === 'string' || typeof value === 'number' || (typeof value === 'object' && value !== null);

const membersOf = (place: Place, value: object): Members => {
  const { key, parent } = place;
  const members: Members = { attributes: '', content: undefined, children: [], entries: [] };
  if (Array.isArray(value)) {
    const entry = { name: entryName(key, parent), key, parent };
    return { ...members, entries: value.map((each): [Place, unknown] => [entry, each]) };
  }
  // Entries of a list belong to their list, which has already taken the key.
  for (const [name, each] of Object.entries(value)) addMember(members, place, name, each);
  const { content } = members;
  if (content !== undefined && members.children.length + members.entries.length > 0) {
    members.children.push([{ name: xmlName(CONTENT), key: CONTENT, parent: key }, { [CONTENT]: content }]);
    members.content = undefined;
  }
  return members;
};

const CONTENT = '*';

const addMember = (members: Members, { key, parent }: Place, name: string, value: unknown): void => {
  if (value === undefined || value === false || typeof value === 'function') return;
  const keyed = KEY_ATTRIBUTES.get(key);
  if (/^-?\d+$/.test(name) || (keyed !== undefined && typeof value === 'object')) {
    const attributes = attribute(keyed ?? '_idx', name);
    const entry = { name: entryName(key, parent), key, parent };
    // The role comes after the other properties, the index before them.
    if (keyed === undefined) members.entries.push([{ ...entry, attributes }, value]);
    else members.entries.push([entry, withLast(value, keyed, name)]);
  } else if (name === CONTENT && (typeof value === 'string' || typeof value === 'number')) {
    members.content = value;
  } else if (typeof value === 'object' && value !== null) {
    members.children.push([{ name: xmlName(name), key: name, parent: key }, value]);
  } else if (ELEMENTS.has(`${key}>${name}`)) {
    members.children.push([{ name: xmlName(name), key: name, parent: key }, { [CONTENT]: value }]);
  } else if (value !== null) {
    members.attributes += attribute(xmlName(name), value === true ? '' : value);
  }
};

const withLast = (value: unknown, name: string, text: string): unknown => ({ ...(value as object), [name]: text });

/** Options of {@link printXml}. */
interface XmlOptions {
  /** One element per line, for reading. */
  readonly isIndented: boolean;
  /** The namespace of the result, for its root element. */
  readonly namespace?: string | undefined;
}

/** A result in formatversion 1 as XML. The text of the root, where the API is documented, is the element `docref`. */
export const printXml = (answer: object, { isIndented, namespace }: XmlOptions, root = 'api'): string => {
  const writer = new XmlWriter(isIndented);
  const { [CONTENT]: docref, ...data }: Readonly<Record<string, unknown>> = { ...answer };
  const shown = {
    ...data,
    ...(docref !== undefined && { docref: { [CONTENT]: docref } }),
    ...defined({ xmlns: namespace }),
  };
  writer.write({ name: root, key: root, parent: '' }, shown, 0);
  return writer.text;
};

/** The titles of `action=opensearch` as XML, in the format of search suggestions. */
export const printSuggestions = (list: readonly unknown[], options: XmlOptions): string => {
  const [query, titles, , urls] = list as readonly [string, readonly string[], unknown, readonly string[]];
  const items = titles.map((title, index) => ({ Text: { [CONTENT]: title }, Url: { [CONTENT]: urls[index] ?? '' } }));
  const data = { version: '2.0', Query: { [CONTENT]: query }, Section: items };
  return printXml(data, { ...options, namespace: 'http://opensearch.org/searchsuggest2' }, 'SearchSuggestion');
};
