import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { DEVICE_LIMITS } from '../../../src/core/oauth/device/devices.js';
import { LIMITS } from '../../../src/core/oauth/facts/limits.js';

const change = <T extends object>(constants: T, values: Partial<T>): (() => void) => {
  const before = { ...constants };
  Object.assign(constants, values);
  return () => void Object.assign(constants, before);
};

/** Other constants until the end of this test. */
export const constantsOfTest = <T extends object>(constants: T, values: Partial<T>): void =>
  onTestFinished(change(constants, values));

/** Other constants for all tests of this file or `describe`. */
export const constantsOfSuite = <T extends object>(constants: T, values: Partial<T>): void => {
  let restore: (() => void) | undefined;
  beforeAll(() => {
    restore = change(constants, values);
  });
  afterAll(() => restore?.());
};

type Limits = Partial<typeof LIMITS & typeof DEVICE_LIMITS>;

/** Those that a table has. */
const limitsIn = <T extends object>(table: T, values: Limits): Partial<T> =>
  Object.fromEntries(Object.entries(values).filter(([name]) => name in table)) as Partial<T>; // Of its names only.

/** Other limits until the end of this test. Servers that it starts afterwards have them. */
export const limitsOfTest = (values: Limits): void => {
  constantsOfTest(LIMITS, limitsIn(LIMITS, values));
  constantsOfTest(DEVICE_LIMITS, limitsIn(DEVICE_LIMITS, values));
};

/** Other limits for all tests of this file or `describe`. */
export const limitsOfSuite = (values: Limits): void => {
  constantsOfSuite(LIMITS, limitsIn(LIMITS, values));
  constantsOfSuite(DEVICE_LIMITS, limitsIn(DEVICE_LIMITS, values));
};
