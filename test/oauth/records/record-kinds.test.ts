import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { groups } from '../../../src/core/oauth/records/stored-records.js';
import { KINDS } from '../../../src/core/server/capabilities.js';

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

/** Every kind in front of a key that is built in these folders, such as `grant:{…}`; groups have names of the same form. */
const kindsIn = (...folders: readonly string[]): readonly string[] => {
  const inGroups = Object.values(groups).map((name) => name('').split(':')[0]);
  const files = folders.flatMap((folder) =>
    readdirSync(new URL(`../../../${folder}`, import.meta.url), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => join(folder, file)),
  );
  const found = files.flatMap((file) => [...read(file).matchAll(/`([a-z][a-z-]*):\{?\$\{/g)].map(([, kind]) => kind));
  return [...new Set(found)].filter((kind) => kind !== undefined && !inGroups.includes(kind)).map(String);
};

test('measurements.md lists every kind of record, and so does the table that states what each does; there are at most 17', () => {
  const [, section = ''] = read('bench/measurements.md').split('The kinds of records');
  const [table = ''] = section.trimStart().split('\n\n').slice(1);
  const listed = [...table.matchAll(/^\| `([a-z-]+)` /gm)].map(([, kind]) => kind);
  const kinds = kindsIn('src/core/oauth', 'src/core/base', 'src/clients');
  expect(new Set(listed)).toEqual(new Set(kinds));
  expect(new Set([...Object.keys(KINDS), 'client', 'client-document'])).toEqual(new Set(kinds));
  expect(kinds.length).toBeLessThanOrEqual(17);
});
