import { inspect } from 'node:util';
import { expect } from 'vitest';

const shown = (row: unknown): string => inspect(row, { depth: 4, breakLength: Infinity, maxStringLength: 200 });

/**
 * One check for every row of a table, as one test: it fails with all the rows that do not pass, and with the reason of each.
 * With the variable ROW in the environment, only rows that contain its value are checked.
 *
 * @param check - Receives a row, and throws as `expect` does.
 */
export const everyRow = async <const Row>(rows: Iterable<Row>, check: (row: Row) => unknown): Promise<void> => {
  const named = process.env['ROW'];
  const all = [...rows];
  const chosen = named === undefined ? all : all.filter((row) => shown(row).includes(named));
  if (chosen.length === 0 && all.length > 0)
    throw new Error(`No row of this table contains ${named}. Its rows:\n${all.map(shown).join('\n')}`);
  const failures: string[] = [];
  for (const row of chosen) {
    try {
      await check(row);
    } catch (error) {
      failures.push(`${shown(row)}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  expect(failures).toEqual([]);
};
