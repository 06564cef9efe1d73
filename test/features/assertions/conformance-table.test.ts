import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ROOT } from '../../docs/documents.js';

/** The tables of this kind: a letter, and how many rules. */
const TABLES = [
  ['assertions', 'A', 48],
  ['token-exchange', 'X', 25],
] as const;

test.each(TABLES)(
  'each rule of %s has a row, and each row a test with that title, or says what is missing',
  (folder, letter, count) => {
    const table = readFileSync(`${ROOT}test/features/${folder}/conformance.md`, 'utf8');
    const rows = [...table.matchAll(/^\| ([AX]\d+) +\|[^|]*\| ([^|]*?) +\| ([^|]*?) +\|$/gm)].map(
      ([, number = '', where = '', title = '']) => ({ number, where, title }),
    );
    const numbers = Array.from({ length: count }, (_, at) => `${letter}${at + 1}`);
    expect([...new Set(rows.map(({ number }) => number))]).toEqual(numbers);
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
  },
);
