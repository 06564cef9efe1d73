import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';

/** Timeouts of `drainable`, in milliseconds. */
export interface DrainOptions {
  /** Default 1000. After that, idle connections are closed; until then, a request may be on its way on one of them. */
  readonly idle?: number | undefined;
  /** Default 10000. After that, all remaining connections are closed. */
  readonly deadline?: number | undefined;
}

/**
 * Prepares a server of `node:http` or `node:https`, with any framework, for a shutdown without failed requests.
 *
 * @returns a function that stops the server: it accepts no new connections, every further response closes its connection (`connection: close`), and
 * running requests are completed. Resolves when the last connection is closed; then you can close what the requests depend on.
 */
export const drainable = (
  server: Server,
  { idle = 1_000, deadline = 10_000 }: DrainOptions = {},
): (() => Promise<void>) => {
  const running = new Set<ServerResponse>();
  let drained: Promise<void> | undefined;
  const lastAnswer = (response: ServerResponse): void => {
    if (!response.headersSent) response.setHeader('connection', 'close');
  };
  // Runs before the listener that responds, whichever was added first.
  server.prependListener('request', (_request, response) => {
    if (drained !== undefined) return lastAnswer(response);
    running.add(response);
    response.once('close', () => running.delete(response));
  });
  const drain = (): Promise<void> => {
    for (const response of running) lastAnswer(response);
    setTimeout(() => server.closeIdleConnections(), idle).unref();
    setTimeout(() => server.closeAllConnections(), deadline).unref();
    // close() of an http server would close idle connections immediately, with requests that are on their way.
    return new Promise((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  };
  return () => (drained ??= drain());
};
