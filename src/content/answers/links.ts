import type { PropResult, ResultItem, Site } from '../../core/query/index.js';
import type { Asking, Content } from '../content.js';
import { endOf } from '../content.js';
import { hostKey } from '../keys.js';
import type { LinkKind, LinkRow } from '../source.js';
import { targetsOf } from './all-links.js';
import { asked, byPage, type Handler, type Having, idsOf, isDescending, listOf, pageItem, readKey } from './answer.js';

type Links = Having<'links'>;
export type LinkKey = readonly [page: number, ns: number, title: string];

interface LinkQuery {
  readonly kind: LinkKind;
  readonly pages: readonly number[];
  readonly limit: number;
  readonly from: LinkKey | undefined;
  readonly descending: boolean;
  readonly keep?: (row: LinkRow) => boolean;
}

/** The links of pages, by page, namespace and title. */
export const linksFrom = (content: Links, query: LinkQuery, asking: Asking) => {
  const { kind, pages, limit, from, descending, keep } = query;
  return content.collect<LinkRow, LinkKey>(
    {
      limit,
      from,
      read: (start, size) =>
        pages.length === 0 ? [] : content.source.links({ kind, pages, descending, from: start, limit: size }, asking),
      key: ({ page, ns, title }) => [page, ns, title],
      ...(keep && { keep }),
    },
    asking,
  );
};

/** A filter by titles; without titles it accepts all. */
const among = (content: Content, texts: readonly string[] | undefined): ((row: LinkRow) => boolean) => {
  if (!texts || texts.length === 0) return () => true;
  const titles = new Set(
    texts.flatMap((text) => {
      const title = content.read(text);
      return title ? [`${title.ns}:${title.title}`] : [];
    }),
  );
  return ({ ns, title }) => titles.has(`${ns}:${title}`);
};

/** The parameter for targets, which differs between the three modules. */
interface Targets {
  readonly titles?: readonly string[];
  readonly templates?: readonly string[];
  readonly images?: readonly string[];
  readonly namespace?: readonly number[];
}

type LinkHandler = Handler<'links'> & Handler<'templates'> & Handler<'images'>;

/** What pages link to, transclude or use. */
const linksOf =
  (kind: LinkKind) =>
  (content: Links): LinkHandler =>
  async (request) => {
    const { params, limit, continue: next, pages } = request;
    const { titles, templates, images, namespace = [] }: Targets = params;
    const isMeant = among(content, titles ?? templates ?? images);
    const found = await linksFrom(
      content,
      {
        kind,
        pages: idsOf(pages),
        limit,
        from: readKey(next, 'number', 'number', 'text'),
        descending: isDescending(params.dir),
        keep: (row) => (namespace.length === 0 || namespace.includes(row.ns)) && isMeant(row),
      },
      request,
    );
    return byPage(found, (row) => ({ ns: row.ns, title: content.show(row) }));
  };

export const links: (content: Links) => Handler<'links'> = linksOf('link');
export const templates: (content: Links) => Handler<'templates'> = linksOf('template');
export const images: (content: Links) => Handler<'images'> = linksOf('file');

/** Splits an interwiki title into prefix and title. */
const foreign = ({ title }: { readonly title: string }) => {
  const colon = title.indexOf(':');
  return { prefix: title.slice(0, colon), title: title.slice(colon + 1) };
};

const urlOf = (row: LinkRow, site: Site): string | undefined => {
  const { prefix, title } = foreign(row);
  return site.interwiki.get(prefix)?.url.replace('$1', () => encodeURIComponent(title.replaceAll(' ', '_')));
};

interface Foreign {
  readonly prefix: string | undefined;
  readonly title: string | undefined;
}

const isForeign =
  (wanted: Foreign) =>
  (row: LinkRow): boolean => {
    const { prefix, title } = foreign(row);
    return (
      (wanted.prefix === undefined || prefix === wanted.prefix) &&
      (wanted.title === undefined || title === wanted.title)
    );
  };

type ForeignRequest = Parameters<Handler<'langlinks'>>[0] | Parameters<Handler<'iwlinks'>>[0];

const foreignOf = async (
  content: Links,
  kind: 'language' | 'interwiki',
  request: ForeignRequest,
  wanted: Foreign,
  item: (row: LinkRow) => ResultItem,
): Promise<PropResult> => {
  const { limit, continue: next, pages, params } = request;
  const query = {
    kind,
    pages: idsOf(pages),
    limit,
    from: readKey(next, 'number', 'number', 'text'),
    descending: isDescending(params.dir),
    keep: isForeign(wanted),
  };
  return byPage(await linksFrom(content, query, request), item);
};

/** The same pages in other languages. */
export const langlinks =
  (content: Links): Handler<'langlinks'> =>
  (request) => {
    const { params, site } = request;
    const wants = (prop: 'url' | 'langname' | 'autonym'): boolean => params.prop?.includes(prop) ?? false;
    return foreignOf(content, 'language', request, { prefix: params.lang, title: params.title }, (row) => {
      const { prefix, title } = foreign(row);
      return {
        lang: prefix,
        ...(wants('url') || params.url ? { url: urlOf(row, site) } : {}),
        ...(wants('langname') ? { langname: nameIn(params.inlanguagecode, prefix) } : {}),
        ...(wants('autonym') ? { autonym: nameIn(prefix, prefix) } : {}),
        title,
      };
    });
  };

/** The name of a language in another language, if that exists. */
const nameIn = (language: string, code: string): string => {
  try {
    return new Intl.DisplayNames([language], { type: 'language' }).of(code) ?? code;
  } catch {
    return code;
  }
};

/** Interwiki links. */
export const iwlinks =
  (content: Links): Handler<'iwlinks'> =>
  (request) => {
    const { params, site } = request;
    const withUrl = params.url || (params.prop?.includes('url') ?? false);
    return foreignOf(content, 'interwiki', request, { prefix: params.prefix, title: params.title }, (row) => {
      const { prefix, title } = foreign(row);
      return { prefix, ...(withUrl ? { url: urlOf(row, site) } : {}), title };
    });
  };

type Everywhere = Having<'targets' | 'pages'>;

/** Pages with interwiki or language links, by target. */
const foreignBacklinks =
  (kind: 'language' | 'interwiki', names: { readonly prefix: string; readonly title: string }) =>
  (content: Everywhere): Handler<'iwbacklinks'> & Handler<'langbacklinks'> =>
  async (request) => {
    const { params, limit, continue: next } = request;
    const prefix = 'lang' in params ? params.lang : 'prefix' in params ? params.prefix : undefined;
    const { title } = params;
    const descending = isDescending(params.dir);
    // Reads only rows with the prefix, and with the title if there is one.
    const start = prefix === undefined ? undefined : `${prefix}:${title ?? ''}`;
    const end = start === undefined || title !== undefined ? start : endOf(start);
    const found = await targetsOf(
      content,
      {
        kind,
        ns: 0,
        unique: false,
        limit,
        from: descending ? end : start,
        to: descending ? start : end,
        descending,
        next: readKey(next, 'text', 'number'),
        keep: isForeign({ prefix, title }),
      },
      request,
    );
    const pages = await content.byId(
      found.rows.map(({ page }) => page),
      request,
    );
    const props: readonly string[] = params.prop;
    const rows = found.rows.flatMap((row) => {
      const page = pages.get(row.page);
      return page ? [{ ...foreign(row), page }] : [];
    });
    return listOf(
      { rows, next: found.next },
      {
        item: (row) => ({
          ...pageItem(row.page, content),
          ...(props.includes(names.prefix) ? { [names.prefix]: row.prefix } : {}),
          ...(props.includes(names.title) ? { [names.title]: row.title } : {}),
        }),
      },
    );
  };

/** Pages with a language link. */
export const langbacklinks: (content: Everywhere) => Handler<'langbacklinks'> = foreignBacklinks('language', {
  prefix: 'lllang',
  title: 'lltitle',
});

/** Pages with an interwiki link. */
export const iwbacklinks: (content: Everywhere) => Handler<'iwbacklinks'> = foreignBacklinks('interwiki', {
  prefix: 'iwprefix',
  title: 'iwtitle',
});

/** The range of URLs to search for: `example.org/path`, or `*.example.org` for a host and its subdomains. */
const addressBounds = (query: string | undefined): { readonly from?: string; readonly to?: string } => {
  const bare = query?.replace(/^[a-z][a-z+.-]*:\/\//i, '').replace(/\*$/, '');
  const [, star = '', host = '', rest = ''] = /^(\*\.)?([^/?#]*)([^]*)$/.exec(bare ?? '') ?? [];
  if (host === '') return {};
  const from = star === '' ? hostKey(host) + (rest || '/') : hostKey(host) + rest;
  return { from, to: endOf(from) };
};

const isProtocol =
  (protocol: string) =>
  ({ title }: LinkRow): boolean =>
    protocol === '' || title.endsWith(` ${protocol}`);

/** The external links of pages. */
export const extlinks =
  (content: Links): Handler<'extlinks'> =>
  async (request) => {
    const { params, limit, continue: next, pages } = request;
    const { from, to } = addressBounds(params.query);
    const hasProtocol = isProtocol(params.protocol);
    const found = await linksFrom(
      content,
      {
        kind: 'url',
        pages: idsOf(pages),
        limit,
        from: readKey(next, 'number', 'number', 'text'),
        descending: false,
        keep: (row) => hasProtocol(row) && (from === undefined || to === undefined || row.title.startsWith(from)),
      },
      request,
    );
    return byPage(found, ({ title, text = title }) => ({ url: text }));
  };

/** Pages with external links, by URL. */
export const exturlusage =
  (content: Everywhere): Handler<'exturlusage'> =>
  async (request) => {
    const { params, limit, continue: next } = request;
    const { namespace = [], prop } = params;
    const bounds = addressBounds(params.query);
    const start = readKey(next, 'text', 'number');
    const keep = isProtocol(params.protocol);
    const query = { kind: 'url', ns: 0, unique: false, descending: false, ...bounds, keep } as const;
    const found = await targetsOf(content, { ...query, limit, next: start }, request);
    const pages = await content.byId(
      found.rows.map(({ page }) => page),
      request,
    );
    const rows = found.rows.flatMap(({ page: id, title, text = title }) => {
      const page = pages.get(id);
      return page && (namespace.length === 0 || namespace.includes(page.ns)) ? [{ page, text }] : [];
    });
    return listOf(
      { rows, next: found.next },
      {
        item: ({ page, text }) => asked({ ...pageItem(page, content), url: text }, prop),
        page: ({ page }) => ({ pageid: page.id }),
      },
    );
  };

/** Properties of pages, such as `hiddencat`. */
export const pageprops =
  (content: Links): Handler<'pageprops'> =>
  async (request) => {
    const { params, continue: next, pages } = request;
    const [first = 0] = readKey(next, 'number') ?? [];
    const wanted = params.prop;
    const query = { kind: 'property', pages: idsOf(pages), limit: 500, descending: false } as const;
    const found = await linksFrom(content, { ...query, from: [first, 0, ''] }, request);
    // A page whose properties do not all fit is moved to the next response.
    const cut = found.next?.[0];
    const shown = new Map<number, Record<string, string>>();
    for (const { page, title, text = '' } of found.rows) {
      if (page === cut && page !== first) continue;
      if (wanted && wanted.length > 0 && !wanted.includes(title)) continue;
      const props = shown.get(page) ?? {};
      props[title] = text;
      shown.set(page, props);
    }
    return { pages: shown, continue: cut === first ? cut + 1 : cut };
  };

/** The names of all properties in use. */
export const pagepropnames =
  (content: Everywhere): Handler<'pagepropnames'> =>
  async (request) => {
    const { limit, continue: next } = request;
    const query = { kind: 'property', ns: 0, unique: true, descending: false, from: next, limit } as const;
    const found = await targetsOf(content, query, request);
    const list = listOf(found, { item: ({ title }) => ({ propname: title }) });
    return { ...list, continue: found.next?.[0] };
  };

/** Pages with a property. */
export const pageswithprop =
  (content: Having<'backlinks'>): Handler<'pageswithprop'> =>
  async (request) => {
    const { params, limit, continue: next } = request;
    const descending = isDescending(params.dir);
    const targets = [{ ns: 0, title: params.propname }];
    const [start] = readKey(next, 'number') ?? [];
    const found = await content.collect(
      {
        limit,
        from: start === undefined ? undefined : ([0, params.propname, start] as const),
        read: (from, size) =>
          content.source.backlinks({ kind: 'property', targets, from, descending, limit: size }, request),
        key: ({ page }) => [0, params.propname, page.id] as const,
        open: content.openRows(({ page }) => page, request),
      },
      request,
    );
    const list = listOf(found, {
      item: ({ page, text = '' }) => asked({ ...pageItem(page, content), value: text }, params.prop),
      page: ({ page }) => ({ pageid: page.id }),
    });
    return { ...list, continue: found.next?.[2] };
  };
