import { diffArrays } from 'diff';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contentQuery, memoryContent } from '../../src/content/index.js';
import { diffTable } from '../../src/core/query/reader/compare/table.js';
import { everyRow } from '../rows.js';
import { type Answered, type Json, type QueryHost, startQuery } from './fixture.js';

const PAGES = [
  {
    title: 'Rope',
    text: 'A rope.\n\nIt holds two boats.',
    timestamp: '2024-03-01T00:00:00Z',
    history: [
      { text: 'A rope.', timestamp: '2024-01-01T00:00:00Z', user: 'Ann', userid: 4, comment: 'First' },
      { text: 'A rope.\n\nIt holds a boat.', timestamp: '2024-02-01T00:00:00Z', comment: '' },
      { text: 'A rope.\n\nIt holds two boats.', timestamp: '2024-03-01T00:00:00Z', comment: '' },
    ],
  },
  { title: 'Sail', text: 'A <sail> & "mast".' },
  { title: 'Long', text: 'x'.repeat(262_145) },
  { title: 'Tall', text: '\n'.repeat(10_000) },
];

let host: QueryHost;
/** The revisions of Rope, oldest first. */
let revids: readonly number[];
beforeAll(async () => {
  host = await startQuery(contentQuery(memoryContent(PAGES)));
  const { json } = await host.raw(
    'action=query&format=json&formatversion=2&prop=revisions&titles=Rope&rvlimit=max&rvdir=newer',
  );
  revids = (json['query']!['pages']![0]!['revisions'] as unknown as Json[]).map(({ revid }) => Number(revid));
  expect(revids).toHaveLength(3);
});
afterAll(async () => {
  expect(host.errors).toEqual([]);
  await host.close();
});

const ask = (params: Readonly<Record<string, string>>): Promise<Answered> =>
  host.get({ action: 'compare', formatversion: '2', ...params });
const bodyOf = async (params: Readonly<Record<string, string>>): Promise<string> =>
  String((await ask(params)).json['compare']?.['body']);

const [FIRST, SECOND, THIRD] = [0, 1, 2].map((index) => () => String(revids[index]));

describe('action=compare', () => {
  test('two revisions, in both versions', async () => {
    const params = { fromrev: FIRST!(), torev: SECOND!() };
    const { json } = await ask(params);
    const { body, ...facts } = json['compare']!;
    expect(facts).toEqual({
      ...{ fromid: 1, fromrevid: revids[0], fromns: 0, fromtitle: 'Rope' },
      ...{ toid: 1, torevid: revids[1], tons: 0, totitle: 'Rope' },
    });
    expect(body).toBe(
      '<tr><td colspan="2" class="diff-lineno" id="mw-diff-left-l1">Line 1:</td><td colspan="2" class="diff-lineno">Line 1:</td></tr>\n' +
        '<tr><td class="diff-marker"></td><td class="diff-context diff-side-deleted"><div>A rope.</div></td><td class="diff-marker"></td><td class="diff-context diff-side-added"><div>A rope.</div></td></tr>\n' +
        '<tr><td colspan="2" class="diff-empty diff-side-deleted"></td><td class="diff-marker" data-marker="+"></td><td class="diff-addedline diff-side-added"><br /></td></tr>\n' +
        '<tr><td colspan="2" class="diff-empty diff-side-deleted"></td><td class="diff-marker" data-marker="+"></td><td class="diff-addedline diff-side-added"><div>It holds a boat.</div></td></tr>\n',
    );
    const first = (await ask({ ...params, formatversion: '1' })).json['compare'];
    expect([first?.['*'], first?.['body']]).toEqual([body, undefined]);
  });

  test('changed words are marked, and text is escaped', async () => {
    const body = await bodyOf({ fromrev: SECOND!(), torev: THIRD!() });
    expect(body).toContain('<div>It holds <del class="diffchange diffchange-inline">a</del> <del');
    expect(body).toContain('<ins class="diffchange diffchange-inline">two</ins>');
    const texts = { fromtitle: 'Sail', toslots: 'main', 'totext-main': '<script>' };
    const escaped = await bodyOf(texts);
    expect(escaped).toContain('&lt;');
    expect(escaped).not.toMatch(/<script|<sail/);
  });

  test('pages by title and id, texts, and texts with a title', async () => {
    expect((await ask({ fromtitle: 'rope', toid: '2' })).json['compare']).toMatchObject({
      fromtitle: 'Rope',
      totitle: 'Sail',
    });
    const texts = { fromslots: 'main', 'fromtext-main': 'one', toslots: 'main', 'totext-main': 'one\ntwo' };
    expect(Object.keys((await ask(texts)).json['compare'] ?? {})).toEqual(['body']);
    const titled = (await ask({ ...texts, totitle: 'talk:new page' })).json['compare'];
    expect(titled).toMatchObject({ tons: 1, totitle: 'Talk:New page' });
    const old = (await ask({ fromtext: 'one', totext: 'one' })).json;
    expect([old['compare']?.['body'], old['warnings']?.['compare']?.['warnings']]).toEqual([
      '',
      expect.stringContaining('fromtext'),
    ]);
  });

  test('torelative: the previous, next and current revision', async () => {
    const ids = async (fromrev: string, torelative: string) => {
      const { json } = await ask({ fromrev, torelative });
      const { fromrevid, torevid } = json['compare']!;
      return [fromrevid, torevid, json['warnings'] !== undefined];
    };
    const [first, second, third] = revids;
    expect(await ids(SECOND!(), 'prev')).toEqual([first, second, false]);
    expect(await ids(SECOND!(), 'next')).toEqual([second, third, false]);
    expect(await ids(FIRST!(), 'cur')).toEqual([first, third, false]);
    expect(await ids(FIRST!(), 'prev')).toEqual([undefined, first, true]);
    expect(await ids(THIRD!(), 'next')).toEqual([third, third, true]);
    expect((await ask({ fromtitle: 'Rope', torelative: 'prev' })).json['compare']).toMatchObject({ fromrevid: second });
  });

  test('prop selects facts of both sides', async () => {
    const prop = 'user|comment|parsedcomment|size|timestamp|diffsize';
    const { json } = await ask({ fromrev: FIRST!(), torev: THIRD!(), prop });
    expect(json['compare']).toEqual({
      ...{ fromsize: 7, fromtimestamp: '2024-01-01T00:00:00Z', fromuser: 'Ann', fromuserid: 4 },
      ...{ fromcomment: 'First', fromparsedcomment: 'First', tosize: 28, totimestamp: '2024-03-01T00:00:00Z' },
      ...{ tocomment: '', toparsedcomment: '', diffsize: expect.any(Number) },
      ...(json['compare']?.['touserhidden'] === undefined ? {} : { touserhidden: true }),
    });
  });

  test('errors name what is missing or wrong', () =>
    everyRow(
      [
        [{}, 'missingparam'],
        [{ fromtitle: 'Rope' }, 'missingparam'],
        [{ fromtitle: 'Rope', fromid: '1', totitle: 'Rope' }, 'invalidparammix'],
        [{ fromtitle: 'Nowhere', totitle: 'Rope' }, 'missingtitle'],
        [{ fromtitle: '[', totitle: 'Rope' }, 'invalidtitle'],
        [{ fromid: '99', totitle: 'Rope' }, 'nosuchpageid'],
        [{ fromrev: '99', totitle: 'Rope' }, 'nosuchrevid'],
        [{ fromslots: 'main', totitle: 'Rope' }, 'missingparam'],
        [{ fromtext: 'x', torelative: 'prev' }, 'compare-relative-to-nothing'],
        [{ fromtitle: 'Rope', totitle: 'Long' }, 'comparetoolarge'],
        [{ fromtitle: 'Rope', totitle: 'Tall' }, 'comparetoolarge'],
      ] as const,
      async ([params, code]) => {
        expect((await ask(params)).json['error']).toMatchObject({ code });
      },
    ));

  test('a private site requires a token, and a hidden page does not exist', async () => {
    const closed = await startQuery({ ...contentQuery(memoryContent(PAGES)), private: true });
    expect((await closed.get({ action: 'compare', fromid: '1', toid: '2' })).json['error']).toMatchObject({
      code: 'readapidenied',
    });
    const partial = await startQuery(
      contentQuery(memoryContent(PAGES), {
        visible: (pages) => pages.filter(({ title }) => title !== 'Sail'),
      }),
    );
    const { json } = await partial.get({ action: 'compare', fromid: '1', toid: '2' });
    expect(json['error'] ?? json).toMatchObject({ code: 'nosuchpageid' });
  });
});

test('without options.diff, a difference is an error that says what to do, and the facts are returned', async () => {
  const incomparable = await startQuery(contentQuery(memoryContent(PAGES)), {}, {});
  const compare = async (prop: string) =>
    (await incomparable.get({ action: 'compare', fromtitle: 'Rope', totitle: 'Sail', prop })).json;
  expect((await compare('ids'))['compare']).toMatchObject({ fromid: 1, toid: 2 });
  expect(incomparable.errors).toEqual([]);
  expect((await compare('diff'))['error']).toMatchObject({ code: 'nodiff' });
  expect(incomparable.errors).toMatchObject([{ message: expect.stringContaining('options.diff') }]);
});

describe('the cost of a comparison', () => {
  const random = (seed: number) => {
    let state = seed;
    return () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648);
  };
  const lines = (count: number, seed: number, words: number): string => {
    const next = random(seed);
    return Array.from({ length: count }, () => `w${next() % words}`).join('\n');
  };

  // A search takes at most as many steps as it has elements and may find edits. Time itself says little on a full machine.
  test('has a bound for the worst texts of the greatest length', () =>
    everyRow(
      [
        ['lines without order', lines(10_000, 1, 3), lines(10_000, 2, 3)],
        ['lines of ten kinds', lines(10_000, 1, 10), lines(10_000, 2, 10)],
        ['nothing in common', lines(10_000, 1, 1e6), lines(10_000, 2, 1e6)],
        ['empty lines', '\n'.repeat(9_999), `${'\n'.repeat(5_000)}x${'\n'.repeat(4_999)}`],
        ['one line', 'a b '.repeat(65_000), 'b a '.repeat(65_000)],
        ['many lines of words', 'a b c d e f g h\n'.repeat(10_000), 'h g f e d c b a\n'.repeat(10_000)],
        ['alternating', 'a\nb\n'.repeat(5_000), 'b\nb\na\n'.repeat(3_333)],
      ] as const,
      ([name, before, after]) => {
        let steps = 0;
        diffTable(before, after, (from, to, bounds) => {
          steps += (from.length + to.length) * bounds.maxEditLength;
          return diffArrays(from, to, bounds);
        });
        expect(steps, name).toBeLessThan(8_000_000);
      },
    ));

  test('texts that differ too much are shown as replaced', () => {
    const table = diffTable(`same\n${lines(2_000, 1, 1e6)}`, `same\n${lines(1_000, 2, 1e6)}`, diffArrays);
    expect(table.match(/diff-deletedline/g)).toHaveLength(2_000);
    expect(table.match(/diff-addedline/g)).toHaveLength(1_000);
    expect(table.match(/diff-context/g)).toHaveLength(2);
  });
});
