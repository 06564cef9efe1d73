import type { Site } from '../../core/query/index.js';
import { foreignAddress } from '../../core/query/toolkit.js';
import { type Asking, type Listing, type OfPage, othersTurn } from '../content.js';
import { endOf, hostKey, titleId } from '../keys.js';
import type { ContentLinkRange, ContentSource, LinkKind, LinkRow } from '../source.js';
import { targetsOf } from './all-links.js';
import {
  accepts,
  type Answer,
  asked,
  byPage,
  type Having,
  idsOf,
  isDescending,
  listOf,
  pageItem,
  partsOf,
  readKey,
  type RequestOf,
} from './answer.js';

type Everywhere = 'targets' | 'pages';
type LinkKey = readonly [page: number, ns: number, title: string];

/** A link of a kind of each page that has one: to this title, or any. Most other links of the page are skipped. */
export const oneLinkEach = async (
  source: ContentSource,
  kind: LinkKind,
  pages: readonly number[],
  asking: Asking,
  title = '',
): Promise<ReadonlyMap<number, LinkRow>> => {
  const found = new Map<number, LinkRow>();
  if (pages.length === 0) return found;
  for (let from: LinkKey = [0, 0, title]; ;) {
    const range = { kind, pages, from, descending: false, limit: 500, one: title };
    const rows = (await source.links?.(range, asking)) ?? [];
    for (const row of rows) if (title === '' || row.title === title) found.set(row.page, row);
    const last = rows.at(-1);
    if (!last || rows.length < 500) return found;
    from = [last.title < title ? last.page : last.page + 1, 0, title];
    await othersTurn(asking);
  }
};

/** The links of the pages of a request, by page, namespace and title. */
export const linksOfPages = <Row extends LinkRow = LinkRow>(
  content: Having<'links'>,
  request: RequestOf<'links' | 'langlinks' | 'iwlinks' | 'extlinks' | 'pageprops' | 'categories'>,
  kind: LinkKind,
  listing: Partial<Listing<LinkRow, LinkKey, Row>>,
  filters: Pick<ContentLinkRange, 'targets' | 'namespaces' | 'prefix' | 'suffix'> = {},
) => {
  const { params, limit } = request;
  const { from = readKey(request.continue, 'number', 'number', 'text') } = listing;
  const descending = 'dir' in params && isDescending(params.dir);
  const range = { ...filters, kind, pages: idsOf(request.pages), descending };
  return content.collect<LinkRow, LinkKey, Row>(request, {
    limit,
    read: (start, size) =>
      range.pages.length === 0 ? [] : content.source.links({ ...range, from: start, limit: size }, request),
    key: ({ page, ns, title }) => [page, ns, title],
    ...listing,
    from,
  });
};

/** The parameter for targets, which differs between the three modules. */
interface Targets {
  readonly titles?: readonly string[];
  readonly templates?: readonly string[];
  readonly images?: readonly string[];
  readonly namespace?: readonly number[];
}

/** What pages link to, transclude or use. */
export const linksOf =
  (kind: LinkKind): Answer<'links' | 'templates' | 'images', 'links'> =>
  async (content, request) => {
    const { titles, templates, images, namespace }: Targets = request.params;
    const texts = titles ?? templates ?? images ?? [];
    const targets = texts.length === 0 ? undefined : texts.flatMap((text) => content.read(text) ?? []);
    const wanted = targets && new Set(targets.map(titleId));
    const keep = (row: LinkRow): boolean => accepts(namespace, row.ns) && (wanted?.has(titleId(row)) ?? true);
    const found = await linksOfPages(content, request, kind, { keep }, { targets, namespaces: namespace });
    return byPage(found, (row) => ({ ns: row.ns, title: content.show(row) }));
  };

/** Splits an interwiki title into prefix and title. */
const foreign = ({ title }: { readonly title: string }) => {
  const colon = title.indexOf(':');
  return { prefix: title.slice(0, colon), title: title.slice(colon + 1) };
};

const urlOf = (row: LinkRow, site: Site): string | undefined => {
  const { prefix, title } = foreign(row);
  const other = site.interwiki.get(prefix);
  return other && foreignAddress(title, other);
};

/** A filter for links to other sites, by prefix and title. */
const isForeign =
  (wantedPrefix: string | undefined, wantedTitle: string | undefined) =>
  (row: LinkRow): boolean => {
    const { prefix, title } = foreign(row);
    return prefix === (wantedPrefix ?? prefix) && title === (wantedTitle ?? title);
  };

/** The filter of a source for the same. */
const foreignHint = (prefix: string | undefined, title: string | undefined) =>
  prefix === undefined
    ? {}
    : title === undefined
      ? { prefix: `${prefix}:` }
      : { targets: [{ ns: 0, title: `${prefix}:${title}` }] };

/** The same pages in other languages. */
export const langlinks: Answer<'langlinks', 'links'> = async (content, request) => {
  const { params, site } = request;
  const wants = (prop: 'url' | 'langname' | 'autonym'): boolean => params.prop?.includes(prop) ?? false;
  const { lang, title } = params;
  const keep = isForeign(lang, title);
  const found = await linksOfPages(content, request, 'language', { keep }, foreignHint(lang, title));
  return byPage(found, (row) => {
    const { prefix, title } = foreign(row);
    const autonym = site.interwiki.get(prefix)?.language ?? prefix;
    return {
      lang: prefix,
      ...((wants('url') || params.url) && { url: urlOf(row, site) }),
      // In MediaWiki too, names in other languages need an extension. Those of ICU would be others in each version of Node.
      ...(wants('langname') && { langname: autonym }),
      ...(wants('autonym') && { autonym }),
      title,
    };
  });
};

/** Interwiki links. */
export const iwlinks: Answer<'iwlinks', 'links'> = async (content, request) => {
  const { params, site } = request;
  const withUrl = params.url || params.prop?.includes('url');
  const keep = isForeign(params.prefix, params.title);
  const filters = foreignHint(params.prefix, params.title);
  const found = await linksOfPages(content, request, 'interwiki', { keep }, filters);
  return byPage(found, (row) => {
    const { prefix, title } = foreign(row);
    return { prefix, ...(withUrl && { url: urlOf(row, site) }), title };
  });
};

/** Pages with interwiki or language links, by target. */
export const foreignBacklinks =
  (
    kind: 'language' | 'interwiki',
    names: { readonly prefix: string; readonly title: string },
  ): Answer<'iwbacklinks' | 'langbacklinks', Everywhere> =>
  async (content, request) => {
    const { params, limit, continue: next } = request;
    const prefix = 'lang' in params ? params.lang : 'prefix' in params ? params.prefix : undefined;
    const { title } = params;
    const descending = isDescending(params.dir);
    // Reads only rows with the prefix, and with the title if there is one.
    const start = prefix === undefined ? undefined : `${prefix}:${title ?? ''}`;
    const end = start === undefined || title !== undefined ? start : endOf(start);
    const [from, to] = descending ? [end, start] : [start, end];
    const query = { kind, ns: 0, unique: false, limit, from, to, descending, keep: isForeign(prefix, title) };
    const found = await targetsOf(content, { ...query, next: readKey(next, 'text', 'number') }, request);
    return listOf(
      { rows: await content.withPages(found.rows, request), next: found.next },
      {
        item: (row) => {
          const target = foreign(row);
          return pageItem(
            row.of,
            content,
            partsOf(params.prop, {
              [names.prefix]: { [names.prefix]: target.prefix },
              [names.title]: { [names.title]: target.title },
            }),
          );
        },
      },
    );
  };

/** The range of URLs to search for: `example.org/path`, or `*.example.org` for a host and its subdomains. */
const addressBounds = (query: string | undefined): { readonly from?: string; readonly to?: string } => {
  const bare = query?.replace(/^[a-z][a-z+.-]*:\/\//i, '').replace(/\*$/, '');
  const [, star = '', host = '', rest = ''] = /^(\*\.)?([^/?#]*)([^]*)$/.exec(bare ?? '') ?? [];
  if (host === '') return {};
  const from = star === '' ? hostKey(host) + (rest || '/') : hostKey(host) + rest;
  return { from, to: endOf(from) };
};

/** How the addresses of a protocol end. */
const endOfProtocol = (protocol: string): string => (protocol === '' ? '' : ` ${protocol}`);

/** The external links of pages. */
export const extlinks: Answer<'extlinks', 'links'> = async (content, request) => {
  const { params } = request;
  const { from = '' } = addressBounds(params.query);
  const suffix = endOfProtocol(params.protocol);
  const keep = ({ title }: LinkRow): boolean => title.endsWith(suffix) && title.startsWith(from);
  const found = await linksOfPages(content, request, 'url', { keep }, { prefix: from, suffix });
  return byPage(found, ({ title, text = title }) => ({ url: text }));
};

/** Pages with external links, by URL. */
export const exturlusage: Answer<'exturlusage', Everywhere> = async (content, request) => {
  const { params, limit, continue: next } = request;
  const bounds = addressBounds(params.query);
  const suffix = endOfProtocol(params.protocol);
  const query = { kind: 'url', ns: 0, unique: false, descending: false, limit, ...bounds } as const;
  const found = await targetsOf<OfPage<LinkRow>>(
    content,
    {
      ...{ ...query, next: readKey(next, 'text', 'number'), namespaces: params.namespace, suffix },
      open: (rows) => content.withPages(rows, request),
      keep: ({ of, title }) => accepts(params.namespace, of.ns) && title.endsWith(suffix),
    },
    request,
  );
  return listOf(found, {
    item: ({ of, title, text = title }) => asked(pageItem(of, content, { url: text }), params.prop),
    page: ({ page }) => ({ pageid: page }),
  });
};

/** Properties of pages, such as `hiddencat`. */
export const pageprops: Answer<'pageprops', 'links'> = async (content, request) => {
  const [first = 0] = readKey(request.continue, 'number') ?? [];
  const names = request.params.prop;
  const targets = names?.length ? names.map((title) => ({ ns: 0, title })) : undefined;
  const keep = ({ title }: LinkRow): boolean => accepts(names, title);
  const found = await linksOfPages(
    content,
    request,
    'property',
    { limit: 500, from: [first, 0, ''], keep },
    { targets },
  );
  // A page whose properties do not all fit is moved to the next response.
  const cut = found.next?.[0];
  const shown = new Map<number, Record<string, string>>();
  for (const { page, title, text = '' } of found.rows) {
    if (page === cut && page !== first) continue;
    const props = shown.get(page) ?? {};
    props[title] = text;
    shown.set(page, props);
  }
  return { pages: shown, continue: cut === first ? cut + 1 : cut };
};

/** The names of all properties in use. */
export const pagepropnames: Answer<'pagepropnames', Everywhere> = async (content, request) => {
  const { limit, continue: from } = request;
  const query = { kind: 'property', ns: 0, unique: true, descending: false, from, limit } as const;
  const { rows, next } = await targetsOf(content, query, request);
  return { items: rows.map(({ title }) => ({ propname: title })), continue: next?.[0] };
};

/** Pages with a property. */
export const pageswithprop: Answer<'pageswithprop', 'backlinks'> = async (content, request) => {
  const { params, limit, continue: next } = request;
  const { propname } = params;
  const [start] = readKey(next, 'number') ?? [];
  const targets = [{ ns: 0, title: propname }];
  const range = { kind: 'property', targets, descending: isDescending(params.dir) } as const;
  const found = await content.collect(request, {
    limit,
    from: start === undefined ? undefined : ([0, propname, start] as const),
    read: (from, size) => content.source.backlinks({ ...range, from, limit: size }, request),
    key: ({ page }) => [0, propname, page.id] as const,
    open: (rows) => content.openRows(rows, ({ page }) => page, request),
  });
  const list = listOf(found, {
    item: ({ page, text = '' }) => asked(pageItem(page, content, { value: text }), params.prop),
    page: ({ page }) => ({ pageid: page.id }),
  });
  return { ...list, continue: found.next?.[2] };
};
