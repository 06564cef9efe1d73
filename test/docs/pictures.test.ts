import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pictures } from '../../tools/pictures.js';
import { DOCUMENTS, ROOT } from './documents.js';

const FOLDER = join(ROOT, 'docs', 'pictures');

// `npm run pictures` writes them. The browser tests compare the pictures of pages.
test('the drawings are those that the command writes', () => {
  for (const [name, svg] of pictures()) expect([name, readFileSync(join(FOLDER, name), 'utf8')]).toEqual([name, svg]);
});

test('a document shows each picture, and each is below 60 kB', () => {
  const shown = DOCUMENTS.flatMap(({ links }) => links).flatMap(
    ({ url }) => /pictures\/([\w.-]+)$/.exec(url)?.[1] ?? [],
  );
  const names = readdirSync(FOLDER);
  expect(names.toSorted()).toEqual(shown.toSorted());
  expect(names.filter((name) => statSync(join(FOLDER, name)).size > 60_000)).toEqual([]);
});
