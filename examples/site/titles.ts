import type { Site } from 'oauth-query';

/** What has to be known of a site to read its titles. */
export type TitleRules = {
  readonly interwiki: ReadonlyMap<string, { readonly language?: string }>;
  namespaceId(name: string): number | undefined;
  namespace(id: number): { readonly name: string; readonly case: 'first-letter' | 'case-sensitive' } | undefined;
};

/** A title of this site: its namespace, and the rest with underscores. */
export interface LocalTitle {
  readonly ns: number;
  readonly key: string;
  readonly fragment: string;
}

/** A title on another site. */
export interface ForeignTitle {
  readonly prefix: string;
  readonly text: string;
}

export const isLocal = (title: LocalTitle | ForeignTitle): title is LocalTitle => 'key' in title;

export const FILE = 6;
export const TEMPLATE = 10;
export const CATEGORY = 14;

/** Reads a title as it stands in a text or a parameter; `undefined` for what cannot be one. */
export function readTitle(raw: string, rules: TitleRules, defaultNs = 0): LocalTitle | ForeignTitle | undefined {
  let text = tidy(raw);
  let ns = defaultNs;
  if (text.startsWith(':')) {
    ns = 0;
    text = tidy(text.slice(1));
  }
  const colon = text.indexOf(':');
  if (colon > 0) {
    const prefix = tidy(text.slice(0, colon));
    const id = rules.namespaceId(prefix);
    if (id !== undefined) {
      ns = id;
      text = tidy(text.slice(colon + 1));
    } else if (rules.interwiki.has(prefix.toLowerCase())) {
      return { prefix: prefix.toLowerCase(), text: tidy(text.slice(colon + 1)) };
    }
  }
  const [name = '', ...fragment] = text.split('#');
  if (tidy(name) === '' || /[<>[\]{}|\n]/.test(name)) return undefined;
  return { ns, key: titleKey(tidy(name), ns, rules), fragment: fragment.join('#') };
}

/** As {@link readTitle}, for what can only be a title of this site. */
export function localTitle(raw: string, rules: TitleRules, defaultNs = 0): LocalTitle | undefined {
  const title = readTitle(raw, rules, defaultNs);
  return title && isLocal(title) ? title : undefined;
}

/** The first letter of most titles is a capital, and spaces are underscores. Works for the beginning of a title too. */
export function titleKey(text: string, ns: number, rules: TitleRules): string {
  const key = text.replaceAll(' ', '_');
  if (rules.namespace(ns)?.case === 'case-sensitive') return key;
  const first = String.fromCodePoint(key.codePointAt(0) ?? 0);
  const upper = first.toUpperCase();
  return key === '' || upper.length !== first.length ? key : upper + key.slice(first.length);
}

/** A title as people read it: with its namespace, and with spaces. */
export function showTitle(ns: number, key: string, site: TitleRules | Site): string {
  const name = site.namespace(ns)?.name ?? '';
  const text = key.replaceAll('_', ' ');
  return name === '' ? text : `${name}:${text}`;
}

const tidy = (text: string): string => text.replace(/[\s_]+/g, ' ').trim();
