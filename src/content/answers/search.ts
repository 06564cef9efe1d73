import { ApiError } from '../../core/query/answer/api-error.js';
import { type Content, endOf } from '../content.js';
import type { ContentPage, SearchHit } from '../source.js';
import { type Handler, type Having, pageItem } from './answer.js';

/** The time of an index is at least quadratic in the number of words; Wikipedia has the same limit. */
const MAX_QUERY_LENGTH = 300;

/** Further results are not returned. */
const MAX_HITS = 10_000;

type SearchRequest = Parameters<Handler<'search'>>[0];

/**
 * Searches titles and texts, by relevance. Relevance depends on all pages, so the continue value is an offset instead
 * of a key; it counts the pages that the caller may see.
 */
export const search =
  (content: Having<'search'>): Handler<'search'> =>
  async (request) => {
    const { params, limit } = request;
    if (params.search.length > MAX_QUERY_LENGTH) {
      throw new ApiError(
        'cirrussearch-query-too-long',
        `The search must not be longer than ${MAX_QUERY_LENGTH} characters.`,
      );
    }
    if (params.what === 'nearmatch') return nearMatch(content, request);
    const { words, without } = termsOf(params.search);
    const { namespace, offset } = params;
    const namespaces = namespace.length > 0 ? namespace : [0];
    const query = { words, without, namespaces, titles: params.what === 'title' };
    const result =
      words.length === 0 ? NOTHING : await (content.isRestricted ? openHits : hitsOf)(content, query, request);
    const hits = result.hits.slice(0, limit);
    return {
      items: hits.map((hit) => hitItem(hit, params.prop, content)),
      continue: result.hits.length > limit && offset + limit < MAX_HITS ? offset + limit : undefined,
      extra:
        params.info.includes('totalhits') && result.total !== undefined
          ? { searchinfo: { totalhits: result.total } }
          : {},
    };
  };

const NOTHING: Hits = { hits: [], total: 0 };

interface Hits {
  readonly hits: readonly SearchHit[];
  readonly total?: number;
}

interface Query {
  readonly words: readonly string[];
  readonly without: readonly string[];
  readonly namespaces: readonly number[];
  readonly titles: boolean;
}

const hitsOf = async (content: Having<'search'>, query: Query, request: SearchRequest): Promise<Hits> => {
  const { params, limit } = request;
  return content.source.search({ ...query, offset: params.offset, limit: limit + 1 }, request);
};

/** If some pages have restricted access, hits are counted from the first one: the source's own total would include hidden pages. */
const openHits = async (content: Having<'search'>, query: Query, request: SearchRequest): Promise<Hits> => {
  const { params, limit } = request;
  const open = content.openRows(({ page }: SearchHit) => page, request);
  const wanted = params.offset + limit + 1;
  const found: SearchHit[] = [];
  for (let offset = 0; offset < MAX_HITS && found.length < wanted; offset += 500) {
    const { hits } = await content.source.search({ ...query, offset, limit: 500 }, request);
    found.push(...(await open(hits)));
    if (hits.length < 500) break;
  }
  return { hits: found.slice(params.offset) };
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
  const items = [...pages.values()].map((page) => pageItem(page, content));
  return { items, extra: { searchinfo: { totalhits: items.length } } };
};

/** Parses a search: words, "phrases", prefixes*, and -excluded words. */
const termsOf = (text: string): { readonly words: readonly string[]; readonly without: readonly string[] } => {
  const words = new Set<string>();
  const without = new Set<string>();
  for (const [, minus, phrase, word = ''] of text.matchAll(/(-?)(?:"([^"]*)"|([^\s"]+))/g)) {
    const bare = (phrase ?? word).replace(/^intitle:/i, '');
    if (!/[\p{L}\p{N}]/u.test(bare)) continue;
    const star = phrase === undefined && bare.endsWith('*') ? '*' : '';
    (minus === '-' ? without : words).add(bare.replace(/[*"]/g, '') + star);
  }
  return { words: [...words], without: [...without] };
};

const marked = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\u0001', '<span class="searchmatch">')
    .replaceAll('\u0002', '</span>');

/** Titles with a prefix, in order, by namespace. Continues with an offset too. */
export const prefixsearch =
  (content: Having<'pageRange'>): Handler<'prefixsearch'> =>
  async (request) => {
    const { params, limit } = request;
    const { search: text, namespace, offset } = params;
    const named = content.read(`${text.trimStart()}x`);
    const isNamed = named !== undefined && named.ns !== 0;
    const namespaces = isNamed ? [named.ns] : namespace.length > 0 ? [...namespace].sort((a, b) => a - b) : [0];
    const starts = namespaces.map((ns) => ({
      ns,
      title: isNamed ? named.title.slice(0, -1) : content.start(text.trim(), ns),
    }));
    const found: ContentPage[] = [];
    const wanted = Math.min(offset, MAX_HITS) + limit + 1;
    for (const { ns, title } of starts) {
      const open = content.openRows((page: ContentPage) => page, request);
      let from: string | undefined = title;
      while (from !== undefined && found.length < wanted) {
        const size: number = Math.min(wanted - found.length, 500);
        const range = { ns, from, to: endOf(title), descending: false, limit: size + 1 };
        const rows: readonly ContentPage[] = await content.source.pageRange(range, request);
        found.push(...(await open(rows.slice(0, size))));
        from = rows[size]?.title;
      }
    }
    const shown = found.slice(offset, offset + limit);
    return {
      items: shown.map((page) => pageItem(page, content)),
      continue: found.length > offset + limit ? offset + limit : undefined,
    };
  };
