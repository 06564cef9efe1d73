import { FLOWS } from './flows.js';
import type { Journal } from './journal.js';
import { growing, type MemoryTrend } from './memory-log.js';
import type { Phase, Soak } from './soak.js';

const table = (rows: readonly (readonly string[])[]): void => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of rows) {
    console.log(
      `  ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  ')}`,
    );
  }
};

const list = (title: string, counts: ReadonlyMap<string, number>): void => {
  console.log(`\n  ${title}: ${counts.size === 0 ? 'none' : ''}`);
  for (const [what, times] of counts) console.log(`  ${String(times).padStart(8)} × ${what}`);
};

const trendRow = ({ process, samples, rss, heapUsed }: MemoryTrend): readonly string[] => [
  process,
  String(samples),
  ...[rss, heapUsed].flatMap(({ first, last, perMinute }) => [first.toFixed(1), last.toFixed(1), perMinute.toFixed(2)]),
];

const printPhase = (title: string, { journal, memory, seconds, restarts }: Phase): void => {
  const { latencies, flows } = journal;
  const requests = latencies.reduce((sum, latency) => sum + latency.requests, 0);
  console.log(
    `\n${title}: ${requests} requests in ${seconds.toFixed(0)} s (${(requests / seconds).toFixed(0)}/s), ${restarts} restarts, ${journal.failures} failed flows\n`,
  );
  table([
    ['', 'requests', 'p50 ms', 'p99 ms', 'max ms'],
    ...latencies.map(({ operation, requests: count, p50, p99, max }) => [
      operation,
      String(count),
      p50.toFixed(1),
      p99.toFixed(1),
      max.toFixed(1),
    ]),
  ]);
  list('flows', flows);
  list('second attempts', journal.retries);
  list('had to wait (429)', journal.waits);
  list('errors', journal.errors);
  const { trends } = memory;
  console.log('\n  memory in MB, after a collection; medians of the first and the last third after warm-up');
  if (trends.length === 0) console.log('  no process lived long enough for a trend');
  else
    table([['', 'samples', 'rss first', 'last', 'per min', 'heap first', 'last', 'per min'], ...trends.map(trendRow)]);
};

export const print = ({ steady, rolling, redisMemory }: Soak): void => {
  printPhase('Steady', steady);
  if (rolling !== undefined) printPhase('Rolling restart', rolling);
  console.log(`\nRedis holds ${(redisMemory / 1024 / 1024).toFixed(0)} MB at the end.`);
};

/** Retries on a closed keep-alive connection whose request was in transit; a process that drains causes none. */
const cutOff = ({ retries }: Journal): readonly string[] =>
  [...retries.keys()].filter((reason) => reason.includes('kept'));

const brokenIn = (title: string, { journal, memory }: Phase): readonly string[] => [
  ...(journal.failures === 0 ? [] : [`${title}: ${journal.failures} flows failed`]),
  ...FLOWS.filter(({ name }) => !journal.flows.has(name)).map(({ name }) => `${title}: never finished: ${name}`),
  ...cutOff(journal).map((reason) => `${title}: ${reason}`),
  ...growing(memory.trends).map((growth) => `${title}: ${growth}`),
];

/** The bounds that did not hold. */
export const brokenBounds = ({ steady, rolling }: Soak): readonly string[] => [
  ...brokenIn('steady', steady),
  ...(steady.journal.retries.size === 0 ? [] : ['steady: requests got no answer']),
  ...(rolling === undefined ? [] : brokenIn('rolling', rolling)),
];
