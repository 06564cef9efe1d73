import { sqliteStore } from 'oauth-query/stores/sqlite';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { clearInBackground } from '../../src/stores/clearing.js';
import { clearingCases } from './engines/clearing.js';
import { dumpSql } from './engines/dump.js';
import { sqliteDrivers } from './engines/sqlite.js';

describe('clearing in the background', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('removes a batch in each interval, and another one soon if a batch was full', async () => {
    const left = [10, 10, 3, 0];
    const removeBatch = vi.fn(() => left.shift() ?? 0);
    const stop = clearInBackground(removeBatch, { clearEvery: 1_000, clearBatch: 10 });
    await vi.advanceTimersByTimeAsync(999);
    expect(removeBatch).toHaveBeenCalledTimes(0);
    await vi.advanceTimersByTimeAsync(101);
    expect(removeBatch).toHaveBeenCalledTimes(3);
    expect(removeBatch).toHaveBeenLastCalledWith(10);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(removeBatch).toHaveBeenCalledTimes(4);
    stop();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(removeBatch).toHaveBeenCalledTimes(4);
  });

  test('a failure reaches onClearError, and the next interval tries again', async () => {
    const onClearError = vi.fn();
    const removeBatch = vi.fn(() => Promise.reject(new Error('away')));
    const stop = clearInBackground(removeBatch, { clearEvery: 1_000, onClearError });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(removeBatch).toHaveBeenCalledTimes(2);
    expect(onClearError).toHaveBeenCalledWith(new Error('away'));
    stop();
  });

  test('clearEvery: false starts no timer', () => {
    clearInBackground(() => 0, { clearEvery: false });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('never removes two batches at once', async () => {
    let running = 0;
    let most = 0;
    const stop = clearInBackground(
      async (size) => {
        most = Math.max(most, (running += 1));
        await new Promise((resolve) => setTimeout(resolve, 5_000));
        running -= 1;
        return size;
      },
      { clearEvery: 100 },
    );
    await vi.advanceTimersByTimeAsync(60_000);
    stop();
    expect(most).toBe(1);
  });
});

test('its timer does not keep the process alive', () => {
  const waiting = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = waiting();
  const stop = clearInBackground(() => 0, {});
  expect(waiting()).toBe(before);
  stop();
});

for (const [name, open] of sqliteDrivers)
  describe(`SQLite over ${name}`, () =>
    clearingCases(async (clock) => {
      const database = open(':memory:');
      const store = sqliteStore({ database, clock, clearEvery: false });
      return { store, keys: async () => [...dumpSql(database).matchAll(/k:\d/g)].map(([key]) => key).sort() };
    }));
