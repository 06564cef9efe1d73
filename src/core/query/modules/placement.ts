import type { Item, ListResult, MetaResult } from './handlers.js';
import type { PropAnswer } from './module-result.js';
import type { QueryModule } from './modules.js';
import type { Page, ResolvedPages } from '../pages/page-set.js';
import type { ParsedParams } from '../parameters/parse.js';
import { contentKeyOf, type MutableItem, type Peculiarities, toVersion1 } from '../answer/result-format.js';

/** Where the data of each module stands in the answer. Nothing else knows. */
export class Answer {
  readonly query: MutableItem = {};
  /** Data that stands beside `query`. */
  readonly top: MutableItem = {};
  readonly #version: 1 | 2;
  #room: number | undefined;
  #isTruncated = false;
  #pages: ReadonlyMap<number, MutableItem> | undefined;

  /** @param room - How long all data may be together, written as JSON; what has no room any more is left out. */
  constructor(version: 1 | 2, room: number | undefined) {
    this.#version = version;
    this.#room = room;
  }

  /** Whether something was left out. */
  get isTruncated(): boolean {
    return this.#isTruncated;
  }

  get isEmpty(): boolean {
    for (const _key in this.query) return false;
    return true;
  }

  /** How the pages were found, and a place for each. */
  addPages(pages: ResolvedPages, indexpageids: boolean): void {
    const { query } = this;
    const v1 = this.#version === 1;
    if (pages.normalized.length > 0) query['normalized'] = this.#show(pages.normalized);
    if (pages.interwiki.length > 0) query['interwiki'] = this.#show(pages.interwiki);
    if (pages.redirects.length > 0) query['redirects'] = this.#show(pages.redirects);
    if (pages.badrevids.length > 0) {
      query['badrevids'] = Object.fromEntries(
        pages.badrevids.map((revid) => [String(revid), this.#show({ revid, missing: true })]),
      );
    }
    const all = pages.all();
    const entries = new Map(all.map((page) => [page.id, this.#entry(page, pages.extras.get(page.id))]));
    this.#pages = entries;
    this.#fits([...entries.values()]);
    if (indexpageids && all.length > 0) query['pageids'] = all.map(({ id }) => String(id));
    if (all.length === 0) return;
    query['pages'] = v1
      ? Object.fromEntries(entries)
      : [...entries].sort(([a], [b]) => a - b).map(([, entry]) => entry);
  }

  #entry({ id: _id, ...shown }: Page, extra: Item | undefined): MutableItem {
    const entry: MutableItem = { ...shown, ...extra };
    for (const [key, value] of Object.entries(entry)) entry[key] = this.#show(value);
    return entry;
  }

  addList({ name }: QueryModule, params: ParsedParams, { items, beside }: ListResult): void {
    const shown = this.#show(items, { content: contentKeyOf(name) });
    if (!this.#fits([shown, beside])) return;
    const place = listPlaceOf(name);
    if (place === 'top') this.top[name] = shown;
    else if (place === 'results') this.query[name] = { name: params['page'], ...this.#object(beside), results: shown };
    else Object.assign(this.query, this.#object(beside), { [name]: shown });
  }

  addProp(module: QueryModule, { pages, beside }: PropAnswer): void {
    if (this.#room !== undefined && !this.#fits([[...pages.values()], beside])) return;
    const peculiar = { content: contentKeyOf(module.name) };
    for (const [id, data] of pages) {
      const entry = this.#pages?.get(id);
      if (!entry || data === undefined || data === null) continue;
      const shown = this.#show(data, peculiar);
      if (MERGED.has(module.name) && typeof shown === 'object' && !Array.isArray(shown)) Object.assign(entry, shown);
      else entry[module.name] = shown;
    }
    Object.assign(this.query, this.#object(beside));
  }

  addMeta({ name }: QueryModule, { data }: MetaResult): void {
    if (data === undefined || !this.#fits(data)) return;
    if (name === 'siteinfo') this.#addSite(data);
    else this.query[META_KEYS.get(name) ?? name] = this.#show(data, { content: contentKeyOf(name) });
  }

  #addSite(data: unknown): void {
    for (const [key, value] of Object.entries(data ?? {})) {
      this.query[key] = this.#show(value, { content: SITE_CONTENT.get(key), keptFalse: KEPT_FALSE });
    }
  }

  #object(item: Item | undefined): MutableItem {
    return item === undefined
      ? {}
      : Object.fromEntries(Object.entries(item).map(([key, value]) => [key, this.#show(value)]));
  }

  #fits(data: unknown): boolean {
    if (this.#room === undefined) return true;
    const { length } = JSON.stringify(data);
    if (length > this.#room) {
      this.#isTruncated = true;
      return false;
    }
    this.#room -= length;
    return true;
  }

  #show(value: unknown, peculiar?: Peculiarities): unknown {
    return this.#version === 1 ? toVersion1(value, peculiar) : value;
  }
}

/** Where a list stands: below `query` under its name, or beside `query`, or as the `results` of an object. */
export const listPlaceOf = (name: string): 'query' | 'top' | 'results' => LIST_PLACES.get(name) ?? 'query';

const LIST_PLACES: ReadonlyMap<string, 'top' | 'results'> = new Map([
  ['watchlistraw', 'top'],
  ['querypage', 'results'],
]);

/** Prop modules whose data become part of the page instead of standing under the module's name. */
const MERGED = new Set(['info', 'contributors', 'imageinfo', 'pageimages', 'extracts']);

/** The content of the objects that `siteinfo` lists. */
const SITE_CONTENT: ReadonlyMap<string, string> = new Map([
  ['namespaces', 'name'],
  ['namespacealiases', 'alias'],
  ['languages', 'name'],
]);

/** Flags of `siteinfo` that formatversion 1 shows although they are not set. */
const KEPT_FALSE: ReadonlySet<string> = new Set(['variantarticlepath']);

/** Meta modules whose data have a name of their own. */
const META_KEYS: ReadonlyMap<string, string> = new Map([['filerepoinfo', 'repos']]);

/** The data of a module that nobody answers: nothing, in the form in which it would come. */
export function emptyResult({
  name,
  handler,
}: QueryModule): { readonly list: ListResult; readonly meta: MetaResult } | undefined {
  if (handler) return undefined;
  const listlike = name === 'filerepoinfo' || name === 'allmessages';
  return { list: { items: [] }, meta: { data: listlike ? [] : {} } };
}
