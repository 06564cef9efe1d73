import { ApiError, type ParamsOf, type ResultItem } from '../../core/query/index.js';
import { Html } from '../../core/query/toolkit.js';
import type { Content } from '../content.js';
import type { ContentRevision } from '../source.js';
import { partsOf } from './answer.js';

type Params = Pick<ParamsOf<'revisions'>, 'prop' | 'slots' | 'section'>;

/** The user of a row, as `prop` names the parts: IP addresses and the importer have no id. */
export const userItem = (
  { user, userid = 0 }: Pick<ContentRevision, 'user' | 'userid'>,
  props: readonly string[],
  isImporter = false,
): ResultItem => {
  if (!props.includes('user') && !props.includes('userid')) return {};
  if (user === undefined) return { userhidden: true };
  const anon = userid === 0 && !isImporter && { anon: true };
  return Object.assign(partsOf(props, { user: { user }, userid: { userid } }), anon);
};

/** A comment, as text and as HTML. */
export const commentParts = (comment: string | undefined, props: readonly string[]) => {
  if (comment === undefined) return { comment: { commenthidden: true }, parsedcomment: { commenthidden: true } };
  const isParsed = props.includes('parsedcomment');
  return { comment: { comment }, parsedcomment: isParsed && { parsedcomment: Html.content(comment).source } };
};

/** A revision as an item. Pages have one slot, main. */
export const revisionItem = (
  row: ContentRevision,
  { params }: { readonly params: Params },
  content: Content,
): ResultItem => {
  const { prop: props } = params;
  return Object.assign(
    partsOf(props, {
      ids: { revid: row.id, parentid: row.parent ?? 0 },
      flags: { minor: row.minor === true },
    }),
    userItem(row, props),
    partsOf(props, {
      timestamp: { timestamp: row.timestamp },
      size: { size: row.size },
      sha1: { sha1: row.sha1 ?? '' },
      roles: { roles: ['main'] },
    }),
    slotItem(row, params, content),
    partsOf(props, commentParts(row.comment, props)),
    partsOf(props, { tags: { tags: [] } }),
  );
};

const slotItem = (row: ContentRevision, params: Params, content: Content): ResultItem => {
  const model = { contentmodel: row.model ?? 'wikitext' };
  const slot = Object.assign(
    partsOf(params.prop, {
      slotsize: { size: row.size },
      slotsha1: { sha1: row.sha1 ?? '' },
      contentmodel: model,
    }),
    params.prop.includes('content') && {
      contentmodel: model.contentmodel,
      contentformat: row.format ?? 'text/x-wiki',
      ...contentItem(row, params, content),
    },
  );
  if (params.slots === undefined) return slot;
  return params.slots.includes('main') && Object.keys(slot).length > 0 ? { slots: { main: slot } } : {};
};

const contentItem = (row: ContentRevision, { section, slots }: Params, content: Content): ResultItem => {
  const { text } = row;
  if (text === undefined) return { texthidden: true };
  if (section === undefined) return { content: text };
  const found = /^\d+$/.test(section) ? content.markupOf(row).section(text, Number(section)) : undefined;
  if (found !== undefined) return { content: found };
  if (slots !== undefined) return { nosuchsection: true };
  throw new ApiError('nosuchsection', `There is no section ${section}.`);
};
