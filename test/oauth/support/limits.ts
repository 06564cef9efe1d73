import { afterAll, beforeAll, onTestFinished } from 'vitest';
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

/** Other limits until the end of this test. Servers that it starts afterwards have them. */
export const limitsOfTest = (values: Partial<typeof LIMITS>): void => constantsOfTest(LIMITS, values);

/** Other limits for all tests of this file or `describe`. */
export const limitsOfSuite = (values: Partial<typeof LIMITS>): void => constantsOfSuite(LIMITS, values);
