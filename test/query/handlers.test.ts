import { describe, expect, expectTypeOf, test } from 'vitest';
import { message } from '../../src/core/query/answer/messages.js';
import {
  ApiError,
  badContinue,
  type ModuleHandlers,
  type PageSet,
  verifyCsrfToken,
} from '../../src/core/query/index.js';
import { SIZES } from '../../src/core/query/sizes.js';
import { constantsOfTest } from '../oauth/support/limits.js';
import { everyRow } from '../rows.js';
import { type Json, NOW, SERVER_SECRET, startQuery } from './fixture.js';

const ALL = { action: 'query', formatversion: '2', errorformat: 'plaintext' } as const;

describe('the arguments of a handler', () => {
  test('typed parameters, the limit of the caller, the continue value, and the caller', async () => {
    const seen: unknown[] = [];
    const modules: ModuleHandlers = {
      allpages: ({ params, limit, continue: from, caller, signal, site, clock, role }) => {
        expectTypeOf(params.dir).toEqualTypeOf<'ascending' | 'descending'>();
        expectTypeOf(params.namespace).toEqualTypeOf<number>();
        expectTypeOf(params.from).toEqualTypeOf<string | undefined>();
        const given = { params: { ...params }, limit, from, name: caller?.name, role };
        seen.push({ ...given, aborted: signal.aborted, site: site.name, now: clock() });
        return [];
      },
    };
    const host = await startQuery({ modules });
    await host.get({ ...ALL, list: 'allpages', aplimit: 'max', apcontinue: 'B', apprtype: 'edit|move' }, { as: 'bot' });
    await host.get({ ...ALL, generator: 'allpages' });
    expect(seen).toEqual([
      {
        params: {
          ...{ continue: 'B', namespace: 0, filterredir: 'all', filterlanglinks: 'all', prtype: ['edit', 'move'] },
          ...{ prfiltercascade: 'all', prexpiry: 'all', limit: 5000, dir: 'ascending' },
        },
        ...{ limit: 5000, from: 'B', name: 'HighBot', aborted: false, site: 'Fruit', now: NOW, role: 'module' },
      },
      expect.objectContaining({ limit: 10, from: undefined, name: undefined, role: 'generator' }),
    ]);
  });

  test('a prop module receives the pages, and is not called without any', async () => {
    const seen: PageSet[] = [];
    const note = ({ pages }: { readonly pages: PageSet }) => {
      seen.push(pages);
      return { pages: {} };
    };
    const host = await startQuery({
      modules: { links: note, info: note },
      resolvePages: ({ titles }) => (titles.includes('Apple') ? [{ pageid: 1, ns: 0, title: 'Apple' }] : []),
    });
    await host.get({ ...ALL, prop: 'links', titles: 'Nope' });
    expect(seen).toEqual([]);
    await host.get({ ...ALL, prop: 'info', titles: 'Nope' });
    expect(seen[0]).toMatchObject({ existing: [], missing: [{ id: -1, ns: 0, title: 'Nope' }] });
    await host.get({ ...ALL, prop: 'links', titles: 'Apple' });
    expect(seen[1]).toMatchObject({ existing: [{ id: 1, pageid: 1, ns: 0, title: 'Apple' }] });
  });
});

describe('an error of a handler only affects its own data', () => {
  const good: ModuleHandlers = { allusers: () => [{ userid: 1, name: 'Alice' }] };
  const ask = async (allpages: unknown, timeout = 10_000) => {
    const modules = { ...good, allpages } as ModuleHandlers;
    const host = await startQuery({ modules, timeout });
    const { json, text, status } = await host.get({ ...ALL, list: 'allpages|allusers' });
    await host.close();
    return { json, text, status, errors: host.errors };
  };
  const SECRET = 'connection to 10.0.0.7 refused';

  const thrown = (reason: unknown) => () => {
    throw reason;
  };
  test.each<[string, unknown]>([
    ['throws', thrown(new Error(SECRET))],
    ['rejects', () => Promise.reject(new Error(SECRET))],
    ['throws something that is no error', thrown(SECRET)],
  ])('%s', async (_title, handler) => {
    const { json, text, errors } = await ask(handler);
    expect(json['query']).toEqual({ allusers: [{ userid: 1, name: 'Alice' }] });
    expect(json['warnings']).toEqual([
      { code: 'modulefailed', text: 'The module "allpages" could not answer.', module: 'query+allpages' },
    ]);
    expect(text).not.toContain(SECRET);
    expect(errors.map(String).join()).toContain(SECRET);
  });

  test('never responds: after the deadline, its signal is aborted', async () => {
    let signal: AbortSignal | undefined;
    const { json, errors } = await ask((request: { signal: AbortSignal }) => {
      signal = request.signal;
      return new Promise(() => {});
    }, 20);
    expect(json['query']).toEqual({ allusers: [{ userid: 1, name: 'Alice' }] });
    expect(json['warnings']).toEqual([
      { code: 'moduletimeout', text: 'The module "allpages" did not answer in time.', module: 'query+allpages' },
    ]);
    expect(signal?.aborted).toBe(true);
    expect(errors.map(String)).toEqual([expect.stringContaining('within 20 ms (query: options.timeout)')]);
  });

  test('has its signal aborted after the response, also if it was in time', async () => {
    let signal: AbortSignal | undefined;
    const { json } = await ask((request: { signal: AbortSignal }) => {
      signal = request.signal;
      return { items: [] };
    });
    expect(json['warnings']).toBeUndefined();
    await expect.poll(() => signal?.aborted).toBe(true);
  });

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'x'],
    ['a list of texts', ['x']],
    ['items that are none', { items: 'x' }],
    ['a list of lists', [[]]],
    ['a position that cannot be written', { items: [], continue: true }],
    ['an endless position', { items: [], continue: Number.NaN }],
  ])('returns %s', async (_title, value) => {
    const { json, errors } = await ask(() => value);
    expect(json['query']).toEqual({ allusers: [{ userid: 1, name: 'Alice' }] });
    expect(json['warnings']).toEqual([
      {
        code: 'badresult',
        text: 'The module "allpages" gave a result of the wrong shape, which was left out.',
        module: 'query+allpages',
      },
    ]);
    expect(errors).toHaveLength(1);
  });

  test('returns more than requested: the rest is left out and reported', async () => {
    const { json, errors } = await ask(() => Array.from({ length: 11 }, (_one, pageid) => ({ pageid })));
    expect(json['query']?.['allpages']).toHaveLength(10);
    expect(String(errors[0])).toContain('11 items');
  });

  test('returns too much: it is called again for smaller parts; a single part that is too large is left out, with a warning', async () => {
    const limits: number[] = [];
    constantsOfTest(SIZES, { response: 5_000 });
    let calls = 0;
    const host = await startQuery({
      modules: {
        allpages: ({ limit, continue: from = '0' }) => {
          limits.push(limit);
          const title = 'x'.repeat(400);
          const items = Array.from({ length: limit }, (_one, index) => ({ pageid: Number(from) + index, title }));
          return { items, continue: Number(from) + limit };
        },
        allusers: () => ((calls += 1), [{ name: 'y'.repeat(9_000) }]),
      },
    });
    await host.get({ ...ALL, list: 'allusers' });
    expect(calls).toBe(3);
    const { json, text } = await host.get({ ...ALL, list: 'allpages', aplimit: '50' });
    const next = Number(json['continue']?.['apcontinue']);
    const tooMuch = await host.get({ ...ALL, list: 'allusers|allpages', meta: 'siteinfo', aplimit: '5' });
    const titles = Array.from({ length: 50 }, (_one, index) => `${index}${'x'.repeat(99)}`).join('|');
    const noRoom = await host.get({ ...ALL, titles });
    expect(text.length).toBeLessThanOrEqual(5_000);
    expect(json['query']?.['allpages']).toHaveLength(next);
    expect(next).toBeGreaterThan(5);
    expect(limits[0]).toBe(50);
    expect(Object.keys(tooMuch.json['query'] ?? {})).toEqual(['allpages', 'general']);
    expect(tooMuch.json['warnings']).toContainEqual({
      code: 'truncatedresult',
      text: 'This result was truncated because it would otherwise be larger than the limit of 5,000 bytes.',
      module: 'result',
    });
    expect(noRoom.json['errors']).toMatchObject([{ code: 'badconfig' }]);
  });

  test('is a prop or meta module', async () => {
    const modules = { links: () => ({ pages: 'x' }), allmessages: () => ({}) } as unknown as ModuleHandlers;
    const host = await startQuery({ modules, resolvePages: () => [{ pageid: 1, ns: 0, title: 'Apple' }] });
    const { json } = await host.get({ ...ALL, titles: 'Apple', prop: 'links', meta: 'allmessages' });
    expect(json['query']).toEqual({ pages: [{ pageid: 1, ns: 0, title: 'Apple' }] });
    expect(json['warnings']).toMatchObject([{ code: 'badresult' }, { code: 'badresult' }]);
  });

  test('returns unrequested pages, which are ignored', async () => {
    const host = await startQuery({
      modules: {
        links: () => ({
          pages: new Map([
            [1, []],
            [2, [{ ns: 0, title: 'X' }]],
          ]),
        }),
      },
      resolvePages: () => [{ pageid: 1, ns: 0, title: 'Apple' }],
    });
    expect((await host.get({ ...ALL, titles: 'Apple', prop: 'links' })).json['query']).toEqual({
      pages: [{ pageid: 1, ns: 0, title: 'Apple', links: [] }],
    });
  });

  test('a page resolver that fails is an error of the request, without its message', async () => {
    const host = await startQuery({ resolvePages: thrown(new Error(SECRET)) });
    const { json, text } = await host.get({ action: 'query', titles: 'Apple' });
    expect(json['error']).toMatchObject({
      code: 'internal_api_error_Error',
      info: '[abababababababababababab] Caught exception of type Error',
      errorclass: 'Error',
    });
    expect(text).not.toContain(SECRET);
    expect(String(host.errors[0])).toContain(SECRET);
  });

  test('an ApiError is sent to the client unchanged', async () => {
    const errorsOf = async (error: ApiError) => (await ask(thrown(error))).json['errors'];
    expect(await errorsOf(badContinue())).toMatchObject([{ code: 'badcontinue', module: 'query+allpages' }]);
    expect(await errorsOf(new ApiError('nosuchpageid', message('apierror-nosuchpageid', 5)))).toEqual([
      { code: 'nosuchpageid', text: 'There is no page with ID 5.', module: 'query+allpages' },
    ]);
    expect(
      await errorsOf(new ApiError('notripe', 'The <b>apples</b> are not $1 ripe.', { data: { days: 3 } })),
    ).toEqual([{ code: 'notripe', text: 'The apples are not $1 ripe.', data: { days: 3 }, module: 'query+allpages' }]);
  });

  test('of two errors, that of the first named module is returned, whichever comes first', async () => {
    const later = async () => {
      await new Promise((resolve) => void setImmediate(resolve));
      throw new ApiError('first', message('apierror-badcontinue'));
    };
    const host = await startQuery({
      modules: {
        allpages: later,
        allusers: thrown(new ApiError('second', message('apierror-badcontinue'))),
      },
    });
    expect((await host.get({ action: 'query', list: 'allpages|allusers' })).json['error']?.['code']).toBe('first');
  });
});

describe('a module without a handler', () => {
  test('is parsed, returns nothing and says so', async () => {
    const host = await startQuery({ resolvePages: () => [{ pageid: 1, ns: 0, title: 'Apple' }] });
    const asked = { titles: 'Apple', prop: 'pageprops', list: 'allpages', meta: 'filerepoinfo' };
    const { json } = await host.get({ ...ALL, ...asked });
    expect(json['query']).toEqual({ pages: [{ pageid: 1, ns: 0, title: 'Apple' }], allpages: [], repos: [] });
    expect(new Set(json['warnings'] as unknown as Json[])).toEqual(
      new Set(
        ['allpages', 'filerepoinfo', 'pageprops'].map((name) =>
          expect.objectContaining({ code: 'nohandler', module: `query+${name}` }),
        ),
      ),
    );
  });

  test('with missing: error, the request is rejected', async () => {
    const host = await startQuery({ unanswered: 'error' });
    expect((await host.get({ action: 'query', list: 'allpages' })).json['error']).toMatchObject({
      code: 'moduledisabled',
      info: 'The "allpages" module has been disabled.',
    });
    expect((await host.get({ action: 'query', meta: 'siteinfo' })).json['error']).toBeUndefined();
  });
});

describe('built-in modules', () => {
  test('siteinfo: the members that clients read', async () => {
    const host = await startQuery({
      site: { name: 'Fruit', statistics: { pages: 7 }, server: 'https://fruit.example' },
    });
    const ask = async (siprop: string, formatversion = '1') =>
      (await host.get({ action: 'query', meta: 'siteinfo', siprop, formatversion })).json['query'];
    const v1 = await ask('general|namespaces|namespacealiases|statistics');
    expect(v1?.['general']).toMatchObject({
      ...{ sitename: 'Fruit', mainpage: 'Main Page', lang: 'zh-cn', variantarticlepath: false },
      base: 'https://fruit.example/wiki/Main_Page',
      generator: expect.stringMatching(/^MediaWiki 1\.\d+\.\d+/),
      time: '2024-05-06T07:08:09Z',
    });
    expect(v1?.['general']).not.toHaveProperty('readonly');
    const talk = { id: 1, case: 'first-letter', '*': 'Talk', subpages: '', canonical: 'Talk' };
    expect(v1?.['namespaces']?.[1]).toEqual(talk);
    expect(v1?.['namespaces']?.[0]).not.toHaveProperty('canonical');
    expect(v1?.['namespacealiases']).toContainEqual({ id: 6, '*': 'Image' });
    expect(v1?.['statistics']).toMatchObject({ pages: 7, articles: 0 });
    expect((await ask('namespaces', '2'))?.['namespaces']?.[1]).toMatchObject({
      ...{ id: 1, name: 'Talk', subpages: true, content: false },
    });
  });

  test('userinfo: an anonymous caller, and the owner of the token', async () => {
    const groups = { patroller: ['patrol', 'bot'], eraser: ['patrol', 'undelete'] };
    const host = await startQuery({ site: { name: 'Fruit', language: 'en', groups } });
    const ask = async (as?: string) =>
      (await host.get({ action: 'query', meta: 'userinfo', uiprop: 'rights|groups' }, as === undefined ? {} : { as }))
        .json['query']?.['userinfo'];
    expect(await ask()).toEqual({ id: 0, name: '127.0.0.1', anon: '', rights: ['read'], groups: ['*'] });
    expect(await ask('bot')).toMatchObject({
      name: 'HighBot',
      rights: ['read', 'apihighlimits', 'bot', 'deletedhistory', 'patrol'],
      groups: ['patroller', '*', 'user'],
    });
    expect(await ask('alice')).toMatchObject({ groups: ['*', 'user'] });
  });

  test('tokens: bound to the type and the caller; for anonymous callers only the suffix', async () => {
    const host = await startQuery();
    const ask = async (as?: string) =>
      (await host.get({ action: 'query', meta: 'tokens', type: '*' }, as === undefined ? {} : { as })).json['query']?.[
        'tokens'
      ] as unknown as Record<string, string>;
    const nobody = await ask();
    expect(nobody['csrftoken']).toBe('+\\');
    expect(nobody['logintoken']).toMatch(/^[0-9a-f]{40}\+\\$/);
    const [alice, bot] = [await ask('alice'), await ask('bot')];
    expect(alice['csrftoken']).toMatch(/^[0-9a-f]{40}\+\\$/);
    expect(new Set([...Object.values(alice), ...Object.values(bot)]).size).toBe(14);
    const authorization = { sub: 'Alice', client_id: 'test' };
    const check = { secret: SERVER_SECRET, type: 'csrf', authorization, now: NOW, maxAge: 60 };
    const csrf = alice['csrftoken'] ?? '';
    await everyRow(
      [
        [true, csrf, {}],
        [false, alice['watchtoken'] ?? '', {}],
        [false, bot['csrftoken'] ?? '', {}],
        [false, csrf, { now: NOW + 61_000 }],
        [false, '+\\', {}],
        [false, csrf, { authorization: { sub: 'Alice', client_id: 'x' } }],
        [false, csrf, { secret: 'another secret' }],
        [true, csrf, { secret: ['a new secret', SERVER_SECRET] }],
      ] as const,
      ([isValid, token, more]) => expect(verifyCsrfToken(token, { ...check, ...more })).toBe(isValid),
    );
  });

  test('codexicons and languageinfo', async () => {
    const host = await startQuery({
      languages: { en: { autonym: 'English' }, he: { autonym: 'עברית', name: 'Hebrew' } },
    });
    expect((await host.get({ ...ALL, list: 'codexicons', names: 'cdxIconAdd' })).json['query']).toEqual({
      codexicons: [{ name: 'cdxIconAdd' }],
    });
    expect((await host.get({ ...ALL, meta: 'languageinfo', liprop: 'name|dir' })).json['query']).toEqual({
      languageinfo: { en: { name: 'English', dir: 'ltr' }, he: { name: 'Hebrew', dir: 'rtl' } },
    });
  });
});

describe('the structure of the data', () => {
  test('in formatversion 1 the content of an object is *', async () => {
    const modules = {
      allcategories: () => [{ category: 'Fruit', size: 3, hidden: true }],
      watchlistraw: () => [{ ns: 0, title: 'A' }],
      querypage: () => ({ items: [{ value: '0', ns: 0, title: 'A' }], extra: { cached: true, maxresults: 5 } }),
      search: () => ({ items: [{ ns: 0, title: 'A' }], extra: { searchinfo: { totalhits: 1 } } }),
      langlinks: () => ({ pages: { 1: [{ lang: 'de', title: 'Apfel' }] } }),
      contributors: () => ({ pages: { 1: { anoncontributors: 2, contributors: [{ userid: 1, name: 'Alice' }] } } }),
      categoryinfo: () => ({ pages: { 1: { size: 3, hidden: false } } }),
      revisions: () => ({ pages: { 1: [{ revid: 9, minor: true, slots: { main: { content: 'text' } } }] } }),
    } satisfies ModuleHandlers;
    const host = await startQuery({ modules, resolvePages: () => [{ pageid: 1, ns: 0, title: 'Apple' }] });
    const lists = { list: 'allcategories|watchlistraw|querypage|search', qppage: 'Shortpages', srsearch: 'x' };
    const props = { titles: 'Apple', prop: 'langlinks|contributors|categoryinfo|revisions', rvslots: 'main' };
    const { json } = await host.get({ action: 'query', ...lists, ...props }, { as: 'alice' });
    expect(json).toEqual({
      batchcomplete: '',
      query: {
        pages: {
          1: {
            pageid: 1,
            ns: 0,
            title: 'Apple',
            langlinks: [{ lang: 'de', '*': 'Apfel' }],
            anoncontributors: 2,
            contributors: [{ userid: 1, name: 'Alice' }],
            categoryinfo: { size: 3 },
            revisions: [{ revid: 9, minor: '', slots: { main: { '*': 'text' } } }],
          },
        },
        allcategories: [{ '*': 'Fruit', size: 3, hidden: '' }],
        querypage: { name: 'Shortpages', cached: '', maxresults: 5, results: [{ value: '0', ns: 0, title: 'A' }] },
        searchinfo: { totalhits: 1 },
        search: [{ ns: 0, title: 'A' }],
      },
      watchlistraw: [{ ns: 0, title: 'A' }],
    });
  });
});

describe('many modules in one request', () => {
  const LISTS = {
    ...{ allpages: 'ap', allcategories: 'ac', alllinks: 'al', alltransclusions: 'at', allredirects: 'ar' },
    ...{ allusers: 'au', pagepropnames: 'ppn', recentchanges: 'rc', logevents: 'le', random: 'rn' },
  };
  const max = Object.fromEntries(Object.values(LISTS).map((prefix) => [`${prefix}limit`, 'max']));

  test('share 2,500 results, and a module alone has its own limit', async () => {
    const limits = new Map<string, number>();
    const modules = Object.keys(LISTS).map((name) => [
      name,
      ({ limit }: { readonly limit: number }) => (limits.set(name, limit), []),
    ]);
    const host = await startQuery({ modules: Object.fromEntries(modules) as ModuleHandlers });
    await host.get({ ...ALL, ...max, list: 'allpages|allcategories|alllinks|alltransclusions|allredirects' });
    expect([...limits.values()]).toEqual([500, 500, 500, 500, 500]);
    await host.get({ ...ALL, ...max, list: Object.keys(LISTS).join('|') });
    expect([...limits.values()]).toEqual(Array.from({ length: 10 }, () => 250));
    await host.get({ ...ALL, ...max, list: 'allpages' }, { as: 'bot' });
    expect(limits.get('allpages')).toBe(5_000);
    await host.get({ ...ALL, ...max, list: 'allpages|alllinks' }, { as: 'bot' });
    expect([limits.get('allpages'), limits.get('alllinks')]).toEqual([1_250, 1_250]);
    for (const [more, pages] of [
      [{}, 2_500],
      [{ prop: 'info' }, 1_250],
      [{ prop: 'info|links', pllimit: '1' }, 833],
      [{ export: '1' }, 500],
    ] as const) {
      await host.get({ action: 'query', generator: 'allpages', gaplimit: 'max', ...more }, { as: 'bot' });
      expect(limits.get('allpages')).toBe(pages);
    }
  });

  test('let other requests run before they have all started, and a failure is one of its module', async () => {
    const order: string[] = [];
    const modules: ModuleHandlers = Object.fromEntries(
      Object.keys(LISTS).map((name, index) => [
        name,
        () => {
          if (index === 0) setImmediate(() => order.push('another request'));
          order.push(name);
          if (index === 1) throw new ApiError('broken', 'This module is broken.');
          return [];
        },
      ]),
    );
    const host = await startQuery({ modules });
    const { json } = await host.get({ ...ALL, list: Object.keys(LISTS).join('|') });
    expect(json['errors']).toMatchObject([{ code: 'broken', module: 'query+allcategories' }]);
    expect(order).toHaveLength(11);
    expect(order.indexOf('another request')).toBeLessThan(order.length - 1);
  });
});
