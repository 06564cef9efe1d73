import { spawn } from 'node:child_process';
import { contentQuery, type ContentSource, memoryContent, type MemoryPage } from 'oauth-query/content';
import { ContentDatabase } from 'oauth-query/content/mediawiki-export';
import { mcp } from 'oauth-query/mcp';
import { query } from 'oauth-query/query';
import { afterAll, describe, expect, test } from 'vitest';
import { parseSearch } from '../../src/content/search/parse.js';
import { sqliteSource } from '../../src/content/sqlite/source.js';
import { sql } from '../../src/content/sqlite/sql.js';
import { countIndexWords } from '../../src/content/sqlite/word-counts.js';
import { everyRow } from '../rows.js';
import { CALL } from './markdown/folder.js';
import { contentServer } from './support/content-server.js';
import { fillDatabase } from './support/fill-database.js';
import { searchFor } from './support/search-for.js';

/** A search says how many pages match. If it looks at a part of the site, it says so, and it says the same each time. */

const databases: ContentDatabase[] = [];
afterAll(() => databases.forEach((database) => database.close()));

const imported = (pages: readonly MemoryPage[], change?: (database: ContentDatabase) => void): ContentSource => {
  const database = new ContentDatabase(':memory:');
  databases.push(database);
  fillDatabase(database, pages);
  countIndexWords(database);
  change?.(database);
  return sqliteSource(database);
};

const serverOf = (source: ContentSource) =>
  contentServer({
    issuer: 'http://127.0.0.1:1',
    clients: [],
    features: [query({ path: ['/api'], ...contentQuery(source) }), mcp()],
    onWarning: () => undefined,
  });

const page = (id: number, title: string, text: string): MemoryPage => ({ id, title, text, history: [{ id, text }] });

/** Numbers that look random and are the same in every run. */
const numbers = (): ((below: number) => number) => {
  let state = 7;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

interface Found {
  readonly total: number;
  readonly isPart: boolean;
  readonly warnings: string;
  readonly titles: readonly string[];
  readonly next: number | undefined;
}

type Server = ReturnType<typeof serverOf>;

const find = async ({ send }: Server, search: string, more: object = {}): Promise<Found> => {
  const form = {
    action: 'query',
    format: 'json',
    formatversion: '2',
    list: 'search',
    srsearch: search,
    srlimit: '500',
  };
  const {
    query: data,
    warnings = [],
    continue: after,
  } = JSON.parse(await send('/api', { ...form, srprop: '', errorformat: 'plaintext', ...more }));
  return {
    total: data.searchinfo?.totalhits,
    isPart: data.searchinfo?.approximate_totalhits === true,
    warnings: warnings.map(({ text }: { text: string }) => text).join(' '),
    titles: data.search.map(({ title }: { title: string }) => title),
    next: after?.sroffset,
  };
};

/** All responses of a search. */
const findAll = async (server: Server, search: string, more: object = {}): Promise<readonly Found[]> => {
  const found = [await find(server, search, more)];
  for (let { next } = found[0]!; next !== undefined; next = found.at(-1)!.next) {
    found.push(await find(server, search, { ...more, sroffset: String(next) }));
  }
  return found;
};

test('a search finds every page, also if rare words come before common ones in the alphabet', async () => {
  const rare = (letters: string, n: number): string => `${letters}a${String(n).padStart(4, '0')}`;
  const pages = Array.from({ length: 600 }, (_, n) =>
    page(n + 1, `P${n}`, `the river sea ${rare('th', n)} ${rare('r', n)} ${rare('s', n + 7_000)}`),
  );
  const servers = [imported(pages), memoryContent(pages)].map(serverOf);
  for (const server of servers) {
    for (const search of ['the', 'th*', 'r* s*', 'ri* se*', '"the river"', 'the-ri* se*', '-x* the']) {
      const found = await findAll(server, search);
      expect(found.map(({ total, isPart, warnings }) => [search, total, isPart, warnings])).toEqual([
        [search, 600, false, ''],
        [search, 600, false, ''],
      ]);
      expect(new Set(found.flatMap(({ titles }) => titles)).size).toBe(600);
    }
  }
});

const WORDS = ['the', 'of', 'and', 'harbor', 'knot', 'sail', 'Zürich', 'naïve', '首都', '東京都', 'Straße', 'हिन्दी'];

/** COST=1 searches more pages, and each search twice. */
const [PAGES, AGAIN] = process.env['COST'] ? [2_000, 500] : [200, 100];

describe('pages of random words', () => {
  const below = numbers();
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const rare = (): string => `w${below(900)}x`;
  const texts = Array.from({ length: PAGES }, () =>
    Array.from({ length: 2 + below(18) }, () => (below(3) > 0 ? pick(WORDS) : rare())),
  );
  const pages = texts.map((words, n) => page(n + 1, `P${n}`, words.join(' ')));
  const sources = [imported(pages), memoryContent(pages)];

  /** A term as a search has it, and whether the words of a text have it. */
  const term = (): readonly [search: string, matches: (words: readonly string[]) => boolean] => {
    const word = below(3) > 0 ? pick(WORDS) : rare();
    const start = pick(['w', 'w1', 'ha', 'kno', 's']);
    const pair = [pick(WORDS), pick(WORDS)] as const;
    return pick([
      [word, (words: readonly string[]) => words.includes(word)],
      [word.toUpperCase(), (words: readonly string[]) => words.includes(word)],
      [
        `"${pair.join(' ')}"`,
        (words: readonly string[]) => words.some((one, n) => one === pair[0] && words[n + 1] === pair[1]),
      ],
      [`${start}*`, (words: readonly string[]) => words.some((one) => one.toLowerCase().startsWith(start))],
    ] as const);
  };
  const searches = Array.from({ length: 500 }, () => {
    const wanted = Array.from({ length: 1 + below(3) }, term);
    const without = Array.from({ length: below(2) }, term);
    const matches = (words: readonly string[]): boolean =>
      wanted.every(([, has]) => has(words)) && !without.some(([, has]) => has(words));
    const text = [...wanted.map(([search]) => search), ...without.map(([search]) => `-${search}`)].join(' ');
    return { text, pages: texts.flatMap((words, n) => (matches(words) ? [`P${n}`] : [])) };
  });

  test('500 searches find what a scan of the texts finds, in both sources, and the same beside a busy process', async () => {
    const before = new Map<string, string>();
    const check = async (text: string, expected: readonly string[]): Promise<void> => {
      const { terms, without: excluded } = parseSearch(text);
      for (const [index, source] of sources.entries()) {
        const found = await source.search!(searchFor({ ...terms, without: excluded, limit: PAGES }), CALL);
        expect([text, found.total]).toEqual([text, { exact: expected.length }]);
        expect(found.rows.map(({ page: { title } }) => title).sort()).toEqual([...expected].sort());
        const key = `${index} ${text}`;
        expect(JSON.stringify(found)).toBe(before.get(key) ?? JSON.stringify(found));
        before.set(key, JSON.stringify(found));
      }
    };
    for (const { text, pages: expected } of searches) await check(text, expected);
    const busy = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
    try {
      for (const { text, pages: expected } of searches.slice(0, AGAIN)) await check(text, expected);
    } finally {
      busy.kill('SIGKILL');
    }
  });
});

describe('more hits than are put in order', () => {
  const pages = Array.from({ length: 6_200 }, (_, n) => page(n + 1, n % 10 === 0 ? `Knot ${n}` : `P${n}`, 'A knot.'));

  test('are all found once by continuing, first those with the word in the title', async () => {
    const server = serverOf(imported(pages));
    const found = await findAll(server, 'knot');
    expect(new Set(found.map(({ total, isPart, warnings }) => `${total} ${isPart} ${warnings}`))).toEqual(
      new Set(['6200 false ']),
    );
    const titles = found.flatMap((one) => one.titles);
    expect([titles.length, new Set(titles).size]).toEqual([6_200, 6_200]);
    expect(titles.slice(0, 500).every((title) => title.startsWith('Knot'))).toBe(true);
    const { total, titles: some } = await find(server, 'knot', { srlimit: '7', sroffset: '5997' });
    expect([total, some]).toEqual([6_200, titles.slice(5_997, 6_004)]);
  });
});

describe('a search that would cost more than its bound looks at a part of the site', () => {
  const texts = Array.from({ length: 400 }, (_, n) => `harbor sail${n % 300} ${n < 20 ? 'sailor' : 'mast'}`);
  const pages = texts.map((text, n) => page(n + 1, `Ship ${n}`, text));
  /** As on a site with so many times the pages. */
  const times = (factor: number) => (database: ContentDatabase) =>
    database.run(sql`UPDATE word SET docs = docs * ${factor}, places = places * ${factor}`);

  test('and says which', () =>
    everyRow(
      [
        // Not the whole prefix: its words cost too much.
        ['sail*', 20_000, 'atLeast', /^"sail\*" was searched as its \d+ most frequent words of 301\. /],
        ['mast -sail*', 20_000, 'about', /^"sail\*" was searched as/],
        // Not all pages.
        ['harbor mast', 4_000, 'atLeast', /^This search looked at the first [\d,]+ of 1,600,000 pages\. /],
        ['sailo*', 1_000, 'exact', /^$/],
        ['harbor', 1_000, 'exact', /^$/],
      ] as const,
      async ([search, factor, kind, sentence]) => {
        const server = serverOf(imported(pages, times(factor)));
        const found = await findAll(server, search);
        const all = found.flatMap(({ titles }) => titles);
        expect([found[0]!.isPart, found[0]!.total]).toEqual([kind !== 'exact', new Set(all).size]);
        expect(found[0]!.warnings).toMatch(sentence);
        expect(await findAll(server, search)).toEqual(found);
        const tool = await server.call('search', { query: search });
        expect(tool.includes('was searched as') || tool.includes('This search looked')).toBe(kind !== 'exact');
      },
    ));
});
