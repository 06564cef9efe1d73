import type { Framework, HttpWork } from '../candidates.js';
import type { Summary } from '../statistics.js';

/** One candidate's cost of one work on one framework. */
export interface HttpResult {
  readonly work: HttpWork;
  readonly framework: Framework;
  readonly candidate: string;
  /** The reason if it is not counted; then there are no numbers. */
  readonly disqualified?: string;
  /** CPU time of the server process for each piece of work, in user and in kernel mode. */
  readonly microseconds?: Summary;
  /** The part in user mode, garbage collection included. */
  readonly user?: Summary;
  /** The part in the kernel, mostly for sockets. */
  readonly system?: Summary;
  /** Pieces of work in a second. */
  readonly requestsPerSecond?: Summary;
  /** CPU time in user mode, divided by that of the bare route in the same round. */
  readonly userToBare?: Summary;
  /** The same, divided by that of the hand-written minimum. */
  readonly userToMinimum?: Summary;
  /** The same, divided by that of the minimum with the records of the package. */
  readonly userToMinimumPlus?: Summary;
  /** The same, divided by that of another build of the package. */
  readonly userToBefore?: Summary;
}

/** Parsing and validating one query. */
export interface ParseResult {
  readonly candidate: string;
  readonly microseconds: Summary;
  /** Our time divided by this one's in the same round. */
  readonly oursTo: Summary;
}

/** The cost of an import, in addition to a process that imports nothing. */
export interface ImportResult {
  readonly candidate: string;
  /** Milliseconds by the clock. */
  readonly wall: Summary;
  /** Milliseconds of CPU time. */
  readonly cpu: Summary;
  /** CPU time of a process with the import, divided by that of one without. */
  readonly toPlain: Summary;
}

export interface SizeResult {
  readonly candidate: string;
  /** Bytes of the package and its dependencies, without peer dependencies. */
  readonly bytes: number;
  /** Packages, itself included. */
  readonly packages: number;
}

export interface MemoryResult {
  readonly candidate: string;
  readonly tokens: number;
  readonly bytesPerToken: number;
  readonly disqualified?: string;
}

/** What a server allocates for one piece of work. */
export interface AllocationResult {
  readonly work: HttpWork;
  readonly framework: Framework;
  readonly candidate: string;
  readonly bytes: number;
  /** The reason if it is not counted. */
  readonly disqualified?: string;
}

/** Bytes of heap of our own memory store after all access tokens have expired. */
export interface FamilyMemory {
  readonly families: number;
  /** A grant that was refreshed once: the grant, its marks, and its entries in the lists. */
  readonly bytesPerFamily: number;
  /** Added by each further refresh. */
  readonly bytesPerRefresh: number;
}

export interface Machine {
  readonly processor: string;
  readonly cores: number;
  /** Gigabytes. */
  readonly memory: number;
  readonly system: string;
  readonly node: string;
}

/** When, where and how a run was done. */
export interface Conditions {
  /** The day of the run. */
  readonly date: string;
  readonly machine: Machine;
  readonly versions: Readonly<Record<string, string>>;
  readonly rounds: number;
  /** Of each round. */
  readonly requests: number;
  readonly connections: number;
  /** Whether servers and load were pinned to a core each. */
  readonly pinned: boolean;
}

export interface Results extends Conditions {
  readonly http: readonly HttpResult[];
  readonly parse: readonly ParseResult[];
  readonly imports: readonly ImportResult[];
  readonly size: readonly SizeResult[];
  readonly memory: readonly MemoryResult[];
  readonly families?: FamilyMemory;
  readonly allocation?: readonly AllocationResult[];
}
