import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { readRecordArguments } from '../../bench/record/arguments.js';
import { compareRecords, printComparison } from '../../bench/record/compare.js';
import { printRecord, recordTablesOf } from '../../bench/record/report.js';
import { figuresOf, readRecordFile, type RecordResults, type RecordRow } from '../../bench/record/results.js';

const MINIMUM = 'hand-written minimum on Fastify';

/** @param costs - Microseconds of CPU time of each round. */
const row = (label: string, costs: readonly number[], more: Partial<RecordRow> = {}): RecordRow => ({
  work: 'token',
  label,
  store: 'memory',
  processes: 1,
  samples: costs.map((cost) => ({ user: cost * 0.9, system: cost * 0.1, load: 50, perSecond: 1_000 })),
  ...more,
});

const record = (...results: RecordRow[]): RecordResults => ({
  date: '2030-01-01',
  machine: { processor: 'A processor', cores: 2, memory: 8, system: 'A system', node: 'v20.19.0' },
  versions: {},
  rounds: 3,
  requests: 100,
  connections: 16,
  pinned: true,
  warmUp: 0,
  missing: [{ name: 'Redis', reason: 'there is no redis-server in PATH' }],
  results,
});

afterEach(() => vi.restoreAllMocks());

const printed = (print: () => unknown): { readonly text: string; readonly result: unknown } => {
  const lines: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line));
  const result = print();
  return { text: lines.join('\n'), result };
};

describe('the arguments', () => {
  test('nine rounds; half an hour finds every problem', () => {
    expect(readRecordArguments([])).toMatchObject({ kind: 'measure', rounds: 9, requests: 4000, findAll: false });
    expect(readRecordArguments(['--long'])).toMatchObject({ rounds: 25, findAll: true });
    expect(readRecordArguments(['--quick', '--rounds', '7', '--out', 'a.json'])).toMatchObject({
      rounds: 7,
      requests: 400,
      out: 'a.json',
    });
  });

  test('report and compare take files', () => {
    expect(readRecordArguments(['report', 'a.json', '--save'])).toEqual({ kind: 'report', file: 'a.json', save: true });
    expect(readRecordArguments(['compare', 'a.json', 'b.json'])).toEqual({
      kind: 'compare',
      files: ['a.json', 'b.json'],
    });
  });

  test.each([
    [['compare', 'a.json'], /compare needs two files/],
    [['report'], /report needs one file/],
    [['repot', 'a.json'], /"repot" is unknown; choose report or compare/],
    [['--rounds', '0'], /--rounds: "0" is not a whole number above 0/],
    [['--quick', '--long'], /exclude each other/],
    [['--only', 'token'], /--only.*--help/],
  ])('%j is refused', (args, message) => {
    expect(() => readRecordArguments(args)).toThrow(message);
  });
});

describe('a row', () => {
  test('has the medians of its rounds', () => {
    expect(figuresOf(row('ours', [40, 50, 80]))?.perVcpu).toEqual({ median: 20_000, low: 16_250, high: 22_500 });
  });

  test('with a problem has no figures; the table names every problem and how often it was seen', () => {
    const wrong = row('ours', [40], { problems: { 'a token came twice': 3, 'status 500': 1 } });
    expect(figuresOf(wrong)).toBeUndefined();
    expect(recordTablesOf(record(wrong))[0]?.rows[0]?.[3]).toBe('not counted: 3 × a token came twice; 1 × status 500');
  });

  test('a database that took no part is named with the reason', () => {
    expect(printed(() => printRecord(record(row('ours', [40])))).text).toContain(
      'Without Redis: there is no redis-server in PATH.',
    );
  });
});

describe('two records', () => {
  const first = record(row('ours', [40, 42, 41]), row('a peer', [120]), row(MINIMUM, [30]));

  test('of a machine that is three times as slow are the same', () => {
    const slow = record(row('ours', [120, 126, 123]), row('a peer', [360]), row(MINIMUM, [90]));
    const { text, result } = printed(() => printComparison(compareRecords(first, slow)));
    expect(result).toBe(true);
    expect(text).toContain('2 of 2 ratios are within 15 %.');
  });

  test.each([
    [46, true],
    [48, false],
    [36, true],
    [35, false],
  ])('41 µs and %d µs beside the same minimum: within 15 %% is %s', (cost, isSame) => {
    const other = record(row('ours', [cost]), row('a peer', [120]), row(MINIMUM, [30]));
    const { text, result } = printed(() => printComparison(compareRecords(first, other)));
    expect(result).toBe(isSame);
    if (!isSame) expect(text).toMatch(/DIFFER .*Token by client credentials: ours, memory, 1 process$/m);
  });

  test('a row that one of them lacks, or does not count, is named', () => {
    const other = record(row('ours', [40], { problems: { 'status 500': 1 } }), row(MINIMUM, [30]));
    expect(compareRecords(first, other)).toMatchObject({
      rows: [],
      unmatched: [expect.stringContaining('ours'), expect.stringContaining('a peer')],
    });
    expect(printed(() => printComparison(compareRecords(first, other))).result).toBe(false);
  });

  test('work that the minimum does not do is divided by the bare route', () => {
    const bare = (cost: number) =>
      record(
        row('ours', [cost], { work: 'introspect' }),
        row('bare route on Fastify', [20], { work: 'introspect' }),
        row(MINIMUM, [30]),
      );
    expect(compareRecords(bare(40), bare(80)).rows).toMatchObject([{ first: 0.5, second: 0.25, isWithin: false }]);
  });
});

describe('a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'oauth-query-'));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test('that is no record is refused with its name', () => {
    const file = join(folder, 'other.json');
    expect(() => readRecordFile(file)).toThrow(`${file} cannot be read as a record`);
    writeFileSync(file, '{"results":[]}');
    expect(() => readRecordFile(file)).toThrow(`${file} is not a record. \`npm run record\` writes one.`);
  });
});
