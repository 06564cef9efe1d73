import { type Asking, LAST_ID } from '../content.js';
import type { LinkKind, LinkRow } from '../source.js';
import { type Handler, type Having, listOf, readKey, titleBounds } from './answer.js';

type AllLinksHandler = Handler<'alllinks'> & Handler<'allredirects'> & Handler<'allfileusages'>;
type Targets = Having<'targets' | 'pages'>;

/** The range of a list of targets. */
interface TargetQuery {
  readonly kind: LinkKind;
  readonly ns: number;
  readonly unique: boolean;
  readonly limit: number;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly descending: boolean;
  /** The row to continue with. */
  readonly next?: readonly [title: string, page: number] | undefined;
  /** Called with the rows that the caller may see, before `keep`. */
  readonly learn?: ((rows: readonly LinkRow[]) => Promise<void>) | undefined;
  readonly keep?: (row: LinkRow) => boolean;
}

/**
 * Targets of a kind: each with every page that links there, or once. Links of pages that the caller may not see are
 * omitted.
 */
export const targetsOf = async (content: Targets, query: TargetQuery, asking: Asking) => {
  const { kind, ns, unique, limit, from, to, descending, next, learn, keep } = query;
  const [least, most] = descending ? [LAST_ID, 0] : [0, LAST_ID];
  // Whether a page visible to the caller links there can only be determined row by row.
  const once = unique && !content.isRestricted;
  let given: string | undefined;
  return content.collect<LinkRow, readonly [string, number]>(
    {
      limit,
      from: next ?? (from === undefined ? undefined : [from, once ? 0 : least]),
      read: (start, size) =>
        content.source.targets(
          {
            kind,
            ns,
            unique: once,
            descending,
            from: start,
            to: to === undefined ? undefined : [to, once ? 0 : most],
            limit: size,
          },
          asking,
        ),
      key: ({ title, page }) => [title, page],
      ...(unique && { after: ({ title }: LinkRow) => [title, most] as const }),
      open: async (rows) => {
        await learn?.(rows);
        if (!content.isRestricted) return rows;
        const pages = await content.byId(
          rows.map(({ page }) => page),
          asking,
        );
        return rows.filter(({ page }) => pages.has(page));
      },
      keep: (row) => {
        if (keep && !keep(row)) return false;
        if (!unique || once) return true;
        const isNew = row.title !== given;
        given = row.title;
        return isNew;
      },
    },
    asking,
  );
};

/** All links of a kind, by target; `unique` lists each target once. */
const allOf =
  (kind: LinkKind) =>
  (content: Targets): AllLinksHandler =>
  async (request) => {
    const { params, limit, continue: next } = request;
    const ns = 'namespace' in params ? params.namespace : 6;
    const props: readonly string[] = params.prop;
    const { unique } = params;
    const start = readKey(next, 'text', 'number');
    const bounds = titleBounds(params, (text) => content.start(text, ns), undefined);
    const found = await targetsOf(content, { kind, ns, unique, limit, ...bounds, next: start }, request);
    return listOf(found, {
      item: ({ title, page, text = '' }) => ({
        ...(props.includes('ids') && !unique ? { fromid: page } : {}),
        ...(props.includes('title') ? { ns, title: content.show({ ns, title }) } : {}),
        ...(props.includes('fragment') && text !== '' ? { fragment: text } : {}),
      }),
      page: ({ title, page }) => (unique ? { title: content.show({ ns, title }) } : { pageid: page }),
    });
  };

export const alllinks: (content: Targets) => Handler<'alllinks'> = allOf('link');
export const alltransclusions: (content: Targets) => Handler<'alltransclusions'> = allOf('template');
export const allfileusages: (content: Targets) => Handler<'allfileusages'> = allOf('file');
export const allredirects: (content: Targets) => Handler<'allredirects'> = allOf('redirect');
