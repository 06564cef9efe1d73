import {
  badContinue,
  type GeneratedPage,
  type ListResult,
  type ModuleHandlers,
  type ModuleName,
  type PropResult,
  type ResultItem,
} from '../../core/query/index.js';
import type { Content, FoundRows } from '../content.js';
import { LAST_ID, compareText, endOf } from '../keys.js';
import type { ContentPage, ContentRange, ContentSource } from '../source.js';

/** The handler of a module, with its parameters typed. */
export type Handler<N extends ModuleName> = NonNullable<ModuleHandlers[N]>;

/** A request to a module. */
export type RequestOf<N extends ModuleName> = Parameters<Handler<N>>[0];

/** Names of the optional functions of a source. */
export type ContentFunction = Exclude<keyof ContentSource, 'site' | 'modules' | 'render' | 'markup'>;

/** A source that has these functions. */
export type Having<F extends ContentFunction> = Content<ContentSource & Required<Pick<ContentSource, F>>>;

/** Answers a module from a source that has these functions. */
export type Answer<N extends ModuleName, F extends ContentFunction> = (
  content: Having<F>,
  request: RequestOf<N>,
) => ReturnType<Handler<N>>;

/** A page as an item of a list. @param more - Its members after those of the page. */
export const pageItem = <More extends object>(page: ContentPage, content: Content, more?: More) => ({
  pageid: page.id,
  ns: page.ns,
  title: content.show(page),
  ...more,
});

/** Names of properties in the parameter `prop` of lists, if other than in their items. */
const PROPS: Readonly<Record<string, string>> = { pageid: 'ids', ns: 'title' };

/** The properties of an item that the parameter `prop` names. */
export const asked = (item: Readonly<Record<string, unknown>>, props: readonly string[]): ResultItem => {
  const shown: Record<string, unknown> = {};
  for (const key in item) if (item[key] !== undefined && props.includes(PROPS[key] ?? key)) shown[key] = item[key];
  return shown;
};

/** The parts of an item that the parameter `prop` names. A part may be absent. */
export const partsOf = (
  props: readonly string[],
  parts: Readonly<Record<string, ResultItem | false | undefined>>,
): ResultItem => {
  const item = {};
  for (const name in parts) if (props.includes(name)) Object.assign(item, parts[name]);
  return item;
};

/** Whether a list of accepted values contains a value. An empty list accepts all. */
export const accepts = <T>(values: readonly T[] | undefined, value: T): boolean =>
  !values || values.length === 0 || values.includes(value);

/** Whether a row passes the filters of the parameter `show`: a name requires a fact, and the name with `!` its opposite. */
export const passes = (show: readonly string[], facts: Readonly<Record<string, boolean>>): boolean =>
  Object.entries(facts).every(([name, is]) => !show.includes(is ? `!${name}` : name));

/** The parameter `filterredir` of lists of pages. */
export type RedirectFilter = 'all' | 'nonredirects' | 'redirects';

/** Whether a page passes it. */
export const passesRedirects = ({ redirect }: ContentPage, filter: RedirectFilter = 'all'): boolean =>
  filter === 'all' || (redirect !== undefined) === (filter === 'redirects');

/** The filter `redirects` of a source; `undefined` for all pages. */
export const redirectHint = (filter: RedirectFilter = 'all'): boolean | undefined =>
  filter === 'all' ? undefined : filter === 'redirects';

/** The filter of a source for what `show` requires of a fact; `undefined` if it requires nothing. */
export const hintOf = (show: readonly string[], fact: string): boolean | undefined =>
  show.includes(fact) ? true : show.includes(`!${fact}`) ? false : undefined;

/** The filter of a source for numbers of which one, both or none is given. */
export const spanOf = (least: number | undefined, most: number | undefined): readonly [number, number] | undefined =>
  least === undefined && most === undefined ? undefined : [least ?? 0, most ?? Number.MAX_SAFE_INTEGER];

type Key = string | number | readonly (string | number)[];

interface ListParts<Row> {
  readonly item: (row: Row) => ResultItem;
  /** The page of a row, for a generator whose items do not contain it. */
  readonly page?: (row: Row) => GeneratedPage;
}

/** Converts the rows found to a list result. */
export const listOf = <Row, K extends Key>(
  { rows, next }: FoundRows<Row, K>,
  { item, page }: ListParts<Row>,
): ListResult => ({
  items: rows.map(item),
  continue: next,
  ...(page ? { pages: rows.map(page) } : {}),
});

/** As {@link listOf}, for rows that belong to pages of the request. */
export const byPage = <Row extends { readonly page: number }, K extends Key>(
  { rows, next }: FoundRows<Row, K>,
  item: (row: Row) => ResultItem,
): PropResult => {
  const pages = new Map<number, ResultItem[]>();
  for (const row of rows) {
    const items = pages.get(row.page);
    if (items) items.push(item(row));
    else pages.set(row.page, [item(row)]);
  }
  return { pages, continue: next };
};

type KeyPart = 'number' | 'text' | 'time';
type KeyValues<T extends readonly KeyPart[]> = { -readonly [I in keyof T]: T[I] extends 'number' ? number : string };

const ACCEPTS: Readonly<Record<KeyPart, (text: string) => boolean>> = {
  number: (text) => Number.isSafeInteger(Number(text)) && String(Number(text)) === text,
  text: () => true,
  time: (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text),
};

/**
 * Parses the continue value of a list; `undefined` at the start. At most one part is a text, which may contain bars.
 *
 * @throws ApiError `badcontinue` for a value that no earlier response contained.
 */
export const readKey = <const T extends readonly KeyPart[]>(
  value: string | undefined,
  ...parts: T
): KeyValues<T> | undefined => {
  if (value === undefined) return undefined;
  const texts = value.split('|');
  const surplus = texts.length - parts.length;
  const text = parts.indexOf('text');
  if (surplus > 0 && text >= 0) texts.splice(text, surplus + 1, texts.slice(text, text + surplus + 1).join('|'));
  if (texts.length !== parts.length) throw badContinue();
  const values = parts.map((part, index) => {
    const given = texts[index] ?? '';
    if (!ACCEPTS[part](given)) throw badContinue();
    return part === 'number' ? Number(given) : given;
  });
  // One value for each part, of its type.
  return values as KeyValues<T>;
};

/** The ids of the pages of a prop module. */
export const idsOf = (pages: { readonly existing: readonly { readonly pageid: number }[] }): readonly number[] =>
  pages.existing.map(({ pageid }) => pageid);

interface Bounds {
  readonly from?: string;
  readonly to?: string;
  readonly prefix?: string;
  readonly dir: string;
}

/** The remaining range of a list of titles. */
export const titleBounds = (
  { from, to, prefix, dir }: Bounds,
  start: (text: string) => string,
  next: string | undefined,
): Omit<ContentRange<string>, 'limit'> => {
  const descending = isDescending(dir);
  const [low, high] = descending ? [to, from] : [from, to];
  const beginning = prefix === undefined ? undefined : start(prefix);
  const least = sorted(low === undefined ? undefined : start(low), beginning).at(-1);
  const [most] = sorted(
    high === undefined ? undefined : start(high),
    beginning === undefined ? undefined : endOf(beginning),
  );
  return descending
    ? { from: sorted(most, next)[0], to: least, descending }
    : { from: sorted(least, next).at(-1), to: most, descending };
};

const sorted = (...texts: readonly (string | undefined)[]): readonly string[] =>
  texts.filter((text) => text !== undefined).sort(compareText);

/** Whether a list is descending: lists of names, of times and of members have different values for it. */
export const isDescending = (dir: string): boolean => ['desc', 'descending', 'older'].includes(dir);

/** The position of a row in a list by time. */
export type TimeKey = readonly [timestamp: string, id: number];

/** The remaining range of a list by time between `start` and `end`, in either direction. */
export const timeBounds = (
  { start, end, dir }: { readonly start?: string; readonly end?: string; readonly dir: string },
  next: string | undefined,
): Omit<ContentRange<TimeKey>, 'limit'> => {
  const descending = isDescending(dir);
  // Includes all ids of the first and last second.
  const [before, after] = descending ? [LAST_ID, 0] : [0, LAST_ID];
  return {
    from: readKey(next, 'time', 'number') ?? (start === undefined ? undefined : [start, before]),
    to: end === undefined ? undefined : [end, after],
    descending,
  };
};
