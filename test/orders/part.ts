import { afterAll, describe, expect, test } from 'vitest';
import { rowsOf, seenSteps } from './drawn.js';
import { type Explored, explore } from './explore.js';
import { all, type Part, type Row, titleOf, usual, whyCut } from './rows.js';

/** `npm run interleavings` takes minutes. */
const IS_LONG = process.env['ORDERS'] === 'all';

const because = (row: Row): string =>
  [
    ...(whyCut(row) === undefined ? [] : [`no other faults: ${whyCut(row)}`]),
    ...(row[0].except ?? [])
      .filter(([faults]) => faults.some((fault) => row[1].includes(fault)))
      .map(([faults, promise, why]) => `not after ${faults.join(', ')}: ${promise.source}, because ${why}`),
  ]
    .map((text) => `; ${text}`)
    .join('');

/** Tests the scenarios of a part, and prints how much was tried. */
export const testPart = (part: Part): void => {
  describe(`every order of the commands of requests that meet: ${part}`, () => {
    const explored: (readonly [Row, Explored])[] = [];
    afterAll(() => {
      const lines = explored.map(
        ([row, { orders, runs, cut, states }]) =>
          `${titleOf(row)}: ${orders} orders, ${runs} runs, ${cut} cut, ${states.size} states${because(row)}`,
      );
      console.log(lines.join('\n'));
    });

    test.each((IS_LONG ? all : usual)(part).map((row) => [titleOf(row), row] as const))('%s', async (_, row) => {
      const [of, faults] = row;
      const result = await explore(of, { faults });
      explored.push([row, result]);
      expect(result.broken).toEqual([]);
      expect(result.orders).toBeGreaterThan(0);
      const drawn = rowsOf('test/orders/steps.md', 'The steps of a grant', 2);
      expect(seenSteps(result.arrows).filter((step) => !drawn.includes(step))).toEqual([]);
    });
  });
};
