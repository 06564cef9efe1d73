import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { vi } from 'vitest';
import { runProgram } from '../../src/cli/program.js';
import { bundleOf } from '../bundle.js';
import { closeIdleConnections } from '../hosts/client.js';

const ENTRY = 'src/cli/main.ts';

export interface Run {
  readonly code: number | null | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** The environment of the program: nothing of this process that could matter. */
export const environment = (more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  // Node 22 warns that its SQLite is experimental; only the output of the program counts here.
  NODE_OPTIONS: '--disable-warning=ExperimentalWarning',
  ...more,
});

/**
 * Runs a command line in this process, with the output and exit code of the program: a process for each of a hundred calls would take
 * half a minute.
 */
export const oauthQueryInProcess = async (
  args: readonly string[],
  { input = '', env = {} }: { input?: string; env?: Readonly<Record<string, string>> } = {},
): Promise<Run> => {
  let [stdout, stderr] = ['', ''];
  vi.stubEnv('STORE_URL', undefined);
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  try {
    const code = await runProgram(args, {
      stdin: Readable.from([Buffer.from(input)]) as unknown as NodeJS.ReadStream, // As much of one as is read.
      print: (line) => {
        stdout += `${line}\n`;
      },
      tell: (line) => {
        stderr += `${line}\n`;
      },
      style: (_style, text) => text,
    });
    return { code, stdout, stderr };
  } finally {
    vi.unstubAllEnvs();
  }
};

/** Runs the program in a process of its own, and waits for its end. */
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
  /** Its output so far, of both streams. */
  readonly output: string;
  /** Resolves with the first match in its output, now or later; rejects if it ends before. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
  /** Stops it, and returns its exit code. */
  stop(): Promise<number | null>;
}

/** Starts a command that goes on until it is stopped. */
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
      closeIdleConnections();
      child.kill('SIGTERM');
      await closed;
      return child.exitCode;
    },
  };
};
