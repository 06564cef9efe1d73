/** The record as tables, as a chart and on the page. */
import { FULL_RECORD } from '../arguments.js';
import { type Bar, drawChart } from '../report/chart.js';
import { conditionsInWords } from '../report/conditions.js';
import { CHARTS, PAGE, saveCharts, saveNumbers, saveSection } from '../report/saved-files.js';
import { markdownOf, middle, MISSING, notCounted, type Table, whole } from '../report/table.js';
import { recordTitles, recordWorks } from './lineup.js';
import { RECORD, type RecordResult, type RecordResults } from './results.js';

const CHART = 'record.svg';

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

function rowOf(result: RecordResult): readonly string[] {
  const { label, store, processes, disqualified, perVcpu, user, system, engine, load } = result;
  const first = [label, store, String(processes)];
  if (disqualified !== undefined) return [...first, notCounted(disqualified), '', '', '', '', ''];
  return [
    ...first,
    perVcpu === undefined ? MISSING : whole(perVcpu.median),
    perVcpu === undefined ? MISSING : `${whole(perVcpu.low)} to ${whole(perVcpu.high)}`,
    ...[user, system, engine, load].map((cost) => middle(cost, cost === undefined ? '' : ' µs')),
  ];
}

/** A table for each work. */
export const recordTablesOf = ({ results }: Pick<RecordResults, 'results'>): readonly Table[] =>
  recordWorks.map((work) => ({
    title: `Record: ${recordTitles[work]}`,
    head: HEAD,
    rows: results.filter((result) => result.work === work).map(rowOf),
  }));

function barOf({ label, store, processes, perVcpu }: RecordResult): readonly Bar[] {
  if (perVcpu === undefined) return [];
  const isOurs = label.startsWith('oauth-query');
  const kind = isOurs ? 'ours' : /minimum|bare/.test(label) ? 'yardstick' : 'peer';
  const where = store === 'memory' ? '' : `, ${store}${processes === 1 ? '' : `, ${processes} processes`}`;
  return [{ label: (isOurs && where !== '' ? 'the same' : label) + where, value: perVcpu.median, kind }];
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

/** Writes the record to the files that are committed. */
export function saveRecord(results: RecordResults): void {
  saveNumbers(RECORD, results);
  saveCharts(new Map([[CHART, recordChart(results)]]));
  const tables = recordTablesOf(results).map(markdownOf).join('\n\n');
  const image = `![Work per second of one vCPU: the tables below as bars](benchmarks/${CHART})`;
  saveSection('record', [conditionsInWords(results, FULL_RECORD), image, tables].join('\n\n'));
  console.log(`\nWritten: ${RECORD}, ${PAGE} and ${CHARTS}/${CHART}.`);
}
