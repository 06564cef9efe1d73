import { describe, expect, test } from 'vitest';
import { ApiError } from '../../src/core/query/answer/api-error.js';
import {
  continueFrom,
  continueParams,
  type Participant,
  rawContinuation,
  readProgress,
} from '../../src/core/query/run/continuation.js';
import { type Params, walk } from '../content/support/walk.js';
import { everyRow } from '../rows.js';
import { startQuery } from './fixture.js';

type More = Participant['more'];
const prop = (name: string, more?: More): Participant => ({ name, kind: 'prop', more });
const other = (name: string, more?: More): Participant => ({ name, kind: 'other', more });
const generator = (more?: More, current = {}): Participant => ({ name: 'gen', kind: 'generator', more, current });

describe('the continuation of a query', () => {
  const m1 = { m1continue: '1|2' };
  const ml = { mlcontinue: 2 };
  const g = { gcontinue: 3 };
  test.each<[string, More, More, More, More, boolean]>([
    ['mock1, mocklist, generator', m1, ml, g, { mlcontinue: 2, m1continue: '1|2', continue: '||mock2' }, false],
    ['mock1, generator', m1, undefined, g, { m1continue: '1|2', continue: '||mock2|mocklist' }, false],
    ['mocklist, generator', undefined, ml, g, { mlcontinue: 2, gcontinue: 3, continue: 'gcontinue||' }, true],
    ['generator', undefined, undefined, g, { gcontinue: 3, continue: 'gcontinue||mocklist' }, true],
    ['mock1, mocklist', m1, ml, undefined, { mlcontinue: 2, m1continue: '1|2', continue: '||mock2' }, false],
    ['mock1', m1, undefined, undefined, { m1continue: '1|2', continue: '||mock2|mocklist' }, false],
    ['mocklist', undefined, ml, undefined, { mlcontinue: 2, continue: '-||mock1|mock2' }, true],
    ['none', undefined, undefined, undefined, undefined, true],
  ])('more in %s', (_title, mock1, mocklist, gen, next, batchcomplete) => {
    const participants = [generator(gen), prop('mock1', mock1), prop('mock2'), other('mocklist', mocklist)];
    expect(continueFrom(participants)).toEqual({ next, batchcomplete });
  });

  test('without generator and prop, a list has -||', () => {
    expect(continueFrom([other('allpages', { apcontinue: 'Baz' })])).toEqual({
      next: { apcontinue: 'Baz', continue: '-||' },
      batchcomplete: true,
    });
  });

  test("the same batch again: the generator's values in the request are copied and named", () => {
    const { next } = continueFrom([
      generator({ gapcontinue: 'M' }, { gapcontinue: 'A' }),
      prop('links', { plcontinue: '1|0|X' }),
    ]);
    expect(next).toEqual({ plcontinue: '1|0|X', gapcontinue: 'A', continue: 'gapcontinue||' });
  });
});

describe('the form of a continue value', () => {
  test.each([undefined, ''])('%j is the beginning', (value) => {
    expect(readProgress(value)).toEqual({ generatorDone: false, generatorParams: [], finished: new Set() });
  });

  test.each<[string, boolean, string[], string[]]>([
    ['||', false, [], []],
    ['gapcontinue||info|links', false, ['gapcontinue'], ['info', 'links']],
    ['-||', true, [], []],
    ['-||info', true, [], ['info']],
  ])('%s', (value, generatorDone, generatorParams, finished) => {
    expect(readProgress(value)).toEqual({ generatorDone, generatorParams, finished: new Set(finished) });
  });

  test('a malformed continue is badcontinue', () =>
    everyRow(['foo', '-', '|', '||a||b', '-||-||'], (value) => {
      expect(() => readProgress(value)).toThrow(ApiError);
      expect(() => readProgress(value)).toThrow(
        'Invalid continue param. You should pass the original value returned by the previous query.',
      );
    }));
});

describe('continue values from handlers', () => {
  test('raw: by module, generators under their own name', () => {
    expect(
      rawContinuation([generator({ gapcontinue: 'B' }), prop('links'), other('allusers', { aufrom: 'C' })]),
    ).toEqual({ gen: { gapcontinue: 'B' }, allusers: { aufrom: 'C' } });
    expect(rawContinuation([prop('links')])).toBeUndefined();
  });

  test('one value, several joined by bars, or parameters by name', () => {
    expect(continueParams('A|B', 'ap', 'continue')).toEqual({ apcontinue: 'A|B' });
    expect(continueParams(['1', 0, 'X'], 'pl', 'continue')).toEqual({ plcontinue: '1|0|X' });
    expect(continueParams({ from: 'X', offset: 3 }, 'gam', 'continue')).toEqual({ gamfrom: 'X', gamoffset: 3 });
  });
});

/** Twenty-six pages, each with three links; lists go on by letter, links by page and number. */
const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const linksOf = (id: number) => [1, 2, 3].map((number) => ({ ns: 0, title: `Link ${id}-${number}` }));

const startAlphabet = () =>
  startQuery({
    modules: {
      allpages: ({ continue: from = 'A', limit }) => {
        const rest = LETTERS.slice(LETTERS.indexOf(from));
        const items = rest.slice(0, limit).map((title) => ({ pageid: LETTERS.indexOf(title) + 1, ns: 0, title }));
        return { items, continue: rest[limit] };
      },
      links: ({ pages, limit, continue: from = '0|0' }) => {
        const [page = 0, index = 0] = from.split('|').map(Number);
        const all = pages.existing
          .flatMap(({ id }) => linksOf(id).map((link, at) => ({ id, at, link })))
          .filter(({ id, at }) => id > page || (id === page && at >= index));
        const next = all[limit];
        const shown = new Map<number, object[]>();
        for (const { id, link } of all.slice(0, limit)) shown.set(id, [...(shown.get(id) ?? []), link]);
        return { pages: shown, continue: next && [next.id, next.at] };
      },
      categories: ({ pages }) => ({
        pages: Object.fromEntries(
          pages.existing.map(({ id, title }) => [id, [{ ns: 14, title: `Category:${title}` }]]),
        ),
      }),
    },
  });

interface Found {
  readonly pages?: readonly { pageid: number; links?: { title: string }[]; categories?: object[] }[];
  readonly allpages?: readonly { title: string }[];
}

describe('a client that follows continuations', () => {
  test.each([
    ['apart', {}],
    ['with another list', { list: 'allpages', aplimit: '4' }],
  ])('gets every link and every category of every generated page exactly once, %s', async (_title, beside) => {
    const host = await startAlphabet();
    const links = new Map<number, string[]>();
    const categories = new Map<number, number>();
    const listed: string[] = [];
    const params = { generator: 'allpages', gaplimit: '5', prop: 'links|categories', pllimit: '4', ...beside };
    const send = async (all: Params) => (await host.get({ action: 'query', formatversion: '2', ...all })).json;
    const answers = await walk(send, { ...params, continue: '' });
    for (const { query } of answers as readonly { readonly query?: Found }[]) {
      for (const { pageid, links: some = [], categories: own = [] } of query?.pages ?? []) {
        links.set(pageid, [...(links.get(pageid) ?? []), ...some.map(({ title }) => title)]);
        categories.set(pageid, (categories.get(pageid) ?? 0) + own.length);
      }
      listed.push(...(query?.allpages ?? []).map(({ title }) => title));
    }
    const batches = answers.filter(({ batchcomplete }) => batchcomplete).length;
    expect([...links.keys()].sort((a, b) => a - b)).toEqual(LETTERS.map((_letter, index) => index + 1));
    for (const [id, titles] of links) expect(titles).toEqual(linksOf(id).map(({ title }) => title));
    expect(new Set(categories.values())).toEqual(new Set([1]));
    expect(batches).toBeGreaterThanOrEqual(6);
    if ('list' in beside) expect(listed).toEqual(LETTERS);
  });

  test('finished modules are skipped, but still validated', async () => {
    const host = await startAlphabet();
    const skipped = await host.get({ action: 'query', titles: 'X', list: 'allpages', continue: '||allpages' });
    expect(skipped.json['query']?.['allpages']).toBeUndefined();
    const checked = await host.get({ action: 'query', list: 'allpages', aplimit: 'x', continue: '||allpages' });
    expect(checked.json['error']?.['code']).toBe('badinteger');
    const finished = { titles: 'X', prop: 'links', list: 'allpages', aplimit: '1', continue: '-||links' };
    const done = await host.get({ action: 'query', ...finished });
    expect(Object.keys(done.json['query'] ?? {})).toEqual(['allpages']);
  });

  test('rawcontinue has no batchcomplete and no continue', async () => {
    const host = await startAlphabet();
    const params = { generator: 'allpages', gaplimit: '1', list: 'allpages', aplimit: '2', rawcontinue: '' };
    const { json } = await host.get({ action: 'query', ...params });
    expect(json).toMatchObject({ 'query-continue': { allpages: { gapcontinue: 'B', apcontinue: 'C' } } });
    expect(Object.keys(json)).toEqual(['query-continue', 'query']);
  });
});
