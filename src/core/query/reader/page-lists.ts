import { message } from '../answer/messages.js';
import type { ResultItem } from '../answer/result-format.js';
import type { QueryService } from '../run/query-run.js';
import type { RequestContext } from '../run/request-context.js';
import { parseTitle, prefixedTitle, titleKey } from '../site/title.js';
import type { RenderedContent } from './renderer.js';
import type { ReaderParts } from './subquery.js';

/** The modules whose lists `action=parse` returns. */
export const LIST_MODULES = ['links', 'categories', 'templates', 'images', 'langlinks', 'iwlinks', 'extlinks'] as const;
type ListModule = (typeof LIST_MODULES)[number];

/** The maximum number of entries of a list, because each takes time, and the number of titles looked up at once. */
const MAX_ENTRIES = 1_000;
const BATCH_SIZE = 500;

/** A page, or a text that is not stored, whose lists are returned. */
export interface ListedPage {
  /** `undefined` for a text. */
  readonly pageid: number | undefined;
  readonly rendered: RenderedContent | undefined;
}

/** What lists depend on. */
interface ListParts extends ReaderParts {
  readonly context: RequestContext;
}

/** Whether a list of a page comes from its module; otherwise it comes from the renderer. */
export const isAnswered = (name: ListModule, { modules }: QueryService): boolean =>
  modules.get(name)?.handler !== undefined;

/** The entries of a page, from the module of that name, and whether there are more. */
const listed = async (
  pageid: number,
  name: ListModule,
  values: Readonly<Record<string, string>>,
  { runSubquery, context }: ListParts,
): Promise<{ readonly items: readonly ResultItem[]; readonly isCut: boolean }> => {
  const items: ResultItem[] = [];
  let next: Readonly<Record<string, string | number>> | undefined = {};
  while (next && items.length < MAX_ENTRIES) {
    const answer = await runSubquery({ pageids: [pageid], prop: [name], values: { ...values, ...next } }, context);
    const found = answer.query.pages?.[0]?.[name];
    if (Array.isArray(found)) items.push(...(found as readonly ResultItem[]));
    next = answer.continue;
  }
  return { items, isCut: next !== undefined };
};

/** Looks up whether titles exist, without invalid ones and those of other sites. */
export const lookedUp = async (
  titles: readonly string[],
  { service, context }: ListParts,
): Promise<readonly Link[]> => {
  const { site, options } = service;
  const { caller, deadline } = context;
  const links = new Map<string, Link>();
  for (const text of titles) {
    const title = parseTitle(text, site);
    if (title.kind !== 'local' || title.prefixed === '') continue;
    links.set(title.prefixed, { ns: title.ns, title: title.prefixed, exists: false });
  }
  const wanted = [...links.values()].filter(({ ns }) => ns >= 0);
  for (let start = 0; start < wanted.length; start += BATCH_SIZE) {
    const batch = wanted.slice(start, start + BATCH_SIZE).map(({ title }) => title);
    const asked = { titles: batch, pageids: [], revids: [], caller, signal: deadline.signal };
    for (const { ns, title } of await deadline.waitFor(Promise.resolve(options.resolvePages?.(asked) ?? [])))
      if (links.has(title)) links.set(title, { ns, title, exists: true });
  }
  return [...links.values()].sort((a, b) => a.ns - b.ns || (a.title < b.title ? -1 : 1));
};

/** A linked page. */
interface Link {
  readonly ns: number;
  readonly title: string;
  readonly exists: boolean;
}

/** The entries of a list: of a page from the module, of a text or without the module from the renderer. */
const entries = async <T>(
  name: ListModule,
  { pageid, rendered }: ListedPage,
  parts: ListParts,
  sources: {
    readonly values: Readonly<Record<string, string>>;
    readonly ofModule: (item: ResultItem) => T | undefined;
    readonly ofRenderer: readonly T[] | undefined;
  },
): Promise<readonly T[]> => {
  const isRendered = pageid === undefined || (rendered && !isAnswered(name, parts.service));
  const found = isRendered ? undefined : await listed(pageid, name, sources.values, parts);
  const all = found ? found.items.flatMap((item) => sources.ofModule(item) ?? []) : (sources.ofRenderer ?? []);
  if (all.length <= MAX_ENTRIES && !found?.isCut) return all;
  const text = message('apiwarn-parse-longlist', name, { num: MAX_ENTRIES });
  parts.context.warnings.add('parse', 'longlist', text);
  return all.slice(0, MAX_ENTRIES);
};

const titleOf = ({ title }: ResultItem): string | undefined => (typeof title === 'string' ? title : undefined);

/** The linked pages, and whether they exist. */
export const linksOf = async (page: ListedPage, parts: ListParts): Promise<readonly Link[]> => {
  const sources = { values: { pllimit: 'max' }, ofModule: titleOf, ofRenderer: page.rendered?.links };
  return lookedUp(await entries('links', page, parts, sources), parts);
};

/** The included pages, and whether they exist. */
export const templatesOf = async (page: ListedPage, parts: ListParts): Promise<readonly Link[]> => {
  const sources = { values: { tllimit: 'max' }, ofModule: titleOf, ofRenderer: page.rendered?.templates };
  return lookedUp(await entries('templates', page, parts, sources), parts);
};

/** The names of files, without the namespace. */
export const imagesOf = async (page: ListedPage, parts: ListParts): Promise<readonly string[]> => {
  const ofModule = (item: ResultItem): string | undefined => titleOf(item)?.replace(/^[^:]*:/, '');
  const sources = { values: { imlimit: 'max' }, ofModule, ofRenderer: page.rendered?.images };
  return (await entries('images', page, parts, sources)).map(titleKey);
};

/** The addresses of links to other sites. */
export const externalLinksOf = (page: ListedPage, parts: ListParts): Promise<readonly string[]> => {
  const ofModule = ({ url }: ResultItem): string | undefined => (typeof url === 'string' ? url : undefined);
  const sources = { values: { ellimit: 'max' }, ofModule, ofRenderer: page.rendered?.externallinks };
  return entries('extlinks', page, parts, sources);
};

/** The same page in other languages. */
export const languageLinksOf = (page: ListedPage, parts: ListParts): Promise<readonly ResultItem[]> => {
  const sources = { values: { lllimit: 'max', llprop: 'url' }, ofModule: (item: ResultItem) => item, ofRenderer: [] };
  return entries('langlinks', page, parts, sources);
};

/** Links to pages of other sites, by their prefixes. */
export const interwikiLinksOf = (page: ListedPage, parts: ListParts): Promise<readonly ResultItem[]> => {
  const sources = { values: { iwlimit: 'max', iwprop: 'url' }, ofModule: (item: ResultItem) => item, ofRenderer: [] };
  return entries('iwlinks', page, parts, sources);
};

/** The categories, with their sort keys. */
export const categoriesOf = async (page: ListedPage, parts: ListParts): Promise<readonly ResultItem[]> => {
  const { site } = parts.service;
  const items = await entries<ResultItem>('categories', page, parts, {
    values: { cllimit: 'max', clprop: 'sortkey|hidden' },
    ofModule: (item) => item,
    ofRenderer: page.rendered?.categories?.map((name) => ({ title: prefixedTitle(14, name, site) })),
  });
  const known = new Map(items.flatMap((item) => (typeof item.title === 'string' ? [[item.title, item]] : [])));
  const links = await lookedUp([...known.keys()], parts);
  return links.map(({ title, exists }): ResultItem => {
    const { sortkeyprefix, hidden } = (known.get(title) ?? {}) as ResultItem;
    const parsed = parseTitle(title, site);
    return {
      sortkey: sortkeyprefix ?? '',
      category: titleKey(parsed.kind === 'local' ? parsed.text : title),
      ...(exists ? {} : { missing: true }),
      ...(hidden === true ? { hidden } : {}),
    };
  });
};
