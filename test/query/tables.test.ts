import { describe, expect, test } from 'vitest';
import { message } from '../../src/core/query/answer/messages.js';
import { ApiError } from '../../src/core/query/index.js';
import { useStarted } from '../hosts/listen.js';
import { type Json, startQuery } from './fixture.js';

const host = useStarted(() =>
  startQuery({
    modules: {
      allpages: ({ limit }) => Array.from({ length: Math.min(limit, 2) }, (_one, index) => ({ pageid: index + 1 })),
      querypage: () => [],
      search: () => [],
      revisions: () => ({ pages: {} }),
    },
    resolvePages: ({ titles }) => (titles.includes('Apple') ? [{ pageid: 1, ns: 0, title: 'Apple' }] : []),
  }),
);

const ask = async (query: string): Promise<Json> =>
  (await host.raw(`format=json&formatversion=2&errorformat=plaintext&${query}`)).json;

const FIFTY_ONE = Array.from({ length: 51 }, () => 'A').join('|');

describe('errors: code, module, data', () => {
  test.each<[code: string, module: string, query: string, data?: object]>([
    ['badvalue', 'main', 'action=nosuch'],
    [
      'toomanyvalues',
      'query',
      `action=query&titles=${FIFTY_ONE}`,
      { parameter: 'titles', limit: 50, lowlimit: 50, highlimit: 500 },
    ],
    ['badinteger', 'query', 'action=query&pageids=x'],
    ['badinteger', 'query+allpages', 'action=query&list=allpages&aplimit=x'],
    ['badtimestamp', 'query+recentchanges', 'action=query&list=recentchanges&rcstart=yesterday'],
    ['baduser', 'query+recentchanges', 'action=query&list=recentchanges&rcuser=a%23b'],
    ['badcontinue', 'main', 'action=query&list=allpages&continue=foo'],
    ['multisource', 'query', 'action=query&titles=A&pageids=1'],
    ['assertuserfailed', 'main', 'action=query&assert=user'],
    ['notloggedin', 'query+watchlist', 'action=query&list=watchlist'],
  ])('%s of %s', async (code, module, query, data) => {
    const { errors } = await ask(query);
    expect(errors).toEqual([{ code, text: expect.any(String), ...(data && { data }), module }]);
  });
});

describe('warnings: code, module, data', () => {
  test.each<[code: string, module: string, query: string, data?: object]>([
    ['unclearnowtimestamp', 'query+recentchanges', 'action=query&list=recentchanges&rcstart='],
    ['badutf8', 'query+search', 'action=query&list=search&srsearch=a%07'],
    ['unsupportedarray', 'main', 'action=query&list[]=allpages'],
    [
      'deprecation',
      'query+exturlusage',
      'action=query&list=exturlusage&euexpandurl=',
      { feature: 'action=query&list=exturlusage&euexpandurl' },
    ],
    ['deprecation-help', 'main', 'action=query&list=exturlusage&euexpandurl='],
    ['badmodule', 'paraminfo', 'action=paraminfo&modules=nosuch'],
    ['tokens-origin', 'query+tokens', 'action=query&meta=tokens&origin=*'],
  ])('%s of %s', async (code, module, query, data) => {
    const json = await ask(query);
    expect(json['errors']).toBeUndefined();
    expect(json['warnings']).toContainEqual({ code, text: expect.any(String), ...(data && { data }), module });
  });
});

describe('observed behaviour of a running MediaWiki', () => {
  test.each<[what: string, query: string, code: string]>([
    ['an empty required string is missing', 'action=query&list=search&srsearch=', 'missingparam'],
    ['an empty required enum is no value', 'action=query&list=querypage&qppage=', 'badvalue'],
    ['an empty action is no action', 'action=', 'badvalue'],
    ['copies of one value count', `action=query&titles=${FIFTY_ONE}`, 'toomanyvalues'],
    ['a trailing bar is an empty integer', 'action=query&pageids=1|', 'badinteger'],
    ['a plus in front of an integer is fine, two are not', 'action=query&list=allpages&aplimit=%2B%2B5', 'badinteger'],
    ['a date alone is no time', 'action=query&list=recentchanges&rcstart=2024-05-06', 'badtimestamp'],
    [
      'modules that continue skips are still read',
      'action=query&list=allpages&continue=-||allpages&aplimit=x',
      'badinteger',
    ],
  ])('%s: %s', async (_what, query, code) => {
    expect((await ask(query))['errors']).toMatchObject([{ code }]);
  });

  test('a trailing bar is an unknown value of an enum', async () => {
    expect((await ask('action=query&list=allpages|'))['warnings']).toMatchObject([{ data: { values: [''] } }]);
  });

  test('the highmax of a bound without one is its max; -0 is 0 and may be raised', async () => {
    expect((await ask('action=query&titles=Apple&prop=extracts&exlimit=21'))['warnings']).toContainEqual(
      expect.objectContaining({ code: 'outofrange', data: { min: 1, curmax: 20, max: 20, highmax: 20 } }),
    );
    expect((await ask('action=query&list=allpages&aplimit=-0'))['warnings']).toMatchObject([{ code: 'outofrange' }]);
    expect((await ask('action=query&list=allpages&aplimit=%2B05'))['warnings']).toBeUndefined();
  });
});

describe('status and header fields of a response', () => {
  const PRIVATE = 'private, must-revalidate, max-age=0';
  test.each<[what: string, query: string, method: string, status: number, cache: string, error: string | null]>([
    ['success', 'action=query', 'GET', 200, PRIVATE, null],
    ['success, kept', 'action=query&maxage=60', 'GET', 200, 'private, must-revalidate, max-age=60', null],
    ['error', 'action=query&continue=x', 'GET', 200, PRIVATE, 'badcontinue'],
    ['error, never kept', 'action=query&continue=x&maxage=60', 'GET', 200, PRIVATE, 'badcontinue'],
    ['refused origin', 'action=query&origin=https://x.example', 'GET', 403, 'no-cache', null],
  ])('%s', async (_what, query, method, status, cache, error) => {
    const { status: found, headers } = await host.raw(`format=json&${query}`, { method });
    expect([found, headers.get('cache-control'), headers.get('mediawiki-api-error')]).toEqual([status, cache, error]);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });
});

test('a code from a handler is limited to the characters of codes', () => {
  expect(new ApiError('no such\r\nthing:é', message('apierror-badcontinue')).code).toBe('no_such__thing__');
});
