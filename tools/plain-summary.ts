import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestModule, Vitest } from 'vitest/node';

/** The counts of a test file. */
interface Count {
  passed: number;
  failed: number;
  skipped: number;
}

/** The name for errors outside of tests, such as an unhandled rejection, if Vitest does not know the file. */
const NO_FILE = '(no file)';

/**
 * Ends a test run with one plain line for people and programs: `123 passed, 0 failed`. A file that cannot be loaded and a
 * hook that throws count as failed, because their tests did not run.
 *
 * With `TEST_RESULTS` set, appends to that file what `.ci/run` needs: a line of tab-separated columns for each test file
 * (file, passed, failed, skipped), and a line that begins with `#` for each failure.
 */
export default class PlainSummary implements Reporter {
  #context: Vitest | undefined;

  onInit(context: Vitest): void {
    this.#context = context;
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const counts = new Map<string, Count>([[NO_FILE, { passed: 0, failed: 0, skipped: 0 }]]);
    const failures: string[] = [];
    const countOf = (path: string | undefined): [string, Count] => {
      const file = path === undefined ? NO_FILE : relative(process.cwd(), path);
      const count = counts.get(file) ?? { passed: 0, failed: 0, skipped: 0 };
      counts.set(file, count);
      return [file, count];
    };
    const fail = (path: string | undefined, title: string, message: string | undefined): void => {
      const [file, count] = countOf(path);
      count.failed += 1;
      failures.push(`# ${file} > ${title}: ${(message ?? '').split('\n')[0]}`);
    };
    for (const module of modules) {
      const [, count] = countOf(module.moduleId);
      for (const test of module.children.allTests()) {
        const result = test.result();
        if (result.state === 'failed') fail(module.moduleId, test.fullName, result.errors[0]?.message);
        else count[result.state === 'passed' ? 'passed' : 'skipped'] += 1;
      }
      for (const suite of [module, ...module.children.allSuites()])
        for (const error of suite.errors()) fail(module.moduleId, 'outside of a test', error.message);
    }
    for (const error of errors as { VITEST_TEST_PATH?: string; message?: string }[])
      fail(error.VITEST_TEST_PATH, 'unhandled', error.message);

    if (process.env['ROWS'] !== 'all' && modules.some(({ project }) => project.name === 'unit'))
      this.#context?.logger.log(
        'A third of the rows of the longest tables was checked. All of them: ROWS=all npm test',
      );
    const sum = (what: keyof Count): number => [...counts.values()].reduce((total, count) => total + count[what], 0);
    const skipped = sum('skipped') === 0 ? '' : `, ${sum('skipped')} skipped`;
    this.#context?.logger.log(`${sum('passed')} passed, ${sum('failed')} failed${skipped}`);

    const file = process.env['TEST_RESULTS'];
    if (file === undefined) return;
    const rows = [...counts].map(([name, count]) => [name, count.passed, count.failed, count.skipped].join('\t'));
    appendFileSync(file, [...failures, ...rows, ''].join('\n'));
  }
}
