import { inspect } from 'node:util';
import { expect } from 'vitest';

const shown = (row: unknown): string => inspect(row, { depth: 4, breakLength: Infinity, maxStringLength: 200 });

/**
 * One check for every row of a table, as one test: it fails with all the rows that do not pass, and with the reason of each.
 *
 * @param check - Receives a row, and throws as `expect` does.
 */
export const everyRow = async <const Row>(rows: Iterable<Row>, check: (row: Row) => unknown): Promise<void> => {
  const failures: string[] = [];
  for (const row of rows) {
    try {
      await check(row);
    } catch (error) {
      failures.push(`${shown(row)}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  expect(failures).toEqual([]);
};
