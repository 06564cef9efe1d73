import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readStream } from '../../src/adapters/node/body.js';
import type { HttpRequest, Route } from '../../src/core/base/http/messages.js';

/** A host without a framework: `node:http`, translated into the core's requests and back. */
export interface Host {
  /** `http://127.0.0.1:…` */
  readonly origin: string;
  close(): Promise<void>;
}

/** Serves the routes on a free port of the loopback interface. */
export async function serve(routes: readonly Route[]): Promise<Host> {
  const byPath = new Map(routes.map((route) => [route.path, route]));
  const server = createServer((request, response) => {
    const [path = '/', query = ''] = (request.url ?? '/').split(/\?(.*)/s);
    const route = byPath.get(decodeURIComponent(path));
    if (route) void answer(route, toHttpRequest(request, query), response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { origin: `http://127.0.0.1:${addressOf(server).port}`, close: () => close(server) };
}

async function answer(route: Route, request: HttpRequest, response: ServerResponse): Promise<void> {
  const { status, headers, body } = await route.handle(request);
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
}

function toHttpRequest(request: IncomingMessage, query: string): HttpRequest {
  return {
    method: request.method ?? 'GET',
    query,
    path: '',
    header: (name) => {
      const value = request.headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    },
    rawHeaders: request.rawHeaders,
    ip: request.socket.remoteAddress ?? '',
    hungUp: false,
    body: (limit) => readStream(request, limit),
    native: request,
  };
}

function addressOf(server: Server): AddressInfo {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server does not listen on a port.');
  return address;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()));
    server.closeAllConnections();
  });
}
