import { stat } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { within } from '../../src/stores/within.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

test('an answer in time is the answer, and no timer stays behind', async () => {
  expect(await within(100, 'It', () => Promise.resolve(5))).toBe(5);
  await expect(within(100, 'It', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(vi.getTimerCount()).toBe(0);
});

test('no answer in time is a rejection at that very time', async () => {
  const late = within(100, 'It', () => new Promise(() => undefined)).catch((error: unknown) => error);
  let error: unknown;
  void late.then((value) => (error = value));
  await vi.advanceTimersByTimeAsync(99);
  expect(error).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  await late;
  expect(error).toMatchObject({ code: 'STORE_TIMEOUT', message: 'It did not answer within 100 ms' });
});

test('an answer that comes too late, even a rejection, disturbs nobody', async () => {
  const late = within(100, 'It', () => new Promise((_resolve, reject) => setTimeout(reject, 200, new Error('late'))));
  const outcome = expect(late).rejects.toMatchObject({ code: 'STORE_TIMEOUT' });
  await vi.advanceTimersByTimeAsync(300);
  await outcome;
});

test('an answer that was there in time, but that a busy process had no time to read, is the answer', async () => {
  vi.useRealTimers();
  const answer = within(20, 'It', () => stat('/'));
  const busyUntil = performance.now() + 200;
  while (performance.now() < busyUntil); // Meanwhile the system has answered, and the timer is due.
  expect((await answer).isDirectory()).toBe(true);
});
