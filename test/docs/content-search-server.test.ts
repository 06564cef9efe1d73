import { type ContentSource, contentQuery, memoryContent, type MemoryPage } from 'oauth-query/content';
import { contentContract } from 'oauth-query/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as code from '../../examples/content/search-server.js';
import { type QueryHost, startQuery } from '../content/support/same-pages.js';
import { walk } from '../content/support/walk.js';
import { everyRow } from '../rows.js';
import { startSearchServer } from './search-server.js';

let server: Awaited<ReturnType<typeof startSearchServer>>;

beforeAll(async () => {
  server = await startSearchServer();
});
afterAll(() => server.close());

const sent = async (method: string, path: string, body: string): Promise<void> => {
  const response = await fetch(server.index + path, { method, body });
  expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
};

const filledWith = async (pages: readonly MemoryPage[]): Promise<ContentSource> => {
  await sent('PUT', '', JSON.stringify(code.INDEX));
  const numbered = pages.map((page, index) => ({ ...page, id: page.id ?? index + 1 }));
  if (pages.length > 0) await sent('POST', '/_bulk', code.bulkOf(numbered));
  return code.searchedBy(memoryContent(numbered), server.index);
};

describe('the source', () => {
  const cases = contentContract(async (pages) => ({ source: await filledWith(pages) }), ['search']);
  for (const { name, run } of cases) test(name, run);
});

const WORLD: readonly MemoryPage[] = [
  { title: '北京市', text: '北京是中华人民共和国的首都，位于华北平原。' },
  { title: '東京', text: '東京都は日本の首都です。ラーメンの店が多い。' },
  { title: 'กรุงเทพ', text: 'กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย' },
  { title: 'City', text: 'Zürich and Malmo\u0308, with co-op shops. The Straße is long.' },
  { title: 'Miasto', text: 'Łódź leży' },
  { title: 'سنة', text: 'سنة ٢٠٢٤' },
  { title: 'Harbour', text: 'A rope holds a boat. The boat is old.' },
  { title: 'Boat', text: 'Boats and ropes, in 2024.' },
  { ns: 4, title: 'Rules', text: 'No rope on the quay.' },
];

const SEARCHES = [
  ...['首都', '京首', 'ﾗｰﾒﾝ', 'เมืองหลวง', 'zurich malmö', 'STRASSE', 'lodz', '2024', 'rope', 'boat*', 'rop* -old'],
  ...['"a rope"', '"rope a"', 'co-op', 'boat rope', 'intitle:boat', 'nothing', '首都*', '-rope boat'],
];

describe('a server with the source', () => {
  let host: QueryHost;
  let memory: QueryHost;
  beforeAll(async () => {
    host = await startQuery(contentQuery(await filledWith(WORLD)));
    memory = await startQuery(contentQuery(memoryContent(WORLD)));
  });
  afterAll(async () => {
    await host.close();
    await memory.close();
  });

  const titlesOf = async (from: QueryHost, srsearch: string, more: object = {}) => {
    const { json } = await from.query({ list: 'search', srsearch, srlimit: '50', ...more });
    expect(json).not.toHaveProperty('error');
    const { search, searchinfo } = json['query'] as {
      readonly search: readonly { readonly title: string }[];
      readonly searchinfo: object;
    };
    return { titles: search.map(({ title }) => title).sort(), searchinfo };
  };

  test('finds what the built-in sources find, in all scripts', () =>
    everyRow(SEARCHES, async (srsearch) => {
      for (const more of [{}, { srnamespace: '4' }, { srnamespace: '0|4' }, { srwhat: 'title' }])
        expect(await titlesOf(host, srsearch, more)).toEqual(await titlesOf(memory, srsearch, more));
    }));

  test('has passages, and continues', async () => {
    const params = { list: 'search', srsearch: 'rope', srlimit: '1', srnamespace: '0|4' };
    const answers = await walk(async (all) => (await host.query(all)).json, params);
    expect(answers).toHaveLength(2);
    expect(JSON.stringify(answers)).toContain('<span class=\\"searchmatch\\">rope</span>');
  });

  test('says that a number is a minimum, and that a result is a part', async () => {
    const find = async (state: Partial<typeof server.state>) => {
      const before = { ...server.state };
      Object.assign(server.state, state);
      const { json } = await host.query({ list: 'search', srsearch: 'boat', srlimit: '50' });
      Object.assign(server.state, before);
      return JSON.stringify(json);
    };
    expect(await find({})).toContain('"searchinfo":{"totalhits":2}');
    expect(await find({ counts: 1 })).toContain('"searchinfo":{"totalhits":1,"approximate_totalhits":true}');
    for (const state of [{ timedOut: true }, { failedShards: 1 }]) {
      const text = await find(state);
      expect(text).toContain('"approximate_totalhits":true');
      expect(text).toContain('looked at a part of the pages');
    }
    expect(await find({ isDown: true })).toContain('could not answer');
    expect(String(host.failures)).toContain('The search server answered 503');
  });
});

test('continues to the end of the window, and says so', async () => {
  const pages = Array.from({ length: 10_050 }, (_, n) => ({ title: `Page ${n}`, text: 'knot' }));
  const host = await startQuery(contentQuery(await filledWith(pages)));
  const search = async (sroffset: number) =>
    (await host.query({ list: 'search', srsearch: 'knot', srlimit: '500', srprop: '', sroffset: String(sroffset) }))
      .json;
  expect(await search(0)).toMatchObject({
    query: { searchinfo: { totalhits: 10_050 } },
    continue: { sroffset: 500 },
  });
  const last = await search(9_800);
  expect(last).toMatchObject({ continue: { sroffset: 10_000 } });
  expect((last['query'] as { readonly search: readonly unknown[] }).search).toHaveLength(200);
  const end = await search(10_000);
  expect(end).not.toHaveProperty('continue');
  expect(JSON.stringify(end)).toContain('Only the first 10000 hits are listed');
  await host.close();
});
