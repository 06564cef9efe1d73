import {
  badContinue,
  type Item,
  type ListResult,
  type ModuleHandlers,
  type ModuleName,
  type PropResult,
} from 'oauth-query';
import type { GeneratedPage, Site } from 'oauth-query';
import { showTitle } from './titles.js';

/** What answers a module, by its name: the parameters are typed after it. */
export type Handler<N extends ModuleName> = NonNullable<ModuleHandlers[N]>;

/** What nearly every row says about a page. */
export interface PageRow {
  readonly id: number;
  readonly ns: number;
  readonly title: string;
}

/** How lists show a page. */
export const pageItem = ({ id, ns, title }: PageRow, site: Site) => ({
  pageid: id,
  ns,
  title: showTitle(ns, title, site),
});

/** The keys of an object that were asked for. */
export function only<T extends object, K extends keyof T>(item: T, wanted: readonly K[]): Item {
  return Object.fromEntries(wanted.filter((key) => item[key] !== undefined).map((key) => [key, item[key]]));
}

type Key = string | number | readonly (string | number)[];

interface ListParts<Row> {
  readonly limit: number;
  /** What the next request begins with: something of the first row that did not fit, never a count. */
  readonly key: (row: Row) => Key;
  readonly item: (row: Row) => Item;
  /** The page of a row, when the list is a generator and its items do not say it. */
  readonly page?: (row: Row) => GeneratedPage;
}

/**
 * Makes a list of rows, of which one more was read than may be given: it only says where to go on. What is added or removed
 * between two requests can so neither hide a row nor give it twice.
 */
export function listOf<Row>(rows: readonly Row[], { limit, key, item, page }: ListParts<Row>): ListResult {
  const next = rows[limit];
  const given = rows.slice(0, limit);
  return {
    items: given.map(item),
    continue: next === undefined ? undefined : key(next),
    ...(page ? { pages: given.map(page) } : {}),
  };
}

/** As {@link listOf}, for rows that each belong to a page of the request. */
export function byPage<Row extends { readonly page: number }>(
  rows: readonly Row[],
  { limit, key, item }: Omit<ListParts<Row>, 'page'>,
): PropResult {
  const next = rows[limit];
  const pages = new Map<number, Item[]>();
  for (const row of rows.slice(0, limit)) {
    const items = pages.get(row.page);
    if (items) items.push(item(row));
    else pages.set(row.page, [item(row)]);
  }
  return { pages, continue: next === undefined ? undefined : key(next) };
}

type KeyPart = 'number' | 'text' | 'time';
type KeyValues<T extends readonly KeyPart[]> = { -readonly [I in keyof T]: T[I] extends 'number' ? number : string };

const PATTERNS: Readonly<Record<KeyPart, RegExp>> = {
  number: /^-?(?:0|[1-9]\d{0,14})$/,
  text: /^[^]*$/,
  time: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
};

/**
 * Takes the value apart with which a list goes on; `undefined` at its beginning. The last part may hold bars itself.
 *
 * @throws ApiError `badcontinue` for what no earlier answer can have said.
 */
export function readKey<const T extends readonly KeyPart[]>(
  value: string | undefined,
  ...parts: T
): KeyValues<T> | undefined {
  if (value === undefined) return undefined;
  const texts = value.split('|');
  if (texts.length < parts.length) throw badContinue();
  if (parts.at(-1) === 'text') texts.push(texts.splice(parts.length - 1).join('|'));
  if (texts.length !== parts.length) throw badContinue();
  const values = parts.map((part, index) => {
    const text = texts[index] ?? '';
    if (!PATTERNS[part].test(text)) throw badContinue();
    return part === 'number' ? Number(text) : text;
  });
  // One value for each part, of the kind that the part says.
  return values as KeyValues<T>;
}

/** The ids of the pages that a prop module works on. */
export const idsOf = (pages: { readonly existing: readonly { readonly pageid: number }[] }): readonly number[] =>
  pages.existing.map(({ pageid }) => pageid);
