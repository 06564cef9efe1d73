/** The file of a record: what each server cost in each round, so that every figure can be computed again. */
import { existsSync, readFileSync } from 'node:fs';
import type { Cost } from '../http/round.js';
import type { Conditions } from '../report/results.js';
import { type Summary, summary, withCommonShare } from '../statistics.js';
import type { DatabaseName, RecordWork } from './lineup.js';

/** The committed record, as seen from the root, where every script is started. */
export const RECORD = 'bench/results/record.json';

/** One work on one server with one store. */
export interface RecordRow {
  readonly work: RecordWork;
  readonly label: string;
  readonly store: 'memory' | DatabaseName;
  readonly processes: number;
  /** CPU times in microseconds per piece of work, by round. */
  readonly samples: readonly Cost[];
  /** Instead of samples, in files that were written before these were kept. */
  readonly figures?: RecordFigures;
  /** Every problem of the run, and how often it was seen. With one, the row has no figures. */
  readonly problems?: Readonly<Record<string, number>>;
}

/** The figures of a row; CPU times in microseconds per piece of work. */
export interface RecordFigures {
  /** Pieces of work in one second of CPU time of the server processes. */
  readonly perVcpu: Summary;
  /** Of the server processes, in user mode. */
  readonly user: Summary;
  /** Of the server processes, in the kernel. */
  readonly system: Summary;
  /** Of the database. */
  readonly engine?: Summary;
  /** Of the process that sends the load. */
  readonly load: Summary;
}

/** A database that took no part, and the reason. */
export interface MissingDatabase {
  readonly name: DatabaseName;
  readonly reason: string;
}

export interface RecordResults extends Conditions {
  /** Requests before the first round. */
  readonly warmUp: number;
  readonly missing: readonly MissingDatabase[];
  readonly results: readonly RecordRow[];
}

/** `undefined` for a row that is not counted. */
export function figuresOf({ samples, problems, figures }: RecordRow): RecordFigures | undefined {
  if (figures !== undefined) return figures;
  if (problems !== undefined || samples.length === 0) return undefined;
  const costs = withCommonShare(samples);
  const engine = costs.flatMap((cost) => cost.engine ?? []);
  return {
    perVcpu: summary(costs.map(({ user, system }) => 1_000_000 / (user + system))),
    user: summary(costs.map(({ user }) => user)),
    system: summary(costs.map(({ system }) => system)),
    ...(engine.length > 0 && { engine: summary(engine) }),
    load: summary(costs.map(({ load }) => load)),
  };
}

/** Rows had their figures beside the other members, before samples were kept. */
type EarlierRow = Omit<RecordRow, 'samples' | 'figures'> & Partial<RecordFigures>;
type EarlierResults = Omit<RecordResults, 'warmUp' | 'missing' | 'results'> & {
  readonly results: readonly (RecordRow | EarlierRow)[];
};

function rowOf(row: RecordRow | EarlierRow): RecordRow {
  if ('samples' in row) return row;
  const { perVcpu, user, system, engine, load, ...rest } = row;
  if (perVcpu === undefined || user === undefined || system === undefined || load === undefined)
    return { ...rest, samples: [], problems: { 'no figures': 1 } };
  return { ...rest, samples: [], figures: { perVcpu, user, system, load, ...(engine !== undefined && { engine }) } };
}

/** @throws Error if the file is not a record */
export function readRecordFile(file: string): RecordResults {
  let read: unknown;
  try {
    read = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`${file} cannot be read as a record: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
  if (typeof read !== 'object' || read === null || !('results' in read) || !('machine' in read)) {
    throw new Error(`${file} is not a record. \`npm run record\` writes one.`);
  }
  // Written by `npm run record`; a reader of another shape ends in an error of its own.
  const { results, ...conditions } = read as EarlierResults;
  return { warmUp: 0, missing: [], ...conditions, results: results.map(rowOf) };
}

/** `undefined` before the first `--save`. */
export const readRecord = (): RecordResults | undefined => (existsSync(RECORD) ? readRecordFile(RECORD) : undefined);
