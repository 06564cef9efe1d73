import { afterAll, describe, expect, test } from 'vitest';
import { type Explored, explore } from './explore.js';
import { all, type Part, titleOf, usual } from './rows.js';

/** `npm run interleavings` takes minutes. */
const IS_LONG = process.env['ORDERS'] === 'all';

/** Tests the scenarios of a part, and prints how much was tried. */
export const testPart = (part: Part): void => {
  describe(`every order of the commands of requests that meet: ${part}`, () => {
    const explored: (readonly [string, Explored])[] = [];
    afterAll(() => {
      const lines = explored.map(
        ([title, { orders, runs, cut, states }]) =>
          `${title}: ${orders} orders, ${runs} runs, ${cut} cut, ${states} states`,
      );
      console.log(lines.join('\n'));
    });

    test.each((IS_LONG ? all : usual)(part).map((row) => [titleOf(row), row] as const))(
      '%s',
      async (title, [of, faults]) => {
        const result = await explore(of, faults);
        explored.push([title, result]);
        expect(result.broken).toEqual([]);
        expect(result.orders).toBeGreaterThan(0);
      },
    );
  });
};
