import { defined } from '../../base/defined.js';
import type { ResultItem } from '../answer/result-format.js';
import type { ModuleDescriptor } from '../descriptor/descriptor.js';
import type { GeneratedPage } from '../descriptor/page-model.js';
import type { ContinueValue, ListResult, MetaResult, PropResult } from './handlers.js';

/** Validates the results of handlers. */

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isItems = (value: unknown): value is readonly ResultItem[] => Array.isArray(value) && value.every(isObject);

const isContinue = (value: unknown): value is ContinueValue | undefined =>
  value === undefined ||
  isScalar(value) ||
  (Array.isArray(value) ? value.every(isScalar) : isObject(value) && Object.values(value).every(isScalar));

const isScalar = (value: unknown): value is string | number =>
  typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value));

const isExtra = (value: unknown): value is ResultItem | undefined => value === undefined || isObject(value);

const isPages = (value: unknown): value is readonly GeneratedPage[] | undefined =>
  value === undefined || isItems(value);

/** `undefined` if it is not a result of a list module. */
export const readListResult = (value: unknown): ListResult | undefined => {
  if (isItems(value)) return { items: value };
  if (!isObject(value)) return undefined;
  const { items, continue: next, start, extra, pages } = value;
  if (!isItems(items) || !isContinue(next) || !isContinue(start) || !isExtra(extra) || !isPages(pages))
    return undefined;
  return { items, continue: next, start, extra, pages };
};

/** A prop module's result with its pages in a map. */
export interface PropAnswer {
  readonly pages: ReadonlyMap<number, unknown>;
  readonly continue: ContinueValue | undefined;
  readonly extra: ResultItem | undefined;
}

/** `undefined` if it is not a result of a prop module. */
export const readPropResult = (value: unknown): PropAnswer | undefined => {
  if (!isObject(value)) return undefined;
  const { pages, continue: next, extra } = value as Partial<Record<keyof PropResult, unknown>>;
  if (!isContinue(next) || !isExtra(extra)) return undefined;
  if (pages instanceof Map) return { pages, continue: next, extra };
  if (!isObject(pages)) return undefined;
  return { pages: new Map(Object.entries(pages).map(([id, data]) => [Number(id), data])), continue: next, extra };
};

/** `undefined` if it is not a result of a meta module. */
export const readMetaResult = (value: unknown): MetaResult | undefined => {
  if (!isObject(value) || !('data' in value)) return undefined;
  const { data, continue: next } = value;
  const shown = data === undefined || (typeof data === 'object' && data !== null);
  return shown && isContinue(next) ? { data, continue: next } : undefined;
};

/**
 * The pages that a list yields as a generator: its `pages`, or those of its items.
 *
 * @param offset - The number of preceding items of a ranked list.
 */
export const generatedPages = (
  { items, pages }: ListResult,
  { ranked, pageidKey }: ModuleDescriptor,
  offset = 0,
): readonly GeneratedPage[] => {
  if (pages) return pages;
  return items.map((item, index) => {
    const { title, category } = item;
    const text = typeof title === 'string' ? title : typeof category === 'string' ? `Category:${category}` : undefined;
    const pageid = item['pageid'] ?? (pageidKey === undefined ? undefined : item[pageidKey]);
    return Object.assign(
      {},
      defined({ title: text }),
      typeof pageid === 'number' && { pageid },
      ranked && { extra: { index: offset + index + 1 } },
    );
  });
};
