import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';

/** Milliseconds for which an idle connection is kept: a request may be on its way on it. */
const IDLE_GRACE = 1_000;

/** Milliseconds after which whatever still runs is cut off. */
const DEADLINE = 10_000;

/**
 * Prepares a server to be stopped without an error for anybody. Call it before the server gets its own listener.
 *
 * @returns Stops it: no new connections, every answer from now on ends its connection (`connection: close`), what runs
 * is finished. Resolves when the last connection is gone, so what the requests need can be closed then.
 */
export const drainable = (server: Server): (() => Promise<void>) => {
  const running = new Set<ServerResponse>();
  let isDraining = false;
  const lastAnswer = (response: ServerResponse): void => {
    if (!response.headersSent) response.setHeader('connection', 'close');
  };
  server.on('request', (_request, response) => {
    if (isDraining) return lastAnswer(response);
    running.add(response);
    response.once('close', () => running.delete(response));
  });
  return () => {
    isDraining = true;
    for (const response of running) lastAnswer(response);
    setTimeout(() => server.closeIdleConnections(), IDLE_GRACE).unref();
    setTimeout(() => server.closeAllConnections(), DEADLINE).unref();
    // The close() of an http server would cut idle connections at once, with the requests that are on their way.
    return new Promise((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  };
};
