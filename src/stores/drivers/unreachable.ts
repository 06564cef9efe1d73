import { connect } from 'node:net';
import { mistake } from '../../core/base/mistakes.js';
import type { HostPort } from './address.js';

/**
 * Rejects with why these hosts cannot be reached, in the words of the operating system, which name address and reason: clients of a cluster or of
 * Sentinel only say that they found none. If all accept connections, it rejects with the error of the client.
 */
export async function rejectUnreachable(error: unknown, hosts: readonly HostPort[], timeout: number): Promise<never> {
  const problems = await Promise.all(hosts.map((host) => problemOf(host, timeout)));
  const found = problems.filter((problem) => problem !== undefined).join('; ');
  throw found === '' ? error : mistake(`openStore: ${found}`, 'OQ115', error);
}

function problemOf({ host, port }: HostPort, timeout: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout });
    const end = (problem?: string): void => {
      socket.destroy();
      resolve(problem);
    };
    socket.once('connect', () => end());
    socket.once('timeout', () => end(`connect ETIMEDOUT ${host}:${port}`));
    socket.once('error', (error) => end(error instanceof AggregateError ? error.errors.join('; ') : error.message));
  });
}
