import { type ContentSource, contentQuery, memoryContent, type MemoryPage } from 'oauth-query/content';
import { expect, test } from 'vitest';
import { everyRow } from '../rows.js';
import { bothSources } from './support/both-sources.js';
import { type QueryHost, startQuery } from './support/same-pages.js';

type Params = Readonly<Record<string, string>>;

const asked = async (host: QueryHost, params: Params): Promise<unknown> => {
  const { json } = await host.query(params);
  return json;
};

test('filters of changes, contributions and the log are hints to the source', async () => {
  const ranges: object[] = [];
  const memory = memoryContent([{ title: 'Boat', text: 'x', user: 'Alice' }]);
  const source: ContentSource = {
    ...memory,
    history: (range, call) => {
      ranges.push(range);
      return memory.history?.(range, call) ?? [];
    },
    log: (range) => {
      ranges.push(range);
      return [];
    },
  };
  const host = await startQuery(contentQuery(source));
  await everyRow(
    [
      [{ list: 'recentchanges', rcuser: 'Alice' }, { user: 'Alice' }],
      [{ list: 'recentchanges', rcnamespace: '4|14' }, { namespaces: [4, 14] }],
      [{ list: 'recentchanges', rctoponly: '1' }, { latest: true }],
      [{ list: 'recentchanges', rcshow: 'minor' }, { minor: true }],
      [{ list: 'recentchanges', rcshow: 'anon' }, { anonymous: true }],
      [{ list: 'recentchanges', rctitle: 'Boat' }, { page: 1 }],
      [{ list: 'recentchanges', rctype: 'log', rcuser: 'Alice' }, { user: 'Alice' }],
      [{ list: 'usercontribs', ucuser: 'Alice|Bob' }, { user: 'Bob' }],
      [{ list: 'usercontribs', ucuser: 'Alice', ucnamespace: '4|14' }, { namespaces: [4, 14] }],
      [
        { list: 'usercontribs', ucuser: 'Alice', ucshow: 'minor|top' },
        { minor: true, latest: true },
      ],
      [{ list: 'allrevisions', arvuser: 'Alice' }, { user: 'Alice' }],
      [{ list: 'logevents', letype: 'block' }, { type: 'block' }],
      [{ list: 'logevents', leaction: 'block/reblock' }, { type: 'block' }],
      [{ list: 'logevents', leuser: 'Alice' }, { user: 'Alice' }],
      [{ list: 'logevents', letitle: 'Boat' }, { page: 1 }],
    ] as const,
    async ([params, hint]) => {
      ranges.length = 0;
      await asked(host, params);
      expect(ranges).toContainEqual(expect.objectContaining(hint));
    },
  );
  await host.close();
});

/** Many changes by one user in one namespace, and few others before them. */
const pages: readonly MemoryPage[] = Array.from({ length: 3_000 }, (_, n) => {
  const isFew = n < 3;
  const id = n + 1;
  const user = isFew ? 'Carol' : 'Alice';
  const timestamp = new Date(Date.UTC(2024, 0, 1) + n * 1000).toISOString().replace('.000', '');
  return {
    id,
    ns: isFew ? 14 : 0,
    title: `Page ${n}`,
    text: 'x',
    history: [{ id, text: 'x', user, userid: isFew ? 0 : 1, minor: isFew, timestamp }],
  };
});

test.each(Object.entries(bothSources(pages)))(
  'in %s, the answer to a filter that few changes pass is complete at once',
  async (_, source) => {
    const host = await startQuery(contentQuery(source()));
    await everyRow(
      [
        { list: 'recentchanges', rcuser: 'Carol' },
        { list: 'recentchanges', rcnamespace: '14' },
        { list: 'recentchanges', rcnamespace: '12|14' },
        { list: 'recentchanges', rcshow: 'anon' },
        { list: 'recentchanges', rcshow: 'minor', rcnamespace: '14' },
        { list: 'recentchanges', rctitle: 'Category:Page 1' },
        { list: 'usercontribs', ucuser: 'Carol' },
        { list: 'usercontribs', ucuser: 'Alice|Carol', ucnamespace: '14' },
        { list: 'usercontribs', ucuser: 'Alice|Carol', ucshow: 'minor' },
        { list: 'allrevisions', arvuser: 'Carol' },
      ],
      async (params) => {
        const answer = (await asked(host, params)) as { readonly query: Readonly<Record<string, readonly unknown[]>> };
        expect(answer.query[params.list]).toHaveLength('rctitle' in params ? 1 : 3);
        expect(answer).toMatchObject({ batchcomplete: true });
        expect(answer).not.toHaveProperty('continue');
      },
    );
    await host.close();
  },
);
