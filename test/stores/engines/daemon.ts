import { type ChildProcess, execFileSync, spawn, type SpawnOptions } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';

/** A server program of our own on loopback: started, paused, killed and started again by the test. */
export interface Daemon {
  readonly port: number;
  /** Of the program, while it runs. */
  pid(): number | undefined;
  /** Freezes the program with all its children (SIGSTOP): connections stay open, answers stay away. */
  pause(): void;
  resume(): void;
  /** Ends it without goodbye. */
  kill(): Promise<void>;
  /** Starts it again on the same port and directory, and waits until it is ready. */
  start(): Promise<void>;
  /** Kills it and removes its directory. */
  remove(): Promise<void>;
}

interface Program {
  readonly file: string;
  /** Called before each start, if it is a function. */
  readonly args: readonly string[] | (() => Promise<readonly string[]>);
  readonly options?: SpawnOptions;
  readonly port: number;
  readonly directory: string;
  /** What it prints when it takes connections. */
  readonly ready: RegExp;
  /** How it dies without leaving anything behind. */
  readonly killSignal?: NodeJS.Signals;
}

const START_TIMEOUT_MS = 60_000;

export async function startDaemon(program: Program): Promise<Daemon> {
  const { file, args, options = {}, port, directory, ready, killSignal = 'SIGKILL' } = program;
  let child: ChildProcess | undefined;

  let guard: ChildProcess | undefined;

  const daemon: Daemon = {
    port,
    pid: () => child?.pid,
    async start() {
      const started = spawn(file, typeof args === 'function' ? await args() : args, {
        ...options,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child = started;
      guard = guardOf(started, killSignal);
      await untilReady(started, file, ready);
    },
    pause() {
      const pids = family(child);
      for (const pid of pids) signal(pid, 'SIGSTOP');
      while (!areStopped(pids));
    },
    resume() {
      for (const pid of family(child)) signal(pid, 'SIGCONT');
    },
    async kill() {
      const dying = child;
      child = undefined;
      guard?.kill('SIGKILL');
      if (!dying || dying.exitCode !== null || dying.signalCode !== null) return;
      const gone = once(dying, 'exit');
      for (const pid of family(dying)) signal(pid, 'SIGCONT');
      dying.kill(killSignal);
      await gone;
    },
    async remove() {
      await daemon.kill();
      // A program that the server has started may still write there.
      rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
  await daemon.start().catch(async (error: unknown) => {
    await daemon.remove();
    throw error;
  });
  return daemon;
}

/** Ends the program when this process ends in whatever way: then the guard's input does, too. */
function guardOf({ pid }: ChildProcess, killSignal: NodeJS.Signals): ChildProcess | undefined {
  if (pid === undefined) return undefined;
  const script = `read -r _; kill -CONT ${pid}; kill -${killSignal.slice('SIG'.length)} ${pid}`;
  return spawn('sh', ['-c', script], { stdio: ['pipe', 'ignore', 'ignore'] });
}

function untilReady(child: ChildProcess, file: string, ready: RegExp): Promise<void> {
  const output: string[] = [];
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => reject(new Error(`${file} ${why}\n${output.join('\n')}`));
    const timer = setTimeout(fail, START_TIMEOUT_MS, 'did not get ready');
    child.once('error', (error) => fail(error.message));
    child.once('exit', (code) => fail(`ended with ${code}`));
    for (const stream of [child.stdout, child.stderr]) {
      if (!stream) continue;
      // Read to the end, because a full pipe would stop the program.
      createInterface(stream).on('line', (line) => {
        output.push(line);
        if (!ready.test(line)) return;
        clearTimeout(timer);
        resolve();
      });
    }
  });
}

/** The process and its children. */
function family(child: ChildProcess | undefined): number[] {
  if (child?.pid === undefined) return [];
  const children = execFileSync('ps', ['-e', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, parent]) => parent === child.pid)
    .flatMap(([pid]) => (pid === undefined ? [] : [pid]));
  return [child.pid, ...children];
}

/** Whether every thread stands still: one that is working on another processor still answers after the signal was sent. */
function areStopped(pids: readonly number[]): boolean {
  if (pids.length === 0) return true;
  const states = execFileSync('ps', ['-L', '-o', 'stat=', '-p', pids.join()], { encoding: 'utf8' });
  return states.split('\n').every((state) => /^[TZ]|^$/.test(state));
}

/** A child may end by itself between being listed and being signalled. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** Below the ports that systems give to outgoing connections, so that none of ours is taken by chance. */
const FIRST_PORT = 12_000;
const PORTS = 20_000;

/**
 * A port that is free, and that no other worker gets from here while this process lives: the UDP port of the same number is
 * the mark that it is taken, and goes with the process.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
    if ((await isReserved(port)) && (await isFree(port))) return port;
  }
  throw new Error('no port');
}

async function isReserved(port: number): Promise<boolean> {
  const mark = createSocket('udp4').unref();
  try {
    mark.bind({ port, address: '127.0.0.1', exclusive: true });
    await once(mark, 'listening');
    return true;
  } catch {
    return false;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
    return true;
  } catch {
    return false;
  }
}

export function temporaryDirectory(): string {
  return mkdtempSync(join(tmpdir(), 'oauth-query-'));
}

/** The full path of a program, looked for in PATH and then in `more`. */
export function findProgram(name: string, more: readonly string[] = []): string | undefined {
  const directories = [...(process.env['PATH'] ?? '').split(delimiter), ...more];
  return directories.map((directory) => join(directory, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
