import { inspect } from 'node:util';
import { expect } from 'vitest';

/** Whether the longest tables are checked as a whole, as `.ci/run` does: `ROWS=all npm test`. */
export const IS_WHOLE = process.env['ROWS'] === 'all';

/**
 * The rows of a long table that `npm test` checks: one in three. The last line of the run says so.
 *
 * @param first - Where it begins. Tables that try the same rows with other things begin at another place each, so that every row is checked somewhere.
 */
export const share = <T>(rows: readonly T[], first = 0): readonly T[] =>
  IS_WHOLE ? rows : rows.filter((_, index) => index % 3 === first % 3);

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
