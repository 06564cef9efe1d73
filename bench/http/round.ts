/** Rounds of requests to one candidate, and the CPU time they take. */
import { Connections } from './load.js';
import type { Exchange } from './exchanges.js';
import type { MeasuredServer } from './measured-server.js';

/** What one piece of work cost in a round, in microseconds of CPU time. */
export interface Cost {
  /** Of the server processes, in user mode. */
  readonly user: number;
  /** Of the server processes, in the kernel. */
  readonly system: number;
  /** Of the process that sends the load. */
  readonly load: number;
  /** Of the database, if there is one. */
  readonly engine?: number;
  /** Pieces of work per second by the clock. */
  readonly perSecond: number;
}

/** One candidate doing one work. */
export interface Cell {
  readonly candidate: string;
  /** One process, or several that share a store. */
  readonly servers: readonly MeasuredServer[];
  readonly exchange: Exchange;
  /** The certificate of the servers' TLS ports. If absent, the load goes to the plain ports. */
  readonly certificate?: string;
  /** Microseconds of CPU time that the database has used so far. */
  readonly engineCpu?: () => number;
  /** By round. */
  readonly costs: Cost[];
  /** Why this candidate is not counted. */
  disqualified: string | undefined;
}

export interface RoundSettings {
  readonly rounds: number;
  /** Of each round. */
  readonly requests: number;
  /**
   * Requests before the first round: the JIT compiler has to see everything often enough, and the store has to grow. Counted
   * rather than timed, because a busy machine would get fewer.
   */
  readonly warmUp: number;
  readonly connections: number;
}

type RoundSize = Pick<RoundSettings, 'requests' | 'connections'>;

/** A share of each round is sent first, unmeasured, because the other candidates have taken the processor's caches. */
const LEAD_IN = 0.1;

async function readCpu({ servers, engineCpu }: Cell) {
  const usages = await Promise.all(servers.map((server) => server.cpu()));
  const { user, system } = process.cpuUsage();
  return {
    user: usages.reduce((sum, usage) => sum + usage.user, 0),
    system: usages.reduce((sum, usage) => sum + usage.system, 0),
    load: user + system,
    engine: engineCpu?.(),
  };
}

/** One round: prepares what the requests need, sends a lead-in and the measured requests, and checks the outcome. */
async function round(cell: Cell, { requests, connections }: RoundSize): Promise<Cost> {
  const { servers, exchange, certificate } = cell;
  const { next, problem, reconnect, steps = 1 } = exchange;
  const work = requests / steps;
  const leadIn = Math.ceil(requests * LEAD_IN);
  await exchange.prepare?.(leadIn + requests, connections);
  const addresses = servers.map(({ port, tlsPort = 0 }) =>
    certificate === undefined ? { port } : { port: tlsPort, certificate },
  );
  const open = await Connections.open(addresses, connections);
  try {
    const first = await open.send({ requests: leadIn, next, problem, reconnect });
    const before = await readCpu(cell);
    const result = await open.send({ requests, next, problem, reconnect });
    const after = await readCpu(cell);
    const wrong = first.wrong + result.wrong;
    if (wrong > 0) {
      const sentence = first.firstProblem ?? result.firstProblem ?? '';
      throw new Error(`${wrong} of ${leadIn + requests} responses were wrong, the first one: ${sentence}`);
    }
    const unconfirmed = await exchange.confirm?.();
    if (unconfirmed !== undefined) throw new Error(unconfirmed);
    return {
      user: (after.user - before.user) / work,
      system: (after.system - before.system) / work,
      load: (after.load - before.load) / work,
      ...(before.engine !== undefined &&
        after.engine !== undefined && { engine: (after.engine - before.engine) / work }),
      perSecond: work / result.seconds,
    };
  } finally {
    open.close();
  }
}

/** Does one round. A candidate that fails or answers wrongly once is not counted, with the reason. */
async function attempt(cell: Cell, size: RoundSize): Promise<void> {
  if (cell.disqualified !== undefined) return;
  try {
    cell.costs.push(await round(cell, size));
  } catch (error) {
    cell.disqualified = error instanceof Error ? error.message : String(error);
  }
}

async function warmUp(cell: Cell, settings: RoundSettings): Promise<void> {
  for (let sent = 0; sent < settings.warmUp; sent += settings.requests) await attempt(cell, settings);
  cell.costs.length = 0;
}

/** Warms all candidates up, then alternates between them, forwards and backwards. */
export async function runRounds(cells: readonly Cell[], settings: RoundSettings): Promise<void> {
  for (const cell of cells) await warmUp(cell, settings);
  for (let index = 0; index < settings.rounds; index += 1) {
    for (const cell of index % 2 === 0 ? cells : cells.toReversed()) await attempt(cell, settings);
  }
}
