import { afterAll, expect, test, vi } from 'vitest';
import { ContentDatabase } from '../../src/content/sqlite/database.js';
import { sqliteSource } from '../../src/content/sqlite/source.js';
import { fillDatabase } from './support/fill-database.js';
import { searchWithoutEnd } from './support/search-time.js';

const COMMON = 6_000;

const database = new ContentDatabase(':memory:');
searchWithoutEnd();
afterAll(() => database.close());

const page = (id: number, title: string, text: string) => ({ id, title, text, history: [{ id, text }] });

const asked = { words: ['knot'], without: [], titles: false, namespaces: [0] };

test('a word in thousands of pages: not all are found, those with it in their titles first, in an order that takes no time', () => {
  const textOf = (index: number): string => (index === 9 ? 'Knot, knot, knot.' : 'A knot.');
  const pages = Array.from({ length: COMMON }, (_, index) => page(index + 1, `Page ${index}`, textOf(index)));
  fillDatabase(database, [...pages, page(COMMON + 1, 'Knot', 'A knot.')]);
  const { search } = sqliteSource(database);
  const { hits, total, isLowerBound } = search({ ...asked, offset: 0, limit: 3 });
  expect(hits[0]).toMatchObject({ page: { title: 'Knot' }, wordcount: 2 });
  expect(hits.map((hit) => hit.page.title)).toEqual(['Knot', 'Page 0', 'Page 1']);
  expect([total, isLowerBound]).toEqual([5_001, true]);
  expect(search({ ...asked, offset: COMMON - 500, limit: 3 }).hits).toEqual([]);
});

test('a search in a small namespace finds its pages behind thousands of others', () => {
  fillDatabase(database, [{ ...page(90_000, 'Far', 'A knot.'), ns: 4 }]);
  const { hits, total, isLowerBound } = sqliteSource(database).search({
    ...asked,
    namespaces: [4],
    offset: 0,
    limit: 3,
  });
  expect(hits.map((hit) => hit.page.title)).toEqual(['Far']);
  expect([total, isLowerBound]).toEqual([1, undefined]);
});

test('a prefix stands for the most frequent words of the index', () => {
  const texts = Array.from({ length: 200 }, (_, n) => `sail${n} ${n < 20 ? 'sailor' : 'mast'}`);
  const first = 100_000;
  fillDatabase(
    database,
    texts.map((text, n) => page(first + n, `Ship ${n}`, text)),
  );
  const { search } = sqliteSource(database);
  const find = (words: readonly string[]) => search({ ...asked, words, offset: 0, limit: 500 });
  expect(find(['sailo*'])).toMatchObject({ total: 20 });
  expect(find(['sailo*']).isLowerBound).toBeUndefined();
  const broad = find(['sail*']);
  expect(broad.isLowerBound).toBe(true);
  expect(broad.hits.length).toBeGreaterThan(30);
  expect(broad.hits.map(({ page: { id } }) => id)).toEqual(expect.arrayContaining([first, first + 19]));
  expect(find(['SAI*', 'mast'])).toMatchObject({ isLowerBound: true });
});

test('a step of a search reads the texts of its own pages only, also if none of them matches', () => {
  vi.restoreAllMocks(); // Here the time counts.
  const texts = new ContentDatabase(':memory:');
  const text = 'A knot. A splice. '.repeat(200);
  fillDatabase(
    texts,
    Array.from({ length: 3_000 }, (_, n) => page(n + 1, `Page ${n}`, text)),
  );
  const find = () => sqliteSource(texts).search({ ...asked, words: ['knot splice'], offset: 0, limit: 1 });
  // The budget allows reading all of them about twice. On a busy machine, a search can end early.
  let found = find();
  for (let searches = 1; found.isLowerBound && searches < 20; searches += 1) found = find();
  texts.close();
  expect(found).toEqual({ hits: [], total: 0 });
});
