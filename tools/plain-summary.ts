import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule, Vitest } from 'vitest/node';

/**
 * Ends a test run with one plain line that people and machines read alike: `123 passed, 0 failed`. A file that could
 * not be loaded and a hook that threw count as failed, because their tests never ran. With `TEST_SUMMARY` set the line is also
 * written to that file.
 */
export default class PlainSummary implements Reporter {
  #context: Vitest | undefined;

  onInit(context: Vitest): void {
    this.#context = context;
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const count = { passed: 0, failed: errors.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) count[test.result().state] += 1;
      for (const suite of [module, ...module.children.allSuites()]) count.failed += suite.errors().length;
    }
    const left = count.skipped + count.pending;
    const line = `${count.passed} passed, ${count.failed} failed${left === 0 ? '' : `, ${left} skipped`}`;
    this.#context?.logger.log(line);
    if (process.env['TEST_SUMMARY'] !== undefined) writeFileSync(process.env['TEST_SUMMARY'], `${line}\n`);
  }
}
