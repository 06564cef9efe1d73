import { contentQuery, memoryContent } from 'oauth-query/content';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { everyRow } from '../rows.js';
import { HIDDEN, MARK, PAGES, SITE, visible } from './support/hidden-site.js';
import { type QueryHost, startQuery } from './support/same-pages.js';
import { type Json, type Params, walk } from './support/walk.js';

const site = { ...SITE, statistics: { pages: PAGES.length } };
let host: QueryHost;
beforeAll(async () => {
  const source = memoryContent(PAGES, { site });
  host = await startQuery(contentQuery({ ...source, modules: { blocks: () => [{ by: HIDDEN }] } }, { visible }));
});
afterAll(() => host.close());

/** All answers of a walk. */
const answersTo = async (params: Params, token?: string, at = host): Promise<readonly string[]> => {
  const send = async (all: Params): Promise<Json> => {
    const { json } = await at.query(all, token);
    expect(json['error']).toBeUndefined();
    return json;
  };
  return (await walk(send, params)).map((json) => JSON.stringify(json));
};

describe('a private page is in no list, search, completion or count', () => {
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

test('a site that hides thousands of pages in a row answers in parts, which say nothing about them', async () => {
  const many = Array.from({ length: 12_000 }, (_, index) => {
    const isShown = index === 0 || index === 11_999;
    const title = `Row ${String(index).padStart(5, '0')}${isShown ? '' : ` ${HIDDEN}`}`;
    const history = [{ id: index + 1, text: '', user: isShown ? 'Alice' : `${HIDDEN} ${index}`, userid: index + 1 }];
    return { title, text: '', history, links: [{ kind: 'category' as const, ns: 14, title: 'All' }] };
  });
  const large = await startQuery(contentQuery(memoryContent(many), { visible }));
  onTestFinished(() => large.close());
  const sortkeys = Buffer.from(HIDDEN.toUpperCase()).toString('hex');
  await everyRow(
    [
      { list: 'allpages', aplimit: '500' },
      { list: 'recentchanges', rclimit: '500' },
      { list: 'categorymembers', cmtitle: 'Category:All', cmlimit: '500' },
    ] as const,
    async (params) => {
      const answers = await answersTo(params, undefined, large);
      expect(answers.length).toBeGreaterThan(2);
      expect(answers.length).toBeLessThan(6);
      expect(answers.join('')).not.toMatch(new RegExp(`${HIDDEN}|${sortkeys}`, 'i'));
      expect(answers.join('').match(/"title":"Row/g)).toHaveLength(2);
    },
  );
  const { json } = await large.query({ list: 'allpages', apcontinue: '{Row 00001' });
  expect(json['error']).toMatchObject({ code: 'badcontinue' });
});

test('users with the right see them', async () => {
  const token = await host.token('alice');
  const text = (await answersTo({ list: 'allpages', aplimit: '500' }, token)).join('');
  expect(text).toContain(`Page 01 ${HIDDEN}`);
  expect((await answersTo({ list: 'search', srsearch: MARK }, token)).join('')).toContain(HIDDEN);
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
