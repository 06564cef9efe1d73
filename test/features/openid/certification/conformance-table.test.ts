import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');

const rows = [...read('conformance.md').matchAll(/^\| (oidcc-[\w-]+) +\| ([^|]+?) +\|$/gm)].map(
  ([, name = '', result = '']) => ({ name, result }),
);

const SUITES = ['basic.test.ts', 'logout.test.ts'].map(read);
const titles = SUITES.flatMap((text) => [...text.matchAll(/^ {2}test\('([^']+)'/gm)].map(([, title = '']) => title));
const tested = new Set(titles.flatMap((title) => title.match(/oidcc-[\w-]+/g) ?? []));

test('the table has each module of the plans once, with a known result', () => {
  // Basic and Form Post 38, Config 1, RP-initiated logout 11, back-channel logout 2.
  expect(rows).toHaveLength(52);
  expect(new Set(rows.map(({ name }) => name)).size).toBe(52);
  expect(rows.filter(({ result }) => !/^(pass|page|pass: .{5,}|not offered: .{5,})$/.test(result))).toEqual([]);
});

test('each module that is offered has a test with its name, no test has another name, and none is skipped', () => {
  const isOffered = ({ result }: { readonly result: string }) => !result.startsWith('not offered');
  expect(rows.filter((row) => isOffered(row) && !tested.has(row.name))).toEqual([]);
  expect([...tested].filter((name) => !rows.some((row) => row.name === name))).toEqual([]);
  expect(SUITES.filter((text) => /\.(skip|todo|only|skipIf|runIf)\b/.test(text))).toEqual([]);
});
