import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemTimer } from '../src/core/base/system.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('what waits equally long shares a timer, and each is called at its own time, or not when it was stopped', async () => {
  const called: string[] = [];
  const wait = (name: string) => systemTimer(() => called.push(name), 70);
  wait('first');
  await vi.advanceTimersByTimeAsync(30);
  const stop = wait('stopped');
  wait('second');
  stop();
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(39);
  expect(called).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(called).toEqual(['first']);
  await vi.advanceTimersByTimeAsync(30);
  expect(called).toEqual(['first', 'second']);
  await vi.advanceTimersByTimeAsync(1000);
  expect(vi.getTimerCount()).toBe(0);
  wait('after a pause');
  await vi.advanceTimersByTimeAsync(70);
  expect(called).toEqual(['first', 'second', 'after a pause']);
});
