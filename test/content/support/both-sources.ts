import { type ContentSource, memoryContent, type MemoryPage } from 'oauth-query/content';
import { ContentDatabase } from '../../../src/content/sqlite/database.js';
import { sqliteSource } from '../../../src/content/sqlite/source.js';
import { fillDatabase } from './fill-database.js';

/** The same pages in a database, as an import writes them, and in memory. */
export const bothSources = (pages: readonly MemoryPage[]): Readonly<Record<string, () => ContentSource>> => ({
  'an export': () => {
    const database = new ContentDatabase(':memory:');
    fillDatabase(database, pages);
    return sqliteSource(database);
  },
  memory: () => memoryContent(pages),
});
