import type { RequestContext } from '../run/request-context.js';
import { pageAddress } from '../site/page-address.js';
import type { OpenSearchParams } from './descriptors.js';
import type { ReaderParts } from './subquery.js';

/**
 * Answers `action=opensearch` with the results of `list=prefixsearch`: the search, the titles, their descriptions, which
 * are empty, and their addresses.
 */
export const suggest = async (
  params: OpenSearchParams,
  context: RequestContext,
  { runSubquery, service: { site } }: ReaderParts,
): Promise<readonly unknown[]> => {
  const { search, redirects, limit } = params;
  const values = { search, namespace: context.parameters.get('namespace') ?? '0', limit: String(limit) };
  const named = (prefix: string): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [prefix + name, value]));
  const { query } = await runSubquery(
    redirects === 'resolve'
      ? { generator: 'prefixsearch', redirects: true, values: named('gps') }
      : { list: ['prefixsearch'], values: named('ps') },
    context,
  );
  const found = redirects === 'resolve' ? byRank(query.pages ?? []) : ((query['prefixsearch'] ?? []) as readonly Hit[]);
  const titles = found.flatMap(({ title }) => (typeof title === 'string' ? [title] : []));
  return [search, titles, titles.map(() => ''), titles.map((title) => pageAddress(title, site))];
};

interface Hit {
  readonly title?: unknown;
  readonly pageid?: number;
  readonly index?: number;
}

/** The existing pages by index. The target of a redirect may be missing. */
const byRank = (pages: readonly Hit[]): readonly Hit[] =>
  pages.filter(({ pageid }) => pageid !== undefined).sort((a, b) => (a.index ?? Infinity) - (b.index ?? Infinity));
