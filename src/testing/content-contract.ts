import assert from 'node:assert/strict';
import {
  type ContentCall,
  type ContentLink,
  type ContentPage,
  type ContentRange,
  type ContentRevision,
  type ContentSearchResult,
  type ContentSource,
  memoryContent,
  type MemoryPage,
} from '../content/index.js';
import type { MaybePromise } from './bench.js';
import { CONTRACT_PAGES } from './content-pages.js';
import type { ContractCase } from './store-contract.js';

/** A source filled for the contract. */
export interface ContentPlace {
  /** It contains exactly the given pages. */
  readonly source: ContentSource;
  /** Releases its resources; called after each case. */
  close?(): MaybePromise<void>;
}

type Functions = Exclude<keyof ContentSource, 'site' | 'modules' | 'render' | 'markup'>;
type Having = ContentSource & Required<Pick<ContentSource, Functions>>;
/** A row of a list of the source. */
type Row<List extends 'links' | 'backlinks' | 'members' | 'userRange'> = Awaited<ReturnType<Having[List]>>[number];
type LinkRow = Row<'links'>;
type BacklinkRow = Row<'backlinks'>;
type MemberRow = Row<'members'>;

type Check = (source: Having, model: Having) => Promise<void>;

const NO_TERMS = { words: [], phrases: [], prefixes: [] };

/** Calls of the contract are never aborted. */
const CALL: ContentCall = { signal: new AbortController().signal };

const showPage = ({ id, ns, title, redirect, revid }: ContentPage) => ({ id, ns, title, to: redirect?.to, revid });
const showRevision = ({ id, page, parent = 0, timestamp, user, userid = 0, comment, size }: ContentRevision) => ({
  id,
  page,
  parent,
  timestamp,
  user,
  userid,
  comment,
  size,
});
const showWithText = (row: ContentRevision) => ({ ...showRevision(row), text: row.text });
const showLink = ({ page, ns, title, text = '' }: LinkRow) => ({ page, ns, title, text });
const showBacklink = ({ target: { ns, title }, page, text = '' }: BacklinkRow) => ({ ns, title, page: page.id, text });
const showMember = ({ page, sortkey, prefix }: MemberRow) => ({ page: page.id, sortkey, prefix });

type Read<Row, Key> = (source: Having, range: ContentRange<Key>) => MaybePromise<readonly Row[]>;

/**
 * Reads a list as a whole and in pages of 1, 2 and 5, in both directions, with and without bounds, and compares each result
 * with that of the model.
 */
const asTheModel =
  <Row, Key extends string | readonly (string | number)[]>(
    reads: readonly Read<Row, Key>[],
    keyOf: (row: Row) => Key,
    show: (row: Row) => unknown,
  ): Check =>
  async (source, model) => {
    for (const read of reads) {
      const all = await read(model, { descending: false, limit: 10_000 });
      const bounds = [undefined, all[1], all[Math.floor(all.length / 2)], all.at(-2)].map((row) => row && keyOf(row));
      const ranges = [false, true].flatMap((descending) =>
        bounds.flatMap((from) => bounds.map((to) => ({ from, to, descending }))),
      );
      for (const range of ranges) {
        const expected = (await read(model, { ...range, limit: 10_000 })).map(show);
        const what = `from ${JSON.stringify(range.from)} to ${JSON.stringify(range.to)}, ${range.descending ? 'downwards' : 'upwards'}`;
        assert.deepEqual((await read(source, { ...range, limit: 10_000 })).map(show), expected, what);
        if (range.from !== undefined && range.to !== undefined) continue;
        for (const limit of [1, 2, 5]) {
          const met = await inPieces(source, read, keyOf, { ...range, limit });
          assert.deepEqual(met.map(show), expected, `${what}, in pieces of ${limit}`);
        }
      }
    }
  };

/** Continues as the modules do: one extra row shows where the next page begins. */
const inPieces = async <Row, Key>(
  source: Having,
  read: Read<Row, Key>,
  keyOf: (row: Row) => Key,
  { from, limit, ...range }: ContentRange<Key>,
): Promise<readonly Row[]> => {
  const met: Row[] = [];
  let next = from;
  for (let round = 0; round < 1_000; round += 1) {
    const rows = await read(source, { ...range, from: next, limit: limit + 1 });
    assert.ok(rows.length <= limit + 1, `${rows.length} rows where ${limit + 1} were asked for`);
    met.push(...rows.slice(0, limit));
    const more = rows[limit];
    if (more === undefined) return met;
    next = keyOf(more);
  }
  throw new assert.AssertionError({ message: `pieces of ${limit} do not come to an end` });
};

const KINDS: readonly ContentLink['kind'][] = [
  'link',
  'template',
  'file',
  'redirect',
  'category',
  'url',
  'language',
  'interwiki',
  'property',
];
const TARGETS: readonly (readonly [ContentLink['kind'], number])[] = [
  ['link', 0],
  ['template', 10],
  ['category', 14],
  ['url', 0],
  ['language', 0],
  ['property', 0],
];
const IDS = CONTRACT_PAGES.map(({ id = 0 }) => id);
const REVIDS = CONTRACT_PAGES.flatMap(({ history = [] }) => history.map(({ id = 0 }) => id));
const ascending = (a: number, b: number): number => a - b;
const byId = <Row extends { readonly id: number }>(rows: readonly Row[]): readonly Row[] =>
  [...rows].sort((a, b) => a.id - b.id);

type TimeKey = readonly [timestamp: string, id: number];

/** The requirements of each method. */
const CHECKS: { readonly [F in Functions]?: Readonly<Record<string, Check>> } = {
  pages: {
    'finds pages by title, id and revision, and nothing else': async (source, model) => {
      const titles = [
        ...CONTRACT_PAGES.map(({ ns = 0, title }) => ({ ns, title })),
        { ns: 0, title: 'Nowhere' },
        { ns: 4, title: 'Apple' },
      ];
      for (const query of [
        { titles, ids: [], revids: [] },
        { titles: [], ids: [...IDS, 5, 999_999], revids: [] },
        { titles: titles.slice(0, 2), ids: IDS.slice(2, 4), revids: [] },
        { titles: [], ids: [], revids: [] },
      ]) {
        const [found, expected] = await Promise.all([source.pages(query, CALL), model.pages(query, CALL)]);
        assert.deepEqual(byId(found).map(showPage), byId(expected).map(showPage));
      }
    },
    'returns a page with the requested revisions': async (source) => {
      const found = await source.pages({ titles: [], ids: [], revids: [...REVIDS.slice(0, 3), 999_999] }, CALL);
      assert.deepEqual(found.flatMap(({ revids = [] }) => revids).sort(ascending), REVIDS.slice(0, 3));
    },
  },
  pageRange: {
    'returns the pages of a namespace by title, compared by code points': asTheModel<ContentPage, string>(
      [0, 1, 14, 9].map((ns) => (source, range) => source.pageRange({ ...range, ns }, CALL)),
      ({ title }) => title,
      showPage,
    ),
  },
  shuffled: {
    'returns every page once, in a stable order of its own': async (source) => {
      const same = asTheModel<ContentPage & { readonly shuffle: number }, readonly [number, number]>(
        [(from, range) => from.shuffled(range, CALL)],
        ({ shuffle, id }) => [shuffle, id],
        showPage,
      );
      await same(source, source);
      const all = await source.shuffled({ descending: false, limit: 10_000 }, CALL);
      assert.deepEqual(all.map(({ id }) => id).sort(ascending), IDS.toSorted(ascending));
    },
  },
  revisions: {
    'finds revisions by their ids, with their text if requested': async (source, model) => {
      for (const text of [true, false]) {
        const query = { ids: [...REVIDS, 999_999], text };
        const [found, expected] = await Promise.all([source.revisions(query, CALL), model.revisions(query, CALL)]);
        const show = text ? showWithText : showRevision;
        assert.deepEqual(byId(found).map(show), byId(expected).map(show));
      }
    },
  },
  history: {
    'returns revisions by time and id: all, of a page, of a user': asTheModel<ContentRevision, TimeKey>(
      [{}, { page: IDS[0] ?? 0 }, { user: 'Alice' }, { user: 'Unknown' }].map(
        (about) => (source, range) => source.history({ ...range, ...about, text: true }, CALL),
      ),
      ({ timestamp, id }) => [timestamp, id],
      showWithText,
    ),
  },
  links: {
    'returns the links of pages, by page, namespace and title': asTheModel<LinkRow, readonly [number, number, string]>(
      KINDS.map((kind) => (source, range) => source.links({ ...range, kind, pages: IDS }, CALL)),
      ({ page, ns, title }) => [page, ns, title],
      showLink,
    ),
  },
  backlinks: {
    'returns the links to targets, by target and page': asTheModel<BacklinkRow, readonly [number, string, number]>(
      KINDS.map((kind) => (source, range) => {
        const targets = [
          { ns: 0, title: 'Apple' },
          { ns: 0, title: 'Nowhere' },
          { ns: 10, title: 'Box' },
          { ns: 14, title: 'All' },
          { ns: 0, title: 'notoc' },
        ];
        return source.backlinks({ ...range, kind, targets }, CALL);
      }),
      ({ target, page }) => [target.ns, target.title, page.id],
      showBacklink,
    ),
  },
  targets: {
    'returns all link targets, with each page that links to them': asTheModel<LinkRow, readonly [string, number]>(
      TARGETS.map(
        ([kind, ns]) =>
          (source, range) =>
            source.targets({ ...range, kind, ns, unique: false }, CALL),
      ),
      ({ title, page }) => [title, page],
      showLink,
    ),
    'returns each target once if requested': asTheModel<LinkRow, readonly [string, number]>(
      TARGETS.map(
        ([kind, ns]) =>
          (source, range) =>
            source.targets({ ...range, kind, ns, unique: true }, CALL),
      ),
      ({ title }) => [title, 0],
      ({ title }) => title,
    ),
  },
  members: {
    'returns the members of a category by sort key: pages, subcategories, files': asTheModel<
      MemberRow,
      readonly [number, string, number]
    >(
      [(source, range) => source.members({ ...range, by: 'sortkey', category: 'All' }, CALL)],
      ({ page, sortkey }) => [page.ns === 14 ? 1 : page.ns === 6 ? 2 : 0, sortkey, page.id],
      showMember,
    ),
    'returns the members of a category by time': asTheModel<MemberRow, TimeKey>(
      [(source, range) => source.members({ ...range, by: 'time', category: 'All' }, CALL)],
      ({ page, timestamp }) => [timestamp, page.id],
      showMember,
    ),
  },
  sizes: {
    'counts the members of categories by their sort': async (source, model) => {
      const names = ['All', 'Odd', 'Top', 'Nothing'];
      const shown = async (from: Having) =>
        (await from.sizes(names, CALL))
          .filter(({ pages, files, subcats }) => pages + files + subcats > 0)
          .map(({ title, pages, files, subcats }) => ({ title, pages, files, subcats }))
          .sort((a, b) => (a.title < b.title ? -1 : 1));
      assert.deepEqual(await shown(source), await shown(model));
    },
  },
  search: {
    'finds pages with all of the words and none of the excluded ones, and continues at an offset': async (
      source,
      model,
    ) => {
      const queries = [
        { words: ['rope'] },
        { words: ['rope', 'sail'], without: { ...NO_TERMS, words: ['zebra'] } },
        { words: ['number', 'wood'] },
        { words: ['nothing'] },
        { phrases: ['rope and sail'] },
        { prefixes: ['woo'] },
      ].map((terms) => ({ ...NO_TERMS, without: NO_TERMS, ...terms }));
      for (const query of queries.flatMap((one) => [false, true].map((titles) => ({ ...one, titles })))) {
        const read = (from: Having, offset: number, limit: number) =>
          from.search({ ...query, namespaces: [0, 1], offset, limit, caller: undefined }, CALL);
        const expected = (await read(model, 0, 1_000)).rows.map(({ page }) => page.id);
        const met: number[] = [];
        for (let offset: number | undefined = 0; offset !== undefined;) {
          const found: ContentSearchResult = await read(source, offset, 2);
          const { total } = found;
          if ('exact' in total) assert.equal(total.exact, expected.length, `total of ${JSON.stringify(query)}`);
          if ('atLeast' in total) assert.ok(total.atLeast <= expected.length, `total of ${JSON.stringify(query)}`);
          assert.ok(found.next === undefined || found.next > offset, `next after ${offset}: ${found.next}`);
          met.push(...found.rows.map(({ page }) => page.id));
          offset = found.next;
        }
        assert.deepEqual(met.sort(ascending), expected.sort(ascending), JSON.stringify(query));
      }
    },
  },
  users: {
    'finds users by name and id': async (source) => {
      const found = await source.users({ names: ['Alice', 'Unknown'], ids: [2, 99] }, CALL);
      assert.deepEqual(found.map(({ name }) => name).sort(), ['Alice', 'Bob']);
    },
  },
  userRange: {
    'returns users by name': asTheModel<Row<'userRange'>, string>(
      [(source, range) => source.userRange(range, CALL)],
      ({ name }) => name,
      ({ name, id }) => ({ name, id }),
    ),
  },
};

/**
 * The requirements of every {@link ContentSource}, as cases for any test runner. Each case fills a source with the given pages
 * and compares its results with those of a memory source. Methods the source does not have are left out.
 *
 * ```ts
 * const place = async (pages: readonly MemoryPage[]) => ({ source: await filledWith(pages) });
 * for (const { name, run } of contentContract(place, ['pages', 'pageRange'])) test(name, run);
 * ```
 *
 * @param offers - The methods of the source: without this list, a forgotten method would go unnoticed.
 */
export function contentContract(
  makePlace: (pages: readonly MemoryPage[]) => MaybePromise<ContentPlace>,
  offers: readonly Functions[],
): ContractCase[] {
  const model = memoryContent(CONTRACT_PAGES) as Having; // It has every function that there is a check for.
  return offers.flatMap((name) =>
    Object.entries({ 'is there': isThere(name), ...CHECKS[name] }).map(([rule, check]) => ({
      name: `${name} ${rule}`,
      run: async () => {
        const place = await makePlace(CONTRACT_PAGES);
        try {
          await check(place.source as Having, model); // The first case says what is missing.
        } finally {
          await place.close?.();
        }
      },
    })),
  );
}

const isThere =
  (name: Functions): Check =>
  async (source) => {
    assert.equal(typeof source[name], 'function', `the source has a function ${name}`);
  };
