import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');

const [, ofUsers = '', ofClients = ''] = read('conformance.md').split(/^## .*$/m);

/** The table of each variant of the plan, its number of modules, and the tests. */
const VARIANTS = [
  ['plain FAPI', ofUsers, 56, 'modules.test.ts'],
  ['client credentials', ofClients, 14, 'client-credentials.test.ts'],
] as const;

const rowsIn = (table: string) =>
  [...table.matchAll(/^\| (\w+) +\| ([^|]+?) +\|$/gm)]
    .map(([, name = '', result = '']) => ({ name, result }))
    .filter(({ name }) => name !== 'Module');

test.each(VARIANTS)('%s: the table has each module of the plan once, with a known result', (_name, table, count) => {
  const rows = rowsIn(table);
  expect(rows).toHaveLength(count);
  expect(new Set(rows.map(({ name }) => name)).size).toBe(count);
  expect(rows.filter(({ result }) => !/^(pass|page|not run: .{5,})$/.test(result))).toEqual([]);
});

test.each(VARIANTS)(
  '%s: each module that is run has a test with its name, and no other has',
  (_name, table, _count, file) => {
    const titles = [...read(file).matchAll(/^ {2}test\('([^']+)'/gm)].map(([, title = '']) => title);
    const isNamed = (name: string): boolean => titles.some((title) => title.match(/\w+/g)?.includes(name));
    expect(rowsIn(table).filter(({ name, result }) => !result.startsWith('not run') !== isNamed(name))).toEqual([]);
  },
);
