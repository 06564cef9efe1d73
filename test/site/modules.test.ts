import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { useStarted } from '../hosts/listen.js';
import { everyRow } from '../rows.js';
import { entries, type Entry, startSite } from './support/running-site.js';

const site = useStarted(() => startSite(fileURLToPath(new URL('../../examples/site/sample.xml', import.meta.url))));

type Params = Readonly<Record<string, string>>;

const answer = async (params: Params, token?: string): Promise<Entry> => {
  const { query, ...rest } = await site.query(params, token);
  expect(rest['error']).toBeUndefined();
  expect(site.failures).toEqual([]);
  return query ?? rest;
};

/** One field of each item of a list, joined. */
const list = async (name: string, prefix: string, params: Params, field = 'title', token?: string): Promise<string> => {
  const given = Object.fromEntries(Object.entries(params).map(([key, value]) => [prefix + key, value]));
  const found = await answer({ list: name, ...given }, token);
  return entries(found[name])
    .map((entry) => String(entry[field]))
    .join(', ');
};

const page = async (params: Params): Promise<Entry> => entries((await answer(params))['pages'])[0] ?? {};

describe('list parameters', () => {
  test('have the expected items', () =>
    everyRow<[name: string, prefix: string, params: Params, field: string, items: string]>(
      [
        ['allpages', 'ap', { from: 'rope', limit: '3' }, 'title', 'Rope, Sail, Sheet bend'],
        ['allpages', 'ap', { to: 'Boat' }, 'title', 'Anchor, Boat'],
        ['allpages', 'ap', { prefix: 'bo' }, 'title', 'Boat, Boats, Bowline'],
        ['allpages', 'ap', { prefix: 'S', dir: 'descending' }, 'title', 'Square knot, Ship, Sheet bend, Sail'],
        ['allpages', 'ap', { namespace: '10' }, 'title', 'Template:Harbour navigation, Template:Knot, Template:Stub'],
        ['allpages', 'ap', { filterredir: 'redirects' }, 'title', 'Boats, Knots, Reefing, Square knot'],
        [
          'allpages',
          'ap',
          { filterlanglinks: 'withlanglinks' },
          'title',
          'Anchor, Boat, Bowline, Clove hitch, Lighthouse, Sail, Ship',
        ],
        ['allpages', 'ap', { minsize: '500' }, 'title', 'Boat, Bowline'],
        ['allpages', 'ap', { maxsize: '22' }, 'title', 'Boats, Knots'],
        ['allpages', 'ap', { prtype: 'edit' }, 'title', ''],
        ['allcategories', 'ac', { prefix: 'K', prop: 'size' }, 'size', '6'],
        ['allcategories', 'ac', { min: '3' }, 'category', 'Boats, Finding the way, Knots, Parts of a boat, Rope work'],
        ['alllinks', 'al', { unique: '', prefix: 'Re' }, 'title', 'Reef knot'],
        ['alllinks', 'al', { namespace: '12', prop: 'ids' }, 'fromid', '1, 30'],
        ['allredirects', 'ar', { prop: 'title|fragment' }, 'fragment', 'undefined, undefined, undefined, Reefing'],
        [
          'alltransclusions',
          'at',
          { unique: '' },
          'title',
          'Template:Harbour navigation, Template:Knot, Template:Stub',
        ],
        [
          'allfileusages',
          'af',
          {},
          'title',
          'File:Bowline.png, File:Figure-eight knot.svg, File:Hull.svg, File:Lighthouse.png',
        ],
        ['allusers', 'au', { from: 'bob', prop: 'editcount' }, 'name', 'Bob, Carol'],
        ['allusers', 'au', { activeusers: '' }, 'name', ''],
        ['users', 'us', { users: 'carol|Nobody' }, 'userid', '3, undefined'],
        ['backlinks', 'bl', { title: 'Reef knot', filterredir: 'redirects' }, 'title', 'Square knot'],
        ['backlinks', 'bl', { title: 'Rope', namespace: '14' }, 'title', 'Category:Knots, Category:Rope work'],
        ['embeddedin', 'ei', { title: 'Template:Stub' }, 'title', 'Ship, Hull, Compass, Tide'],
        ['imageusage', 'iu', { title: 'File:Bowline.png' }, 'title', 'Bowline'],
        ['categorymembers', 'cm', { title: 'Category:Knots', limit: '3' }, 'title', 'Knot, Bowline, Clove hitch'],
        ['categorymembers', 'cm', { title: 'Category:Rope work', type: 'subcat' }, 'title', 'Category:Knots'],
        ['categorymembers', 'cm', { title: 'Category:Knots', startsortkeyprefix: 's' }, 'title', 'Sheet bend'],
        [
          'categorymembers',
          'cm',
          { title: 'Category:Knots', sort: 'timestamp', dir: 'desc', limit: '1' },
          'title',
          'Bowline',
        ],
        ['exturlusage', 'eu', { query: 'knots.example.org' }, 'title', 'Bowline'],
        ['exturlusage', 'eu', { query: '*.example.org', limit: '2' }, 'title', 'Boat, Bowline'],
        ['exturlusage', 'eu', { protocol: 'ftp' }, 'title', ''],
        ['langbacklinks', 'lbl', { lang: 'fr' }, 'title', 'Boat, Lighthouse'],
        ['iwbacklinks', 'iwbl', { prefix: 'encyclopedia', prop: 'iwtitle' }, 'iwtitle', 'Rope'],
        ['logevents', 'le', { type: 'block' }, 'action', ''],
        ['search', 'sr', { search: 'loop sheet' }, 'title', 'Bowline, Knot'],
        ['search', 'sr', { search: '"other names"' }, 'title', ''],
        ['search', 'sr', { search: 'harbour', namespace: '4' }, 'title', 'Harbour:About'],
        ['search', 'sr', { search: 'knot', what: 'title', limit: '50' }, 'ns', '0, 0, 0, 0'],
        ['search', 'sr', { search: 'rope -loop', limit: '1', prop: 'snippet' }, 'ns', '0'],
        ['prefixsearch', 'ps', { search: 'bo' }, 'title', 'Boat, Boats, Bowline'],
        ['prefixsearch', 'ps', { search: 'Help:e' }, 'title', 'Help:Editing'],
        [
          'recentchanges',
          'rc',
          { type: 'edit', limit: '2', prop: 'title|user', show: '!anon' },
          'user',
          'Alice, Alice',
        ],
        [
          'recentchanges',
          'rc',
          { type: 'edit', show: 'anon', prop: 'user' },
          'user',
          '2001:DB8:0:0:0:0:0:7, 192.0.2.17',
        ],
        ['recentchanges', 'rc', { show: 'minor' }, 'title', 'Mast'],
        ['recentchanges', 'rc', { title: 'Bowline', toponly: '', type: 'edit|new', prop: 'ids' }, 'revid', '45'],
        ['recentchanges', 'rc', { user: '#2', limit: '1', prop: 'user' }, 'user', 'Bob'],
        ['recentchanges', 'rc', { user: '#99', limit: '1', prop: 'user' }, 'user', ''],
        ['recentchanges', 'rc', { type: 'log' }, 'user', ''],
        ['usercontribs', 'uc', { user: 'Carol', show: 'new', namespace: '1' }, 'title', 'Talk:Bowline'],
        ['usercontribs', 'uc', { userids: '2', limit: '1', prop: 'sizediff' }, 'sizediff', '229'],
        ['usercontribs', 'uc', { iprange: '192.0.2.0/24' }, 'user', '192.0.2.17'],
        ['usercontribs', 'uc', { userprefix: 'Car', limit: '2' }, 'user', 'Carol, Carol'],
        ['pageswithprop', 'pwp', { propname: 'hiddencat' }, 'title', 'Category:Stubs'],
        ['pageswithprop', 'pwp', { propname: 'hiddencat', prop: 'ids' }, 'pageid', '37'],
        ['random', 'rn', { namespace: '12' }, 'title', 'Help:Editing'],
      ],
      async ([name, prefix, params, field, items]) => {
        expect(await list(name, prefix, params, field)).toBe(items);
      },
    ));
});

describe('querypage computes what the content contains', () => {
  test.each([
    ['BrokenRedirects', ''],
    ['Listredirects', 'Boats, Knots, Reefing, Square knot'],
    ['Wantedpages', 'Anchor bend, Keel, Rudder, Whipping, User:Carol'],
    ['Wantedfiles', 'File:Figure-eight knot.svg, File:Hull.svg'],
    ['Wantedcategories', 'Category:Finding the way, Category:About, Category:Pictures of knots'],
    ['Uncategorizedpages', 'Main Page'],
    ['Unusedtemplates', ''],
    ['Mostlinkedcategories', 'Category:Knots, Category:Parts of a boat, Category:Boats, Category:Finding the way'],
  ])('%s', async (name, titles) => {
    const found = (await answer({ list: 'querypage', qppage: name, qplimit: '50' }))['querypage'] as Entry;
    const results = entries(found['results']).map(({ title }) => String(title));
    expect(results.slice(0, name.startsWith('Most') ? 4 : 50).join(', ')).toBe(titles);
  });

  test('others are disabled', async () => {
    expect((await answer({ list: 'querypage', qppage: 'MediaStatistics' }))['querypage']).toMatchObject({
      disabled: true,
      results: [],
    });
  });
});

describe('page properties', () => {
  test.each<[what: string, params: Params, expected: Entry]>([
    [
      'their categories',
      { prop: 'categories', titles: 'Figure-eight knot', clprop: 'sortkey' },
      { categories: [{ ns: 14, title: 'Category:Knots', sortkeyprefix: 'Eight, Figure' }] },
    ],
    [
      'which are hidden',
      { prop: 'categories', titles: 'Template:Stub', clprop: 'hidden', clshow: 'hidden' },
      { categories: [{ title: 'Category:Stubs', hidden: true }] },
    ],
    [
      'how many members they have',
      { prop: 'categoryinfo', titles: 'Category:Rope work' },
      { categoryinfo: { size: 3, pages: 2, subcats: 1, files: 0 } },
    ],
    [
      'what they link to',
      { prop: 'links', titles: 'Boat', pltitles: 'Mast|Sail', pllimit: 'max' },
      { links: [{ title: 'Mast' }, { title: 'Sail' }] },
    ],
    [
      'what links to them',
      { prop: 'linkshere', titles: 'Reef knot', lhshow: 'redirect', lhprop: 'title' },
      { linkshere: [{ ns: 0, title: 'Square knot' }] },
    ],
    [
      'what redirects to them',
      { prop: 'redirects', titles: 'Sail', rdprop: 'title|fragment' },
      { redirects: [{ title: 'Reefing', fragment: 'Reefing' }] },
    ],
    ['what shows them', { prop: 'fileusage', titles: 'File:Lighthouse.png' }, { fileusage: [{ title: 'Lighthouse' }] }],
    [
      'what includes them',
      { prop: 'transcludedin', titles: 'Template:Knot', tilimit: '1' },
      { transcludedin: [{ title: 'Bowline' }] },
    ],
    [
      'other languages',
      { prop: 'langlinks', titles: 'Lighthouse', lllang: 'de', llprop: 'url|langname|autonym', llinlanguagecode: 'en' },
      {
        langlinks: [
          {
            lang: 'de',
            title: 'Leuchtturm',
            langname: 'German',
            autonym: 'Deutsch',
            url: 'https://de.site.example/wiki/Leuchtturm',
          },
        ],
      },
    ],
    [
      'other sites',
      { prop: 'iwlinks', titles: 'Rope', iwprop: 'url' },
      { iwlinks: [{ prefix: 'encyclopedia', title: 'Rope', url: 'https://encyclopedia.example/wiki/Rope' }] },
    ],
    [
      'addresses',
      { prop: 'extlinks', titles: 'Rope', elquery: '*.example.org' },
      { extlinks: [{ url: 'https://ropes.example.org/materials?order=strength' }] },
    ],
    [
      'who wrote them',
      { prop: 'contributors', titles: 'Mast' },
      { anoncontributors: 1, contributors: [{ userid: 1, name: 'Alice' }] },
    ],
    ['their properties', { prop: 'pageprops', titles: 'Main Page', ppprop: 'notoc' }, { pageprops: { notoc: '' } }],
    [
      'facts',
      { prop: 'info', titles: 'Bowline', inprop: 'talkid|url|protection|associatedpage' },
      { lastrevid: 45, length: 570, talkid: 22, protection: [], associatedpage: 'Talk:Bowline' },
    ],
    [
      'facts about what is not there',
      { prop: 'info', titles: 'Nowhere', inprop: 'protection' },
      { missing: true, restrictiontypes: ['create'] },
    ],
    [
      'their beginning',
      { prop: 'extracts', titles: 'Boat', exintro: '', explaintext: '', exsentences: '1' },
      { extract: 'A boat is a vessel for water that is smaller than a ship.' },
    ],
    [
      'a section of their text',
      { prop: 'revisions', titles: 'Boat', rvprop: 'content', rvslots: 'main', rvsection: '2' },
      {
        revisions: [
          {
            slots: {
              main: { content: '=== Below the waterline ===\nA [[keel]] keeps a boat from drifting sideways.' },
            },
          },
        ],
      },
    ],
    [
      'that there is no such section',
      { prop: 'revisions', titles: 'Boat', rvprop: 'content', rvslots: 'main', rvsection: '9' },
      { revisions: [{ slots: { main: { nosuchsection: true } } }] },
    ],
    [
      'their history',
      { prop: 'revisions', titles: 'Bowline', rvlimit: 'max', rvprop: 'ids', rvuser: 'Alice', rvdir: 'newer' },
      { revisions: [{ revid: 13 }, { revid: 45 }] },
    ],
    [
      'their history from a revision on',
      { prop: 'revisions', titles: 'Bowline', rvstartid: '42', rvprop: 'ids|size' },
      { revisions: [{ revid: 42, size: 280 }, { revid: 13 }] },
    ],
  ])('%s', async (_what, params, expected) => {
    expect(await page(params)).toMatchObject(expected);
  });

  test('pages are found by title, id and revision, through redirects', async () => {
    expect(await page({ revids: '42', prop: 'revisions', rvprop: 'ids' })).toMatchObject({
      title: 'Bowline',
      revisions: [{ revid: 42 }],
    });
    expect(await page({ pageids: '13' })).toMatchObject({ title: 'Bowline' });
    expect(await answer({ titles: 'reefing', redirects: '' })).toMatchObject({
      normalized: [{ from: 'reefing', to: 'Reefing' }],
      redirects: [{ from: 'Reefing', to: 'Sail', tofragment: 'Reefing' }],
      pages: [{ title: 'Sail' }],
    });
  });
});

test('backlinks through a redirect are listed below it, and each request continues the previous one', async () => {
  const params = { list: 'backlinks', bltitle: 'Reef knot', blredirect: '', bllimit: '50' };
  expect((await answer(params))['backlinks']).toMatchObject([
    { title: 'Sail' },
    { title: 'Knot' },
    { title: 'Square knot', redirect: true, redirlinks: [] },
  ]);
});

test('the watchlist is that of the signed-in owner', async () => {
  const token = await site.token('alice');
  expect(await list('watchlist', 'wl', { type: 'new|edit', limit: '2' }, 'title', token)).toBe('Bowline, Talk:Bowline');
  expect(await site.query({ list: 'watchlist' })).toMatchObject({ error: { code: 'notloggedin' } });
  const raw = await site.query({ list: 'watchlistraw', wrlimit: 'max' }, token);
  expect(entries(raw['watchlistraw']).map(({ title }) => title)).toContain('Boat');
});

test('generators pass on their pages', async () => {
  const params = { generator: 'categorymembers', gcmtitle: 'Category:Boats', gcmtype: 'page', prop: 'info' };
  expect(entries((await answer(params))['pages'])).toMatchObject([{ title: 'Boat', lastrevid: 39 }, { title: 'Ship' }]);
  const linked = await answer({ generator: 'links', titles: 'Mast', prop: 'redirects' });
  expect(entries(linked['pages']).map(({ title }) => title)).toEqual(expect.arrayContaining(['Rope', 'Sail']));
});

test('unknown namespaces limit nothing, impossible titles match nothing', async () => {
  const unknown = await site.query({ list: 'embeddedin', eititle: 'Template:Stub', einamespace: 'abc' });
  expect(entries(unknown.query?.['embeddedin'])).toHaveLength(4);
  const impossible = await site.query({ prop: 'links', titles: 'Boat', pltitles: '<>' });
  expect(entries(impossible.query?.['pages'])[0]).not.toHaveProperty('links');
});

test('modules without content are empty, without a warning', async () => {
  const lists = ['allimages', 'blocks', 'filearchive', 'gadgetcategories', 'gadgets', 'protectedtitles', 'tags'];
  expect(
    await site.query({
      list: lists.join('|'),
      prop: 'duplicatefiles|imageinfo|pageimages',
      meta: 'authmanagerinfo|filerepoinfo',
      amirequestsfor: 'login',
      amisecuritysensitiveoperation: 'Any',
      titles: 'File:Bowline.png',
    }),
  ).toEqual({
    batchcomplete: true,
    query: {
      ...Object.fromEntries(lists.map((name) => [name, []])),
      repos: [],
      authmanagerinfo: {
        canauthenticatenow: false,
        cancreateaccounts: false,
        canlinkaccounts: false,
        securitysensitiveoperationstatus: 'fail',
        preservedusername: false,
        requests: [],
      },
      pages: [{ pageid: expect.any(Number), ns: 6, title: 'File:Bowline.png', imagerepository: '' }],
    },
  });
});

test('siteinfo has statistics', async () => {
  expect(await answer({ meta: 'siteinfo', siprop: 'statistics|general' })).toMatchObject({
    statistics: { pages: 37, edits: 45, images: 2, users: 3 },
    general: { sitename: 'Harbour', mainpage: 'Main Page', lang: 'en' },
  });
});

test.each([
  ['apcontinue of a revision list', { list: 'allrevisions', arvcontinue: 'x|y' }],
  ['a number that is none', { list: 'backlinks', bltitle: 'Boat', blcontinue: '1|a' }],
  ['a list without an entry', { list: 'logevents', lecontinue: 'a' }],
  ['a property that no page has', { prop: 'duplicatefiles', titles: 'File:Bowline.png', dfcontinue: 'a|b' }],
  ['too few parts', { prop: 'links', titles: 'Boat', plcontinue: '1' }],
])('an invalid continue value is rejected: %s', async (_what, params: Params) => {
  expect(await site.query(params)).toMatchObject({ error: { code: 'badcontinue' } });
});
