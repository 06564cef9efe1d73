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
const list = async (query: string, field = 'title', token?: string): Promise<string> => {
  const params = Object.fromEntries(new URLSearchParams(query));
  const found = await answer(params, token);
  return entries(found[params['list'] ?? ''])
    .map((entry) => String(entry[field]))
    .join(', ');
};

const page = async (params: Params): Promise<Entry> => entries((await answer(params))['pages'])[0] ?? {};

describe('list parameters', () => {
  test('have the expected items', () =>
    everyRow<[query: string, items: string, field?: string]>(
      [
        ['list=allpages&apfrom=rope&aplimit=3', 'Rope, Sail, Sheet bend'],
        ['list=allpages&apto=Boat', 'Anchor, Boat'],
        ['list=allpages&apprefix=bo', 'Boat, Boats, Bowline'],
        ['list=allpages&apprefix=S&apdir=descending', 'Square knot, Ship, Sheet bend, Sail'],
        ['list=allpages&apnamespace=10', 'Template:Harbour navigation, Template:Knot, Template:Stub'],
        ['list=allpages&apfilterredir=redirects', 'Boats, Knots, Reefing, Square knot'],
        ['list=allpages&apfilterlanglinks=withlanglinks', 'Anchor, Boat, Bowline, Clove hitch, Lighthouse, Sail, Ship'],
        ['list=allpages&apminsize=500', 'Boat, Bowline'],
        ['list=allpages&apmaxsize=22', 'Boats, Knots'],
        ['list=allpages&apprtype=edit', ''],
        ['list=allcategories&acprefix=K&acprop=size', '6', 'size'],
        ['list=allcategories&acmin=3', 'Boats, Finding the way, Knots, Parts of a boat, Rope work', 'category'],
        ['list=alllinks&alunique=&alprefix=Re', 'Reef knot'],
        ['list=alllinks&alnamespace=12&alprop=ids', '1, 30', 'fromid'],
        ['list=allredirects&arprop=title|fragment', 'undefined, undefined, undefined, Reefing', 'fragment'],
        ['list=alltransclusions&atunique=', 'Template:Harbour navigation, Template:Knot, Template:Stub'],
        ['list=allfileusages', 'File:Bowline.png, File:Figure-eight knot.svg, File:Hull.svg, File:Lighthouse.png'],
        ['list=allusers&aufrom=bob&auprop=editcount', 'Bob, Carol', 'name'],
        ['list=allusers&auactiveusers=', '', 'name'],
        ['list=users&ususers=carol|Nobody', '3, undefined', 'userid'],
        ['list=backlinks&bltitle=Reef knot&blfilterredir=redirects', 'Square knot'],
        ['list=backlinks&bltitle=Rope&blnamespace=14', 'Category:Knots, Category:Rope work'],
        ['list=embeddedin&eititle=Template:Stub', 'Ship, Hull, Compass, Tide'],
        ['list=imageusage&iutitle=File:Bowline.png', 'Bowline'],
        ['list=categorymembers&cmtitle=Category:Knots&cmlimit=3', 'Knot, Bowline, Clove hitch'],
        ['list=categorymembers&cmtitle=Category:Rope work&cmtype=subcat', 'Category:Knots'],
        ['list=categorymembers&cmtitle=Category:Knots&cmstartsortkeyprefix=s', 'Sheet bend'],
        ['list=categorymembers&cmtitle=Category:Knots&cmsort=timestamp&cmdir=desc&cmlimit=1', 'Bowline'],
        ['list=exturlusage&euquery=knots.example.org', 'Bowline'],
        ['list=exturlusage&euquery=*.example.org&eulimit=2', 'Boat, Bowline'],
        ['list=exturlusage&euprotocol=ftp', ''],
        ['list=langbacklinks&lbllang=fr', 'Boat, Lighthouse'],
        ['list=iwbacklinks&iwblprefix=encyclopedia&iwblprop=iwtitle', 'Rope', 'iwtitle'],
        ['list=logevents&letype=block', '', 'action'],
        ['list=search&srsearch=loop sheet', 'Bowline, Knot'],
        ['list=search&srsearch="other names"', ''],
        ['list=search&srsearch=harbour&srnamespace=4', 'Harbour:About'],
        ['list=search&srsearch=knot&srwhat=title&srlimit=50', '0, 0, 0, 0', 'ns'],
        ['list=search&srsearch=rope -loop&srlimit=1&srprop=snippet', '0', 'ns'],
        ['list=prefixsearch&pssearch=bo', 'Boat, Boats, Bowline'],
        ['list=prefixsearch&pssearch=Help:e', 'Help:Editing'],
        ['list=recentchanges&rctype=edit&rclimit=2&rcprop=title|user&rcshow=!anon', 'Alice, Alice', 'user'],
        ['list=recentchanges&rctype=edit&rcshow=anon&rcprop=user', '2001:DB8:0:0:0:0:0:7, 192.0.2.17', 'user'],
        ['list=recentchanges&rcshow=minor', 'Mast'],
        ['list=recentchanges&rctitle=Bowline&rctoponly=&rctype=edit|new&rcprop=ids', '45', 'revid'],
        ['list=recentchanges&rcuser=%232&rclimit=1&rcprop=user', 'Bob', 'user'],
        ['list=recentchanges&rcuser=%2399&rclimit=1&rcprop=user', '', 'user'],
        ['list=recentchanges&rctype=log', '', 'user'],
        ['list=usercontribs&ucuser=Carol&ucshow=new&ucnamespace=1', 'Talk:Bowline'],
        ['list=usercontribs&ucuserids=2&uclimit=1&ucprop=sizediff', '229', 'sizediff'],
        ['list=usercontribs&uciprange=192.0.2.0/24', '192.0.2.17', 'user'],
        ['list=usercontribs&ucuserprefix=Car&uclimit=2', 'Carol, Carol', 'user'],
        ['list=pageswithprop&pwppropname=hiddencat', 'Category:Stubs'],
        ['list=pageswithprop&pwppropname=hiddencat&pwpprop=ids', '37', 'pageid'],
        ['list=random&rnnamespace=12', 'Help:Editing'],
      ],
      async ([query, items, field]) => expect(await list(query, field)).toBe(items),
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

  test('a list of times has each as `timestamp` too', async () => {
    const found = (await answer({ list: 'querypage', qppage: 'Ancientpages', qplimit: '1' }))['querypage'] as Entry;
    const [row = {}] = entries(found['results']);
    expect(row['timestamp']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(row['value']).toBe(row['timestamp']);
  });

  test('others are disabled', async () => {
    expect((await answer({ list: 'querypage', qppage: 'MediaStatistics' }))['querypage']).toMatchObject({
      disabled: true,
      results: [],
    });
  });
});

const LEUCHTTURM = 'https://de.site.example/wiki/Leuchtturm';
const SECTION = '=== Below the waterline ===\nA [[keel]] keeps a boat from drifting sideways.';

describe('page properties', () => {
  test.each<[query: string, expected: Entry]>([
    [
      'prop=categories&titles=Figure-eight knot&clprop=sortkey',
      { categories: [{ ns: 14, title: 'Category:Knots', sortkeyprefix: 'Eight, Figure' }] },
    ],
    [
      'prop=categories&titles=Template:Stub&clprop=hidden&clshow=hidden',
      { categories: [{ title: 'Category:Stubs', hidden: true }] },
    ],
    ['prop=categoryinfo&titles=Category:Rope work', { categoryinfo: { size: 3, pages: 2, subcats: 1, files: 0 } }],
    ['prop=links&titles=Boat&pltitles=Mast|Sail&pllimit=max', { links: [{ title: 'Mast' }, { title: 'Sail' }] }],
    ['prop=linkshere&titles=Reef knot&lhshow=redirect&lhprop=title', { linkshere: [{ ns: 0, title: 'Square knot' }] }],
    ['prop=linkshere&titles=Keel&lhprop=title', { missing: true, linkshere: [{ ns: 0, title: 'Boat' }] }],
    ['prop=redirects&titles=Sail&rdprop=title|fragment', { redirects: [{ title: 'Reefing', fragment: 'Reefing' }] }],
    ['prop=fileusage&titles=File:Lighthouse.png', { fileusage: [{ title: 'Lighthouse' }] }],
    ['prop=transcludedin&titles=Template:Knot&tilimit=1', { transcludedin: [{ title: 'Bowline' }] }],
    [
      'prop=langlinks&titles=Lighthouse&lllang=de&llprop=url|langname|autonym&llinlanguagecode=en',
      {
        langlinks: [{ lang: 'de', title: 'Leuchtturm', langname: 'Deutsch', autonym: 'Deutsch', url: LEUCHTTURM }],
      },
    ],
    [
      'prop=iwlinks&titles=Rope&iwprop=url',
      { iwlinks: [{ prefix: 'encyclopedia', title: 'Rope', url: 'https://encyclopedia.example/wiki/Rope' }] },
    ],
    [
      'prop=extlinks&titles=Rope&elquery=*.example.org',
      { extlinks: [{ url: 'https://ropes.example.org/materials?order=strength' }] },
    ],
    ['prop=contributors&titles=Mast', { anoncontributors: 1, contributors: [{ userid: 1, name: 'Alice' }] }],
    ['prop=pageprops&titles=Main Page&ppprop=notoc', { pageprops: { notoc: '' } }],
    [
      'prop=info&titles=Bowline&inprop=talkid|url|protection|associatedpage',
      { lastrevid: 45, length: 570, talkid: 22, protection: [], associatedpage: 'Talk:Bowline' },
    ],
    ['prop=info&titles=Nowhere&inprop=protection', { missing: true, restrictiontypes: ['create'] }],
    [
      'prop=extracts&titles=Boat&exintro=&explaintext=&exsentences=1',
      { extract: 'A boat is a vessel for water that is smaller than a ship.' },
    ],
    [
      'prop=revisions&titles=Boat&rvprop=content&rvslots=main&rvsection=2',
      { revisions: [{ slots: { main: { content: SECTION } } }] },
    ],
    [
      'prop=revisions&titles=Boat&rvprop=content&rvslots=main&rvsection=9',
      { revisions: [{ slots: { main: { nosuchsection: true } } }] },
    ],
    [
      'prop=revisions&titles=Bowline&rvlimit=max&rvprop=ids&rvuser=Alice&rvdir=newer',
      { revisions: [{ revid: 13 }, { revid: 45 }] },
    ],
    [
      'prop=revisions&titles=Bowline&rvstartid=42&rvprop=ids|size',
      { revisions: [{ revid: 42, size: 280 }, { revid: 13 }] },
    ],
  ])('%s', async (query, expected) => {
    expect(await page(Object.fromEntries(new URLSearchParams(query)))).toMatchObject(expected);
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
  expect(await list('list=watchlist&wltype=new|edit&wllimit=2', 'title', token)).toBe('Bowline, Talk:Bowline');
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
  const given = {
    list: lists.join('|'),
    ...{ prop: 'duplicatefiles|imageinfo|pageimages', titles: 'File:Bowline.png' },
    ...{ meta: 'authmanagerinfo|filerepoinfo', amirequestsfor: 'login', amisecuritysensitiveoperation: 'Any' },
  };
  expect(await site.query(given)).toEqual({
    batchcomplete: true,
    query: {
      ...Object.fromEntries(lists.map((name) => [name, []])),
      repos: [],
      authmanagerinfo: {
        ...{ canauthenticatenow: false, cancreateaccounts: false, canlinkaccounts: false, preservedusername: false },
        ...{ securitysensitiveoperationstatus: 'fail', requests: [] },
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
  ['a number in another spelling', { list: 'allrevisions', arvcontinue: '2020-01-01T00:00:00Z|1e3' }],
  ['a fraction', { list: 'allrevisions', arvcontinue: '2020-01-01T00:00:00Z|1.5' }],
  ['a list without an entry', { list: 'logevents', lecontinue: 'a' }],
  ['a property that no page has', { prop: 'duplicatefiles', titles: 'File:Bowline.png', dfcontinue: 'a|b' }],
  ['too few parts', { prop: 'links', titles: 'Boat', plcontinue: '1' }],
])('an invalid continue value is rejected: %s', async (_what, params: Params) => {
  expect(await site.query(params)).toMatchObject({ error: { code: 'badcontinue' } });
});
