/** The searches of a content source, by Elasticsearch, OpenSearch or a server like them. */
import type { ContentSource, ContentTerms, MemoryPage } from 'oauth-query/content';
import { foldText, termsIn } from 'oauth-query/query';

type Article = Pick<MemoryPage, 'ns' | 'title' | 'text'> & { readonly id: number };

/** Text is folded and cut by the rules of this package, in an index and in a search, so the server only splits at spaces. */
export const INDEX = {
  mappings: {
    dynamic: false,
    properties: {
      id: { type: 'integer' },
      ns: { type: 'integer' },
      title: { type: 'text', analyzer: 'whitespace' },
      text: { type: 'text', analyzer: 'whitespace' },
    },
  },
};

/** The body of a request to `_bulk`, which adds or replaces pages. */
export const bulkOf = (articles: readonly Article[]): string =>
  articles
    .flatMap(({ id, ns = 0, title, text }) => [
      { index: { _id: String(id) } },
      { id, ns, title: foldText(title).folded, text: foldText(text).folded },
    ])
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');

interface Response {
  readonly timed_out: boolean;
  readonly _shards: { readonly failed: number };
  readonly hits: {
    readonly total: { readonly value: number; readonly relation: 'eq' | 'gte' };
    readonly hits: readonly { readonly _id: string }[];
  };
}

/** `index.max_result_window`: the server refuses to go further. */
const WINDOW = 10_000;
/** Up to so many hits are counted. */
const COUNTED = 100_000;

const clausesOf = ({ words, phrases, prefixes }: ContentTerms, fields: readonly string[]): object[] => {
  const phrase = (text: string) => ({ multi_match: { query: foldText(text).folded, type: 'phrase', fields } });
  const prefix = (start: string) => {
    const [first, second] = termsIn(start);
    if (first === undefined || first.isLetter || second !== undefined) return phrase(start);
    return { bool: { should: fields.map((field) => ({ prefix: { [field]: first.form } })) } };
  };
  return [...[...words, ...phrases].map(phrase), ...prefixes.map(prefix)];
};

/** @param index - The address of the index, such as `http://localhost:9200/pages`. */
export const searchedBy = (source: ContentSource, index: string): ContentSource => ({
  ...source,
  search: async ({ without, titles, namespaces, offset, limit, ...terms }, call) => {
    const size = Math.min(limit, WINDOW - offset);
    if (size <= 0)
      return { rows: [], total: { atLeast: offset }, parts: [`Only the first ${WINDOW} hits are listed.`] };
    const fields = titles ? ['title'] : ['title', 'text'];
    const response = await fetch(`${index}/_search`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      signal: call.signal,
      body: JSON.stringify({
        query: {
          bool: {
            must: clausesOf(terms, fields),
            must_not: clausesOf(without, fields),
            filter: [{ terms: { ns: namespaces } }],
          },
        },
        sort: ['_score', { id: 'asc' }], // Without the id, hits of the same score may change places between two responses.
        from: offset,
        size,
        track_total_hits: COUNTED,
        _source: false,
      }),
    });
    if (!response.ok) throw new Error(`The search server answered ${response.status}: ${await response.text()}`);
    const { hits, timed_out: isCut, _shards: shards } = (await response.json()) as Response; // Its documented form.
    const ids = hits.hits.map(({ _id: id }) => Number(id));
    const found = (await source.pages?.({ titles: [], ids, revids: [] }, call)) ?? [];
    const pages = new Map(found.map((page) => [page.id, page]));
    const isPart = isCut || shards.failed > 0;
    const { value, relation } = hits.total;
    const next = offset + ids.length;
    return {
      rows: ids.flatMap((id) => pages.get(id) ?? []).map((page) => ({ page })),
      total: relation === 'eq' && !isPart ? { exact: value } : { atLeast: value },
      next: ids.length > 0 && next < value ? next : undefined,
      ...(isPart && { parts: ['The search server has looked at a part of the pages.'] }),
    };
  },
});
