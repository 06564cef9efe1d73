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
import { endOf } from '../content.js';
import type { ContentPage, ContentRange, ContentSource } from '../source.js';
import { compareText } from '../text-order.js';

/** The handler of a module, with its parameters typed. */
export type Handler<N extends ModuleName> = NonNullable<ModuleHandlers[N]>;

/** Names of the optional functions of a source. */
export type ContentFunction = Exclude<keyof ContentSource, 'site' | 'modules' | 'render' | 'markup'>;

/** A source that has these functions. */
export type Having<F extends ContentFunction> = Content<ContentSource & Required<Pick<ContentSource, F>>>;

/** A page as an item of a list. */
export const pageItem = (page: ContentPage, content: Content) => ({
  pageid: page.id,
  ns: page.ns,
  title: content.show(page),
});

/** Names of properties in the parameter `prop` of lists, if other than in their items. */
const PROPS: Readonly<Record<string, string>> = { pageid: 'ids', ns: 'title' };

/** The properties of an item that the parameter `prop` names. */
export const asked = (item: Readonly<Record<string, unknown>>, props: readonly string[]): ResultItem =>
  Object.fromEntries(
    Object.entries(item).filter(([key, value]) => value !== undefined && props.includes(PROPS[key] ?? key)),
  );

/** Whether a row passes the filters of the parameter `show`: a name requires a fact, and the name with `!` its opposite. */
export const passes = (show: readonly string[], facts: Readonly<Record<string, boolean>>): boolean =>
  Object.entries(facts).every(([name, is]) => !show.includes(is ? `!${name}` : name));

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

const PATTERNS: Readonly<Record<KeyPart, RegExp>> = {
  number: /^-?(?:0|[1-9]\d{0,15})$/,
  text: /^[^]*$/,
  time: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
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
  if (texts.length < parts.length) throw badContinue();
  const text = parts.indexOf('text');
  if (text >= 0) {
    const surplus = texts.length - parts.length;
    texts.splice(text, surplus + 1, texts.slice(text, text + surplus + 1).join('|'));
  }
  if (texts.length !== parts.length) throw badContinue();
  const values = parts.map((part, index) => {
    const given = texts[index] ?? '';
    if (!PATTERNS[part].test(given) || (part === 'number' && !Number.isSafeInteger(Number(given)))) throw badContinue();
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
  const descending = dir === 'descending';
  const [low, high] = descending ? [to, from] : [from, to];
  const least = greatest([low, prefix].map((text) => (text === undefined ? undefined : start(text))));
  const most = smallest([high && start(high), prefix === undefined ? undefined : endOf(start(prefix))]);
  return descending
    ? { from: smallest([most, next]), to: least, descending }
    : { from: greatest([least, next]), to: most, descending };
};

const greatest = (texts: readonly (string | undefined)[]): string | undefined => pick(texts, 1);
const smallest = (texts: readonly (string | undefined)[]): string | undefined => pick(texts, -1);

const pick = (texts: readonly (string | undefined)[], sign: 1 | -1): string | undefined =>
  texts.reduce((best, text) => {
    if (text === undefined) return best;
    return best === undefined || compareText(text, best) * sign > 0 ? text : best;
  }, undefined);

/** Whether a list is descending: lists of names, of times and of members have different values for it. */
export const isDescending = (dir: string): boolean => ['desc', 'descending', 'older'].includes(dir);

/** The range of a list between `start` and `end`, in either direction. */
export const timeBounds = (
  { start, end, dir }: { readonly start?: string; readonly end?: string; readonly dir: string },
  next: readonly [timestamp: string, id: number] | undefined,
) => {
  const descending = isDescending(dir);
  // Includes all ids of the first and last second.
  const [before, after] = descending ? [Number.MAX_SAFE_INTEGER, 0] : [0, Number.MAX_SAFE_INTEGER];
  return {
    from: next ?? (start === undefined ? undefined : ([start, before] as const)),
    to: end === undefined ? undefined : ([end, after] as const),
    descending,
  };
};
