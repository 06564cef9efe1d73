import { normalizeText } from '../../base/text.js';
import { upperFirst } from '../text/first-letter.js';
import { decodeReferences } from './character-references.js';
import { canonicalAddress } from './ip-address.js';
import type { Interwiki, Site } from './site.js';

/** A title on this site. */
export interface LocalTitle {
  readonly kind: 'local';
  readonly ns: number;
  /** Without the namespace, with spaces. Empty for a lone fragment. */
  readonly text: string;
  /** With the namespace, with spaces: `Talk:Main Page`. */
  readonly prefixed: string;
  /** The text after the first `#`; empty without one. */
  readonly fragment: string;
}

/** A title on another site. */
interface ForeignTitle {
  readonly kind: 'interwiki';
  /** The prefix, lower case. */
  readonly prefix: string;
  readonly interwiki: Interwiki;
  /** The text after the prefix. */
  readonly text: string;
}

interface InvalidTitle {
  readonly kind: 'invalid';
  /** One sentence. */
  readonly reason: string;
}

type ValidTitle = LocalTitle | ForeignTitle;

export type ParsedTitle = ValidTitle | InvalidTitle;

const SPACES = /[ _\u00a0\u1680\u180e\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/g;
const BIDI_MARKS = /[\u200e\u200f\u202a-\u202e]/g;
const INVALID =
  /[^ %!"$&'()*,\-./0-9:;=?@A-Z\\^_`a-z~\u0080-\u{10ffff}+]|%[0-9A-Fa-f]{2}|&(?:[A-Za-z0-9\u0080-\u{10ffff}]+|#[0-9]+|#x[0-9A-Fa-f]+);/u;
const RELATIVE = /^\.{1,2}(?:$|\/)|\/\.{1,2}(?:$|\/)/;

const EMPTY = 'The requested page title is empty or contains only the name of a namespace.';

const MAX_BYTES = 255;
const MAX_SPECIAL_BYTES = 512;

const tooLong = (bytes: number): string =>
  `The requested page title is too long. It must be no longer than ${bytes} bytes in UTF-8 encoding.`;

/** The reason for titles that are too long to be parsed. */
export const TOO_LONG = tooLong(MAX_BYTES);

const invalid = (reason: string): InvalidTitle => ({ kind: 'invalid', reason });

/**
 * Parses a title and normalizes it to its canonical form: in normalization form C, without marks of direction, with the first letter in upper case.
 * Every title goes through it, whether a request, an export or a file contains it.
 */
export const parseTitle = (raw: string, site: Site, defaultNamespace = 0): ParsedTitle => {
  const normal = normalizeText(decodeReferences(raw), 'NFC', Number.POSITIVE_INFINITY);
  if (normal === undefined) return invalid('The requested page title contains more than 30 combining marks in a row.');
  let text = tidy(normal);
  if (text.includes('\ufffd')) return invalid('The requested page title contains an invalid UTF-8 sequence.');
  let ns = defaultNamespace;
  if (text.startsWith(':')) {
    ns = 0;
    text = tidy(text.slice(1));
  }
  if (text === '') return invalid(EMPTY);
  const colon = text.indexOf(':');
  if (colon > 0) {
    const prefix = text.slice(0, colon).trimEnd();
    const id = site.namespaceId(prefix);
    const rest = tidy(text.slice(colon + 1));
    if (id !== undefined) {
      if (id === 1 && claimsNamespace(rest, site)) {
        return invalid('The requested talk page title refers to a page that cannot exist.');
      }
      ns = id;
      text = rest;
    } else {
      const interwiki = site.interwiki.get(prefix.toLowerCase());
      // Sites of the same family have the same namespaces.
      if (interwiki?.local && site.namespaceId(/^([^:#]+): ?(?:#.*)?$/.exec(rest)?.[1] ?? '')) return invalid(EMPTY);
      if (interwiki) return { kind: 'interwiki', prefix: prefix.toLowerCase(), interwiki, text: rest };
    }
  }
  if (text.startsWith(':')) return invalid('The requested page title contains an invalid colon at the beginning.');
  return finish(text, ns, site);
};

const finish = (whole: string, ns: number, site: Site): ParsedTitle => {
  const hash = whole.indexOf('#');
  const fragment = hash < 0 ? '' : tidy(whole.slice(hash + 1));
  let text = hash < 0 ? whole : whole.slice(0, hash).trimEnd();
  const unfit = INVALID.exec(text);
  if (unfit) return invalid(`The requested page title contains invalid characters: "${unfit[0]}".`);
  if (RELATIVE.test(text)) {
    return invalid(
      "Title has relative path. Relative page titles (./, ../) are invalid, because they will often be unreachable when handled by user's browser.",
    );
  }
  if (text.includes('~~~')) return invalid('The requested page title contains invalid magic tilde sequence (~~~).');
  const most = ns === -1 ? MAX_SPECIAL_BYTES : MAX_BYTES;
  if (Buffer.byteLength(text) > most) return invalid(tooLong(most));
  if (text === '' && (ns !== 0 || hash < 0)) return invalid(EMPTY);
  if (site.namespace(ns)?.case !== 'case-sensitive') text = upperFirst(text, site.language);
  if (ns === 2 || ns === 3) text = canonicalAddress(text) ?? text;
  return { kind: 'local', ns, text, prefixed: prefixedTitle(ns, text, site), fragment };
};

/** `Talk:File:X` is not a valid title; the talk page is `File talk:X`. */
const claimsNamespace = (rest: string, site: Site): boolean => {
  const colon = rest.indexOf(':');
  if (colon <= 0) return false;
  const prefix = rest.slice(0, colon).trimEnd();
  return site.namespaceId(prefix) !== undefined || site.interwiki.has(prefix.toLowerCase());
};

/** A title with its namespace, as in responses. */
export const prefixedTitle = (ns: number, text: string, site: Site): string => {
  const name = site.namespace(ns)?.name ?? `Special:Badtitle/NS${ns}`;
  return name === '' ? text : `${name}:${text}`;
};

/** A title in its canonical form, with the prefix of its namespace or site. */
export const wholeTitle = (title: ValidTitle): string =>
  title.kind === 'local' ? title.prefixed : `${title.prefix}:${title.text}`;

/** Removes direction marks and superfluous spaces. */
export const tidy = (text: string): string => text.replace(BIDI_MARKS, '').replace(SPACES, ' ').replace(/^ | $/g, '');

/** A title in continuation values and keys: with underscores. */
export const titleKey = (title: string): string => title.replaceAll(' ', '_');
