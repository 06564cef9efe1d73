/** Measures one work on one framework: rounds alternate between the candidates. */
import { BARE, BEFORE, candidatesFor, type Framework, type HttpWork, isOurs, MINIMUM, OURS } from '../candidates.js';
import type { HttpResult } from '../report/results.js';
import { ratios, summary } from '../statistics.js';
import { type Exchange, exchangeFor } from './exchanges.js';
import { sendLoad } from './load.js';
import { MeasuredServer } from './measured-server.js';

export interface HttpSettings {
  readonly rounds: number;
  /** Of each round. */
  readonly requests: number;
  readonly connections: number;
  /** Whether to leave the peers out. */
  readonly oursOnly: boolean;
  /** Flags of node for our own servers, such as `--cpu-prof`. */
  readonly flags: readonly string[];
  /** A folder with another build of the package, which takes part as {@link BEFORE}. */
  readonly against: string | undefined;
}

interface Cell {
  readonly candidate: string;
  readonly server: MeasuredServer;
  readonly exchange: Exchange;
  /** Microseconds of CPU time for each piece of work, by round. */
  readonly user: number[];
  readonly system: number[];
  /** Requests per second, by round. */
  readonly rates: number[];
  disqualified: string | undefined;
}

/**
 * Before the first round: the compiler of the engine has seen everything often enough by then, and the store has grown. Who is slow
 * ends earlier, by CPU time, because on a busy machine the clock says nothing about what was done.
 */
const WARM_UP = { requests: 30_000, microseconds: 3_000_000 } as const;

/** A share of each round goes ahead unmeasured, because the others have taken the caches of the processor meanwhile. */
const LEAD_IN = 0.1;

/** One round: what is needed is made, a lead-in, the measured requests, and what must hold afterwards. */
async function round(cell: Cell, requests: number, connections: number): Promise<void> {
  const { server, exchange } = cell;
  const { next, problem, steps = 1 } = exchange;
  const work = requests / steps;
  const leadIn = Math.ceil(requests * LEAD_IN);
  const load = { port: server.port, connections, next, problem };
  await exchange.prepare?.(leadIn + requests, connections);
  const first = await sendLoad({ ...load, requests: leadIn });
  const before = await server.cpu();
  const result = await sendLoad({ ...load, requests });
  const after = await server.cpu();
  const wrong = first.wrong + result.wrong;
  if (wrong > 0) {
    const said = first.firstProblem ?? result.firstProblem ?? '';
    throw new Error(`${wrong} of ${leadIn + requests} answers were wrong, the first one: ${said}`);
  }
  const unconfirmed = await exchange.confirm?.();
  if (unconfirmed !== undefined) throw new Error(unconfirmed);
  cell.user.push((after.user - before.user) / work);
  cell.system.push((after.system - before.system) / work);
  cell.rates.push(work / result.seconds);
}

/** A candidate that errs or answers wrongly is out of this comparison, and says why. */
async function attempt(cell: Cell, requests: number, connections: number): Promise<void> {
  if (cell.disqualified !== undefined) return;
  try {
    await round(cell, requests, connections);
  } catch (error) {
    cell.disqualified = error instanceof Error ? error.message : String(error);
  }
}

async function warmUp(cell: Cell, requests: number, connections: number): Promise<void> {
  const begun = await cell.server.cpu();
  const used = async (): Promise<number> => (await cell.server.cpu()).user - begun.user;
  for (let sent = 0; sent < WARM_UP.requests && (await used()) < WARM_UP.microseconds; sent += requests) {
    await attempt(cell, requests, connections);
  }
  for (const list of [cell.user, cell.system, cell.rates]) list.length = 0;
}

/** Guards of another process need an authorization server, which stays with the load and is not measured. */
const startIssuer = (work: HttpWork, framework: Framework): Promise<MeasuredServer> | undefined =>
  work.startsWith('guard-')
    ? MeasuredServer.start({ framework, candidate: OURS, signed: work !== 'guard-remote', core: 'load' })
    : undefined;

export async function measureHttp(
  work: HttpWork,
  framework: Framework,
  settings: HttpSettings,
): Promise<readonly HttpResult[]> {
  const { rounds, requests, connections, oursOnly, flags, against } = settings;
  const issuer = await startIssuer(work, framework);
  const issuerOptions =
    issuer === undefined ? {} : { issuer: `http://127.0.0.1:${issuer.port}`, signed: work !== 'guard-remote' };
  const cells: Cell[] = [];
  try {
    for (const { name } of candidatesFor(work, framework)) {
      const isWanted = !oursOnly || isOurs(name) || name === BARE || name === MINIMUM;
      if (!isWanted) continue;
      // Of two builds the same server is measured, and nobody else.
      const isCompared = against === undefined || name === OURS;
      for (const build of against !== undefined && isCompared ? [undefined, against] : isCompared ? [undefined] : []) {
        const options = { framework, candidate: name, flags: isOurs(name) ? flags : [], build, ...issuerOptions };
        const server = await MeasuredServer.start(options);
        const issuerPort = issuer === undefined ? {} : { issuerPort: issuer.port };
        const exchange = exchangeFor(work, { port: server.port, candidate: name, ...issuerPort });
        const candidate = build === undefined ? name : BEFORE;
        cells.push({ candidate, server, exchange, user: [], system: [], rates: [], disqualified: undefined });
      }
    }
    for (const cell of cells) await warmUp(cell, requests, connections);
    for (let index = 0; index < rounds; index += 1) {
      for (const cell of index % 2 === 0 ? cells : cells.toReversed()) await attempt(cell, requests, connections);
    }
  } finally {
    for (const { server } of cells) await server.stop();
    await issuer?.stop();
  }
  return cells.map((cell) => resultOf(work, framework, cell, cells));
}

function resultOf(work: HttpWork, framework: Framework, cell: Cell, cells: readonly Cell[]): HttpResult {
  const { candidate, user, system, rates, disqualified } = cell;
  if (disqualified !== undefined) return { work, framework, candidate, disqualified };
  const against = (name: string) => {
    const other = cells.find((one) => one.candidate === name && one.disqualified === undefined);
    return other === undefined ? undefined : summary(ratios(user, other.user));
  };
  const userToBare = against(BARE);
  const userToMinimum = against(MINIMUM);
  const userToBefore = against(BEFORE);
  return {
    work,
    framework,
    candidate,
    microseconds: summary(user.map((value, round) => value + (system[round] ?? Number.NaN))),
    user: summary(user),
    system: summary(system),
    requestsPerSecond: summary(rates),
    ...(userToBare === undefined ? {} : { userToBare }),
    ...(userToMinimum === undefined ? {} : { userToMinimum }),
    ...(userToBefore === undefined ? {} : { userToBefore }),
  };
}
