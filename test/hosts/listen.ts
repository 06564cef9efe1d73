import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, TestRunner } from 'vitest';

/** Ends what a test has started with this test. What a hook has started, a hook ends. */
export const endWithTest = (end: () => unknown): void => {
  TestRunner.getCurrentTest()?.context.onTestFinished(async () => {
    await end();
  });
};

/** A server that listens on 127.0.0.1. */
export interface Listening {
  readonly server: Server;
  readonly port: number;
  readonly origin: string;
  /** Also ends all connections. */
  close(): void;
}

/**
 * Listens until the end of this test, or until the hook ends it that corresponds to the one that started it.
 *
 * @param listener - May be given later, with `server.on('request', …)`: an application often has to know its own address.
 */
export const listen = async (listener?: (...args: Parameters<RequestListener>) => unknown): Promise<Listening> => {
  // Client and server share a thread here. After a pause of the thread, the server would close an idle connection at the very moment at which
  // the client uses it.
  const server = createServer({ keepAliveTimeout: 0 });
  if (listener !== undefined) server.on('request', (req, res) => void listener(req, res));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // It listens on a port and not on a pipe.
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  endWithTest(close);
  return { server, port, origin: `http://127.0.0.1:${port}`, close };
};

/** What is started before the tests of a suite and closed after them. Its members are there when the tests run. */
export const useStarted = <T extends { close(): unknown }>(start: () => Promise<T>): T => {
  let started: T | undefined;
  beforeAll(async () => {
    started = await start();
  });
  afterAll(() => started?.close());
  const get = (_target: T, name: string | symbol): unknown => {
    const value: unknown = Reflect.get(Object(started), name);
    return typeof value === 'function' ? value.bind(started) : value;
  };
  return new Proxy({} as T, { get, set: (_target, name, value) => Reflect.set(Object(started), name, value) });
};
