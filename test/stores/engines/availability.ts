import { describe, test } from 'vitest';

/** Registers the suite of an engine, or reports it as skipped and says why it cannot run here. */
export function describeEngine(title: string, missing: string | undefined, suite: () => void): void {
  if (missing === undefined) {
    describe(title, suite);
    return;
  }
  console.error(`\n  *** SKIPPED: ${title}: ${missing}.\n`);
  test.skip(`${title}: ${missing}`, () => undefined);
}
