import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { ServerTask } from '../servers/setting.js';

const SERVER_CORE = '0';
const LOAD_CORE = '1';

const program = fileURLToPath(new URL('../servers/server.js', import.meta.url));
const otherBuild = new URL('../servers/other-build.js', import.meta.url).href;

/** Whether processes can be pinned to one core each, so that the load does not disturb the server. */
export const canPin = cpus().length > 1 && spawnSync('taskset', ['--version']).status === 0;

/** Pins this process, which sends the load, to the other core. Processes that it starts without a core of their own inherit this. */
export function pinLoad(): void {
  if (canPin) spawnSync('taskset', ['-a', '-p', '-c', LOAD_CORE, String(process.pid)]);
}

export interface ServerOptions extends Omit<ServerTask, 'issuer' | 'signed'> {
  /** The authorization server that guards of another process ask. */
  readonly issuer?: string;
  /** Whether our own server issues signed tokens. */
  readonly signed?: boolean;
  /** `load` for a server that is not measured itself. */
  readonly core?: 'server' | 'load';
  /** For node, such as `--cpu-prof`. */
  readonly flags?: readonly string[];
  /** A folder with another build of the package, from which the server then imports `oauth-query/…`. */
  readonly build?: string | undefined;
}

/** A candidate in a process of its own, whose CPU time and heap can be read at any moment. */
export class MeasuredServer {
  readonly port: number;
  /** If the server has a certificate. */
  readonly tlsPort: number | undefined;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number, tlsPort: number | undefined) {
    this.#child = child;
    this.port = port;
    this.tlsPort = tlsPort;
  }

  static async start(options: ServerOptions): Promise<MeasuredServer> {
    const { issuer = '', signed = false, core = 'server', flags = [], build, ...rest } = options;
    const { framework, candidate } = rest;
    const task: ServerTask = { issuer, signed, ...rest };
    const hook = build === undefined ? [] : ['--import', otherBuild];
    const node = [process.execPath, ...flags, ...hook, program, JSON.stringify(task)];
    const pinned = canPin ? ['taskset', '-c', core === 'server' ? SERVER_CORE : LOAD_CORE, ...node] : node;
    const [command = process.execPath, ...args] = pinned;
    const child = spawn(command, args, {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: { ...process.env, NODE_ENV: 'production', ...(build !== undefined && { BENCH_BUILD: build }) },
    });
    // Shown if the process does not start; some candidates print advice at every start.
    let output = '';
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      output = (output + chunk).slice(-4000);
    });
    const { port, tlsPort } = await nextMessage(child).catch((error: unknown) => {
      // Without the code that node quotes, which may be one long line.
      const readable = output.split('\n').filter((line) => line !== '' && line.length < 300);
      throw new Error(`${candidate} on ${framework} did not start: ${readable.join(' ')}`, { cause: error });
    });
    if (port === undefined) throw new Error(`${candidate} on ${framework} did not report its port.`);
    return new MeasuredServer(child, port, tlsPort);
  }

  /** Microseconds of CPU time so far, of all threads, garbage collection included. */
  async cpu(): Promise<NodeJS.CpuUsage> {
    return (await this.#ask('cpu')).cpu ?? { user: Number.NaN, system: Number.NaN };
  }

  /** Bytes in use after a garbage collection; needs the flag `--expose-gc`. */
  async heap(): Promise<number> {
    return (await this.#ask('heap')).heap ?? Number.NaN;
  }

  /** Bytes of the heap in use, without a garbage collection, and the collections so far. */
  async allocated(): Promise<{ readonly used: number; readonly collections: number }> {
    return (await this.#ask('allocated')).allocated ?? { used: Number.NaN, collections: Number.NaN };
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#child.exitCode !== null) {
        resolve();
        return;
      }
      this.#child.once('exit', () => resolve());
      this.#child.disconnect();
    });
  }

  #ask(question: 'cpu' | 'heap' | 'allocated'): Promise<Message> {
    const answer = nextMessage(this.#child);
    this.#child.send(question);
    return answer;
  }
}

/** A message of `servers/server.ts`. */
interface Message {
  readonly port?: number;
  readonly tlsPort?: number;
  readonly cpu?: NodeJS.CpuUsage;
  readonly heap?: number;
  readonly allocated?: { readonly used: number; readonly collections: number };
}

function nextMessage(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null): void => reject(new Error(`the server ended with ${code}`));
    child.once('exit', onExit);
    child.once('error', reject);
    child.once('message', (message) => {
      child.off('exit', onExit);
      child.off('error', reject);
      // The only sender is our own server process.
      resolve(message as Message);
    });
  });
}
