import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that start programs or compilers, by the seconds that they take. */
const LONG = [
  'docs/run',
  'docs/reference',
  'examples/demo',
  'cli/serve',
  'content/sources',
  'docs/compile',
  'site/walk',
  'oauth/guessing',
].map((name) => `/test/${name}.test.ts`);

/**
 * The order of test files: vitest starts with the largest, but the ones that take longest are short. One that started last would run
 * alone, while other workers have nothing to do.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // After the files of other projects: a worker that runs one of these cannot go on with the modules it has loaded.
    const others = sorted.filter(({ project }) => project.name !== 'unit');
    const unit = sorted.filter(({ project }) => project.name === 'unit');
    const long = LONG.flatMap((name) => unit.filter(({ moduleId }) => moduleId.endsWith(name)));
    return [...others, ...long, ...unit.filter((file) => !long.includes(file))];
  }
}
