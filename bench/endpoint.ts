/**
 * CPU time per request of a query of one module, whose handler answers from memory, against a bare JSON route of the
 * same framework that gives the same data.
 *
 * Each candidate is a process of its own and tells its own CPU time; rounds alternate, so that what disturbs the machine
 * disturbs both, and a ratio is the median of the ratios within rounds. Run with `npm run build && npx tsc -p bench/tsconfig.json && node .data/bench/endpoint.js`.
 *
 * Environment: `ROUNDS` (21), `REQUESTS` per round (3000), `FRAMEWORK` (all), `FORMATVERSION` (2), `SERVER_FLAGS` for
 * the process of `ours` (such as `--cpu-prof`).
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { rawRequest, sendLoad } from './token-guard/load.js';
import { median } from './token-guard/statistics.js';

const ROUNDS = Number(process.env['ROUNDS'] ?? 21);
const REQUESTS = Number(process.env['REQUESTS'] ?? 3000);
const VERSION = process.env['FORMATVERSION'] ?? '2';
const SERVER_FLAGS = process.env['SERVER_FLAGS']?.split(' ') ?? [];
const CONNECTIONS = 16;
const GOAL = 1.3;
const program = fileURLToPath(new URL('./endpoint-server.js', import.meta.url));
const request = rawRequest(
  'GET',
  `/api?action=query&format=json&formatversion=${VERSION}&list=allpages&aplimit=10`,
  {},
);

interface Message {
  readonly port?: number;
  readonly cpu?: number;
}

class Server {
  readonly #child: ChildProcess;
  readonly #port: number;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.#port = port;
  }

  static async start(framework: string, candidate: string, flags: readonly string[]): Promise<Server> {
    const child = spawn(process.execPath, [...flags, program, framework, candidate], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, NODE_ENV: 'production' },
    });
    const { port } = await nextMessage(child);
    if (port === undefined) throw new Error(`${framework} ${candidate} did not start`);
    // The server has a core of its own; the load comes from the other one.
    spawnSync('taskset', ['-a', '-p', '-c', '0', String(child.pid)]);
    return new Server(child, port);
  }

  /** Microseconds of CPU time per request of one round. */
  async measure(requests: number): Promise<number> {
    const before = await this.#cpu();
    const wrong = await sendLoad({
      port: this.#port,
      request,
      requests,
      connections: CONNECTIONS,
      isRight: ({ status, body }) => status === 200 && body.includes('"title":"Page 10"'),
    });
    if (wrong > 0) throw new Error(`${wrong} wrong answers`);
    return ((await this.#cpu()) - before) / requests;
  }

  async #cpu(): Promise<number> {
    const answer = nextMessage(this.#child);
    this.#child.send('cpu');
    return (await answer).cpu ?? Number.NaN;
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.#child.once('exit', () => resolve());
      this.#child.disconnect();
    });
  }
}

function nextMessage(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null): void => reject(new Error(`the server ended with ${code}`));
    child.once('exit', onExit);
    child.once('message', (message) => {
      child.off('exit', onExit);
      // The only sender is our own server process.
      resolve(message as Message);
    });
  });
}

spawnSync('taskset', ['-a', '-p', '-c', '1', String(process.pid)]);
console.log(`CPU time per request: medians of ${ROUNDS} rounds of ${REQUESTS}, formatversion ${VERSION}`);
for (const framework of ['express', 'koa', 'fastify'].filter((one) => one === (process.env['FRAMEWORK'] ?? one))) {
  const bare = await Server.start(framework, 'bare', []);
  const ours = await Server.start(framework, 'ours', SERVER_FLAGS);
  for (let round = 0; round < 3; round += 1) for (const server of [bare, ours]) await server.measure(REQUESTS);
  const pairs: (readonly [ours: number, bare: number])[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    // One after the other in the same order: what is compared is a pair.
    pairs.push([await ours.measure(REQUESTS), await bare.measure(REQUESTS)]);
  }
  const ratio = median(pairs.map(([own, against]) => own / against));
  const cost = (index: 0 | 1): string => `${median(pairs.map((pair) => pair[index])).toFixed(1)} µs`;
  const verdict = ratio <= GOAL ? 'reached' : 'MISSED';
  console.log(
    `${framework.padEnd(8)} bare ${cost(1)}, ours ${cost(0)}: ${ratio.toFixed(2)} × (goal ${GOAL}, ${verdict})`,
  );
  await bare.stop();
  await ours.stop();
}
