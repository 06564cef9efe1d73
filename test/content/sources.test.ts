import { type ContentSource, contentQuery, memoryContent } from 'oauth-query/content';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { everyRow } from '../rows.js';
import { gather, merged, QUERIES } from './support/queries.js';
import { type QueryHost, sourcesOfTheSamePages, startQuery } from './support/same-pages.js';

let content: Awaited<ReturnType<typeof sourcesOfTheSamePages>>;
const hosts = new Map<string, QueryHost>();
beforeAll(async () => {
  content = await sourcesOfTheSamePages();
  for (const [name, source] of Object.entries(content.sources)) hosts.set(name, await startQuery(contentQuery(source)));
});
afterAll(async () => {
  for (const host of hosts.values()) await host.close();
  content.close();
});

test('there are two hundred pages, and more than forty kinds of queries', () => {
  expect(content.pages).toHaveLength(200);
  expect(QUERIES.length).toBeGreaterThan(40);
});

test('every source gives the same responses', () =>
  everyRow(QUERIES, async ([query, limit]) => {
    const [first, ...others] = [...hosts.values()];
    const expected = await gather(first!, query, limit, 'max');
    expect(JSON.stringify(merged(expected)).length).toBeGreaterThan(60);
    for (const host of others) expect(await gather(host, query, limit, 'max')).toEqual(expected);
  }));

test('a query collects the same results with every limit', () =>
  everyRow(QUERIES.filter(([, limit]) => limit !== '').entries(), async ([index, [query, limit]]) => {
    const [first] = [...hosts.values()];
    const expected = merged(await gather(first!, query, limit, 'max'));
    // The sources take the limits in turn.
    for (const [at, host] of [...hosts.values()].entries()) {
      const size = (index + at) % 2 === 0 ? '1' : '5';
      expect(merged(await gather(host, query, limit, size)), size).toEqual(expected);
    }
  }));

test('every URL of a page is absolute, on the host of the issuer', async () => {
  for (const host of hosts.values()) {
    const params = { titles: 'Boat|Nowhere|File:Bowline.png', prop: 'info|imageinfo', inprop: 'url', iiprop: 'url' };
    const { json } = await host.query(params);
    const { pages } = json['query'] as { readonly pages: readonly Readonly<Record<string, unknown>>[] };
    expect(pages.find(({ title }) => title === 'Boat')).toMatchObject({
      fullurl: `${host.base}/wiki/Boat`,
      canonicalurl: `${host.base}/wiki/Boat`,
      editurl: `${host.base}/index.php?title=Boat&action=edit`,
    });
    const urls = JSON.stringify(json).matchAll(/"[a-z]*url":"([^"]*)"/g);
    expect(Array.from(urls, ([, url = '']) => url).filter((url) => !/^https?:/.test(url))).toEqual([]);
  }
});

test('the direction of pages is that of the script of the language', async () => {
  const directions = {
    ...{ en: 'ltr', 'zh-cn': 'ltr', ku: 'ltr', 'zh-classical': 'ltr' },
    ...{ ar: 'rtl', ps: 'rtl', ckb: 'rtl', dv: 'rtl', 'uz-arab': 'rtl' },
  };
  for (const [language, direction] of Object.entries(directions)) {
    const host = await startQuery(contentQuery(memoryContent([{ title: 'Boat', text: '' }], { site: { language } })));
    const { json } = await host.query({ titles: 'Boat', prop: 'info', meta: 'siteinfo' });
    expect(json['query'], language).toMatchObject({
      general: { lang: language, rtl: direction === 'rtl' },
      pages: [{ pagelanguage: language, pagelanguagedir: direction }],
    });
    await host.close();
  }
});

test('a tag that does not exist can be where the list of tags continues', async () => {
  const { json } = await hosts.get('an export in SQLite')!.query({ list: 'tags', tgcontinue: 'abc' });
  expect(json).toEqual({ batchcomplete: true, query: { tags: [] } });
});

test('searches find the same pages', async () => {
  for (const srsearch of ['rope', 'loop sheet', 'knot -reef', '"a boat"', 'sail*']) {
    const found = [];
    for (const host of hosts.values()) {
      const pages = merged(
        await gather(host, `list=search&srsearch=${srsearch}&srprop=size|timestamp`, 'srlimit', '5'),
      );
      found.push([...(pages['search'] as { title: string }[])].map(({ title }) => title).sort());
    }
    expect(found[0]!.length).toBeGreaterThan(0);
    for (const titles of found) expect(titles).toEqual(found[0]);
  }
});

test('categoryinfo continues from any title, in every source', async () => {
  for (const host of hosts.values()) {
    const hasSizes = async (cicontinue: string): Promise<boolean> => {
      const answer = await gather(host, `prop=categoryinfo&titles=Category:Knots&cicontinue=${cicontinue}`, '', 'max');
      return JSON.stringify(answer).includes('"categoryinfo"');
    };
    expect([await hasSizes('A'), await hasSizes('Knots'), await hasSizes('abc')]).toEqual([true, true, false]);
  }
});

test('the functions of a source are called on it, so it may be an instance of a class', async () => {
  const instance: ContentSource = new Proxy(content.sources.memory, {
    get: (source, name): unknown => {
      const value: unknown = Reflect.get(source, name);
      if (typeof value !== 'function') return value;
      return function (this: unknown, ...given: unknown[]): unknown {
        if (this !== instance) throw new Error(`${String(name)} is not called on the source.`);
        return Reflect.apply(value, source, given);
      };
    },
  });
  const [host, expected] = [await startQuery(contentQuery(instance)), hosts.get('memory')!];
  await everyRow(QUERIES, async ([query, limit]) =>
    expect(await gather(host, query, limit, 'max')).toEqual(await gather(expected, query, limit, 'max')),
  );
  expect(host.failures).toEqual([]);
  await host.close();
});

test('files by name are listed in the reverse order for both names of it', async () => {
  const files = ['A.png', 'B.png'].map((title) => {
    const file = { url: `/${title}`, size: 1, mime: 'image/png' };
    return { ns: 6, title, text: '', file };
  });
  const host = await startQuery(contentQuery(memoryContent(files)));
  for (const aidir of ['older', 'descending']) {
    const { json } = await host.query({ list: 'allimages', aidir });
    expect(json['query'], aidir).toMatchObject({ allimages: [{ name: 'B.png' }, { name: 'A.png' }] });
  }
  await host.close();
});

test('no handler failed', () => {
  for (const host of hosts.values()) expect(host.failures).toEqual([]);
});

test('more pages than content in memory can search are refused, with the way out', () => {
  const pages = Array.from({ length: 20_001 }, (_, n) => ({ title: `P${n}`, text: '' }));
  expect(() => memoryContent(pages)).toThrow(/at most 20000 pages, not 20001.*mediawiki-export/);
});
