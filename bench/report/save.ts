import { FULL } from '../arguments.js';
import { candidates } from '../candidates.js';
import { chartsOf } from './charts.js';
import { conditionsInWords } from './conditions.js';
import { LATEST } from './reference.js';
import type { Results } from './results.js';
import { CHARTS, PAGE, saveCharts, saveNumbers, saveSection } from './saved-files.js';
import { markdownOf } from './table.js';
import { tablesOf } from './tables.js';

function resultsInWords(results: Results, charts: Iterable<string>): string {
  const chartFiles = [...charts];
  const sections = tablesOf(results).map((table) => {
    const file = `${table.work}.svg`;
    const chart = chartFiles.includes(file) ? `\n\n![${table.title}: the table below as bars](charts/${file})` : '';
    const [heading = '', ...rest] = markdownOf(table).split('\n');
    return [`${heading}${chart}`, ...rest].join('\n');
  });
  const participants = candidates.flatMap(({ name, remark }) =>
    remark === undefined ? [] : [`- **${name}**: ${remark}.`],
  );
  return [conditionsInWords(results, FULL), participants.join('\n'), ...sections].join('\n\n');
}

/** Writes the results to the files that are committed: the numbers, the page and the charts. */
export function saveResults(results: Results): void {
  const charts = chartsOf(results);
  saveNumbers(LATEST, results);
  saveCharts(charts);
  saveSection('results', resultsInWords(results, charts.keys()));
  console.log(`\nWritten: ${LATEST}, ${PAGE} and the charts in ${CHARTS}/.`);
}
