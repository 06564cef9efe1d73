import { afterAll, expect, test } from 'vitest';
import { ContentDatabase } from '../../src/content/sqlite/database.js';
import { sqliteSource } from '../../src/content/sqlite/source.js';
import { fillDatabase } from './support/fill-database.js';

const COMMON = 6_000;

const database = new ContentDatabase(':memory:');
afterAll(() => database.close());

const page = (id: number, title: string, text: string) => ({ id, title, text, history: [{ id, text }] });

test('a word in thousands of pages: not all are ranked, but pages with the word in their titles always are', () => {
  const pages = Array.from({ length: COMMON }, (_, index) => page(index + 1, `Page ${index}`, 'A knot.'));
  fillDatabase(database, [...pages, page(COMMON + 1, 'Knot', 'A knot.')]);
  const { search } = sqliteSource(database);
  const asked = { words: ['knot'], without: [], titles: false, namespaces: [0] };
  const { hits, total } = search({ ...asked, offset: 0, limit: 3 });
  expect(hits[0]).toMatchObject({ page: { title: 'Knot' }, titlesnippet: '\u0001Knot\u0002' });
  expect(hits).toHaveLength(3);
  expect(total).toBeUndefined();
  expect(search({ ...asked, offset: COMMON - 500, limit: 3 }).hits).toEqual([]);
});
