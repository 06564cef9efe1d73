/**
 * CPU time per request of a client_credentials token request and of a guarded GET, against bare routes of the same
 * framework and against a hand-written minimum, all from one run; and what importing an adapter costs. `npm run bench`
 *
 * Each candidate is a process of its own, kept on one core, and tells its own CPU time; the load comes from the other
 * core. Rounds alternate between candidates, so that what disturbs the machine disturbs all of them; a ratio is the
 * median of the ratios within rounds. A round with a wrong answer is not counted.
 *
 * Environment: `ROUNDS` (21), `REQUESTS` per round (3000), `FRAMEWORK` (all), `WORK` (`token` and `guard`), `IMPORTS`
 * (25), `SERVER_FLAGS` for the process of `ours` (such as `--cpu-prof`).
 */
import { cpus } from 'node:os';
import { type Candidate, candidates, type Framework, frameworks } from './candidates.js';
import { importTimes } from './import-time.js';
import { type Answer, rawRequest, sendLoad } from './load.js';
import { canPin, MeasuredServer, pin } from './measured-server.js';
import { CLIENT_ID, CLIENT_SECRET } from './minimum.js';
import { median } from './statistics.js';

const ROUNDS = Number(process.env['ROUNDS'] ?? 21);
const REQUESTS = Number(process.env['REQUESTS'] ?? 3000);
const IMPORTS = Number(process.env['IMPORTS'] ?? 25);
const SERVER_FLAGS = process.env['SERVER_FLAGS']?.split(' ') ?? [];
const CONNECTIONS = 16;
const SERVER_CORE = 0;
const LOAD_CORE = 1;

const GOALS: Readonly<Record<Framework, { token: number; guard: number; importMs: number }>> = {
  express: { token: 0.9, guard: 1.15, importMs: 20 },
  koa: { token: 1, guard: 1.15, importMs: 20 },
  fastify: { token: 1.5, guard: 1.15, importMs: 20 },
};

/** What is sent to a candidate, and which answers are right. */
interface Work {
  readonly name: 'token' | 'guard';
  readonly candidate: Candidate;
  readonly request: Buffer;
  readonly isRight: (answer: Answer) => boolean;
}

const basic = `Basic ${Buffer.from(`${CLIENT_ID}:${CLIENT_SECRET}`).toString('base64')}`;
const TOKEN_ANSWER =
  /^\{"access_token":"([\w-]{43})","token_type":"Bearer","expires_in":3600,"scope":"content\.read"\}$/;

function tokenWork(candidate: Candidate): Work {
  const headers = { authorization: basic, 'content-type': 'application/x-www-form-urlencoded' };
  const request = rawRequest('POST', '/oauth/token', headers, 'grant_type=client_credentials&scope=content.read');
  let previous: string | undefined;
  const isRight = ({ status, body }: Answer): boolean => {
    const token = TOKEN_ANSWER.exec(body)?.[1];
    const fresh = candidate === 'bare' || token !== previous;
    previous = token;
    return status === 200 && token !== undefined && fresh;
  };
  return { name: 'token', candidate, request, isRight };
}

async function guardWork(candidate: Candidate, ours: MeasuredServer): Promise<Work> {
  const { access_token } = await ownToken(ours);
  const request = rawRequest('GET', '/content', { authorization: `Bearer ${access_token}` });
  return { name: 'guard', candidate, request, isRight: ({ status, body }) => status === 200 && body === '{"ok":true}' };
}

/** A token from our own server; and its guard must refuse who has none, or there is nothing to measure. */
async function ownToken({ port }: MeasuredServer): Promise<{ access_token: string }> {
  const origin = `http://127.0.0.1:${port}`;
  const refused = await fetch(`${origin}/content`);
  if (refused.status !== 401) throw new Error(`the guard answered ${refused.status} without a token`);
  const body = new URLSearchParams({ grant_type: 'client_credentials', scope: 'content.read' });
  const response = await fetch(`${origin}/oauth/token`, { method: 'POST', headers: { authorization: basic }, body });
  // Our own answer; if it has no token the first guarded request is wrong.
  return (await response.json()) as { access_token: string };
}

/** Microseconds of CPU time per request of one round, or `undefined` when an answer was wrong. */
async function measure(
  server: MeasuredServer,
  { request, isRight }: Work,
  requests: number,
): Promise<number | undefined> {
  const before = await server.cpu();
  const wrong = await sendLoad({ port: server.port, request, requests, connections: CONNECTIONS, isRight });
  const after = await server.cpu();
  return wrong === 0 ? (after - before) / requests : undefined;
}

const isWanted = (name: Work['name']): boolean => (process.env['WORK'] ?? name) === name;

interface Cell {
  readonly server: MeasuredServer;
  readonly work: Work;
  /** Microseconds per request, by round. */
  readonly costs: (number | undefined)[];
}

async function measureFramework(framework: Framework): Promise<readonly Cell[]> {
  const servers = new Map<Candidate, MeasuredServer>();
  for (const candidate of candidates) {
    const flags = candidate === 'ours' ? SERVER_FLAGS : [];
    servers.set(candidate, await MeasuredServer.start(framework, candidate, SERVER_CORE, flags));
  }
  const ours = servers.get('ours');
  const cells: Cell[] = [];
  for (const [candidate, server] of servers) {
    if (isWanted('token')) cells.push({ server, work: tokenWork(candidate), costs: [] });
    if (isWanted('guard') && ours !== undefined && candidate !== 'minimum') {
      cells.push({ server, work: await guardWork(candidate, ours), costs: [] });
    }
  }
  for (const { server, work } of cells) await measure(server, work, 2 * REQUESTS); // Warm up.
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { server, work, costs } of round % 2 === 0 ? cells : cells.toReversed()) {
      costs.push(await measure(server, work, REQUESTS));
    }
  }
  for (const server of servers.values()) await server.stop();
  return cells;
}

/** The rounds in which both answered everything rightly, as pairs. */
function pairs(
  cells: readonly Cell[],
  name: Work['name'],
  candidate: Candidate,
): readonly (readonly [cost: number, bare: number])[] {
  const costsOf = (who: Candidate) =>
    cells.find(({ work }) => work.name === name && work.candidate === who)?.costs ?? [];
  const bare = costsOf('bare');
  return costsOf(candidate).flatMap((cost, round) => {
    const against = bare[round];
    return cost === undefined || against === undefined ? [] : [[cost, against] as const];
  });
}

/** Prints one line and tells the ratio. */
function report(
  framework: Framework,
  cells: readonly Cell[],
  name: Work['name'],
  candidate: Candidate,
  goal?: number,
): number {
  const counted = pairs(cells, name, candidate);
  const cost = median(counted.map(([own]) => own));
  const ratio = median(counted.map(([own, bare]) => own / bare));
  const verdict = goal === undefined ? '' : `goal ≤ ${goal.toFixed(2)}  ${ratio <= goal ? 'reached' : 'MISSED'}`;
  const lost =
    ROUNDS - counted.length === 0 ? '' : `  (${ROUNDS - counted.length} rounds with wrong answers not counted)`;
  const columns = [framework.padEnd(8), name.padEnd(6), candidate.padEnd(8), `${cost.toFixed(1)} µs`.padStart(9)];
  console.log(`${columns.join('  ')}  ${ratio.toFixed(2).padStart(5)} × bare  ${verdict}${lost}`);
  return ratio;
}

function reportFramework(framework: Framework, cells: readonly Cell[]): void {
  const { token, guard } = GOALS[framework];
  if (isWanted('token')) {
    report(framework, cells, 'token', 'bare');
    const minimum = report(framework, cells, 'token', 'minimum');
    const ours = report(framework, cells, 'token', 'ours', token);
    console.log(`${framework.padEnd(8)}  token   capacity ${((100 * minimum) / ours).toFixed(0)} % of the minimum's`);
  }
  if (isWanted('guard')) {
    report(framework, cells, 'guard', 'bare');
    report(framework, cells, 'guard', 'ours', guard);
  }
}

if (canPin && cpus().length > 1) pin(process.pid, LOAD_CORE);
else console.log('Note: processes are not kept on cores of their own here; expect more scatter.');
console.log(
  `CPU time per request: medians of ${ROUNDS} alternating rounds of ${REQUESTS} requests, node ${process.version}`,
);
for (const framework of frameworks.filter((name) => name === (process.env['FRAMEWORK'] ?? name))) {
  reportFramework(framework, await measureFramework(framework));
}
if (IMPORTS > 0) console.log(`Import of an adapter minus plain node: medians of ${IMPORTS} interleaved pairs`);
for (const [framework, { wall, cpu }] of IMPORTS > 0 ? importTimes(IMPORTS) : []) {
  const goal = GOALS[framework].importMs;
  const verdict = `goal ≤ ${goal} ms  ${wall <= goal ? 'reached' : 'MISSED'}`;
  console.log(
    `${framework.padEnd(8)}  ${wall.toFixed(1)} ms by the clock, ${cpu.toFixed(1)} ms of CPU time  ${verdict}`,
  );
}
