import { ApiError } from '../../core/query/index.js';
import { Html } from '../../core/query/toolkit.js';
import type { Content } from '../content.js';
import { endOf } from '../keys.js';
import { markedTitle, matcherOf, passageOf } from '../passage.js';
import { MAX_EXAMINED, MAX_QUERY_LENGTH } from '../search/bounds.js';
import { parseSearch } from '../search/parse.js';
import type { ContentPage, ContentSearch, ContentSearchResult, ContentTerms, SearchHit } from '../source.js';
import { type Answer, type Having, pageItem, type RequestOf } from './answer.js';

/** The results of a response: their passages take time. Further ones are continued. */
const MAX_AT_ONCE = 1_000;

type SearchRequest = RequestOf<'search'>;

/**
 * Searches titles and texts, by relevance. Relevance depends on all pages, so the continue value is an offset instead
 * of a key; it counts the pages that the caller may see.
 */
export const search: Answer<'search', 'search'> = async (content, request) => {
  const { params, role } = request;
  const limit = Math.min(request.limit, MAX_AT_ONCE);
  if (params.search.length > MAX_QUERY_LENGTH) {
    throw new ApiError(
      'cirrussearch-query-too-long',
      `The search must not be longer than ${MAX_QUERY_LENGTH} characters.`,
    );
  }
  if (params.what === 'nearmatch') return nearMatch(content, request);
  const { terms, without, notices } = parseSearch(params.search);
  for (const [code, sentence] of notices) request.warn(code, sentence);
  if (isEmpty(terms)) return { items: [], extra: infoOf({ rows: [], total: { exact: 0 } }, request) };
  const { namespace, prop } = params;
  const namespaces = namespace.length > 0 ? namespace : [0];
  const query = { ...terms, without, namespaces, titles: params.what === 'title', caller: request.caller };
  const found = await (content.isRestricted ? visibleRows : allRows)(content, query, limit, request);
  for (const sentence of found.parts ?? []) request.warn('searchpart', sentence);
  const needsPassages = role === 'module' && (prop.includes('snippet') || prop.includes('titlesnippet'));
  const shown = needsPassages ? await withPassages(content, found.rows, terms, request) : found.rows;
  return {
    items: shown.map((hit) => hitItem(hit, prop, content)),
    continue: found.next,
    extra: infoOf(found, request),
  };
};

const isEmpty = ({ words, phrases, prefixes }: ContentTerms): boolean =>
  words.length + phrases.length + prefixes.length === 0;

/** `searchinfo`: the number of hits, and whether it is that of a part. */
const infoOf = ({ total }: FoundHits, { params }: SearchRequest): Readonly<Record<string, unknown>> => {
  if (!params.info.includes('totalhits') || total === undefined) return {};
  if ('exact' in total) return { searchinfo: { totalhits: total.exact } };
  return { searchinfo: { totalhits: 'atLeast' in total ? total.atLeast : total.about, approximate_totalhits: true } };
};

type Query = Omit<ContentSearch, 'offset' | 'limit'>;

/** Without a total on a site that hides pages, because it would include them. */
type FoundHits = Omit<ContentSearchResult, 'total'> & { readonly total?: ContentSearchResult['total'] };

type Find = (
  content: Having<'search'>,
  query: Query,
  limit: number,
  request: SearchRequest,
) => FoundHits | Promise<FoundHits>;

const allRows: Find = (content, query, limit, request) =>
  content.source.search({ ...query, offset: request.params.offset, limit }, request);

/** The rows that the caller may see. They are counted from the first one, because the source counts hidden ones too. */
const visibleRows: Find = async (content, query, limit, request) => {
  const { offset } = request.params;
  const { rows, next, parts = [] } = await content.source.search({ ...query, offset: 0, limit: MAX_EXAMINED }, request);
  const found: SearchHit[] = [];
  let at = 0;
  for (; at < rows.length && found.length <= offset + limit; at += PIECE) {
    found.push(...(await content.openRows(rows.slice(at, at + PIECE), ({ page }) => page, request)));
  }
  const hasMore = found.length > offset + limit;
  const isPart = !hasMore && next !== undefined;
  return {
    rows: found.slice(offset, offset + limit),
    next: hasMore ? offset + limit : undefined,
    parts: isPart ? [...parts, ONLY_FIRST] : parts,
  };
};

/** The rows whose pages are checked at once. */
const PIECE = 500;
const ONLY_FIRST = 'This search ended before it had looked at all pages. Search for more or rarer words.';

/** The size of the texts that are read for the passages of a response. */
const MAX_READ = 4_000_000;
/** The characters of a text that are searched for a passage, and those of all texts of a response. */
const MAX_PIECE = 20_000;
const MAX_PIECES = 500_000;

/** Adds passages, unless the source returned them. They are from the beginning of the texts: long texts would take too long. */
const withPassages = async (
  content: Content,
  hits: readonly SearchHit[],
  terms: ContentTerms,
  request: SearchRequest,
): Promise<readonly SearchHit[]> => {
  const missing = hits.filter(({ snippet }) => snippet === undefined);
  let size = 0;
  const ids = missing.flatMap(({ page: { revid, length = 0 } }) => {
    size += length;
    return revid === undefined || size > MAX_READ ? [] : [revid];
  });
  const revisions = (ids.length > 0 && (await content.source.revisions?.({ ids, text: true }, request))) || [];
  const found = new Map(revisions.map((revision) => [revision.id, revision]));
  const most = Math.min(MAX_PIECE, Math.floor(MAX_PIECES / Math.max(1, missing.length)));
  const matcher = matcherOf([...terms.words, ...terms.phrases, ...terms.prefixes.map((start) => `${start}*`)]);
  return hits.map((hit): SearchHit => {
    const revision = found.get(hit.page.revid ?? 0);
    const text = revision?.text ?? '';
    const start = revision ? (content.markupOf(revision).bodyAt?.(text) ?? 0) : 0;
    const snippet = text === '' ? '' : passageOf(text.slice(start, start + most), matcher);
    return { snippet, titlesnippet: markedTitle(content.show(hit.page), matcher), ...hit };
  });
};

const hitItem = (hit: SearchHit, props: readonly string[], content: Content) => {
  const { page, snippet = '', titlesnippet = content.show(page), wordcount } = hit;
  const { ns, title, pageid } = pageItem(page, content);
  const facts: Readonly<Record<string, unknown>> = {
    size: page.length,
    wordcount,
    timestamp: page.touched,
    snippet: marked(snippet),
    titlesnippet: marked(titlesnippet),
  };
  const shown = props.filter((name) => facts[name] !== undefined).map((name) => [name, facts[name]]);
  return { ns, title, pageid, ...Object.fromEntries(shown) };
};

/** The page with exactly this title, if it exists. */
const nearMatch = async (content: Content, request: SearchRequest) => {
  const title = content.read(request.params.search);
  const pages = title ? await content.byTitle([title], request) : new Map<string, ContentPage>();
  return { items: [...pages.values()].map((page) => pageItem(page, content)) };
};

const marked = (text: string): string =>
  Html.content(text).source.replaceAll('\u0001', '<span class="searchmatch">').replaceAll('\u0002', '</span>');

/** The titles before the offset are read again. */
const MAX_TITLES = 10_000;

/** Titles with a prefix, in order, by namespace. Continues with an offset too. */
export const prefixsearch: Answer<'prefixsearch', 'pageRange'> = async (content, request) => {
  const { params, limit } = request;
  const { search: text, namespace, offset } = params;
  const named = content.read(`${text.trimStart()}x`);
  const starts =
    named !== undefined && named.ns !== 0
      ? [{ ns: named.ns, title: named.title.slice(0, -1) }]
      : (namespace.length > 0 ? [...namespace].sort((a, b) => a - b) : [0]).map((ns) => ({
          ns,
          title: content.start(text.trim(), ns),
        }));
  const found: ContentPage[] = [];
  const wanted = Math.min(offset, MAX_TITLES) + limit + 1;
  for (const { ns, title } of starts) {
    let from: string | undefined = title;
    while (from !== undefined && found.length < wanted) {
      const size: number = Math.min(wanted - found.length, 500);
      const range = { ns, from, to: endOf(title), descending: false, limit: size + 1 };
      const rows: readonly ContentPage[] = await content.source.pageRange(range, request);
      found.push(...(await content.shown(rows.slice(0, size), request)));
      from = rows[size]?.title;
      if (from !== undefined && !content.mayReadOn(request, size)) {
        request.warn('toomanypages', 'This site did not look at all of these titles. Search for a longer beginning.');
        break;
      }
    }
  }
  return {
    items: found.slice(offset, offset + limit).map((page) => pageItem(page, content)),
    continue: found.length > offset + limit ? offset + limit : undefined,
  };
};
