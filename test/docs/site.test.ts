import { expect, test } from 'vitest';
import { llmsFull, llmsIndex } from '../../tools/site/llms.js';
import { chaptersOf, pagesOf } from '../../tools/site/pages.js';
import { everyRow } from '../rows.js';

const pages = pagesOf();
const chapters = chaptersOf(pages);
const guides = pages.filter(
  ({ source }) => /^docs\/(?:migration\/)?[^/]+$/.test(source) && source !== 'docs/README.md',
);

test('the site has six entries for readers, and one for the project', () => {
  expect(chapters.map(({ title }) => title)).toEqual([
    'Start',
    'Protect and grant',
    'Query and content',
    'Run it',
    'Reference',
    'Move from another library or version',
    'Project',
  ]);
});

test('every guide is in exactly one entry, with a title and a sentence', () => {
  const listed = chapters.flatMap((chapter) => chapter.pages);
  // One page stays in the repository: the package lacks it, and its pages may not link to it.
  const expected = guides.map(({ path }) => path).filter((path) => path !== 'audit.md');
  expect(
    listed
      .map(({ path }) => path)
      .filter((path) => expected.includes(path))
      .toSorted(),
  ).toEqual(expected.toSorted());
  expect(listed.filter(({ title, about }) => title === '' || about === '')).toEqual([]);
});

test('pages have neither what only tests read nor links to files that are no pages', () => {
  const known = new Set(pages.map(({ path }) => `/${path}`));
  return everyRow(
    pages.map((page) => [page.path, page.text] as const),
    ([, text]) => {
      expect(text).not.toMatch(/^<!-- ?given/m);
      expect(text).not.toMatch(/^\s*```[a-z]+ /m);
      const links = [...text.matchAll(/\]\((\/[^)#\s]+)/g)].map(([, url = '']) => url);
      expect(links.filter((url) => !known.has(url))).toEqual([]);
    },
  );
});

test('llms.txt names every guide, and llms-full.txt contains their whole text', () => {
  const index = llmsIndex(chapters, 'An authorization server.');
  expect(index).toMatch(/^# oauth-query\n\n> An authorization server\.\n/);
  const full = llmsFull(chapters, pages);
  for (const { path } of chapters.flatMap((chapter) => chapter.pages)) expect(index).toContain(`(/${path})`);
  expect(full).toContain("import { oauthQuery } from 'oauth-query/express'");
  expect(full.length).toBeGreaterThan(300_000);
});
