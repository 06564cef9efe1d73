import { createHash } from 'node:crypto';
import type { ContentTitle } from './source.js';

/** Namespaces that mean something to content. */
export const FILE = 6;
export const TEMPLATE = 10;
export const CATEGORY = 14;

/** The type of a member, in the order of categories: 0 page, 1 subcategory, 2 file. */
export const memberType = (ns: number): 0 | 1 | 2 => (ns === CATEGORY ? 1 : ns === FILE ? 2 : 0);

/** A text in upper case of English, as MediaWiki's default order of categories has it, whatever the language of the site. */
export const upperKey = (text: string): string => text.toUpperCase();

/** The sort key of a member of a category: its own sort key prefix, if it has one, and its title, in upper case. */
export const sortkeyOf = (prefix: string, title: string): string =>
  upperKey(prefix === '' ? title : `${prefix}\n${title}`);

/**
 * A URL as the target of a link: with the host reversed, so that subdomains sort together, and the protocol at the end.
 * `undefined` without a host.
 */
export const urlTarget = (url: string): string | undefined => {
  const [, protocol, host, rest] = /^([a-z][a-z+.-]*):\/\/([^/?#\s]+)(\S*)$/i.exec(url) ?? [];
  if (protocol === undefined || host === undefined) return undefined;
  return `${hostKey(host)}${rest || '/'} ${protocol.toLowerCase()}`;
};

/** `www.example.org` as `org.example.www.` */
export const hostKey = (host: string): string => `${host.toLowerCase().split('.').reverse().join('.')}.`;

/** A title as the key of a map. */
export const titleId = ({ ns, title }: ContentTitle): string => `${ns}:${title}`;

/** The number of a page in the random order, by its {@link titleId}: below 2^31, and always the same. */
export const shuffleOf = (title: string): number => createHash('sha256').update(title).digest().readUInt32BE(0) >>> 1;

/** The upper bound of texts with this prefix. */
export const endOf = (prefix: string): string => `${prefix}\u{10ffff}`;

/** The upper bound of ids. */
export const LAST_ID = Number.MAX_SAFE_INTEGER;

/** A time in milliseconds since the epoch as a text, such as `2024-05-06T07:08:09Z`. */
export const timeOf = (milliseconds: number): string => new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');

/**
 * Compares by code points, as databases do; comparing UTF-16 code units would sort characters above U+FFFF too early.
 */
export const compareText = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const one = a.charCodeAt(index);
    const other = b.charCodeAt(index);
    if (one !== other) return one >= 0xd800 && other >= 0xd800 ? rank(one) - rank(other) : one - other;
  }
  return a.length - b.length;
};

/** Moves surrogates behind all other code units. */
const rank = (unit: number): number => (unit <= 0xdfff ? unit + 0x2000 : unit - 0x800);

/** The position of a row in a list. */
export type Key = readonly (string | number)[];

/** Compares keys part by part. */
export const compareKeys = (a: Key, b: Key): number => {
  for (const [index, one] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    const order = typeof one === 'number' ? one - Number(other) : compareText(one, String(other));
    if (order !== 0) return order;
  }
  return a.length - b.length;
};
