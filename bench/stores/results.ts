import { existsSync, readFileSync } from 'node:fs';
import type { Machine } from '../report/results.js';

/** The committed measurements, as seen from the root, where every script is started. */
export const STORES = 'bench/results/stores.json';

export const engineNames = ['memory', 'SQLite', 'Redis', 'PostgreSQL', 'MariaDB'] as const;
export type EngineName = (typeof engineNames)[number];

export const operations = ['token', 'signIn', 'refresh', 'introspect'] as const;
export type Operation = (typeof operations)[number];

export interface OperationCost {
  /** Commands to the database; for memory and SQLite, calls of the store. */
  readonly commands: number;
  /** Bytes that it adds to the store, access token included. */
  readonly bytes: number;
}

/** Microseconds. */
export interface Latency {
  readonly median: number;
  readonly p99: number;
}

export interface EngineResults {
  /** Of one live record, key and indexes included. */
  readonly bytesPerRecord: number;
  /** Sequential batches of parallel calls of `add`. */
  readonly addsPerSecond: number;
  /** Latencies with an empty store and with a full one. */
  readonly add: readonly [Latency, Latency];
  readonly get: readonly [Latency, Latency];
  readonly introspection: readonly [Latency, Latency];
  /** How many expired records a process deletes; absent if the engine does it by itself. */
  readonly clearedPerSecond?: number;
  readonly operations: Readonly<Record<Operation, OperationCost>>;
}

export interface StoreResults {
  readonly date: string;
  readonly machine: Machine;
  /** Live records of the full stores. */
  readonly records: number;
  /** Those that were measured. */
  readonly engines: Readonly<Partial<Record<EngineName, EngineResults>>>;
}

export const measuredEngines = ({ engines }: StoreResults): readonly (readonly [EngineName, EngineResults])[] =>
  engineNames.flatMap((name) => {
    const results = engines[name];
    return results === undefined ? [] : [[name, results] as const];
  });

/** `undefined` before the first `--save`. */
export const readStoreResults = (): StoreResults | undefined =>
  // Written by `bench/stores/main.ts` and committed.
  existsSync(STORES) ? (JSON.parse(readFileSync(STORES, 'utf8')) as StoreResults) : undefined;
