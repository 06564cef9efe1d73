import { spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleOf } from '../bundle.js';
import { everyRow } from '../rows.js';
import {
  authorOf,
  generatedSite,
  hasRedirect,
  HUB,
  linkTargets,
  pageTitle,
  redirectTitle,
  revisionsOf,
  writeExport,
} from './support/generated-site.js';
import { entries, type Entry, type RunningSite, startSite } from './support/running-site.js';
import { type Walk, walkThrough } from './support/walk.js';

const SITE = generatedSite(70);
const NUMBERS = SITE.numbers;
const titles = NUMBERS.map((number) => pageTitle(SITE, number));
const redirects = NUMBERS.filter(hasRedirect).map((number) => redirectTitle(SITE, number));
const redirectLinks = NUMBERS.filter(hasRedirect).map((number) => pageTitle(SITE, number));
const links = NUMBERS.flatMap((number) => linkTargets(SITE, number));
/** One entry for each revision: its author. */
const authors = NUMBERS.flatMap((number) =>
  Array.from({ length: revisionsOf(number) }, (_, index) => authorOf(number, index)),
);
const repeated = titles.filter((_, number) => revisionsOf(number) > 1).length;
const revisionCount = authors.length + redirects.length;
const byAlice = new Set(
  NUMBERS.filter((number) =>
    Array.from({ length: revisionsOf(number) }, (_, index) => authorOf(number, index)).includes('Alice'),
  ),
);
const fortyNine = titles.slice(0, 49);

let site: RunningSite;
beforeAll(async () => {
  site = await startSite(async (folder) => {
    await writeExport(join(folder, 'first.xml'), SITE);
    return join(folder, 'first.xml');
  });
});
afterAll(() => site.close());

const many = (count: number, text: string): readonly string[] => Array.from({ length: count }, () => text);
const title = (entry: Entry): string => String(entry['title']);

type Params = Readonly<Record<string, string>>;
const prefixed = (prefix: string, params: Params): Params =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [prefix + name, value]));

const list = (
  name: string,
  prefix: string,
  params: Params,
  all: readonly string[],
  text: Walk['text'] = title,
): Walk => ({
  params: { list: name, ...prefixed(prefix, params) },
  limit: `${prefix}limit`,
  items: (query) => entries(query[name]),
  text,
  all,
});

/** Gives `page item` for each item of the pages of an answer. */
const prop = (
  name: string,
  prefix: string,
  params: Params,
  all: readonly string[],
  text: Walk['text'] = title,
): Walk => ({
  params: { prop: name, titles: fortyNine.join('|'), ...prefixed(prefix, params) },
  limit: `${prefix}limit`,
  items: (query) =>
    entries(query['pages']).flatMap((page) => entries(page[name]).map((entry) => ({ ...entry, page: title(page) }))),
  text: (entry) => `${String(entry['page'])} ${text(entry)}`,
  all,
});

const perPage = (item: string | ((number: number) => string)): readonly string[] =>
  fortyNine.map((name, number) => `${name} ${typeof item === 'string' ? item : item(number)}`);

const field =
  (name: string) =>
  (entry: Entry): string =>
    String(entry[name]);

const WALKS: Readonly<Record<string, Walk>> = {
  allpages: list('allpages', 'ap', {}, [...titles, ...redirects]),
  'allpages, downwards': list('allpages', 'ap', { dir: 'descending' }, [...titles, ...redirects]),
  'allpages that are redirects': list('allpages', 'ap', { filterredir: 'redirects' }, redirects),
  allcategories: list(
    'allcategories',
    'ac',
    {},
    ['All', ...[0, 1, 2, 3, 4, 5].map((n) => `Group ${n}`)],
    field('category'),
  ),
  alllinks: list('alllinks', 'al', { prop: 'ids|title' }, [...links, ...redirectLinks]),
  'alllinks, each target once': list('alllinks', 'al', { unique: '' }, [...new Set(links)]),
  allredirects: list('allredirects', 'ar', { prop: 'ids|title' }, redirectLinks),
  alltransclusions: list('alltransclusions', 'at', { prop: 'ids|title' }, [
    ...many(titles.length, 'Template:Box'),
    ...NUMBERS.map((n) => `Template:Kind ${n % 5}`),
  ]),
  allfileusages: list(
    'allfileusages',
    'af',
    { prop: 'ids|title' },
    NUMBERS.map((n) => `File:Picture ${n % 4}.png`),
  ),
  allrevisions: {
    ...list('allrevisions', 'arv', {}, [...authors, ...many(redirects.length, 'Bob')], field('user')),
    items: (query) => entries(query['allrevisions']).flatMap((page) => entries(page['revisions'])),
  },
  allusers: list('allusers', 'au', {}, ['Alice', 'Bob', 'Carol'], field('name')),
  backlinks: list('backlinks', 'bl', { title: HUB }, [...titles, redirectTitle(SITE, 0)]),
  'backlinks, downwards': list('backlinks', 'bl', { title: HUB, dir: 'descending' }, [
    ...titles,
    redirectTitle(SITE, 0),
  ]),
  categorymembers: list('categorymembers', 'cm', { title: 'Category:All' }, titles),
  'categorymembers by time': list(
    'categorymembers',
    'cm',
    { title: 'Category:All', sort: 'timestamp', dir: 'desc' },
    titles,
  ),
  embeddedin: list('embeddedin', 'ei', { title: 'Template:Box' }, titles),
  exturlusage: list('exturlusage', 'eu', { query: '*.example.org' }, titles),
  imageusage: list(
    'imageusage',
    'iu',
    { title: 'File:Picture 1.png' },
    titles.filter((_, n) => n % 4 === 1),
  ),
  iwbacklinks: list('iwbacklinks', 'iwbl', {}, titles),
  langbacklinks: list('langbacklinks', 'lbl', {}, titles),
  pagepropnames: list('pagepropnames', 'ppn', {}, ['displaytitle'], field('propname')),
  pageswithprop: list('pageswithprop', 'pwp', { propname: 'displaytitle' }, titles),
  random: list('random', 'rn', { filterredir: 'all' }, [...titles, ...redirects]),
  recentchanges: list(
    'recentchanges',
    'rc',
    { prop: 'ids' },
    [...many(revisionCount - repeated, 'new'), ...many(repeated, 'edit')],
    field('type'),
  ),
  'recentchanges, upwards, edits': list(
    'recentchanges',
    'rc',
    { dir: 'newer', type: 'edit' },
    titles.filter((_, n) => revisionsOf(n) > 1),
  ),
  usercontribs: list(
    'usercontribs',
    'uc',
    { user: 'Alice' },
    authors.filter((name) => name === 'Alice'),
    field('user'),
  ),
  watchlist: {
    ...list(
      'watchlist',
      'wl',
      { type: 'edit|new' },
      titles.filter((_, n) => byAlice.has(n)),
    ),
    owner: true,
  },
  watchlistraw: {
    ...list(
      'watchlistraw',
      'wr',
      {},
      titles.filter((_, n) => byAlice.has(n)),
    ),
    owner: true,
  },
  search: { ...list('search', 'sr', { search: 'rope' }, titles), counts: true },
  prefixsearch: { ...list('prefixsearch', 'ps', { search: 'Page' }, titles), counts: true },
  querypage: {
    ...list('querypage', 'qp', { page: 'Listredirects' }, redirects),
    items: (query) => entries((query['querypage'] as Entry)['results']),
    counts: true,
  },

  categories: prop(
    'categories',
    'cl',
    {},
    [...perPage('Category:All'), ...perPage((n) => `Category:Group ${n % 6}`)],
    title,
  ),
  contributors: prop(
    'contributors',
    'pc',
    {},
    fortyNine.flatMap((name, n) =>
      [...new Set(Array.from({ length: revisionsOf(n) }, (_, r) => authorOf(n, r)))].map((user) => `${name} ${user}`),
    ),
    field('name'),
  ),
  extlinks: prop(
    'extlinks',
    'el',
    {},
    perPage((n) => `https://host${n % 3}.example.org/${n}`),
    field('url'),
  ),
  images: prop(
    'images',
    'im',
    {},
    perPage((n) => `File:Picture ${n % 4}.png`),
    title,
  ),
  iwlinks: prop(
    'iwlinks',
    'iw',
    {},
    perPage((n) => `Entry ${n}`),
    title,
  ),
  langlinks: prop(
    'langlinks',
    'll',
    {},
    perPage((n) => `Seite ${n}`),
    title,
  ),
  links: prop(
    'links',
    'pl',
    {},
    fortyNine.flatMap((name, n) => linkTargets(SITE, n).map((target) => `${name} ${target}`)),
    title,
  ),
  'links, downwards': prop(
    'links',
    'pl',
    { dir: 'descending' },
    fortyNine.flatMap((name, n) => linkTargets(SITE, n).map((target) => `${name} ${target}`)),
    title,
  ),
  templates: prop(
    'templates',
    'tl',
    {},
    [...perPage('Template:Box'), ...perPage((n) => `Template:Kind ${n % 5}`)],
    title,
  ),
  redirects: prop(
    'redirects',
    'rd',
    {},
    fortyNine.filter((_, n) => hasRedirect(n)).map((name) => `${name} To ${name}`),
    title,
  ),
  linkshere: {
    ...prop(
      'linkshere',
      'lh',
      {},
      [...titles, redirectTitle(SITE, 0)].map((name) => `${HUB} ${name}`),
      title,
    ),
    params: { prop: 'linkshere', titles: HUB },
  },
  revisions: {
    ...prop('revisions', 'rv', {}, ['Page 00000 Alice', 'Page 00000 Bob'], field('user')),
    params: { prop: 'revisions', titles: 'Page 00000' },
  },
  extracts: {
    ...prop('extracts', 'ex', { intro: '' }, fortyNine, title),
    most: 20,
    text: title,
    items: (query) => entries(query['pages']).filter((page) => page['extract'] !== undefined),
  },
};

const sorted = (texts: readonly string[]): readonly string[] => [...texts].sort();

describe('a walk returns each item exactly once', () => {
  test('with every limit', () =>
    everyRow(Object.entries(WALKS), async ([, walk]) => {
      const token = walk.owner ? await site.token('alice') : undefined;
      const limits = walk.all.length > 20 ? ['3', '50', 'max'] : ['1', 'max'];
      for (const limit of limits.filter((text) => !(Number(text) > (walk.most ?? 500)))) {
        const { texts, twice } = await walkThrough(site, walk, limit, token);
        expect(sorted(texts), `limit ${limit}`).toEqual(sorted(walk.all));
        expect(twice).toBe(0);
      }
      expect(site.failures).toEqual([]);
    }));
});

/** What of the first the second does not have, counting how often. */
const missing = (wanted: readonly string[], met: readonly string[]): readonly string[] => {
  const counts = new Map<string, number>();
  for (const text of met) counts.set(text, (counts.get(text) ?? 0) + 1);
  return wanted.filter((text) => {
    const left = counts.get(text) ?? 0;
    counts.set(text, left - 1);
    return left < 1;
  });
};

/** Another process that imports pages. */
const startImporter = async (file: string) => {
  const child = spawn(process.execPath, [await bundleOf('test/site/support/import-process.ts'), file], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const lines = on(createInterface(child.stdout), 'line', { close: ['close'] });
  return {
    /** Resolves when the export is imported. */
    import: async (source: string): Promise<void> => {
      child.stdin.write(`${source}\n`);
      expect((await lines.next()).value).toEqual([source]);
    },
    close: async (): Promise<void> => {
      child.stdin.end();
      expect(await ended).toEqual([0, null]);
    },
  };
};

describe('while another process imports more', () => {
  test('a walk still returns each item that was there, and none twice', async () => {
    const owner = await site.token('alice');
    const importer = await startImporter(site.file);
    const grown = new Set<string>();
    const walks = Object.entries(WALKS).filter(([, { counts }]) => counts === undefined);
    await everyRow(walks.entries(), async ([index, [name, walk]]) => {
      const source = join(site.folder, `more-${index}.xml`);
      await writeExport(source, generatedSite(30, ` b${index}`), 10_000 * (index + 1));
      const token = walk.owner ? owner : undefined;
      const [{ texts, twice }] = await Promise.all([
        walkThrough(site, walk, String(walk.most ?? 97), token),
        importer.import(source),
      ]);
      expect(twice, 'items given twice').toBe(0);
      expect(missing(walk.all, texts), 'items left out').toEqual([]);
      if (texts.length > walk.all.length) grown.add(name);
    });
    expect(grown.size).toBeGreaterThan(20);
    await importer.close();
    expect(site.failures).toEqual([]);
  });
});
