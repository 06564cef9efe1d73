import { setTimeout as wait } from 'node:timers/promises';
import { type Cluster, type ServerProcess, startCluster } from './cluster.js';
import type { Flow } from './flow.js';
import { FLOWS } from './flows.js';
import { Journal } from './journal.js';
import { MemoryLog } from './memory-log.js';
import { Pool } from './pool.js';
import { Visitor } from './visitor.js';

export interface SoakOptions {
  /** How long each phase takes. */
  readonly seconds: number;
  readonly connections: number;
  readonly processes: number;
  /** Seconds between two looks at the memory. */
  readonly sampleEvery: number;
}

export interface Phase {
  readonly journal: Journal;
  readonly memory: MemoryLog;
  readonly seconds: number;
  readonly restarts: number;
}

/** Milliseconds between the restarts of two processes. */
const BETWEEN_RESTARTS = 1_000;

/** Chooses flows by their weights, and keeps to their pauses. */
class Mix {
  readonly #begun = new Map<Flow, number>();

  next(): Flow {
    const now = performance.now();
    const open = FLOWS.filter((flow) => now - (this.#begun.get(flow) ?? -Infinity) >= (flow.pause ?? 0));
    let at = Math.random() * open.reduce((sum, { weight }) => sum + weight, 0);
    for (const flow of open) {
      at -= flow.weight;
      if (at >= 0) continue;
      this.#begun.set(flow, now);
      return flow;
    }
    throw new Error('Every flow has a pause.');
  }
}

/** One client: flow after flow, until the time is over. */
const runVisitor = async (
  visitor: Visitor,
  mix: Mix,
  journal: Journal,
  until: number,
  first: Flow | undefined,
): Promise<void> => {
  for (let flow = first ?? mix.next(); performance.now() < until; flow = mix.next()) {
    try {
      await flow.run(visitor);
      journal.finished(flow.name);
    } catch (error) {
      journal.failed(flow.name, error);
    }
  }
};

const restartInTurn = async (processes: readonly ServerProcess[], until: number): Promise<number> => {
  let restarts = 0;
  while (performance.now() < until) {
    const one = processes[restarts % processes.length];
    if (one === undefined) throw new Error('There is no process.');
    await one.stop();
    await one.start();
    restarts += 1;
    await wait(BETWEEN_RESTARTS);
  }
  return restarts;
};

const watchMemory = async ({ processes }: Cluster, log: MemoryLog, every: number, until: number): Promise<void> => {
  while (performance.now() + every <= until) {
    await wait(every);
    await Promise.all(processes.map(async (one) => log.add(one, await one.memory())));
  }
};

/** Runs all clients while the processes stay up, or while they are restarted one at a time. */
const runPhase = async (cluster: Cluster, options: SoakOptions, rolling: boolean): Promise<Phase> => {
  const { connections, seconds, sampleEvery } = options;
  const journal = new Journal();
  const memory = new MemoryLog();
  const pool = new Pool(
    cluster.processes.map(({ port }) => port),
    connections,
  );
  const mix = new Mix();
  const begun = performance.now();
  const until = begun + seconds * 1000;
  const visitors = Array.from({ length: connections }, (_, n) => new Visitor(pool, journal, n, rolling));
  try {
    const [restarts] = await Promise.all([
      rolling ? restartInTurn(cluster.processes, until) : 0,
      watchMemory(cluster, memory, sampleEvery * 1000, until),
      // The first clients start with one flow each, so that every flow runs, however short the phase is.
      ...visitors.map((visitor, n) => runVisitor(visitor, mix, journal, until, FLOWS[n])),
    ]);
    return { journal, memory, seconds: (performance.now() - begun) / 1000, restarts };
  } finally {
    pool.close();
  }
};

export interface Soak {
  readonly steady: Phase;
  /** Absent without `withRolling`. */
  readonly rolling: Phase | undefined;
  /** Bytes that Redis holds at the end. */
  readonly redisMemory: number;
}

/** Runs several processes of a server with every feature on one Redis under load; then again while they are restarted one at a time. */
export const soak = async (options: SoakOptions, withRolling: boolean): Promise<Soak> => {
  const cluster = await startCluster(options.processes);
  try {
    const steady = await runPhase(cluster, options, false);
    const rolling = withRolling ? await runPhase(cluster, options, true) : undefined;
    return { steady, rolling, redisMemory: await cluster.redisMemory() };
  } finally {
    await cluster.stop();
  }
};
