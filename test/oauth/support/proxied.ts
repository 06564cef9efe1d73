import type { RequestListener } from 'node:http';
import express from 'express';
import fastify from 'fastify';
import Koa from 'koa';
import { oauthQuery as forExpress } from '../../../src/adapters/express/index.js';
import { oauthQuery as forFastify } from '../../../src/adapters/fastify/index.js';
import { oauthQuery as forKoa } from '../../../src/adapters/koa/index.js';
import type { HostOptions } from '../../hosts.js';
import { listen } from '../../hosts/listen.js';

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

const proxied = (name: keyof typeof FRAMEWORKS) => ({
  name,
  start: async (options: HostOptions): Promise<ProxiedHost> => {
    const app = await FRAMEWORKS[name]({ ...options, ...{ issuer: 'https://auth.example' } });
    const { origin: base, close } = await listen(app);
    return { base, close };
  },
});

export const proxiedHosts = [proxied('express'), proxied('koa'), proxied('fastify')] as const;
