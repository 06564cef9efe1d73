import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { bundleOf } from '../bundle.js';
import { closeIdleConnections } from '../hosts/client.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface Example {
  /** Its output so far, of both streams. */
  readonly output: string;
  /** Resolves with the first match in its output, now or later; rejects if it ends before. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
  /** How it ended. */
  readonly exit: Promise<number | null>;
  /** Asks it to end, as Ctrl-C does. */
  stop(signal?: 'SIGINT' | 'SIGTERM'): Promise<number | null>;
}

const outputOf = (child: ChildProcess): { readonly text: string; readonly onMore: (listener: () => void) => void } => {
  const listeners: (() => void)[] = [];
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      for (const listener of listeners) listener();
    });
  }
  return {
    get text() {
      return text;
    },
    onMore: (listener) => listeners.push(listener),
  };
};

/** Starts an example as a program of its own. */
export const startExample = async (
  file: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Example> => {
  const child = spawn(process.execPath, [await bundleOf(`examples/${file}`), ...args], {
    cwd: ROOT,
    // Node 22 warns that its SQLite is experimental; only what an example prints counts here.
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      NODE_OPTIONS: '--disable-warning=ExperimentalWarning',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = outputOf(child);
  const exit = once(child, 'close').then(() => child.exitCode);
  return {
    get output() {
      return output.text;
    },
    exit,
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const match = pattern.exec(output.text);
          if (match !== null) resolve(match);
        };
        output.onMore(look);
        look();
        void exit.then(() => reject(new Error(`It ended without ${String(pattern)}:\n${output.text}`)));
      }),
    stop: async (signal = 'SIGTERM') => {
      closeIdleConnections();
      child.kill(signal);
      return exit;
    },
  };
};
