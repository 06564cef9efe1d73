import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const document = readFileSync(fileURLToPath(new URL('README.md', import.meta.url)), 'utf8');

interface Row {
  readonly id: string;
  readonly keptBy: string;
}

const rows: readonly Row[] = [...document.matchAll(/^\| `([a-z]+-\d+)` .*\| ([^|]+?) +\|$/gm)].map(
  ([, id = '', keptBy = '']) => ({ id, keptBy }),
);

/** How often a title, or a row of a table of tests, begins with each id. */
const tested = new Map<string, number>();
for (const file of readdirSync(FOLDER).filter((name) => name.endsWith('.test.ts'))) {
  for (const [, id = ''] of readFileSync(FOLDER + file, 'utf8').matchAll(/['"`]([a-z]+-\d+)(?=['":])/g)) {
    tested.set(id, (tested.get(id) ?? 0) + 1);
  }
}

describe('test/query/conformance/README.md', () => {
  test('test titles cite it: none contains a bare section number', () => {
    const folder = fileURLToPath(new URL('..', import.meta.url));
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    expect(files.filter((name) => /['"`]\u00a7\d/.test(readFileSync(folder + name, 'utf8')))).toEqual([]);
    expect(files.length).toBeGreaterThan(20);
  });

  test('numbers the rows of each module from 1 on', () => {
    const last = new Map<string, number>();
    for (const { id } of rows) {
      const [name = '', number] = id.split('-');
      expect([id, Number(number)]).toEqual([id, (last.get(name) ?? 0) + 1]);
      last.set(name, Number(number));
    }
    expect(rows.length).toBeGreaterThan(400);
  });

  test('has a row for each test', () => {
    const known = new Set(rows.map(({ id }) => id));
    expect([...tested.keys()].filter((id) => !known.has(id))).toEqual([]);
  });

  test('has one test for each row, or names who is responsible and why', () => {
    const wrong = rows.filter(({ id, keptBy }) => {
      const count = tested.get(id) ?? 0;
      return count === 0
        ? !/^(?:handler|skipped): .{10,}$/.test(keptBy)
        : count > 1 || !/^(?:here|handler)$/.test(keptBy);
    });
    expect(wrong).toEqual([]);
  });

  for (const { id, keptBy } of rows.filter((row) => row.keptBy.startsWith('skipped'))) {
    test.skip(`${id}: ${keptBy}`, () => undefined);
  }
});
