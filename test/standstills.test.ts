import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { Standstills } from '../src/core/base/standstill.js';

test('a standstill is noticed before the timer runs, excuses once in ten minutes, and nothing beats for a server that is garbage', async () => {
  let now = 0;
  const due: (() => void)[] = [];
  const begin = (): Standstills =>
    new Standstills(
      (run) => {
        due.push(run);
        return () => undefined;
      },
      () => now,
    );
  const pass = (milliseconds: number): void => {
    now += milliseconds;
    due.splice(0).forEach((run) => run());
  };
  const servers = [begin()];
  const excuses = (thing: string, server = servers[0]): boolean | undefined => server?.excuses(thing, 1_000);
  pass(4_900);
  expect(excuses('a'), 'it was busy').toBe(false);
  now += 5_000;
  expect(excuses('a'), 'before the timer').toBe(true);
  servers.push(begin());
  expect(excuses('z', servers[1]), 'a server that began afterwards').toBe(false);
  pass(900);
  expect([excuses('a'), excuses('b')]).toEqual([true, true]);
  pass(100);
  expect(excuses('a'), 'later').toBe(false);

  pass(60_000);
  expect([excuses('a'), excuses('c')], 'again').toEqual([false, true]);
  pass(600_000);
  expect(excuses('a'), 'after ten minutes').toBe(true);

  servers.splice(0);
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  await expect
    .poll(() => {
      collect();
      pass(1_000);
      return due.length;
    })
    .toBe(0);
});
