import { ApiError, type ResultItem } from '../../core/query/index.js';
import { message } from '../../core/query/toolkit.js';
import type { Asking, Content } from '../content.js';
import { titleId } from '../keys.js';
import type { BacklinkRow, ContentPage, ContentTitle, LinkKind } from '../source.js';
import {
  accepts,
  type Answer,
  asked,
  byPage,
  type Having,
  hintOf,
  isDescending,
  pageItem,
  passes,
  passesRedirects,
  readKey,
  type RedirectFilter,
  redirectHint,
} from './answer.js';

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
  readonly filterredir?: RedirectFilter;
}

type Backlinks = Having<'backlinks' | 'pages'>;
type BacklinkKey = readonly [ns: number, title: string, page: number];

interface Query extends Filter {
  readonly kind: LinkKind;
  readonly targets: readonly ContentTitle[];
  readonly from: BacklinkKey | undefined;
  readonly descending: boolean;
  readonly limit: number;
  readonly withText?: boolean | undefined;
  readonly keep?: (row: BacklinkRow) => boolean;
}

const read = (content: Backlinks, query: Query, asking: Asking) => {
  const { kind, targets, from, descending, limit, namespace, filterredir, withText, keep = () => true } = query;
  const filters = { namespaces: namespace, redirects: redirectHint(filterredir), withText };
  return content.collect<BacklinkRow, BacklinkKey>(asking, {
    limit,
    from,
    read: (start, size) =>
      targets.length === 0
        ? []
        : content.source.backlinks({ ...filters, kind, targets, descending, from: start, limit: size }, asking),
    key: ({ target, page }) => [target.ns, target.title, page.id],
    open: (rows) => content.openRows(rows, ({ page }) => page, asking),
    keep: (row) => accepts(namespace, row.page.ns) && passesRedirects(row.page, filterredir) && keep(row),
  });
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

/** Lists the pages that link to the target directly, by id, then those that link through each redirect. */
export const backlinksBy =
  (kind: LinkKind): Answer<'backlinks' | 'embeddedin', 'backlinks' | 'pages'> =>
  async (content, request) => {
    const { params, limit, continue: next } = request;
    const target = await targetOf(content, params, request);
    const throughRedirects = 'redirect' in params && params.redirect === true;
    const range = { kind, descending: isDescending(params.dir) };
    const place = positionOf(next, throughRedirects);
    const rows: Shown[] = [];
    let more: readonly (string | number)[] | undefined;
    if (!place?.through) {
      const from = place && ([target.ns, target.title, place.page] as const);
      // Redirects are listed with the pages that link through them, so nothing is filtered at this level.
      const filter: Filter = throughRedirects ? {} : params;
      const found = await read(content, { ...filter, ...range, targets: [target], from, limit }, request);
      rows.push(...found.rows.map(({ page }) => ({ page, through: undefined })));
      more = found.next && (throughRedirects ? ['0', found.next[2]] : [found.next[2]]);
    }
    if (throughRedirects && !more) {
      const targets = await redirectsTo(content, target, request);
      const byTitle = new Map(targets.map((page) => [titleId(page), page]));
      const query = { ...params, ...range, targets, from: place?.through, limit: Math.max(limit - rows.length, 0) };
      const found = await read(content, query, request);
      rows.push(...found.rows.map(({ page, target: via }) => ({ page, through: byTitle.get(titleId(via)) })));
      more = found.next && ['1', ...found.next];
    }
    return {
      items: nested(rows, content, throughRedirects),
      continue: more,
      pages: rows.map(({ page: { id } }) => ({ pageid: id })),
    };
  };

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
    const item = pageItem(page, content, { redirect: true, redirlinks: [] });
    shown.set(page.id, item);
    return item;
  };
  for (const { page, through } of rows) {
    const item = pageItem(page, content, page.redirect ? { redirect: true } : {});
    if (through) above(through).redirlinks?.push(item);
    else shown.set(page.id, throughRedirects && page.redirect ? { ...item, redirlinks: [] } : item);
  }
  return [...shown.values()];
};

/** Pages that link to, transclude, use or redirect to the given ones. */
export const linkingPages =
  (kind: LinkKind): Answer<'linkshere' | 'redirects', 'backlinks' | 'pages'> =>
  async (content, request) => {
    const { params, limit, continue: next, pages, role } = request;
    const show: readonly string[] = params.show ?? [];
    const ids = new Map<string, number>();
    const targets = [...pages.existing, ...pages.missing, ...pages.special].flatMap(({ id, title }) => {
      const target = content.read(title ?? '');
      if (target) ids.set(titleId(target), id);
      return target ?? [];
    });
    const from = readKey(next, 'number', 'text', 'number');
    const redirects = hintOf(show, 'redirect');
    const query = {
      ...{ kind, targets, from, descending: false, limit, namespace: params.namespace },
      ...(redirects !== undefined && { filterredir: redirects ? ('redirects' as const) : ('nonredirects' as const) }),
      withText: hintOf(show, 'fragment'),
    };
    const keep = ({ page: { redirect }, text = '' }: BacklinkRow): boolean =>
      passes(show, { redirect: redirect !== undefined, fragment: text !== '' });
    const found = await read(content, { ...query, keep }, request);
    const props = role === 'generator' ? ['ids'] : params.prop.map((name) => (name === 'pageid' ? 'ids' : name));
    const rows = found.rows.flatMap((row) => {
      const id = ids.get(titleId(row.target));
      return id === undefined ? [] : [{ page: id, of: row.page, fragment: row.text === '' ? undefined : row.text }];
    });
    return byPage({ rows, next: found.next }, ({ of, fragment }) =>
      asked(pageItem(of, content, { redirect: of.redirect !== undefined, fragment }), props),
    );
  };
