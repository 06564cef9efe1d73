import { createHash } from 'node:crypto';
import { foldText } from '../../core/query/index.js';
import { memberType, shuffleOf, sortkeyOf, titleId } from '../keys.js';
import type { ContentFile, ContentLink, ContentPage, ContentTitle } from '../source.js';
import type { ContentDatabase } from './database.js';
import { sql } from './sql.js';

/** A page and its id. */
interface PageId extends ContentTitle {
  readonly id: number;
}

/** A revision to be stored. */
export interface NewRevision {
  readonly id: number;
  readonly parent: number;
  readonly timestamp: string;
  /** `undefined` if hidden. */
  readonly user: string | undefined;
  /** 0 for an IP address. */
  readonly userId: number;
  readonly minor: boolean;
  readonly comment: string | undefined;
  readonly model: string;
  readonly format: string;
  /** `undefined` if hidden. */
  readonly text: string | undefined;
}

interface Searched {
  readonly title: string;
  readonly text: string;
  readonly place: string;
}

type StoredFile = Omit<ContentFile, 'user' | 'sha1' | 'width' | 'height'> & {
  readonly user: string | undefined;
  readonly sha1: string | undefined;
};

/** The SHA-1 hash of a text, in hexadecimal; that of a hidden text is that of an empty one. */
export const sha1Of = (text = ''): string => createHash('sha1').update(text).digest('hex');

/** Adds a page, and returns its id: another one if its own is taken. */
export const addPage = (database: ContentDatabase, { id, ns, title }: PageId): number => {
  const isTaken = id <= 0 || database.first(sql`SELECT 1 FROM page WHERE id = ${id}`) !== undefined;
  return database.run(sql`
    INSERT INTO page (id, ns, title, random)
    VALUES (${isTaken ? null : id}, ${ns}, ${title}, ${shuffleOf(titleId({ ns, title }))})`);
};

/** Adds a revision of a page, and returns its id: another one if its own is taken. */
export const addRevision = (
  database: ContentDatabase,
  page: Omit<PageId, 'title'>,
  { id, parent, timestamp, user, userId, minor, comment, model, format, text }: NewRevision,
): number => {
  const isTaken = id <= 0 || database.first(sql`SELECT 1 FROM revision WHERE id = ${id}`) !== undefined;
  const added = database.run(sql`
    INSERT INTO revision (id, page, ns, parent, timestamp, user, user_id, minor, comment, size, sha1, model, format, text)
    VALUES (${isTaken ? null : id}, ${page.id}, ${page.ns}, ${parent}, ${timestamp}, ${user ?? null}, ${userId}, ${Number(minor)},
      ${comment ?? null}, ${Buffer.byteLength(text ?? '')}, ${sha1Of(text)}, ${model}, ${format}, ${text ?? null})`);
  if (user === undefined) return added;
  database.run(sql`INSERT INTO user (name, id) VALUES (${user}, ${userId})
    ON CONFLICT (name) DO UPDATE SET id = excluded.id WHERE id = 0 AND excluded.id > 0`);
  return added;
};

/** Removes the links of an earlier text of a page, and the text from the search index. */
export const forgetFacts = (database: ContentDatabase, id: number): void => {
  database.run(sql`DELETE FROM link WHERE page = ${id}`);
  database.run(sql`DELETE FROM category_member WHERE page = ${id}`);
  const { title, text, place } = searched(database, id);
  database.run(sql`
    INSERT INTO page_text (page_text, rowid, title, text, place)
    VALUES ('delete', ${id}, ${foldText(title).folded}, ${foldText(text).folded}, ${place})`);
};

/** Stores what follows from the latest revision of a page, for lists and searches. */
export const storeFacts = (
  database: ContentDatabase,
  page: PageId,
  latest: { readonly id: number; readonly timestamp: string; readonly size: number; readonly model: string },
  { links, redirect }: { readonly links: readonly ContentLink[]; readonly redirect?: ContentPage['redirect'] },
): void => {
  const { id, ns } = page;
  const { timestamp } = latest;
  database.run(sql`
    UPDATE page SET latest = ${latest.id}, length = ${latest.size}, touched = ${timestamp}, model = ${latest.model},
      redirect_to = ${redirect?.to ?? null}, redirect_fragment = ${redirect?.fragment ?? ''},
      languages = ${Number(links.some(({ kind }) => kind === 'language'))}
    WHERE id = ${id}`);
  for (const { kind, ns: target, title, text = '' } of links) {
    database.run(
      sql`INSERT INTO link (page, kind, ns, title, text, from_ns, from_redirect)
        VALUES (${id}, ${kind}, ${target}, ${title}, ${text}, ${ns}, ${Number(redirect !== undefined)})`,
    );
    if (kind !== 'category') continue;
    database.run(sql`INSERT INTO category_member (page, member_ns, category, type, sortkey, prefix, timestamp)
      VALUES (${id}, ${ns}, ${title}, ${memberType(ns)}, ${sortkeyOf(text, page.title)}, ${text}, ${timestamp})`);
  }
  const { title, text, place } = searched(database, id);
  const { folded, words } = foldText(text);
  database.run(sql`UPDATE page SET words = ${words} WHERE id = ${id}`);
  database.run(sql`
    INSERT INTO page_text (rowid, title, text, place) VALUES (${id}, ${foldText(title).folded}, ${folded}, ${place})`);
};

/** The columns of a page in the search index, before they are folded. */
const searched = (database: ContentDatabase, id: number): Searched =>
  database.first<Searched>(sql`SELECT title, coalesce(text, '') AS text, place FROM page_search WHERE id = ${id}`) ?? {
    title: '',
    text: '',
    place: '',
  };

/** Stores a file, unless a later version of it is known. */
export const storeFile = (database: ContentDatabase, { user, sha1, timestamp = '', ...file }: StoredFile): void => {
  database.run(sql`
    INSERT INTO file (title, url, size, mime, timestamp, user, sha1)
    VALUES (${file.title}, ${file.url}, ${file.size}, ${file.mime}, ${timestamp}, ${user ?? null}, ${sha1 ?? null})
    ON CONFLICT (title) DO UPDATE SET url = excluded.url, size = excluded.size, mime = excluded.mime,
      timestamp = excluded.timestamp, user = excluded.user, sha1 = excluded.sha1
      WHERE excluded.timestamp >= timestamp`);
};
