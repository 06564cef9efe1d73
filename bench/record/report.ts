/** The record as tables, as a chart and on the page. */
import { writeFileSync } from 'node:fs';
import { problemsInWords } from '../http/load.js';
import { type Bar, drawChart } from '../report/chart.js';
import { conditionsInWords } from '../report/conditions.js';
import { CHARTS, PAGE, saveCharts, saveNumbers, saveSection } from '../report/saved-files.js';
import { markdownOf, middle, notCounted, type Table, textOf, whole } from '../report/table.js';
import { FULL_RECORD } from './arguments.js';
import { recordTitles, recordWorks } from './lineup.js';
import { figuresOf, RECORD, type RecordResults, type RecordRow } from './results.js';

const CHART = 'record.svg';
const PICTURE = 'docs/pictures/record.svg';

const HEAD = [
  'Server',
  'Store',
  'Processes',
  'Per second and vCPU',
  'middle half',
  'User',
  'Kernel',
  'Database',
  'Load',
];

function lineOf(row: RecordRow): readonly string[] {
  const { label, store, processes, problems = {} } = row;
  const first = [label, store, String(processes)];
  const figures = figuresOf(row);
  if (figures === undefined)
    return [...first, notCounted(problemsInWords(new Map(Object.entries(problems))) ?? 'no round'), '', '', '', '', ''];
  const { perVcpu, user, system, engine, load } = figures;
  return [
    ...first,
    whole(perVcpu.median),
    `${whole(perVcpu.low)} to ${whole(perVcpu.high)}`,
    ...[user, system, engine, load].map((cost) => middle(cost, cost === undefined ? '' : ' µs')),
  ];
}

/** A table for each work. */
export const recordTablesOf = ({ results }: Pick<RecordResults, 'results'>): readonly Table[] =>
  recordWorks.map((work) => ({
    title: `Record: ${recordTitles[work]}`,
    head: HEAD,
    rows: results.filter((result) => result.work === work).map(lineOf),
  }));

function barOf(row: RecordRow): readonly Bar[] {
  const { label, store, processes } = row;
  const figures = figuresOf(row);
  if (figures === undefined) return [];
  const isOurs = label.startsWith('oauth-query');
  const kind = isOurs ? 'ours' : /minimum|bare/.test(label) ? 'yardstick' : 'peer';
  const where = store === 'memory' ? '' : `, ${store}${processes === 1 ? '' : `, ${processes} processes`}`;
  return [{ label: (isOurs && where !== '' ? 'the same' : label) + where, value: figures.perVcpu.median, kind }];
}

export const recordChart = ({ results, machine }: RecordResults): string =>
  drawChart({
    title: 'Work per second of one vCPU, over TLS 1.3',
    subtitle: `From CPU time of the server processes, longer is better. ${machine.processor}, Node ${machine.node.slice(1)}`,
    groups: recordWorks.map((work) => ({
      label: recordTitles[work],
      bars: results.filter((result) => result.work === work).flatMap(barOf),
    })),
    format: whole,
  });

/** The picture of README.md: the first work alone, without yardsticks. */
export const pictureOfRecord = ({ results, machine, versions }: RecordResults): string =>
  drawChart({
    title: 'Tokens by client credentials per second of one vCPU, over TLS 1.3',
    subtitle: `oauth-query ${versions['oauth-query']}, longer is better. ${machine.processor}, Node ${machine.node.slice(1)}`,
    groups: [
      {
        label: 'With a memory store, or the named database',
        bars: results
          .filter(({ work, processes }) => work === 'token' && processes === 1)
          .flatMap((row) => barOf(row).map((bar) => ({ ...bar, label: bar.label.replace('the same', 'oauth-query') })))
          .filter(({ kind }) => kind !== 'yardstick'),
      },
    ],
    format: whole,
  });

/** Prints the tables, and what took no part. */
export function printRecord(results: RecordResults): void {
  for (const table of recordTablesOf(results)) console.log(`\n${textOf(table)}`);
  for (const { name, reason } of results.missing) console.log(`\nWithout ${name}: ${reason}.`);
}

/** Writes the record to the files that are committed. */
export function saveRecord(results: RecordResults): void {
  saveNumbers(RECORD, results);
  saveCharts(new Map([[CHART, recordChart(results)]]));
  writeFileSync(PICTURE, pictureOfRecord(results));
  const tables = recordTablesOf(results).map(markdownOf).join('\n\n');
  const image = `![Work per second of one vCPU: the tables below as bars](charts/${CHART})`;
  const missing = results.missing.map(({ name, reason }) => `Without ${name}: ${reason}.`);
  saveSection('record', [conditionsInWords(results, FULL_RECORD), ...missing, image, tables].join('\n\n'));
  console.log(`\nWritten: ${RECORD}, ${PAGE} and ${CHARTS}/${CHART}.`);
}
