import { afterEach, expect, test, vi } from 'vitest';
import { systemTimer } from '../src/core/base/system.js';

afterEach(() => void vi.useRealTimers());

test('a call is made at its time, and not when it was stopped', async () => {
  vi.useFakeTimers();
  const called: string[] = [];
  systemTimer(() => called.push('first'), 70);
  systemTimer(() => called.push('stopped'), 70)();
  await vi.advanceTimersByTimeAsync(69);
  expect(called).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(called).toEqual(['first']);
});

test('a waiting call does not keep the process running', () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  const stop = systemTimer(() => undefined, 60_000);
  expect(timers()).toBe(before);
  stop();
});
