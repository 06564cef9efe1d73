/** Measures one work on one framework: rounds alternate between the candidates. */
import { BARE, candidatesFor, type Framework, type HttpWork, isOurs, MINIMUM, OURS } from '../candidates.js';
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
}

interface Cell {
  readonly candidate: string;
  readonly server: MeasuredServer;
  readonly exchange: Exchange;
  /** Microseconds of CPU time per request, by round. */
  readonly costs: number[];
  /** Requests per second, by round. */
  readonly rates: number[];
  disqualified: string | undefined;
}

/** Requests before the first round: the compiler of the engine has seen everything often enough by then. */
const WARM_UP = 4_000;

/** A share of each round goes ahead unmeasured, because the others have taken the caches of the processor meanwhile. */
const LEAD_IN = 0.1;

/** One round: what is needed is made, a lead-in, the measured requests, and what must hold afterwards. */
async function round(cell: Cell, requests: number, connections: number): Promise<void> {
  const { server, exchange } = cell;
  const { next, problem } = exchange;
  const leadIn = Math.ceil(requests * LEAD_IN);
  const load = { port: server.port, connections, next, problem };
  await exchange.prepare?.(leadIn + requests, connections);
  const first = await sendLoad({ ...load, requests: leadIn });
  const before = await server.cpu();
  const result = await sendLoad({ ...load, requests });
  const cost = ((await server.cpu()) - before) / requests;
  const wrong = first.wrong + result.wrong;
  if (wrong > 0) {
    const said = first.firstProblem ?? result.firstProblem ?? '';
    throw new Error(`${wrong} of ${leadIn + requests} answers were wrong, the first one: ${said}`);
  }
  const unconfirmed = await exchange.confirm?.();
  if (unconfirmed !== undefined) throw new Error(unconfirmed);
  cell.costs.push(cost);
  cell.rates.push(requests / result.seconds);
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
  const { rounds, requests, connections, oursOnly, flags } = settings;
  const issuer = await startIssuer(work, framework);
  const issuerOptions =
    issuer === undefined ? {} : { issuer: `http://127.0.0.1:${issuer.port}`, signed: work !== 'guard-remote' };
  const cells: Cell[] = [];
  try {
    for (const { name } of candidatesFor(work, framework)) {
      const isWanted = !oursOnly || isOurs(name) || name === BARE || name === MINIMUM;
      if (!isWanted) continue;
      const options = { framework, candidate: name, flags: isOurs(name) ? flags : [], ...issuerOptions };
      const server = await MeasuredServer.start(options);
      const issuerPort = issuer === undefined ? {} : { issuerPort: issuer.port };
      const exchange = exchangeFor(work, { port: server.port, candidate: name, ...issuerPort });
      cells.push({ candidate: name, server, exchange, costs: [], rates: [], disqualified: undefined });
    }
    for (const cell of cells) {
      for (let sent = 0; sent < WARM_UP; sent += requests) await attempt(cell, requests, connections);
      cell.costs.length = 0;
      cell.rates.length = 0;
    }
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
  const { candidate, costs, rates, disqualified } = cell;
  if (disqualified !== undefined) return { work, framework, candidate, disqualified };
  const against = (name: string) => {
    const other = cells.find((one) => one.candidate === name && one.disqualified === undefined);
    return other === undefined ? undefined : summary(ratios(costs, other.costs));
  };
  const toBare = against(BARE);
  const toMinimum = against(MINIMUM);
  return {
    work,
    framework,
    candidate,
    microseconds: summary(costs),
    requestsPerSecond: summary(rates),
    ...(toBare === undefined ? {} : { toBare }),
    ...(toMinimum === undefined ? {} : { toMinimum }),
  };
}
