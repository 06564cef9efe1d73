import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { oneHostEach, type HostOptions } from '../../hosts.js';

/** A question that went to a good server, and its answer, which can be spoilt before it goes back. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly form: URLSearchParams;
  readonly asked: IncomingMessage['headers'];
  status: number;
  headers: Record<string, string | string[]>;
  body: string;
}

export type Spoil = (exchange: Exchange) => void;

/** A good server behind a proxy that does harm. */
export interface BadProxy {
  readonly issuer: string;
  readonly port: number;
  /** Undone before the next test sets its own. */
  spoil: Spoil;
  close(): Promise<void>;
}

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

const ask = async (target: string, message: IncomingMessage, body: string): Promise<IncomingMessage> => {
  const { method, url, headers } = message;
  const outgoing = request(new URL(url ?? '', target), { method, headers, agent: false }).end(body);
  const [answer] = await once(outgoing, 'response');
  return answer as IncomingMessage; // What node hands to every listener of this event.
};

const HOP_BY_HOP = ['connection', 'keep-alive', 'transfer-encoding', 'content-length'];

const headersOf = ({ headers }: IncomingMessage): Exchange['headers'] =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || HOP_BY_HOP.includes(name) ? [] : [[name, value]],
    ),
  );

/**
 * Starts both. The good server believes to be where the proxy is.
 *
 * @param certificate - Lets the proxy speak TLS.
 */
export const startBadProxy = (options: HostOptions, certificate?: Certificate): Promise<BadProxy> =>
  startBadProxyFor(async (issuer) => {
    const [host] = oneHostEach;
    return host.start({ options: { ...options, issuer } });
  }, certificate);

interface Good {
  readonly origin: string;
  close(): unknown;
}

/**
 * The same in front of any server.
 *
 * @param start - Starts it; it believes to be at the address that it is given.
 */
export const startBadProxyFor = async (
  start: (issuer: string) => Promise<Good>,
  certificate?: Certificate,
): Promise<BadProxy> => {
  const server: Server = certificate === undefined ? createServer() : createTlsServer({ ...certificate });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // It listens on a port and not on a pipe.
  const issuer = `${certificate === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
  const good = await start(issuer);
  const proxy: BadProxy = {
    issuer,
    port,
    spoil: () => undefined,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await good.close();
    },
  };
  server.on('request', (req, res) => {
    void (async () => {
      const body = await text(req);
      const answer = await ask(good.origin, req, body);
      const { pathname, searchParams } = new URL(req.url ?? '', issuer);
      const exchange: Exchange = {
        method: req.method ?? '',
        path: pathname,
        query: searchParams,
        form: new URLSearchParams(body),
        asked: req.headers,
        status: answer.statusCode ?? 0,
        headers: headersOf(answer),
        body: await text(answer),
      };
      proxy.spoil(exchange);
      res.writeHead(exchange.status, exchange.headers).end(exchange.body);
    })();
  });
  return proxy;
};
