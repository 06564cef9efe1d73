import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Reporter, TestModule, Vitest } from 'vitest/node';

/**
 * Ends a test run with one plain line that people and machines read alike: `123 passed, 0 failed`. A file that could
 * not be loaded and a hook that threw count as failed, because their tests never ran. With `TEST_SUMMARY` set the line is also
 * written to that file, with what is already in it added: the sum of several runs.
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
    const own: Count = { passed: count.passed, failed: count.failed, skipped: count.skipped + count.pending };
    this.#context?.logger.log(lineOf(own));
    const file = process.env['TEST_SUMMARY'];
    if (file === undefined) return;
    const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
    const earlier = (what: keyof Count): number => Number(new RegExp(`(\\d+) ${what}`).exec(before)?.[1] ?? 0);
    const sum: Count = {
      passed: own.passed + earlier('passed'),
      failed: own.failed + earlier('failed'),
      skipped: own.skipped + earlier('skipped'),
    };
    writeFileSync(file, `${lineOf(sum)}\n`);
  }
}

interface Count {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const lineOf = ({ passed, failed, skipped }: Count): string =>
  `${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`;
