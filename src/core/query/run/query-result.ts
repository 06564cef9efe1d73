import type { ResultItem } from '../answer/result-format.js';
import { type MutableItem, toVersion1, type Version1Form } from '../answer/result-format.js';
import type { ModuleDescriptor } from '../descriptor/descriptor.js';
import type { ParsedParams } from '../descriptor/module-params.js';
import type { Page } from '../descriptor/page-model.js';
import type { PropAnswer } from './handler-result.js';
import type { ListResult, MetaResult } from './handlers.js';
import type { ResolvedPages } from './page-set.js';
import type { QueryModule } from './query-modules.js';

/** The data of a query, placed as the descriptors of its modules declare. */
export class QueryResult {
  readonly #query: MutableItem = {};
  /** Data at the top level, next to `query`. */
  readonly top: MutableItem = {};
  readonly #version: 1 | 2;
  #maxLength: number | undefined;
  #isTruncated = false;
  readonly #pages = new Map<number, MutableItem>();

  /** @param maxLength - The maximum length of all data as JSON; data beyond it is omitted. */
  constructor(version: 1 | 2, maxLength: number | undefined) {
    this.#version = version;
    this.#maxLength = maxLength;
  }

  /** Whether data was omitted. */
  get isTruncated(): boolean {
    return this.#isTruncated;
  }

  get isEmpty(): boolean {
    for (const _key in this.#query) return false;
    return true;
  }

  /** All data, with the pages as modules have completed them. */
  get query(): MutableItem {
    const pages = this.#pages;
    if (pages.size > 0) {
      this.#query['pages'] =
        this.#version === 1 ? Object.fromEntries(pages) : [...pages].sort(([a], [b]) => a - b).map(([, page]) => page);
    }
    return this.#query;
  }

  /** Adds the pages, and how they were found. */
  addPages(pages: ResolvedPages, indexpageids: boolean): void {
    const query = this.#query;
    if (pages.normalized.length > 0) query['normalized'] = this.#show(pages.normalized);
    if (pages.interwiki.length > 0) query['interwiki'] = this.#show(pages.interwiki);
    if (pages.redirects.length > 0) query['redirects'] = this.#show(pages.redirects);
    if (pages.unknownRevids.length > 0) {
      query['badrevids'] = Object.fromEntries(
        pages.unknownRevids.map((revid) => [String(revid), this.#show({ revid, missing: true })]),
      );
    }
    const all = pages.all();
    for (const page of all) this.#pages.set(page.id, this.#entry(page, pages.extras.get(page.id)));
    this.#fits([...this.#pages.values()]);
    if (all.length === 0) return;
    if (indexpageids) query['pageids'] = all.map(({ id }) => String(id));
    // Its place among the others.
    query['pages'] = undefined;
  }

  #entry(page: Page, extra: ResultItem = {}): MutableItem {
    // Not a copy of the page by a spread: adding the properties of modules to such an object takes twenty times as long.
    const entry: MutableItem = {};
    for (const [key, value] of Object.entries(page)) if (key !== 'id') entry[key] = this.#show(value);
    for (const [key, value] of Object.entries(extra)) entry[key] = this.#show(value);
    return entry;
  }

  /** The name of a report is shown even if it is used as a generator. */
  addGenerator({ descriptor }: QueryModule, params: ParsedParams): void {
    const { namedBy } = descriptor.result ?? {};
    if (namedBy !== undefined) this.#query[keyOf(descriptor)] = { name: params[namedBy] };
  }

  addList({ descriptor }: QueryModule, params: ParsedParams, { items, extra }: ListResult): void {
    const { result: { place, namedBy, omitEmpty } = {} } = descriptor;
    if (omitEmpty && items.length === 0) return;
    const key = keyOf(descriptor);
    const shown = this.#show(items, formOf(descriptor));
    if (!this.#fits([shown, extra])) return;
    if (place === 'top') this.top[key] = shown;
    else if (place === 'results') {
      const named = namedBy === undefined ? {} : { name: params[namedBy] };
      this.#query[key] = { ...named, ...this.#object(extra), results: shown };
    } else Object.assign(this.#query, this.#object(extra), { [key]: shown });
  }

  addProp({ descriptor }: QueryModule, { pages, extra }: PropAnswer): void {
    if (this.#maxLength !== undefined && !this.#fits([[...pages.values()], extra])) return;
    const form = formOf(descriptor);
    const key = keyOf(descriptor);
    const isMerged = descriptor.result?.place === 'merged';
    for (const [id, data] of pages) {
      const entry = this.#pages.get(id);
      if (!entry || data === undefined || data === null) continue;
      const shown = this.#show(data, form);
      if (isMerged && typeof shown === 'object' && !Array.isArray(shown)) Object.assign(entry, shown);
      else entry[key] = shown;
    }
    Object.assign(this.#query, this.#object(extra));
  }

  addMeta({ descriptor }: QueryModule, { data }: MetaResult): void {
    if (data === undefined || !this.#fits(data)) return;
    if (descriptor.result?.place !== 'merged') this.#query[keyOf(descriptor)] = this.#show(data, formOf(descriptor));
    else {
      for (const [key, value] of Object.entries(data ?? {})) {
        this.#query[key] = this.#show(value, formOf(descriptor, key));
      }
    }
  }

  #object(item: ResultItem | undefined): MutableItem {
    return item === undefined
      ? {}
      : Object.fromEntries(Object.entries(item).map(([key, value]) => [key, this.#show(value)]));
  }

  #fits(data: unknown): boolean {
    if (this.#maxLength === undefined) return true;
    const { length } = JSON.stringify(data);
    if (length > this.#maxLength) {
      this.#isTruncated = true;
      return false;
    }
    this.#maxLength -= length;
    return true;
  }

  #show(value: unknown, form?: Version1Form): unknown {
    return this.#version === 1 ? toVersion1(value, form) : value;
  }
}

/** The key of a module's data. */
const keyOf = ({ name, result }: ModuleDescriptor): string => result?.key ?? name;

/** The form of a module's data in formatversion 1, or of one of its lists. */
const formOf = ({ result = {} }: ModuleDescriptor, list?: string): Version1Form => {
  const { contentKey, explicitFalse } = result;
  const content = typeof contentKey === 'object' ? contentKey[list ?? ''] : contentKey;
  return { content, explicitFalse };
};

/** The empty result of a module. */
export const emptyResult = ({ descriptor }: QueryModule): { readonly list: ListResult; readonly meta: MetaResult } => {
  return { list: { items: [] }, meta: { data: descriptor.result?.list ? [] : {} } };
};
