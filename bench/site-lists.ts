/**
 * Measures lists and searches over many pages, compared with few, in time and memory:
 * `npx tsx --expose-gc bench/site-lists.ts [pages]`. All requests are sent over one keep-alive connection.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { Agent, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { contentQuery } from 'oauth-query/content';
import { ContentDatabase, exportContent, importExport } from 'oauth-query/content/mediawiki-export';
import { oauthQuery } from 'oauth-query/node';
import { query } from 'oauth-query/query';
import { userName, WORDS, writeExport } from './support/large-export.js';

const LIMITS = [50, 500];
const REQUESTS = 40;
const FEW = 1000;

type Params = Readonly<Record<string, string>>;

/** Each list from its middle: `page` is the number of a page, and `limit` the name of the parameter. */
const lists = (page: number): readonly (readonly [limit: string, params: Params])[] => {
  const title = `Page ${page}`;
  const user = userName(page);
  const word = WORDS[page % WORDS.length] ?? '';
  const time = new Date(Date.UTC(2024, 0, 1) + page * 1000).toISOString();
  return [
    ['aplimit', { list: 'allpages', apfrom: title }],
    ['aplimit', { list: 'allpages', apfrom: title, apdir: 'descending', apminsize: '100' }],
    ['aclimit', { list: 'allcategories', acfrom: 'Group 2', acprop: 'size' }],
    ['allimit', { list: 'alllinks', alfrom: title, alprop: 'ids|title' }],
    ['allimit', { list: 'alllinks', alfrom: title, alunique: '1' }],
    ['atlimit', { list: 'alltransclusions', atprop: 'ids|title' }],
    ['arlimit', { list: 'allredirects', arprop: 'ids|title' }],
    ['arvlimit', { list: 'allrevisions', arvstart: time, arvprop: 'ids|timestamp|user' }],
    ['aulimit', { list: 'allusers', aufrom: user, auprop: 'editcount' }],
    ['bllimit', { list: 'backlinks', bltitle: 'Page 1' }],
    ['eilimit', { list: 'embeddedin', eititle: 'Template:Box' }],
    ['cmlimit', { list: 'categorymembers', cmtitle: `Category:Group ${page % 50}`, cmstartsortkeyprefix: title }],
    ['cmlimit', { list: 'categorymembers', cmtitle: `Category:Group ${page % 50}`, cmsort: 'timestamp' }],
    ['eulimit', { list: 'exturlusage', euquery: 'example.org' }],
    ['srlimit', { list: 'search', srsearch: word }],
    ['srlimit', { list: 'search', srsearch: `${word} "page ${page}"` }],
    ['pslimit', { list: 'prefixsearch', pssearch: `Page ${String(page).slice(0, 2)}` }],
    ['rnlimit', { list: 'random', rnnamespace: '0' }],
    ['rclimit', { list: 'recentchanges', rcstart: time }],
    ['uclimit', { list: 'usercontribs', ucuser: user }],
    ['lelimit', { list: 'logevents' }],
    [
      'gaplimit',
      { generator: 'allpages', gapfrom: title, prop: 'info|categories|links', cllimit: 'max', pllimit: 'max' },
    ],
  ];
};

interface Measured {
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

const megabytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(0);

const fill = async (folder: string, pages: number): Promise<ContentDatabase> => {
  const file = join(folder, `${pages}.xml`);
  await writeExport(file, pages);
  const database = new ContentDatabase(join(folder, `${pages}.db`));
  const before = process.cpuUsage();
  await importExport(database, file);
  const { user, system } = process.cpuUsage(before);
  console.log(`${pages} pages: ${Math.round((pages * 1e6) / (user + system))} pages per second of processor time`);
  return database;
};

interface Site {
  get(params: Params): Promise<string>;
  close(): void;
}

const serve = async (database: ContentDatabase): Promise<Site> => {
  const oauth = oauthQuery({
    issuer: 'https://bench.example',
    secret: 'a secret of a benchmark, which is long enough',
    clients: [],
    features: [query(contentQuery(exportContent(database)))],
    onWarning: () => undefined,
  });
  const server = createServer(oauth).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    async get(params) {
      const query = new URLSearchParams({ action: 'query', format: 'json', formatversion: '2', ...params }).toString();
      const request = get({ agent, port, host: '127.0.0.1', path: `/api?${query}` });
      const [answer] = await once(request, 'response');
      const body = await text(answer);
      if (/"(?:errors?|warnings)"/.test(body.slice(0, 300))) throw new Error(`${query}: ${body.slice(0, 300)}`);
      return body;
    },
    close() {
      agent.destroy();
      server.close();
    },
  };
};

/** Milliseconds of each request, by list and limit. */
const time = async (site: Site, pages: number): Promise<ReadonlyMap<string, number[]>> => {
  const times = new Map<string, number[]>();
  for (let number = 0; number < REQUESTS; number += 1) {
    const page = 1 + Math.floor((number * pages) / (REQUESTS + 1));
    for (const [index, [limitName, params]] of lists(page).entries()) {
      for (const limit of LIMITS) {
        const name = `${String(index).padStart(2)} ${params['list'] ?? 'generator'} ${limit}`;
        const started = performance.now();
        await site.get({ ...params, [limitName]: String(limit) });
        times.set(name, [...(times.get(name) ?? []), performance.now() - started]);
      }
    }
  }
  return times;
};

/** @returns By list and limit. */
const measure = async (folder: string, pages: number): Promise<ReadonlyMap<string, Measured>> => {
  const database = await fill(folder, pages);
  const site = await serve(database);
  await time(site, pages);
  globalThis.gc?.();
  const heap = process.memoryUsage().heapUsed;
  const times = await time(site, pages);
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  console.log(
    `${pages} pages: heap ${megabytes(heap)} MB, ${megabytes(heapUsed - heap)} MB more after all lists, ${megabytes(rss)} MB resident`,
  );
  site.close();
  database.close();
  return new Map(
    [...times].map(([name, all]) => {
      const sorted = all.toSorted((a, b) => a - b);
      return [name, { p50: sorted[sorted.length >> 1] ?? 0, p99: sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0 }];
    }),
  );
};

const folder = mkdtempSync(join(tmpdir(), 'site-lists-'));
try {
  const pages = Number(process.argv[2] ?? 300_000);
  const few = await measure(folder, FEW);
  const many = await measure(folder, pages);
  for (const [name, { p50, p99 }] of many) {
    const small = few.get(name) ?? { p50: Infinity, p99: Infinity };
    console.log(
      `${name.padEnd(30)} p50 ${p50.toFixed(1)} ms (${(p50 / small.p50).toFixed(1)} ×), p99 ${p99.toFixed(1)} ms (${(p99 / small.p99).toFixed(1)} ×)`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
