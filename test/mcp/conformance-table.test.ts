import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { everyRow } from '../rows.js';

const TESTS = fileURLToPath(new URL('../', import.meta.url));
const table = readFileSync(fileURLToPath(new URL('conformance.md', import.meta.url)), 'utf8');

const COUNT = 47;

const rows = [...table.matchAll(/^\| +M(\d+) +\| +([^|]+?) +\| +([^|]+?) +\| +[^|]+? +\| +([^|]*?) +\|$/gm)].map(
  ([, number = '', level = '', rule = '', tests = '']) => ({ number: Number(number), level, rule, tests }),
);

/** The files whose tests have a number at the beginning of their title, alone or with others. */
const filesOf = new Map<number, Set<string>>();
for (const file of readdirSync(TESTS, { recursive: true, encoding: 'utf8' })) {
  if (!file.endsWith('.test.ts')) continue;
  const text = readFileSync(`${TESTS}${file}`, 'utf8');
  for (const [, numbers = ''] of text.matchAll(/['"`]((?:(?:#\d+|M\d+)[,:]? )+)/g)) {
    for (const [, number] of numbers.matchAll(/M(\d+)/g))
      filesOf.set(Number(number), (filesOf.get(Number(number)) ?? new Set()).add(file.replaceAll('\\', '/')));
  }
}

describe('test/mcp/conformance.md', () => {
  test('has every requirement once, in order', () => {
    expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: COUNT }, (_, index) => index + 1));
    expect(rows.filter(({ level }) => !['M', 'S', 'D'].includes(level))).toEqual([]);
    expect([...filesOf.keys()].filter((number) => number < 1 || number > COUNT)).toEqual([]);
  });

  test('each row names exactly the files that test it', () =>
    everyRow(rows, ({ number, tests }) => {
      expect(tests).not.toBe('');
      expect(tests).toBe(
        [...(filesOf.get(number) ?? [])]
          .toSorted()
          .map((file) => `\`${file}\``)
          .join(', '),
      );
    }));
});
