import { Mwn } from 'mwn';
import { SaxesParser } from 'saxes';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { contentQuery, memoryContent, type MemoryPage } from '../../src/content/index.js';
import type { QueryOptions, Render, RenderedContent } from '../../src/core/query/index.js';
import { SIZES } from '../../src/core/query/sizes.js';
import { constantsOfTest } from '../oauth/support/limits.js';
import { everyRow } from '../rows.js';
import { type Json, type QueryHost, startQuery } from './fixture.js';

const APPLE = '= Apple =\n\nA fruit. <script>alert(1)</script>\n\n== Käse ==\nGood.\n\n== Pie ==\nBetter.\n';

const PAGES: readonly MemoryPage[] = [
  {
    title: 'Apple',
    text: APPLE,
    links: [
      { kind: 'link', ns: 0, title: 'Pear' },
      { kind: 'link', ns: 0, title: 'Nowhere' },
      { kind: 'category', ns: 14, title: 'Sweet fruit' },
    ],
  },
  { title: 'Apple pie', text: 'Bake.' },
  { title: 'Pear', text: 'Another.' },
  { title: 'Apfel', text: '#REDIRECT [[Apple]]', redirect: { to: 'Apple' } },
  { title: 'Secret', text: 'Hidden.' },
  { ns: 14, title: 'Sweet fruit', text: '' },
];

/** Headings of wikitext, and the rest as it stands: nothing is escaped, so all of it has to be sanitised. */
const render: Render = ({ text }) => ({
  html: text.replace(
    /^(=+) (.*) =+$/gm,
    (_all, marks: string, line: string) => `<h${marks.length} id="${line}">${line}</h${marks.length}>`,
  ),
  sections: [...text.matchAll(/^(=+) (.*) =+$/gm)].map(([, marks = '', line = ''], index, all) => ({
    level: marks.length,
    line,
    anchor: line,
    offset: all[index]?.index ?? 0,
  })),
  displaytitle: 'The <Apple>',
});

const site = {
  name: 'Orchard & Co. of <many> trees',
  language: 'en',
  server: 'https://fruit.example',
  interwiki: { wikipedia: 'https://en.wikipedia.example/wiki/$1' },
};
const hosts: QueryHost[] = [];
const start = async (options: QueryOptions, base?: string): Promise<QueryHost> => {
  const host = await startQuery(options, base === undefined ? {} : { issuer: base });
  hosts.push(host);
  return host;
};
afterAll(async () => {
  for (const host of hosts) await host.close();
});

const source = memoryContent(PAGES);
let plain: QueryHost;
let rendering: QueryHost;
beforeAll(async () => {
  plain = await start(contentQuery(source, { site }), 'https://fruit.example/auth');
  rendering = await start(
    contentQuery(source, {
      site,
      render,
      visible: (pages, { caller }) => pages.filter(({ title }) => caller || title !== 'Secret'),
    }),
  );
});

const parse = async (host: QueryHost, params: Readonly<Record<string, string>>, as?: string): Promise<Json> =>
  (await host.get({ action: 'parse', formatversion: '2', ...params }, as === undefined ? {} : { as })).json;

describe('action=parse', () => {
  test('returns sanitised HTML, headings with their numbers, links, categories, the revision and the title', async () => {
    const { json } = await rendering.get({ action: 'parse', page: 'apple', formatversion: '2' });
    const ofApple = { fromtitle: 'Apple' };
    const named = (line: string) => ({ line, anchor: line, linkAnchor: line });
    let index = 0;
    const tocEntry = (tocLevel: number, hLevel: number, number: string, line: string, codepointOffset: number) => ({
      ...{ tocLevel, hLevel, number, index: String((index += 1)), fromTitle: 'Apple', codepointOffset },
      ...named(line),
    });
    expect(json['warnings']).toBeUndefined();
    expect(json['parse']).toEqual({
      title: 'Apple',
      pageid: 1,
      revid: expect.any(Number),
      text: '<h1 id="Apple">Apple</h1>\n\nA fruit. \n\n<h2 id="Käse">Käse</h2>\nGood.\n\n<h2 id="Pie">Pie</h2>\nBetter.\n',
      categories: [{ sortkey: '', category: 'Sweet_fruit' }],
      links: [
        { ns: 0, title: 'Nowhere', exists: false },
        { ns: 0, title: 'Pear', exists: true },
      ],
      sections: [
        { ...ofApple, toclevel: 1, level: '1', number: '1', index: '1', byteoffset: 0, ...named('Apple') },
        { ...ofApple, toclevel: 2, level: '2', number: '1.1', index: '2', byteoffset: 47, ...named('Käse') },
        { ...ofApple, toclevel: 2, level: '2', number: '1.2', index: '3', byteoffset: 65, ...named('Pie') },
      ],
      tocdata: {
        sections: [
          tocEntry(1, 1, '1', 'Apple', 0),
          tocEntry(2, 2, '1.1', 'Käse', 47),
          tocEntry(2, 2, '1.2', 'Pie', 65),
        ],
      },
      showtoc: false,
      parsewarnings: [],
      displaytitle: 'The &lt;Apple&gt;',
    });
  });

  test('in formatversion 1 content is *, and flags are empty texts', async () => {
    const { json } = await rendering.get({ action: 'parse', page: 'Apple', prop: 'links|wikitext|categories' });
    expect(json['parse']).toEqual({
      title: 'Apple',
      pageid: 1,
      categories: [{ sortkey: '', '*': 'Sweet_fruit' }],
      links: [
        { ns: 0, '*': 'Nowhere' },
        { ns: 0, '*': 'Pear', exists: '' },
      ],
      wikitext: { '*': APPLE },
    });
  });

  test('finds pages by title, id, revision and through redirects', async () => {
    const { revid } = (await parse(plain, { pageid: '1', prop: 'revid' }))['parse'] as unknown as { revid: number };
    expect(await parse(plain, { oldid: String(revid), prop: 'wikitext' })).toEqual({
      parse: { title: 'Apple', pageid: 1, wikitext: APPLE },
    });
    expect(await parse(plain, { page: 'Apfel', redirects: '1', prop: 'displaytitle' })).toEqual({
      parse: { title: 'Apple', pageid: 1, redirects: [{ from: 'Apfel', to: 'Apple' }], displaytitle: 'Apple' },
    });
    expect((await parse(plain, { page: 'Apfel', prop: '' }))['parse']).toEqual({ title: 'Apfel', pageid: 4 });
  });

  test('returns one section', async () => {
    expect((await parse(rendering, { page: 'Apple', section: '2', prop: 'text|wikitext' }))['parse']).toEqual({
      title: 'Apple',
      pageid: 1,
      text: '<h2 id="Käse">Käse</h2>\nGood.',
      wikitext: '== Käse ==\nGood.',
    });
  });

  test('invalid requests are errors', () =>
    everyRow(
      [
        ['missingtitle', { page: 'Nowhere' }],
        ['missingtitle', { page: 'Secret' }],
        ['invalidtitle', { page: 'A[b]' }],
        ['invalidtitle', { page: 'Apple|Pear' }],
        ['invalidtitle', { page: 'wikipedia:Apple' }],
        ['pagecannotexist', { page: 'Special:Search' }],
        ['nosuchpageid', { pageid: '99' }],
        ['nosuchpageid', { pageid: '-1' }],
        ['nosuchrevid', { oldid: '99999' }],
        ['nosuchsection', { page: 'Apple', section: '9' }],
        ['nosuchsection', { page: 'Apple', section: 'x' }],
        ['missingparam', {}],
        ['invalidparammix', { page: 'Apple', pageid: '1' }],
      ],
      async ([code, params]) => {
        const json = await parse(rendering, params);
        expect(json['error']).toMatchObject({ code });
        expect(json['parse']).toBeUndefined();
      },
    ));

  test('a page that the caller may not see is missing, and found by other callers', async () => {
    expect((await parse(rendering, { page: 'Secret', prop: 'wikitext' }, 'alice'))['parse']).toMatchObject({
      wikitext: 'Hidden.',
    });
  });

  test('without a renderer, text is never returned as HTML, and a request for HTML is an error', async () => {
    const json = await parse(plain, { page: 'Apple', errorformat: 'plaintext' });
    expect(Object.keys(json['parse'] ?? {}).join(' ')).toBe(
      'title pageid revid categories links displaytitle parsewarnings',
    );
    expect(json['warnings']).toMatchObject([{ code: 'norenderer', module: 'parse' }]);
    const strict = await start({ ...contentQuery(source, { site }), unanswered: 'error' });
    expect((await parse(strict, { page: 'Apple' }))['error']).toMatchObject({ code: 'norenderer' });
  });

  test('unknown values of prop cause a warning, and the others work', async () => {
    const json = await parse(plain, { page: 'Apple', prop: 'revid|parsetrees', errorformat: 'plaintext' });
    expect(json['warnings']).toMatchObject([{ code: 'unrecognizedvalues' }]);
    expect(json['parse']).toMatchObject({ title: 'Apple' });
  });

  test('returns what stands around a text, which programs that copy a site ask for; what belongs to skins is empty', async () => {
    const prop =
      'headhtml|categorieshtml|subtitle|modules|jsconfigvars|encodedjsconfigvars|indicators|headitems|properties|limitreportdata|limitreporthtml|parsewarningshtml|iwlinks';
    const asked = {
      page: 'Apple',
      prop,
      useskin: 'fallback',
      usearticle: '1',
      parser: 'parsoid',
      disablepp: '1',
      redirects: '1',
    };
    const { parse: item, error, warnings } = await parse(rendering, { ...asked, errorformat: 'plaintext' });
    expect(error).toBeUndefined();
    expect(Object(warnings)).toMatchObject([
      { code: 'deprecation', data: { feature: 'action=parse&prop=headitems' } },
      { code: 'deprecation-help' },
      { code: 'deprecation', data: { feature: 'action=parse&disablepp' } },
    ]);
    const { headhtml, categorieshtml, ...rest } = Object(item);
    expect(rest).toEqual({
      ...{ title: 'Apple', pageid: 1, redirects: [], subtitle: '', properties: {} },
      ...{ modules: [], modulescripts: [], modulestyles: [], jsconfigvars: {}, encodedjsconfigvars: '{}', iwlinks: [] },
      ...{ indicators: {}, headitems: {}, limitreportdata: [], limitreporthtml: '', parsewarningshtml: [] },
    });
    expect(headhtml).toMatch(
      /^<!DOCTYPE html>\n<html class="client-nojs" lang="en" dir="ltr">[\s\S]*<title>The &lt;Apple&gt; - /,
    );
    expect(headhtml).toContain(
      'RLCONF={"wgPageName":"Apple","wgTitle":"Apple","wgNamespaceNumber":0,"wgArticleId":1,"wgRevisionId":',
    );
    expect(headhtml).toMatch(/<body class="mediawiki ltr ns-0 page-Apple">$/);
    expect(categorieshtml).toContain(
      '<li><a href="https://fruit.example/wiki/Category:Sweet_fruit" title="Category:Sweet fruit">Sweet fruit</a></li>',
    );
    const { json } = await rendering.get({ action: 'parse', page: 'Apple', prop: 'headhtml|properties|modules' });
    expect(json['parse']).toMatchObject({
      headhtml: { '*': expect.stringContaining('<html') },
      properties: [],
    });
    expect(json['warnings']).toMatchObject({
      parse: { '*': expect.stringContaining('"modules" was set but not "jsconfigvars"') },
    });
    expect((await parse(rendering, { page: 'Apple', prop: 'parsetree' }))['error']).toMatchObject({
      code: 'norenderer',
    });
  });

  test('a script in headhtml cannot be left by a title', async () => {
    const hostile = await start({ render: () => ({ html: '' }) });
    const { parse: item } = await parse(hostile, {
      title: 'A\'"&/b',
      text: 'x',
      prop: 'headhtml',
      contentmodel: 'wikitext',
    });
    const { headhtml } = Object(item);
    expect(headhtml).toContain(String.raw`"wgPageName":"A'\"&/b"`);
    expect(headhtml).toContain('page-A_b">');
  });

  test('a renderer that fails is an error without its reason; one that throws an ApiError is returned', async () => {
    const failing = await start(
      contentQuery(source, {
        render: ({ title }) => {
          if (title === 'Pear') return { html: 5 } as never;
          throw new Error('the reason');
        },
      }),
    );
    for (const page of ['Apple', 'Pear']) {
      const { text } = await failing.get({ action: 'parse', page });
      expect(text).toContain('modulefailed');
      expect(text).not.toContain('the reason');
    }
    expect(failing.errors).toMatchObject([
      { message: 'the reason' },
      { message: expect.stringContaining('query: options.render') },
    ]);
  });

  test('links and categories of the renderer are used if no module has them', async () => {
    const { modules, resolvePages } = contentQuery(source);
    const own = await start({
      resolvePages: resolvePages!,
      modules: { revisions: modules!.revisions! },
      render: () => ({ html: '', links: ['Pear', 'pear', 'A[b]', 'Nowhere'], categories: ['sweet fruit'] }),
    });
    expect((await parse(own, { page: 'Apple', prop: 'links|categories' }))['parse']).toEqual({
      title: 'Apple',
      pageid: 1,
      categories: [{ sortkey: '', category: 'Sweet_fruit' }],
      links: [
        { ns: 0, title: 'Nowhere', exists: false },
        { ns: 0, title: 'Pear', exists: true },
      ],
    });
  });

  test('a response that is too long is rejected immediately', async () => {
    const long = vi.fn(() => ({ html: 'x'.repeat(5000) }));
    constantsOfTest(SIZES, { response: 4000 });
    const small = await start(contentQuery(source, { render: long }));
    expect((await parse(small, { page: 'Apple' }))['error']).toMatchObject({ code: 'badconfig' });
    expect(long).toHaveBeenCalledTimes(1);
  });
});

test('mwn reads a page, and completes a title', async () => {
  const bot = new Mwn({ apiUrl: `${rendering.origin}/w/api.php`, userAgent: 'tests', silent: true, maxRetries: 0 });
  expect(await bot.parseTitle('Pear')).toBe('Another.');
  expect(await bot.request({ action: 'opensearch', search: 'pe' })).toEqual([
    'pe',
    ['Pear'],
    [''],
    ['https://fruit.example/wiki/Pear'],
  ]);
});

describe('HTML from a renderer', () => {
  const shown = async (html: string, trusted = false): Promise<Json> => {
    const host = await start(contentQuery(source, { render: () => ({ html, trusted }) }));
    return parse(host, { page: 'Pear', prop: 'text' });
  };
  const textOf = async (html: string, trusted?: boolean) => (await shown(html, trusted))['parse']?.['text'];

  test.each([
    ['<h2 id="a">A</h2><p lang="de">x <a href="/wiki/B" title="t">b</a> <a href="mailto:a@b.example">c</a></p>'],
    ['<table><tbody><tr><td colspan="2">1</td></tr></tbody></table><ol start="3"><li>x</li></ol>'],
    [
      '<pre class="language-js"><code class="language-js">a &lt; b</code></pre><img src="https://x.example/a.png" alt="x" />',
    ],
  ])('keeps text: %s', async (html) => {
    expect(await textOf(html)).toBe(html);
  });

  test('removes other markup', () =>
    everyRow(
      [
        ['<script>alert(1)</script>a', 'a'],
        ['<img src=x onerror=alert(1)>', '<img src="x" />'],
        ['<a href="java&Tab;script:alert(1)" target=_top>a</a>', '<a>a</a>'],
        ['<img src="data:image/svg+xml,x">', '<img />'],
        ['<p style="position:fixed" class="mw-ui" id=x>a</p>', '<p>a</p>'],
        ['<svg><a xlink:href="javascript:alert(1)">a</a></svg>b', 'b'],
        ['<math><mtext><style><img src=x onerror=alert(1)></style></mtext></math>b', 'b'],
        ['<form action=https://evil.example><input name=p>a</form>', 'a'],
        ['<iframe srcdoc="<script>alert(1)</script>">x</iframe>a', 'a'],
        [
          '<noscript><p title="</noscript><img src=x onerror=alert(1)>">a</noscript>',
          expect.not.stringMatching(/<img|<noscript/),
        ],
        ['&lt;img src=x onerror=alert(1)&gt;', '&lt;img src=x onerror=alert(1)&gt;'],
      ],
      async ([html, left]) => {
        expect(await textOf(html)).toEqual(left);
      },
    ));

  test.each([
    ['longer than 1 MiB', 'x'.repeat(1024 * 1024 + 1)],
    ['of more than 60,000 tags', '<b>x</b>'.repeat(30_001)],
    ['of more than 60,000 tags, addresses and references', '<a href="/x">&amp;</a>'.repeat(15_001)],
    ['of more than 60,000 signs that are escaped', '>'.repeat(60_001)],
    ['deeper than 250 elements', '<b>'.repeat(251)],
    ['deeper than 250 elements of frames', '<svg>'.repeat(251)],
    ['deep by ends that close nothing', '<b></i>'.repeat(251)],
  ])('is rejected if it is %s', async (_which, html) => {
    expect((await shown(html))['error']).toMatchObject({ code: 'htmltoolarge' });
  });

  test('is accepted up to these bounds', async () => {
    for (const html of ['<b>x</b>'.repeat(30_000), '<a href="/x">&amp;</a>'.repeat(15_000), '>'.repeat(60_000)])
      expect(await shown(html)).not.toHaveProperty('error');
  });

  test('is returned unchanged if it is trusted', async () => {
    const long = '<b>x</b>'.repeat(30_001);
    expect(await textOf(long, true)).toBe(long);
    expect(await textOf('<script>go()</script>', true)).toBe('<script>go()</script>');
  });

  test('without options.sanitize, only a trusted renderer returns HTML, and an error says what to do', async () => {
    const rendered = (result: Partial<RenderedContent>) =>
      startQuery(contentQuery(source, { render: () => ({ html: '<b>x</b>', ...result }) }), {}, {});
    const untrusted = await rendered({});
    expect((await parse(untrusted, { page: 'Pear', prop: 'text' }))['error']).toMatchObject({ code: 'nosanitizer' });
    expect(untrusted.errors).toMatchObject([{ message: expect.stringContaining('options.sanitize') }]);
    const trusted = await rendered({ trusted: true });
    expect((await parse(trusted, { page: 'Pear', prop: 'text' }))['parse']).toMatchObject({ text: '<b>x</b>' });
  });

  test('comes from the source if the application names no renderer', async () => {
    const own = { ...source, render: () => ({ html: 'of the source' }) };
    const bySource = await start(contentQuery(own));
    const byHost = await start(contentQuery(own, { render: () => ({ html: 'of the host' }) }));
    const texts = [];
    for (const host of [bySource, byHost]) texts.push((await parse(host, { page: 'Pear' }))['parse']?.['text']);
    expect(texts).toEqual(['of the source', 'of the host']);
  });
});

describe('action=opensearch', () => {
  const suggest = async (params: Readonly<Record<string, string>>, init: RequestInit = {}) =>
    plain.raw(`action=opensearch&${new URLSearchParams(params)}`, init);

  test('is a plain list as JSON, even for browsers', async () => {
    const { headers, json } = await suggest({ search: 'app' }, { headers: { accept: 'text/html' } });
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(json).toEqual([
      'app',
      ['Apple', 'Apple pie'],
      ['', ''],
      ['https://fruit.example/wiki/Apple', 'https://fruit.example/wiki/Apple_pie'],
    ]);
  });

  test('finds the same as list=prefixsearch, within its limit and its namespaces', async () => {
    expect((await suggest({ search: 'a', limit: '1' })).json[1]).toEqual(['Apfel']);
    expect((await suggest({ search: 'sweet', namespace: '0|14' })).json[1]).toEqual(['Category:Sweet fruit']);
    expect((await suggest({ search: ' ' })).json).toEqual([' ', [], [], []]);
  });

  test('resolves redirects on request', async () => {
    expect((await suggest({ search: 'ap', redirects: 'resolve' })).json[1]).toEqual(['Apple', 'Apple pie']);
  });

  test('cannot contain warnings; warningsaserror rejects then', async () => {
    expect((await suggest({ search: 'app', nonsense: '1' })).json).toHaveLength(4);
    const { json } = await suggest({ search: 'app', nonsense: '1', warningsaserror: '1' });
    expect(json['error']).toMatchObject({ code: 'warnings' });
    expect((await suggest({})).json['error']).toMatchObject({ code: 'missingparam' });
  });

  test('completes a page only for callers who may see it', async () => {
    const ask = async (as?: string) =>
      (await rendering.get({ action: 'opensearch', search: 'sec' }, as === undefined ? {} : { as })).json[1];
    expect([await ask(), await ask('alice')]).toEqual([[], ['Secret']]);
  });
});

describe('the OpenSearch description', () => {
  const fetchDocument = async (host: QueryHost, init?: RequestInit) => fetch(`${host.origin}/api/opensearch.xml`, init);

  test('is XML with a short name, and absolute URLs of suggestions and pages', async () => {
    const response = await fetchDocument(plain);
    expect(response.headers.get('content-type')).toBe('application/opensearchdescription+xml; charset=utf-8');
    const elements: [name: string, attributes: object][] = [];
    const texts: Record<string, string> = {};
    const parser = new SaxesParser();
    parser.on('opentag', ({ name, attributes }) => elements.push([name, attributes]));
    parser.on('text', (text) => {
      const [name = ''] = elements.at(-1) ?? [];
      if (text.trim() !== '') texts[name] = text;
    });
    parser.on('error', (error) => {
      throw error;
    });
    parser.write(await response.text()).close();
    expect(texts).toEqual({
      ShortName: 'Orchard & Co. of',
      Description: 'Search Orchard & Co. of <many> trees',
      InputEncoding: 'UTF-8',
    });
    const urls = elements
      .filter(([name]) => name === 'Url')
      .map(([, attributes]) => attributes as Record<string, string>);
    expect(urls.map(({ type }) => type)).toEqual([
      'text/html',
      'application/x-suggestions+json',
      'application/json',
      'application/opensearchdescription+xml',
    ]);
    expect(urls[0]?.['template']).toBe('https://fruit.example/wiki/{searchTerms}');
    const { pathname, search } = new URL(urls[1]?.['template']?.replace('{searchTerms}', 'app') ?? '');
    expect(pathname).toBe('/auth/api');
    expect((await plain.raw(search.slice(1))).json[1]).toEqual(['Apple', 'Apple pie']);
  });

  test("has the URL of the site's search page, an ETag, and only allows GET", async () => {
    const host = await start(
      contentQuery(source, { site: { ...site, searchPath: '/find?a={b}&q=$1' } }),
      'https://fruit.example',
    );
    const response = await fetchDocument(host);
    expect(await response.text()).toContain('template="https://fruit.example/find?a=%7Bb%7D&amp;q={searchTerms}"');
    const etag = response.headers.get('etag') ?? '';
    expect((await fetchDocument(host, { headers: { 'if-none-match': etag } })).status).toBe(304);
    expect((await fetchDocument(host, { method: 'POST' })).status).toBe(405);
  });

  test('is not served if the server does not know its URL, or completes nothing', async () => {
    const silent = await start({ site }, 'https://fruit.example');
    for (const host of [rendering, silent]) expect((await fetchDocument(host)).status).toBe(404);
  });
});

test('on a private site, both require a token', async () => {
  const closed = await start({ ...contentQuery(source), private: true });
  for (const params of [
    { action: 'parse', page: 'Apple', prop: 'wikitext' },
    { action: 'opensearch', search: 'app' },
  ]) {
    expect((await closed.get(params)).json['error']).toMatchObject({ code: 'readapidenied' });
    expect((await closed.get(params, { as: 'alice' })).json['error']).toBeUndefined();
  }
});
