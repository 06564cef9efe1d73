import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Session from 'm3api';
import { Mwn } from 'mwn';
import Nodemw from 'nodemw';
import { type ContentSource, contentQuery, memoryContent } from 'oauth-query/content';
import { markdownFolder } from 'oauth-query/content/markdown';
import { ContentDatabase, exportContent, importExport } from 'oauth-query/content/mediawiki-export';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { generatedSite, hasRedirect, pageTitle, redirectTitle, writeExport } from '../site/support/generated-site.js';
import { pagesOf, type QueryHost, startQuery } from './support/same-pages.js';

/** Pages of each source without redirects, for example WIKI_PAGES=130000 for an export of 150,000 pages. */
const COUNT = Number(process.env['WIKI_PAGES'] ?? 700);
if (COUNT > 10_000) vi.setConfig({ testTimeout: 3_600_000, hookTimeout: 3_600_000 });

const site = generatedSite(COUNT);
const redirects = site.numbers.filter(hasRedirect).map((number) => redirectTitle(site, number));
const titles = site.numbers.map((number) => pageTitle(site, number));
/** The sixth part of the pages. */
const group = titles.filter((_, number) => number % 6 === 1).sort();

const titlesOf = (list: unknown): readonly string[] =>
  (list as readonly { readonly title: string }[]).map(({ title }) => title).sort();

interface Opened {
  readonly source: ContentSource;
  close(): Promise<void> | void;
}

/** The same pages in every source, and how to open it. */
const SOURCES: Readonly<Record<string, (folder: string) => Promise<Opened>>> = {
  'content in memory': async (folder) => {
    const { pages, site: options } = await pagesOf(join(folder, 'pages.xml'));
    return { source: memoryContent(pages, { site: options }), close: () => undefined };
  },
  'an export': async (folder) => {
    const database = new ContentDatabase(join(folder, 'pages.db'));
    await importExport(database, join(folder, 'pages.xml'));
    return { source: exportContent(database), close: () => database.close() };
  },
  'a Markdown folder': async (folder) => {
    const { pages } = await pagesOf(join(folder, 'pages.xml'));
    const root = mkdtempSync(join(folder, 'markdown-'));
    for (const { title, links = [], redirect, history = [] } of pages) {
      const of = (kind: string): readonly string[] => links.flatMap((link) => (link.kind === kind ? link.title : []));
      const { timestamp, user = '' } = history.at(-1) ?? {};
      const to = redirect === undefined ? [] : [`redirect_to: /${redirect.to}`];
      const front = [`date: ${timestamp}`, `author: ${user}`, `tags: ${JSON.stringify(of('category'))}`, ...to];
      const text = redirect === undefined ? of('link').map((link) => `Rope: [[${link}]].`) : [];
      writeFileSync(join(root, `${title}.md`), ['---', ...front, '---', '', ...text].join('\n'));
    }
    const docs = await markdownFolder(root, { watch: false, maxFiles: 200_000 });
    return { source: docs, close: () => docs.close() };
  },
};

const folder = mkdtempSync(join(tmpdir(), 'oauth-query-clients-'));
beforeAll(() => writeExport(join(folder, 'pages.xml'), site));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(Object.entries(SOURCES))('%s', (_name, open) => {
  let opened: Opened;
  let host: QueryHost;
  beforeAll(async () => {
    opened = await open(folder);
    host = await startQuery(contentQuery(opened.source));
  });
  afterAll(async () => {
    await host.close();
    await opened.close();
    expect(host.failures).toEqual([]);
  });

  test('m3api lists all pages with their categories', async () => {
    const session = new Session(`${host.base}/w/api.php`, { formatversion: 2 }, { userAgent: 'tests' });
    const seen = new Map<string, readonly string[]>();
    const params = { action: 'query', generator: 'allpages', gaplimit: 'max', prop: 'categories', cllimit: 'max' };
    type Page = { readonly title: string; readonly categories?: readonly { readonly title: string }[] };
    const answers = session.requestAndContinue(params) as AsyncIterable<{
      readonly query: { readonly pages: readonly Page[] };
    }>;
    for await (const { query } of answers) {
      for (const { title, categories = [] } of query.pages) {
        seen.set(title, [...(seen.get(title) ?? []), ...categories.map((category) => category.title)]);
      }
    }
    expect([...seen.keys()].sort()).toEqual([...titles, ...redirects].sort());
    expect(seen.get(titles[1]!)).toEqual(expect.arrayContaining(['Category:All', 'Category:Group 1']));
  });

  test('mwn reads pages, a redirect and all members of a category', async () => {
    const bot = new Mwn({ apiUrl: `${host.base}/w/api.php`, userAgent: 'tests', silent: true, maxRetries: 0 });
    await bot.getSiteInfo();
    const last = titles.at(-1)!;
    const [first, missing] = await bot.read([last, 'Nowhere'].reverse());
    expect([first?.missing ?? false, missing?.title]).toEqual([true, last]);
    expect(await bot.read(redirects[0]!, { redirects: true })).toMatchObject({ title: titles[0] });
    const members: string[] = [];
    const query = { action: 'query', list: 'categorymembers', cmtitle: 'Category:Group 1', cmlimit: 'max' } as const;
    for await (const { query: found } of bot.continuedQueryGen(query)) {
      members.push(...titlesOf(found?.['categorymembers']));
    }
    expect(members.sort()).toEqual(group);
    expect(await new bot.Page(last).backlinks()).toContain(titles.at(-2)!);
  });

  test('nodemw reads pages, members of a category, changes and a search', async () => {
    const { hostname, port } = new URL(host.base);
    const bot = new Nodemw({ protocol: 'http', server: hostname, port: Number(port), path: '/w', debug: false });
    type Done = (error: Error | null, data: unknown) => void;
    // Its description of the methods is that of the callbacks of each.
    const methods = bot as unknown as Readonly<Record<string, (...values: readonly unknown[]) => void>>;
    const call = (method: string, ...values: readonly unknown[]): Promise<unknown> =>
      new Promise((resolve, reject) => {
        const done: Done = (error, data) => (error ? reject(error) : resolve(data));
        methods[method]!.call(bot, ...values, done);
      });
    expect(await call('getArticle', titles[0])).toMatch(/rope/i);
    expect(titlesOf(await call('getPagesInCategory', 'Group 1'))).toEqual(group);
    expect((await call('getRecentChanges', '')) as readonly unknown[]).not.toHaveLength(0);
    expect(titlesOf(await call('search', 'rope')).length).toBeGreaterThan(0);
    expect(await call('getArticleCategories', titles[1])).toContain('Category:Group 1');
  });
});
