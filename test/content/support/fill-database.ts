import type { MemoryPage } from 'oauth-query/content';
import type { ContentDatabase } from '../../../src/content/sqlite/database.js';
import { addPage, addRevision, storeFacts, storeFile } from '../../../src/content/sqlite/write-pages.js';

/** Writes pages as they are given, with their own ids. */
export const fillDatabase = (database: ContentDatabase, pages: readonly MemoryPage[]): void =>
  database.transaction(() => {
    for (const { id = 0, ns = 0, title, redirect, links = [], history = [], file } of pages) {
      const page = { id, ns, title };
      const latest = { id: 0, timestamp: '', size: 0, model: 'wikitext' };
      addPage(database, page);
      for (const { id: revid = 0, userid: userId = 0, timestamp = '', user = '', comment = '', ...given } of history) {
        const facts = { parent: 0, minor: false, model: 'wikitext', format: 'text/x-wiki' };
        addRevision(database, page, { ...facts, ...given, id: revid, userId, timestamp, user, comment });
        Object.assign(latest, { id: revid, timestamp, size: Buffer.byteLength(given.text ?? '') });
      }
      if (file) storeFile(database, { user: undefined, sha1: undefined, ...file, title });
      storeFacts(database, page, latest, { links, redirect });
    }
  });
