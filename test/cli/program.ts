import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { bundleOf } from '../bundle.js';

const ENTRY = 'src/cli/main.ts';

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The little that the program may know of the world. */
export const environment = (more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  // Node 22 warns on its own that its SQLite is young; what the program says is what counts here.
  NODE_OPTIONS: '--disable-warning=ExperimentalWarning',
  ...more,
});

/** Runs the program as a person does, and waits for its end. */
export const oauthQueryProgram = async (
  args: readonly string[],
  { input = '', cwd, env }: { input?: string; cwd?: string; env?: Readonly<Record<string, string>> } = {},
): Promise<Run> => {
  const child = spawn(process.execPath, [await bundleOf(ENTRY), ...args], { cwd, env: environment(env) });
  // A command that reads nothing ends before it is written to.
  child.stdin.on('error', () => undefined).end(input);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
};

export interface Started {
  /** Everything that it has printed so far, on either stream. */
  readonly output: string;
  /** Resolves with the first match in what it prints, now or later; rejects when it ends before. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
  /** Asks it to end, and says how it did. */
  stop(): Promise<number | null>;
}

/** Starts a command that goes on. */
export const startProgram = async (
  args: readonly string[],
  { cwd, env }: { cwd?: string; env?: Readonly<Record<string, string>> } = {},
): Promise<Started> => {
  const child = spawn(process.execPath, [await bundleOf(ENTRY), ...args], { cwd, env: environment(env) });
  const closed = once(child, 'close');
  let output = '';
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      for (const listener of listeners) listener();
    });
  }
  return {
    get output() {
      return output;
    },
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const match = pattern.exec(output);
          if (match !== null) resolve(match);
        };
        listeners.add(look);
        look();
        void closed.then(() => reject(new Error(`It ended without ${String(pattern)}:\n${output}`)));
      }),
    stop: async () => {
      child.kill('SIGTERM');
      await closed;
      return child.exitCode;
    },
  };
};
