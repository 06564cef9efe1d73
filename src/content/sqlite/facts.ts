import { memberType, sortkeyOf } from '../keys.js';
import type { ContentFile, ContentLink } from '../source.js';
import type { ContentDatabase } from './database.js';
import { sql } from './sql.js';

/** A page whose links are stored. */
export interface IndexedPage {
  readonly id: number;
  readonly ns: number;
  readonly title: string;
  readonly timestamp: string;
}

type StoredFile = Omit<ContentFile, 'user' | 'sha1' | 'width' | 'height'> & {
  readonly user: string | undefined;
  readonly sha1: string | undefined;
};

/** Removes the links of an earlier text of a page. */
export function forgetFacts(database: ContentDatabase, id: number): void {
  database.run(sql`DELETE FROM link WHERE page = ${id}`);
  database.run(sql`DELETE FROM category_member WHERE page = ${id}`);
  database.run(sql`
    INSERT INTO page_text (page_text, rowid, title, text, place)
    SELECT 'delete', id, title, text, place FROM page_search WHERE id = ${id}`);
}

/** Stores the links of a page, in the tables that lists read. */
export function storeFacts(database: ContentDatabase, page: IndexedPage, links: readonly ContentLink[]): void {
  const { id, ns, timestamp } = page;
  for (const { kind, ns: target, title, text = '' } of links) {
    database.run(
      sql`INSERT INTO link (page, kind, ns, title, text) VALUES (${id}, ${kind}, ${target}, ${title}, ${text})`,
    );
    if (kind !== 'category') continue;
    database.run(sql`INSERT INTO category_member (page, category, type, sortkey, prefix, timestamp)
      VALUES (${id}, ${title}, ${memberType(ns)}, ${sortkeyOf(text, page.title)}, ${text}, ${timestamp})`);
  }
}

/** Adds the latest text of a page to the search index. */
export function indexText(database: ContentDatabase, id: number): void {
  database.run(
    sql`INSERT INTO page_text (rowid, title, text, place) SELECT id, title, text, place FROM page_search WHERE id = ${id}`,
  );
}

/** Stores a file, unless a later version of it is known. */
export function storeFile(database: ContentDatabase, { user, sha1, timestamp = '', ...file }: StoredFile): void {
  database.run(sql`
    INSERT INTO file (title, url, size, mime, timestamp, user, sha1)
    VALUES (${file.title}, ${file.url}, ${file.size}, ${file.mime}, ${timestamp}, ${user ?? null}, ${sha1 ?? null})
    ON CONFLICT (title) DO UPDATE SET url = excluded.url, size = excluded.size, mime = excluded.mime,
      timestamp = excluded.timestamp, user = excluded.user, sha1 = excluded.sha1
      WHERE excluded.timestamp >= timestamp`);
}
