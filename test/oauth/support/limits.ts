import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { LIMITS } from '../../../src/core/oauth/limits.js';

type Limits = Partial<typeof LIMITS>;

const change = (values: Limits): (() => void) => {
  const before = { ...LIMITS };
  Object.assign(LIMITS, values);
  return () => void Object.assign(LIMITS, before);
};

/** Other limits until the end of this test. Servers that it starts afterwards have them. */
export const limitsOfTest = (values: Limits): void => onTestFinished(change(values));

/** Other limits for all tests of this file or `describe`. */
export const limitsOfSuite = (values: Limits): void => {
  let restore: (() => void) | undefined;
  beforeAll(() => {
    restore = change(values);
  });
  afterAll(() => restore?.());
};
