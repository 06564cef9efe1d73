import { ApiError, apiError } from '../../answer/api-error.js';
import { type MutableItem, toVersion1 } from '../../answer/result-format.js';
import type { RequestContext } from '../../run/request-context.js';
import type { ReaderParts } from '../subquery.js';
import type { CompareParams } from './descriptor.js';
import { type Side, sidesOf } from './sides.js';
import { type Diff, diffTable } from './table.js';

type Prop = CompareParams['prop'][number];

/** Answers `action=compare`. */
export const compare = async (
  params: CompareParams,
  context: RequestContext,
  parts: ReaderParts,
): Promise<MutableItem> => {
  try {
    const { from, to } = await sidesOf({ ...parts, params, context });
    const wants = new Set(params.prop);
    const isFirst = context.style.version === 1;
    const facts = { ...sideItem('from', from, wants), ...sideItem('to', to, wants) };
    const item: MutableItem = { ...(isFirst ? (toVersion1(facts) as MutableItem) : facts) };
    if (wants.has('diff') || wants.has('diffsize')) {
      const diff = diffOf(parts);
      const body = diffTable(from.text, to.text, diff);
      if (wants.has('diffsize')) item['diffsize'] = Buffer.byteLength(body);
      if (wants.has('diff')) item[isFirst ? '*' : 'body'] = body;
    }
    return { compare: item };
  } catch (error) {
    throw error instanceof ApiError ? error.in('compare') : error;
  }
};

/** @throws ApiError `nodiff`; `onError` receives the remedy. */
const diffOf = ({ diff, service }: ReaderParts): Diff => {
  if (diff) return diff;
  service.host.onError(
    new Error(
      "query: action=compare: texts cannot be compared. Run npm install diff, import { diffArrays } from 'diff', and set options.diff to diffArrays.",
    ),
  );
  throw apiError('nodiff');
};

/** The facts of one side, each with `from` or `to` in front of its name. */
const sideItem = (name: 'from' | 'to', { page, revision = {}, text }: Side, wants: ReadonlySet<Prop>): MutableItem => {
  const { revid, size, user, userid, userhidden, comment, parsedcomment, commenthidden, timestamp } = revision;
  const facts: MutableItem = {
    ...(wants.has('ids') ? { id: page?.pageid, revid } : {}),
    ...(wants.has('title') ? { ns: page?.ns, title: page?.title } : {}),
    ...(wants.has('size') ? { size: size ?? Buffer.byteLength(text) } : {}),
    ...(wants.has('timestamp') ? { timestamp } : {}),
    ...(wants.has('user') ? { user, userid, userhidden } : {}),
    ...(wants.has('comment') ? { comment, commenthidden } : {}),
    ...(wants.has('parsedcomment') ? { parsedcomment, commenthidden } : {}),
  };
  const known = Object.entries(facts).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known.map(([key, value]) => [name + key, value]));
};
