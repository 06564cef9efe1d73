import { describe, expect, test, vi } from 'vitest';
import type { ModuleRequest } from '../../../src/core/query/index.js';
import { startQuery } from '../fixture.js';
import { badInteger, badTitle, conditions, CONT, Hosts, mix, needsOneOf, notWith, outOfRange, PAGES } from './rows.js';

const hosts = new Hosts();

describe('names in texts', () => {
  hosts.refuse([
    ['names-1', 'list=usercontribs&ucuserprefix=A&ucuser=Alice', ...mix('ucuser', 'ucuserprefix')],
    ['names-2', 'list=users&ususerids=&ususers=', ...mix('ususers', 'ususerids')],
    ['names-3', 'generator=categorymembers', ...needsOneOf('gcmtitle', 'gcmpageid')],
    ['names-4', 'generator=alldeletedrevisions&gadruser=Alice&gadrfrom=A', ...notWith('adrfrom', 'adruser')],
  ]);
});

describe('values', () => {
  hosts.give([
    [
      'values-1',
      'meta=tokens&type=%1F*',
      { type: ['createaccount', 'csrf', 'login', 'patrol', 'rollback', 'userrights', 'watch'] },
    ],
    ['values-2', 'list=recentchanges&rcuser=User:%20_192.0.2.1%E2%80%8E', { user: '192.0.2.1' }],
    [
      'values-3',
      'list=recentchanges&rcstart=Tuesday,%2031-Jul-12%2021:01:08%20CEST',
      { start: '2012-07-31T19:01:08Z' },
    ],
  ]);
  hosts.refuse([['values-4', 'list=users&ususerids=9007199254740993', ...badInteger('ususerids', '9007199254740993')]]);

  test('values-5: a user ID is the name that the application finds', async () => {
    const asked: unknown[] = [];
    const host = await startQuery({
      resolveUsers: (ids) => {
        asked.push(ids);
        return Promise.resolve(new Map([[5, 'Alice']]));
      },
      modules: {
        recentchanges: ({ params }) => [{ user: params.user ?? '', other: params.excludeuser ?? '' }],
        users: () => [],
      },
    });
    const usersOf = async (query: string): Promise<unknown> =>
      (await host.raw(`action=query&format=json&formatversion=2&list=recentchanges&${query}`)).json['query']?.[
        'recentchanges'
      ];
    expect(await usersOf('rcuser=%23005')).toEqual([{ user: 'Alice', other: '' }]);
    expect(await usersOf('rcexcludeuser=%237')).toEqual([{ user: '', other: 'Unknown user' }]);
    expect(await usersOf('rcuser=%230')).toEqual([{ user: 'Unknown user', other: '' }]);
    expect(await usersOf('rcuser=Alice')).toEqual([{ user: 'Alice', other: '' }]);
    expect(asked).toEqual([[5], [7]]);
    const { json } = await hosts.noting('list=recentchanges&rcuser=%235');
    expect(json['errors']).toBeUndefined();
    expect(hosts.asked.get('recentchanges')?.params['user']).toBe('Unknown user');
  });

  test('of pages and revisions, also for a single page', async () => {
    for (const query of ['pageids=', 'revids=', 'list=backlinks&blpageid=']) {
      const { json } = await hosts.bare(`${query}9007199254740993`);
      expect(conditions(json, 'errors').map(({ code }) => code)).toEqual(['badinteger']);
    }
  });
});

describe('continue values', () => {
  hosts.refuse([
    ['continue-1', 'list=recentchanges&rccontinue=20240101000000|1|2', ...CONT],
    ['continue-2', 'list=logevents&lecontinue=', ...CONT],
    ['continue-3', 'list=recentchanges&rccontinue=20240101000000|5.0', ...CONT],
    ['continue-4', 'list=recentchanges&rccontinue=2024-01-01T00:00:00Z|5', ...CONT],
    ['continue-5', 'list=search&srsearch=A&sroffset=abc', ...badInteger('sroffset', 'abc')],
  ]);
  hosts.give([['continue-7', 'prop=iwlinks&titles=Nope&iwcontinue=abc', 'nothing']]);

  test('continue-6: a module without `continue` continues with another parameter', async () => {
    const host = await startQuery({ modules: { allusers: () => ({ items: [], continue: 'Bob' }) } });
    const { json } = await host.get({ action: 'query', list: 'allusers' });
    expect(json['continue']).toEqual({ aufrom: 'Bob', continue: '-||' });
  });

  test('continue-8: handlers define their own values', async () => {
    const { json } = await hosts.noting('list=recentchanges&rccontinue=2024-01-01T00:00:00Z|5');
    expect(json['errors']).toBeUndefined();
    expect(hosts.asked.get('recentchanges')?.params['continue']).toBe('2024-01-01T00:00:00Z|5');
  });
});

describe('prefixes of titles', () => {
  hosts.refuse([
    ['parts-1', 'list=allpages&apfrom=[bad', ...badTitle('[bad')],
    ['parts-2', 'list=allpages&apto=A%23B', ...badTitle('A#B')],
    ['parts-3', 'list=allpages&apprefix=wikipedia:A', ...badTitle('wikipedia:A')],
    ['parts-4', 'list=allpages&apnamespace=1&apfrom=Talk:A', ...badTitle('Talk:A')],
    ['parts-6', 'list=allpages&apprefix=[&apto=]', ...badTitle(']')],
  ]);
  hosts.give([
    ['parts-5', 'list=allpages&apfrom=&apnamespace=14', { from: '' }],
    ['parts-7', 'list=allpages&apfrom=B&apto=A', { from: 'B', to: 'A' }],
    ['parts-8', 'list=allpages&apfrom=B&apto=A&apdir=descending', { dir: 'descending' }],
  ]);
});

describe('silent narrowing', () => {
  hosts.give([
    ['narrowing-1', 'list=recentchanges&rctag=nosuch', { tag: 'nosuch' }],
    ['narrowing-4', 'list=protectedtitles&ptnamespace=', { namespace: undefined }],
    ['narrowing-5', 'prop=transcludedin&titles=Apple&tinamespace=', 'nothing'],
    ['narrowing-7', 'list=allpages&apmaxsize=5', { maxsize: 5 }],
  ]);
  test('narrowing-6: allrevisions in no namespace finds nothing', async () => {
    const { json } = await hosts.bare('list=allrevisions&arvnamespace=');
    expect([json['errors'], json['query']?.['allrevisions']]).toEqual([undefined, []]);
  });
  test('narrowing-2: a handler receives the rights of the caller', async () => {
    const usercontribs = vi.fn((_request: ModuleRequest<object>) => []);
    const host = await startQuery({ modules: { usercontribs } });
    await host.get({ action: 'query', list: 'usercontribs', ucuser: 'Bob' }, { as: 'bot' });
    expect(usercontribs.mock.calls[0]?.[0].caller?.rights).toContain('deletedhistory');
  });
  test('narrowing-8: a list without rows is an empty list', async () => {
    expect((await hosts.noting('list=allpages')).json['query']).toEqual({ allpages: [] });
  });
  test('narrowing-9: linterrors and trackingcategories without rows are omitted', async () => {
    expect((await hosts.noting('list=linterrors|trackingcategories')).json['query']).toBeUndefined();
  });
});

describe('generators', () => {
  hosts.refuse([
    [
      'generator-2',
      'generator=recentchanges&grcshow=patrolled',
      'permissiondenied',
      'You need the "patrol" or "patrolmarks" right to request the patrolled flag.',
    ],
  ]);
  hosts.give([
    [
      'generator-1',
      'generator=alldeletedrevisions&gadrprop=content|comment&gadrslots=main&gadrparse=',
      { prop: ['content', 'comment'] },
    ],
  ]);

  test('generator-3: a list ignores the pages of the request, but they must be valid', async () => {
    const { json } = await hosts.noting('generator=allpages&titles=Apple&pageids=1');
    expect(conditions(json, 'errors')).toMatchObject([{ code: 'multisource' }]);
    expect((await hosts.noting('generator=allpages&titles=Apple')).json['query']).toBeUndefined();
  });

  test('generator-4: while a prop module has more, the continuation repeats the same batch', async () => {
    const host = await startQuery({
      modules: {
        random: () => ({ items: [{ id: 1, ns: 0, title: 'Apple' }], start: '0.5|0.5|1|0', continue: '0.6|0.5|2|0' }),
        links: () => ({ pages: {}, continue: '1|0|B' }),
      },
      resolvePages: () => PAGES.slice(0, 1),
    });
    const { json } = await host.get({ action: 'query', generator: 'random', prop: 'links' });
    const raw = await host.get({ action: 'query', generator: 'random', prop: 'links', rawcontinue: '' });
    expect(json['continue']).toEqual({ plcontinue: '1|0|B', grncontinue: '0.5|0.5|1|0', continue: 'grncontinue||' });
    expect(raw.json['query-noncontinue']).toEqual({ random: { grncontinue: '0.5|0.5|1|0' } });
  });

  test('generator-5: the rank continues over batches, and a redirect passes it to its target', async () => {
    const titles: Readonly<Record<string, string>> = { A: 'Apple', B: 'Banana' };
    const host = await startQuery({
      modules: { search: () => ['B', 'A', 'Banana'].map((title) => ({ ns: 0, title })) },
      resolvePages: ({ titles: wanted }) => [
        ...PAGES.filter(({ title }) => wanted.includes(title)),
        ...wanted.flatMap((title, index) => {
          const to = titles[title];
          return to === undefined ? [] : [{ pageid: 90 + index, ns: 0, title, redirect: { to } }];
        }),
      ],
    });
    const asked = { generator: 'search', gsrsearch: 'x', gsroffset: '20', redirects: '', formatversion: '2' };
    const { json } = await host.get({ action: 'query', ...asked });
    expect(json['query']?.['pages']).toMatchObject([
      { title: 'Apple', index: 22 },
      { title: 'Banana', index: 21 },
    ]);
    expect(json['query']?.['redirects']).toEqual([
      { from: 'B', to: 'Banana', index: 21 },
      { from: 'A', to: 'Apple', index: 22 },
    ]);
  });

  test('generator-7: pages are in the order of their ids', async () => {
    const host = await startQuery({
      modules: { search: () => [2, 1].map((pageid) => ({ pageid, ns: 0, title: pageid === 1 ? 'Apple' : 'Banana' })) },
    });
    const { json } = await host.get({ action: 'query', generator: 'search', gsrsearch: 'x', formatversion: '2' });
    expect(json['query']?.['pages']).toEqual([
      { pageid: 1, ns: 0, title: 'Apple', index: 2 },
      { pageid: 2, ns: 0, title: 'Banana', index: 1 },
    ]);
  });

  test.each(['tags', 'allusers', 'info', ''])('generator-8: "%s" is not a generator', async (name) => {
    const { json } = await hosts.bare(`generator=${name}`);
    expect(conditions(json, 'errors')).toMatchObject([{ code: 'badgenerator', module: 'query' }]);
  });

  test('generator-6: fewer pages than the limit are not an error', async () => {
    const host = await startQuery({ modules: { allpages: () => ({ items: [], continue: 'B' }) } });
    const { json } = await host.get({ action: 'query', generator: 'allpages', prop: 'info' });
    expect(json['continue']).toEqual({ gapcontinue: 'B', continue: 'gapcontinue||' });
    expect(json['error']).toBeUndefined();
  });
});

describe('revisions and their properties', () => {
  const base = 'prop=revisions&titles=Apple';
  hosts.refuse([
    ['revision-1', `${base}&rvslots=main&rvprop=parsetree`, ...notWith('rvprop=parsetree', 'rvslots')],
    ['revision-2', `${base}&rvslots=main&rvdiffto=prev&rvgeneratexml=`, ...notWith('rvgeneratexml', 'rvslots')],
    [
      'revision-4',
      `${base}&rvdiffto=-1`,
      'diffto',
      '"rvdiffto" must be set to a non-negative number, "prev", "next" or "cur".',
    ],
  ]);
  hosts.warn([
    ['revision-8', `${base}&rvprop=content&rvlimit=51`, ...outOfRange('rvlimit', 51, 1, 50)],
    [
      'revision-9',
      'list=allrevisions&arvprop=slotsize',
      'deprecation',
      'Because "arvslots" was not specified, a legacy format has been used for the output. This format is deprecated, and in the future the new format will always be used.',
    ],
  ]);
  hosts.give([
    ['revision-3', `${base}&rvdifftotext=x&rvdiffto=nonsense`, { diffto: undefined, difftotext: 'x' }],
    ['revision-7', `${base}&rvparse=&rvlimit=max`, { limit: 1 }],
    ['revision-10', `${base}&rvsection=zzz&rvprop=content&rvslots=main`, { section: 'zzz' }],
    ['revision-15', `${base}&rvsection=1&rvcontentformat=text/plain`, { contentformat: 'text/plain' }],
  ]);

  test('revision-5: 10 by default, at most 500, or 5,000 with the right', async () => {
    const limits: unknown[] = [];
    for (const [query, as] of [
      ['', undefined],
      ['&arvlimit=max', undefined],
      ['&arvlimit=max', 'bot'],
    ] as const) {
      await hosts.noting(`list=allrevisions${query}`, as);
      limits.push(hosts.asked.get('allrevisions')?.limit);
    }
    expect(limits).toEqual([10, 500, 5000]);
  });

  test('revision-6: `max` with content is 50, or 500 with the right, and the response says so', async () => {
    const found: unknown[] = [];
    for (const as of [undefined, 'bot'] as const) {
      const { json } = await hosts.noting('list=allrevisions&arvlimit=max&arvprop=content&arvslots=main', as);
      found.push([hosts.asked.get('allrevisions')?.limit, json['limits']]);
    }
    expect(found).toEqual([
      [50, { allrevisions: 50 }],
      [500, { allrevisions: 500 }],
    ]);
  });

  test('revision-16: a site without comparisons says so', async () => {
    const revisions = (item: object) =>
      startQuery({ modules: { revisions: () => ({ pages: { 1: [item] } }) }, resolvePages: () => PAGES.slice(0, 1) });
    const ask = { action: 'query', prop: 'revisions', titles: 'Apple', rvdiffto: 'prev', errorformat: 'none' };
    const codes: unknown[] = [];
    for (const item of [{ revid: 11 }, { revid: 11, diff: {} }]) {
      const host = await revisions(item);
      codes.push(conditions((await host.get({ ...ask, formatversion: '2' })).json, 'warnings').map(({ code }) => code));
    }
    expect(codes).toEqual([
      ['deprecation', 'deprecation-help', 'deprecation', 'nodiff'],
      ['deprecation', 'deprecation-help', 'deprecation'],
    ]);
  });
});
