import { type ContentSource, contentQuery, memoryContent } from 'oauth-query/content';
import { expect, test } from 'vitest';
import { startQuery } from './support/same-pages.js';
import { walk } from './support/walk.js';

/** The last row that one answer looks at is one that is wanted. */
test('a response that reaches the read limit has each page once, and the next one continues', async () => {
  const wanted = (index: number): boolean => index % 50 === 49;
  const pages = Array.from({ length: 12_000 }, (_, index) => ({
    title: `Page ${String(index).padStart(5, '0')}`,
    text: wanted(index) ? 'long enough' : '',
  }));
  const memory = memoryContent(pages);
  const source: ContentSource = {
    ...memory,
    pageRange: (range, call) => memory.pageRange?.({ ...range, size: undefined }, call) ?? [],
  };
  const host = await startQuery(contentQuery(source));
  const params = { list: 'allpages', aplimit: '500', apminsize: '5' };
  const answers = await walk(async (all) => (await host.query(all)).json, params);
  const met = answers.flatMap(({ query }) => (query as { allpages: { title: string }[] }).allpages);
  const expected = pages.filter((_, index) => wanted(index)).map(({ title }) => title);
  expect(met.map(({ title }) => title)).toEqual(expected);
  expect(answers.length).toBeGreaterThan(2);
  await host.close();
});
