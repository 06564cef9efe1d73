import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { createInterface, type Interface } from 'node:readline';
import { bundleOf } from '../../bundle.js';
import type { Moment } from './haltable.js';

/** A server in a process of its own, and how to talk to it. */
export interface OAuthProcess {
  /** Sends a request; a form makes it a POST. Rejects when the connection breaks, or when the client gives up. */
  send(path: string, options?: SendOptions): Promise<Answer>;
  /** Halts at this call of its store, counted from here, if it comes to that. */
  haltAt(call: number, moment: Moment): Promise<Halt>;
  /** Calls of its store since then. */
  calls(): Promise<number>;
  readonly isAlive: boolean;
  /** Makes it stand still; the system goes on accepting connections and data for it. */
  stop(): void;
  /** Ends that. */
  goOn(): void;
  /** Makes it work without a pause, until what it returns is called. */
  block(): Promise<() => void>;
  /** Ends it without goodbye. */
  kill(): Promise<void>;
}

export interface Halt {
  readonly reached: Promise<void>;
  /** Lets the call go on. */
  end(): void;
}

/** How a process differs from the others. */
export interface ProcessSettings {
  /** Milliseconds by which its clock is ahead. */
  readonly ahead?: number;
  /** Seconds; 0 unless told. */
  readonly refreshGrace?: number;
  /** Seconds; 600 unless told. */
  readonly authorizationCode?: number;
  /** Seconds; 60 unless told. */
  readonly codeReplayTolerance?: number;
  readonly driver?: 'redis' | 'ioredis' | 'mysql2' | 'mariadb';
  /** The store is over a cluster client as its library comes, and not over one that `openStore` has set up. */
  readonly ownClient?: boolean;
  /** The built-in page signs owners in: with any name, and the password `right`. The `sub` is `sub-of-` and the name. */
  readonly users?: boolean;
  /** The store can list, and not be halted. */
  readonly lists?: boolean;
  /** A public key of `https://partner.example`, whose assertions the client `partner` may present for `alice`. */
  readonly partnerKey?: Readonly<Record<string, unknown>>;
  /** Services that exchange tokens, each for each other one: `GET /issue` issues the first to `web`. */
  readonly services?: readonly string[];
  /** A key in PEM, with which access tokens are signed. */
  readonly signingKey?: string;
  /** Errors of the store are expected, and not printed. */
  readonly quiet?: boolean;
}

export interface SendOptions {
  readonly form?: Readonly<Record<string, string>>;
  /** Milliseconds after which the client gives up, from when its request is sent; 10,000 unless told. */
  readonly patience?: number;
  /** The client that gives up keeps its connection open, as one behind a proxy that does not close it. */
  readonly stays?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The members of the JSON object that came, if one did. */
  readonly json: Readonly<Record<string, unknown>>;
}

const LINE_TIMEOUT_MS = 60_000;

/** Several at once on one store: all of them, or none is left. */
export async function startOAuthProcesses(
  count: number,
  address: string | readonly string[],
  settings: ProcessSettings | ((index: number) => ProcessSettings) = {},
): Promise<OAuthProcess[]> {
  const addresses = [address].flat();
  const starts = await Promise.allSettled(
    Array.from({ length: count }, (_, index) =>
      startOAuthProcess(
        addresses[index % addresses.length] ?? '',
        typeof settings === 'function' ? settings(index) : settings,
      ),
    ),
  );
  const started = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  const failed = starts.find((start) => start.status === 'rejected');
  if (!failed) return started;
  await Promise.all(started.map((server) => server.kill()));
  throw failed.reason;
}

/** @param address - Where the store is, as `openStore` understands it. */
export async function startOAuthProcess(address: string, settings: ProcessSettings = {}): Promise<OAuthProcess> {
  const child = spawn(
    process.execPath,
    [await bundleOf('test/stores/engines/oauth-process.ts'), address, JSON.stringify(settings)],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  const lines = createInterface(child.stdout);
  const port = Number((await lineOf(child, lines, /^port (\d+)$/))[1]);
  const agent = new Agent({ keepAlive: true, maxSockets: 100 });
  const isAlive = (): boolean => child.exitCode === null && child.signalCode === null;
  return {
    send: (path, options = {}) => send(agent, port, path, options),
    async haltAt(call, moment) {
      await send(agent, port, `/halt?call=${call}&moment=${moment}`, {});
      return {
        reached: lineOf(child, lines, /^halted$/).then(() => undefined),
        end: () => void child.stdin.write('go on\n'),
      };
    },
    async calls() {
      return Number((await send(agent, port, '/calls', {})).json['calls']);
    },
    stop: () => void child.kill('SIGSTOP'),
    goOn: () => void child.kill('SIGCONT'),
    async block() {
      const blocked = lineOf(child, lines, /^blocked$/);
      await send(agent, port, '/block', {});
      await blocked;
      return () => void child.stdin.write('go on\n');
    },
    get isAlive() {
      return isAlive();
    },
    async kill() {
      if (!isAlive()) return;
      // Its connections end with it, after the answers that have left it.
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

/** Waits for a line of a process; its end is the end of the waiting. */
function lineOf(child: ChildProcess, lines: Interface, pattern: RegExp): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => {
      stop();
      reject(new Error(`a server of the test ${why} before it printed ${String(pattern)}`));
    };
    const onLine = (line: string): void => {
      const match = pattern.exec(line);
      if (match === null) return;
      stop();
      resolve(match);
    };
    const onExit = (code: number | null, signal: string | null): void => fail(`ended with ${code ?? signal}`);
    const onError = (error: Error): void => fail(`did not start (${error.message})`);
    const timer = setTimeout(fail, LINE_TIMEOUT_MS, `was silent for ${LINE_TIMEOUT_MS} ms`);
    const stop = (): void => {
      clearTimeout(timer);
      child.off('exit', onExit).off('error', onError);
      lines.off('line', onLine);
    };
    child.on('exit', onExit).on('error', onError);
    lines.on('line', onLine);
  });
}

function send(
  agent: Agent,
  port: number,
  path: string,
  { form, headers = {}, patience = 10_000, stays = false }: SendOptions,
): Promise<Answer> {
  const body = form && new URLSearchParams(form).toString();
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: '127.0.0.1',
        port,
        path,
        agent,
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          ...(body === undefined
            ? {}
            : {
                'content-type': 'application/x-www-form-urlencoded',
                'content-length': String(Buffer.byteLength(body)),
              }),
          ...headers,
        },
      },
      (incoming) => {
        let text = '';
        incoming.setEncoding('utf8');
        incoming.on('data', (chunk: string) => (text += chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const isJson = incoming.headers['content-type']?.startsWith('application/json') === true;
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            text,
            json: isJson ? JSON.parse(text) : {},
          });
        });
      },
    );
    let timer: NodeJS.Timeout | undefined;
    // On a full machine a connection can take longer than the patience, and a request that never left proves nothing.
    outgoing.on('finish', () => {
      const error = new Error(`no answer from ${path}`);
      timer = setTimeout(() => (stays ? reject(error) : outgoing.destroy(error)), patience);
    });
    outgoing.on('close', () => clearTimeout(timer));
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

export const basic = (client_id: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${client_id}:${client_id}-secret`).toString('base64')}`,
});
