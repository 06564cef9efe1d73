import type { ContentSource } from 'oauth-query/content';
import { afterAll, expect, test, vi } from 'vitest';
import { ContentDatabase } from '../../src/content/sqlite/database.js';
import { sqliteSource } from '../../src/content/sqlite/source.js';
import { Sql } from '../../src/content/sqlite/sql.js';
import { fillDatabase } from './support/fill-database.js';

const database = new ContentDatabase(':memory:');
const source: Required<
  Pick<ContentSource, 'pages' | 'pageRange' | 'shuffled' | 'targets' | 'members' | 'history' | 'userRange'>
> = sqliteSource(database);
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

test('rows that do not pass a filter are skipped in an index, without reading the row', () => {
  const range = { descending: false, limit: 1 };
  const hub = { kind: 'link', ns: 0, unique: false, from: ['Hub', 0], namespaces: [4], ...range } as const;
  const plans = [
    planOf(() => source.pageRange({ ns: 0, size: [1, 2], ...range }, call)),
    planOf(() => source.pageRange({ ns: 0, redirects: false, ...range }, call)),
    planOf(() => source.shuffled({ namespaces: [4], size: [1, 2], ...range }, call)),
    planOf(() => source.targets(hub, call)),
    planOf(() => source.members({ category: 'All', by: 'time', namespaces: [4], ...range }, call)),
    planOf(() => source.userRange({ accounts: true, ...range }, call)),
    planOf(() => source.history({ excludeUser: 'Alice', minor: false, text: false, ...range }, call)),
  ].map((plan) => plan[0]);
  expect(plans).toEqual([
    expect.stringContaining('page USING INDEX page_by_filters (ns=?)'),
    expect.stringContaining('page USING INDEX page_by_filters (ns=?)'),
    'SCAN page USING INDEX page_by_random',
    expect.stringContaining('link USING COVERING INDEX link_by_target (kind=? AND ns=?'),
    expect.stringContaining('category_member USING COVERING INDEX category_member_by_time (category=?)'),
    expect.stringContaining('user USING COVERING INDEX user_with_account'),
    'SCAN revision USING INDEX revision_by_time',
  ]);
});

test('users without recent edits are left out in the database', () => {
  fillDatabase(database, [
    { id: 1, title: 'Boat', text: '', history: [{ id: 1, text: '', user: 'Alice', userid: 1 }] },
  ]);
  const read = (since: string) => source.userRange({ since, descending: false, limit: 1 }, call);
  expect(read('2999-01-01T00:00:00Z')).toEqual([]);
  expect(read('')).toMatchObject([{ name: 'Alice', recent: 1 }]);
});
