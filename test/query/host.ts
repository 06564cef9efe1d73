import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readStream } from '../../src/adapters/node/body.js';
import type { HttpRequest, Route } from '../../src/core/base/http/messages.js';
import { listen } from '../hosts/listen.js';

/** A host without a framework: `node:http`, translated into the core's requests and back. */
export interface Host {
  /** `http://127.0.0.1:…` */
  readonly origin: string;
  close(): Promise<void>;
}

/** Serves the routes on a free port of the loopback interface. */
export async function serve(routes: readonly Route[]): Promise<Host> {
  const byPath = new Map(routes.map((route) => [route.path, route]));
  const { server, origin, close } = await listen((request, response) => {
    const [path = '/', query = ''] = (request.url ?? '/').split(/\?(.*)/s);
    const route = byPath.get(decodeURIComponent(path));
    if (route) void answer(route, toHttpRequest(request, query), response);
    else response.writeHead(404).end();
  });
  return {
    origin,
    close: async () => {
      close();
      await once(server, 'close');
    },
  };
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
    body: (limit, room) => readStream(request, limit, room),
    native: request,
  };
}
