import { ApiError, type Item, type ParamsOf } from 'oauth-query';
import { sectionOf } from './wikitext.js';

export interface RevisionRow {
  readonly id: number;
  readonly page: number;
  readonly parent: number;
  readonly timestamp: string;
  readonly user: string | null;
  readonly user_id: number;
  readonly minor: number;
  readonly comment: string | null;
  readonly size: number;
  readonly sha1: string;
  readonly model: string;
  readonly format: string;
  readonly text: string | null;
}

type Params = Pick<ParamsOf<'revisions'>, 'prop' | 'slots' | 'section'>;
type Prop = Params['prop'][number];

/** How a user is shown: an address has no id. */
export function userItem(
  { user, user_id: userid }: Pick<RevisionRow, 'user' | 'user_id'>,
  wanted: { readonly user: boolean; readonly userid: boolean },
): Item {
  if (!wanted.user && !wanted.userid) return {};
  if (user === null) return { userhidden: true };
  return {
    ...(wanted.user ? { user } : {}),
    ...(wanted.userid ? { userid } : {}),
    ...(userid === 0 ? { anon: true } : {}),
  };
}

/** How a comment is shown, as it is and as HTML. */
export function commentItem(
  comment: string | null,
  wanted: { readonly comment: boolean; readonly parsedcomment: boolean },
): Item {
  if (!wanted.comment && !wanted.parsedcomment) return {};
  if (comment === null) return { commenthidden: true };
  const escaped = comment.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return { ...(wanted.comment ? { comment } : {}), ...(wanted.parsedcomment ? { parsedcomment: escaped } : {}) };
}

/** A revision as the modules show it that list some. A page here has one slot, called main. */
export function revisionItem(row: RevisionRow, { params }: { readonly params: Params }): Item {
  const asked = new Set<Prop>(params.prop);
  const wants = (prop: Prop): boolean => asked.has(prop);
  return {
    ...(wants('ids') ? { revid: row.id, parentid: row.parent } : {}),
    ...(wants('flags') ? { minor: row.minor === 1 } : {}),
    ...userItem(row, { user: wants('user'), userid: wants('userid') }),
    ...(wants('timestamp') ? { timestamp: row.timestamp } : {}),
    ...(wants('size') ? { size: row.size } : {}),
    ...(wants('sha1') ? { sha1: row.sha1 } : {}),
    ...(wants('roles') ? { roles: ['main'] } : {}),
    ...slotItem(row, params, wants),
    ...commentItem(row.comment, { comment: wants('comment'), parsedcomment: wants('parsedcomment') }),
    ...(wants('tags') ? { tags: [] } : {}),
  };
}

function slotItem(row: RevisionRow, params: Params, wants: (prop: Prop) => boolean): Item {
  const slot = {
    ...(wants('slotsize') ? { size: row.size } : {}),
    ...(wants('slotsha1') ? { sha1: row.sha1 } : {}),
    ...(wants('contentmodel') || wants('content') ? { contentmodel: row.model } : {}),
    ...(wants('content') ? { contentformat: row.format, ...contentItem(row, params) } : {}),
  };
  if (params.slots === undefined) return slot;
  const any = params.slots.includes('main') && Object.keys(slot).length > 0;
  return any ? { slots: { main: slot } } : {};
}

function contentItem({ text }: RevisionRow, { section, slots }: Params): Item {
  if (text === null) return { texthidden: true };
  if (section === undefined) return { content: text };
  const content = /^\d+$/.test(section) ? sectionOf(text, Number(section)) : undefined;
  if (content !== undefined) return { content };
  if (slots !== undefined) return { nosuchsection: true };
  throw new ApiError('nosuchsection', { key: 'apiwarn-handler', params: [`There is no section ${section}.`] });
}
