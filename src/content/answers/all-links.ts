import type { Asking } from '../content.js';
import { LAST_ID } from '../keys.js';
import type { LinkKind, LinkRow } from '../source.js';
import { type Answer, type Having, listOf, partsOf, readKey, titleBounds } from './answer.js';

/** The range of a list of targets. */
interface TargetQuery<Row extends LinkRow> {
  readonly kind: LinkKind;
  readonly ns: number;
  readonly unique: boolean;
  readonly limit: number;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly descending: boolean;
  readonly namespaces?: readonly number[] | undefined;
  readonly suffix?: string | undefined;
  readonly members?: readonly [least: number, most: number] | undefined;
  /** The row to continue with. */
  readonly next?: readonly [title: string, page: number] | undefined;
  /** Adds to the rows that the caller may see. Default: nothing. */
  readonly open?: (rows: readonly LinkRow[]) => Promise<readonly Row[]>;
  readonly keep?: (row: Row) => boolean;
}

/**
 * Targets of a kind: each with every page that links there, or once. Links of pages that the caller may not see are
 * omitted.
 */
export const targetsOf = async <Row extends LinkRow = LinkRow>(
  content: Having<'targets' | 'pages'>,
  query: TargetQuery<Row>,
  asking: Asking,
) => {
  const { kind, ns, unique, limit, from, to, descending, next, keep, namespaces, suffix, members } = query;
  // Without `open`, rows remain as they are.
  const { open = async (rows) => rows as readonly Row[] } = query;
  // Whether a page visible to the caller links there can only be determined row by row.
  const once = unique && !content.isRestricted;
  const [first, last] = once ? [0, 0] : descending ? [LAST_ID, 0] : [0, LAST_ID];
  const filters = once ? { members } : { namespaces, suffix };
  const range = {
    ...{ kind, ns, unique: once, descending, ...filters },
    to: to === undefined ? undefined : ([to, last] as const),
  };
  let given: string | undefined;
  return content.collect<LinkRow, readonly [title: string, page: number], Row>(asking, {
    limit,
    from: next ?? (from === undefined ? undefined : [from, first]),
    read: (start, size) => content.source.targets({ ...range, from: start, limit: size }, asking),
    key: ({ title, page }) => [title, page],
    ...(unique && { after: ({ title }) => [title, descending ? 0 : LAST_ID] }),
    open: async (rows) => open(content.isRestricted ? await content.withPages(rows, asking) : rows),
    keep: (row) => {
      if (keep && !keep(row)) return false;
      if (!unique || once) return true;
      const isNew = row.title !== given;
      given = row.title;
      return isNew;
    },
  });
};

/** All links of a kind, by target; `unique` lists each target once. */
export const allOf =
  (kind: LinkKind): Answer<'alllinks' | 'allredirects' | 'allfileusages', 'targets' | 'pages'> =>
  async (content, request) => {
    const { params, limit, continue: next } = request;
    const ns = 'namespace' in params ? params.namespace : 6;
    const { unique } = params;
    const bounds = titleBounds(params, (text) => content.start(text, ns), undefined);
    const query = { kind, ns, unique, limit, ...bounds, next: readKey(next, 'text', 'number') };
    return listOf(await targetsOf(content, query, request), {
      item: ({ title, page, text = '' }) =>
        partsOf(params.prop, {
          ids: !unique && { fromid: page },
          title: { ns, title: content.show({ ns, title }) },
          fragment: text !== '' && { fragment: text },
        }),
      page: ({ title, page }) => (unique ? { title: content.show({ ns, title }) } : { pageid: page }),
    });
  };
