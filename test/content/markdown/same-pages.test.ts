import {
  type ContentLink,
  type ContentSource,
  contentQuery,
  memoryContent,
  type MemoryPage,
} from 'oauth-query/content';
import { markdownFolder, type MarkdownFolder } from 'oauth-query/content/markdown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { everyRow } from '../../rows.js';
import { CLIENT_WALKS } from '../support/client-walks.js';
import { gather, merged, QUERIES } from '../support/queries.js';
import { type QueryHost, sourcesOfTheSamePages, startQuery } from '../support/same-pages.js';
import { CALL, TestFolder } from './folder.js';

/** Folders of all namespaces of the pages. */
const FOLDERS = {
  ...{ Talk: 1, User: 2, 'User talk': 3, Harbour: 4, 'Harbour talk': 5, File: 6, 'File talk': 7, MediaWiki: 8 },
  ...{ Template: 10, 'Template talk': 11, Help: 12, 'Help talk': 13, Category: 14, 'Category talk': 15 },
};
const folderOf = (ns: number): string => Object.entries(FOLDERS).find(([, id]) => id === ns)?.[0] ?? '';
const pathOf = (ns: number, title: string): string => (ns === 0 ? title : `${folderOf(ns)}/${title}`);
const nameOf = (ns: number, title: string): string => (ns === 0 ? title : `${folderOf(ns)}:${title}`);

/** What Markdown can say of a page: where it leads, without templates, other languages and sort keys. */
const sayable = (links: readonly ContentLink[], isRedirect: boolean): readonly ContentLink[] =>
  links.flatMap(({ text, ...link }) => {
    if (link.kind === 'redirect' || link.kind === 'url') return [{ ...link, ...(text && { text }) }];
    const isWanted = link.kind === 'category' || (!isRedirect && (link.kind === 'file' || link.kind === 'link'));
    if (isRedirect && link.kind === 'link')
      return links.some(({ kind, title }) => kind === 'redirect' && title === link.title) ? [link] : [];
    return isWanted ? [link] : [];
  });

/** The page as a person would write it. Half of the links name files, the others titles. */
const markdownOf = ({ ns = 0, title, links = [], history = [], redirect }: MemoryPage): string => {
  const { user, timestamp } = history.at(-1)!;
  const up = '../'.repeat(pathOf(ns, title).split('/').length - 1);
  const of = (kind: string) => links.filter((link) => link.kind === kind);
  const address = (target: ContentLink, end: string): string =>
    encodeURI(`${up}${pathOf(target.ns, target.title)}${end}`).replaceAll('?', '%3F');
  const [to] = of('redirect');
  return [
    '---',
    `author: ${JSON.stringify(user)}`,
    `date: ${timestamp}`,
    `tags: ${JSON.stringify(of('category').map((link) => link.title))}`,
    ...(redirect && to
      ? [`redirect_to: ${JSON.stringify(`/${pathOf(to.ns, to.title)}${to.text ? `#${to.text}` : ''}`)}`]
      : []),
    '---',
    `Words about rope and ${title}.`,
    ...(redirect ? [] : of('link')).map((link, index) =>
      index % 2 === 0 ? `[one](<${address(link, '.md')}>)` : `[[:${nameOf(link.ns, link.title)}|other]]`,
    ),
    ...of('file').map((link) => `![](<${up}${encodeURI(link.title)}>)`),
    ...of('url').map((link) => `<${link.text}>`),
  ]
    .join('\n\n')
    .replace(/(?<=^---[^]*)\n\n(?=[^]*\n---)/g, '\n');
};

/** What a source says of its pages, for content in memory: ids are its own. */
const asRead = async (source: Required<ContentSource>, page: MemoryPage): Promise<MemoryPage> => {
  const { ns = 0, title, links = [], redirect } = page;
  const [found] = await source.pages({ titles: [{ ns, title }], ids: [], revids: [] }, CALL);
  if (!found) throw new Error(`There is no page ${nameOf(ns, title)}.`);
  const range = { ids: [found.revid ?? 0], text: true };
  const revision = (await source.revisions(range, CALL))[0]!;
  const { user, timestamp } = page.history!.at(-1)!;
  // The text is what was written; who wrote it and when was given.
  expect([revision.text, revision.user, revision.timestamp]).toEqual([markdownOf(page), user, timestamp]);
  return {
    ...{
      id: found.id,
      ns,
      title,
      text: revision.text ?? '',
      model: 'markdown',
      links: sayable(links, redirect !== undefined),
    },
    history: [{ ...revision, text: revision.text ?? '' }],
    ...(redirect && { redirect }),
  };
};

let content: MarkdownFolder;
let hosts: readonly QueryHost[];
let count = 0;
beforeAll(async () => {
  const { pages: given, site, close } = await sourcesOfTheSamePages();
  close();
  const pages = given.map((page) => ({ ...page, links: sayable(page.links ?? [], page.redirect !== undefined) }));
  const folder = new TestFolder(
    Object.fromEntries(pages.map((page) => [`${pathOf(page.ns ?? 0, page.title)}.md`, markdownOf(page)])),
    afterAll,
  );
  const options = {
    site,
    namespaceFolders: FOLDERS,
    watch: false,
    onProblem: (sentence: string) => expect(sentence).toBe(''),
  };
  content = await markdownFolder(folder.path, options);
  const source = content as MarkdownFolder & Required<ContentSource>;
  const model: MemoryPage[] = [];
  for (const page of pages) model.push(await asRead(source, page));
  count = model.length;
  const { modules: _modules, render: _render, ...functions } = source;
  const { markup } = source;
  const memory = { ...memoryContent(model, { site }), markup };
  hosts = [await startQuery(contentQuery(memory)), await startQuery(contentQuery({ ...functions, site }))];
});
afterAll(async () => {
  for (const host of hosts ?? []) await host.close();
  await content?.close();
});

describe('two hundred pages as Markdown files have the same responses as in memory', () => {
  const filled = new Set<string>();
  test('to every query, with every limit', () =>
    everyRow(QUERIES, async ([query, limit]) => {
      const [memory, markdown] = hosts as [QueryHost, QueryHost];
      const expected = await gather(memory, query, limit, 'max');
      expect(await gather(markdown, query, limit, 'max')).toEqual(expected);
      if (JSON.stringify(merged(expected)).length > 60) filled.add(query);
      if (limit === '') return;
      for (const size of ['2', '5']) {
        expect(merged(await gather(markdown, query, limit, size)), size).toEqual(merged(expected));
      }
    }));

  test('and most of these queries find something', () => {
    expect(count).toBe(200);
    expect(filled.size).toBeGreaterThanOrEqual(40);
  });
});

describe('published clients get the same from Markdown files as from memory', () => {
  test('in every walk', () =>
    everyRow(Object.entries(CLIENT_WALKS), async ([, walk]) => {
      const [memory, markdown] = hosts as [QueryHost, QueryHost];
      expect(await walk(markdown.base)).toEqual(await walk(memory.base));
    }));
});
