import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import fastify from 'fastify';
import Koa from 'koa';
import { oauthQuery as forExpress } from '../../../src/adapters/express/index.js';
import { oauthQuery as forFastify } from '../../../src/adapters/fastify/index.js';
import { oauthQuery as forKoa } from '../../../src/adapters/koa/index.js';
import type { HostOptions } from '../../hosts.js';

/** Apps that believe a proxy in front of them, so that a test can be many callers at once: `X-Forwarded-For` says who. */
const FRAMEWORKS = {
  express: async (options: HostOptions): Promise<RequestListener> => {
    const app = express();
    app.set('trust proxy', true);
    return app.use(forExpress(options));
  },
  koa: async (options: HostOptions): Promise<RequestListener> => {
    const app = new Koa({ proxy: true });
    const callback = app.use(forKoa(options)).callback();
    return (request, response) => void callback(request, response);
  },
  fastify: async (options: HostOptions): Promise<RequestListener> => {
    const app = fastify({ trustProxy: true });
    await app.register(forFastify(options));
    await app.ready();
    return app.routing;
  },
};

export interface ProxiedHost {
  readonly base: string;
  close(): void;
}

export const proxiedHosts = Object.entries(FRAMEWORKS).map(([name, build]) => ({
  name,
  start: async (options: HostOptions): Promise<ProxiedHost> => {
    const server = createServer(await build({ ...options, ...{ issuer: 'https://auth.example' } }));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // It listens on a port and not on a pipe.
    return {
      base: `http://127.0.0.1:${port}`,
      close: () => {
        server.closeAllConnections();
        server.close();
      },
    };
  },
}));
