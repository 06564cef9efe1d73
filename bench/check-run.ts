import type { Settings } from './arguments.js';
import { works } from './candidates.js';
import { type Judged, type Regression, regressions, sentenceOf } from './report/check.js';
import { LATEST, readReference } from './report/reference.js';
import type { Results } from './report/results.js';

/**
 * Suspected regressions are measured again this often, in new processes: on a busy machine, each process is compiled
 * differently, which more rounds of the same processes do not average out.
 */
const REPEATS = 2;
/** The share of the tolerance that makes a suspicion: a busy moment may hide a part of a regression. */
const SUSPICION = 0.5;

/** The works to measure again to judge these. */
const worksOf = (found: readonly Regression[]) =>
  works.filter((work) =>
    found.some(({ kind, name }) =>
      kind === 'http' || kind === 'paired' ? name.startsWith(`${work} `) : kind === work,
    ),
  );

/** Without the committed results, only pairs are judged. */
const NO_REFERENCE: Judged = { http: [], parse: [], imports: [], size: [], memory: [] };

/** Compares a short run with the committed results, or with the other build that took part; resolves to the exit code. */
export async function checkAgainstReference(
  settings: Settings,
  measure: (settings: Settings) => Promise<Results>,
): Promise<number> {
  const reference = settings.against === undefined ? readReference() : NO_REFERENCE;
  if (reference === undefined) {
    console.error(`There are no results to compare with. \`npm run bench -- --save\` writes ${LATEST}.`);
    return 1;
  }
  let found = regressions(await measure(settings), reference, SUSPICION);
  for (let repeat = 0; repeat < REPEATS && found.length > 0; repeat += 1) {
    for (const one of found) console.log(`Measuring again: ${sentenceOf(one)}`);
    const suspected = new Set(found.map(({ name }) => name));
    const again = await measure({ ...settings, works: worksOf(found) });
    found = regressions(again, reference).filter(({ name }) => suspected.has(name));
  }
  for (const one of found) console.error(`Regression: ${sentenceOf(one)}`);
  if (found.length === 0) console.log('All ratios are within their tolerances.');
  return found.length === 0 ? 0 : 1;
}
