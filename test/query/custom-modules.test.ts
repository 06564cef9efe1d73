import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  ApiError,
  customModule,
  defineModule,
  type ModuleDescriptor,
  type ModuleRequest,
} from '../../src/core/query/index.js';
import { type Json, startQuery } from './fixture.js';

/** Every fact that the catalogue tells of a module can be told of a host's own, with the same effect. */

/** A handler of any group, with its parameters as they come. */
type Handler = (request: ModuleRequest<Readonly<Record<string, unknown>>>) => unknown;

async function asking(
  ...own: readonly (readonly [ModuleDescriptor, Handler])[]
): Promise<(query: string, as?: string) => Promise<Json>> {
  const host = await startQuery({
    customModules: own.map(([descriptor, handler]) => ({ descriptor, handler })),
    resolvePages: ({ titles }) => (titles.includes('Apple') ? [{ pageid: 1, ns: 0, title: 'Apple' }] : []),
    site: { mainPage: 'Start', language: 'de', groups: { sorters: ['sort'] } },
  });
  return async (query, as) =>
    (
      await host.get(
        Object.fromEntries(new URLSearchParams(`action=query&formatversion=2&errorformat=plaintext&${query}`)),
        as === undefined ? {} : { as },
      )
    ).json;
}

const list = (more: Partial<ModuleDescriptor>): ModuleDescriptor => ({
  name: 'crates',
  group: 'list',
  prefix: 'cr',
  parameters: {},
  ...more,
});
const prop = (more: Partial<ModuleDescriptor>): ModuleDescriptor => ({
  ...list(more),
  name: 'ripeness',
  group: 'prop',
  prefix: 'ri',
});

test('the items of a list may be rows of an interface', async () => {
  interface Crate {
    readonly id: number;
  }
  const crates: readonly Crate[] = [{ id: 7 }];
  const module = defineModule({ name: 'crates', group: 'list', prefix: 'cr', parameters: {} });
  const host = await startQuery({ customModules: [customModule(module, () => crates)] });
  expect((await host.get({ action: 'query', list: 'crates', formatversion: '2' })).json).toMatchObject({
    query: { crates: [{ id: 7 }] },
  });
});

describe('result', () => {
  test('a list is next to query, or inside a named object, and under its key', async () => {
    const top = await asking([list({ result: { place: 'top', key: 'boxes' } }), () => [{ id: 1 }]]);
    expect(await top('list=crates')).toMatchObject({ boxes: [{ id: 1 }] });
    const results = await asking([
      list({ result: { place: 'results', namedBy: 'shelf' }, parameters: { shelf: { type: 'string', default: 'A' } } }),
      () => [{ id: 1 }],
    ]);
    expect((await results('list=crates&crshelf=B'))['query']).toEqual({ crates: { name: 'B', results: [{ id: 1 }] } });
  });

  test('merged data becomes part of the page, or of query', async () => {
    const page = await asking([prop({ result: { place: 'merged' } }), () => ({ pages: { 1: { ripe: true } } })]);
    expect((await page('prop=ripeness&titles=Apple'))['query']?.['pages']).toEqual([
      { pageid: 1, ns: 0, title: 'Apple', ripe: true },
    ]);
    const site = await asking([
      {
        name: 'cellar',
        group: 'meta',
        prefix: 'ce',
        parameters: {},
        result: { place: 'merged', contentKey: { shelves: 'label' }, explicitFalse: ['locked'] },
      },
      () => ({ data: { shelves: [{ id: 1, label: 'A' }], climate: { locked: false, cold: false } } }),
    ]);
    expect((await site('meta=cellar&formatversion=1'))['query']).toEqual({
      shelves: [{ id: 1, '*': 'A' }],
      climate: { locked: false },
    });
  });

  test('the content of an item is * in formatversion 1', async () => {
    const ask = await asking([list({ result: { contentKey: 'label' } }), () => [{ id: 1, label: 'A' }]]);
    expect((await ask('list=crates&formatversion=1'))['query']).toEqual({ crates: [{ id: 1, '*': 'A' }] });
    expect((await ask('list=crates'))['query']).toEqual({ crates: [{ id: 1, label: 'A' }] });
  });
});

describe('the pages of a module', () => {
  test.each([
    [undefined, [], []],
    ['missing', [], ['titles=Nope']],
    ['none', ['no pages'], ['titles=Nope']],
  ] as const)('alsoFor %s', async (alsoFor, none, missing) => {
    let asked = 0;
    const ask = await asking([
      prop(alsoFor === undefined ? {} : { alsoFor }),
      () => {
        asked += 1;
        return { pages: {} };
      },
    ]);
    await ask('prop=ripeness');
    expect(asked).toBe(none.length);
    await ask('prop=ripeness&titles=Nope');
    expect(asked).toBe(none.length + missing.length);
  });

  test('a ranked generator numbers its pages, and reads ids from its own key', async () => {
    const ask = await asking([
      list({ generator: true, ranked: true, pageidKey: 'id' }),
      () => [
        { id: 7, title: 'Pear' },
        { id: 8, title: 'Plum' },
      ],
    ]);
    expect((await ask('generator=crates'))['query']?.['pages']).toEqual([
      { pageid: 7, ns: 0, title: 'Pear', index: 1 },
      { pageid: 8, ns: 0, title: 'Plum', index: 2 },
    ]);
  });
});

describe('parameters', () => {
  test('continues with the parameter that it names', async () => {
    let position: string | undefined;
    const ask = await asking([
      list({ continueWith: 'shelf', parameters: { shelf: { type: 'string' } } }),
      (request) => {
        position = request.continue;
        return { items: [{ id: 1 }], continue: 'B' };
      },
    ]);
    expect((await ask('list=crates&crshelf=A'))['continue']).toEqual({ crshelf: 'B', continue: '-||' });
    expect(position).toBe('A');
  });

  test('rules reject and warn, page rules see the pages, and both name their module', async () => {
    const rule: NonNullable<ModuleDescriptor['rules']>[number] = ({ params, wire, caller, warn }) => {
      if (!caller) throw new ApiError('nobody', 'Sign in first.');
      if (params['size'] === 'odd') warn('odd', `${wire('size')} is odd.`);
    };
    const pageRule: NonNullable<ModuleDescriptor['pageRules']>[number] = (_request, pages) => {
      if (pages.existing.length === 0) throw new ApiError('nofruit', 'There is no such fruit.');
    };
    const ask = await asking(
      [list({ rules: [rule], parameters: { size: { type: 'string' } } }), () => []],
      [prop({ pageRules: [pageRule] }), () => ({ pages: {} })],
    );
    expect((await ask('list=crates'))['errors']).toMatchObject([{ code: 'nobody', module: 'query+crates' }]);
    expect((await ask('list=crates&crsize=odd', 'alice'))['warnings']).toEqual([
      { code: 'odd', module: 'query+crates', text: 'crsize is odd.' },
    ]);
    expect((await ask('prop=ripeness&titles=Nope'))['errors']).toMatchObject([{ code: 'nofruit' }]);
    expect((await ask('prop=ripeness&titles=Apple'))['errors']).toBeUndefined();
  });

  test('a list of values with a rule is described and not enforced', async () => {
    let kind: unknown;
    const ask = await asking([
      list({ parameters: { kind: { type: ['wood', 'metal/*'], checkedByRule: true } } }),
      ({ params }) => {
        kind = params['kind'];
        return [];
      },
    ]);
    expect((await ask('list=crates&crkind=metal/tin'))['errors']).toBeUndefined();
    expect(kind).toBe('metal/tin');
  });

  test('values and defaults of the site', async () => {
    let seen: unknown;
    const ask = await asking([
      list({
        parameters: {
          by: { type: ['sysop'], siteValues: 'groups', multi: true },
          near: { type: 'title', default: 'Main Page', siteDefault: 'mainPage' },
          inlanguage: { type: 'string', default: 'en', siteDefault: 'language' },
        },
      }),
      ({ params }) => {
        seen = params;
        return [];
      },
    ]);
    expect((await ask('list=crates&crby=sorters|sysop'))['warnings']).toMatchObject([{ data: { values: ['sysop'] } }]);
    expect(seen).toEqual({ by: ['sorters'], near: 'Start', inlanguage: 'de' });
  });
});

describe('limits', () => {
  const limit = { type: 'limit', default: 10, min: 1, max: 500, highmax: 5000 } as const;

  test('a parameter narrows the bounds: one decision, one warning, one value', async () => {
    const seen: unknown[] = [];
    const ask = await asking([
      list({
        parameters: {
          limit: { ...limit, narrowedBy: { parameter: 'whole', max: 20, highmax: 40 } },
          whole: { type: 'boolean' },
        },
      }),
      ({ limit: asked, params }) => {
        seen.push([asked, params['limit']]);
        return [];
      },
    ]);
    expect((await ask('list=crates&crlimit=600&crwhole='))['warnings']).toMatchObject([{ data: { max: 20 } }]);
    expect((await ask('list=crates&crlimit=30&crwhole=', 'bot'))['warnings']).toBeUndefined();
    expect((await ask('list=crates&crlimit=max&crwhole='))['limits']).toEqual({ crates: 20 });
    expect((await ask('list=crates&crlimit=600'))['warnings']).toMatchObject([{ data: { max: 500 } }]);
    await ask('list=crates&crwhole=');
    expect(seen).toEqual([
      [20, 20],
      [30, 30],
      [20, 20],
      [500, 500],
      [10, 10],
    ]);
  });

  test('a rule decides by the other parameters', async () => {
    const seen: number[] = [];
    const ask = await asking([
      list({
        parameters: { limit: { type: 'limit', min: 1, max: 500, highmax: 5000 }, all: { type: 'boolean' } },
        limitRule: ({ all }) =>
          all === true ? { fallback: 'max', bounds: { max: 30, highmax: 60 } } : { fallback: 5 },
      }),
      ({ limit: asked }) => {
        seen.push(asked);
        return [];
      },
    ]);
    await ask('list=crates');
    await ask('list=crates&crall=');
    await ask('list=crates&crall=&crlimit=40');
    await ask('list=crates&crlimit=40');
    expect(seen).toEqual([5, 30, 30, 40]);
  });
});

test('the example is a working request, in every use', async () => {
  const ask = await asking([
    list({
      generator: true,
      example: { parameters: { shelf: 'A:1 left' } },
      parameters: { shelf: { type: 'string', required: true } },
    }),
    () => [],
  ]);
  const { paraminfo } = await ask('action=paraminfo&modules=query%2Bcrates&helpformat=raw');
  expect(JSON.stringify(paraminfo)).toContain('action=query&list=crates&crshelf=A:1%20left');
  expect(JSON.stringify(paraminfo)).toContain('action=query&generator=crates&gcrshelf=A:1%20left&prop=info');
});

test('a description with an unknown parameter throws at construction', async () => {
  for (const more of [
    { continueWith: 'nosuch' },
    { result: { place: 'results', namedBy: 'nosuch' } },
    { example: { parameters: { nosuch: 'A' } } },
  ] as const) {
    await expect(asking([list(more), () => []])).rejects.toThrow(/"crates" .*"nosuch"/);
  }
});

test('thousands of values are read in linear time, if a module accepts so many', async () => {
  const kind = { type: 'string', multi: true, lowlimit: 100_000 } as const;
  const module = defineModule({ name: 'crates', group: 'list', prefix: 'cr', parameters: { kind } });
  const host = await startQuery({
    customModules: [customModule(module, ({ params }) => [{ count: params.kind?.length }])],
  });
  const body = new URLSearchParams({ crkind: Array.from({ length: 100_000 }, (_, n) => n).join('|') });
  const before = process.cpuUsage();
  const { json } = await host.raw('action=query&format=json&list=crates', { method: 'POST', body });
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(2_000);
  expect(json['query']?.['crates']).toEqual([{ count: 100_000 }]);
});

test('facts about a module do not widen the types of its parameters', () => {
  const module = defineModule({
    name: 'crates',
    group: 'list',
    prefix: 'cr',
    rules: [() => {}],
    result: { contentKey: 'label' },
    parameters: { kind: { type: ['wood', 'tin'], default: 'wood', checkedByRule: true } },
  });
  customModule(module, ({ params }) => {
    expectTypeOf(params.kind).toEqualTypeOf<'wood' | 'tin'>();
    return [];
  });
});
