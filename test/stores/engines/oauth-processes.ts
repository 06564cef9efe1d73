import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A server in a process of its own, and how to talk to it. */
export interface OAuthProcess {
  /** Sends a request; a form makes it a POST. Rejects when the connection breaks or nothing comes for 10 seconds. */
  send(path: string, options?: SendOptions): Promise<Answer>;
  /** Ends it without goodbye. */
  kill(): Promise<void>;
}

export interface SendOptions {
  readonly form?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The members of the JSON object that came, if one did. */
  readonly json: Readonly<Record<string, unknown>>;
}

const ENTRY = fileURLToPath(new URL('oauth-process.ts', import.meta.url));

/** Several at once on one store: all of them, or none is left. */
export async function startOAuthProcesses(count: number, where: string): Promise<OAuthProcess[]> {
  const starts = await Promise.allSettled(Array.from({ length: count }, () => startOAuthProcess(where)));
  const started = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  const failed = starts.find((start) => start.status === 'rejected');
  if (!failed) return started;
  await Promise.all(started.map((server) => server.kill()));
  throw failed.reason;
}

/** @param where - Where the store is, as `oauth-process.ts` understands it. */
export async function startOAuthProcess(where: string): Promise<OAuthProcess> {
  const child = spawn(process.execPath, ['--import', 'tsx', ENTRY, where], { stdio: ['pipe', 'pipe', 'inherit'] });
  const port = await untilListening(child);
  const agent = new Agent({ keepAlive: true, maxSockets: 50 });
  return {
    send: (path, options = {}) => send(agent, port, path, options),
    async kill() {
      agent.destroy();
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

function untilListening(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
    if (child.stdout) {
      createInterface(child.stdout).on('line', (line) => {
        const [, port] = /^port (\d+)$/.exec(line) ?? [];
        if (port !== undefined) resolve(Number(port));
      });
    }
  });
}

function send(agent: Agent, port: number, path: string, { form, headers = {} }: SendOptions): Promise<Answer> {
  const body = form && new URLSearchParams(form).toString();
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: '127.0.0.1',
        port,
        path,
        agent,
        method: body === undefined ? 'GET' : 'POST',
        timeout: 10_000,
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
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer from ${path}`)));
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

export const basic = (client_id: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${client_id}:${client_id}-secret`).toString('base64')}`,
});
