import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { HttpResponse } from '../core/http.js';
import type { Server } from '../core/server.js';
import { hasLength, NodeRequest, type OnError, respond } from './node.js';

/** What `oauth.front(listener, options)` can be told. */
export interface FrontOptions {
  /** The caller's address, which limits count by: that of the connection if absent. Give it behind a proxy. */
  readonly ip?: (request: IncomingMessage) => string;
}

/**
 * Wraps the listener of a framework, for `http.createServer(oauth.front(app))`. Requests of programs – for tokens, introspection,
 * revocation, metadata and the query API – are answered before the framework sees them, with the same bytes; it gets everything
 * else, and the pages for people, which may ask it who is signed in. Mount the middleware as well.
 */
export type Front = (listener: RequestListener, options?: FrontOptions) => RequestListener;

class PlainRequest extends NodeRequest<IncomingMessage> {
  readonly #ip: FrontOptions['ip'];

  constructor(message: IncomingMessage, ip: FrontOptions['ip']) {
    super(message, message);
    this.#ip = ip;
  }

  get ip(): string {
    return this.#ip?.(this.native) ?? this.native.socket.remoteAddress ?? '';
  }

  /** Nobody has been here before us. */
  get parsedBody(): undefined {
    return undefined;
  }
}

const send = (res: ServerResponse, { status, headers, body }: HttpResponse): void => {
  if (res.headersSent) return;
  const all: Record<string, string | string[] | number> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) all[name] = typeof value === 'string' ? value : [...value];
  }
  if (hasLength(status)) all['content-length'] = Buffer.byteLength(body);
  res.writeHead(status, all).end(body);
};

export const frontOf = (
  { routes, wellKnown, basePath }: Pick<Server, 'routes' | 'wellKnown' | 'basePath'>,
  onError: OnError,
): Front => {
  const ours = routes.filter((route) => !route.needsHost);
  const table = new Map([
    ...ours.map((route) => [basePath + route.path, route] as const),
    ...wellKnown.map((route) => [route.path, route] as const),
  ]);
  return (listener, { ip } = {}) =>
    (req, res) => {
      const url = req.url ?? '';
      const mark = url.indexOf('?');
      const route = table.get(mark === -1 ? url : url.slice(0, mark));
      if (route === undefined) listener(req, res);
      else
        void respond(
          () => route.handle(new PlainRequest(req, ip)),
          (response) => send(res, response),
          onError,
        );
    };
};
