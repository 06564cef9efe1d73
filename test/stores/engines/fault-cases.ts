import { expect, test, vi } from 'vitest';
import type { Store } from '../../../src/core/base/ports.js';
import type { Daemon } from './daemon.js';

/** What the stores under these tests wait for an answer. */
export const TIMEOUT_MS = 250;
/** Longer than any call may take: its timeout and a busy machine. */
const BOUND_MS = 4_000;
const LATER = () => Date.now() + 3_600_000;

let count = 0;
/** A key that no other test uses. */
export const freshKey = (): string => `fault:${(count += 1)}`;

/** Each verb rejects, and none of them hangs. */
export async function expectRefusal(store: Store): Promise<void> {
  const key = freshKey();
  for (const call of [() => store.add(key, {}, LATER()), () => store.get(key), () => store.delete(key)]) {
    const start = performance.now();
    await expect(call()).rejects.toBeInstanceOf(Error);
    expect(performance.now() - start).toBeLessThan(BOUND_MS);
  }
}

/** The store works again by itself; a reconnecting client gets some time for it. */
export async function expectRecovery(store: Store): Promise<void> {
  // A standby that is being promoted already answers reads.
  await vi.waitFor(() => store.add(freshKey(), {}, LATER()), { timeout: 10_000, interval: 20 });
  const key = freshKey();
  expect(await store.add(key, { is: 'back' }, LATER())).toBe(true);
  expect(await store.get(key)).toEqual({ is: 'back' });
}

/** What every store in front of a server does when that server is in trouble. */
export function testServerFaults(server: () => Daemon, store: () => Store): void {
  test('stopped: every call rejects in time; started again: it works without intervention', async () => {
    await server().kill();
    await expectRefusal(store());
    await server().start();
    await expectRecovery(store());
  });

  test('paused: every call rejects in time; resumed: it works without intervention', async () => {
    server().pause();
    try {
      await expectRefusal(store());
      await expect(store().get(freshKey())).rejects.toMatchObject({
        // Of the store, or of the driver that connects again.
        code: expect.stringMatching(/TIMEOUT|TIMEDOUT/),
      });
    } finally {
      server().resume();
    }
    await expectRecovery(store());
  });

  test('killed under load: every call gets a result, and no add succeeds twice', async () => {
    const keys = Array.from({ length: 100 }, freshKey);
    const expiresAt = LATER();
    const race = (): Promise<PromiseSettledResult<boolean>[]>[] =>
      keys.map((key) => Promise.allSettled([1, 2, 3, 4].map((caller) => store().add(key, { caller }, expiresAt))));
    const first = race();
    const killed = server().kill();
    const results = await Promise.all(first);
    await killed;
    await server().start();
    for (const answers of results) {
      const wins = answers.filter((answer) => answer.status === 'fulfilled' && answer.value);
      expect(wins.length).toBeLessThanOrEqual(1);
    }
    await expectRecovery(store());
  });
}
