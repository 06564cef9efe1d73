import type { Settings } from './arguments.js';
import { works } from './candidates.js';
import { type Judged, type Regression, regressions, sentenceOf } from './report/check.js';
import type { Results } from './report/results.js';
import { LATEST, readReference } from './report/reference.js';

/** What looks worse is measured again, this many times as long: a busy moment is no regression. */
const AGAIN = 3;
/** What a busy moment hides a part of shows in more rounds, so half of the tolerance is enough for them. */
const SUSPICION = 0.5;

/** Which works have to be measured again to judge these. */
const worksOf = (found: readonly Regression[]) =>
  works.filter((work) =>
    found.some(({ kind, name }) =>
      kind === 'http' || kind === 'paired' ? name.startsWith(`${work} `) : kind === work,
    ),
  );

/** Nothing but pairs is judged without the committed results. */
const NO_REFERENCE: Judged = { http: [], parse: [], imports: [], size: [], memory: [] };

/** Compares a quick run with the committed results, or with the other build that took part; the exit code. */
export async function checkAgainstReference(
  settings: Settings,
  measure: (settings: Settings) => Promise<Results>,
): Promise<number> {
  const reference = settings.against === undefined ? readReference() : NO_REFERENCE;
  if (reference === undefined) {
    console.error(`There is nothing to compare with: \`npm run bench -- --save\` writes ${LATEST}.`);
    return 1;
  }
  let found = regressions(await measure(settings), reference, SUSPICION);
  if (found.length > 0) {
    for (const one of found) console.log(`Measuring again: ${sentenceOf(one)}`);
    const suspected = new Set(found.map(({ name }) => name));
    const longer = { ...settings, works: worksOf(found), rounds: AGAIN * settings.rounds };
    found = regressions(await measure(longer), reference).filter(({ name }) => suspected.has(name));
  }
  for (const one of found) console.error(`Regression: ${sentenceOf(one)}`);
  if (found.length === 0) console.log('No ratio is worse than its tolerance.');
  return found.length === 0 ? 0 : 1;
}
