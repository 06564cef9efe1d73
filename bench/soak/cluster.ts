import { type ChildProcess, fork } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../test/stores/engines/daemon.js';
import { command, startRedis } from '../../test/stores/engines/redis.js';
import { ISSUER } from './site.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const REPORTER = new URL('memory-reporter.ts', import.meta.url).href;
const FRAMEWORKS = ['express', 'koa', 'fastify', 'express'] as const;

/** Of all processes, in PEM. */
const ID_TOKEN_KEY = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
  type: 'pkcs8',
  format: 'pem',
});

/** Bytes. */
export interface Memory {
  readonly rss: number;
  readonly heapUsed: number;
}

/** Several server processes on one Redis. */
export interface Cluster {
  readonly processes: readonly ServerProcess[];
  redisMemory(): Promise<number>;
  stop(): Promise<void>;
}

/** Milliseconds that a process may take to end; it closes all connections after ten seconds. */
const END_TIMEOUT = 15_000;

const printed = new Set<string>();

/** Prints the first line of each warning of the processes once: under load there may be thousands. */
const printOnce = (text: string): void => {
  const [line = ''] = text.split('\n');
  if (line.trim() === '' || printed.has(line)) return;
  printed.add(line);
  console.error(`A process printed: ${line}`);
};

const startChild = async (framework: string, port: number, store: string): Promise<ChildProcess> => {
  const child = fork('bench/soak/server.ts', {
    cwd: ROOT,
    execArgv: ['--disable-warning=ExperimentalWarning', '--import', 'tsx', '--expose-gc', '--import', REPORTER],
    env: {
      PATH: process.env['PATH'],
      TSX_TSCONFIG_PATH: `${ROOT}tsconfig.json`,
      FRAMEWORK: framework,
      PORT: String(port),
      STORE: store,
      ISSUER,
      ID_TOKEN_KEY: String(ID_TOKEN_KEY),
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  child.stderr?.setEncoding('utf8').on('data', printOnce);
  const ready = new Promise<void>((resolve, reject) => {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (text.includes('ready')) resolve();
    });
    child.once('exit', (code) => reject(new Error(`A server process ended with ${String(code)} before it was ready.`)));
  });
  await ready;
  return child;
};

const endChild = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) throw new Error('A server process ended unexpectedly.');
  const exit = once(child, 'exit', { signal: AbortSignal.timeout(END_TIMEOUT) });
  child.kill('SIGTERM');
  const [code] = await exit;
  if (code !== 0) throw new Error(`A server process ended with ${String(code)} after SIGTERM.`);
};

const memoryOf = async (child: ChildProcess): Promise<Memory | undefined> => {
  if (!child.connected) return undefined;
  const answer = once(child, 'message', { signal: AbortSignal.timeout(5_000) });
  child.send('memory');
  const [memory] = await answer.catch(() => [undefined]);
  return memory as Memory | undefined; // as the reporter sends it
};

/** A server process, which keeps its port when it is restarted. */
export class ServerProcess {
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

  /** Ends the process, and waits for that. */
  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child !== undefined) await endChild(child);
  }

  /** Its memory; `undefined` while it is not running. */
  async memory(): Promise<Memory | undefined> {
    return this.#child === undefined ? undefined : memoryOf(this.#child);
  }
}

/** Starts a Redis and this many processes on it. They end with this program, however it ends. */
export const startCluster = async (size: number): Promise<Cluster> => {
  const redis = await startRedis('--maxmemory', '4gb', '--maxmemory-policy', 'noeviction');
  const processes: ServerProcess[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(processes.map((one) => one.stop()));
    await redis.remove();
  };
  try {
    for (let index = 0; index < size; index += 1) processes.push(new ServerProcess(index, await freePort(), redis.url));
    await Promise.all(processes.map((one) => one.start()));
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
