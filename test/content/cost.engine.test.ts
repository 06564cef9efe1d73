import { afterAll, beforeAll, expect, test } from 'vitest';
import { query } from 'oauth-query/query';
import { contentQuery } from 'oauth-query/content';
import { ContentDatabase, exportContent } from 'oauth-query/content/mediawiki-export';
import { directQueries } from '../hosts/direct.js';
import { sql } from '../../src/content/sqlite/sql.js';
import { sqliteSource } from '../../src/content/sqlite/source.js';
import { fillDatabase } from './support/fill-database.js';
import { fillLargeSite } from './support/large-site.js';
import { type Params, worstRequests } from './support/worst-requests.js';

/** Not an engine, but a suite of its own process that takes a minute. */

const SIZES = [2_000, 8_000] as const;
/** Milliseconds that no request needs on a site of this size; a search may take its whole budget. Less is not measured again. */
const FLOOR_MS = 36;
/** Four times the pages take four times as long if the work is linear. Lists are full before, so their time hardly grows. */
const MAX_GROWTH = 2.5;

const databases: ContentDatabase[] = [];
const failures: unknown[] = [];
let sites: readonly ((params: Params) => Promise<unknown>)[];
beforeAll(() => {
  sites = SIZES.map((pages) => {
    const database = new ContentDatabase(':memory:');
    databases.push(database);
    fillLargeSite(database, { pages, huge: 1 });
    const options = {
      issuer: 'http://127.0.0.1:1',
      query: query({ path: ['/api'], ...contentQuery(exportContent(database)) }),
      clients: [],
      onWarning: () => undefined,
      onError: (error: unknown) => void failures.push(error),
    };
    return directQueries(options, '/api');
  });
});
afterAll(() => databases.forEach((database) => database.close()));

/** The least of some runs, in milliseconds of this process. */
const cost = async (work: () => unknown, runs: number): Promise<number> => {
  let least = Infinity;
  for (let run = 0; run < runs && least > FLOOR_MS; run += 1) {
    const before = process.cpuUsage();
    await work();
    least = Math.min(least, process.cpuUsage(before).user / 1000);
  }
  return least;
};

/** Whether work takes long, and longer the more pages there are; as a sentence. */
const growth = async ([small, large]: readonly (() => unknown)[]): Promise<string | undefined> => {
  const now = await cost(large!, 5);
  if (now <= FLOOR_MS) return undefined;
  const before = await cost(small!, 5);
  return now > MAX_GROWTH * before ? `${before.toFixed(1)} → ${now.toFixed(1)} ms` : undefined;
};

test('no request takes longer the more pages a site has, whatever it asks', async () => {
  const slow: string[] = [];
  // Each seventh, so that it ends in time: neighbours differ in one parameter. COST=1 sends all.
  const every = process.env['COST'] ? 1 : 7;
  const requests = worstRequests().filter((_, index) => index % every === 0);
  for (const params of requests) {
    const grown = await growth(sites.map((send) => () => send(params)));
    if (grown !== undefined) slow.push(`${grown}: ${new URLSearchParams(params).toString()}`);
  }
  expect(requests.length).toBeGreaterThan(200);
  expect(slow).toEqual([]);
  expect(failures).toEqual([]);
});

test('a search for a common word finds as many pages as it ranks, because each step reads only its own window', () => {
  const database = new ContentDatabase(':memory:');
  databases.push(database);
  const pages = Array.from({ length: 60_000 }, (_, n) => ({
    id: n + 1,
    title: `Page ${n}`,
    text: '',
    history: [{ id: n + 1, text: 'A knot.' }],
  }));
  fillDatabase(database, pages);
  const { search } = sqliteSource(database);
  const found = search({ words: ['knot'], without: [], titles: false, namespaces: [0], offset: 0, limit: 1 });
  expect(found).toMatchObject({ total: 5_000, isLowerBound: true });
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
