import { describe, test } from 'vitest';

/**
 * Registers the suite of an engine, or reports it as skipped and says why it cannot run here.
 *
 * @param concurrent - Whether it runs beside its neighbours in the file, for suites that wait most of the time. Its tests run one after another if they are `test.sequential`.
 */
export function describeEngine(
  title: string,
  missing: string | undefined,
  suite: () => void,
  { concurrent = false } = {},
): void {
  if (missing === undefined) {
    describe(title, concurrent ? { concurrent } : {}, suite);
    return;
  }
  console.error(`\n  *** SKIPPED: ${title}: ${missing}.\n`);
  test.skip(`${title}: ${missing}`, () => undefined);
}
