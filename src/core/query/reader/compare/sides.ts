import { ApiError, apiError, invalidTitle } from '../../answer/api-error.js';
import { message, nameList } from '../../answer/messages.js';
import type { QueryService } from '../../run/query-run.js';
import type { RequestContext } from '../../run/request-context.js';
import { parseTitle } from '../../site/title.js';
import type { ReaderParts, Subquery, SubqueryPage } from '../subquery.js';
import type { CompareParams } from './descriptor.js';
import { linesOf } from './table.js';

/** One request of `action=compare`. */
interface Comparison extends ReaderParts {
  readonly params: CompareParams;
  readonly context: RequestContext;
}

/** A revision of `prop=revisions`. */
interface Revision {
  readonly revid?: number;
  readonly size?: number;
  readonly user?: string;
  readonly userid?: number;
  readonly userhidden?: true;
  readonly comment?: string;
  readonly parsedcomment?: string;
  readonly commenthidden?: true;
  readonly timestamp?: string;
  readonly slots?: { readonly main?: { readonly content?: string } };
}

/** One of the two texts, with its page and its revision if it has them. */
export interface Side {
  readonly page: { readonly pageid?: number; readonly ns: number; readonly title: string } | undefined;
  readonly revision: Revision | undefined;
  readonly text: string;
}

/** The longest text, in characters and in lines. */
const MAX_LENGTH = 256 * 1024;
const MAX_LINES = 10_000;

type SideName = 'from' | 'to';

/** Both sides. With `torelative`, the older one is `from`. */
export const sidesOf = async (comparison: Comparison): Promise<Readonly<Record<SideName, Side>>> => {
  const { params } = comparison;
  checkSources(params);
  const from = await sideOf('from', comparison);
  if (params.torelative === undefined) return { from, to: await sideOf('to', comparison) };
  return relativeTo(from, params.torelative, comparison);
};

/** The parameters that name a page, of which each side has at most one, and those with a text. */
const SOURCES = [
  { pages: ['fromtitle', 'fromid', 'fromrev'], texts: ['fromslots', 'fromtext'] },
  { pages: ['totitle', 'toid', 'torev', 'torelative'], texts: ['toslots', 'totext'] },
] as const satisfies readonly Readonly<Record<string, readonly (keyof CompareParams)[]>>[];

/** @throws ApiError unless each side has one source. */
const checkSources = (params: CompareParams): void => {
  for (const { pages, texts } of SOURCES) {
    const given = pages.filter((name) => params[name] !== undefined);
    if (given.length > 1) throw apiError('invalidparammix', nameList(given), given.length);
    if (given.length > 0 || texts.some((name) => params[name] !== undefined)) continue;
    const names = [...pages, ...texts];
    throw new ApiError('missingparam', message('apierror-missingparam-at-least-one-of', nameList(names), names.length));
  }
};

const sideOf = async (name: SideName, comparison: Comparison): Promise<Side> => {
  const { params, service } = comparison;
  const [title, pageid, revid] = [params[`${name}title`], params[`${name}id`], params[`${name}rev`]];
  const text = params[`${name}slots`] === undefined ? params[`${name}text`] : textOf(name, params);
  if (text !== undefined) checkLength(text);
  if (pageid === undefined && revid === undefined && (title === undefined || text !== undefined)) {
    return { page: title === undefined ? undefined : pageOf(title, service), revision: undefined, text: text ?? '' };
  }
  const found = await read(
    revid !== undefined
      ? { revids: [revid] }
      : pageid !== undefined
        ? { pageids: [pageid] }
        : { titles: [title ?? ''] },
    { values: {}, wantsContent: text === undefined },
    comparison,
  );
  if (!found.page) throw missing({ title, pageid, revid }, found.isInvalid);
  const [revision] = found.revisions;
  return { page: found.page, revision, text: text ?? contentOf(revision, found.page) };
};

/** @throws ApiError if the request has slots, but no text for them. */
const textOf = (name: SideName, params: CompareParams): string => {
  // The name of a templated parameter is only known in the request.
  const text = (params as Readonly<Record<string, unknown>>)[`${name}text-main`];
  if (typeof text === 'string') return text;
  throw new ApiError('missingparam', message('paramvalidator-missingparam', { plaintext: `${name}text-main` }));
};

const checkLength = (text: string): void => {
  if (text.length <= MAX_LENGTH && linesOf(text).length <= MAX_LINES) return;
  const bounds = [{ num: MAX_LENGTH }, { num: MAX_LINES }] as const;
  throw apiError('comparetoolarge', ...bounds);
};

/** @throws ApiError for a title that no page can have. */
const pageOf = (title: string, { site }: QueryService): NonNullable<Side['page']> => {
  const parsed = parseTitle(title, site);
  if (parsed.kind !== 'local') throw missing({ title }, true);
  return { ns: parsed.ns, title: parsed.prefixed };
};

interface FoundText {
  readonly page: Required<NonNullable<Side['page']>> | undefined;
  readonly isInvalid: boolean;
  readonly revisions: readonly Revision[];
}

const read = async (
  source: Subquery,
  { values, wantsContent }: { readonly values: Readonly<Record<string, string>>; readonly wantsContent: boolean },
  { runSubquery, context }: Comparison,
): Promise<FoundText> => {
  const rvprop = `ids|timestamp|user|userid|comment|parsedcomment|size${wantsContent ? '|content' : ''}`;
  const { query } = await runSubquery(
    { ...source, prop: ['revisions'], values: { rvslots: 'main', rvprop, ...values } },
    context,
  );
  const found: SubqueryPage | undefined = query.pages?.[0];
  const revisions = found?.['revisions'];
  const { pageid, ns, title } = found ?? {};
  const exists = pageid !== undefined && ns !== undefined && title !== undefined && found?.missing !== true;
  return {
    page: exists ? { pageid, ns, title } : undefined,
    isInvalid: found?.invalid === true,
    revisions: Array.isArray(revisions) ? (revisions as readonly Revision[]) : [],
  };
};

/** The page or revision of a side, as the request names it. */
interface Named {
  readonly title?: string | undefined;
  readonly pageid?: number | undefined;
  readonly revid?: number | undefined;
}

const missing = ({ title, pageid, revid }: Named, isInvalid: boolean): ApiError => {
  if (revid !== undefined) return apiError('nosuchrevid', revid);
  if (pageid !== undefined) return apiError('nosuchpageid', pageid);
  return isInvalid ? invalidTitle(title ?? '') : apiError('missingtitle');
};

/** @throws ApiError for a text that is hidden, not stored, or too long. */
const contentOf = (revision: Revision | undefined, { pageid }: { readonly pageid: number }): string => {
  const { content } = revision?.slots?.main ?? {};
  if (content === undefined) {
    throw revision?.revid === undefined
      ? apiError('missingcontent-pageid', pageid)
      : apiError('missingcontent-revid', revision.revid);
  }
  checkLength(content);
  return content;
};

const relativeTo = async (
  base: Side,
  relative: NonNullable<CompareParams['torelative']>,
  comparison: Comparison,
): Promise<Readonly<Record<SideName, Side>>> => {
  const { page, revision } = base;
  if (page?.pageid === undefined || revision?.revid === undefined) {
    throw apiError('compare-relative-to-nothing');
  }
  const range = { rvstartid: String(revision.revid), rvlimit: '2', rvdir: relative === 'next' ? 'newer' : 'older' };
  const values = relative === 'cur' ? {} : range;
  const found = await read({ pageids: [page.pageid] }, { values, wantsContent: true }, comparison);
  const other = relative === 'cur' ? found.revisions[0] : found.revisions.find(({ revid }) => revid !== revision.revid);
  if (!other || !found.page) {
    const names = [{ plaintext: page.title }, revision.revid] as const;
    comparison.context.warnings.add(
      'compare',
      `compare-no-${relative}`,
      message(relative === 'next' ? 'apiwarn-compare-no-next' : 'apiwarn-compare-no-prev', ...names),
    );
    return relative === 'prev'
      ? { from: { page: undefined, revision: undefined, text: '' }, to: base }
      : { from: base, to: base };
  }
  const side: Side = { page: found.page, revision: other, text: contentOf(other, found.page) };
  return relative === 'prev' ? { from: side, to: base } : { from: base, to: side };
};
