/** Measures one work on one framework: rounds alternate between the candidates. */
import {
  BARE,
  BEFORE,
  candidatesFor,
  type Framework,
  type HttpWork,
  isOurs,
  MINIMUM,
  MINIMUM_PLUS,
  OURS,
} from '../candidates.js';
import type { HttpResult } from '../report/results.js';
import { ratios, summary, withCommonShare } from '../statistics.js';
import { exchangeFor } from './exchanges.js';
import { problemsInWords } from './load.js';
import { MeasuredServer } from './measured-server.js';
import { type Cell, type Cost, type RoundSettings, runRounds } from './round.js';

interface HttpSettings extends RoundSettings {
  /** Whether to leave the peers out. */
  readonly oursOnly: boolean;
  /** Flags of node for our own servers, such as `--cpu-prof`. */
  readonly flags: readonly string[];
  /** A folder with another build of the package, which takes part as {@link BEFORE}. */
  readonly against: string | undefined;
}

/** Guards in another process need an authorization server, which shares the core of the load and is not measured. */
const startIssuer = (work: HttpWork, framework: Framework): Promise<MeasuredServer> | undefined =>
  work.startsWith('guard-')
    ? MeasuredServer.start({ framework, candidate: OURS, signed: work !== 'guard-remote', core: 'load' })
    : undefined;

export async function measureHttp(
  work: HttpWork,
  framework: Framework,
  settings: HttpSettings,
): Promise<readonly HttpResult[]> {
  const { oursOnly, flags, against } = settings;
  const issuer = await startIssuer(work, framework);
  const issuerOptions =
    issuer === undefined ? {} : { issuer: `http://127.0.0.1:${issuer.port}`, signed: work !== 'guard-remote' };
  const cells: Cell[] = [];
  try {
    for (const { name } of candidatesFor(work, framework)) {
      const isWanted = !oursOnly || isOurs(name) || [BARE, MINIMUM, MINIMUM_PLUS].includes(name);
      if (!isWanted) continue;
      // When two builds are compared, only this server takes part, once with each build.
      const isCompared = against === undefined || name === OURS;
      for (const build of against !== undefined && isCompared ? [undefined, against] : isCompared ? [undefined] : []) {
        const options = { framework, candidate: name, flags: isOurs(name) ? flags : [], build, ...issuerOptions };
        const server = await MeasuredServer.start(options);
        const issuerPort = issuer === undefined ? {} : { issuerPort: issuer.port };
        const exchange = exchangeFor(work, { port: server.port, candidate: name, ...issuerPort });
        const candidate = build === undefined ? name : BEFORE;
        cells.push({ candidate, servers: [server], exchange, costs: [], problems: new Map() });
      }
    }
    await runRounds(cells, settings);
  } finally {
    for (const { servers } of cells) for (const server of servers) await server.stop();
    await issuer?.stop();
  }
  return cells.map((cell) => resultOf(work, framework, cell, cells));
}

function resultOf(work: HttpWork, framework: Framework, cell: Cell, cells: readonly Cell[]): HttpResult {
  const { candidate, problems } = cell;
  const disqualified = problemsInWords(problems);
  if (disqualified !== undefined) return { work, framework, candidate, disqualified };
  const costs = withCommonShare(cell.costs);
  const userOf = (all: readonly Cost[]): readonly number[] => all.map(({ user }) => user);
  const against = (name: string) => {
    const other = cells.find((one) => one.candidate === name && one.problems.size === 0);
    return other === undefined ? undefined : summary(ratios(userOf(costs), userOf(withCommonShare(other.costs))));
  };
  const userToBare = against(BARE);
  const userToMinimum = against(MINIMUM);
  const userToMinimumPlus = against(MINIMUM_PLUS);
  const userToBefore = against(BEFORE);
  return {
    work,
    framework,
    candidate,
    microseconds: summary(costs.map(({ user, system }) => user + system)),
    user: summary(userOf(costs)),
    system: summary(costs.map(({ system }) => system)),
    requestsPerSecond: summary(costs.map(({ perSecond }) => perSecond)),
    ...(userToBare === undefined ? {} : { userToBare }),
    ...(userToMinimum === undefined ? {} : { userToMinimum }),
    ...(userToMinimumPlus === undefined ? {} : { userToMinimumPlus }),
    ...(userToBefore === undefined ? {} : { userToBefore }),
  };
}
