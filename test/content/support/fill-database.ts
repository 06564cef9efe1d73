import type { MemoryPage } from 'oauth-query/content';
import type { ContentDatabase } from '../../../src/content/sqlite/database.js';
import { indexText, storeFacts } from '../../../src/content/sqlite/facts.js';
import { sql } from '../../../src/content/sqlite/sql.js';

/** Writes pages as they are given, with their own ids. */
export function fillDatabase(database: ContentDatabase, pages: readonly MemoryPage[]): void {
  database.transaction(() => {
    for (const { id = 0, ns = 0, title, redirect, links = [], history = [] } of pages) {
      const latest = history.at(-1);
      database.run(sql`
        INSERT INTO page (id, ns, title, latest, touched, random, redirect_to, redirect_fragment)
        VALUES (${id}, ${ns}, ${title}, ${latest?.id ?? 0}, ${latest?.timestamp ?? ''}, ${(id * 7919) % 1000},
          ${redirect?.to ?? null}, ${redirect?.fragment ?? ''})`);
      for (const {
        id: revid = 0,
        parent = 0,
        timestamp = '',
        user = '',
        userid = 0,
        comment = '',
        minor,
        text,
      } of history) {
        database.run(sql`
          INSERT INTO revision (id, page, ns, parent, timestamp, user, user_id, minor, comment, size, sha1, model, format, text)
          VALUES (${revid}, ${id}, ${ns}, ${parent}, ${timestamp}, ${user}, ${userid}, ${Number(minor === true)}, ${comment}, ${Buffer.byteLength(text)},
            '', 'wikitext', 'text/x-wiki', ${text})`);
        database.run(sql`INSERT OR IGNORE INTO user (name, id) VALUES (${user}, ${userid})`);
      }
      storeFacts(database, { id, ns, title, timestamp: latest?.timestamp ?? '' }, links);
      indexText(database, id);
    }
  });
}
