import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from './documents.js';

const rowsOf = (path: string): readonly string[] =>
  readFileSync(join(ROOT, 'test/oauth', path), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('|'));

/** The rows of the conformance table that name a test. */
const tested = new Set(
  rowsOf('conformance.md').flatMap((row) =>
    row.includes('.test.ts') ? (/^\| +(\d+) \|/.exec(row)?.slice(1) ?? []) : [],
  ),
);

test('every rule of RFC 9700, RFC 10017 and RFC 10027 leads to rows of the conformance table that have tests', () => {
  const rules = rowsOf('security-rules.md').filter((row) => /\d+ *\|$/.test(row));
  expect(rules.length).toBeGreaterThan(30);
  const numbers = rules.flatMap((row) => [...(row.split('|').at(-2) ?? '').matchAll(/\d+/g)].map(([number]) => number));
  expect(numbers.filter((number) => !tested.has(number))).toEqual([]);
});
