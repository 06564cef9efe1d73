import { postgresStore, type PostgresStore } from 'oauth-query/stores/postgres';
import { sqliteStore, type SqliteStore } from 'oauth-query/stores/sqlite';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { clearInBackground } from '../../src/stores/clearing.js';
import { dumpSql } from './engines/dump.js';
import { emptyPGlite } from './engines/pglite.js';
import { sqliteDrivers } from './engines/sqlite.js';

const MINUTE = 60_000;

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

/** Both SQL stores clear by the same rule. */
interface Cleared {
  readonly store: SqliteStore | PostgresStore;
  keys(): Promise<string[]>;
}

const engines: Record<string, (clock: () => number) => Promise<Cleared>> = {
  async PGlite(clock) {
    const database = await emptyPGlite();
    const store = postgresStore({ query: (text, values) => database.query(text, values), clock, clearEvery: false });
    await store.migrate();
    return {
      store,
      keys: async () => keysOf((await database.query('SELECT key FROM oauth_records ORDER BY key')).rows),
    };
  },
};
for (const [name, open] of sqliteDrivers) {
  engines[`SQLite over ${name}`] = async (clock) => {
    const database = open(':memory:');
    const store = sqliteStore({ database, clock, clearEvery: false });
    return { store, keys: async () => [...dumpSql(database).matchAll(/k:\d/g)].map(([key]) => key).sort() };
  };
}

const keysOf = (rows: unknown[]): string[] => rows.map((row) => String(Object(row).key));

describe.each(Object.entries(engines))('%s', (_name, open) => {
  test('only removes records that expired two minutes ago, at most a batch, the earliest first', async () => {
    let now = 1_000_000;
    const { store, keys } = await open(() => now);
    for (const index of [1, 2, 3, 4, 5]) await store.add(`k:${index}`, {}, now + index * MINUTE);
    now += 3 * MINUTE;
    expect(await store.clearExpired(10)).toBe(1);
    expect(await keys()).toEqual(['k:2', 'k:3', 'k:4', 'k:5']);
    now += 2 * MINUTE;
    expect(await store.clearExpired(1)).toBe(1);
    expect(await keys()).toEqual(['k:3', 'k:4', 'k:5']);
    expect(await store.clearExpired(10)).toBe(1);
    expect(await store.clearExpired(10)).toBe(0);
    expect(await keys()).toEqual(['k:4', 'k:5']);
  });

  test('removes entries of groups by the same rule', async () => {
    let now = 1_000_000;
    const { store } = await open(() => now);
    for (const index of [1, 2, 3]) await store.add(`k:${index}`, {}, now + index * MINUTE, ['g', 'h']);
    await store.delete('k:1');
    const [start, keys] = [now, async () => ((now = start), (await store.list('g', { limit: 10 })).keys)];
    now = start + 3 * MINUTE - 1;
    expect(await store.clearExpired(10)).toBe(0);
    now = start + 3 * MINUTE;
    expect(await store.clearExpired(1)).toBe(1);
    now = start + 3 * MINUTE;
    expect(await store.clearExpired(10)).toBe(1);
    expect(await keys(), 'for a clock that is behind').toEqual(['k:2', 'k:3']);
    now = start + 4 * MINUTE;
    expect(await store.clearExpired(10)).toBe(3);
    expect(await keys()).toEqual(['k:3']);
  });
});
