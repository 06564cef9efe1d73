import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that start programs or compilers, by the seconds that they take; among engines, those that wait alternate with those that compute. */
const LONG = [
  'stores/galera.engine',
  'stores/double-spend.engine',
  'stores/grants-survive.engine',
  'stores/failing-calls.engine',
  'stores/patroni.engine',
  'stores/grants-survive-failovers.engine',
  'stores/codes-under-cuts.engine',
  'stores/owners.engine',
  'stores/cluster.engine',
  'stores/redis.engine',
  'stores/outage.engine',
  'docs/stores.engine',
  'stores/unresponsive-connections.engine',
  'content/cost.engine',
  'content/two-sites',
  'docs/run',
  'orders/approvals',
  'orders/tokens',
  'orders/connections',
  'orders/clients',
  'examples/demo',
  'cli/serve',
  'content/sources',
  'docs/compile',
  'site/walk',
  'oauth/kernel/unfinished-bodies',
  'oauth/kernel/guessing',
  'cli/doctor-broken',
].map((name) => `/test/${name}.test.ts`);

function longestFirst(files: readonly TestSpecification[]): TestSpecification[] {
  const long = LONG.flatMap((name) => files.filter(({ moduleId }) => moduleId.endsWith(name)));
  return [...long, ...files.filter((file) => !long.includes(file))];
}

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
    return [...longestFirst(others), ...longestFirst(unit)];
  }
}
