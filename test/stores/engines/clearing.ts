import type { PostgresStore } from 'oauth-query/stores/postgres';
import type { SqliteStore } from 'oauth-query/stores/sqlite';
import { expect, test } from 'vitest';

const MINUTE = 60_000;

/** Both SQL stores clear by the same rule. */
interface Cleared {
  readonly store: SqliteStore | PostgresStore;
  keys(): Promise<string[]>;
}

/** @param open - Opens a store without records. */
export function clearingCases(open: (clock: () => number) => Promise<Cleared>): void {
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
}
