import { connect } from 'node:net';
import type { HostPort } from './address.js';

/**
 * Why these hosts cannot be reached, in the words of the operating system, which name address and reason: clients of a cluster or of Sentinel only say
 * that they found none.
 *
 * @returns `undefined` if all accept connections.
 */
export async function unreachable(hosts: readonly HostPort[], timeout: number): Promise<string | undefined> {
  const problems = await Promise.all(hosts.map((host) => problemOf(host, timeout)));
  return problems.filter((problem) => problem !== undefined).join('; ') || undefined;
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
