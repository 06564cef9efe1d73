import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Candidate, Framework } from './candidates.js';

const program = fileURLToPath(new URL('./server.js', import.meta.url));
const hasTaskset = spawnSync('taskset', ['--version']).status === 0;

/** Whether processes can be kept on one core each, so that the load does not disturb what is measured. */
export const canPin = hasTaskset;

/** Keeps a process on one core, where the system can. */
export function pin(pid: number, core: number): void {
  if (hasTaskset) spawnSync('taskset', ['-a', '-p', '-c', String(core), String(pid)]);
}

/** A candidate in a process of its own, whose CPU time can be read at any moment. */
export class MeasuredServer {
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  /** @param flags - Flags for node, such as `--cpu-prof`. */
  static async start(
    framework: Framework,
    candidate: Candidate,
    core: number,
    flags: readonly string[],
  ): Promise<MeasuredServer> {
    const child = spawn(process.execPath, [...flags, program, framework, candidate], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, NODE_ENV: 'production' },
    });
    const { port } = await nextMessage(child);
    if (port === undefined || child.pid === undefined) throw new Error(`${framework} ${candidate} did not start`);
    pin(child.pid, core);
    return new MeasuredServer(child, port);
  }

  /** Microseconds of CPU time, in user and kernel mode, that the process has used so far. */
  async cpu(): Promise<number> {
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

interface Message {
  readonly port?: number;
  readonly cpu?: number;
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
