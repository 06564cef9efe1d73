import type { ContinueValue, GeneratedPage, Item, ListResult, MetaResult, PropResult } from './handlers.js';

/** What a handler has answered, looked through: what is not as it should be does not get further than this. */

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isItems = (value: unknown): value is readonly Item[] => Array.isArray(value) && value.every(isObject);

const isContinue = (value: unknown): value is ContinueValue | undefined =>
  value === undefined ||
  isScalar(value) ||
  (Array.isArray(value) ? value.every(isScalar) : isObject(value) && Object.values(value).every(isScalar));

const isScalar = (value: unknown): value is string | number =>
  typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value));

const isBeside = (value: unknown): value is Item | undefined => value === undefined || isObject(value);

const isPages = (value: unknown): value is readonly GeneratedPage[] | undefined =>
  value === undefined || isItems(value);

/** `undefined` when the answer of a list module is none. */
export function readListResult(value: unknown): ListResult | undefined {
  if (isItems(value)) return { items: value };
  if (!isObject(value)) return undefined;
  const { items, continue: next, beside, pages } = value;
  if (!isItems(items) || !isContinue(next) || !isBeside(beside) || !isPages(pages)) return undefined;
  return { items, continue: next, ...(beside ? { beside } : {}), ...(pages ? { pages } : {}) };
}

/** A prop module's answer with its pages in a map. */
export interface PropAnswer {
  readonly pages: ReadonlyMap<number, unknown>;
  readonly continue: ContinueValue | undefined;
  readonly beside: Item | undefined;
}

/** `undefined` when the answer of a prop module is none. */
export function readPropResult(value: unknown): PropAnswer | undefined {
  if (!isObject(value)) return undefined;
  const { pages, continue: next, beside } = value as Partial<Record<keyof PropResult, unknown>>;
  if (!isContinue(next) || !isBeside(beside)) return undefined;
  if (pages instanceof Map) return { pages, continue: next, beside };
  if (!isObject(pages)) return undefined;
  return { pages: new Map(Object.entries(pages).map(([id, data]) => [Number(id), data])), continue: next, beside };
}

/** `undefined` when the answer of a meta module is none. */
export function readMetaResult(value: unknown): MetaResult | undefined {
  if (!isObject(value) || !('data' in value)) return undefined;
  const { data, continue: next } = value;
  const shown = data === undefined || (typeof data === 'object' && data !== null);
  return shown && isContinue(next) ? { data, continue: next } : undefined;
}

/** The pages that a list yields as a generator: what it says itself, or what its items say. */
export function generatedPages({ items, pages }: ListResult, moduleName: string): readonly GeneratedPage[] {
  if (pages) return pages;
  return items.map((item, index) => {
    const { title, pageid, id, category } = item;
    const text = typeof title === 'string' ? title : typeof category === 'string' ? `Category:${category}` : undefined;
    const number =
      typeof pageid === 'number' ? pageid : moduleName === 'random' && typeof id === 'number' ? id : undefined;
    return {
      ...(text === undefined ? {} : { title: text }),
      ...(number === undefined ? {} : { pageid: number }),
      ...(RANKED.has(moduleName) ? { extra: { index: index + 1 } } : {}),
    };
  });
}

/** Modules whose order is their point: as generators they number their pages. */
const RANKED = new Set(['search', 'prefixsearch']);
