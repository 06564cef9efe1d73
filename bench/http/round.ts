/** Rounds of requests to one candidate, and the CPU time they take. */
import type { Exchange } from './exchanges.js';
import { Connections } from './load.js';
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
  /** What went wrong, and how often. With anything in it, this candidate is not counted. */
  readonly problems: Map<string, number>;
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
  /** Whether a candidate with a problem goes on, so that each of its problems is found. */
  readonly findAll?: boolean;
}

type RoundSize = Pick<RoundSettings, 'requests' | 'connections'>;

/**
 * The candidates take turns after this many requests. A busy machine changes from second to second, and so disturbs all
 * candidates of a round alike.
 */
const TURN = 200;

/** A share of each turn is sent first, unmeasured, because the other candidates have taken the processor's caches. */
const LEAD_IN = 0.1;

const leadInOf = (requests: number): number => Math.ceil(requests * LEAD_IN);

/** The turns of a round, in requests. */
const turnsOf = (requests: number): readonly number[] => {
  const count = Math.ceil(requests / TURN);
  return Array.from(
    { length: count },
    (_one, turn) => Math.floor(((turn + 1) * requests) / count) - Math.floor((turn * requests) / count),
  );
};

async function readCpu({ servers, engineCpu }: Cell) {
  const usages = await Promise.all(servers.map((server) => server.cpu()));
  const { user, system } = process.cpuUsage();
  return {
    user: usages.reduce((sum, usage) => sum + usage.user, 0),
    system: usages.reduce((sum, usage) => sum + usage.system, 0),
    load: user + system,
    engine: engineCpu?.() ?? 0,
  };
}

/** One candidate during one round. */
class Round {
  readonly #cell: Cell;
  readonly #requests: number;
  readonly #open: Connections;
  readonly #spent = { user: 0, system: 0, load: 0, engine: 0, seconds: 0 };

  private constructor(cell: Cell, requests: number, open: Connections) {
    this.#cell = cell;
    this.#requests = requests;
    this.#open = open;
  }

  /** Prepares what the requests need, and connects. */
  static async start(cell: Cell, { requests, connections }: RoundSize): Promise<Round> {
    const { servers, exchange, certificate } = cell;
    const leadIns = turnsOf(requests).reduce((sum, turn) => sum + leadInOf(turn), 0);
    await exchange.prepare?.(leadIns + requests, connections);
    const addresses = servers.map(({ port, tlsPort = 0 }) =>
      certificate === undefined ? { port } : { port: tlsPort, certificate },
    );
    return new Round(cell, requests, await Connections.open(addresses, connections));
  }

  async turn(requests: number): Promise<void> {
    await this.#send(leadInOf(requests));
    const before = await readCpu(this.#cell);
    const seconds = await this.#send(requests);
    const after = await readCpu(this.#cell);
    for (const name of ['user', 'system', 'load', 'engine'] as const) this.#spent[name] += after[name] - before[name];
    this.#spent.seconds += seconds;
  }

  /** Checks the outcome, and adds the costs to those of the other rounds. */
  async finish(): Promise<void> {
    const { exchange, costs, engineCpu } = this.#cell;
    const unconfirmed = await exchange.confirm?.();
    if (unconfirmed !== undefined) throw new Error(unconfirmed);
    const work = this.#requests / (exchange.steps ?? 1);
    const { user, system, load, engine, seconds } = this.#spent;
    costs.push({
      user: user / work,
      system: system / work,
      load: load / work,
      ...(engineCpu !== undefined && { engine: engine / work }),
      perSecond: work / seconds,
    });
  }

  close(): void {
    this.#open.close();
  }

  async #send(requests: number): Promise<number> {
    const { next, problem, reconnect } = this.#cell.exchange;
    const { seconds, problems } = await this.#open.send({ requests, next, problem, reconnect });
    for (const [sentence, count] of problems) countProblem(this.#cell.problems, sentence, count);
    return seconds;
  }
}

/** How many different problems of a candidate are kept; the others are counted together. */
const MOST_PROBLEMS = 50;
const OTHERS = 'other problems';

function countProblem(problems: Map<string, number>, sentence: string, count = 1): void {
  const key = problems.has(sentence) || problems.size < MOST_PROBLEMS ? sentence : OTHERS;
  problems.set(key, (problems.get(key) ?? 0) + count);
}

/** One round of all candidates, in turns. A candidate that fails or answers wrongly once is not counted. */
async function runRound(cells: readonly Cell[], size: RoundSize & Pick<RoundSettings, 'findAll'>): Promise<void> {
  const rounds = new Map<Cell, Round>();
  const attempt = async (cell: Cell, step: () => Promise<void>): Promise<void> => {
    if (cell.problems.size > 0 && size.findAll !== true) return;
    try {
      await step();
    } catch (error) {
      countProblem(cell.problems, error instanceof Error ? error.message : String(error));
    }
  };
  try {
    for (const cell of cells) {
      await attempt(cell, async () => void rounds.set(cell, await Round.start(cell, size)));
    }
    for (const [turn, requests] of turnsOf(size.requests).entries()) {
      for (const [cell, round] of turn % 2 === 0 ? [...rounds] : [...rounds].toReversed()) {
        await attempt(cell, () => round.turn(requests));
      }
    }
    for (const [cell, round] of rounds) await attempt(cell, () => round.finish());
  } finally {
    for (const round of rounds.values()) round.close();
  }
}

/** Warms all candidates up, one after the other, then runs the rounds. */
export async function runRounds(cells: readonly Cell[], settings: RoundSettings): Promise<void> {
  for (const cell of cells) {
    for (let sent = 0; sent < settings.warmUp; sent += settings.requests) await runRound([cell], settings);
    cell.costs.length = 0;
  }
  for (let index = 0; index < settings.rounds; index += 1) {
    await runRound(index % 2 === 0 ? cells : cells.toReversed(), settings);
  }
}
