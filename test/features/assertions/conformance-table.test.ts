import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ROOT } from '../../docs/documents.js';

const table = readFileSync(`${ROOT}test/features/assertions/conformance.md`, 'utf8');
const rows = [...table.matchAll(/^\| (A\d+) +\|[^|]*\| ([^|]*?) +\| ([^|]*?) +\|$/gm)].map(
  ([, number = '', where = '', title = '']) => ({ number, where, title }),
);

test('each rule has a row, and each row a test with that title, or says what is missing', () => {
  expect([...new Set(rows.map(({ number }) => number))]).toEqual(Array.from({ length: 48 }, (_, at) => `A${at + 1}`));
  for (const { number, where, title } of rows) {
    const [, file] = /^`([^`]+)`$/.exec(where) ?? [];
    if (file === undefined) {
      expect(where).toMatch(/^not /);
      continue;
    }
    const titles = readFileSync(`${ROOT}test/${file}`, 'utf8').matchAll(
      /(?:test|describe)(?:\.each\([^]*?\))?\(\s*(['"`])(.*?)\1,/g,
    );
    expect([number, [...titles].some(([, , one = '']) => one.includes(title))]).toEqual([number, true]);
  }
});
