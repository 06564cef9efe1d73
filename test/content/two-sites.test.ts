import { diffArrays } from 'diff';
import {
  type ContentLogEntry,
  type ContentSource,
  contentQuery,
  memoryContent,
  type MemoryPage,
} from 'oauth-query/content';
import { markdownFolder } from 'oauth-query/content/markdown';
import { mcp } from 'oauth-query/mcp';
import { query } from 'oauth-query/query';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Sorted } from '../../src/content/memory/sorted.js';
import { ContentDatabase } from '../../src/content/sqlite/database.js';
import { sqliteSource } from '../../src/content/sqlite/source.js';
import { everyRow, share } from '../rows.js';
import { TestFolder } from './markdown/folder.js';
import { contentServer } from './support/content-server.js';
import { EVERY_CALL, EVERY_REQUEST } from './support/every-request.js';
import { fillDatabase } from './support/fill-database.js';
import { MARK, OPEN_PAGES, PAGES, SITE, visible } from './support/hidden-site.js';
import { type Json, type Params, walk } from './support/walk.js';

/** Two sites are compared: one with hidden pages, and one on which these pages do not exist. The sources take the requests in turn. */

const closing: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
});

const IMPORT = {
  type: 'import',
  action: 'upload',
  user: 'Importer',
  timestamp: '2025-06-01T00:00:00Z',
  comment: '',
  params: {},
};

/** A page as a file. */
const markdownOf = ({ text, redirect, links = [], history = [] }: MemoryPage): string => {
  const { user, timestamp } = history[0] ?? {};
  const of = (kind: string) => links.filter((link) => link.kind === kind);
  return [
    ...['---', `date: ${timestamp}`, `author: ${JSON.stringify(user)}`],
    `tags: ${JSON.stringify(of('category').map(({ title }) => title))}`,
    ...(redirect ? [`redirect_to: ${JSON.stringify(redirect.to)}`] : []),
    ...['---', '', text, ...of('link').map(({ title }) => `[[${title}]]`)],
    ...of('file').map(({ title }) => `![](/${title})`),
    ...of('url').map((link) => `<${link.text}>`),
  ].join('\n');
};

const FOLDERS = { Talk: 1, File: 6, Template: 10, Category: 14 };
const folderOf = (ns: number): string => Object.entries(FOLDERS).find(([, id]) => id === ns)?.[0] ?? '.';

const SOURCES: Readonly<Record<string, (pages: readonly MemoryPage[]) => ContentSource | Promise<ContentSource>>> = {
  'content in memory': (pages) => memoryContent(pages),
  'content in SQLite': (pages) => {
    const database = new ContentDatabase(':memory:');
    closing.push(() => database.close());
    fillDatabase(database, pages);
    const log = new Sorted<ContentLogEntry>(({ timestamp, id }) => [timestamp, id]);
    for (const { id = 0, ns } of pages) if (ns === 14) log.add({ id, page: id, ...IMPORT });
    return { ...sqliteSource(database), log: (range) => log.range(range) };
  },
  'a folder of Markdown files': async (pages) => {
    const paths = pages.map(({ ns = 0, title }) => `${folderOf(ns)}/${title}.md`);
    const folder = new TestFolder(
      Object.fromEntries(pages.map((page, index) => [paths[index], markdownOf(page)])),
      (end) => void closing.push(end),
    );
    const content = await markdownFolder(folder.path, { watch: false, namespaceFolders: FOLDERS });
    closing.push(() => content.close());
    return content;
  },
};

const ISSUER = 'https://wiki.example';

/** The texts of the responses of a site, without a socket. */
const startSite = (source: ContentSource) => {
  const failures: unknown[] = [];
  const options = {
    issuer: ISSUER,
    secret: 'a secret of the test that has 32 characters',
    scopes: { read: 'Read' },
    clients: [],
    runtime: { clock: () => Date.parse('2025-06-02T00:00:00Z') },
    onError: (error: unknown) => void failures.push(error),
    onWarning: () => undefined,
    features: [
      query(
        contentQuery(source, {
          diff: diffArrays,
          visible,
          site: { ...SITE, name: 'Two sites', language: 'en' },
        }),
      ),
      mcp(),
    ],
  };
  const { send, call } = contentServer(options);
  /** The first responses of a client that follows continuations. */
  const first = async (params: Params): Promise<readonly string[]> => {
    const texts: string[] = [];
    const read = async (all: Params): Promise<Json> => {
      const text = await send('/api', { action: 'query', format: 'json', formatversion: '2', ...all });
      texts.push(text);
      return JSON.parse(text) as Json;
    };
    await walk(read, params, 2);
    return texts;
  };
  return { first, call, failures };
};

/** Cursors are sealed with a random number. */
const unsealed = (text: string): string => text.replaceAll(/cursor(\\?)":\1?"[^"\\]*/g, 'cursor');

/** Values of the request in a response are not about the site. */
const mentioned = (text: string, params: object): boolean =>
  text.includes(MARK) && !JSON.stringify(params).includes(MARK);

const sources = Object.entries(SOURCES).map(([name, sourceOf], index) => ({ name, sourceOf, index }));

describe.each(sources)('$name: a hidden page is treated as if it did not exist', ({ sourceOf, index }) => {
  const mine = <T>(requests: readonly T[]): readonly T[] =>
    share(requests.filter((_, n) => n % sources.length === index));
  let all: ReturnType<typeof startSite>;
  let open: ReturnType<typeof startSite>;
  beforeAll(async () => {
    all = startSite(await sourceOf(PAGES));
    open = startSite(await sourceOf(OPEN_PAGES));
  });

  test('every module and action gives the same response, byte for byte', () =>
    everyRow(mine(EVERY_REQUEST), async (params) => {
      const expected = await open.first(params);
      const given = await all.first(params);
      expect(given).toEqual(expected);
      expect(mentioned(given.join(''), params)).toBe(false);
    }));

  test('every tool gives the same result', () =>
    everyRow(mine(EVERY_CALL), async ([tool, args]) => {
      expect(unsealed(await all.call(tool, args))).toBe(unsealed(await open.call(tool, args)));
    }));

  test('and no handler failed', () => {
    expect([...all.failures, ...open.failures]).toEqual([]);
  });
});
