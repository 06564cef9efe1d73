import { ApiError, Html } from '../../core/query/index.js';
import type { Content } from '../content.js';
import { endOf } from '../keys.js';
import { markedTitle, matcherOf, passageOf, wordsIn } from '../passage.js';
import type { ContentPage, ContentSearch, SearchHit } from '../source.js';
import { type Answer, type Having, pageItem, type RequestOf } from './answer.js';

/** The time of an index is at least quadratic in the number of words; Wikipedia has the same limit. */
const MAX_QUERY_LENGTH = 300;

/** Further results are not returned. */
const MAX_HITS = 10_000;
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
  const { words, without } = termsOf(params.search, request);
  const { namespace, offset, prop } = params;
  const namespaces = namespace.length > 0 ? namespace : [0];
  const query = { words, without, namespaces, titles: params.what === 'title' };
  const found = words.length === 0 ? { hits: [], total: 0 } : await hitsOf(content, query, limit + 1, request);
  const hits = found.hits.slice(0, limit);
  const needsPassages = role === 'module' && (prop.includes('snippet') || prop.includes('titlesnippet'));
  const shown = needsPassages ? await withPassages(content, hits, words, request) : hits;
  return {
    items: shown.map((hit) => hitItem(hit, prop, content)),
    continue: found.hits.length > limit && offset + limit < MAX_HITS ? offset + limit : undefined,
    extra:
      params.info.includes('totalhits') && found.total !== undefined ? { searchinfo: { totalhits: found.total } } : {},
  };
};

/** The hits of a response, and one more if there is one. */
const hitsOf = async (
  content: Having<'search'>,
  query: Omit<ContentSearch, 'offset' | 'limit'>,
  limit: number,
  request: SearchRequest,
): Promise<{ readonly hits: readonly SearchHit[]; readonly total?: number }> => {
  const { offset } = request.params;
  if (!content.isRestricted) return content.source.search({ ...query, offset, limit }, request);
  // Hits are counted from the first one: the source's own total would include hidden pages.
  const { hits } = await content.source.search({ ...query, offset: 0, limit: MAX_HITS }, request);
  const found: SearchHit[] = [];
  for (let at = 0; at < hits.length && found.length < offset + limit; at += 500) {
    found.push(...(await content.openRows(hits.slice(at, at + 500), ({ page }) => page, request)));
  }
  return { hits: found.slice(offset) };
};

/** The size of the texts that are read for the passages of a response. */
const MAX_READ = 4_000_000;
/** The characters of a text that are searched for a passage, and those of all texts of a response. */
const MAX_PIECE = 20_000;
const MAX_PIECES = 500_000;

/** Adds passages, unless the source returned them. They are from the beginning of the texts: long texts would take too long. */
const withPassages = async (
  content: Content,
  hits: readonly SearchHit[],
  words: readonly string[],
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
  const matcher = matcherOf(words);
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

/** Further words are ignored: each takes time, and hardly any page has all of them. */
const MAX_WORDS = 20;
/** Further prefixes are read as words: each stands for many. */
const MAX_PREFIXES = 4;

/** Parses a search: words, "phrases", prefixes*, and -excluded words. */
const termsOf = (
  text: string,
  { warn }: SearchRequest,
): { readonly words: readonly string[]; readonly without: readonly string[] } => {
  const words = new Set<string>();
  const without = new Set<string>();
  const prefixes = new Set<string>();
  let count = 0;
  for (const [, minus, phrase, word = ''] of text.matchAll(/(-?)(?:"([^"]*)"|([^\s"]+))/g)) {
    const bare = (phrase ?? word).replace(/^intitle:/i, '');
    const parts = wordsIn(bare).slice(0, Math.max(0, MAX_WORDS - count));
    if (wordsIn(bare).length === 0) continue;
    count += wordsIn(bare).length;
    if (parts.length === 0) break;
    const plain = count > MAX_WORDS ? parts.join(' ') : bare.replace(/[*"]/g, '');
    const isPrefix = phrase === undefined && bare.endsWith('*');
    if (isPrefix) prefixes.add(plain);
    const star = isPrefix && prefixes.size <= MAX_PREFIXES ? '*' : '';
    (minus === '-' ? without : words).add(plain + star);
  }
  if (count > MAX_WORDS) warn('searchwords', `Only the first ${MAX_WORDS} words are searched for.`);
  if (prefixes.size > MAX_PREFIXES) warn('searchprefixes', `Only the first ${MAX_PREFIXES} prefixes are searched for.`);
  return { words: [...words], without: [...without] };
};

const marked = (text: string): string =>
  Html.content(text).source.replaceAll('\u0001', '<span class="searchmatch">').replaceAll('\u0002', '</span>');

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
  const wanted = Math.min(offset, MAX_HITS) + limit + 1;
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
