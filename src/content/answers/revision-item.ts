import { ApiError, Html, type ParamsOf, type ResultItem } from '../../core/query/index.js';
import type { Asking, Content } from '../content.js';
import type { ContentPage, ContentRevision } from '../source.js';

/** A revision with its page. */
export interface OfPage extends ContentRevision {
  /** Absent only before it is looked up. */
  readonly of?: ContentPage;
}

/** Adds the page to each row, and omits rows of pages that the caller may not see. */
export const withPages =
  <Row extends { readonly page: number }>(content: Content, asking: Asking) =>
  async (rows: readonly Row[]): Promise<readonly (Row & { readonly of: ContentPage })[]> => {
    const pages = await content.byId(
      rows.map(({ page }) => page),
      asking,
    );
    return rows.flatMap((row) => {
      const of = pages.get(row.page);
      return of ? [{ ...row, of }] : [];
    });
  };

type Params = Pick<ParamsOf<'revisions'>, 'prop' | 'slots' | 'section'>;
type Prop = Params['prop'][number];

/** A user as an item: IP addresses and the importer have no id. */
export function userItem(
  { user, userid = 0 }: Pick<ContentRevision, 'user' | 'userid'>,
  wanted: { readonly user: boolean; readonly userid: boolean },
  isImporter = false,
): ResultItem {
  if (!wanted.user && !wanted.userid) return {};
  if (user === undefined) return { userhidden: true };
  return {
    ...(wanted.user ? { user } : {}),
    ...(wanted.userid ? { userid } : {}),
    ...(userid === 0 && !isImporter ? { anon: true } : {}),
  };
}

/** A comment as an item, as text and as HTML. */
export function commentItem(
  comment: string | undefined,
  wanted: { readonly comment: boolean; readonly parsedcomment: boolean },
): ResultItem {
  if (!wanted.comment && !wanted.parsedcomment) return {};
  if (comment === undefined) return { commenthidden: true };
  return {
    ...(wanted.comment ? { comment } : {}),
    ...(wanted.parsedcomment ? { parsedcomment: Html.content(comment).source } : {}),
  };
}

/** A revision as an item. Pages have one slot, main. */
export function revisionItem(
  row: ContentRevision,
  { params }: { readonly params: Params },
  content: Content,
): ResultItem {
  const asked = new Set<Prop>(params.prop);
  const wants = (prop: Prop): boolean => asked.has(prop);
  return {
    ...(wants('ids') ? { revid: row.id, parentid: row.parent ?? 0 } : {}),
    ...(wants('flags') ? { minor: row.minor === true } : {}),
    ...userItem(row, { user: wants('user'), userid: wants('userid') }),
    ...(wants('timestamp') ? { timestamp: row.timestamp } : {}),
    ...(wants('size') ? { size: row.size } : {}),
    ...(wants('sha1') ? { sha1: row.sha1 ?? '' } : {}),
    ...(wants('roles') ? { roles: ['main'] } : {}),
    ...slotItem(row, params, wants, content),
    ...commentItem(row.comment, { comment: wants('comment'), parsedcomment: wants('parsedcomment') }),
    ...(wants('tags') ? { tags: [] } : {}),
  };
}

function slotItem(row: ContentRevision, params: Params, wants: (prop: Prop) => boolean, content: Content): ResultItem {
  const slot = {
    ...(wants('slotsize') ? { size: row.size } : {}),
    ...(wants('slotsha1') ? { sha1: row.sha1 ?? '' } : {}),
    ...(wants('contentmodel') || wants('content') ? { contentmodel: row.model ?? 'wikitext' } : {}),
    ...(wants('content') ? { contentformat: row.format ?? 'text/x-wiki', ...contentItem(row, params, content) } : {}),
  };
  if (params.slots === undefined) return slot;
  const any = params.slots.includes('main') && Object.keys(slot).length > 0;
  return any ? { slots: { main: slot } } : {};
}

function contentItem(row: ContentRevision, { section, slots }: Params, content: Content): ResultItem {
  const { text } = row;
  if (text === undefined) return { texthidden: true };
  if (section === undefined) return { content: text };
  const found = /^\d+$/.test(section) ? content.markupOf(row).section(text, Number(section)) : undefined;
  if (found !== undefined) return { content: found };
  if (slots !== undefined) return { nosuchsection: true };
  throw new ApiError('nosuchsection', `There is no section ${section}.`);
}
