import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FULL } from '../arguments.js';
import { candidates } from '../candidates.js';
import { chartsOf } from './charts.js';
import { LATEST } from './reference.js';
import type { Results } from './results.js';
import { markdownOf, tablesOf } from './tables.js';

const PAGE = 'docs/benchmarks.md';
const CHARTS = 'docs/benchmarks';

const BEGIN = '<!-- results: written by `npm run bench -- --save` -->';
const END = '<!-- end of results -->';

function resultsInWords(results: Results, charts: Iterable<string>): string {
  const { date, machine, versions, rounds, requests, connections, pinned } = results;
  const chartFiles = [...charts];
  const listed = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const intro =
    `Measured on ${date}: ${machine.processor}, ${machine.cores} cores, ${machine.memory} GB, ${machine.system}, ` +
    `Node ${machine.node.slice(1)}. ${rounds} rounds of ${requests} requests over ${connections} connections` +
    `${pinned ? ', server and load on a core each' : ', without cores of their own'}.` +
    (rounds < FULL.rounds ? ' **A short run, for orientation only.**' : '');
  const sections = tablesOf(results).map((table) => {
    const file = `${table.work}.svg`;
    const chart = chartFiles.includes(file) ? `\n\n![${table.title}: the table below as bars](benchmarks/${file})` : '';
    const [heading = '', ...rest] = markdownOf(table).split('\n');
    return [`${heading}${chart}`, ...rest].join('\n');
  });
  const who = candidates.flatMap(({ name, remark }) => (remark === undefined ? [] : [`- **${name}**: ${remark}.`]));
  return [intro, `Versions: ${listed.join(', ')}.`, who.join('\n'), ...sections].join('\n\n');
}

/** Writes the results where they are committed: the numbers, the page and the charts. */
export function saveResults(results: Results): void {
  const charts = chartsOf(results);
  mkdirSync(CHARTS, { recursive: true });
  mkdirSync(dirname(LATEST), { recursive: true });
  writeFileSync(LATEST, `${JSON.stringify(results, rounded, 2)}\n`);
  for (const [name, svg] of charts) writeFileSync(join(CHARTS, name), svg);
  const page = readFileSync(PAGE, 'utf8');
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin === -1 || end < begin) {
    throw new Error(`${PAGE} has lost its marks: write "${BEGIN}" and "${END}" where the results belong.`);
  }
  const words = resultsInWords(results, charts.keys());
  writeFileSync(PAGE, `${page.slice(0, begin + BEGIN.length)}\n\n${words}\n\n${page.slice(end)}`);
  console.log(`\nWritten: ${LATEST}, ${PAGE} and the charts in ${CHARTS}/.`);
}

/** Four digits are more than any measurement is worth. */
const rounded = (_key: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;
