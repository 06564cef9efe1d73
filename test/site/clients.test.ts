import { fileURLToPath } from 'node:url';
import Session, { set } from 'm3api';
import { Mwn } from 'mwn';
import Nodemw from 'nodemw';
import { beforeAll, describe, expect, test } from 'vitest';
import { useStarted } from '../hosts/listen.js';
import { entries, type Entry, startSite } from './support/running-site.js';

const site = useStarted(() => startSite(fileURLToPath(new URL('../../examples/site/sample.xml', import.meta.url))));

const KNOTS = ['Bowline', 'Clove hitch', 'Figure-eight knot', 'Knot', 'Reef knot', 'Sheet bend'];
const names = (list: unknown): readonly string[] =>
  entries(list)
    .map(({ title }) => String(title))
    .sort();

describe('mwn with a token of an owner', () => {
  let bot: Mwn;
  beforeAll(async () => {
    bot = await Mwn.init({
      apiUrl: `${site.origin}/w/api.php`,
      OAuth2AccessToken: await site.token('alice'),
      userAgent: 'tests',
      silent: true,
      maxRetries: 0,
    });
  });

  test('reads the site, and the owner of the token', async () => {
    expect(new bot.Title('category:knots').toText()).toBe('Category:Knots');
    expect((await bot.userinfo())['name']).toBe('alice');
  });

  test('reads a page, several, and one through a redirect', async () => {
    const page = await bot.read('Bowline');
    expect(page).toMatchObject({ pageid: 13, title: 'Bowline' });
    expect(page.revisions?.[0]?.content).toContain('makes a loop');
    const several = await bot.read(['Boat', 'Sail', 'Nowhere']);
    expect(several.map(({ title, missing }) => [title, missing ?? false])).toEqual([
      ['Nowhere', true],
      ['Boat', false],
      ['Sail', false],
    ]);
    expect(await bot.read('Knots', { redirects: true })).toMatchObject({ title: 'Knot' });
  });

  test("reads a page's history, backlinks and categories", async () => {
    const page = new bot.Page('Bowline');
    expect((await page.history(['ids', 'user'], 10)).map(({ revid, user }) => [revid, user])).toEqual([
      [45, 'Alice'],
      [42, 'Bob'],
      [13, 'Alice'],
    ]);
    expect(await page.backlinks()).toEqual(['Main Page', 'Knot', 'Sheet bend', 'User talk:Alice']);
    expect(await page.categories()).toEqual(['Category:Knots']);
    expect(await new bot.Page('Knots').getRedirectTarget()).toBe('Knot');
  });

  test('follows a category and a search to the end', async () => {
    const found: unknown[] = [];
    const params = { action: 'query', list: 'categorymembers', cmtitle: 'Category:Knots', cmlimit: 2 };
    for await (const { query } of bot.continuedQueryGen(params)) found.push(...entries(query?.['categorymembers']));
    expect(names(found)).toEqual(KNOTS);
    expect((await bot.search('bowline', 1, ['size'])).map(({ title }) => title)).toEqual(['Bowline']);
  });
});

interface Callbacks {
  readonly [method: string]: (...values: unknown[]) => void;
}

describe('nodemw, which does not support tokens', () => {
  let call: (method: string, ...values: unknown[]) => Promise<unknown>;
  beforeAll(() => {
    const { hostname, port } = new URL(site.origin);
    const bot = new Nodemw({ protocol: 'http', server: hostname, port: Number(port), path: '/w', debug: false });
    const methods: Callbacks = bot as unknown as Callbacks; // Its own types leave out half of its methods.
    call = (method, ...values) =>
      new Promise((resolve, reject) => {
        const done = (error: unknown, value: unknown): void => (error ? reject(error) : resolve(value));
        methods[method]!.call(bot, ...values, done);
      });
  });

  test('reads a page in the oldest format', async () => {
    expect(await call('getArticle', 'Bowline')).toContain('makes a loop');
    expect(await call('getArticle', 'Knots', true)).toContain('holds a [[rope]] by friction');
  });

  test('lists pages, categories and members, with limits that are too high', async () => {
    expect(entries(await call('getAllPages'))).toHaveLength(17);
    expect(await call('getCategories', 'K')).toEqual(['Knots']);
    expect(names(await call('getPagesInCategory', 'Knots'))).toEqual(KNOTS);
    expect(names(await call('search', 'bowline'))).toEqual(['Bowline', 'Knot', 'Main Page', 'Sheet bend']);
    expect(entries(await call('getUsers', {})).map(({ name }) => name)).toEqual(['Alice', 'Bob', 'Carol']);
  });

  test('reads history, links and changes', async () => {
    expect(entries(await call('getArticleRevisions', 'Bowline')).map(({ revid }) => revid)).toEqual([13, 42, 45]);
    expect(names(await call('getBacklinks', 'Bowline'))).toEqual(['Knot', 'Main Page', 'Sheet bend']);
    expect(await call('getArticleCategories', 'Bowline')).toEqual(['Category:Knots']);
    expect(await call('getExternalLinks', 'Bowline')).toEqual([{ '*': 'https://knots.example.org/bowline' }]);
    expect(await call('getSiteStats')).toMatchObject({ pages: 37, edits: 45 });
  });
});

test('m3api follows generated pages and their properties through all continuations', async () => {
  const warn = (warning: Error): void => {
    throw warning;
  };
  const session = new Session(`${site.origin}/w/api.php`, { formatversion: 2 }, { userAgent: 'tests', warn });
  const links = new Map<string, number>();
  const props = { prop: set('links', 'categories'), pllimit: 3 };
  const answers = session.requestAndContinue({ action: 'query', generator: 'allpages', gaplimit: 4, ...props });
  // Its description calls its generators plain objects.
  for await (const { query } of answers as AsyncIterable<{ readonly query: Entry }>) {
    for (const { title, links: some } of entries(query['pages']))
      links.set(String(title), (links.get(String(title)) ?? 0) + entries(some).length);
  }
  expect([links.size, links.get('Boat'), links.get('Knot')]).toEqual([21, 8, 4]);
});

test('a client with only raw continuation gets everything too', async () => {
  const titles: string[] = [];
  let from: Readonly<Record<string, string>> = {};
  for (let more = true; more;) {
    const answer = await site.query({ list: 'allpages', aplimit: '4', rawcontinue: '', ...from });
    titles.push(...entries(answer.query?.['allpages']).map(({ title }) => String(title)));
    const next = (answer['query-continue'] as Readonly<Record<string, Readonly<Record<string, string>>>> | undefined)?.[
      'allpages'
    ];
    more = next !== undefined;
    from = next ?? {};
  }
  expect(titles).toHaveLength(21);
  expect(new Set(titles).size).toBe(21);
});
