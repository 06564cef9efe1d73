import { memoryContent } from 'oauth-query/content';
import { contentContract } from 'oauth-query/testing';
import { describe, test } from 'vitest';
import { ContentDatabase } from '../../src/content/sqlite/database.js';
import { sqliteSource } from '../../src/content/sqlite/source.js';
import { fillDatabase } from './support/fill-database.js';

const EVERY = [
  ...(['pages', 'pageRange', 'shuffled', 'revisions', 'history', 'links', 'backlinks'] as const),
  ...(['targets', 'members', 'sizes', 'search', 'users', 'userRange'] as const),
];

describe('content in memory fulfils the contract', () => {
  for (const { name, run } of contentContract((pages) => ({ source: memoryContent(pages) }), EVERY)) test(name, run);
});

describe('content in SQLite fulfils the contract', () => {
  const cases = contentContract((pages) => {
    const database = new ContentDatabase(':memory:');
    fillDatabase(database, pages);
    return { source: sqliteSource(database), close: () => database.close() };
  }, EVERY);
  for (const { name, run } of cases) test(name, run);
});
