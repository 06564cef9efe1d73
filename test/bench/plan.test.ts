import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { examplesInWords, planFor, readInputs } from '../../bench/plan.js';
import { readRecord, type RecordResults } from '../../bench/record/results.js';
import { storesInWords } from '../../bench/stores/report.js';
import { type EngineResults, readStoreResults, type StoreResults } from '../../bench/stores/results.js';

const machine = { processor: 'A processor', cores: 2, memory: 8, system: 'A system', node: 'v20.19.0' };
const latency = { median: 1, p99: 2 };
const engine: EngineResults = {
  bytesPerRecord: 400,
  addsPerSecond: 10_000,
  add: [latency, latency],
  get: [latency, latency],
  introspection: [latency, latency],
  clearedPerSecond: 5_000,
  operations: {
    token: { commands: 1, bytes: 400 },
    signIn: { commands: 7, bytes: 1_400 },
    refresh: { commands: 5, bytes: 900 },
    introspect: { commands: 1, bytes: 0 },
  },
};
const stores: StoreResults = {
  date: '2030-01-01',
  machine,
  records: 1_000_000,
  engines: { memory: engine, SQLite: engine, PostgreSQL: engine, MariaDB: engine },
};
const record: RecordResults = {
  date: '2030-01-01',
  machine,
  versions: {},
  rounds: 7,
  requests: 5000,
  connections: 16,
  pinned: true,
  warmUp: 0,
  missing: [],
  results: (['token', 'flow', 'refresh', 'introspect'] as const).map((work) => ({
    work,
    label: 'oauth-query on node:https',
    store: 'MariaDB',
    processes: 1,
    samples: [{ user: 800, system: 200, load: 900, engine: 100, perSecond: 500 }],
  })),
};

/** The cells of the last column, by label. */
const columnOf = (...args: string[]): ReadonlyMap<string, string> => {
  const given = readInputs(args);
  if (given === 'help') throw new Error('These arguments mean --help.');
  const rows = planFor(given, stores, record).split('\n').slice(4);
  return new Map(rows.map((row) => [row.slice(0, -48).trim(), row.slice(-12).trim()]));
};

describe('a plan', () => {
  // One sign-in and ten refreshes a second, and nothing else.
  const inputs = ['--sign-ins', '86400', '--refreshes', '10', '--client-tokens', '0', '--introspections', '0'];

  test('multiplies live records by their bytes', () => {
    const column = columnOf(...inputs);
    expect(column.get('Grants, GB')).toBe('3.9'); // 86,400 × 90 × (1,400 − 900)
    expect(column.get('Access tokens, GB')).toBe('0.0'); // 11 × 3,600 × 900
  });

  test('multiplies rates of the busiest second by commands and CPU time', () => {
    const column = columnOf(...inputs, '--peak', '100', '--load', '50');
    expect(column.get('Commands per second at the peak')).toBe('5,700'); // 100 × (7 + 10 × 5)
    expect(column.get('vCPUs of the servers at the peak')).toBe('1.1'); // 1,100 a second, 1,000 per vCPU
    expect(column.get('Server processes at 50 % load')).toBe('3');
    expect(column.get('Connections to the database')).toBe('12');
    expect(column.get('vCPUs of the database at the peak')).toBe('0.1');
  });

  test('rejects values that are not numbers, and prints its options', () => {
    expect(() => readInputs(['--users', 'many'])).toThrow(/--users must be a number/);
    expect(readInputs(['--help'])).toBe('help');
  });
});

/** Without the padding of tables, which the formatter adds. */
const plain = (markdown: string): string =>
  markdown
    .replace(/ *\| */g, '|')
    .replace(/-{3,}/g, '---')
    .trim();

describe('bench/measurements.md', () => {
  const page = readFileSync('bench/measurements.md', 'utf8');
  const sectionOf = (name: string): string =>
    plain(page.split(`<!-- ${name}: generated -->`)[1]?.split(`<!-- end of ${name} -->`)[0] ?? '');

  test('shows the committed measurements (`npx tsx bench/plan.ts --save` writes them)', () => {
    const measured = readStoreResults();
    const committed = readRecord();
    if (measured === undefined || committed === undefined) throw new Error('No measurements are committed.');
    expect(sectionOf('stores')).toBe(plain(storesInWords(measured)));
    expect(sectionOf('plan')).toBe(plain(examplesInWords(measured, committed)));
  });
});
