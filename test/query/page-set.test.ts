import { describe, expect, test } from 'vitest';
import type { PageQuery, PageRecord } from '../../src/core/query/index.js';
import { useStarted } from '../hosts/listen.js';
import { startQuery } from './fixture.js';

const PAGES: readonly PageRecord[] = [
  { pageid: 15, ns: 0, title: 'Apple', revids: [151] },
  { pageid: 16, ns: 0, title: 'Main Page' },
  { pageid: 17, ns: 1, title: 'Talk:Apple' },
  { pageid: 20, ns: 0, title: 'Short', redirect: { to: 'Shorter' } },
  { pageid: 21, ns: 0, title: 'Shorter', redirect: { to: 'Apple', fragment: 'Taste' } },
  { pageid: 22, ns: 0, title: 'Circle', redirect: { to: 'Round' } },
  { pageid: 23, ns: 0, title: 'Round', redirect: { to: 'Circle' } },
  { pageid: 24, ns: 0, title: 'Nowhere', redirect: { to: 'Gone' } },
  { pageid: 26, ns: 0, title: 'Careless', redirect: { to: 'talk:apple' } },
  { pageid: 25, ns: 0, title: 'Abroad', redirect: { to: 'wikipedia:Apple' } },
  { pageid: 27, ns: 0, title: 'Broken', redirect: { to: '[x]' } },
  ...Array.from({ length: 20 }, (_, n) => ({
    ...{ pageid: 100 + n, ns: 0, title: `Step ${n}`, redirect: { to: `Step ${n + 1}` } },
  })),
];

let asked: PageQuery[] = [];
const host = useStarted(() =>
  startQuery({
    resolvePages: (query) => {
      asked.push(query);
      return PAGES.filter(
        ({ title, pageid, revids }) =>
          query.titles.includes(title) ||
          query.pageids.includes(pageid) ||
          revids?.some((id) => query.revids.includes(id)),
      );
    },
    modules: {
      allpages: () => [
        { pageid: 15, ns: 0, title: 'Apple' },
        { pageid: 20, ns: 0, title: 'Short' },
      ],
      search: () => ['Apple', 'Main Page'].map((title, index) => ({ ns: 0, title, pageid: 15 + index })),
      links: () => ({ pages: { 15: ['Main Page', 'Unwritten'].map((title) => ({ ns: 0, title })) } }),
      info: ({ pages }) => ({
        pages: new Map([...pages.existing, ...pages.missing].map(({ id }) => [id, { contentmodel: 'wikitext' }])),
      }),
    },
  }),
);

const query = async (params: Readonly<Record<string, string>>) => (await host.get({ action: 'query', ...params })).json;
const v2 = async (params: Readonly<Record<string, string>>) => query({ formatversion: '2', ...params });

describe('page entries', () => {
  test('invalid titles are numbered when titles are read, missing ones later', async () => {
    expect((await query({ titles: 'x|Talk:' }))['query']).toEqual({
      normalized: [{ from: 'x', to: 'X' }],
      pages: {
        '-2': { ns: 0, title: 'X', missing: '' },
        '-1': {
          title: 'Talk:',
          invalidreason: 'The requested page title is empty or contains only the name of a namespace.',
          invalid: '',
        },
      },
    });
  });

  test('formatversion 2 sorts by number', async () => {
    expect((await v2({ titles: 'Main Page|Nope|[x]' }))['query']?.['pages']).toEqual([
      { ns: 0, title: 'Nope', missing: true },
      { title: '[x]', invalidreason: 'The requested page title contains invalid characters: "[".', invalid: true },
      { pageid: 16, ns: 0, title: 'Main Page' },
    ]);
  });

  test('special pages, and unknown ids', async () => {
    expect((await v2({ titles: 'Special:Version|Media:X.png' }))['query']?.['pages']).toEqual([
      { ns: -2, title: 'Media:X.png', special: true },
      { ns: -1, title: 'Special:Version', special: true },
    ]);
    expect((await v2({ pageids: '15|99' }))['query']?.['pages']).toEqual([
      { pageid: 15, ns: 0, title: 'Apple' },
      { pageid: 99, missing: true },
    ]);
  });

  test('a trailing bar is an empty title', async () => {
    expect((await v2({ titles: 'Apple|' }))['query']?.['pages']).toMatchObject([
      { title: '', invalid: true },
      { title: 'Apple' },
    ]);
  });

  test('the application is called for canonical titles, each once', async () => {
    asked = [];
    await v2({ titles: 'apple|Apple|talk:apple|[x]|wikipedia:Y|Special:Z' });
    expect(asked.map(({ titles }) => titles)).toEqual([['Apple', 'Talk:Apple']]);
  });
});

describe('further members', () => {
  test('the vector: decoded characters are shown percent-encoded', async () => {
    const { json } = await host.raw('action=query&format=json&formatversion=2&titles=a%7CB%7Ca%CC%8A');
    expect(json['query']?.['normalized']).toEqual([
      { fromencoded: true, from: 'a%CC%8A', to: 'å' },
      { fromencoded: false, from: 'a', to: 'A' },
      { fromencoded: false, from: 'å', to: 'Å' },
    ]);
    expect(json['query']?.['pages']).toEqual([
      { ns: 0, title: 'Å', missing: true },
      { ns: 0, title: 'B', missing: true },
      { ns: 0, title: 'A', missing: true },
    ]);
  });

  test('a title that is far too long or has too many marks is invalid, and the others are found', async () => {
    const long = `A${' '.repeat(1024)}B`;
    const marked = `A${'\u0300\u0323'.repeat(16)}`;
    const json = await v2({ titles: `${long}|${marked}|Apple` });
    expect(json['query']?.['pages']).toEqual([
      { title: marked, invalidreason: expect.stringContaining('more than 30 combining marks'), invalid: true },
      { title: long, invalidreason: expect.stringContaining('is too long'), invalid: true },
      { pageid: 15, ns: 0, title: 'Apple' },
    ]);
    expect(json['warnings']).toBeUndefined();
  });

  test('several spellings of one title', async () => {
    const json = await v2({ titles: 'Apple|Apple_|apple' });
    expect(json['query']).toEqual({
      normalized: [
        { fromencoded: false, from: 'Apple_', to: 'Apple' },
        { fromencoded: false, from: 'apple', to: 'Apple' },
      ],
      pages: [{ pageid: 15, ns: 0, title: 'Apple' }],
    });
  });

  test('titles of other sites, with their URL on request', async () => {
    expect((await v2({ titles: 'wikipedia:Foo bar' }))['query']).toEqual({
      interwiki: [{ title: 'wikipedia:Foo bar', iw: 'wikipedia' }],
    });
    expect((await v2({ titles: 'wikipedia:Foo bar', iwurl: '' }))['query']?.['interwiki']).toEqual([
      { title: 'wikipedia:Foo bar', iw: 'wikipedia', url: 'https://en.wikipedia.example/wiki/Foo_bar' },
    ]);
    // The signs that wfUrlencode of MediaWiki leaves, and some that it does not.
    const signs = "wikipedia:Talk:A/B;@$!*(),~'é?";
    expect((await v2({ titles: signs, iwurl: '' }))['query']?.['interwiki']).toMatchObject([
      { url: 'https://en.wikipedia.example/wiki/Talk:A/B;@$!*(),~%27%C3%A9%3F' },
    ]);
  });

  test('a chain of redirects, each step an entry', async () => {
    expect((await v2({ titles: 'Short', redirects: '' }))['query']).toEqual({
      redirects: [
        { from: 'Short', to: 'Shorter' },
        { from: 'Shorter', to: 'Apple', tofragment: 'Taste' },
      ],
      pages: [{ pageid: 15, ns: 0, title: 'Apple' }],
    });
  });

  test('of a long chain, ten steps are followed', async () => {
    asked = [];
    const { redirects, pages } = (await v2({ titles: 'Step 0', redirects: '' }))['query'] ?? {};
    expect(redirects).toHaveLength(10);
    expect(pages).toEqual([{ pageid: 110, ns: 0, title: 'Step 10' }]);
    expect(asked).toHaveLength(11);
  });

  test('a circular redirect stops; a target can be missing, or on another site', async () => {
    expect((await v2({ titles: 'Circle', redirects: '' }))['query']?.['redirects']).toEqual([
      { from: 'Circle', to: 'Round' },
      { from: 'Round', to: 'Circle' },
    ]);
    expect((await v2({ titles: 'Nowhere', redirects: '' }))['query']?.['pages']).toEqual([
      { ns: 0, title: 'Gone', missing: true },
    ]);
    expect((await v2({ titles: 'Abroad', redirects: '' }))['query']).toEqual({
      redirects: [{ from: 'Abroad', to: 'Apple', tointerwiki: 'wikipedia' }],
      interwiki: [{ title: 'wikipedia:Apple', iw: 'wikipedia' }],
    });
  });

  test('the application chooses the spelling of targets; only titles in the request are normalised', async () => {
    expect(
      (await v2({ titles: 'Abroad|wikipedia:apple|Wikipedia:apple', redirects: '', iwurl: '' }))['query'],
    ).toMatchObject({
      interwiki: [
        { title: 'wikipedia:apple', iw: 'wikipedia', url: 'https://en.wikipedia.example/wiki/apple' },
        { title: 'wikipedia:Apple', iw: 'wikipedia', url: 'https://en.wikipedia.example/wiki/Apple' },
      ],
    });
    expect((await v2({ titles: 'Broken', redirects: '' }))['query'], 'no title').toEqual({
      pages: [{ pageid: 27, ns: 0, title: 'Broken' }],
    });
    expect((await v2({ titles: 'Careless', redirects: '' }))['query']).toEqual({
      redirects: [{ from: 'Careless', to: 'Talk:Apple' }],
      pages: [{ pageid: 17, ns: 1, title: 'Talk:Apple' }],
    });
  });

  test('without the parameter, a redirect is a page', async () => {
    expect((await v2({ titles: 'Short' }))['query']).toEqual({ pages: [{ pageid: 20, ns: 0, title: 'Short' }] });
  });

  test('revisions: known ones are found on their page, others are named', async () => {
    expect((await v2({ revids: '151|999' }))['query']).toEqual({
      badrevids: { 999: { revid: 999, missing: true } },
      pages: [{ pageid: 15, ns: 0, title: 'Apple' }],
    });
    const json = await v2({ revids: '151', redirects: '', errorformat: 'plaintext' });
    expect(json['warnings']).toMatchObject([{ code: 'redirectsandrevids', module: 'query' }]);
  });

  test('indexpageids lists texts, in the order of the pages', async () => {
    expect((await query({ titles: 'Nope|Apple', indexpageids: '' }))['query']?.['pageids']).toEqual(['-1', '15']);
  });

  test('without anything there is no query', async () => {
    expect(await query({})).toEqual({ batchcomplete: '' });
  });
});

describe('a single source of pages', () => {
  test.each([
    ['titles=A&pageids=1', 'pageids', 'titles'],
    ['titles=A&revids=1', 'revids', 'titles'],
    ['pageids=1&revids=', 'revids', 'pageids'],
  ])('%s is multisource', async (params, second, first) => {
    const { json } = await host.raw(`action=query&format=json&${params}`);
    expect(json['error']).toMatchObject({
      code: 'multisource',
      info: `The "${second}" parameter cannot be used with "${first}".`,
    });
  });
});

describe('generators', () => {
  test('the pages of a list, with redirects followed only on request', async () => {
    expect((await v2({ generator: 'allpages' }))['query']?.['pages']).toEqual([
      { pageid: 15, ns: 0, title: 'Apple' },
      { pageid: 20, ns: 0, title: 'Short' },
    ]);
    expect((await v2({ generator: 'search', gsrsearch: 'x' }))['query']).toEqual({
      pages: [
        { pageid: 15, ns: 0, title: 'Apple', index: 1 },
        { pageid: 16, ns: 0, title: 'Main Page', index: 2 },
      ],
    });
  });

  test('a prop module reads the titles, and its results are the pages', async () => {
    expect((await v2({ generator: 'links', titles: 'apple', prop: 'info' }))['query']).toEqual({
      normalized: [{ fromencoded: false, from: 'apple', to: 'Apple' }],
      pages: [
        { ns: 0, title: 'Unwritten', missing: true, contentmodel: 'wikitext' },
        { pageid: 16, ns: 0, title: 'Main Page', contentmodel: 'wikitext' },
      ],
    });
  });

  test.each([
    ['nope', 'Unknown "generator=nope".'],
    ['', 'Unknown "generator=".'],
    ['userinfo', 'Module "userinfo" cannot be used as a generator.'],
  ])('generator=%s is badgenerator', async (generator, info) => {
    expect((await v2({ generator }))['error']).toMatchObject({ code: 'badgenerator', info });
  });

  test('one module may be list and generator at once', async () => {
    const json = await v2({ generator: 'allpages', gaplimit: 'max', list: 'allpages', aplimit: '1' });
    expect(json['limits']).toEqual({ allpages: 500 });
    expect(Object.keys(json['query'] ?? {})).toEqual(['pages', 'allpages']);
  });
});
