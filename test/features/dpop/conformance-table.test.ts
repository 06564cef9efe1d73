import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ROOT } from '../../docs/documents.js';

const table = readFileSync(`${ROOT}test/features/dpop/conformance.md`, 'utf8');
const rows = [...table.matchAll(/^\| ((?:DP|PA|SU)\d+) +\|[^|]*\| ([^|]*?) +\|$/gm)].map(
  ([, number = '', where = '']) => ({ number, where }),
);

test('each rule has a row, and each row a test that names it, or says what is missing', () => {
  const expected = [
    ...Array.from({ length: 45 }, (_, at) => `DP${at + 1}`),
    ...Array.from({ length: 13 }, (_, at) => `PA${at + 1}`),
    ...Array.from({ length: 7 }, (_, at) => `SU${at + 1}`),
  ];
  expect(rows.map(({ number }) => number)).toEqual(expected);
  const files = ['dpop', 'par', 'step-up'].flatMap((folder) =>
    readdirSync(`${ROOT}test/features/${folder}`).map((name) => `${folder}/${name}`),
  );
  for (const { number, where } of rows) {
    const [, file] = /^`([^`]+)`$/.exec(where) ?? [];
    if (file === undefined) {
      expect(where).toMatch(/^not /);
      continue;
    }
    expect(files).toContain(file);
    const titles = [
      ...readFileSync(`${ROOT}test/features/${file}`, 'utf8').matchAll(
        /(?:test|describe)(?:\.each\([^]*?\))?\(\s*['"`](.*)['"`]/g,
      ),
    ];
    expect([number, titles.some(([, title = '']) => new RegExp(`\\b${number}\\b`).test(title))]).toEqual([
      number,
      true,
    ]);
  }
});
