import type { ContentSource } from 'oauth-query/content';
import { afterAll, expect, test, vi } from 'vitest';
import { ContentDatabase } from '../../src/content/sqlite/database.js';
import { sqliteSource } from '../../src/content/sqlite/source.js';
import { Sql } from '../../src/content/sqlite/sql.js';
import { fillDatabase } from './support/fill-database.js';

const database = new ContentDatabase(':memory:');
const source: Required<Pick<ContentSource, 'pages' | 'members' | 'userRange'>> = sqliteSource(database);
const call = { signal: new AbortController().signal };
afterAll(() => database.close());

/** How SQLite finds the rows of the first query. */
const planOf = (run: () => unknown): readonly string[] => {
  const all = vi.spyOn(database, 'all');
  run();
  const { text = '', values = [] } = all.mock.calls[0]?.[0] ?? {};
  all.mockRestore();
  const plan = database.all<{ detail: string }>(new Sql(`EXPLAIN QUERY PLAN ${text}`, values));
  return plan.map(({ detail }) => detail);
};

test('pages are found by their titles in the index, however many there are in their namespace', () => {
  const plan = planOf(() => source.pages({ titles: [{ ns: 0, title: 'Boat' }], ids: [1], revids: [1] }, call));
  expect(plan.filter((detail) => detail.includes('page_by_title'))).toEqual([
    'SEARCH page USING COVERING INDEX page_by_title (ns=? AND title=?)',
  ]);
});

test('members of a category are read in the order of an index, however many have the same key', () => {
  const range = { category: 'All', descending: false, limit: 1 };
  for (const query of [
    { ...range, by: 'time', from: ['', 0] },
    { ...range, by: 'sortkey', from: [0, '', 0] },
  ] as const) {
    const plan = planOf(() => source.members(query, call));
    expect(plan[0]).toMatch(/^SEARCH category_member USING .*page\)>/);
    expect(plan.join()).not.toContain('ORDER BY');
  }
});

test('as many users are read as are asked for, also if none of them has recent edits', () => {
  fillDatabase(database, [
    { id: 1, title: 'Boat', text: '', history: [{ id: 1, text: '', user: 'Alice', userid: 1 }] },
  ]);
  const since = '2999-01-01T00:00:00Z';
  expect(source.userRange({ since, descending: false, limit: 1 }, call)).toMatchObject([{ name: 'Alice', recent: 0 }]);
});
