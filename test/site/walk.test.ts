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
const watched = titles.filter((_, n) => byAlice.has(n));
const fortyNine = titles.slice(0, 49);
const linksOfThem = fortyNine.flatMap((name, n) => linkTargets(SITE, n).map((target) => `${name} ${target}`));
const toHub = [...titles, redirectTitle(SITE, 0)];

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

const list = (query: string, limit: string, all: readonly string[], text: Walk['text'] = title): Walk => {
  const params = Object.fromEntries(new URLSearchParams(query));
  return { params, limit, items: (found) => entries(found[params['list'] ?? '']), text, all };
};

/** Gives `page item` for each item of the pages of an answer. */
const prop = (query: string, limit: string, all: readonly string[], text: Walk['text'] = title): Walk => {
  const params = Object.fromEntries(new URLSearchParams(query));
  const itemsOf = (page: Entry) =>
    entries(page[params['prop'] ?? '']).map((entry) => ({ ...entry, page: title(page) }));
  return {
    params: { titles: fortyNine.join('|'), ...params },
    limit,
    items: (found) => entries(found['pages']).flatMap(itemsOf),
    text: (entry) => `${String(entry['page'])} ${text(entry)}`,
    all,
  };
};

const perPage = (item: string | ((number: number) => string)): readonly string[] =>
  fortyNine.map((name, number) => `${name} ${typeof item === 'string' ? item : item(number)}`);

const field =
  (name: string) =>
  (entry: Entry): string =>
    String(entry[name]);

const WALKS: Readonly<Record<string, Walk>> = {
  allpages: list('list=allpages', 'aplimit', [...titles, ...redirects]),
  'allpages, downwards': list('list=allpages&apdir=descending', 'aplimit', [...titles, ...redirects]),
  'allpages that are redirects': list('list=allpages&apfilterredir=redirects', 'aplimit', redirects),
  allcategories: list(
    'list=allcategories',
    'aclimit',
    ['All', ...[0, 1, 2, 3, 4, 5].map((n) => `Group ${n}`)],
    field('category'),
  ),
  alllinks: list('list=alllinks&alprop=ids|title', 'allimit', [...links, ...redirectLinks]),
  'alllinks, each target once': list('list=alllinks&alunique=', 'allimit', [...new Set(links)]),
  allredirects: list('list=allredirects&arprop=ids|title', 'arlimit', redirectLinks),
  alltransclusions: list('list=alltransclusions&atprop=ids|title', 'atlimit', [
    ...many(titles.length, 'Template:Box'),
    ...NUMBERS.map((n) => `Template:Kind ${n % 5}`),
  ]),
  allfileusages: list(
    'list=allfileusages&afprop=ids|title',
    'aflimit',
    NUMBERS.map((n) => `File:Picture ${n % 4}.png`),
  ),
  allrevisions: {
    ...list('list=allrevisions', 'arvlimit', [...authors, ...many(redirects.length, 'Bob')], field('user')),
    items: (query) => entries(query['allrevisions']).flatMap((page) => entries(page['revisions'])),
  },
  allusers: list('list=allusers', 'aulimit', ['Alice', 'Bob', 'Carol'], field('name')),
  backlinks: list(`list=backlinks&bltitle=${HUB}`, 'bllimit', toHub),
  'backlinks, downwards': list(`list=backlinks&bltitle=${HUB}&bldir=descending`, 'bllimit', toHub),
  categorymembers: list('list=categorymembers&cmtitle=Category:All', 'cmlimit', titles),
  'categorymembers by time': list(
    'list=categorymembers&cmtitle=Category:All&cmsort=timestamp&cmdir=desc',
    'cmlimit',
    titles,
  ),
  embeddedin: list('list=embeddedin&eititle=Template:Box', 'eilimit', titles),
  exturlusage: list('list=exturlusage&euquery=*.example.org', 'eulimit', titles),
  imageusage: list(
    'list=imageusage&iutitle=File:Picture 1.png',
    'iulimit',
    titles.filter((_, n) => n % 4 === 1),
  ),
  iwbacklinks: list('list=iwbacklinks', 'iwbllimit', titles),
  langbacklinks: list('list=langbacklinks', 'lbllimit', titles),
  pagepropnames: list('list=pagepropnames', 'ppnlimit', ['displaytitle'], field('propname')),
  pageswithprop: list('list=pageswithprop&pwppropname=displaytitle', 'pwplimit', titles),
  random: list('list=random&rnfilterredir=all', 'rnlimit', [...titles, ...redirects]),
  recentchanges: list(
    'list=recentchanges&rcprop=ids',
    'rclimit',
    [...many(revisionCount - repeated, 'new'), ...many(repeated, 'edit')],
    field('type'),
  ),
  'recentchanges, upwards, edits': list(
    'list=recentchanges&rcdir=newer&rctype=edit',
    'rclimit',
    titles.filter((_, n) => revisionsOf(n) > 1),
  ),
  usercontribs: list(
    'list=usercontribs&ucuser=Alice',
    'uclimit',
    authors.filter((name) => name === 'Alice'),
    field('user'),
  ),
  watchlist: { ...list('list=watchlist&wltype=edit|new', 'wllimit', watched), owner: true },
  watchlistraw: { ...list('list=watchlistraw', 'wrlimit', watched), owner: true },
  search: { ...list('list=search&srsearch=rope', 'srlimit', titles), counts: true },
  prefixsearch: { ...list('list=prefixsearch&pssearch=Page', 'pslimit', titles), counts: true },
  querypage: {
    ...list('list=querypage&qppage=Listredirects', 'qplimit', redirects),
    items: (query) => entries((query['querypage'] as Entry)['results']),
    counts: true,
  },

  categories: prop('prop=categories', 'cllimit', [
    ...perPage('Category:All'),
    ...perPage((n) => `Category:Group ${n % 6}`),
  ]),
  contributors: prop(
    'prop=contributors',
    'pclimit',
    fortyNine.flatMap((name, n) =>
      [...new Set(Array.from({ length: revisionsOf(n) }, (_, r) => authorOf(n, r)))].map((user) => `${name} ${user}`),
    ),
    field('name'),
  ),
  extlinks: prop(
    'prop=extlinks',
    'ellimit',
    perPage((n) => `https://host${n % 3}.example.org/${n}`),
    field('url'),
  ),
  images: prop(
    'prop=images',
    'imlimit',
    perPage((n) => `File:Picture ${n % 4}.png`),
  ),
  iwlinks: prop(
    'prop=iwlinks',
    'iwlimit',
    perPage((n) => `Entry ${n}`),
  ),
  langlinks: prop(
    'prop=langlinks',
    'lllimit',
    perPage((n) => `Seite ${n}`),
  ),
  links: prop('prop=links', 'pllimit', linksOfThem),
  'links, downwards': prop('prop=links&pldir=descending', 'pllimit', linksOfThem),
  templates: prop('prop=templates', 'tllimit', [
    ...perPage('Template:Box'),
    ...perPage((n) => `Template:Kind ${n % 5}`),
  ]),
  redirects: prop(
    'prop=redirects',
    'rdlimit',
    fortyNine.filter((_, n) => hasRedirect(n)).map((name) => `${name} To ${name}`),
  ),
  linkshere: prop(
    `prop=linkshere&titles=${HUB}`,
    'lhlimit',
    toHub.map((name) => `${HUB} ${name}`),
  ),
  revisions: prop('prop=revisions&titles=Page 00000', 'rvlimit', ['Page 00000 Alice', 'Page 00000 Bob'], field('user')),
  extracts: {
    ...prop('prop=extracts&exintro=', 'exlimit', fortyNine),
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
