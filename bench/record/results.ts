import { existsSync, readFileSync } from 'node:fs';
import type { Conditions } from '../report/results.js';
import type { Summary } from '../statistics.js';
import type { DatabaseName, RecordWork } from './lineup.js';

/** The committed record, as seen from the root, where every script is started. */
export const RECORD = 'bench/results/record.json';

/** The cost of one work on one server with one store; CPU times in microseconds per piece of work. */
export interface RecordResult {
  readonly work: RecordWork;
  readonly label: string;
  readonly store: 'memory' | DatabaseName;
  readonly processes: number;
  /** Why it is not counted; then there are no numbers. */
  readonly disqualified?: string;
  /** Pieces of work in one second of CPU time of the server processes. */
  readonly perVcpu?: Summary;
  /** Of the server processes, in user mode. */
  readonly user?: Summary;
  /** Of the server processes, in the kernel. */
  readonly system?: Summary;
  /** Of the database. */
  readonly engine?: Summary;
  /** Of the process that sends the load. */
  readonly load?: Summary;
}

export interface RecordResults extends Conditions {
  readonly results: readonly RecordResult[];
}

/** `undefined` before the first `--save`. */
export const readRecord = (): RecordResults | undefined =>
  // Written by `saveRecord` and committed.
  existsSync(RECORD) ? (JSON.parse(readFileSync(RECORD, 'utf8')) as RecordResults) : undefined;
