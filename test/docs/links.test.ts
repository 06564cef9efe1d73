import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect, test } from 'vitest';
import { everyRow } from '../rows.js';
import { type Document, DOCUMENTS, parseDocument, ROOT } from './documents.js';

const byPath = new Map(DOCUMENTS.map((document) => [document.path, document]));

/** What is wrong with a link that leads to somewhere in the repository; `undefined` for any other. */
function problemOf(document: Document, url: string): string | undefined {
  if (/^[a-z]+:/.test(url))
    return /^(?:https:|mailto:|http:\/\/127\.0\.0\.1[:/])/.test(url) ? undefined : 'is not https';
  const [path = '', anchor] = decodeURI(url).split('#');
  const target = path === '' ? document.path : posix.join(posix.dirname(document.path), path);
  if (path !== '' && (target.startsWith('..') || !existsSync(join(ROOT, target)))) {
    return `leads to ${target}, which does not exist`;
  }
  if (anchor === undefined) return undefined;
  if (path !== '' && statSync(join(ROOT, target)).isDirectory()) return 'names an anchor in a folder';
  const anchors = (path === '' ? document : byPath.get(target))?.anchors;
  if (anchors === undefined) return 'names an anchor in what is no document';
  return anchors.has(anchor) ? undefined : `names #${anchor}, which ${target} does not have`;
}

test('every link and anchor of a document exists', () =>
  everyRow(
    DOCUMENTS.map((document) => [document.path, document] as const),
    ([, document]) => {
      const problems = document.links.map(({ place, url }) => `${place}: ${url} ${problemOf(document, url) ?? ''}`);
      expect(problems.filter((line) => !line.endsWith(' '))).toEqual([]);
    },
  ));

test('a link that leads nowhere is found', () => {
  const wrong = parseDocument(
    'docs/wrong.md',
    '# A title\n\n[a](nowhere.md) [b](guard.md#nowhere) [c](#a-titel) [d](http://x.example)\n',
  );
  for (const { url } of wrong.links) expect([url, problemOf(wrong, url)]).not.toContain(undefined);
});

test('every document can be reached from docs/README.md, which README.md names', () => {
  expect(readFileSync(join(ROOT, 'README.md'), 'utf8')).toContain('](docs/README.md)');
  // People who work on it begin with CONTRIBUTING.md, which the package lacks.
  const reached = new Set(['README.md', 'docs/README.md', 'CHANGELOG.md', 'CONTRIBUTING.md']);
  for (const path of reached) {
    for (const { url } of byPath.get(path)?.links ?? []) {
      const target = posix.join(posix.dirname(path), url.split('#')[0] ?? '').replace(/\/$/, '');
      const index = `${target}/README.md`;
      if (byPath.has(target)) reached.add(target);
      else if (byPath.has(index)) reached.add(index);
    }
  }
  expect(DOCUMENTS.map(({ path }) => path).filter((path) => !reached.has(path))).toEqual([]);
});

test('every file of the repository that a document names in code exists', () => {
  const missing = DOCUMENTS.flatMap(({ path, files }) =>
    files
      .filter((file) => ![file, `test/${file}`].some((one) => existsSync(join(ROOT, one))))
      .map((file) => `${path}: ${file}`),
  );
  expect(missing).toEqual([]);
});
