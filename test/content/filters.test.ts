import { type ContentLink, type ContentSource, contentQuery, type MemoryPage } from 'oauth-query/content';
import { expect, test } from 'vitest';
import { everyRow, share } from '../rows.js';
import { bothSources } from './support/both-sources.js';
import { startQuery } from './support/same-pages.js';
import { type Json, type Params, walk } from './support/walk.js';

const ROWS = 6_000;
/** One of so many rows passes each filter. */
const EACH = 500;
const MATCHES = ROWS / EACH;
/** A response with fewer rows than its limit may continue after so many. */
const MOST_READ = 5_000;

const isMatch = (n: number): boolean => n % EACH === EACH - 1;
/** Other pages, which are in another namespace. */
const isTalk = (n: number): boolean => n % EACH === 250;

const number = (n: number): string => String(n).padStart(4, '0');
const all = <T>(of: (n: number) => T): readonly T[] => Array.from({ length: ROWS }, (_, n) => of(n));

const linksOf = (n: number): readonly ContentLink[] => [
  { kind: 'link', ns: 0, title: 'Hub' },
  { kind: 'template', ns: 10, title: 'Box' },
  { kind: 'file', ns: 6, title: 'Boat.png' },
  { kind: 'category', ns: 14, title: 'All' },
  { kind: 'category', ns: 14, title: `Category ${number(isMatch(n) ? n - 1 : n)}` },
  { kind: 'url', ns: 0, title: `example.hub./ ${isMatch(n) ? 'ftp' : 'https'}`, text: 'https://hub.example/' },
  { kind: 'redirect', ns: 0, title: 'Hub', ...(isMatch(n) && { text: 'Part' }) },
  ...(isMatch(n) ? [{ kind: 'language', ns: 0, title: `de:${n}` } as const] : []),
];

const NOW = `${new Date(Date.now() - 3_600_000).toISOString().slice(0, 19)}Z`;

const pages: readonly MemoryPage[] = all((n): MemoryPage => {
  const [id, text] = [n + 1, isMatch(n) ? 'a long text' : 'short'];
  const user = isMatch(n) ? { user: `User ${number(n)}`, userid: id } : { user: '192.0.2.1', userid: 0 };
  const timestamp = isMatch(n) ? NOW : new Date(Date.UTC(2024, 0, 1) + n * 1000).toISOString().replace('.000', '');
  return {
    ...{ id, text, ns: isTalk(n) ? 1 : 0, title: `Page ${number(n)}`, links: linksOf(n) },
    ...(isMatch(n) && { redirect: { to: 'Hub' } }),
    history: [{ id, text, timestamp, parent: isMatch(n) ? 0 : 1, minor: isMatch(n), ...user }],
  };
});

/** As many addresses and users without recent edits as there are pages, and one page with as many links of each kind. */
const busy: readonly MemoryPage[] = [
  ...all((n): MemoryPage => {
    const timestamp = isMatch(n) ? NOW : '2001-01-01T00:00:00Z';
    const history = [{ id: n + 1, text: '', timestamp, user: `User ${number(n)}`, userid: n + 1 }];
    const file = { url: '/x', size: isMatch(n) ? 9 : 1, mime: isMatch(n) ? 'image/png' : 'image/gif' };
    return { id: n + 1, ns: 6, title: `File ${number(n)}.png`, text: '', history, file };
  }),
  {
    ...{ id: ROWS + 1, title: 'Many', text: '', history: [{ id: ROWS + 1, text: '', user: 'A', userid: ROWS + 1 }] },
    links: all((n): ContentLink[] => [
      { kind: 'link', ns: isMatch(n) ? 4 : 0, title: `Page ${number(n)}` },
      { kind: 'template', ns: isMatch(n) ? 4 : 10, title: `Page ${number(n)}` },
      { kind: 'file', ns: 6, title: `File ${number(n)}.png` },
      { kind: 'category', ns: 14, title: `Category ${number(n)}` },
      { kind: 'url', ns: 0, title: `example.host${n}./ ${isMatch(n) ? 'ftp' : 'https'}`, text: `//host${n}.example/` },
      { kind: 'language', ns: 0, title: `${isMatch(n) ? 'de' : 'aa'}:${n}` },
      { kind: 'interwiki', ns: 0, title: `${isMatch(n) ? 'other' : 'more'}:${n}` },
    ]).flat(),
  },
];

const named = (of: (n: number) => string): string =>
  all((n) => n)
    .filter(isMatch)
    .map(of)
    .join('|');

const PAGES: readonly Params[] = [
  { list: 'allpages', apminsize: '10' },
  { list: 'allpages', apmaxsize: '11', apminsize: '6' },
  { list: 'allpages', apfilterredir: 'redirects' },
  { list: 'allpages', apfilterredir: 'redirects', apminsize: '10' },
  { list: 'allpages', apfilterlanglinks: 'withlanglinks', apdir: 'descending' },
  { list: 'random', rnfilterredir: 'redirects' },
  { list: 'random', rnnamespace: '1' },
  { list: 'random', rnminsize: '10', rnfilterredir: 'all' },
  { list: 'exturlusage', euquery: 'hub.example', eunamespace: '1' },
  { list: 'exturlusage', euquery: 'hub.example', euprotocol: 'ftp' },
  { list: 'backlinks', bltitle: 'Hub', blnamespace: '1' },
  { list: 'backlinks', bltitle: 'Hub', blfilterredir: 'redirects' },
  { list: 'embeddedin', eititle: 'Template:Box', einamespace: '1', eidir: 'descending' },
  { list: 'embeddedin', eititle: 'Template:Box', eifilterredir: 'redirects' },
  { list: 'imageusage', iutitle: 'File:Boat.png', iunamespace: '1' },
  { list: 'imageusage', iutitle: 'File:Boat.png', iufilterredir: 'redirects' },
  { list: 'categorymembers', cmtitle: 'Category:All', cmnamespace: '1' },
  { list: 'categorymembers', cmtitle: 'Category:All', cmnamespace: '1', cmsort: 'timestamp' },
  { list: 'allcategories', acmin: '2', acmax: '2' },
  { list: 'allusers' },
  { list: 'allusers', auactiveusers: '1' },
  { list: 'recentchanges', rctype: 'new' },
  { list: 'recentchanges', rcshow: 'minor' },
  { list: 'recentchanges', rcshow: '!anon' },
  { list: 'recentchanges', rcnamespace: '1' },
  { list: 'recentchanges', rcexcludeuser: '192.0.2.1', rcdir: 'newer' },
  { list: 'usercontribs', ucuser: '192.0.2.1', ucnamespace: '1' },
  { list: 'allrevisions', arvnamespace: '1' },
  { list: 'allrevisions', arvexcludeuser: '192.0.2.1', arvdir: 'newer' },
  { prop: 'linkshere', titles: 'Hub', lhnamespace: '1' },
  { prop: 'linkshere', titles: 'Hub', lhshow: 'redirect' },
  { prop: 'redirects', titles: 'Hub', rdnamespace: '1' },
  { prop: 'redirects', titles: 'Hub', rdshow: 'fragment' },
  { prop: 'transcludedin', titles: 'Template:Box', tinamespace: '1' },
  { prop: 'fileusage', titles: 'File:Boat.png', fushow: 'redirect' },
];

const BUSY: readonly Params[] = [
  { list: 'allusers', auactiveusers: '1' },
  { list: 'allimages', aiminsize: '5' },
  { list: 'allimages', aimime: 'image/png', aidir: 'descending' },
  { prop: 'links', plnamespace: '4' },
  { prop: 'links', pltitles: named((n) => `Project:Page ${number(n)}`) },
  { prop: 'templates', tlnamespace: '4' },
  { prop: 'templates', tltemplates: named((n) => `Project:Page ${number(n)}`) },
  { prop: 'images', imimages: named((n) => `File:File ${number(n)}.png`) },
  { prop: 'categories', clcategories: named((n) => `Category:Category ${number(n)}`) },
  { prop: 'extlinks', elprotocol: 'ftp' },
  { prop: 'langlinks', lllang: 'de' },
  { prop: 'iwlinks', iwprefix: 'other' },
].map((params) => ('prop' in params ? { ...params, titles: 'Many' } : params));

const PREFIX: Readonly<Record<string, string>> = {
  ...{ allpages: 'ap', random: 'rn', exturlusage: 'eu', backlinks: 'bl', embeddedin: 'ei', imageusage: 'iu' },
  ...{ categorymembers: 'cm', allcategories: 'ac', allusers: 'au', recentchanges: 'rc', usercontribs: 'uc' },
  ...{ allrevisions: 'arv', linkshere: 'lh', redirects: 'rd', transcludedin: 'ti', fileusage: 'fu', allimages: 'ai' },
  ...{ links: 'pl', templates: 'tl', images: 'im', categories: 'cl', extlinks: 'el', langlinks: 'll', iwlinks: 'iw' },
};

/** The rows of a response. */
const rowsOf = ({ query }: Json, { list = '', prop = '' }: Params): readonly string[] => {
  const found = query as Record<string, readonly Json[]> | undefined;
  const rows = prop === '' ? (found?.[list] ?? []) : (found?.['pages'] ?? []).flatMap((page) => page[prop] ?? []);
  const each = list === 'allrevisions' ? (rows as Json[]).flatMap(({ revisions }) => revisions) : rows;
  return each.map((row) => JSON.stringify(row));
};

/** Filters of ranges that a source may ignore. */
const HINTS = new Set(
  'redirects size languages file namespaces model first minor anonymous excludeUser latest prefix suffix withText members accounts'.split(
    ' ',
  ),
);

/** The source without its hints, and the number of rows that it has returned. */
const ignoringHints = (source: ContentSource) => {
  const counted = { rows: 0 };
  const { search: _, ...functions } = source;
  const wrapped = Object.entries(functions).map(([name, read]) => [
    name,
    (range: Readonly<Record<string, unknown>>, call: unknown) => {
      const known = Object.entries(range).filter(
        ([key]) => !HINTS.has(key) && !(key === 'targets' && name === 'links') && name !== 'pages',
      );
      const given = name === 'pages' || Array.isArray(range) ? range : Object.fromEntries(known);
      const rows = (read as (range: unknown, call: unknown) => readonly unknown[])(given, call);
      if (!['pages', 'revisions', 'files', 'sizes'].includes(name)) counted.rows += rows.length;
      return rows;
    },
  ]);
  return { source: Object.fromEntries(wrapped) as ContentSource, counted };
};

const CASES = [
  ['pages', pages, PAGES],
  ['a busy page, and files', busy, BUSY],
] as const;

const limited = (params: Params, limit: number): Params => ({
  ...params,
  [`${PREFIX[params['list'] ?? params['prop'] ?? '']}limit`]: String(limit),
});

for (const [site, content, requests] of CASES) {
  for (const [place, [name, source]] of Object.entries(bothSources(content)).entries()) {
    test(`in ${name}, a filter that one of 500 rows passes fills each response: ${site}`, async () => {
      const host = await startQuery(contentQuery(source()));
      await everyRow(share(requests, place), async (params) => {
        const answers = await walk(async (sent) => (await host.query(sent)).json, limited(params, 5));
        expect(answers.map((answer) => rowsOf(answer, params).length)).toEqual([5, 5, 2]);
        const rows = answers.flatMap((answer) => rowsOf(answer, params));
        expect(new Set(rows).size).toBe(MATCHES);
      });
      await host.close();
    });
  }

  test(`of a source that ignores the hints, a response is short only after 5,000 rows: ${site}`, async () => {
    const { source, counted } = ignoringHints(bothSources(content)['memory']!());
    const host = await startQuery(contentQuery(source));
    await everyRow(share(requests, 2), async (params) => {
      const read: number[] = [];
      const send = async (sent: Params): Promise<Json> => {
        counted.rows = 0;
        const { json } = await host.query(sent);
        read.push(counted.rows);
        return json;
      };
      const answers = await walk(send, limited(params, 50));
      const rows = answers.flatMap((answer) => rowsOf(answer, params));
      expect(rows).toHaveLength(MATCHES);
      expect(new Set(rows).size).toBe(MATCHES);
      for (const [index, { continue: more }] of answers.entries())
        if (more !== undefined) expect(read[index]).toBeGreaterThanOrEqual(MOST_READ);
      expect(Math.max(...read)).toBeLessThan(MOST_READ + 1_100);
    });
    await host.close();
  });
}
