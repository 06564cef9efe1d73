import { stat } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { within } from '../../src/stores/within.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

test('a result in time is returned, and no timer remains', async () => {
  expect(await within(100, 'It', () => Promise.resolve(5))).toBe(5);
  await expect(within(100, 'It', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(vi.getTimerCount()).toBe(0);
});

test('without a result, it rejects exactly at the timeout', async () => {
  const late = within(100, 'It', () => new Promise(() => undefined)).catch((error: unknown) => error);
  let error: unknown;
  void late.then((value) => (error = value));
  await vi.advanceTimersByTimeAsync(99);
  expect(error).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  await late;
  expect(error).toMatchObject({ code: 'STORE_TIMEOUT', message: 'It did not answer within 100 ms' });
});

test('a late result, even a rejection, has no effect', async () => {
  const late = within(100, 'It', () => new Promise((_resolve, reject) => setTimeout(reject, 200, new Error('late'))));
  const outcome = expect(late).rejects.toMatchObject({ code: 'STORE_TIMEOUT' });
  await vi.advanceTimersByTimeAsync(300);
  await outcome;
});

test('a result that was there in time, but read late by a busy process, is returned', async () => {
  vi.useRealTimers();
  const answer = within(20, 'It', () => stat('/'));
  const busyUntil = performance.now() + 200;
  while (performance.now() < busyUntil); // Meanwhile the system has answered, and the timer is due.
  expect((await answer).isDirectory()).toBe(true);
});
