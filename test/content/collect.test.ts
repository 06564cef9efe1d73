import { contentQuery, memoryContent } from 'oauth-query/content';
import { expect, test } from 'vitest';
import { startQuery } from './support/same-pages.js';

/** The last row that one answer looks at is one that is wanted. */
test('a response that reaches the read limit has each page once, and the next one continues', async () => {
  const wanted = (index: number): boolean => index % 5 === 4;
  const pages = Array.from({ length: 3_200 }, (_, index) => ({
    title: `Page ${String(index).padStart(4, '0')}`,
    text: wanted(index) ? 'long enough' : '',
  }));
  const host = await startQuery(contentQuery(memoryContent(pages)));
  const met: string[] = [];
  let progress: Record<string, string> = {};
  let answers = 0;
  do {
    answers += 1;
    const { json } = await host.query({ list: 'allpages', aplimit: '500', apminsize: '5', ...progress });
    met.push(...(json['query'] as { allpages: { title: string }[] }).allpages.map(({ title }) => title));
    progress = json['continue'] as Record<string, string>;
  } while (progress && answers < 100);
  expect(met).toEqual(pages.filter((_, index) => wanted(index)).map(({ title }) => title));
  expect(answers).toBeGreaterThan(2);
  await host.close();
});
