import { contentQuery, memoryContent } from 'oauth-query/content';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HIDDEN, isOpen, MARK, PAGES, SITE, visible } from './support/hidden-site.js';
import { type QueryHost, startQuery } from './support/same-pages.js';

const site = { ...SITE, statistics: { pages: PAGES.length } };
let host: QueryHost;
beforeAll(async () => {
  const source = memoryContent(PAGES, { site });
  host = await startQuery(contentQuery({ ...source, modules: { blocks: () => [{ by: HIDDEN }] } }, { visible }));
});
afterAll(() => host.close());

/** All answers of a walk. */
async function walk(params: Readonly<Record<string, string>>, token?: string): Promise<readonly string[]> {
  const answers: string[] = [];
  let progress: Readonly<Record<string, string>> = {};
  for (let requests = 0; requests < 3_000; requests += 1) {
    const { json } = await host.query({ ...params, ...progress }, token);
    expect(json['error']).toBeUndefined();
    answers.push(JSON.stringify(json));
    const more = json['continue'] as Readonly<Record<string, unknown>> | undefined;
    if (!more) return answers;
    progress = Object.fromEntries(Object.entries(more).map(([name, value]) => [name, String(value)]));
  }
  throw new Error('The walk does not end.');
}

describe('a private page is in no list, search, completion or count', () => {
  test('a requested title is missing, as if the page did not exist', async () => {
    const { json } = await host.query({ titles: `Page 01 ${HIDDEN}|Page 00`, prop: 'info' });
    expect((json['query'] as { pages: object[] }).pages).toMatchObject([
      { missing: true },
      { title: 'Page 00', pageid: 1 },
    ]);
  });

  test('walks return every visible page once', async () => {
    const titles = (await walk({ list: 'allpages', aplimit: '3' })).flatMap((text) =>
      [...text.matchAll(/"title":"([^"]+)"/g)].map(([, title]) => title),
    );
    expect(titles).toEqual(
      PAGES.filter(({ ns = 0, title }) => ns === 0 && isOpen(title))
        .map(({ title }) => title)
        .sort((a, b) => (a < b ? -1 : 1)),
    );
    const found = (await walk({ list: 'search', srsearch: 'word', srlimit: '4' })).flatMap((text) =>
      [...text.matchAll(/"title":"([^"]+)"/g)].map(([, title]) => title),
    );
    expect([...found].sort((a, b) => (a! < b! ? -1 : 1))).toEqual(
      Array.from({ length: 30 }, (_, n) => `Page ${String(n * 2).padStart(2, '0')}`),
    );
  });

  test.each([
    ['numbers of members', { prop: 'categoryinfo', titles: 'Category:Mixed' }, 'categoryinfo'],
    ['what the source answers by itself', { list: 'blocks' }, 'blocks'],
  ])('%s is not available, and the response says so', async (_what, params, module) => {
    const { json } = await host.query(params as Readonly<Record<string, string>>);
    expect(JSON.stringify(json['warnings'])).toContain(module);
    expect(JSON.stringify(json)).not.toContain(HIDDEN);
  });

  test('numbers of hits, edits and pages are not revealed', async () => {
    const { json: found } = await host.query({ list: 'search', srsearch: 'word' });
    expect(JSON.stringify(found)).not.toContain('totalhits');
    const { json: users } = await host.query({ list: 'users', ususers: 'Alice', usprop: 'editcount' });
    expect(JSON.stringify(users)).not.toContain('editcount');
    const { json } = await host.query({ meta: 'siteinfo', siprop: 'statistics' });
    expect((json['query'] as { statistics: object }).statistics).toMatchObject({ pages: 0 });
  });
});

test('users with the right see them', async () => {
  const token = await host.token('alice');
  const text = (await walk({ list: 'allpages', aplimit: '500' }, token)).join('');
  expect(text).toContain(`Page 01 ${HIDDEN}`);
  expect((await walk({ list: 'search', srsearch: MARK }, token)).join('')).toContain(HIDDEN);
});

test('a function that fails reveals nothing', async () => {
  const failing = await startQuery(
    contentQuery(memoryContent(PAGES.slice(0, 10)), {
      visible: () => {
        throw new Error('The rights cannot be read.');
      },
    }),
  );
  const { json } = await failing.query({ list: 'allpages' });
  expect(JSON.stringify(json)).not.toContain('Page');
  expect(failing.failures).toHaveLength(1);
  await failing.close();
});
