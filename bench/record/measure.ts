/** Measures the record: work per second and vCPU, over TLS. */
import { candidates } from '../candidates.js';
import { exchangeFor, type Exchange } from '../http/exchanges.js';
import { MeasuredServer } from '../http/measured-server.js';
import { type Cell, type RoundSettings, runRounds } from '../http/round.js';
import { CONNECTIONS, conditionsNow } from '../report/conditions.js';
import type { Certificate } from '../servers/setting.js';
import type { RecordSize } from './arguments.js';
import { createCertificate } from './certificate.js';
import { type Database, startDatabase } from './engines.js';
import {
  type DatabaseName,
  databaseNames,
  entries,
  type Entry,
  recordTitles,
  type RecordWork,
  recordWorks,
} from './lineup.js';
import type { MissingDatabase, RecordResults, RecordRow } from './results.js';

/** A new connection costs as much as ten tokens, or more. */
const HANDSHAKE_SHARE = 0.1;

type Databases = ReadonlyMap<DatabaseName, Database>;

interface Competitor {
  readonly entry: Entry;
  readonly cell: Cell;
}

/** Processes of one server: they share their store, their secrets and the address of the first. */
async function startServers(entry: Entry, databases: Databases, certificate: Certificate): Promise<MeasuredServer[]> {
  const { candidate, framework, database, processes } = entry;
  const store = database === undefined ? undefined : databases.get(database)?.url;
  const servers: MeasuredServer[] = [];
  for (let index = 0; index < processes; index += 1) {
    const [first] = servers;
    const origin = first === undefined ? undefined : `http://127.0.0.1:${first.port}`;
    servers.push(await MeasuredServer.start({ candidate, framework, store, origin, certificate }));
  }
  return servers;
}

function exchangeOf(work: RecordWork, server: MeasuredServer, candidate: string): Exchange {
  const target = { port: server.port, candidate };
  return work === 'handshake' ? { ...exchangeFor('token', target), reconnect: true } : exchangeFor(work, target);
}

const takesPart = ({ candidate, database, processes }: Entry, work: RecordWork): boolean =>
  // A connection costs the same with every store.
  work === 'handshake'
    ? database === undefined && processes === 1
    : candidates.some(({ name, works }) => name === candidate && works.includes(work));

async function measureWork(
  work: RecordWork,
  takingPart: readonly Entry[],
  databases: Databases,
  certificate: Certificate,
  settings: RoundSettings,
): Promise<readonly RecordRow[]> {
  const competitors: Competitor[] = [];
  try {
    for (const entry of takingPart.filter((one) => takesPart(one, work))) {
      const servers = await startServers(entry, databases, certificate);
      const [first] = servers;
      if (first === undefined) continue;
      const database = entry.database === undefined ? undefined : databases.get(entry.database);
      const cell: Cell = {
        candidate: entry.candidate,
        servers,
        exchange: exchangeOf(work, first, entry.candidate),
        certificate: certificate.cert,
        ...(database !== undefined && { engineCpu: () => database.cpu() }),
        costs: [],
        problems: new Map(),
      };
      competitors.push({ entry, cell });
    }
    const cells = competitors.map(({ cell }) => cell);
    await runRounds(cells, settings);
    return competitors.map((competitor) => rowOf(work, competitor));
  } finally {
    for (const { cell } of competitors) for (const server of cell.servers) await server.stop();
  }
}

function rowOf(work: RecordWork, { entry, cell }: Competitor): RecordRow {
  const { label, processes, database: store = 'memory' } = entry;
  const row: RecordRow = { work, label, store, processes, samples: cell.costs };
  return cell.problems.size === 0 ? row : { ...row, problems: Object.fromEntries(cell.problems) };
}

/** Starts the databases, measures every work, and stops them. A database that cannot be started takes no part. */
export async function measureRecord({ rounds, requests, warmUp, findAll }: RecordSize): Promise<RecordResults> {
  const certificate = createCertificate();
  const databases = new Map<DatabaseName, Database>();
  const missing: MissingDatabase[] = [];
  const results: RecordRow[] = [];
  try {
    for (const name of databaseNames) {
      try {
        databases.set(name, await startDatabase(name));
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        missing.push({ name, reason });
        process.stderr.write(`Without ${name}: ${reason}\n`);
      }
    }
    const here = entries.filter(({ database }) => database === undefined || databases.has(database));
    for (const work of recordWorks) {
      process.stderr.write(`${recordTitles[work]} …\n`);
      const share = work === 'handshake' ? HANDSHAKE_SHARE : 1;
      const size = { requests: Math.ceil(requests * share), warmUp: Math.ceil(warmUp * share) };
      const settings = { rounds, ...size, connections: CONNECTIONS, findAll };
      results.push(...(await measureWork(work, here, databases, certificate, settings)));
    }
  } finally {
    for (const database of databases.values()) await database.stop();
  }
  return { ...conditionsNow({ rounds, requests }), warmUp, missing, results };
}
