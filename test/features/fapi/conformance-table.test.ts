import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');

const rows = [...read('conformance.md').matchAll(/^\| (\w+) +\| ([^|]+?) +\|$/gm)]
  .map(([, name = '', result = '']) => ({ name, result }))
  .filter(({ name }) => name !== 'Module');

const titles = [...read('modules.test.ts').matchAll(/^ {2}test\('([^']+)'/gm)].map(([, title = '']) => title);

const isNamed = (name: string): boolean => titles.some((title) => title.match(/\w+/g)?.includes(name));

test('the table has each module of the plan once, with a known result', () => {
  expect(rows).toHaveLength(56);
  expect(new Set(rows.map(({ name }) => name)).size).toBe(56);
  expect(rows.filter(({ result }) => !/^(pass|page|not run: .{5,})$/.test(result))).toEqual([]);
});

test('each module that is run has a test with its name, and no other has', () => {
  const isRun = ({ result }: { readonly result: string }) => !result.startsWith('not run');
  expect(rows.filter((row) => isRun(row) !== isNamed(row.name))).toEqual([]);
});
