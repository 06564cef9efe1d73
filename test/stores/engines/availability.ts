import { describe, expect, test } from 'vitest';

/**
 * Registers the suite of an engine, or says loudly that it cannot run here and why. Where everything has to run (`CI=true`)
 * that is a failure.
 */
export function describeEngine(title: string, missing: string | undefined, suite: () => void): void {
  if (missing === undefined) {
    describe(title, suite);
    return;
  }
  test(`NOT RUN: ${title}`, () => {
    console.error(`\n  *** NOT RUN: ${title}: ${missing}.\n`);
    expect(process.env['CI'], `${title} must run: ${missing}`).not.toBe('true');
  });
}
