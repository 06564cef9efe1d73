import type { IncomingMessage, RequestListener } from 'node:http';
import type { Server } from '../core/server.js';
import type { OnError } from './node.js';
import { plainListener, wholePaths } from './plain.js';

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

export const frontOf = (server: Pick<Server, 'routes' | 'wellKnown' | 'basePath'>, onError: OnError): Front => {
  const table = wholePaths(server, (route) => !route.needsHost);
  return (listener, { ip } = {}) => plainListener(table, listener, onError, ip);
};
