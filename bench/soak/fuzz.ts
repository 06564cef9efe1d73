import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { type FuzzedRequest, fuzzedRequests } from '../../test/oauth/support/fuzzed-requests.js';
import type { Memory } from './cluster.js';
import { growing, MemoryLog } from './memory-log.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CONNECTIONS = 32;
/** Maximum of requests between two samples of the memory. */
const SAMPLE = 20_000;
/** Requests generated at once. */
const BATCH = 500;
/** Tokens that look valid, but were never issued. */
const LIVE = ['A'.repeat(43), `${'B'.repeat(22)}${'C'.repeat(43)}`, 'BCDF-GHJK'];

export interface Fuzz {
  readonly statuses: ReadonlyMap<number, number>;
  /** The bounds that did not hold. */
  readonly broken: readonly string[];
}

const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

/** A server that refuses a longer body closes the connection before all of it was sent, and the response may be lost. */
const MAX_BODY_LENGTH = 65_536;

/** The status of the response; 0 if there was none. */
const send = (port: number, { method, address, headers, body }: FuzzedRequest): Promise<number> =>
  new Promise((resolve) => {
    const sent = request(
      { port, host: '127.0.0.1', path: address, method, headers, agent, timeout: 30_000 },
      (answer) => answer.resume().once('close', () => resolve(answer.statusCode ?? 0)),
    );
    sent.once('timeout', () => sent.destroy());
    sent.once('error', () => resolve(body.length > MAX_BODY_LENGTH ? 413 : 0));
    sent.end(body);
  });

/** Sends this many random requests to one process, and checks its responses and its memory. */
export const fuzz = async (requests: number, seed: number): Promise<Fuzz> => {
  const child = fork('bench/soak/fuzz-server.ts', {
    cwd: ROOT,
    execArgv: ['--import', 'tsx', '--expose-gc'],
    env: { PATH: process.env['PATH'], TSX_TSCONFIG_PATH: `${ROOT}tsconfig.json` },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the server ended with ${String(code)}`);
  });
  const statuses = new Map<number, number>();
  const log = new MemoryLog();
  try {
    const [{ port }] = (await Promise.race([once(child, 'message'), ended])) as [{ port: number }]; // its first message
    const sample = Math.min(SAMPLE, Math.ceil(requests / 20));
    let nextSample = sample;
    for (let n = 0; n < requests; n += BATCH) {
      const batch = fc.sample(fuzzedRequests(LIVE), { numRuns: Math.min(BATCH, requests - n), seed: seed + n });
      for (const status of await Promise.all(batch.map((one) => send(port, one))))
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (n < nextSample) continue;
      nextSample += sample;
      child.send('memory');
      const answer = await Promise.race([once(child, 'message'), ended]);
      const [memory] = answer as [Memory & { records: number }]; // its response to the question
      log.add({ name: 'fuzz', life: 1 }, memory);
      const mb = (bytes: number): string => (bytes / 1_048_576).toFixed(1);
      console.log(
        `${n + BATCH} requests: heap ${mb(memory.heapUsed)} MB, rss ${mb(memory.rss)} MB, ${memory.records} records`,
      );
    }
  } finally {
    agent.destroy();
    child.disconnect();
  }
  const faults = [...statuses].filter(([status]) => status >= 500 && status !== 503);
  return {
    statuses,
    broken: [
      ...faults.map(([status, count]) => `${count} answers with status ${status}`),
      ...((statuses.get(0) ?? 0) > 0 ? [`${statuses.get(0) ?? 0} requests without an answer`] : []),
      ...(child.exitCode === null || child.exitCode === 0 ? [] : [`the server ended with ${child.exitCode}`]),
      ...growing(log.trends),
    ],
  };
};
