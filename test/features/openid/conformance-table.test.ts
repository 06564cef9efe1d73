import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = new URL('../../../', import.meta.url).pathname;

const rows = [
  ...readFileSync(join(ROOT, 'test/features/openid/conformance.md'), 'utf8').matchAll(
    /^\| +O(\d+) +\|.*\| +(.+?) +\|$/gm,
  ),
].map(([, number, state = '']) => ({ number: Number(number), state }));

/** The numbers in the titles of tests. */
const tested = new Set(
  ['test/features/openid', 'test/oauth', 'test/cli'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts'))
      .flatMap(
        (name) =>
          readFileSync(join(ROOT, folder, name), 'utf8').match(/(?<=test\(\s*['`])(?:O\d+, )*O\d+(?=:| |\))[^'`]*/g) ??
          [],
      )
      .flatMap((title) => [...title.matchAll(/\bO(\d+)\b/g)].map(([, number]) => Number(number))),
  ),
);

test('O90: the table has each rule once, and each rule that it calls tested has a test', () => {
  expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: 93 }, (_, at) => at + 1));
  const untested = rows.filter(({ number, state }) => state.startsWith('tested') && !tested.has(number));
  expect(untested).toEqual([]);
  const unmarked = rows.filter(({ state }) => !/^(tested|not there)/.test(state));
  expect(unmarked).toEqual([]);
});
