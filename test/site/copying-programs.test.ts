import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { contentQuery } from 'oauth-query/content';
import { markdownFolder } from 'oauth-query/content/markdown';
import { describe, expect, test } from 'vitest';
import { startQuery } from '../content/support/same-pages.js';
import { useStarted } from '../hosts/listen.js';
import { entries, type Entry, startSite } from './support/running-site.js';

const site = useStarted(() => startSite(fileURLToPath(new URL('../../examples/site/sample.xml', import.meta.url))));

type Parameters = Readonly<Record<string, string>>;

const get = (path: string, parameters: Parameters) =>
  fetch(`${site.origin}/w/${path}?${new URLSearchParams(parameters)}`);

const json = async (parameters: Parameters): Promise<Entry> => {
  const response = await get('api.php', { format: 'json', ...parameters });
  expect([response.status, response.headers.get('mediawiki-api-error')]).toEqual([200, null]);
  return (await response.json()) as Entry;
};

const part = (entry: unknown, name: string): Entry =>
  (entry as Readonly<Record<string, Entry>> | undefined)?.[name] ?? {};

/** The requests of a program that makes one file of a whole site, in its order. */
describe('a scraper that makes an offline copy', () => {
  test('reads the facts of the site that it cannot do without', async () => {
    const { query } = await json({
      action: 'query',
      meta: 'siteinfo|allmessages',
      siprop: 'general|skins|rightsinfo|namespaces|namespacealiases',
      ammessages: 'tagline',
      amenableparser: '1',
      list: 'gadgets',
      gaprop: 'id|metadata',
      gaallowedonly: '',
      gaenabledonly: '',
      maxlag: '5',
      formatversion: '2',
    });
    const general = part(query, 'general');
    expect(general).toMatchObject({
      generator: expect.stringMatching(/^MediaWiki 1\.\d+/),
      mainpage: 'Main Page',
      lang: 'en',
      rtl: false,
      fallback: [],
      scriptpath: '/w',
      script: '/w/index.php',
      articlepath: '/wiki/$1',
      wikiid: 'harbour',
    });
    expect(
      entries(part(query, 'skins')).filter((skin) => skin['default'] === true && skin['unusable'] !== true),
    ).toHaveLength(1);
    expect(entries(part(query, 'allmessages'))).toEqual([
      { name: 'tagline', normalizedname: 'tagline', content: general['sitename'] },
    ]);
    expect(part(query, 'rightsinfo')).toMatchObject({ url: expect.anything(), text: expect.anything() });
    const { query: found } = await json({ action: 'query', titles: String(general['mainpage']), formatversion: '2' });
    expect(entries(part(found, 'pages'))[0]).not.toHaveProperty('missing');
  });

  test('hears as a warning that there are no coordinates', async () => {
    const { warnings } = await json({ action: 'query', prop: 'info|coordinates' });
    expect(part(warnings, 'query')['*']).toContain('coordinates');
  });

  test.each([
    ['startup', 'scripts', /^;mw\.loader\.register\(\[.*"site\.styles".*\]\);\nmw\./s, 'text/javascript'],
    ['site.styles', 'styles', /^$/, 'text/css'],
    ['noscript', 'styles', /^$/, 'text/css'],
    ['jquery', 'scripts', /^$/, 'text/javascript'],
    ['<script>alert(1)</script>', 'scripts', /^$/, 'text/javascript'],
  ])('fetches the module %s', async (modules, only, body, type) => {
    const response = await get('load.php', { lang: 'en', modules, only });
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'public, max-age=86400']);
    expect(response.headers.get('content-type')).toBe(`${type}; charset=utf-8`);
    expect(await response.text()).toMatch(body);
    expect((await fetch(`${site.origin}/w/load.php`, { method: 'POST' })).status).toBe(405);
  });

  test('needs the HTML of pages with what is around it, which a folder has', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'oauth-query-copy-'));
    writeFileSync(join(folder, 'README.md'), '# Harbour\n\n![](boat.png) See [ropes](ropes.md).\n');
    writeFileSync(join(folder, 'ropes.md'), '---\ntags: [Gear]\naliases: [Lines]\n---\n# Ropes\n\nA *rope*.\n');
    writeFileSync(join(folder, 'boat.png'), '');
    const content = await markdownFolder(folder, { watch: false });
    const options = contentQuery(content);
    const host = await startQuery(options);
    const ask = async (parameters: Parameters): Promise<{ readonly headers: Headers; readonly json: Entry }> => {
      const query = new URLSearchParams({ format: 'json', formatversion: '2', ...parameters });
      const response = await fetch(`${host.base}/w/api.php?${query}`);
      expect([response.status, response.headers.get('mediawiki-api-error')]).toEqual([200, null]);
      return { headers: response.headers, json: (await response.json()) as Entry };
    };
    const info = await ask({
      action: 'query',
      meta: 'siteinfo|allmessages',
      siprop: 'general|skins',
      ammessages: 'tagline',
    });
    const general = part(info.json['query'], 'general');
    expect(general).toMatchObject({ scriptpath: '/w', articlepath: '/wiki/$1', categorycollation: 'uppercase' });
    expect(entries(part(info.json['query'], 'allmessages'))[0]).toHaveProperty('content');
    const { json: first } = await ask({ action: 'query', titles: String(general['mainpage']) });
    expect(entries(part(first['query'], 'pages'))[0]).not.toHaveProperty('missing');
    const parse: Parameters = {
      ...{ action: 'parse', prop: 'modules|jsconfigvars|headhtml|text|displaytitle|subtitle|categorieshtml' },
      ...{ usearticle: '1', useskin: 'fallback', redirects: '1', disablelimitreport: '1', disableeditsection: '1' },
      ...{ disabletoc: '1', disablestylededuplication: '1' },
    };
    const { json: parsed } = await ask({ ...parse, page: String(general['mainpage']) });
    expect(parsed['parse']).toMatchObject({
      text: expect.stringMatching(/<img[^>]+src="(?:https?:|\/)/),
      headhtml: expect.stringMatching(/^<!DOCTYPE html>[^]*RLCONF=\{[^]*<body class="/),
      redirects: [],
      modules: [],
      jsconfigvars: {},
      categorieshtml: expect.stringContaining('id="catlinks"'),
      subtitle: '',
    });
    const { json: other } = await ask({ ...parse, page: 'Lines' });
    expect(other['parse']).toMatchObject({ title: 'Ropes', redirects: [{ from: 'Lines', to: 'Ropes' }] });
    const titles = `Ropes|Nowhere|${general['mainpage']}`;
    const prop = 'info|redirects|revisions|categoryinfo|pageprops|categories';
    const { json: many } = await ask({
      action: 'query',
      titles,
      prop,
      rdlimit: 'max',
      rdprop: 'pageid|title|fragment',
    });
    expect(entries(part(many['query'], 'pages'))).toContainEqual(
      expect.objectContaining({ title: 'Ropes', contentmodel: 'markdown', revisions: [expect.anything()] }),
    );
    await host.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('walks all pages with the old form of continuation, and asks for what their titles lead to', async () => {
    const walk: Parameters = {
      action: 'query',
      generator: 'allpages',
      gapfilterredir: 'nonredirects',
      gaplimit: '5',
      rawcontinue: 'true',
      prop: 'info|redirects|revisions|categoryinfo|pageprops|categories',
      rdlimit: 'max',
      rdprop: 'pageid|title|fragment',
      ppprop: 'nogallery',
      cllimit: 'max',
      clprop: 'hidden',
    };
    const pages: Entry[] = [];
    for (let next: Parameters | undefined = {}; next !== undefined;) {
      const answer: Entry = await json({ ...walk, ...next });
      pages.push(...(Object.values(part(answer['query'], 'pages')) as Entry[]));
      next = part(answer['query-continue'], 'allpages') as Parameters;
      if (Object.keys(next).length === 0) next = undefined;
    }
    expect(pages.length).toBeGreaterThan(10);
    for (const page of pages) {
      expect(page).toMatchObject({ contentmodel: 'wikitext' });
      expect(entries(page['revisions'])[0]).toMatchObject({ revid: expect.any(Number), timestamp: expect.any(String) });
    }
    expect(pages.find(({ title }) => title === 'Knot')?.['redirects']).toEqual([
      expect.objectContaining({ title: 'Knots' }),
    ]);
    const moves = await json({ action: 'query', list: 'logevents', letype: 'move', letitle: 'Nowhere' });
    expect(moves['query']).toEqual({ logevents: [] });
  });
});

/** The requests of a program that writes an export of a whole site, in its order. */
describe('a generator of dumps', () => {
  test('reads the head of an export without a page', async () => {
    const response = await get('api.php', {
      action: 'query',
      export: '1',
      exportnowrap: '1',
      list: 'allpages',
      aplimit: '1',
      format: 'json',
    });
    const text = await response.text();
    expect(text).toMatch(/^<mediawiki[^]*<dbname>harbour<\/dbname>/);
    expect(text).not.toContain('<page>');
  });

  test('reads texts in the older formats, which it asks for by default', async () => {
    const parameters = {
      ...{ action: 'query', list: 'allrevisions', arvdir: 'newer', arvlimit: '2' },
      arvprop: 'ids|timestamp|user|userid|size|sha1|contentmodel|comment|content|flags',
    };
    const { query } = await json(parameters);
    const [page] = entries(part(query, 'allrevisions'));
    expect(entries(page?.['revisions'])[0]).toMatchObject({ '*': expect.any(String), contentmodel: 'wikitext' });
    const xml = await (await get('api.php', { format: 'xml', ...parameters })).text();
    expect(xml).toMatch(/^<\?xml[^]*<rev [^>]*revid="\d+"[^>]*xml:space="preserve"[^>]*>[^<]/);
    const head = { export: '1', exportnowrap: '1', list: 'allpages', aplimit: '1', format: 'xml' };
    expect(await (await get('api.php', { action: 'query', ...head })).text()).toMatch(/^<mediawiki/);
  });

  test('walks all revisions of all pages, and every answer goes on elsewhere', async () => {
    const seen = new Set<unknown>();
    const revisions: unknown[] = [];
    for (let next: Parameters | undefined = {}; next !== undefined;) {
      const answer: Entry = await json({
        action: 'query',
        list: 'allrevisions',
        arvdir: 'newer',
        arvprop: 'ids|timestamp|user|userid|size|sha1|contentmodel|comment|content|flags',
        arvslots: 'main',
        arvlimit: '7',
        ...next,
      });
      for (const page of entries(part(answer['query'], 'allrevisions'))) revisions.push(...entries(page['revisions']));
      next = answer['continue'] as Parameters | undefined;
      expect(seen.has(next?.['arvcontinue'])).toBe(false);
      seen.add(next?.['arvcontinue']);
    }
    expect(new Set(revisions.map((revision) => (revision as Entry)['revid'])).size).toBe(45);
    expect(revisions).toHaveLength(45);
    expect(site.failures).toEqual([]);
  });
});
