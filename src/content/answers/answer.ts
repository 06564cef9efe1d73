import { badContinue } from '../../core/query/answer/api-error.js';
import type {
  GeneratedPage,
  ListResult,
  ModuleHandlers,
  ModuleName,
  PropResult,
  ResultItem,
} from '../../core/query/index.js';
import type { Content, Found } from '../content.js';
import type { ContentPage, ContentRange, ContentSource } from '../source.js';
import { compareText } from '../text-order.js';
import { endOf } from '../content.js';

/** What answers a module, by its name: the parameters are typed after it. */
export type Handler<N extends ModuleName> = NonNullable<ModuleHandlers[N]>;

/** Names of functions that a source may have. */
export type ContentFunction = Exclude<keyof ContentSource, 'site' | 'modules' | 'render' | 'markup'>;

/** A source that has these functions. */
export type Having<F extends ContentFunction> = Content<ContentSource & Required<Pick<ContentSource, F>>>;

/** How lists show a page. */
export const pageItem = (page: ContentPage, content: Content) => ({
  pageid: page.id,
  ns: page.ns,
  title: content.show(page),
});

/** The keys of an object that were asked for. */
export const only = <T extends object, K extends keyof T>(item: T, wanted: readonly K[]): ResultItem =>
  Object.fromEntries(wanted.filter((key) => item[key] !== undefined).map((key) => [key, item[key]]));

type Key = string | number | readonly (string | number)[];

interface ListParts<Row> {
  readonly item: (row: Row) => ResultItem;
  /** The page of a row, when the list is a generator and its items do not say it. */
  readonly page?: (row: Row) => GeneratedPage;
}

/** Makes an answer of what was found. */
export const listOf = <Row, K extends Key>(
  { rows, next }: Found<Row, K>,
  { item, page }: ListParts<Row>,
): ListResult => ({
  items: rows.map(item),
  continue: next,
  ...(page ? { pages: rows.map(page) } : {}),
});

/** As {@link listOf}, for rows that each belong to a page of the request. */
export const byPage = <Row extends { readonly page: number }, K extends Key>(
  { rows, next }: Found<Row, K>,
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
 * Takes the value apart with which a list goes on; `undefined` at its beginning. A text, of which there is at most one, may hold bars itself.
 *
 * @throws ApiError `badcontinue` for what no earlier answer can have said.
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
  // One value for each part, of the kind that the part says.
  return values as KeyValues<T>;
};

/** The ids of the pages that a prop module works on. */
export const idsOf = (pages: { readonly existing: readonly { readonly pageid: number }[] }): readonly number[] =>
  pages.existing.map(({ pageid }) => pageid);

interface Bounds {
  readonly from?: string;
  readonly to?: string;
  readonly prefix?: string;
  readonly dir: string;
}

/** The part of a list of titles that a request asks for, and that is still to be given. */
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

/** Whether a list reads downwards: lists of names, of times and of members each have words of their own for it. */
export const isDescending = (dir: string): boolean => ['desc', 'descending', 'older'].includes(dir);

/** Times between two bounds, which a list reads from `start` to `end` whatever its direction. */
export const timeBounds = (
  { start, end, dir }: { readonly start?: string; readonly end?: string; readonly dir: string },
  next: readonly [timestamp: string, id: number] | undefined,
) => {
  const descending = isDescending(dir);
  // All ids of the first and of the last second belong to the list.
  const [before, after] = descending ? [Number.MAX_SAFE_INTEGER, 0] : [0, Number.MAX_SAFE_INTEGER];
  return {
    from: next ?? (start === undefined ? undefined : ([start, before] as const)),
    to: end === undefined ? undefined : ([end, after] as const),
    descending,
  };
};
