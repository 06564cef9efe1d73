import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { everyRow, share } from '../../rows.js';
import { type Answer, sourcesOf, type WorldPage, type WorldServer, worldServer } from './sites.js';
import { BEGINNINGS, SEARCHES, type SearchRow, TITLES, WORD_COUNTS } from './vectors.js';

const folder = mkdtempSync(join(tmpdir(), 'oauth-query-world-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The pages of all rows, by language and title. */
const PAGES = new Map<string, Map<string, string>>();
for (const [language, title, text] of [...SEARCHES, ...WORD_COUNTS]) pagesIn(language).set(title, text);
for (const [language, title] of [...TITLES, ...BEGINNINGS])
  if (!pagesIn(language).has(title)) pagesIn(language).set(title, 'x');

function pagesIn(language: string): Map<string, string> {
  const pages = PAGES.get(language) ?? new Map<string, string>();
  PAGES.set(language, pages);
  return pages;
}

/** With visible marks. */
const shown = (snippet: string): string =>
  snippet.replaceAll('<span class="searchmatch">', '[').replaceAll('</span>', ']');

const titlesIn = (items: readonly Answer[]): readonly string[] => items.map(({ title }) => title);

const servers = new Map<string, WorldServer>();
const serverOf = (source: string, language: string): WorldServer => {
  const server = servers.get(`${source} ${language}`);
  if (!server) throw new Error(`There is no site in ${language}.`);
  return server;
};

const SOURCES = ['export', 'memory', 'folder'] as const;

beforeAll(async () => {
  const sources = sourcesOf(folder);
  for (const name of SOURCES)
    for (const [language, pages] of PAGES) {
      const list: readonly WorldPage[] = [...pages];
      servers.set(`${name} ${language}`, worldServer(await sources[name](language, list)));
    }
});

describe.each(SOURCES.map((source, place) => [source, place] as const))('%s', (source, place) => {
  const at = (language: string): WorldServer => serverOf(source, language);

  test('a title is found in the spelling of its language, by the API and by tools', () =>
    everyRow(share(TITLES, place), async ([language, page, asked, answered]) => {
      const { query } = await at(language).api({ action: 'query', titles: asked });
      expect(query.pages[0].title).toBe(answered);
      expect(query.pages[0].missing === true).toBe(page !== answered);
      const names = (query.normalized ?? []).filter(({ fromencoded }: Answer) => !fromencoded);
      expect(names.map(({ to }: Answer) => to)).toEqual(asked.normalize('NFC') === answered ? [] : [answered]);
      const { data } = await at(language).tool('query', { parameters: { titles: asked } });
      expect(data.pages[0].title).toBe(answered.replace(/^\u200b/, ''));
      const read = await at(language).tool('read_page', { title: asked });
      expect(read?.data?.title).toBe(page === answered ? answered : undefined);
    }));

  const searched = async ([language, page, , search, isFound, passage]: SearchRow): Promise<void> => {
    const { query } = await at(language).api({ action: 'query', list: 'search', srsearch: search, srlimit: 'max' });
    expect(titlesIn(query.search).includes(page)).toBe(isFound);
    expect(query.searchinfo.totalhits).toBe(query.search.length);
    const hit = query.search.find(({ title }: Answer) => title === page);
    if (passage !== undefined) expect(shown(hit.snippet)).toContain(passage);
    if (isFound) expect(hit.snippet).toContain('searchmatch');
    const parameters = { list: 'search', srsearch: search };
    const byQuery = await at(language).tool('query', { parameters });
    const byTool = await at(language).tool('search', { query: search });
    for (const { data } of [byQuery, byTool])
      expect(titlesIn(data.search ?? data.results).includes(page)).toBe(isFound);
  };

  test('a search finds what its readers would, by the API and by tools', () =>
    everyRow(share(SEARCHES, place), searched));

  test('words are counted as readers do', () =>
    everyRow(share(WORD_COUNTS, place), async ([language, page, , words]) => {
      const form = { action: 'query', list: 'search', srsearch: `intitle:${page}`, srlimit: 'max' };
      const { query } = await at(language).api(form);
      expect(query.search.find(({ title }: Answer) => title === page)?.wordcount).toBe(words);
    }));

  test('titles are completed from their beginning, in which case matters behind the first letter', () =>
    everyRow(share(BEGINNINGS, place), async ([language, page, start, isFound]) => {
      const { query } = await at(language).api({
        action: 'query',
        list: 'prefixsearch|allpages',
        pssearch: start,
        apprefix: start,
      });
      const [, open] = await at(language).api({ action: 'opensearch', search: start });
      for (const titles of [titlesIn(query.prefixsearch), titlesIn(query.allpages), open])
        expect(titles.includes(page)).toBe(isFound);
      expect(await at(language).complete(start)).toEqual(titlesIn(query.prefixsearch));
    }));
});

test('every source gives the same answers', () =>
  everyRow(SEARCHES, async ([language, , , search]) => {
    const form = {
      action: 'query',
      list: 'search',
      srsearch: search,
      srprop: 'snippet|wordcount|titlesnippet',
      srlimit: 'max',
    };
    const answers = await Promise.all(
      SOURCES.map(async (source) => {
        const { query } = await serverOf(source, language).api(form);
        return query.search
          .map(({ title, snippet, titlesnippet, wordcount }: Answer) => ({ title, snippet, titlesnippet, wordcount }))
          .sort((a: Answer, b: Answer) => (a.title < b.title ? -1 : 1));
      }),
    );
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
  }));
