import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect, test } from 'vitest';
import { llmsOfPackage } from '../../tools/site/llms.js';
import { chaptersOf, pagesOf } from '../../tools/site/pages.js';
import { everyRow } from '../rows.js';
import { DOCUMENTS, ROOT } from './documents.js';

const byPath = new Map(DOCUMENTS.map((document) => [document.path, document]));
const chapters = chaptersOf(pagesOf());

/** What a reader reaches from README.md with so many clicks: pages, and sections of them. */
const reachedWith = (clicks: number): ReadonlySet<string> => {
  const reached = new Set(['README.md']);
  let last = [...reached];
  for (let click = 0; click < clicks; click++) {
    const targets = last.flatMap((place) => {
      const page = place.split('#')[0] ?? '';
      return (byPath.get(page)?.links ?? [])
        .filter(({ url }) => !/^[a-z]+:/.test(url))
        .map(({ url }) => {
          const [path = '', anchor] = url.split('#');
          const target = path === '' ? page : posix.join(posix.dirname(page), path);
          return anchor === undefined ? target : `${target}#${anchor}`;
        });
    });
    last = targets.filter((target) => !reached.has(target));
    for (const target of last) reached.add(target);
  }
  return reached;
};

/** A task, the section that solves it, and words that stand there. A section is reached with its page: a page lists its sections. */
const TASKS = [
  ['add a grant', 'docs/features.md', 'grant'],
  ['why a token was refused', 'docs/troubleshooting.md#a-guarded-route-answers-401-403-or-503', '401'],
  ['rotate the secret', 'docs/operations.md', '## Rotate'],
  ['back up', 'docs/operations.md#backup-and-restore', 'Backup'],
  ['add a claim', 'docs/features.md#claims-in-access-tokens', 'claims'],
  ['add a client without a restart', 'docs/clients.md#add-a-client-without-a-restart', 'restart'],
  ['sign a user out everywhere', 'docs/users-and-administrators.md#log-out-everywhere', 'signOut'],
  ['run behind a proxy', 'docs/deployment.md#behind-a-proxy', 'trust'],
  ['check a token of a WebSocket', 'docs/guard.md#check-a-token-without-middleware', 'check'],
  ['upgrade from 0.3', 'docs/operations.md#from-03-to-04', '0.4'],
] as const;

test('ten tasks: the page of each is at most three clicks from README.md, and has its section', () => {
  const reached = reachedWith(3);
  return everyRow(TASKS, ([, target, words]) => {
    const [page = '', anchor] = target.split('#');
    expect(reached).toContain(page);
    if (anchor !== undefined) expect(byPath.get(page)?.anchors).toContain(anchor);
    expect(readFileSync(join(ROOT, page), 'utf8')).toContain(words);
  });
});

test('the section of each error code is two clicks from README.md', () => {
  const reached = reachedWith(2);
  const codes = [...(byPath.get('docs/troubleshooting.md')?.anchors ?? [])].filter((anchor) =>
    /^oq\d{3}$/.test(anchor),
  );
  expect(codes.length).toBeGreaterThan(40);
  expect(codes.filter((code) => !reached.has(`docs/troubleshooting.md#${code}`))).toEqual([]);
});

test('README.md has the chapters of docs/README.md and of the site, each with some of its pages', () => {
  const [, section = ''] = readFileSync(join(ROOT, 'README.md'), 'utf8').split('\n## Documentation\n');
  const listed = [...section.matchAll(/^- \*\*(.+?)\*\*: (.*)$/gm)].map(([, title, links = '']) => ({
    title,
    pages: [...links.matchAll(/\]\(docs\/([^)]+)\)/g)].map(([, path = '']) => path),
  }));
  expect(listed.map(({ title }) => title)).toEqual(
    chapters.map(({ title }) => title).filter((title) => title !== 'Project'),
  );
  for (const { title, pages } of listed) {
    const known = chapters.find((chapter) => chapter.title === title)?.pages.map(({ path }) => path);
    expect(pages.length).toBeGreaterThan(1);
    expect(known).toEqual(expect.arrayContaining(pages));
  }
});

test('llms.txt of the package leads to every guide, as a file of the package', () => {
  const paths = [...llmsOfPackage(chapters, 'A server.').matchAll(/\]\(([^)]+)\)/g)].map(([, path = '']) => path);
  expect(paths.length).toBe(chapters.flatMap(({ pages }) => pages).length);
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});
