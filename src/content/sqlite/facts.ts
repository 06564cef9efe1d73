import type { ContentLink } from '../source.js';
import { memberType, sortkeyOf } from '../keys.js';
import type { ContentDatabase } from './database.js';
import { sql } from './sql.js';

/** A page as its links are stored. */
export interface IndexedPage {
  readonly id: number;
  readonly ns: number;
  readonly title: string;
  readonly timestamp: string;
}

/** Removes everything that an earlier text of a page said. */
export function forgetFacts(database: ContentDatabase, id: number): void {
  database.run(sql`DELETE FROM link WHERE page = ${id}`);
  database.run(sql`DELETE FROM category_member WHERE page = ${id}`);
  database.run(sql`
    INSERT INTO page_text (page_text, rowid, title, text) SELECT 'delete', id, title, text FROM page_search WHERE id = ${id}`);
}

/** Stores where a page leads, in the tables that lists are read from. */
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

/** Makes the latest text of a page known to searches. */
export function indexText(database: ContentDatabase, id: number): void {
  database.run(
    sql`INSERT INTO page_text (rowid, title, text) SELECT id, title, text FROM page_search WHERE id = ${id}`,
  );
}
