import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { everyRow } from '../rows.js';

/** Where the tests are, and how the table calls what is there. */
const FOLDERS = [
  [fileURLToPath(new URL('.', import.meta.url)), ''],
  [fileURLToPath(new URL('../resource-server/', import.meta.url)), 'resource-server/'],
  [fileURLToPath(new URL('../features/dpop/', import.meta.url)), 'dpop/'],
  [fileURLToPath(new URL('../features/par/', import.meta.url)), 'par/'],
  [fileURLToPath(new URL('../features/self-registration/', import.meta.url)), 'self-registration/'],
] as const;
const table = readFileSync(fileURLToPath(new URL('conformance.md', import.meta.url)), 'utf8');

const COUNT = 117;
const ABSENT = /^not part of this version: .{20,}/;

interface Row {
  readonly number: number;
  readonly level: string;
  readonly rule: string;
  readonly tests: string;
}

const rows: readonly Row[] = [...table.matchAll(/^\| +(\d+) \| +([^|]+?) +\| +([^|]+?) +\| +([^|]+?) +\|$/gm)].map(
  ([, number = '', level = '', rule = '', tests = '']) => ({ number: Number(number), level, rule, tests }),
);

/** The files whose tests carry a number at the beginning of their title; a title may carry several. */
const filesOf = new Map<number, Set<string>>();
for (const [folder, prefix] of FOLDERS) {
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.test.ts'),
  )) {
    for (const [, numbers = ''] of readFileSync(`${folder}${file}`, 'utf8').matchAll(/['"`]((?:#\d+ )+)/g)) {
      for (const number of numbers.trim().split(' ')) {
        const key = Number(number.slice(1));
        filesOf.set(key, (filesOf.get(key) ?? new Set()).add(prefix + file));
      }
    }
  }
}

describe('test/oauth/conformance.md', () => {
  test('has every requirement once, in order', () => {
    expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: COUNT }, (_, index) => index + 1));
    expect(rows.filter(({ level }) => !['M', 'S', 'D'].includes(level))).toEqual([]);
    expect([...filesOf.keys()].filter((number) => number < 1 || number > COUNT)).toEqual([]);
  });

  test('each row names exactly the files that test it, or the reason why none does', () =>
    everyRow(rows, ({ number, tests }) => {
      const files = [...(filesOf.get(number) ?? [])].toSorted();
      if (files.length === 0) expect(tests).toMatch(ABSENT);
      else expect(tests).toBe(files.map((file) => `\`${file}\``).join(', '));
    }));
});
