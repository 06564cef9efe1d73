import { contentQuery, type ContentSource, type VisiblePages } from 'oauth-query/content';
import { ContentDatabase, exportContent } from 'oauth-query/content/mediawiki-export';
import { mcp } from 'oauth-query/mcp';
import { query } from 'oauth-query/query';
import { memoryStore } from 'oauth-query/stores/memory';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { storeSite } from '../../src/content/mediawiki-export/site.js';
import { sql } from '../../src/content/sqlite/sql.js';
import { directQueries } from '../hosts/direct.js';
import { contentServer } from './support/content-server.js';
import { fillDatabase } from './support/fill-database.js';
import { fillLargeSite } from './support/large-site.js';
import type { Params } from './support/walk.js';
import {
  LONG_PAGES,
  MANY_PAGES,
  MANY_USERS,
  manyModules,
  MUCH_MARKUP,
  WORST_CALLS,
  worstRequests,
} from './support/worst-requests.js';

/** Not an engine, but a suite of its own process that takes a minute, or ten on a busy machine. */
vi.setConfig({ testTimeout: 1_800_000, hookTimeout: 1_800_000 });

const SIZES = [2_000, 8_000] as const;
/** Milliseconds that no request needs on a site of this size. Less is not measured again. */
const FLOOR_MS = 36;
/** The same as a multiple of a list of 500 pages: on a busy machine, everything takes longer. */
const FLOOR_LISTS = 8;
/** Four times the pages take four times as long if the work is linear. Lists are full before, so their time hardly grows. */
const MAX_GROWTH = 2.5;

interface Site {
  send(params: Params, token?: string): Promise<unknown>;
  call(tool: string, args: object): Promise<unknown>;
  /** A token of a user. */
  token(username: string): Promise<string>;
}

const WATCHERS = ['User 1', 'User 7'];

const siteOf = (source: ContentSource, visible?: VisiblePages): Site => {
  const options = {
    issuer: 'http://127.0.0.1:1',
    secret: 'a secret of the test that has 32 characters',
    store: memoryStore(),
    features: [
      query({
        path: ['/api'],
        ...contentQuery(source, visible && { visible }),
      }),
      mcp(),
    ],
    scopes: { read: { description: 'Read', rights: ['apihighlimits'] } },
    grants: ['password'] as const,
    users: WATCHERS.map((username) => ({ username, password: 'secret' })),
    clients: [{ client_id: 'test', client_secret: 'test-secret', grant_types: ['password'] as const, scope: 'read' }],
    onWarning: () => undefined,
    onError: (error: unknown) => void failures.push(error),
  };
  const { send, call } = contentServer(options);
  return {
    send: directQueries(options, '/api'),
    call,
    token: async (username) => {
      const client = { client_id: 'test', client_secret: 'test-secret' };
      const answer = await send('/oauth/token', { grant_type: 'password', username, password: 'secret', ...client });
      return (JSON.parse(answer) as { readonly access_token: string }).access_token;
    },
  };
};

const databases: ContentDatabase[] = [];
const failures: unknown[] = [];
let sites: readonly Site[];
beforeAll(() => {
  sites = SIZES.map((pages) => {
    const database = new ContentDatabase(':memory:');
    databases.push(database);
    fillLargeSite(database, { pages, huge: 1 });
    return siteOf(exportContent(database));
  });
});
afterAll(() => databases.forEach((database) => database.close()));

/** Milliseconds of this process. */
const cost = async (work: () => unknown): Promise<number> => {
  const before = process.cpuUsage();
  await work();
  return process.cpuUsage(before).user / 1000;
};

/** Measurements of each site, in turns: what the machine does meanwhile affects both. */
const ROUNDS = 12;
const ENOUGH = 4;

/** Whether work takes long, and longer the more pages there are; as a sentence. Judged by the least of many measurements. */
const growth = async ([small, large]: readonly (() => unknown)[]): Promise<string | undefined> => {
  let [before, now, list] = [Infinity, await cost(large!), Infinity];
  const isLong = (): boolean => now > FLOOR_MS && now > FLOOR_LISTS * list;
  for (let round = 1; round <= ROUNDS && now > FLOOR_MS; round += 1) {
    before = Math.min(before, await cost(small!));
    list = Math.min(list, await cost(() => sites.at(-1)!.send({ list: 'allpages', aplimit: 'max' })));
    now = Math.min(now, await cost(large!));
    if (round >= ENOUGH && (now <= MAX_GROWTH * before || !isLong())) return undefined;
  }
  return isLong() ? `${before.toFixed(1)} → ${now.toFixed(1)} ms` : undefined;
};

/** The sentences about work that takes longer. */
const slowOf = async <T>(
  two: readonly Site[],
  all: readonly T[],
  work: (site: Site, one: T) => unknown,
): Promise<readonly string[]> => {
  const slow: string[] = [];
  for (const one of all) {
    const grown = await growth(two.map((site) => () => work(site, one)));
    if (grown !== undefined) slow.push(`${grown}: ${JSON.stringify(one)}`);
  }
  return slow;
};

// Each seventh, so that it ends in time: neighbours differ in one parameter. COST=1 sends all.
const EVERY = process.env['COST'] ? 1 : 7;

test('no request takes longer the more pages a site has, whatever it asks', async () => {
  // These take longer the more pages, or users, there are, up to bounds: the tests of what takes long by itself have them.
  const isBounded = ({ list, uciprange }: Params): boolean => list === 'search' || uciprange !== undefined;
  const requests = worstRequests().filter((params, index) => index % EVERY === 0 && !isBounded(params));
  expect(requests.length).toBeGreaterThan(200);
  expect(await slowOf(sites, requests, ({ send }, params) => send(params))).toEqual([]);
  expect(failures).toEqual([]);
});

test('no watchlist takes longer the more pages a site has, for who watches few pages or most', async () => {
  const requests = worstRequests().filter(({ list }) => list?.startsWith('watchlist'));
  expect(requests.length).toBeGreaterThan(20);
  for (const username of WATCHERS) {
    const tokens = new Map<Site, string>();
    for (const site of sites) tokens.set(site, await site.token(username));
    const [site] = sites;
    const answer = JSON.stringify(await site!.send({ list: 'watchlistraw' }, tokens.get(site!)));
    expect(answer).toContain('Page 0');
    const some = requests.filter((_, index) => index % EVERY === 0);
    expect(await slowOf(sites, some, (site, params) => site.send(params, tokens.get(site)))).toEqual([]);
  }
  expect(failures).toEqual([]);
});

test('no request with many modules, and no tool, takes longer the more pages a site has', async () => {
  expect(await slowOf(sites, manyModules(), ({ send }, params) => send(params))).toEqual([]);
  expect(await slowOf(sites, WORST_CALLS, ({ call }, [tool, args]) => call(tool, args))).toEqual([]);
  expect(failures).toEqual([]);
});

/** Milliseconds of any request, and the same as a multiple of a list of 500 pages. */
const MOST_MS = 100;
const MOST_LISTS = 25;

/** The sentence about work that takes too long on the larger site, however large the site is. */
const excess = async (work: () => unknown): Promise<string | undefined> => {
  let [least, list] = [Infinity, Infinity];
  const isLong = (): boolean => least > MOST_MS && least > MOST_LISTS * list;
  for (let round = 0; round < ENOUGH || (isLong() && round < ROUNDS); round += 1) {
    list = Math.min(list, await cost(() => sites.at(-1)!.send({ list: 'allpages', aplimit: 'max' })));
    least = Math.min(least, await cost(work));
    if (!isLong() && round > 0) return undefined;
  }
  return isLong() ? `${least.toFixed(1)} ms, ${(least / list).toFixed(0)} lists` : undefined;
};

/** The sentences about all requests that take too long. */
const excessive = async (all: readonly Params[], send: (params: Params) => unknown): Promise<readonly string[]> => {
  const slow: string[] = [];
  for (const params of all) {
    const found = await excess(() => send(params));
    if (found !== undefined) slow.push(`${found}: ${JSON.stringify(params)}`);
  }
  return slow;
};

test('no request takes long by itself: the lists of a page with thousands of links, high limits, hidden pages', async () => {
  const [, site] = sites;
  const token = await site!.token('User 7');
  const hiding = siteOf(exportContent(databases[1]!), (pages) => pages.filter(({ id }) => id % 100 === 1));
  const lists = worstRequests().filter(({ list, generator }) => list !== undefined && !generator);
  const high = worstRequests().filter(({ generator }) => generator !== undefined);
  const some = (all: readonly Params[], step: number) => all.filter((_, index) => index % step === 0);
  expect(await excessive(LONG_PAGES, (params) => site!.send(params))).toEqual([]);
  const search = await site!.send({ list: 'search', srsearch: 'the', srlimit: 'max' }, token);
  expect(search).toHaveProperty('json.query.search.length', 1_000);
  expect(await excessive([...MANY_PAGES, ...some(high, EVERY)], (params) => site!.send(params, token))).toEqual([]);
  expect(await excessive(some(lists, 3 * EVERY), (params) => hiding.send(params))).toEqual([]);
  expect(failures).toEqual([]);
});

test('no format takes long, though half of the texts are characters that it escapes', async () => {
  const database = new ContentDatabase(':memory:');
  databases.push(database);
  storeSite(database, { name: 'Markup', database: 'markup', base: '', language: 'en', namespaces: [] });
  const pages = Array.from({ length: 600 }, (_, n) => {
    const [title, size] = n < 200 ? [`Long ${n}`, 40_000] : [`Short ${n}`, 1_000];
    const text = '<b>&amp;</b>"\n'.repeat(size / 14);
    return { id: n + 1, title, text, history: [{ id: n + 1, text }] };
  });
  fillDatabase(database, pages);
  const { send, token } = siteOf(exportContent(database));
  const user = await token('User 7');
  expect(await excessive(MUCH_MARKUP, (params) => send(params, user))).toEqual([]);
  expect(failures).toEqual([]);
});

/** Authors of each of two sites. The smaller one has enough for every bound. */
const USERS = [8_000, 32_000] as const;
/** Calls of a source, and rows that it returned, for any request about users: counted, because no machine changes them. */
const MOST_READ = { calls: 3_000, rows: 8_000 };

/** The source of a database, and what was read from it since it was last asked. */
const countedSource = (database: ContentDatabase) => {
  const read = { calls: 0, rows: 0 };
  const source = Object.fromEntries(
    Object.entries(exportContent(database)).map(([name, value]: [string, unknown]) => [
      name,
      typeof value !== 'function'
        ? value
        : async (...args: unknown[]) => {
            const rows: unknown = await value(...args);
            read.calls += 1;
            if (Array.isArray(rows)) read.rows += rows.length;
            return rows;
          },
    ]),
  ) as unknown as ReturnType<typeof exportContent>;
  const taken = () => {
    const all = { ...read };
    Object.assign(read, { calls: 0, rows: 0 });
    return all;
  };
  return { source, taken };
};

test('no list of users takes longer the more users there are, if few or most of them have only edited hidden pages', async () => {
  const many = USERS.map((count) => {
    const database = new ContentDatabase(':memory:');
    databases.push(database);
    const pages = Array.from({ length: count }, (_, n) => {
      const [user, userid] = n % 2 === 0 ? [`User ${n}`, n + 1] : [`192.0.${n >> 8}.${n % 256}`, 0];
      return { id: n + 1, title: `Page ${n}`, text: '', history: [{ id: n + 1, text: '', user, userid }] };
    });
    storeSite(database, { name: 'Users', database: 'users', base: '', language: 'en', namespaces: [] });
    fillDatabase(database, pages);
    return database;
  });
  const isFew = ({ id }: { readonly id: number }): boolean => id % 100 < 2;
  for (const visible of [undefined, isFew, (page: { readonly id: number }) => !isFew(page)]) {
    const seen: VisiblePages | undefined = visible && ((some) => some.filter(visible));
    const counted = many.map(countedSource);
    const asked = counted.map(({ source }) => siteOf(source, seen));
    for (const params of MANY_USERS)
      for (const [index, { send }] of asked.entries()) {
        await send(params);
        const { calls, rows } = counted[index]!.taken();
        expect(calls, JSON.stringify(params)).toBeGreaterThan(0);
        expect(calls, JSON.stringify(params)).toBeLessThanOrEqual(MOST_READ.calls);
        expect(rows, JSON.stringify(params)).toBeLessThanOrEqual(MOST_READ.rows);
      }
    expect(await slowOf(asked, MANY_USERS, ({ send }, params) => send(params))).toEqual([]);
  }
  expect(failures).toEqual([]);
});

test('a scan of all texts is detected', async () => {
  const scans = databases.slice(0, 2).map((database) => () => {
    for (let round = 0; round < 3; round += 1)
      for (const { text } of database.each<{ text: string | null }>(sql`SELECT text FROM revision WHERE page > 200`)) {
        text?.toLowerCase().match(/[\p{L}\p{N}]+/gu);
      }
  });
  expect(await growth(scans)).toBeDefined();
});
