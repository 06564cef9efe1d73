import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { afterAll, beforeAll } from 'vitest';

const nameOf = (address = '', port = 0): string => `${address}:${port}`;

/** Finds the server's side of the connection of a client in this process. Call it in a suite, before its tests. */
export const acceptedSockets = (): ((client: Socket) => Socket | undefined) => {
  const accepted = new Map<string, Socket>();
  const onRequest = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket }; // As Node documents it.
    accepted.set(nameOf(socket.remoteAddress, socket.remotePort), socket);
  };
  beforeAll(() => subscribe('http.server.request.start', onRequest));
  afterAll(() => void unsubscribe('http.server.request.start', onRequest));
  return ({ localAddress, localPort }) => accepted.get(nameOf(localAddress, localPort));
};

/** Resolves when the server has seen the end of the connection of the next request. */
export const endOfNextRequest = (): Promise<void> =>
  new Promise((resolve) => {
    const onRequest = (message: unknown): void => {
      unsubscribe('http.server.request.start', onRequest);
      const { socket } = message as { readonly socket: Socket }; // As Node documents it.
      socket.once('close', () => void setImmediate(resolve));
    };
    subscribe('http.server.request.start', onRequest);
  });
