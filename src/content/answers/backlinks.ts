import { ApiError, message, type ResultItem } from '../../core/query/index.js';
import { type Asking, type Content, titleId } from '../content.js';
import type { BacklinkRow, ContentPage, ContentTitle, LinkKind } from '../source.js';
import { asked, type Handler, type Having, idsOf, isDescending, pageItem, passes, readKey } from './answer.js';

/**
 * The target of a request, by title or id.
 *
 * @throws ApiError `nosuchpageid`; a title need not exist.
 */
export const targetOf = async (
  content: Content,
  { title, pageid = 0 }: { readonly title?: string; readonly pageid?: number },
  asking: Asking,
): Promise<ContentTitle> => {
  const target = title === undefined ? undefined : content.read(title);
  if (target) return target;
  const page = (await content.byId([pageid], asking)).get(pageid);
  if (!page) throw new ApiError('nosuchpageid', message('apierror-nosuchpageid', pageid));
  return page;
};

interface Filter {
  readonly namespace?: readonly number[] | undefined;
  readonly filterredir?: 'all' | 'nonredirects' | 'redirects';
}

const isWanted =
  ({ namespace, filterredir = 'all' }: Filter) =>
  ({ page: { ns, redirect } }: BacklinkRow): boolean =>
    (!namespace || namespace.length === 0 || namespace.includes(ns)) &&
    (filterredir === 'all' || (redirect !== undefined) === (filterredir === 'redirects'));

type Backlinks = Having<'backlinks' | 'pages'>;
type BacklinkKey = readonly [ns: number, title: string, page: number];
const keyOf = ({ target, page }: BacklinkRow): BacklinkKey => [target.ns, target.title, page.id];

interface Query extends Filter {
  readonly kind: LinkKind;
  readonly targets: readonly ContentTitle[];
  readonly from: BacklinkKey | undefined;
  readonly descending: boolean;
  readonly limit: number;
}

const read = (content: Backlinks, query: Query, asking: Asking) => {
  const { kind, targets, from, descending, limit } = query;
  return content.collect<BacklinkRow, BacklinkKey>(
    {
      limit,
      from,
      read: (start, size) => content.source.backlinks({ kind, targets, descending, from: start, limit: size }, asking),
      key: keyOf,
      open: content.openRows(({ page }) => page, asking),
      keep: isWanted(query),
    },
    asking,
  );
};

/** The redirects to a page: links through them are links to it. */
const redirectsTo = async (content: Backlinks, target: ContentTitle, asking: Asking) => {
  const rows: ContentPage[] = [];
  let from: BacklinkKey | undefined;
  do {
    const query = { kind: 'redirect', targets: [target], from, descending: false, limit: 500 } as const;
    const found = await read(content, query, asking);
    rows.push(...found.rows.map(({ page }) => page));
    from = found.next;
  } while (from);
  return rows;
};

type BacklinksHandler = Handler<'backlinks'> & Handler<'embeddedin'>;

/** Lists the pages that link to the target directly, by id, then those that link through each redirect. */
const backlinksBy =
  (kind: LinkKind) =>
  (content: Backlinks): BacklinksHandler =>
  async (request) => {
    const { params, limit, continue: next } = request;
    const target = await targetOf(content, params, request);
    const throughRedirects = 'redirect' in params && params.redirect === true;
    const descending = isDescending(params.dir);
    const place = positionOf(next, throughRedirects);
    // Redirects are listed with the pages that link through them, so nothing is filtered at this level.
    const filter: Filter = throughRedirects ? {} : params;
    const rows: Shown[] = [];
    let more: readonly (string | number)[] | undefined;
    if (!place?.through) {
      const from = place && ([target.ns, target.title, place.page] as const);
      const found = await read(content, { ...filter, kind, targets: [target], from, descending, limit }, request);
      rows.push(...found.rows.map(({ page }) => ({ page, through: undefined })));
      more = found.next && (throughRedirects ? ['0', found.next[2]] : [found.next[2]]);
    }
    if (throughRedirects && !more) {
      const redirects = await redirectsTo(content, target, request);
      const byTitle = new Map(redirects.map((page) => [titleId(page), page]));
      const remaining = limit - rows.length;
      const query = {
        ...params,
        kind,
        targets: redirects,
        from: place?.through,
        descending,
        limit: Math.max(remaining, 0),
      };
      const found = redirects.length === 0 ? NOTHING : await read(content, query, request);
      rows.push(...found.rows.map(({ page, target: via }) => ({ page, through: byTitle.get(titleId(via)) })));
      more = found.next && ['1', found.next[0], found.next[1], found.next[2]];
    }
    return {
      items: nested(rows, content, throughRedirects),
      continue: more,
      pages: rows.map(({ page: { id } }) => ({ pageid: id })),
    };
  };

const NOTHING = { rows: [], next: undefined } as const;

const positionOf = (next: string | undefined, throughRedirects: boolean) => {
  if (!throughRedirects) {
    const key = readKey(next, 'number');
    return key && { page: key[0], through: undefined };
  }
  if (!next?.startsWith('1|')) {
    const key = readKey(next, 'number', 'number');
    return key && { page: key[1], through: undefined };
  }
  const [, ns = 0, title = '', page = 0] = readKey(next, 'number', 'number', 'text', 'number') ?? [];
  return { page: 0, through: [ns, title, page] as const };
};

interface Shown {
  readonly page: ContentPage;
  /** The redirect that it links through. */
  readonly through: ContentPage | undefined;
}

/** Nests the pages that link through a redirect below it; a continued list repeats the redirect. */
const nested = (rows: readonly Shown[], content: Content, throughRedirects: boolean): readonly ResultItem[] => {
  const shown = new Map<number, ResultItem & { readonly redirlinks?: ResultItem[] }>();
  const above = (page: ContentPage): ResultItem & { readonly redirlinks?: ResultItem[] } => {
    const known = shown.get(page.id);
    if (known?.redirlinks) return known;
    const item = { ...pageItem(page, content), redirect: true, redirlinks: [] };
    shown.set(page.id, item);
    return item;
  };
  for (const { page, through } of rows) {
    const item = { ...pageItem(page, content), ...(page.redirect ? { redirect: true } : {}) };
    if (through) above(through).redirlinks?.push(item);
    else shown.set(page.id, throughRedirects && page.redirect ? { ...item, redirlinks: [] } : item);
  }
  return [...shown.values()];
};

export const backlinks: (content: Backlinks) => Handler<'backlinks'> = backlinksBy('link');
export const imageusage: (content: Backlinks) => Handler<'imageusage'> = backlinksBy('file');
export const embeddedin: (content: Backlinks) => Handler<'embeddedin'> = backlinksBy('template');

type LinkingHandler = Handler<'linkshere'> & Handler<'redirects'>;

/** Pages that link to, transclude, use or redirect to the given ones. */
const linkingPages =
  (kind: LinkKind) =>
  (content: Backlinks): LinkingHandler =>
  async (request) => {
    const { params, limit, continue: next, pages, role } = request;
    const show: readonly string[] = params.show ?? [];
    const targets = [...(await content.byId(idsOf(pages), request)).values()];
    const ids = new Map(targets.map((page) => [titleId(page), page.id]));
    const filter = isWanted({ namespace: params.namespace });
    const { rows, next: more } =
      targets.length === 0
        ? NOTHING
        : await content.collect<BacklinkRow, BacklinkKey>(
            {
              limit,
              from: readKey(next, 'number', 'text', 'number'),
              read: (from, size) =>
                content.source.backlinks({ kind, targets, from, descending: false, limit: size }, request),
              key: keyOf,
              open: content.openRows(({ page }) => page, request),
              keep: (row) =>
                filter(row) &&
                passes(show, { redirect: row.page.redirect !== undefined, fragment: (row.text ?? '') !== '' }),
            },
            request,
          );
    const props = role === 'generator' ? ['ids'] : params.prop.map((name) => (name === 'pageid' ? 'ids' : name));
    const shown = new Map<number, ResultItem[]>();
    for (const { target, page, text } of rows) {
      const id = ids.get(titleId(target));
      if (id === undefined) continue;
      const fragment = text === '' ? undefined : text;
      const item = asked({ ...pageItem(page, content), redirect: page.redirect !== undefined, fragment }, props);
      const items = shown.get(id);
      if (items) items.push(item);
      else shown.set(id, [item]);
    }
    return { pages: shown, continue: more };
  };

export const linkshere: (content: Backlinks) => Handler<'linkshere'> = linkingPages('link');
export const transcludedin: (content: Backlinks) => Handler<'transcludedin'> = linkingPages('template');
export const fileusage: (content: Backlinks) => Handler<'fileusage'> = linkingPages('file');
export const redirects: (content: Backlinks) => Handler<'redirects'> = linkingPages('redirect');
