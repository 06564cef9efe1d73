import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../test/stores/engines/daemon.js';
import { command, startRedis } from '../../test/stores/engines/redis.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const REPORTER = new URL('memory-reporter.ts', import.meta.url).href;
const FRAMEWORKS = ['express', 'koa', 'fastify', 'express'] as const;

/** What all processes call themselves: the address of the load balancer that they would stand behind. */
export const ISSUER = 'https://demo.example';

/** Bytes. */
export interface Memory {
  readonly rss: number;
  readonly heapUsed: number;
}

/** Several demo processes on one Redis. */
export interface Cluster {
  readonly processes: readonly DemoProcess[];
  redisMemory(): Promise<number>;
  stop(): Promise<void>;
}

/** Milliseconds that a process may take to end; it cuts off what runs after ten seconds. */
const END_TIMEOUT = 15_000;

/** The demo says at every start that its old grants are discouraged, and how far it is; everything else is news. */
const ON_PURPOSE = /is switched on\. It is discouraged|^Reading the export/;

const told = new Set<string>();

/** What the processes complain about, the first line of each complaint once: under load there may be thousands. */
const tellOnce = (text: string): void => {
  const [complaint = ''] = text.split('\n');
  if (complaint.trim() === '' || ON_PURPOSE.test(complaint) || told.has(complaint)) return;
  told.add(complaint);
  console.error(`A process says: ${complaint}`);
};

const startChild = async (framework: string, port: number, store: string): Promise<ChildProcess> => {
  const child = fork('examples/demo/main.ts', {
    cwd: ROOT,
    execArgv: ['--disable-warning=ExperimentalWarning', '--import', 'tsx', '--expose-gc', '--import', REPORTER],
    env: {
      PATH: process.env['PATH'],
      TSX_TSCONFIG_PATH: `${ROOT}tsconfig.json`,
      FRAMEWORK: framework,
      PORT: String(port),
      STORE: store,
      ISSUER,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  child.stderr?.setEncoding('utf8').on('data', tellOnce);
  const ready = new Promise<void>((resolve, reject) => {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (text.includes('oauth-query demo on')) resolve();
    });
    child.once('exit', (code) => reject(new Error(`A demo process ended with ${String(code)} before it was ready.`)));
  });
  await ready;
  return child;
};

const endChild = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) throw new Error('A demo process has ended by itself.');
  const exit = once(child, 'exit', { signal: AbortSignal.timeout(END_TIMEOUT) });
  child.kill('SIGTERM');
  const [code] = await exit;
  if (code !== 0) throw new Error(`A demo process that was asked to end did so with ${String(code)}.`);
};

const memoryOf = async (child: ChildProcess): Promise<Memory | undefined> => {
  if (!child.connected) return undefined;
  const answer = once(child, 'message', { signal: AbortSignal.timeout(5_000) });
  child.send('memory');
  const [memory] = await answer.catch(() => [undefined]);
  return memory as Memory | undefined; // That is what the reporter sends.
};

/** One process of the demo on a port of its own, which it keeps over a restart. */
export class DemoProcess {
  readonly name: string;
  readonly port: number;
  readonly #framework: string;
  readonly #store: string;
  #child: ChildProcess | undefined;
  #life = 0;

  constructor(index: number, port: number, store: string) {
    this.#framework = FRAMEWORKS[index % FRAMEWORKS.length] ?? 'express';
    this.name = `${index + 1} ${this.#framework}`;
    this.port = port;
    this.#store = store;
  }

  /** Counts its starts. */
  get life(): number {
    return this.#life;
  }

  /** Resolves when it is ready. */
  async start(): Promise<void> {
    this.#child = await startChild(this.#framework, this.port, this.#store);
    this.#life += 1;
  }

  /** Asks it to end, and waits for that. */
  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child !== undefined) await endChild(child);
  }

  /** What it holds; `undefined` while it is away. */
  async memory(): Promise<Memory | undefined> {
    return this.#child === undefined ? undefined : memoryOf(this.#child);
  }
}

/** Starts a Redis of our own and so many processes on it. They end with this program, however it ends. */
export const startCluster = async (size: number): Promise<Cluster> => {
  const redis = await startRedis('--maxmemory', '4gb', '--maxmemory-policy', 'noeviction');
  const processes: DemoProcess[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(processes.map((demo) => demo.stop()));
    await redis.remove();
  };
  try {
    for (let index = 0; index < size; index += 1) processes.push(new DemoProcess(index, await freePort(), redis.url));
    await Promise.all(processes.map((demo) => demo.start()));
  } catch (error) {
    await redis.remove();
    throw error;
  }
  return {
    processes,
    redisMemory: async () => Number(/used_memory:(\d+)/.exec(String(await command(redis.url, 'INFO', 'memory')))?.[1]),
    stop,
  };
};
