import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { median, quantile, ratios, summary, withCommonShare } from '../../bench/statistics.js';

const numbers = fc.array(fc.double({ noNaN: true, min: -1e6, max: 1e6 }), { minLength: 1 });

describe('the statistics of the benchmarks', () => {
  test('the median is the middle value in any order; for an even number, the mean of two', () => {
    expect([median([3, 1, 2]), median([4, 1, 3, 2]), median([7])]).toEqual([2, 2.5, 7]);
  });

  test('one disturbed round does not change the median', () => {
    expect(median([10, 10, 11, 10, 900])).toBe(10);
  });

  test('quartiles are interpolated between values', () => {
    expect(summary([1, 2, 3, 4, 5])).toEqual({ median: 3, low: 2, high: 4 });
    expect(quantile([0, 10], 0.25)).toBe(2.5);
  });

  test('without measurements the result is NaN, never zero', () => {
    expect(summary([])).toEqual({ median: Number.NaN, low: Number.NaN, high: Number.NaN });
  });

  test('low ≤ median ≤ high, all within the values', () => {
    fc.assert(
      fc.property(numbers, (values) => {
        const { low, median: middle, high } = summary(values);
        expect(low).toBeLessThanOrEqual(middle);
        expect(middle).toBeLessThanOrEqual(high);
        expect(low).toBeGreaterThanOrEqual(Math.min(...values));
        expect(high).toBeLessThanOrEqual(Math.max(...values));
      }),
    );
  });

  test('ratios are computed within rounds; rounds that one side lacks are omitted', () => {
    expect(ratios([10, undefined, 30], [5, 5, 10])).toEqual([2, 3]);
    expect(ratios([10, 20, 30], [5])).toEqual([2]);
  });

  test('a slowdown of both sides of a round does not change the ratio', () => {
    expect(median(ratios([10, 100, 10], [5, 50, 5]))).toBe(2);
  });

  test('the share of user mode is that of all rounds; the sum of a round stays', () => {
    const rounds = [
      { user: 10, system: 0, load: 1 },
      { user: 20, system: 10, load: 2 },
    ];
    expect(withCommonShare(rounds)).toEqual([
      { user: 7.5, system: 2.5, load: 1 },
      { user: 22.5, system: 7.5, load: 2 },
    ]);
    expect(withCommonShare([])).toEqual([]);
  });
});
