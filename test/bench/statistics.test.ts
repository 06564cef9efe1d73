import { describe, expect, test } from 'vitest';
import { median, ratios, summary, withCommonShare } from '../../bench/statistics.js';

describe('the statistics of the benchmarks', () => {
  test('the median is the middle value in any order; for an even number, the mean of two', () => {
    expect([median([3, 1, 2]), median([4, 1, 3, 2]), median([7])]).toEqual([2, 2.5, 7]);
  });

  test('without measurements the result is NaN, never zero', () => {
    expect(summary([])).toEqual({ median: Number.NaN, low: Number.NaN, high: Number.NaN });
  });

  test('ratios are computed within rounds; rounds that one side lacks are omitted', () => {
    expect(ratios([10, undefined, 30], [5, 5, 10])).toEqual([2, 3]);
    expect(ratios([10, 20, 30], [5])).toEqual([2]);
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
