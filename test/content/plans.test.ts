import type { ContentSource } from 'oauth-query/content';
import { expect, test, vi } from 'vitest';
import { ContentDatabase } from '../../src/content/sqlite/database.js';
import { sqliteSource } from '../../src/content/sqlite/source.js';
import { Sql } from '../../src/content/sqlite/sql.js';

test('pages are found by their titles in the index, however many there are in their namespace', () => {
  const database = new ContentDatabase(':memory:');
  const all = vi.spyOn(database, 'all');
  const source: ContentSource = sqliteSource(database);
  void source.pages?.(
    { titles: [{ ns: 0, title: 'Boat' }], ids: [1], revids: [1] },
    { signal: new AbortController().signal },
  );
  const { text = '', values = [] } = all.mock.calls[0]?.[0] ?? {};
  const plan = database.all<{ detail: string }>(new Sql(`EXPLAIN QUERY PLAN ${text}`, values));
  expect(plan.map(({ detail }) => detail).filter((detail) => detail.includes('page_by_title'))).toEqual([
    'SEARCH page USING COVERING INDEX page_by_title (ns=? AND title=?)',
  ]);
  database.close();
});
