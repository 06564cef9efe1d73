/** The process that `bench/endpoint.ts` measures: `node endpoint-server.js <framework> <bare|ours>`, talking over IPC. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import Fastify from 'fastify';
import Koa from 'koa';
import { oauthQuery as expressQuery } from 'oauth-query/express';
import { oauthQuery as fastifyQuery } from 'oauth-query/fastify';
import { oauthQuery as koaQuery } from 'oauth-query/koa';
import type { QueryOptions } from 'oauth-query';

const [framework = '', candidate] = process.argv.slice(2);

/** What the handler answers from: the first pages of a site. */
const PAGES = Array.from({ length: 10 }, (_one, index) => ({
  pageid: index + 1,
  ns: 0,
  title: `Page ${index + 1}`,
}));

const query: QueryOptions = { modules: { allpages: ({ limit }) => ({ items: PAGES.slice(0, limit) }) } };
const options = { issuer: 'http://127.0.0.1', secret: 'a secret of the benchmark, which is public', query };
/** The same data from a route that does nothing else. */
const plain = () => ({ batchcomplete: true, query: { allpages: PAGES.slice(0, 10) } });

async function listenerOf(): Promise<RequestListener> {
  const ours = candidate === 'ours';
  switch (framework) {
    case 'express': {
      const app = express();
      if (ours) app.use(expressQuery(options));
      else app.get('/api', (_request, response) => void response.json(plain()));
      return app;
    }
    case 'koa': {
      const app = new Koa();
      app.use(
        ours
          ? koaQuery(options)
          : async (context, next) => {
              if (context.path !== '/api') return next();
              context.body = plain();
            },
      );
      const answer = app.callback();
      return (request, response) => void answer(request, response);
    }
    default: {
      const app = Fastify();
      if (ours) await app.register(fastifyQuery(options));
      else app.get('/api', () => plain());
      await app.ready();
      return app.routing;
    }
  }
}

const server = createServer({ keepAliveTimeout: 0 }, await listenerOf());
server.listen(0, '127.0.0.1', () => {
  // A TCP server that listens has an address with a port.
  process.send?.({ port: (server.address() as AddressInfo).port });
});
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpu: user + system });
});
// With `--cpu-prof` the profile is written when the process ends by itself.
process.on('disconnect', () => process.exit(0));
